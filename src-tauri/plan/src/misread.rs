//! Calls that could not be understood: of a tool that there is not, with arguments that could not be
//! read, or of a step that there is not. The second of a kind in a row is answered in another way
//! than the first, or nobody learns anything.

use crate::{Outcome, Text};
use serde::{Deserialize, Serialize};

/// The code of a call whose arguments could not be read. Answers of the harness begin with it.
pub const BAD_ARGUMENTS: &str = "BAD_ARGUMENTS";

const UNKNOWN_TOOL: &str = "UNKNOWN_TOOL";
const STEP_NOT_FOUND: &str = "STEP_NOT_FOUND";
/// The tool whose calls count together with every report of a step that there is not.
pub const STEP_DONE: &str = "step_done";

/// Tools that write a plan: one after the other they are tries of the same.
const WRITERS: [&str; 3] = ["plan", "write_plan", "submit_plan"];

/// Calls of one tool in a row that could not be understood, since a person last spoke.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Misread {
    /// The tool.
    pub tool: String,
    /// How often.
    pub times: u32,
}

impl Misread {
    /// Whether there was none.
    pub fn is_empty(&self) -> bool {
        self.times == 0
    }

    /// How often in a row calls of this tool could not be read.
    pub fn of(&self, tool: &str) -> u32 {
        if self.tool == family(tool) { self.times } else { 0 }
    }

    /// Takes in how a call ended. What other tools do in between does not matter.
    pub(crate) fn ended(&mut self, tool: &str, outcome: Outcome, result: &Text) {
        let is = |code: &str| result.head().starts_with(&format!(r#"{{"code":"{code}""#));
        let failed = matches!(outcome, Outcome::Failed | Outcome::Blocked);
        let unread = failed && [BAD_ARGUMENTS, UNKNOWN_TOOL, STEP_NOT_FOUND].into_iter().any(is);
        let tool = if is(STEP_NOT_FOUND) { STEP_DONE } else { family(tool) };
        // A report goes by two names.
        let same = self.tool == tool || !unread && self.tool == STEP_DONE && tool == WRITERS[0];
        match (unread, same) {
            (true, true) => self.times = self.times.saturating_add(1),
            (true, false) => *self = Self { tool: tool.to_owned(), times: 1 },
            (false, true) => *self = Self::default(),
            (false, false) => {}
        }
    }
}

fn family(tool: &str) -> &str {
    if WRITERS.contains(&tool) { WRITERS[0] } else { tool }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_calls_of_the_same_tool_in_a_row_count() {
        let bad = Text::from(r#"{"code":"BAD_ARGUMENTS","message":"`path` is missing"}"#);
        let other = Text::from(r#"{"code":"NOT_FOUND","message":"there is no `a`"}"#);
        let mut misread = Misread::default();
        misread.ended("write_plan", Outcome::Failed, &bad);
        misread.ended("read_file", Outcome::Ok, &Text::from("text"));
        misread.ended("plan", Outcome::Blocked, &bad);
        assert_eq!((misread.of("submit_plan"), misread.of("read_file")), (2, 0));
        misread.ended("read_file", Outcome::Failed, &bad);
        assert_eq!((misread.of("plan"), misread.of("read_file")), (0, 1));
        misread.ended("read_file", Outcome::Failed, &other);
        assert!(misread.is_empty(), "it was read");
    }

    #[test]
    fn names_of_no_tool_and_no_step_count_too() {
        let unknown = Text::from(r#"{"code":"UNKNOWN_TOOL","message":"there is no tool"}"#);
        let no_step = Text::from(r#"{"code":"STEP_NOT_FOUND","message":"the plan has no step 5"}"#);
        let mut misread = Misread::default();
        for times in 1..3 {
            misread.ended("", Outcome::Blocked, &unknown);
            assert_eq!(misread.of(""), times);
        }
        misread.ended("plan", Outcome::Blocked, &no_step);
        misread.ended("step_failed", Outcome::Blocked, &no_step);
        assert_eq!((misread.of(STEP_DONE), misread.of("plan")), (2, 0));
        misread.ended("plan", Outcome::Ok, &Text::from("{}"));
        assert!(misread.is_empty(), "a step was found");
    }
}
