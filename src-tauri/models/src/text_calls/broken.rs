//! A call between marks of its own that can't be read, or of a tool that there is not. It is never
//! run: with arguments that nothing reads, whoever made it hears what is wrong.

use super::{TextCall, extent};
use crate::{Whole, repair};

/// What such a call begins and ends with.
const MARKS: [(&str, &str); 3] =
    [("<tool_call>", "</tool_call>"), ("<function=", "</function>"), ("[TOOL_CALLS]", "")];

/// The longest name that a tool may have.
const NAME: usize = 64;

/// Where the calls at the end of a text begin, and the first of them.
pub(super) fn read(said: &str) -> Option<(usize, TextCall)> {
    let begins = |(mark, end): (&'static str, &'static str)| {
        said.match_indices(mark).map(move |(at, _)| (at, mark, end))
    };
    let mut found: Vec<(usize, &str, &str)> = MARKS.into_iter().flat_map(begins).collect();
    found.sort_unstable();
    found.into_iter().find_map(|(at, mark, end)| {
        let block = &said[at..];
        let is_one = is_outside(&said[..at]) && ends_there(block, mark, end);
        is_one.then(|| call(block, mark, end).map(|call| (at, call)))?
    })
}

/// Whether what follows begins a line and stands in no fence.
fn is_outside(before: &str) -> bool {
    let line = before.rsplit('\n').next().unwrap_or_default();
    let fences = before.lines().filter(|line| line.trim_start().starts_with("```")).count();
    line.trim().is_empty() && fences.is_multiple_of(2)
}

/// Whether nothing but calls follows. Where the last one does not end, nothing is known to follow.
fn ends_there(block: &str, mark: &str, end: &str) -> bool {
    let mut rest = block;
    while let Some(inner) = rest.strip_prefix(mark) {
        match inner.split_once(end).filter(|_| !end.is_empty()) {
            Some((_, after)) => rest = after.trim_start(),
            None => return true,
        }
    }
    rest.is_empty()
}

fn call(block: &str, mark: &str, end: &str) -> Option<TextCall> {
    let inner = block.strip_prefix(mark)?;
    let closed = inner.split_once(end).filter(|_| !end.is_empty());
    let inner = closed.map_or(inner, |(one, _)| one).trim();
    if closed.is_none() && goes_on(inner) {
        return None;
    }
    let name = match mark {
        "<function=" => function(inner),
        _ if inner.starts_with("<function=") => function(inner.strip_prefix("<function=")?),
        _ if inner.starts_with(['{', '[']) => named(inner),
        "[TOOL_CALLS]" => inner.split_once(['{', '[']).map(|(name, _)| name.trim()),
        _ => None,
    };
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | ':' | '/');
    let name = name.filter(|name| !name.is_empty() && name.len() <= NAME)?;
    if !name.chars().all(is_part) {
        return None;
    }
    // Nobody may ever take these for arguments.
    let raw = [inner, block].into_iter().find(|raw| repair(raw, Whole::Yes).is_err())?;
    Some(TextCall { name: name.to_owned(), arguments: raw.to_owned() })
}

/// Whether words follow a value that has an end.
fn goes_on(inner: &str) -> bool {
    let begins = if inner.starts_with('[') { Some(0) } else { inner.find('{') };
    let value = begins.map(|at| &inner[at..]);
    let rest = value.and_then(|value| Some(&value[extent::of_brackets(value, Whole::Unknown)?..]));
    rest.is_some_and(|rest| !rest.trim().is_empty())
}

/// `name>{…}` or `name>` and a tag for each argument.
fn function(inner: &str) -> Option<&str> {
    let (name, rest) = inner.split_once('>')?;
    let rest = rest.trim_start();
    let is_call = rest.is_empty() || rest.starts_with(['{', '<']);
    is_call.then(|| name.trim())
}

/// The value of the first `"name"`.
fn named(inner: &str) -> Option<&str> {
    let (_, after) = inner.split_once("\"name\"").or_else(|| inner.split_once("'name'"))?;
    let value = after.trim_start().strip_prefix(':')?.trim_start();
    let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    value[1..].split_once(quote).map(|(name, _)| name)
}
