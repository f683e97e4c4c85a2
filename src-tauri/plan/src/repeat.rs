//! The same thing over again: a call that went well and comes again, a plan that was just done, a
//! task that a sidekick has already. A weak model can go on so for ever, and each round costs.

use crate::text::on_one_line;
use crate::{CallId, Change, Content, Outcome, PlanState, Refusal, Room, Text};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// How often a call may come again in a row before its turn is over.
const MOST: u32 = 2;

/// How many turns in a row may bring nothing new, whatever is called in them.
const MOST_IDLE: u32 = 9;

/// How many calls may run in one step, or without a plan, before a person has a say.
const MOST_CALLS: u32 = 200;

/// How many tasks sidekicks may be given before a person has a say.
const MOST_TASKS: usize = 64;

/// How many different calls are counted.
const COUNTED: usize = 256;

/// How many things that were reached are remembered.
const REACHED: usize = 4_096;

/// What was done since a person last spoke, as far as it must not be done again.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Repeat {
    /// The last call, where it went well.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub call: String,
    /// Its tool.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub tool: String,
    /// In how many answers it came again.
    #[serde(default)]
    pub again: u32,
    /// Whether that was so in this answer.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub again_here: bool,
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
    /// Turns in a row that brought nothing new.
    #[serde(default)]
    pub idle: u32,
    /// The calls that ran since something was last reached, each with what came of it.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub made: BTreeSet<String>,
    /// What was reached: files as they are now or once were, and steps that ended.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub reached: BTreeSet<String>,
}

/// A call that ended.
pub(crate) struct Made<'a> {
    /// Its tool and arguments.
    pub(crate) call: String,
    pub(crate) tool: &'a str,
    /// The same with its result.
    pub(crate) way: String,
    pub(crate) outcome: Outcome,
    /// Whether it ran: what the harness does itself does not.
    pub(crate) ran: bool,
    pub(crate) changed: &'a [Change],
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

    /// Takes a new turn in.
    pub(crate) fn turned(&mut self) {
        self.idle = self.idle.saturating_add(1);
        self.again_here = false;
    }

    /// Something new was heard or begun.
    pub(crate) fn news(&mut self) {
        self.idle = 0;
    }

    /// Something was reached: a file that holds this, a step that ended. It is progress only the
    /// first time.
    pub(crate) fn reach(&mut self, what: &str) {
        if self.reached.len() >= REACHED {
            self.reached.clear();
        }
        if self.reached.insert(short_hash(what)) {
            self.made.clear();
            self.news();
        }
    }

    /// Takes in how a call ended.
    pub(crate) fn ended(&mut self, made: Made<'_>) {
        let Made { call, tool, way, outcome, ran, changed } = made;
        for change in changed {
            self.reach(&format!("{}\n{:?}", change.path, change.after));
        }
        if ran && self.made.len() < COUNTED && self.made.insert(way) {
            self.news();
        }
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
            // One answer may hold the same call many times: its model has not heard of it yet.
            Outcome::AlreadyDone => {
                self.again = self.again.saturating_add(u32::from(!self.again_here));
                self.again_here = true;
            }
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

    /// A person had a say: everything may be done again.
    pub(crate) fn begin_anew(&mut self) {
        self.forget_calls();
        self.idle = 0;
        self.made.clear();
        self.reached.clear();
    }

    /// How often the call that came most often went well.
    pub fn most(&self) -> u32 {
        self.seen.values().copied().max().unwrap_or_default()
    }

    /// Why the agent is not asked again before a person says something.
    pub(crate) fn why(&self) -> Option<String> {
        if !self.call.is_empty() && self.again >= MOST {
            return Some(format!(
                "Stopped: the agent called {} again and again, though it had already succeeded.",
                self.tool
            ));
        }
        if self.idle >= MOST_IDLE {
            return Some(format!(
                "Stopped: the agent goes round in circles; {} turns in a row brought nothing new.",
                self.idle
            ));
        }
        (self.tried >= MOST_CALLS).then(|| {
            format!(
                "Stopped: the agent made {} calls in a row without coming to an end.",
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

    /// Whether a report that names no step means the one in progress: not where a step ended since
    /// the model answered and nothing was tried in this one.
    pub fn means_current(&self) -> bool {
        !self.turn.ended_step || (self.repeat.tried > 0 && !self.repeat.moved)
    }

    /// Whether a sidekick may be given this task: none that was given since a person last spoke, and
    /// not this room's own.
    pub fn may_give(&self, task: &str) -> Result<(), Refusal> {
        let tasks = &self.repeat.tasks;
        match tasks.len() {
            _ if tasks.contains(&task_mark(task)) => Err(Refusal::TaskGiven),
            given if given >= MOST_TASKS => Err(Refusal::TooManyTasks { given }),
            _ => Ok(()),
        }
    }

    /// Whether these are the steps of the plan that was just done.
    pub(crate) fn just_did(&self, content: &Content) -> bool {
        let Some(plan) = self.plan.as_ref().filter(|_| self.repeat.plan_done) else { return false };
        plan.state == PlanState::Done && same_steps(&plan.content, content)
    }
}

/// Whether two plans have the same steps, whatever these are called.
pub(crate) fn same_steps(one: &Content, other: &Content) -> bool {
    let steps = |content: &Content| -> Vec<_> {
        let same = |step: &std::sync::Arc<crate::StepSpec>| {
            let words = on_one_line(&step.text).to_lowercase();
            let reach = (step.tool.clone(), step.target.clone(), step.agent.clone());
            (words, reach, step.verify.clone(), step.needs.clone())
        };
        content.steps.iter().map(same).collect()
    };
    steps(one) == steps(other)
}

/// A task by its words, whatever stands between them and however they are written.
pub(crate) fn task_mark(task: &str) -> String {
    let task = task.to_lowercase();
    let words = task.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    short_hash(&words.collect::<Vec<_>>().join(" "))
}

pub(crate) fn short_hash(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex()[..16].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made<'a>(call: &str, result: &str, outcome: Outcome, changed: &'a [Change]) -> Made<'a> {
        let ran = matches!(outcome, Outcome::Ok | Outcome::Failed);
        let way = format!("{call} {result}");
        Made { call: call.to_owned(), tool: "write_file", way, outcome, ran, changed }
    }

    fn ok(repeat: &mut Repeat, call: &str) {
        repeat.ended(made(call, "", Outcome::Ok, &[]));
    }

    fn again(repeat: &mut Repeat, call: &str) {
        repeat.ended(made(call, "", Outcome::AlreadyDone, &[]));
    }

    fn change(path: &str, after: &str) -> Change {
        let kind = crate::ChangeKind::Modified;
        Change { path: path.to_owned(), kind, before: None, after: Some(after.to_owned()) }
    }

    #[test]
    fn the_third_time_in_a_row_ends_the_turn_and_not_the_second() {
        let mut repeat = Repeat::default();
        ok(&mut repeat, "a");
        again(&mut repeat, "a");
        again(&mut repeat, "a");
        assert_eq!(repeat.why(), None, "one answer may hold it many times");
        repeat.turned();
        again(&mut repeat, "a");
        assert!(repeat.why().is_some_and(|why| why.contains("write_file")));
    }

    #[test]
    fn any_other_call_begins_anew() {
        let mut repeat = Repeat::default();
        ok(&mut repeat, "a");
        again(&mut repeat, "a");
        repeat.ended(made("b", "", Outcome::Failed, &[]));
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
    fn calls_that_come_by_turns_end_the_turn_soon() {
        let mut repeat = Repeat::default();
        let mut turns = 0;
        while repeat.why().is_none() {
            repeat.turned();
            ok(&mut repeat, ["a", "b"][turns % 2]);
            turns += 1;
        }
        assert_eq!(turns, 11);
        repeat.begin_anew();
        assert_eq!(repeat.why(), None);
    }

    #[test]
    fn a_call_that_tells_something_new_is_no_round() {
        let mut repeat = Repeat::default();
        for turn in 0..50 {
            repeat.turned();
            repeat.ended(made("job_output", &turn.to_string(), Outcome::Ok, &[]));
            assert_eq!(repeat.why(), None);
        }
    }

    #[test]
    fn a_file_that_is_written_to_and_fro_is_one() {
        let mut repeat = Repeat::default();
        let mut turns = 0;
        while repeat.why().is_none() {
            let after = ["one", "other"][turns % 2];
            repeat.turned();
            repeat.ended(made(after, "", Outcome::Ok, &[change("a.txt", after)]));
            turns += 1;
        }
        assert_eq!(turns, 12);
    }

    #[test]
    fn the_same_look_after_each_change_is_none() {
        let mut repeat = Repeat::default();
        for turn in 0..50 {
            let after = turn.to_string();
            repeat.turned();
            repeat.ended(made("write", &after, Outcome::Ok, &[change("a.txt", &after)]));
            repeat.turned();
            repeat.ended(made("test", "red", Outcome::Failed, &[]));
            assert_eq!(repeat.why(), None);
        }
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
        let done = Made { ran: false, ..made("done", "", Outcome::Ok, &[]) };
        repeat.ended(done);
        assert_eq!((repeat.calls, repeat.tried, repeat.most()), (3, 0, 0));
    }

    #[test]
    fn a_task_is_the_same_however_it_is_written() {
        assert_eq!(task_mark("Count the files."), task_mark("count  the FILES"));
        assert_ne!(task_mark("Count the files"), task_mark("Count the folders"));
    }
}
