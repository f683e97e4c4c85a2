//! JSON as models write it, put right where there is one way to read it.
//!
//! Put right are fences around it, commas before a closing bracket, single quotes, names without
//! quotes, the literals of Python, comments, line ends inside strings, marks of the model's own
//! format behind it, and brackets that are missing at the end. No string is changed, none is closed,
//! no value is left out and none is made up: what could be read in two ways is not read at all.

mod scan;
mod string;

use std::fmt;

use scan::Scan;

/// Whether a text ends where its writer wanted it to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Whole {
    /// It does: what is not closed was forgotten.
    Yes,
    /// Perhaps not: what is not closed may have gone on.
    Unknown,
}

/// Why a text can't be read as JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unreadable {
    /// There is nothing in it.
    Empty,
    /// It ends inside a string, or where more has to come.
    CutOff,
    /// A backslash stands before something that needs none.
    Escape(char),
    /// Half of a character, written as `\ud83d`, without its other half.
    Half(String),
    /// A name stands twice in one object, with two values.
    Twice(String),
    /// Something that can't be read begins here.
    Stray(String),
    /// There is more after the end.
    More(String),
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("there is nothing in it"),
            Self::CutOff => f.write_str("it is cut off: a string or a bracket is not closed"),
            Self::Escape(c) => write!(f, "`\\{c}` is no JSON escape; a backslash is `\\\\`"),
            Self::Half(half) => {
                write!(f, "`\\u{half}` is half of a character; write the character itself")
            }
            Self::Twice(name) => write!(f, "`{name}` is there twice, with two values"),
            Self::Stray(at) => write!(
                f,
                "it is not valid JSON at `{at}`; text has to be in double quotes, with `\\\"` for \
                 each quote inside it"
            ),
            Self::More(more) => write!(f, "there is more after its end: `{more}`"),
        }
    }
}

/// The text as JSON: as it is where it is JSON, else put right.
pub fn repair(text: &str, whole: Whole) -> Result<String, Unreadable> {
    let text = text.trim_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
    if text.is_empty() {
        return Err(Unreadable::Empty);
    }
    let scanned = Scan::of(unfenced(text)).json(whole);
    let is_json = serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok();
    match scanned {
        // What is deeper than is looked into is good all the same.
        Ok(_) | Err(Unreadable::Stray(_)) if is_json => Ok(text.to_owned()),
        scanned => scanned,
    }
}

/// What stands in a fence, or the text itself. The end of the fence may be missing.
fn unfenced(text: &str) -> &str {
    let Some(inner) = text.strip_prefix("```") else { return text };
    let is_word = |c: char| c.is_ascii_alphanumeric();
    let inner = inner.trim_start_matches(is_word);
    match inner.trim_start_matches([' ', '\t', '\r']).strip_prefix('\n') {
        Some(inner) => inner,
        // On one line, the word may be all there is before the value.
        None if inner.starts_with([' ', '{', '[']) => inner,
        None => text,
    }
}

#[cfg(test)]
#[path = "repair/tests.rs"]
mod tests;
