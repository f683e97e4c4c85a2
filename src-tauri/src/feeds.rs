//! What the window follows: everything at a glance, and one room in full. State is pushed whole.

use crate::house::House;
use crate::problem::Problem;
use engine::wire::Stored;
use engine::{Chatter, Engine, EngineError, Overview};
use plan::{RoomId, RoomView, Time};
use serde::Serialize;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use tauri::State;
use tauri::ipc::Channel;
use tokio::sync::broadcast::error::RecvError;
use tokio_util::sync::CancellationToken;

/// Events of a room that are sent when it is opened.
const PAGE: usize = 200;

/// Feeds under way, by the number the window knows them by.
#[derive(Default)]
pub struct Feeds {
    next: AtomicU32,
    open: Mutex<HashMap<u32, CancellationToken>>,
}

impl Feeds {
    fn begin(&self) -> (u32, CancellationToken) {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let token = CancellationToken::new();
        self.open.lock().unwrap_or_else(PoisonError::into_inner).insert(id, token.clone());
        (id, token)
    }

    fn end(&self, id: u32) {
        let token = self.open.lock().unwrap_or_else(PoisonError::into_inner).remove(&id);
        if let Some(token) = token {
            token.cancel();
        }
    }
}

/// What a room sends while it is open.
#[derive(Clone, Serialize, ts_rs::TS)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum RoomNews {
    /// What happened.
    Events {
        /// In order.
        events: Vec<Stored>,
    },
    /// How things stand.
    View {
        /// Whole.
        view: Box<RoomView>,
    },
    /// What is being said right now.
    Chatter {
        /// One piece.
        chatter: Chatter,
    },
}

/// Ends a feed.
#[tauri::command]
pub fn unsubscribe(house: State<'_, Arc<House>>, id: u32) {
    house.feeds.end(id);
}

/// Follows everything at a glance.
#[tauri::command]
pub async fn overview(
    house: State<'_, Arc<House>>,
    channel: Channel<Overview>,
) -> Result<u32, Problem> {
    let (id, token) = house.feeds.begin();
    let house = Arc::clone(&house);
    // Followed before it is read, so that nothing falls between the two.
    let mut seen = house.glance.follow();
    let first = house.engine.overview()?;
    let gone = channel.send(first).is_err();
    if gone {
        house.feeds.end(id);
    }
    tauri::async_runtime::spawn(async move {
        let follow = async {
            while seen.changed().await.is_ok() {
                let now = Overview::clone(&seen.borrow_and_update());
                if channel.send(now).is_err() {
                    return;
                }
            }
        };
        tokio::select! {
            () = follow => house.feeds.end(id),
            () = token.cancelled() => {}
        }
    });
    Ok(id)
}

/// Follows one room: a view, the last events after `after`, then what happens.
#[tauri::command]
pub async fn open_room(
    house: State<'_, Arc<House>>,
    room: RoomId,
    after: u64,
    channel: Channel<RoomNews>,
) -> Result<u32, Problem> {
    let last = house.engine.stored_seq(room)?;
    let after = after.max(last.saturating_sub(PAGE as u64)).min(last);
    let view = house.engine.view(room)?;
    let _ = channel.send(RoomNews::View { view: Box::new(view) });
    let (id, token) = house.feeds.begin();
    let house = Arc::clone(&house);
    tauri::async_runtime::spawn(async move {
        tokio::select! {
            done = follow(&house.engine, room, after, &channel) => {
                if let Err(error) = done {
                    tracing::warn!(%error, %room, "a room can't be followed");
                }
                house.feeds.end(id);
            }
            () = token.cancelled() => {}
        }
    });
    Ok(id)
}

async fn follow(
    engine: &Engine,
    room: RoomId,
    after: u64,
    channel: &Channel<RoomNews>,
) -> Result<(), EngineError> {
    let mut watch = engine.watch(room, after)?;
    let mut chatter = watch.chatter();
    loop {
        let news = tokio::select! {
            biased;
            events = watch.next() => {
                let events = events?.into_iter().map(|(stored, event)| Stored {
                    seq: stored.seq,
                    at: Time(stored.at),
                    event,
                });
                RoomNews::Events { events: events.collect() }
            }
            piece = chatter.recv() => match piece {
                Ok(chatter) => RoomNews::Chatter { chatter },
                Err(RecvError::Lagged(_)) => continue,
                Err(RecvError::Closed) => return Ok(()),
            }
        };
        let happened = matches!(news, RoomNews::Events { .. });
        if channel.send(news).is_err() {
            return Ok(());
        }
        if happened {
            let view = Box::new(engine.view(room)?);
            if channel.send(RoomNews::View { view }).is_err() {
                return Ok(());
            }
        }
    }
}
