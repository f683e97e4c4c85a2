//! Calls as Python writes them: `[read_file(path="a.txt"), list_dir()]`.

use serde_json::{Map, Value};

use super::{TextCall, extent};
use crate::{Whole, repair};

/// The calls of a list.
pub(super) fn list(text: &str) -> Option<Vec<TextCall>> {
    let mut rest = text.trim().strip_prefix('[')?.strip_suffix(']')?.trim();
    let mut calls = Vec::new();
    while !rest.is_empty() {
        let (call, after) = call(rest)?;
        calls.push(call);
        rest = match after.trim_start() {
            "" => "",
            more => more.strip_prefix(',')?.trim_start(),
        };
    }
    (!calls.is_empty()).then_some(calls)
}

fn call(text: &str) -> Option<(TextCall, &str)> {
    let open = text.find('(')?;
    let name = text[..open].trim();
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-' | ':');
    if name.is_empty() || !name.chars().all(is_part) {
        return None;
    }
    let end = extent::of_brackets(&text[open..], Whole::Unknown)?;
    let inner = &text[open + 1..open + end - 1];
    let call = TextCall { name: name.to_owned(), arguments: arguments(inner)? };
    Some((call, &text[open + end..]))
}

/// Named arguments only: the order of others would be a guess.
fn arguments(text: &str) -> Option<String> {
    let mut fields = Map::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let (name, after) = rest.split_once('=')?;
        let end = extent::up_to(after, &[',']).unwrap_or(after.len());
        let value: Value =
            serde_json::from_str(&repair(&after[..end], Whole::Unknown).ok()?).ok()?;
        let name = name.trim();
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let plain = !name.is_empty() && name.chars().all(is_part);
        if !plain || fields.insert(name.to_owned(), value).is_some() {
            return None;
        }
        rest = after[end..].trim_start_matches(',').trim_start();
    }
    Some(Value::Object(fields).to_string())
}
