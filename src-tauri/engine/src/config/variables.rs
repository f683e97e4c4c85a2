//! Fills in environment variables: `${NAME}` anywhere in a value stands for what the variable
//! holds. A variable that is not set stays as it is written.

use std::collections::BTreeMap;

use super::tree::{Node, Value};

/// Below these a value stays as it is written: a rule or a pattern may mean the very text.
const AS_WRITTEN: [&str; 2] = ["permissions", "redact"];

/// Fills in every variable below a node, and notes which were used.
pub(super) fn fill(
    node: &mut Node,
    look_up: &dyn Fn(&str) -> Option<String>,
    used: &mut BTreeMap<String, String>,
) {
    match &mut node.value {
        Value::Null => {}
        Value::Scalar { text, written, .. } => {
            let filled = filled(text, look_up, used);
            if filled != *text {
                *written = Some(std::mem::replace(text, filled));
            }
        }
        Value::List(items) => items.iter_mut().for_each(|item| fill(item, look_up, used)),
        Value::Map(entries) => {
            let meant = |key: &str| !AS_WRITTEN.contains(&key);
            for entry in entries.iter_mut().filter(|entry| meant(&entry.key)) {
                fill(&mut entry.value, look_up, used);
            }
        }
    }
}

fn filled(
    text: &str,
    look_up: &dyn Fn(&str) -> Option<String>,
    used: &mut BTreeMap<String, String>,
) -> String {
    let mut filled = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${") {
        filled.push_str(before);
        let name = after.split_once('}').filter(|(name, _)| is_name(name));
        let Some((name, after_name)) = name else {
            filled.push_str("${");
            rest = after;
            continue;
        };
        match look_up(name) {
            Some(value) => {
                filled.push_str(&value);
                used.insert(name.to_owned(), value);
            }
            None => filled.push_str(&format!("${{{name}}}")),
        }
        rest = after_name;
    }
    filled + rest
}

/// The variable that a value is, where it is exactly one.
pub(super) fn only_variable(node: &Node) -> Option<&str> {
    let Value::Scalar { text, written, .. } = &node.value else { return None };
    let text = written.as_ref().unwrap_or(text);
    text.strip_prefix("${")?.strip_suffix('}').filter(|name| is_name(name))
}

/// The first variable of a value that is not set.
pub(super) fn unset_variable(node: &Node) -> Option<&str> {
    let Value::Scalar { text, .. } = &node.value else { return None };
    let names = text.split("${").skip(1).filter_map(|rest| rest.split_once('}'));
    names.map(|(name, _)| name).find(|name| is_name(name))
}

/// Whether a text can be the name of a variable.
pub(super) fn is_name(text: &str) -> bool {
    !text.is_empty()
        && !text.starts_with(|first: char| first.is_ascii_digit())
        && text.chars().all(|each| each.is_ascii_alphanumeric() || each == '_')
}

/// The text with each variable's name in the place of its value, as far as the value is long
/// enough to be a secret.
pub(super) fn named_again(text: &str, used: &BTreeMap<String, String>) -> String {
    const SHORTEST: usize = 8;
    let long = used.iter().filter(|(_, value)| value.len() >= SHORTEST);
    long.fold(text.to_owned(), |text, (name, value)| text.replace(value, &format!("${{{name}}}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_variable_is_filled_in_and_any_other_text_stays() {
        let look_up = |name: &str| match name {
            "HOST" => Some("llm.example".to_owned()),
            "LOOP" => Some("${HOST}".to_owned()),
            _ => None,
        };
        for (text, expected) in [
            ("https://${HOST}/v1", "https://llm.example/v1"),
            ("${HOST}${HOST}", "llm.examplellm.example"),
            ("${UNSET} and ${HOST}", "${UNSET} and llm.example"),
            ("${LOOP}", "${HOST}"),
            ("${HOST:-x} ${} ${1} $HOST ${HOST", "${HOST:-x} ${} ${1} $HOST ${HOST"),
            ("${${HOST}}", "${llm.example}"),
        ] {
            let mut used = BTreeMap::new();
            assert_eq!(filled(text, &look_up, &mut used), expected, "{text}");
            assert!(!used.contains_key("UNSET"));
        }
    }

    #[test]
    fn a_value_is_shown_by_the_name_of_its_variable() {
        let used = [("TOKEN", "abcdefghij"), ("DIGIT", "1")];
        let used = used.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
        assert_eq!(named_again("--token=abcdefghij -n 1", &used), "--token=${TOKEN} -n 1");
    }
}
