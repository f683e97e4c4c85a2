//! Councils: several agents propose and vote, and the winner acts. The engine is real, the models
//! are scripted.

// Helpers of tests are tests, which the lint does not see in this folder.
#![allow(clippy::unwrap_used)]

mod afterwards;
mod another_process;
mod attacks;
mod attacks_on_words;
mod attempts;
mod called;
mod deleting;
mod endings;
mod failing;
mod handed_over;
mod held;
mod killed;
mod news;
mod order;
mod reviewed;
mod time;
mod words;
mod worked_example;

use engine::StartCouncil;
use flow::{House, me};
use plan::{CouncilView, Event, RoomId};
use serde_json::{Value, json};
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, PoisonError};
use support::{Recorded, Reply, Script, wait_for};

/// What every council here is about.
const TASK: &str = "Create a project structure with src/, tests/, and docs/ directories";

/// Three agents with a model each: `default` with `a`, `bob` with `b`, `cid` with `c`.
const THREE: &str = "test/a\n  bob:\n    model: test/b\n  cid:\n    model: test/c";

/// What one agent's model replies: as a member, and in the room where its plan is carried out. Both
/// have their own order, for a member may or may not be asked for its vote before all is decided.
#[derive(Clone, Default)]
struct Voice {
    talks: Vec<Reply>,
    acts: Vec<Reply>,
}

impl From<Vec<Reply>> for Voice {
    fn from(talks: Vec<Reply>) -> Self {
        Self { talks, acts: Vec::new() }
    }
}

/// A model that speaks in a council and then acts.
fn voice(talks: Vec<Reply>, acts: Vec<Reply>) -> Voice {
    Voice { talks, acts }
}

/// Voices by the names of their models.
fn script(voices: impl IntoIterator<Item = (&'static str, Voice)>) -> Script {
    let queue =
        |(model, voice): (&str, Voice)| (model.to_owned(), [voice.talks.into(), voice.acts.into()]);
    let left: BTreeMap<String, [VecDeque<Reply>; 2]> = voices.into_iter().map(queue).collect();
    let left = Mutex::new(left);
    Script::from_fn(move |request| {
        let acts = !request.tool_names().contains(&"new_answer");
        let mut left = left.lock().unwrap_or_else(PoisonError::into_inner);
        let queues = left.get_mut(request.model());
        queues.and_then(|both| both[usize::from(acts)].pop_front()).unwrap_or_default()
    })
}

/// A house with three agents whose models reply with these, each in their order.
async fn three(a: impl Into<Voice>, b: impl Into<Voice>, c: impl Into<Voice>) -> House {
    three_with([a.into(), b.into(), c.into()], THREE, "", &[]).await
}

/// The same, with other agents, more configuration and files.
async fn three_with(voices: [Voice; 3], agents: &str, more: &str, files: &[(&str, &str)]) -> House {
    House::of_agent(agents, script(["a", "b", "c"].into_iter().zip(voices)), more, files).await
}

/// Begins a council of all three with these options.
async fn begin(house: &House, options: Value) {
    let options = options.as_object().cloned().expect("options are an object");
    let start = StartCouncil { task: TASK.to_owned(), members: Vec::new(), options };
    let begun = house.engine().start_council(house.room, &me(), start).await;
    begun.expect("a council begins");
}

/// The newest council as it is shown.
fn now(house: &House) -> CouncilView {
    house.view().council.expect("there is a council")
}

/// Waits until the council is in a state, and the log has it.
async fn wait_state(house: &House, state: &str) -> CouncilView {
    let is_stored = || {
        let seq = house.view().seq;
        house.engine().stored_seq(house.room).expect("the room is there") >= seq
    };
    let reached = async || now(house).state == state && is_stored();
    wait_until(house, reached, &format!("the council to be {state}")).await;
    now(house)
}

/// Waits for something, and shows the council where it never comes.
async fn wait_until(house: &House, reached: impl AsyncFnMut() -> bool, what: &str) {
    let wait = tokio::time::timeout(std::time::Duration::from_secs(45), wait_for(reached, what));
    if wait.await.is_err() {
        let logs: Vec<_> = now(house).members.iter().map(|one| kinds(house, one.room_id)).collect();
        panic!("waited for {what}: {:#?}\n{:?}\n{logs:?}", now(house), house.kinds());
    }
}

/// The kinds of all events of a room.
fn kinds(house: &House, room: RoomId) -> Vec<String> {
    let rows = house.engine().journal().read(room.0, 0, usize::MAX / 2);
    rows.unwrap_or_default().into_iter().map(|row| row.kind).collect()
}

/// Everything stored in a member's room.
fn log_of(house: &House, member: usize) -> Vec<Event> {
    let room = now(house).members[member].room_id;
    let rows = house.engine().journal().read(room.0, 0, usize::MAX / 2).expect("it can be read");
    let read = |row: engine::journal::StoredEvent| serde_json::from_slice(&row.body);
    rows.into_iter().map(read).collect::<Result<_, _>>().expect("events read back")
}

/// The requests to one model, in order.
fn asked(house: &House, model: &str) -> Vec<Recorded> {
    house.model.requests().into_iter().filter(|request| request.model() == model).collect()
}

/// Waits for so many requests to a model, and gives the last of them.
async fn wait_asked(house: &House, model: &str, count: usize) -> Recorded {
    let what = format!("{count} requests to {model}");
    wait_until(house, async || asked(house, model).len() >= count, &what).await;
    asked(house, model).swap_remove(count - 1)
}

/// All that a request tells its model.
fn body(request: &Recorded) -> String {
    String::from_utf8_lossy(request.body()).into_owned()
}

/// An answer of one step that writes a file.
fn answer(title: &str, file: &str) -> Reply {
    let content = format!("{title}\nI would write {file}.");
    let steps = json!([{ "text": format!("Write {file}"), "tool": "write_file", "target": file }]);
    Reply::call("new_answer", json!({ "content": content, "steps": steps }))
}

fn vote(member: &str, reason: &str) -> Reply {
    Reply::call("vote", json!({ "agent_id": member, "reason": reason }))
}

/// What the winner does in a plan of one step.
fn execute(file: &str) -> Reply {
    Reply::calls([
        ("write_file", json!({ "path": file, "content": "made" })),
        ("plan", json!({ "action": "step_done", "result": "made" })),
    ])
}

/// A council of three in which `b` wins and carries out its plan.
fn b_wins() -> [Voice; 3] {
    [
        vec![answer("Plain", "a.txt"), vote("agent2", "b is better")].into(),
        voice(
            vec![answer("Better", "b.txt"), vote("agent2", "mine")],
            vec![execute("b.txt"), done()],
        ),
        vec![answer("Third", "c.txt"), vote("agent2", "b is best")].into(),
    ]
}

fn done() -> Reply {
    Reply::text("Done.")
}
