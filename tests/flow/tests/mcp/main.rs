//! MCP servers in a room: through the gate, before a person, and gone at the end.

// Helpers of tests are tests, which the lint does not see in this folder.
#![allow(clippy::unwrap_used)]

mod asking;
mod cancelled;
mod gate;
mod installing;
mod trouble;

pub use flow::Mark;

use flow::House;
use plan::{AskId, Command, Event};
use std::path::{Path, PathBuf};
use support::Script;

/// The hostile server as the configuration names it; `more` are other keys.
pub fn hostile(mark: &Mark, args: &str, more: &str) -> String {
    let script: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../support/mcp/hostile.py")
        .canonicalize()
        .unwrap();
    let script = script.display();
    format!(
        "mcp_servers:\n  hostile: {{ command: python3, args: [\"{script}\", \"{}\"{args}], \
         read: [\"{script}\"]{more} }}\n",
        mark.0
    )
}

/// A house with the hostile server in it.
pub async fn house(script: impl Into<Script>, mark: &Mark, more: &str) -> House {
    House::configured(script, &hostile(mark, "", more), &[("note.txt", "hello")]).await
}

/// Waits for the next question after `seq`, and gives its place and itself.
pub async fn next_ask(house: &House, seq: u64) -> (u64, plan::Ask) {
    let at =
        house.wait_after(seq, "question", |event| matches!(event, Event::AskRaised { .. })).await;
    let ask = house.log().into_iter().find_map(|(stored, event)| {
        let Event::AskRaised { ask } = event else { return None };
        (stored.seq == at).then_some(ask)
    });
    (at, ask.unwrap())
}

pub async fn answer(house: &House, ask: AskId, answer: &str) {
    let answer = answer.to_owned();
    let command = Command::Answer { ask, answer, note: None, revision: None, hash: None };
    house.person(command).await.unwrap();
}

pub async fn approve(house: &House) {
    let plan = house.plan();
    let command = Command::Approve {
        revision: plan.revision,
        hash: plan.hash,
        model: None,
        fresh_context: false,
    };
    house.person(command).await.unwrap();
}

/// Waits for a call to end and gives what it said.
pub async fn next_result(house: &House, seq: u64) -> (u64, String) {
    let at =
        house.wait_after(seq, "result", |event| matches!(event, Event::CallEnded { .. })).await;
    let result = house.log().into_iter().find_map(|(stored, event)| {
        let Event::CallEnded { result, .. } = event else { return None };
        (stored.seq == at).then(|| result.head().to_owned())
    });
    (at, result.unwrap())
}

pub fn detail<'a>(ask: &'a plan::Ask, name: &str) -> &'a str {
    ask.detail.iter().find(|one| one.name == name).map_or("", |one| one.value.as_str())
}
