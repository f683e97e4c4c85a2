//! Sidekicks: agents that work in the background for a room.

mod at_once;
mod attempts;
mod by_hand;
mod caps;
mod changed;
mod conflicts;
mod context;
mod copies;
mod drift;
mod ending;
mod failing;
mod finished;
mod folder;
mod halting;
mod kept;
mod killed;
mod provider;
mod queue;
mod restart;
mod rules;
mod settling;
mod spawning;
mod spending;
mod steps;
mod steps_at_once;
mod steps_told;
mod strict;
mod taking;
mod venue;
mod words;

use engine::NewSidekick;
use flow::{House, me};
use plan::{Event, RoomId, SidekickView};
use support::{Recorded, wait_for, wait_for_some};

/// A sidekick that a person asks for.
async fn spawn(house: &House, task: &str) -> SidekickView {
    let new = NewSidekick { task: task.to_owned(), ..NewSidekick::default() };
    house.engine().spawn_sidekick(house.room, &me(), new).await.expect("a sidekick is made")
}

/// The sidekicks of the house's room.
fn all(house: &House) -> Vec<SidekickView> {
    house.engine().sidekicks(house.room).expect("the room is there")
}

/// A sidekick as it is now.
fn now(house: &House, room: RoomId) -> SidekickView {
    let view = house.engine().view(room).expect("the room is there");
    view.sidekick.expect("it is a sidekick's")
}

/// The first sidekick, once there is one.
async fn first(house: &House) -> SidekickView {
    wait_for_some(async || all(house).pop(), "a sidekick").await
}

/// Waits until a sidekick is in a state, and the log says so.
async fn wait_state(house: &House, room: RoomId, state: &str) -> SidekickView {
    let is_stored = || {
        let seq = house.engine().view(room).expect("the room is there").seq;
        house.engine().stored_seq(room).expect("the room is there") >= seq
    };
    let what = format!("a sidekick to be {state}");
    wait_for(async || now(house, room).state == state && is_stored(), &what).await;
    now(house, room)
}

/// Everything stored in a room.
fn log(house: &House, room: RoomId) -> Vec<Event> {
    let rows = house.engine().journal().read(room.0, 0, usize::MAX / 2).expect("it can be read");
    let read = |row: engine::journal::StoredEvent| serde_json::from_slice(&row.body);
    rows.into_iter().map(read).collect::<Result<_, _>>().expect("events read back")
}

/// Waits until the harness has told the room something that contains these words.
async fn wait_told(house: &House, words: &str) -> String {
    let told = |event: &Event| {
        let Event::Nudged { text, from: Some(_), .. } = event else { return None };
        text.contains(words).then(|| text.clone())
    };
    let told = || house.log().iter().find_map(|(_, event)| told(event));
    wait_for_some(async || told(), &format!("the room to be told {words:?}")).await
}

/// Lets held replies go on, however many there are, until the plan is in this state.
async fn release_until(house: &House, state: &str) {
    let stands = async || {
        house.model.release();
        house.plan().state == state
    };
    wait_for(stands, state).await;
}

/// The requests that came from rooms where a person or an agent said these words first.
fn requests(house: &House, words: &str) -> Vec<Recorded> {
    let said =
        |request: &Recorded| request.texts("user").first().is_some_and(|t| t.contains(words));
    house.model.requests().into_iter().filter(said).collect()
}
