//! Tool calls that a server passes through as words.
//!
//! Several families of models write their calls as text, and their servers turn that text into
//! calls, or do not. Read are the forms of Hermes and Qwen (`<tool_call>`, `<function=…>`), Llama
//! (`<|python_tag|>`, a bare object), Mistral (`[TOOL_CALLS]`), pythonic lists, and an object in a
//! fence. Only the end of a message counts, outside of its thinking, and only tools that there are.
//! What can't be read between marks that are for calls is a call all the same, which never runs.
//! Everything else stays words.

mod broken;
mod extent;
mod forms;
mod meaning;
mod object;
mod python;
mod shown;

pub use meaning::Meaning;
pub use shown::Shown;

use crate::{Whole, tool_name};

/// A message that ends in calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextCalls {
    /// What is said before them.
    pub words: String,
    /// The calls, in order.
    pub calls: Vec<TextCall>,
    /// The text that the calls were read from.
    pub block: String,
}

/// A call that was read from words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextCall {
    /// The tool, by its own name; by what it was called where it can't be run.
    pub name: String,
    /// Its arguments, a JSON object; where it can't be run, what stands there.
    pub arguments: String,
}

/// The calls at the end of a message, if there are any. `whole` is whether the message ends where
/// the model wanted it to.
pub fn text_calls(text: &str, known: &[String], whole: Whole) -> Option<TextCalls> {
    let thought = thought(text)?;
    let said = forms::without_end_marks(text);
    let said = said.get(thought..)?;
    let at = starts(said).into_iter().find_map(|at| {
        let calls = forms::read_all(&said[at..], whole)?;
        let named: Option<Vec<TextCall>> =
            calls.into_iter().map(|call| named(call, known)).collect();
        named.map(|calls| (at, calls))
    });
    let (at, calls) = at.or_else(|| broken::read(said).map(|(at, call)| (at, vec![call])))?;
    let words = text[..thought + at].trim_end().to_owned();
    Some(TextCalls { words, calls, block: said[at..].to_owned() })
}

/// Where the thinking at the beginning of a message ends; `None` where it does not.
fn thought(text: &str) -> Option<usize> {
    let closed = text.rfind("</think>").map_or(0, |at| at + "</think>".len());
    match text[closed..].contains("<think>") {
        true => None,
        false => Some(closed),
    }
}

/// Where calls may begin: at a mark of theirs, or at the beginning of a line.
fn starts(said: &str) -> Vec<usize> {
    let mut starts: Vec<usize> =
        forms::MARKS.iter().flat_map(|mark| said.match_indices(mark)).map(|(at, _)| at).collect();
    let mut at = 0;
    for line in said.split_inclusive('\n') {
        let blank = line.len() - line.trim_start().len();
        if line.trim_start().starts_with(['{', '[', '`']) {
            starts.push(at + blank);
        }
        at += line.len();
    }
    starts.sort_unstable();
    starts.dedup();
    starts
}

/// The call under its tool's own name.
fn named(call: TextCall, known: &[String]) -> Option<TextCall> {
    let found = known
        .iter()
        .find(|name| **name == call.name)
        .or_else(|| known.iter().find(|name| Some(name.as_str()) == tool_name::rest(&call.name)));
    found.map(|name| TextCall { name: name.clone(), ..call })
}

#[cfg(test)]
#[path = "text_calls/tests.rs"]
mod tests;
