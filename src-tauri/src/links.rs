//! `plancard://…`: a link only ever navigates.

use crate::house::House;
use engine::Engine;
use plan::{PlanId, RoomId};
use serde::Serialize;
use std::sync::{Arc, Mutex, PoisonError};
use tauri::{AppHandle, Manager, Url};
use tauri_plugin_deep_link::DeepLinkExt;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// The longest goal a link may bring, in characters.
const GOAL_CHARS: usize = 4_000;
/// The longest link that is read at all.
const LINK_BYTES: usize = 64 * 1024;
/// As many links as wait for the window; anyone can bring more.
const WAITING: usize = 16;

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

/// Links on their way to the window. They are kept until the window follows
/// them; from then on they go straight there, until its page is loaded anew.
#[derive(Default)]
pub struct Links(Mutex<Way>);

#[derive(Default)]
struct Way {
    waiting: Vec<Link>,
    window: Option<UnboundedSender<Link>>,
}

impl Links {
    /// Those that wait, oldest first, and then the later ones. Whoever followed before does not
    /// any more.
    pub fn follow(&self) -> (Vec<Link>, UnboundedReceiver<Link>) {
        let mut way = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (window, later) = unbounded_channel();
        way.window = Some(window);
        (std::mem::take(&mut way.waiting), later)
    }

    /// The page is loaded anew: nobody follows until it asks.
    pub fn page_gone(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).window = None;
    }

    fn pass(&self, link: Link) {
        let mut way = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = match &way.window {
            Some(window) => window.send(link).err().map(|unheard| unheard.0),
            None => Some(link),
        };
        let room = WAITING.saturating_sub(way.waiting.len());
        way.waiting.extend(kept.into_iter().take(room));
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
    app.state::<Arc<House>>().links.pass(link);
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
    fn links_wait_until_the_window_follows_and_go_straight_after() {
        let links = Links::default();
        for name in ["1", "2"] {
            links.pass(unknown(name));
        }
        let (waiting, mut later) = links.follow();
        assert_eq!(waiting, [unknown("1"), unknown("2")]);
        links.pass(unknown("3"));
        assert_eq!(later.try_recv(), Ok(unknown("3")));
        links.page_gone();
        links.pass(unknown("4"));
        let (waiting, later) = links.follow();
        assert_eq!(waiting, [unknown("4")]);
        // One that stopped following hears nothing, and nothing is lost.
        drop(later);
        links.pass(unknown("5"));
        assert_eq!(links.follow().0, [unknown("5")]);
        links.page_gone();
        (0..=WAITING).for_each(|_| links.pass(unknown("6")));
        assert_eq!(links.follow().0.len(), WAITING);
    }
}
