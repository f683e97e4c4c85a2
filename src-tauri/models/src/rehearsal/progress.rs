//! How far a scenario has come, worked out from the history alone.
//!
//! ```text
//!              the person's words          replies given, results taken
//!   (nothing) ────────────────────► open ────────────────────────────────► over
//!                                    │  ▲                                   │
//!     words in mid-run: no change ───┘  └──── the person's next words ──────┘
//! ```

use serde_json::Value;

use super::council::winning;
use super::scenario::{Scenario, Scripted, pick};
use crate::{CallRequest, Message};

/// Where the run stands.
#[derive(Debug)]
pub(super) struct Progress<'a> {
    scenarios: &'a [Scenario],
    /// What the winner of a council plays, by the answer that won.
    won: &'a [Scenario],
    scenario: Option<&'a Scenario>,
    /// How many replies were given.
    given: usize,
    /// Calls of the last reply that have not run.
    waiting: Vec<Waiting<'a>>,
    end: End,
    /// A call of the last reply failed, so that reply is given once more.
    again: bool,
    turns: usize,
    /// What the person said last, while nothing came after it.
    said: Option<String>,
}

#[derive(Debug)]
struct Waiting<'a> {
    id: String,
    call: &'a Scripted,
}

/// Whether the run was cut short.
#[derive(Debug)]
enum End {
    No,
    /// A needed call was refused, and that was not said yet.
    Refused(String),
    Said,
}

/// What comes next.
#[derive(Debug)]
pub(super) struct Next<'a> {
    pub text: String,
    pub calls: Vec<&'a Scripted>,
    pub pace_ms: Option<u64>,
}

impl<'a> Progress<'a> {
    pub(super) fn new(scenarios: &'a [Scenario], won: &'a [Scenario]) -> Self {
        Self {
            scenarios,
            won,
            scenario: None,
            given: 0,
            waiting: Vec::new(),
            end: End::No,
            again: false,
            turns: 0,
            said: None,
        }
    }

    /// How many turns the model had so far.
    pub(super) fn turns(&self) -> usize {
        self.turns
    }

    /// Moves on by one message of the history.
    pub(super) fn take(&mut self, message: Message) {
        match message {
            Message::User { text } => {
                if self.scenario.is_none() || self.is_over() {
                    self.open(&text);
                }
                self.said = Some(text);
            }
            Message::Assistant { text, calls, .. } => {
                self.turns += 1;
                self.replied(&text, &calls);
                self.said = None;
            }
            Message::ToolResult { call, text, images: _, failed } => {
                self.resulted(&call, &text, failed)
            }
            Message::Note { text } => {
                if let Some(won) = winning(self.won, &text) {
                    self.begin(Some(won));
                    self.said = None;
                }
            }
        }
    }

    /// The plan of the run is gone: the person's last words begin another one.
    pub(super) fn without_plan(&mut self) {
        if let Some(said) = self.said.clone() {
            self.open(&said);
        }
    }

    /// The turn to give now.
    pub(super) fn next(&self) -> Next<'a> {
        if let End::Refused(reason) = &self.end {
            return words(format!("I can't go on, this was not accepted: {reason}"));
        }
        if self.is_over() {
            return words("That was the whole rehearsal. Send a message to see it again.".into());
        }
        if !self.waiting.is_empty() {
            let calls = self.waiting.iter().map(|waiting| waiting.call).collect();
            return Next { text: String::new(), calls, pace_ms: None };
        }
        let scenario = self.scenario.or(pick(self.scenarios, ""));
        let Some(reply) = scenario.and_then(|scenario| scenario.replies.get(self.given)) else {
            return words("There is nothing to rehearse.".into());
        };
        Next {
            text: reply.text.clone(),
            calls: reply.calls.iter().collect(),
            pace_ms: reply.pace_ms,
        }
    }

    fn open(&mut self, text: &str) {
        self.begin(pick(self.scenarios, text));
    }

    fn begin(&mut self, scenario: Option<&'a Scenario>) {
        self.scenario = scenario;
        self.given = 0;
        self.waiting.clear();
        self.end = End::No;
        self.again = false;
    }

    fn is_over(&self) -> bool {
        match self.end {
            End::Refused(_) | End::Said => true,
            End::No => self.scenario.is_some_and(|scenario| {
                self.waiting.is_empty() && self.given >= scenario.replies.len()
            }),
        }
    }

    fn replied(&mut self, text: &str, calls: &[CallRequest]) {
        if self.scenario.is_none() {
            self.open("");
        }
        match self.end {
            End::Refused(_) => self.end = End::Said,
            End::Said => {}
            End::No => {
                if self.begins_anew(calls) {
                    self.without_plan();
                }
                self.advance(text, calls);
            }
        }
    }

    /// Whether these calls are not what was due, but what the person's last words begin.
    fn begins_anew(&self, calls: &[CallRequest]) -> bool {
        let names = |scripted: &[Scripted]| {
            calls.iter().map(|call| &call.name).eq(scripted.iter().map(|call| &call.name))
        };
        let due: Vec<Scripted> = self.next().calls.into_iter().cloned().collect();
        let first =
            self.said.as_deref().and_then(|said| pick(self.scenarios, said)?.replies.first());
        !calls.is_empty() && !names(&due) && first.is_some_and(|first| names(&first.calls))
    }

    /// A turn counts only if it is the one that was due: half a text from a dropped stream is not.
    fn advance(&mut self, text: &str, calls: &[CallRequest]) {
        let next = self.next();
        let due = if next.calls.is_empty() {
            calls.is_empty() && text == next.text
        } else {
            // Arguments may have been cleaned of secrets since, so the names decide.
            calls.iter().map(|call| &call.name).eq(next.calls.iter().map(|call| &call.name))
        };
        if !due || self.is_over() {
            return;
        }
        if self.waiting.is_empty() {
            self.given += 1;
        }
        self.waiting = calls
            .iter()
            .zip(next.calls)
            .map(|(asked, call)| Waiting { id: asked.id.clone(), call })
            .collect();
    }

    fn resulted(&mut self, id: &str, text: &str, failed: bool) {
        let Some(at) = self.waiting.iter().position(|waiting| waiting.id == id) else {
            return;
        };
        if text.trim_start().starts_with("not_run") {
            return;
        }
        let done = self.waiting.remove(at);
        if let Some(reason) = refusal(text).filter(|_| done.call.needed) {
            self.waiting.clear();
            self.end = End::Refused(reason);
        } else if failed && !done.call.may_fail && done.call.name != "plan" {
            self.again = true;
        }
        if self.again && self.waiting.is_empty() {
            self.again = false;
            self.given = self.given.saturating_sub(1);
        }
    }
}

fn words(text: String) -> Next<'static> {
    Next { text, calls: Vec::new(), pace_ms: None }
}

/// The reason, if a result says no: `{approved: false, reason}`, `{code, message}`, `{error}`, or
/// plain words that begin so.
fn refusal(text: &str) -> Option<String> {
    // Words of the harness may follow the JSON.
    let first = serde_json::Deserializer::from_str(text).into_iter::<Value>().next();
    let Some(Ok(Value::Object(result))) = first else {
        let start = text.trim_start().to_lowercase();
        let no = ["error", "refused", "rejected", "blocked", "failed"];
        return no
            .iter()
            .any(|word| start.starts_with(word))
            .then(|| text.lines().next().unwrap_or_default().trim().to_owned());
    };
    let said = |value: Option<&Value>| value.and_then(Value::as_str).map(str::to_owned);
    if result.get("approved") == Some(&Value::Bool(false)) {
        return Some(said(result.get("reason")).unwrap_or_else(|| "no reason was given".into()));
    }
    if let Some(error) = result.get("error").filter(|error| !error.is_null()) {
        return Some(
            said(Some(error)).or(said(error.get("message"))).unwrap_or_else(|| error.to_string()),
        );
    }
    result.get("code").and_then(|_| said(result.get("message")))
}
