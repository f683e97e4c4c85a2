//! What the window follows: everything at a glance, as what is other each time, one room in full,
//! whose state is pushed whole, and links.

use crate::glance::OverviewNews;
use crate::house::House;
use crate::links::Link;
use crate::problem::Problem;
use engine::journal::StoredEvent;
use engine::wire::Stored;
use engine::{Chatter, Engine, EngineError, Listener, Overview, Watch};
use plan::{Event, RoomId, RoomView, Text, Time};
use serde::Serialize;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tauri::State;
use tauri::ipc::Channel;
use tokio::sync::watch;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// Events of a room that are sent when it is opened: more than fill a screen, and few enough
/// that a long room opens as fast as a short one.
const PAGE: u64 = 40;

/// The least time between two views of a room: more often nobody reads what changed.
const FRAME: Duration = Duration::from_millis(33);

/// The longest text that comes with its event; of longer ones the window gets the beginning.
const WHOLE: u64 = 32 * 1024;

/// As much of a longer text as comes with its event: more than the window shows of it at first,
/// in whatever script it is written.
const BEGINNING: usize = 24 * 1024;

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

/// A feed that has begun: its number, and what it tells at once. The rest comes by the channel,
/// which is only heard when the page is loaded.
#[derive(Serialize, ts_rs::TS)]
pub struct Followed<T> {
    id: u32,
    first: Vec<T>,
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

/// Follows everything at a glance: first all of it, then what is other.
#[tauri::command]
pub async fn overview(
    house: State<'_, Arc<House>>,
    channel: Channel<OverviewNews>,
) -> Result<Followed<OverviewNews>, Problem> {
    // Followed before it is read, so that nothing falls between the two.
    let mut seen = house.glance.follow();
    let mut told = Arc::new(house.engine.overview()?);
    let first = vec![OverviewNews::all(&told)];
    let id = keep_up(&house, async move {
        while seen.changed().await.is_ok() {
            let now = Arc::clone(&seen.borrow_and_update());
            if channel.send(OverviewNews::between(&told, &now)).is_err() {
                return;
            }
            told = now;
        }
    });
    Ok(Followed { id, first })
}

/// Follows one room: the last events after `after`, how things stand, then what happens.
#[tauri::command]
pub async fn open_room(
    house: State<'_, Arc<House>>,
    room: RoomId,
    after: u64,
    channel: Channel<RoomNews>,
) -> Result<Followed<RoomNews>, Problem> {
    let last = house.engine.stored_seq(room)?;
    let after = after.max(last.saturating_sub(PAGE)).min(last);
    let mut watch = house.engine.watch(room, after)?;
    let mut chatter = watch.chatter();
    let mut first = Vec::new();
    if after < last {
        first.push(happened(&house.engine, watch.next().await?));
    }
    // Followed before it is read, so that nothing falls between the two.
    let looks = house.glance.follow();
    let view = Box::new(house.engine.view(room)?);
    first.push(RoomNews::View { view: view.clone() });
    first.extend(chatter.so_far().map(|chatter| RoomNews::Chatter { chatter }));
    let engine = house.engine.clone();
    let following = Following { watch, chatter, looks, view };
    let id = keep_up(&house, async move {
        if let Err(error) = following.follow(&engine, &channel).await {
            tracing::warn!(%error, %room, "a room can't be followed");
        }
    });
    Ok(Followed { id, first })
}

/// Follows links: first those that wait, then each that comes.
#[tauri::command]
pub async fn links(
    house: State<'_, Arc<House>>,
    channel: Channel<Link>,
) -> Result<Followed<Link>, Problem> {
    let (first, mut later) = house.links.follow();
    let id = keep_up(&house, async move {
        while let Some(link) = later.recv().await {
            if channel.send(link).is_err() {
                return;
            }
        }
    });
    Ok(Followed { id, first })
}

/// Goes on with a feed until it ends by itself or the window has enough of it; its number.
fn keep_up(house: &Arc<House>, feed: impl Future<Output = ()> + Send + 'static) -> u32 {
    let (id, enough) = house.feeds.begin();
    let house = Arc::clone(house);
    tauri::async_runtime::spawn(async move {
        tokio::select! {
            () = feed => house.feeds.end(id),
            () = enough.cancelled() => {}
        }
    });
    id
}

/// A room that is open, and what was told of it.
struct Following {
    watch: Watch,
    chatter: Listener,
    /// Its sidekicks are shown with it, and their news comes from their own rooms.
    looks: watch::Receiver<Arc<Overview>>,
    view: Box<RoomView>,
}

impl Following {
    async fn follow(
        mut self,
        engine: &Engine,
        channel: &Channel<RoomNews>,
    ) -> Result<(), EngineError> {
        let (mut stale, mut next_view) = (false, Instant::now());
        loop {
            let news = tokio::select! {
                biased;
                events = self.watch.next() => {
                    stale = true;
                    happened(engine, events?)
                }
                () = tokio::time::sleep_until(next_view), if stale => {
                    (stale, next_view) = (false, Instant::now() + FRAME);
                    let view = Box::new(engine.view(self.view.id)?);
                    if view == self.view {
                        continue;
                    }
                    self.view = view.clone();
                    RoomNews::View { view }
                }
                piece = self.chatter.next() => {
                    let Some(chatter) = piece else { return Ok(()) };
                    RoomNews::Chatter { chatter }
                }
                Ok(()) = self.looks.changed() => {
                    stale = true;
                    continue;
                }
            };
            if channel.send(news).is_err() {
                return Ok(());
            }
        }
    }
}

/// Older events, oldest first.
#[tauri::command]
pub fn history(
    house: State<'_, Arc<House>>,
    room: RoomId,
    before: Option<u64>,
    limit: u64,
) -> Result<Vec<Stored>, Problem> {
    let end = match before {
        Some(before) => before.saturating_sub(1),
        None => house.engine.stored_seq(room)?,
    };
    let limit = limit.clamp(1, 1_000);
    let after = end.saturating_sub(limit);
    let rows =
        house.engine.journal().read(room.0, after, usize::try_from(end - after).unwrap_or(0))?;
    let read = |row: StoredEvent| {
        let event = serde_json::from_slice(&row.body).ok()?;
        Some(told(&house.engine, &row, event))
    };
    Ok(rows.into_iter().filter_map(read).collect())
}

fn happened(engine: &Engine, events: Vec<(StoredEvent, Event)>) -> RoomNews {
    let events = events.into_iter().map(|(row, event)| told(engine, &row, event));
    RoomNews::Events { events: events.collect() }
}

/// An event as the window gets it: what was said stands in it, or much of it where it is very
/// long.
fn told(engine: &Engine, row: &StoredEvent, mut event: Event) -> Stored {
    if let Event::Said { text, .. } | Event::Replied { text, .. } = &mut event
        && let Text::Blob { blob, .. } = text
        && let Ok(Some(whole)) = engine.journal().blob(blob)
    {
        unfold(text, &String::from_utf8_lossy(&whole));
    }
    Stored { seq: row.seq, at: Time(row.at), event }
}

/// Puts a stored text where its name was, or the beginning of a very long one beside it.
fn unfold(text: &mut Text, whole: &str) {
    match text {
        Text::Blob { bytes, head, .. } if *bytes > WHOLE => {
            whole[..whole.floor_char_boundary(BEGINNING)].clone_into(head);
        }
        Text::Blob { .. } | Text::Inline(_) => *text = Text::Inline(whole.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(whole: String) -> Text {
        let (mut text, _) = Text::split(whole.clone());
        unfold(&mut text, &whole);
        text
    }

    #[test]
    fn a_long_text_is_whole_and_a_very_long_one_has_a_beginning_worth_reading() {
        let long = "word ".repeat(2_000);
        assert_eq!(shown(long.clone()), Text::Inline(long));
        // A sign of three bytes does not end where the beginning does.
        let very_long = "語".repeat(20_000);
        let Text::Blob { bytes, head, .. } = shown(very_long) else { panic!("it is folded") };
        assert_eq!((bytes, head.len()), (60_000, BEGINNING - BEGINNING % 3));
    }
}
