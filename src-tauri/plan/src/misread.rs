//! Calls whose arguments could not be read. The second of one tool in a row is answered in another
//! way than the first, or nobody learns anything.

use crate::{Outcome, Text};
use serde::{Deserialize, Serialize};

/// The code of a call whose arguments could not be read. Answers of the harness begin with it.
pub const BAD_ARGUMENTS: &str = "BAD_ARGUMENTS";

/// Tools that write a plan: one after the other they are tries of the same.
const WRITERS: [&str; 3] = ["plan", "write_plan", "submit_plan"];

/// Calls of one tool in a row that could not be read, since a person last spoke.
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
        let mark = format!(r#"{{"code":"{BAD_ARGUMENTS}""#);
        let unread = matches!(outcome, Outcome::Failed | Outcome::Blocked)
            && result.head().starts_with(&mark);
        let tool = family(tool);
        match (unread, self.tool == tool) {
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
}
