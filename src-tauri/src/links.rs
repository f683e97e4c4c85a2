//! `plancard://…`: a link only ever navigates.

use crate::house::House;
use engine::Engine;
use plan::{PlanId, RoomId};
use serde::Serialize;
use std::sync::{Arc, PoisonError};
use tauri::{AppHandle, Emitter, Manager, Url};
use tauri_plugin_deep_link::DeepLinkExt;

/// The longest goal a link may bring, in characters.
const GOAL_CHARS: usize = 4_000;

/// Where a link leads.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
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
        step: Option<u32>,
    },
    /// To the composer, with words that are not sent.
    New {
        /// The words.
        goal: String,
        /// Where they came from.
        from: Option<String>,
    },
    /// Nowhere.
    Unknown {
        /// Why, in plain words.
        message: String,
    },
}

/// Hears links: the one the app was started with, and later ones.
pub fn listen(app: &AppHandle) {
    let house = Arc::clone(&app.state::<Arc<House>>());
    if let Ok(Some(urls)) = app.deep_link().get_current()
        && let Some(url) = urls.first()
    {
        let link = read(&house.engine, url);
        *house.first_link.lock().unwrap_or_else(PoisonError::into_inner) = Some(link);
    }
    let handle = app.clone();
    app.deep_link().on_open_url(move |event| {
        for url in event.urls() {
            let _ = handle.emit("link", read(&house.engine, &url));
        }
        crate::tray::show(&handle);
    });
}

fn read(engine: &Engine, url: &Url) -> Link {
    let unknown = |message: &str| Link::Unknown { message: message.to_owned() };
    let host = url.host_str().unwrap_or("");
    let parts: Vec<&str> = url.path().split('/').filter(|part| !part.is_empty()).collect();
    match (host, parts.as_slice()) {
        ("new", []) => match url.query_pairs().find(|(name, _)| name == "goal") {
            Some((_, goal)) if !goal.trim().is_empty() => Link::New {
                goal: goal.chars().take(GOAL_CHARS).collect(),
                from: Some("a link".to_owned()),
            },
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
    let unknown = |message: &str| Link::Unknown { message: message.to_owned() };
    let Ok(id) = id.parse() else {
        return unknown("This link is not one of ours: the plan's id makes no sense.");
    };
    match engine.journal().plan(id) {
        Ok(Some(row)) => Link::Plan { room: RoomId(row.room), plan: PlanId(id), step },
        Ok(None) | Err(_) => unknown("The plan of this link is not there."),
    }
}
