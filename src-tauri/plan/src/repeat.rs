//! The same thing over again: a call that went well and comes again, a plan that was just done, a
//! task that a sidekick has already. A weak model can go on so for ever, and each round costs.

use crate::text::on_one_line;
use crate::{CallId, Content, Outcome, PlanState, Room, Text};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// How often a call may come again in a row before its turn is over.
const MOST: u32 = 2;

/// How often the same call may go well, whatever comes between, before its turn is over.
const MOST_IN_ALL: u32 = 40;

/// How many calls may run in one step, or without a plan, before a person has a say.
const MOST_CALLS: u32 = 200;

/// How many different calls are counted.
const COUNTED: usize = 256;

/// What was done since a person last spoke, as far as it must not be done again.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Repeat {
    /// The last call, where it went well.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub call: String,
    /// Its tool.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub tool: String,
    /// How often it came again.
    #[serde(default)]
    pub again: u32,
    /// Whether the person asked something.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub question: bool,
    /// How many calls ended.
    #[serde(default)]
    pub calls: u32,
    /// How many of them ran in this step, whatever came of it.
    #[serde(default)]
    pub tried: u32,
    /// How often each call went well in this step.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub seen: BTreeMap<String, u32>,
    /// Whether something else happened since it began.
    #[serde(default)]
    pub moved: bool,
    /// Whether a plan was done.
    #[serde(default)]
    pub plan_done: bool,
    /// Tasks that sidekicks were given.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub tasks: BTreeSet<String>,
}

impl Repeat {
    /// After a person's words.
    pub(crate) fn after(words: &Text) -> Self {
        Self { question: words.head().contains(['?', '？', '؟']), ..Self::default() }
    }

    /// Whether nothing was done.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Takes in how a call ended, and whether it ran: what the harness does itself does not.
    pub(crate) fn ended(&mut self, call: String, tool: &str, outcome: Outcome, ran: bool) {
        self.calls = self.calls.saturating_add(1);
        if self.moved {
            self.tried = 0;
        }
        if self.moved || self.seen.len() >= COUNTED {
            self.seen.clear();
        }
        if ran && !self.moved {
            self.tried = self.tried.saturating_add(1);
            if outcome == Outcome::Ok {
                *self.seen.entry(call.clone()).or_default() += 1;
            }
        }
        match outcome {
            Outcome::AlreadyDone => self.again = self.again.saturating_add(1),
            // What it set in motion makes the same words mean something else.
            Outcome::Ok if !self.moved => {
                self.call = call;
                self.tool = tool.to_owned();
                self.again = 0;
            }
            Outcome::Ok
            | Outcome::Failed
            | Outcome::Blocked
            | Outcome::NotRun
            | Outcome::Cancelled => self.call.clear(),
        }
        self.moved = false;
    }

    /// Forgets which calls were made: they may come again.
    pub(crate) fn forget_calls(&mut self) {
        self.call.clear();
        self.seen.clear();
        self.tried = 0;
    }

    /// How often the call that came most often went well.
    pub fn most(&self) -> u32 {
        self.seen.values().copied().max().unwrap_or_default()
    }

    /// Why the agent is not asked again before a person says something.
    pub fn why(&self) -> Option<String> {
        let in_a_row = !self.call.is_empty() && self.again >= MOST;
        if in_a_row || self.most() >= MOST_IN_ALL {
            return Some(format!(
                "Stopped: the agent called {} again and again, though it had already succeeded. \
                 Send a message to continue.",
                self.tool
            ));
        }
        (self.tried >= MOST_CALLS).then(|| {
            format!(
                "Stopped: the agent made {} calls in a row without coming to an end. Send a \
                 message to continue.",
                self.tried
            )
        })
    }
}

impl Room {
    /// Whether this call went well a moment ago, with the same arguments, and nothing happened in
    /// between.
    pub fn already_done(&self, call: CallId) -> bool {
        let Some(open) = self.call(call) else { return false };
        let (tool, args) = (&open.request.tool, &open.request.args);
        !self.repeat.moved && self.repeat.call == crate::decide::fingerprint(tool, args)
    }

    /// Whether a sidekick was given this task since a person last spoke.
    pub fn has_given(&self, task: &str) -> bool {
        self.repeat.tasks.contains(&task_mark(task))
    }

    /// Whether these are the steps of the plan that was just done.
    pub(crate) fn just_did(&self, content: &Content) -> bool {
        let Some(plan) = self.plan.as_ref().filter(|_| self.repeat.plan_done) else { return false };
        let steps = |content: &Content| -> Vec<_> {
            let same = |step: &std::sync::Arc<crate::StepSpec>| {
                let words = on_one_line(&step.text).to_lowercase();
                let reach = (step.tool.clone(), step.target.clone(), step.agent.clone());
                (words, reach, step.verify.clone(), step.needs.clone())
            };
            content.steps.iter().map(same).collect()
        };
        plan.state == PlanState::Done && steps(&plan.content) == steps(content)
    }
}

/// A task by its words.
pub(crate) fn task_mark(task: &str) -> String {
    let words = on_one_line(task).to_lowercase();
    blake3::hash(words.as_bytes()).to_hex()[..16].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ok(repeat: &mut Repeat, call: &str) {
        repeat.ended(call.to_owned(), "write_file", Outcome::Ok, true);
    }

    #[test]
    fn the_third_time_in_a_row_ends_the_turn_and_not_the_second() {
        let mut repeat = Repeat::default();
        ok(&mut repeat, "a");
        repeat.ended("a".to_owned(), "write_file", Outcome::AlreadyDone, false);
        assert_eq!(repeat.why(), None);
        repeat.ended("a".to_owned(), "write_file", Outcome::AlreadyDone, false);
        assert!(repeat.why().is_some_and(|why| why.contains("write_file")));
    }

    #[test]
    fn any_other_call_begins_anew() {
        let mut repeat = Repeat::default();
        ok(&mut repeat, "a");
        repeat.ended("a".to_owned(), "write_file", Outcome::AlreadyDone, false);
        repeat.ended("b".to_owned(), "read_file", Outcome::Failed, true);
        assert!(repeat.call.is_empty());
        ok(&mut repeat, "a");
        assert_eq!(repeat.again, 0);
    }

    #[test]
    fn a_call_that_moved_the_plan_may_come_again() {
        let mut repeat = Repeat { moved: true, ..Repeat::default() };
        ok(&mut repeat, "step_done");
        assert!(repeat.call.is_empty());
    }

    #[test]
    fn calls_that_come_by_turns_end_the_turn_in_the_end() {
        let mut repeat = Repeat::default();
        for _ in 0..MOST_IN_ALL {
            assert_eq!(repeat.why(), None);
            ok(&mut repeat, "a");
            ok(&mut repeat, "b");
        }
        assert!(repeat.why().is_some());
        repeat.forget_calls();
        assert_eq!(repeat.why(), None);
    }

    #[test]
    fn calls_that_always_differ_end_the_turn_in_the_end() {
        let mut repeat = Repeat::default();
        for number in 0..MOST_CALLS {
            assert_eq!(repeat.why(), None);
            ok(&mut repeat, &number.to_string());
        }
        assert!(repeat.why().is_some_and(|why| why.contains("without coming to an end")));
    }

    #[test]
    fn a_new_step_counts_from_the_beginning() {
        let mut repeat = Repeat::default();
        ok(&mut repeat, "a");
        ok(&mut repeat, "b");
        assert_eq!((repeat.calls, repeat.tried, repeat.most()), (2, 2, 1));
        repeat.moved = true;
        repeat.ended("done".to_owned(), "step_done", Outcome::Ok, false);
        assert_eq!((repeat.calls, repeat.tried, repeat.most()), (3, 0, 0));
    }
}
