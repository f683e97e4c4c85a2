//! An agent that gets nowhere: calls that fail, one turn after the other, with no word from a
//! person. A plan has attempts of its own; this holds in every room.

use crate::{Caps, Misread, Phase, Room};
use serde::{Deserialize, Serialize};

/// What failed since something last succeeded, or a person last spoke.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stuck {
    /// Turns in a row with nothing but failed calls.
    pub turns: u32,
    /// The last call that failed, and how.
    pub last: String,
    /// Its tool.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub tool: String,
    /// How often in a row a failed call was that one, whatever succeeded in between.
    pub again: u32,
    /// Answers in a row that repeated themselves without end and were cut off.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub repeated: u32,
    /// Calls that could not even be read.
    #[serde(default, skip_serializing_if = "Misread::is_empty")]
    pub misread: Misread,
}

impl Stuck {
    /// Whether nothing failed.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Counts a call that failed or was blocked, by what it was and how; the first one of a turn
    /// counts the turn.
    pub(crate) fn failed(&mut self, way: String, tool: &str, first: bool) {
        self.again = if self.last == way { self.again.saturating_add(1) } else { 1 };
        self.last = way;
        tool.clone_into(&mut self.tool);
        self.turns = self.turns.saturating_add(u32::from(first));
    }

    /// Takes an answer in, which may have repeated itself without end.
    pub(crate) fn answered(&mut self, repeats: bool) {
        self.repeated = if repeats { self.repeated.saturating_add(1) } else { 0 };
    }

    /// Takes a success in.
    pub(crate) fn went_well(&mut self) {
        self.turns = 0;
    }

    /// Why the agent is not asked again before a person says something. A running plan has its own
    /// rule for calls that fail the same way.
    fn why(&self, caps: &Caps, planned: bool) -> Option<String> {
        let repeats = if planned { caps.attempts } else { caps.repeats };
        if self.repeated >= repeats {
            return Some(format!(
                "Stopped: {} answers in a row repeated themselves without end. Another model may \
                 do better.",
                self.repeated
            ));
        }
        let many = caps.attempts.saturating_mul(caps.repeats);
        let same = self.again >= many || (self.again >= caps.repeats && self.turns >= caps.repeats);
        if same && !planned {
            let (tool, times) = (&self.tool, self.again);
            return Some(format!(
                "Stopped: the agent called {tool} {times} times and it failed in the same way each \
                 time."
            ));
        }
        (self.turns >= many).then(|| {
            let turns = self.turns;
            format!("Stopped: nothing that the agent tried in {turns} turns worked.")
        })
    }
}

impl Room {
    /// Why the agent gets nowhere and is not asked again, and what a person can do about it. It is
    /// looked at before a model is asked, so that nobody pays for the same without end.
    pub fn gets_nowhere(&self, usual: &Caps) -> Option<String> {
        // Who plans has turns of its own to lose.
        if self.planning.is_some() {
            return None;
        }
        let plan = self.running_plan();
        let caps = plan.map_or(usual, |plan| &plan.frame.caps);
        let planned = plan.is_some() || self.serves_step();
        let why = self.stuck.why(caps, planned).or_else(|| self.repeat.why())?;
        let next = match plan.map(|plan| plan.phase()) {
            // These end with it.
            Some(Some(Phase::Splitting | Phase::Joining)) => "",
            Some(Some(Phase::Working) | None) => {
                " Say what to do differently and press Resume, or cancel the plan."
            }
            // Whoever it works for hears of it.
            None if self.member.is_some() || self.open_sidekick().is_some() => "",
            None => " Send a message to continue.",
        };
        Some(why + next)
    }
}

#[allow(clippy::trivially_copy_pass_by_ref)] // serde's form
fn is_zero(count: &u32) -> bool {
    *count == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fail(stuck: &mut Stuck, call: &str, result: &str) {
        stuck.failed(format!("{call} {result}"), "shell", true);
    }

    #[test]
    fn the_same_failure_stops_at_its_cap_and_not_before() {
        let (caps, mut stuck) = (Caps::default(), Stuck::default());
        for _ in 0..caps.repeats {
            assert_eq!(stuck.why(&caps, false), None);
            fail(&mut stuck, "nosuch {}", "UNKNOWN_TOOL");
        }
        assert!(stuck.why(&caps, false).is_some_and(|why| why.contains("3 times")));
        assert_eq!(stuck.why(&caps, true), None, "a plan counts attempts");
    }

    #[test]
    fn failures_of_all_kinds_stop_later_and_a_success_begins_anew() {
        let (caps, mut stuck) = (Caps::default(), Stuck::default());
        for n in 0..8 {
            fail(&mut stuck, &format!("shell {n}"), "exit 1");
            assert_eq!(stuck.why(&caps, false), None);
        }
        let before = stuck.clone();
        fail(&mut stuck, "shell 8", "exit 1");
        for planned in [false, true] {
            assert!(stuck.why(&caps, planned).is_some_and(|why| why.contains("9 turns")));
        }
        let mut better = before;
        better.went_well();
        fail(&mut better, "shell 8", "exit 1");
        assert_eq!(better.why(&caps, false), None);
    }

    #[test]
    fn answers_that_repeat_themselves_stop_at_their_cap_and_a_good_one_begins_anew() {
        let (caps, mut stuck) = (Caps { attempts: 4, ..Caps::default() }, Stuck::default());
        for _ in 0..caps.repeats {
            assert_eq!(stuck.why(&caps, false), None);
            stuck.answered(true);
        }
        assert!(stuck.why(&caps, false).is_some_and(|why| why.contains("3 answers in a row")));
        assert_eq!(stuck.why(&caps, true), None, "a plan counts attempts");
        stuck.answered(false);
        assert!(stuck.is_empty());
    }

    #[test]
    fn a_success_beside_it_does_not_hide_the_same_failure_for_ever() {
        let (caps, mut stuck) = (Caps::default(), Stuck::default());
        for _ in 0..8 {
            stuck.went_well();
            fail(&mut stuck, "nosuch {}", "UNKNOWN_TOOL");
            assert_eq!(stuck.why(&caps, false), None);
        }
        stuck.went_well();
        fail(&mut stuck, "nosuch {}", "UNKNOWN_TOOL");
        assert!(stuck.why(&caps, false).is_some());
    }
}
