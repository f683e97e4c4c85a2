//! The forms that calls are written in. Each is read from its beginning and gives what follows.

use serde_json::{Map, Value};

use super::object::{self, Place};
use super::{TextCall, extent, python};
use crate::Whole;

/// What begins a call wherever it stands.
pub(super) const MARKS: [&str; 9] = [
    "<tool_call>",
    "<tools>",
    "<function_call>",
    "<|tool_call|>",
    "<function=",
    "[TOOL_CALLS]",
    "<|python_tag|>",
    "<|python_start|>",
    "<|tool_call_start|>",
];

/// The tags around a call. Small models of Qwen take the one that their tools are listed in.
const TAGS: [(&str, &str); 4] = [
    ("<tool_call>", "</tool_call>"),
    ("<tools>", "</tools>"),
    ("<function_call>", "</function_call>"),
    ("<|tool_call|>", "<|/tool_call|>"),
];

/// What models leave at the end of a message.
const END_MARKS: [&str; 6] =
    ["<|im_end|>", "<|eot_id|>", "<|eom_id|>", "<|end|>", "<end_of_turn>", "</s>"];

/// Languages that a fence with a call in it names.
const FENCED: [&str; 3] = ["json", "tool_call", ""];

/// The text without marks and blanks at its end.
pub(super) fn without_end_marks(text: &str) -> &str {
    let mut text = text.trim_end();
    while let Some(shorter) = END_MARKS.iter().find_map(|mark| text.strip_suffix(mark)) {
        text = shorter.trim_end();
    }
    text
}

/// All calls of a text that is nothing but calls.
pub(super) fn read_all(text: &str, whole: Whole) -> Option<Vec<TextCall>> {
    let mut calls = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let (more, after) = read(rest, whole)?;
        calls.extend(more);
        rest = after.trim_start_matches(|c: char| c.is_whitespace() || c == ';');
    }
    (!calls.is_empty()).then_some(calls)
}

type Read<'a> = Option<(Vec<TextCall>, &'a str)>;

fn read(text: &str, whole: Whole) -> Read<'_> {
    for (tag, end) in TAGS {
        if let Some(inner) = text.strip_prefix(tag) {
            return tagged(inner, end, whole);
        }
    }
    if text.starts_with("<function=") {
        return function(text, whole);
    }
    if let Some(rest) = text.strip_prefix("[TOOL_CALLS]") {
        return mistral(rest.trim_start(), whole);
    }
    for (mark, end) in [("<|python_tag|>", ""), ("<|python_start|>", "<|python_end|>")] {
        if let Some(rest) = text.strip_prefix(mark) {
            return marked(rest.trim_start(), end, whole);
        }
    }
    if let Some(rest) = text.strip_prefix("<|tool_call_start|>") {
        return marked(rest.trim_start(), "<|tool_call_end|>", whole);
    }
    if let Some(rest) = text.strip_prefix("```") {
        return fenced(rest, whole);
    }
    bare(text, Place::Bare, whole)
}

/// `<tool_call>{…}</tool_call>`; the last closing tag may be missing.
fn tagged<'a>(inner: &'a str, end: &str, whole: Whole) -> Read<'a> {
    let inner = inner.trim_start();
    let (calls, rest) = match inner.starts_with("<function=") {
        true => function(inner, whole)?,
        false => bare(inner, Place::Marked, whole)?,
    };
    let rest = rest.trim_start();
    match rest.strip_prefix(end) {
        Some(rest) => Some((calls, rest)),
        None if rest.is_empty() && whole == Whole::Yes => Some((calls, rest)),
        None => None,
    }
}

/// `<function=name>{…}</function>`, or with a tag for each argument.
fn function(text: &str, whole: Whole) -> Read<'_> {
    let (name, inner) = text.strip_prefix("<function=")?.split_once('>')?;
    let inner = inner.trim_start();
    let (arguments, rest) = match inner.starts_with('{') {
        true => {
            let end = extent::of_brackets(inner, whole)?;
            (crate::repair(&inner[..end], whole).ok()?, &inner[end..])
        }
        false => parameters(inner)?,
    };
    let rest = rest.trim_start().strip_prefix("</function>")?;
    Some((vec![TextCall { name: name.trim().to_owned(), arguments }], rest))
}

/// `<parameter=path>` and so on. A value is what stands between its tags, without the line ends
/// beside them; where one tag is missing, where it ends is not guessed.
fn parameters(text: &str) -> Option<(String, &str)> {
    let mut fields = Map::new();
    let mut rest = text;
    while let Some(after) = rest.strip_prefix("<parameter=") {
        let (name, after) = after.split_once('>')?;
        let (value, after) = after.split_once("</parameter>")?;
        if value.contains("<parameter=") {
            return None;
        }
        let value = value.strip_prefix('\n').unwrap_or(value);
        let value = value.strip_suffix('\n').unwrap_or(value);
        if fields.insert(name.trim().to_owned(), value.into()).is_some() {
            return None;
        }
        rest = after.trim_start();
    }
    Some((Value::Object(fields).to_string(), rest))
}

/// A list of calls, or `name{…}`, `name[ARGS]{…}` and `name[CALL_ID]…[ARGS]{…}`.
fn mistral(text: &str, whole: Whole) -> Read<'_> {
    if text.starts_with(['[', '{']) {
        return bare(text, Place::Marked, whole);
    }
    let open = text.find('{')?;
    let end = open + extent::of_brackets(&text[open..], whole)?;
    let name = text[..open].trim().trim_end_matches("[ARGS]").trim();
    let name = name.split_once("[CALL_ID]").map_or(name, |(name, _)| name.trim());
    let arguments = crate::repair(&text[open..end], whole).ok()?;
    Some((vec![TextCall { name: name.to_owned(), arguments }], &text[end..]))
}

/// An object or a pythonic list between two marks, the second of which may be missing.
fn marked<'a>(text: &'a str, end: &str, whole: Whole) -> Read<'a> {
    let (calls, rest) = bare(text, Place::Marked, whole)?;
    let rest = rest.trim_start();
    Some((calls, rest.strip_prefix(end).unwrap_or(rest)))
}

/// An object in a fence.
fn fenced(text: &str, whole: Whole) -> Read<'_> {
    let (language, inner) = text.split_once('\n')?;
    if !FENCED.contains(&language.trim()) {
        return None;
    }
    let (calls, rest) = bare(inner.trim_start(), Place::Bare, whole)?;
    let rest = rest.trim_start();
    match rest.strip_prefix("```") {
        Some(rest) => Some((calls, rest)),
        None if rest.is_empty() && whole == Whole::Yes => Some((calls, rest)),
        None => None,
    }
}

/// An object, a list of objects, or a pythonic list.
fn bare(text: &str, place: Place, whole: Whole) -> Read<'_> {
    if !text.starts_with(['{', '[']) {
        return None;
    }
    // What follows an object without an end is not known: its end tag stands in it.
    let end = match extent::of_brackets(text, Whole::Unknown) {
        Some(end) => end,
        None => {
            let tag = TAGS.iter().filter_map(|(_, end)| text.find(end)).min();
            tag.or_else(|| text.rfind("```")).unwrap_or(text.len())
        }
    };
    let (value, rest) = text.split_at(end);
    let calls = object::read(value, place, whole).or_else(|| python::list(value))?;
    Some((calls, rest))
}
