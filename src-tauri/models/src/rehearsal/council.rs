//! The parts of a council: each member answers in its own way, votes, and executes what won.

use serde::Deserialize;
use serde_json::{Value, json};

use super::scenario::{Reply, Scenario};
use crate::Message;

/// How the first message to a member begins.
const MEMBER: &str = "You are agent";
/// How the winner is told, in the council's room, that its answer is the plan.
const WINNER: &str = "Plan harness: a council of";

/// One member's part.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Part {
    content: String,
    steps: Value,
    /// The member it votes for, from 1.
    vote: usize,
    reason: String,
    /// What it does when its answer has won.
    replies: Vec<Reply>,
}

/// The parts that come with the app.
pub(super) fn built_in() -> Vec<Part> {
    serde_json::from_str(include_str!("../../scenarios/council.json"))
        .expect("the built-in council is checked by a test")
}

impl Part {
    /// What the winner plays, as a scenario of its own.
    pub(super) fn scenario(&self) -> Scenario {
        Scenario::without_words(&self.title(), self.replies.clone())
    }

    fn title(&self) -> String {
        self.content.lines().next().unwrap_or_default().to_owned()
    }
}

/// The title of the answer that won, where a note says so.
pub(super) fn winning<'a>(parts: &'a [Scenario], note: &str) -> Option<&'a Scenario> {
    let answer = note.strip_prefix(WINNER)?.split_once("Your answer:\n")?.1;
    parts.iter().find(|part| answer.starts_with(part.name()))
}

/// The call with which a member goes on, where this conversation is a member's.
pub(super) fn turn(parts: &[Part], messages: &[Message]) -> Option<(String, Value)> {
    let Message::User { text } = messages.first()? else { return None };
    let number: usize = leading_number(text.strip_prefix(MEMBER)?)?;
    let part = parts.get(number.checked_sub(1)? % parts.len().max(1))?;
    let last = messages.iter().rposition(|message| matches!(message, Message::User { .. }))?;
    let Message::User { text: question } = &messages[last] else { return None };
    let turns = messages[last..].iter().filter(|one| matches!(one, Message::Assistant { .. }));
    let shown = |number: usize| {
        question.contains(&format!("agent{number}.1 by"))
            || question.contains(&format!("agent{number}.2 by"))
    };
    let may_vote = question.contains("vote for the best");
    Some(match turns.count() {
        0 if !may_vote && messages.len() == 1 => ("list_dir".to_owned(), json!({ "path": "." })),
        _ if may_vote => {
            let choice = [part.vote, number].into_iter().find(|one| shown(*one));
            let choice = choice.or_else(|| (1..=8).find(|one| shown(*one))).unwrap_or(part.vote);
            let vote = json!({ "agent_id": format!("agent{choice}"), "reason": part.reason });
            ("vote".to_owned(), vote)
        }
        _ => {
            let answer = json!({ "content": part.content, "steps": part.steps });
            ("new_answer".to_owned(), answer)
        }
    })
}

fn leading_number(text: &str) -> Option<usize> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    text[..end].parse().ok()
}
