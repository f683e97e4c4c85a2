//! An agent that is a program of its own, through the whole engine.

// Helpers of tests are tests, which the lint does not see in this folder.
#![allow(clippy::unwrap_used)]

mod gate;
mod talk;
mod trouble;

pub use flow::Mark;

use flow::House;
use plan::{Command, Event, Text};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// A house whose agent plays these turns; `args` are more words of its command line.
pub async fn house(mark: &Mark, args: &[&str], turns: Value) -> House {
    configured(&provider(mark, args), "default", turns).await
}

/// The agent of the tests, as the configuration names it.
pub fn provider(mark: &Mark, args: &[&str]) -> String {
    let script: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../support/acp/agent.py")
        .canonicalize()
        .unwrap();
    let words: String = args.iter().map(|word| format!(", \"{word}\"")).collect();
    format!(
        "  mine:\n    type: acp\n    command: python3\n    \
         args: [\"{script}\", \"{}\"{words}]\n    read: [\"{script}\"]\n",
        mark.0,
        script = script.display(),
    )
}

/// A house with this provider called `mine`, and a model of it.
pub async fn configured(provider: &str, model: &str, turns: Value) -> House {
    let files = [("agent.json", turns.to_string()), ("note.txt", "hello\nworld\n".to_owned())];
    let files: Vec<(&str, &str)> =
        files.iter().map(|(name, text)| (*name, text.as_str())).collect();
    House::with_provider(provider, &format!("mine/{model}"), &files).await
}

/// A text, however long it is.
fn whole(house: &House, text: &Text) -> String {
    match text {
        Text::Inline(text) => text.clone(),
        Text::Blob { blob, .. } => {
            let bytes = house.engine().journal().blob(blob).unwrap().unwrap();
            String::from_utf8(bytes).unwrap()
        }
    }
}

/// Everything the agent said so far.
pub fn said(house: &House) -> String {
    replies(house).join("\n")
}

/// The same, turn by turn; a turn that ended in a call may have no words.
pub fn replies(house: &House) -> Vec<String> {
    let replies = house.log().into_iter().filter_map(|(_, event)| {
        let Event::Replied { text, .. } = event else { return None };
        Some(whole(house, &text))
    });
    replies.collect()
}

/// The words of the last trouble, with its code.
pub async fn trouble(house: &House) -> (String, String) {
    house.wait("trouble", |event| matches!(event, Event::Trouble { .. })).await;
    let found = house.log().into_iter().rev().find_map(|(_, event)| {
        let Event::Trouble { code, text, .. } = event else { return None };
        Some((code, text))
    });
    found.unwrap()
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

pub async fn answer(house: &House, ask: plan::AskId, answer: &str) {
    let answer = answer.to_owned();
    let command = Command::Answer { ask, answer, note: None, revision: None, hash: None };
    house.person(command).await.unwrap();
}
