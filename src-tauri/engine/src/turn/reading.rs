//! Reads calls as models really make them: other names for a field, numbers as text, steps as one
//! string, arguments wrapped in an object.
//!
//! Everything here is a function of the call and a small scene, so that facts, gate and tool see the
//! same arguments. Nothing is guessed that widens a right: tool, target, command and host count only
//! as written, and where two readings are possible the call is answered with an error that teaches.

mod changes;
mod check;
mod fields;
mod meaning;
mod names;
mod nearest;
mod outcome;
mod plan_call;
mod report;
mod sentence;
mod shapes;
mod step_ref;
mod steps;
mod teaching;
mod unknown_fields;
mod unwrapped;

#[cfg(test)]
mod fuzz;
#[cfg(test)]
mod fuzz_fields;
#[cfg(test)]
mod mixed_up;
#[cfg(test)]
mod table;

pub(super) use meaning::of as meaning;
pub(super) use names::own_name;
pub(super) use nearest::{short, unknown};
pub(super) use plan_call::{PlanCall, Wish, read as read_plan, writes};
pub(super) use shapes::read as read_fields;
pub(super) use steps::{listed as listed_steps, read as read_steps};
pub(super) use teaching::{after_refusal, after_tool, words};

use models::{Unreadable, Whole, repair};
use plan::BAD_ARGUMENTS;
use serde_json::Value;

/// What a call is read in.
pub(crate) struct Scene<'a> {
    /// The person's last message; in a sidekick its task.
    pub(crate) message: Option<String>,
    /// The steps of the plan under way.
    pub(crate) steps: Vec<KnownStep>,
    /// Whether whoever calls was handed a step of a plan above, and has none of its own.
    pub(crate) handed: bool,
    /// Whether a text is a command that can be run.
    pub(crate) is_command: &'a dyn Fn(&str) -> bool,
}

/// A step of the plan under way.
pub(crate) struct KnownStep {
    pub(crate) id: String,
    pub(crate) text: String,
    pub(crate) in_progress: bool,
}

/// Arguments under their own names.
#[derive(Debug, PartialEq)]
pub(crate) struct Understood {
    pub(crate) args: Value,
    /// What was left out or read in another way, for whoever called.
    pub(crate) warnings: Vec<String>,
}

/// Arguments that can't be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Misread {
    /// The code that programs read.
    pub(crate) code: &'static str,
    /// The field that is wrong, where it is one.
    pub(crate) field: Option<String>,
    /// What is wrong.
    pub(crate) problem: String,
    /// How the answer was cut off inside the call, if it was.
    pub(crate) cut: Cut,
    /// Whether no call of this tool could do now, so that none is shown.
    pub(crate) futile: bool,
}

/// How an answer was cut off inside a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cut {
    /// It was not.
    No,
    /// It reached its limit.
    Length,
    /// It repeated itself without end.
    Repetition,
}

impl Misread {
    /// One field is wrong.
    fn of(field: &str, problem: impl Into<String>) -> Self {
        Self {
            code: BAD_ARGUMENTS,
            field: Some(field.to_owned()),
            problem: problem.into(),
            cut: Cut::No,
            futile: false,
        }
    }

    /// A field is missing.
    fn missing(field: &str) -> Self {
        Self::of(field, format!("`{field}` is missing"))
    }

    /// The whole is wrong.
    fn whole(problem: impl Into<String>) -> Self {
        Self { field: None, ..Self::of("", problem) }
    }
}

/// The arguments as JSON. They were put right when they arrived, where that is possible.
pub(super) fn json(text: &str, cut: Cut) -> Result<Value, Misread> {
    let cut_off = |problem: &str| Err(Misread { cut, ..Misread::whole(problem) });
    let problem = match repair(text, Whole::Unknown) {
        Ok(json) => match serde_json::from_str(&json) {
            Ok(value) => return Ok(value),
            Err(_) => "they are nested too deeply".to_owned(),
        },
        Err(why) => match (cut, why) {
            (Cut::Length, _) => {
                return cut_off("the answer reached its length limit and the call was cut off");
            }
            (Cut::Repetition, _) => {
                return cut_off("your answer repeated itself and the call was cut off");
            }
            (Cut::No, Unreadable::CutOff) => {
                "they are cut off: a string or a bracket is not closed".to_owned()
            }
            (Cut::No, why) => why.to_string(),
        },
    };
    Err(Misread::whole(format!("the arguments can't be read: {problem}")))
}
