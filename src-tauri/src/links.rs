//! `plancard://…`: a link only ever navigates.

use crate::house::House;
use engine::Engine;
use plan::{PlanId, RoomId};
use serde::Serialize;
use std::sync::{Arc, Mutex, PoisonError};
use tauri::{AppHandle, Emitter, Manager, Url};
use tauri_plugin_deep_link::DeepLinkExt;

/// The longest goal a link may bring, in characters.
const GOAL_CHARS: usize = 4_000;
/// The longest link that is read at all.
const LINK_BYTES: usize = 64 * 1024;

/// Where a link leads.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ts_rs::TS)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Link {
    /// To a room.
    Room {
        /// Which.
        room: RoomId,
    },
    /// To a plan, or a step of it.
    Plan {
        /// The room it is in.
        room: RoomId,
        /// Which.
        plan: PlanId,
        /// The step's number.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        step: Option<u32>,
    },
    /// To the composer, with words that are not sent.
    New {
        /// The words.
        goal: String,
    },
    /// Nowhere.
    Unknown {
        /// Why, in plain words.
        message: String,
    },
}

/// Links on their way to the window. One is kept until the window asks for
/// it; from then on the window listens, until its page is loaded anew.
#[derive(Default)]
pub struct Links(Mutex<Way>);

#[derive(Default)]
struct Way {
    waiting: Option<Link>,
    listened_to: bool,
}

impl Links {
    /// The link that waits, if any. The asker listens to later ones already.
    pub fn take(&self) -> Option<Link> {
        let mut way = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        way.listened_to = true;
        way.waiting.take()
    }

    /// The page is loaded anew: nobody listens until it asks.
    pub fn page_gone(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).listened_to = false;
    }

    /// The link, if someone listens; else it is kept, in place of an older one.
    fn pass(&self, link: Link) -> Option<Link> {
        let mut way = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if way.listened_to {
            return Some(link);
        }
        way.waiting = Some(link);
        None
    }
}

/// Hears links: the one the app was started with, and those the system brings later.
pub fn listen(app: &AppHandle) {
    let house = Arc::clone(&app.state::<Arc<House>>());
    if let Some(link) = from_args(&house.engine, &own_args()) {
        house.links.pass(link);
    }
    let handle = app.clone();
    app.deep_link().on_open_url(move |event| {
        for url in event.urls() {
            go(&handle, read(&house.engine, &url));
        }
    });
}

/// What the app was started with.
pub fn own_args() -> Vec<String> {
    std::env::args_os().map(|arg| arg.to_string_lossy().into_owned()).collect()
}

/// A second start: brings the window to the front, and where its arguments lead.
pub fn started_again(app: &AppHandle, args: &[String]) {
    let Some(house) = app.try_state::<Arc<House>>() else { return };
    match from_args(&house.engine, args) {
        Some(link) => go(app, link),
        None => crate::tray::show(app),
    }
}

/// Shows the window at the end of a link.
pub fn go(app: &AppHandle, link: Link) {
    if let Some(link) = app.state::<Arc<House>>().links.pass(link) {
        let _ = app.emit("link", link);
    }
    crate::tray::show(app);
}

/// What arguments ask for, the program's own name first. Anyone can write them.
fn from_args(engine: &Engine, args: &[String]) -> Option<Link> {
    match args {
        [] | [_] => None,
        [_, one] if one.len() > LINK_BYTES => Some(unknown("This link is too long to be read.")),
        [_, one] => Some(match one.parse::<Url>() {
            Ok(url) if url.scheme() == "plancard" => read(engine, &url),
            Ok(_) | Err(_) => unknown("This is not a link that Plancard knows."),
        }),
        [_, _, _, ..] => Some(unknown("Plancard opens one link at a time.")),
    }
}

fn unknown(message: &str) -> Link {
    Link::Unknown { message: message.to_owned() }
}

fn read(engine: &Engine, url: &Url) -> Link {
    let host = url.host_str().unwrap_or("");
    let parts: Vec<&str> = url.path().split('/').filter(|part| !part.is_empty()).collect();
    match (host, parts.as_slice()) {
        ("new", []) => match url.query_pairs().find(|(name, _)| name == "goal") {
            Some((_, goal)) if !goal.trim().is_empty() => {
                Link::New { goal: goal.chars().take(GOAL_CHARS).collect() }
            }
            Some(_) | None => unknown("This link brings no goal."),
        },
        ("room", [id]) => match id.parse().map(RoomId) {
            Ok(room) if engine.view(room).is_ok() => Link::Room { room },
            Ok(_) => unknown("The room of this link is not there."),
            Err(_) => unknown("This link is not one of ours: the room's id makes no sense."),
        },
        ("plan", [id]) => plan(engine, id, None),
        ("plan", [id, "step", step]) => match step.parse() {
            Ok(step) => plan(engine, id, Some(step)),
            Err(_) => unknown("This link is not one of ours: the step's number makes no sense."),
        },
        _ => unknown("This link is not one that Plancard knows."),
    }
}

fn plan(engine: &Engine, id: &str, step: Option<u32>) -> Link {
    let Ok(id) = id.parse() else {
        return unknown("This link is not one of ours: the plan's id makes no sense.");
    };
    match engine.journal().plan(id) {
        Ok(Some(row)) => Link::Plan { room: RoomId(row.room), plan: PlanId(id), step },
        Ok(None) | Err(_) => unknown("The plan of this link is not there."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_waits_until_the_window_asks_and_goes_straight_after() {
        let (links, link) = (Links::default(), || unknown("x"));
        assert_eq!(links.pass(link()), None);
        assert_eq!(links.take(), Some(link()));
        assert_eq!(links.take(), None);
        assert_eq!(links.pass(link()), Some(link()));
        links.page_gone();
        assert_eq!(links.pass(link()), None);
        assert_eq!(links.take(), Some(link()));
    }
}
