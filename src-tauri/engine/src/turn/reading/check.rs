//! The check of a step: a command, a file, or words that only sound like one.

use super::fields::{Fields, plain};
use super::shapes::joined;
use super::{Misread, sentence};
use plan::Verify;
use serde_json::Value;

/// What was written as a check.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Check {
    /// Nothing.
    None,
    /// One that the harness can make.
    Verify(Verify),
    /// Words.
    Words(String),
    /// That there is one, and not which.
    Unnamed,
}

/// Whether nothing stands there.
fn is_nothing(value: &Value) -> bool {
    value.is_null() || value.as_str().is_some_and(|text| text.trim().is_empty())
}

/// Whether a string is a command: it can be run as one and does not read like a sentence.
fn reads_as_command(text: &str, is_command: &dyn Fn(&str) -> bool) -> bool {
    let text = text.trim();
    // A test in brackets is one by its name.
    let spelled = match text.starts_with("[ ") || text.starts_with("[[ ") {
        true => {
            let text = text.replace("[[ ", "test ").replace("[ ", "test ");
            text.replace(" ]]", "").replace(" ]", "")
        }
        false => text.to_owned(),
    };
    is_command(&spelled) && !sentence::is_one(&spelled)
}

/// Reads a check. A string is a command only where it can be run as one and reads like one; an
/// object says what it is.
pub(super) fn read(value: Value, is_command: &dyn Fn(&str) -> bool) -> Result<Check, Misread> {
    let wrong =
        || Misread::of("verify", "`verify` has to be a command or {\"file\": …, \"contains\": …}");
    match value {
        Value::Null | Value::Bool(false) => Ok(Check::None),
        // It wants a check and names none.
        Value::Bool(true) => Ok(Check::Unnamed),
        Value::String(text) if text.trim().is_empty() => Ok(Check::None),
        Value::Object(object) if object.values().all(is_nothing) => Ok(Check::None),
        Value::String(text) if reads_as_command(&text, is_command) => {
            Ok(Check::Verify(Verify::Command(text)))
        }
        Value::String(text) => Ok(Check::Words(text)),
        Value::Array(mut list) if list.len() == 1 => read(list.swap_remove(0), is_command),
        Value::Array(list) if list.is_empty() => Ok(Check::None),
        Value::Array(list) => several(&list, is_command).ok_or_else(wrong),
        Value::Object(object) => {
            let mut fields = Fields::of(object);
            let text =
                |value: Option<Value>| value.and_then(|value| value.as_str().map(str::to_owned));
            let command = match fields.take("command", &["cmd", "shell", "run"])? {
                Some(Value::Array(words)) => Some(joined(&words).ok_or_else(wrong)?),
                command => text(command),
            };
            let file = text(fields.take("file", &["path", "file_path", "exists", "file_exists"])?);
            if command.is_none() && file.is_none() {
                return words(&fields.rest()).map(Check::Words).ok_or_else(wrong);
            }
            let contains = fields.take("contains", &["text"])?;
            match (command, file) {
                (Some(said), None) if sentence::is_one(&said) && !is_command(&said) => {
                    Ok(Check::Words(said))
                }
                (Some(command), None) => Ok(Check::Verify(Verify::Command(command))),
                (None, Some(file)) => {
                    let contains = match contains {
                        Some(Value::String(text)) => Some(text).filter(|text| !text.is_empty()),
                        Some(_) => return Err(wrong()),
                        None => None,
                    };
                    Ok(Check::Verify(Verify::File { file, contains }))
                }
                (Some(_), Some(_)) | (None, None) => Err(wrong()),
            }
        }
        Value::Number(_) => Err(wrong()),
    }
}

/// What is told of a check that is none.
pub(super) const UNNAMED: &str =
    "`verify` says no check, so it was left out; a command is {\"command\": …}";

/// What is told of a check in words. `kept` is whether the expected outcome was said beside it.
pub(super) fn no_command(kept: bool) -> String {
    let what = if kept { "it was left out" } else { "it is the expected outcome now" };
    format!(
        "`verify` is no command that can be run here, so {what}; a command is {{\"command\": …}}"
    )
}

/// What an object says that names neither a command nor a file.
fn words(said: &[(String, Value)]) -> Option<String> {
    const SAID: [&str; 6] = ["description", "text", "expected", "outcome", "condition", "criteria"];
    const KIND: [&str; 3] = ["type", "kind", "method"];
    let said: Vec<(String, &str)> =
        said.iter().filter_map(|(name, value)| Some((plain(name), value.as_str()?))).collect();
    let is_kind = |name: &str| KIND.contains(&name);
    let has_more = said.iter().any(|(name, _)| !is_kind(name));
    let said = said
        .iter()
        .filter(|(name, words)| !words.trim().is_empty() && (!has_more || !is_kind(name)));
    let line = |(name, words): &(String, &str)| match SAID.contains(&name.as_str()) || is_kind(name)
    {
        true => (*words).to_owned(),
        false => format!("{name} {words}"),
    };
    let lines: Vec<String> = said.map(line).collect();
    (!lines.is_empty()).then(|| lines.join("; "))
}

/// The words of one command, several commands that all have to pass, or several checks in words.
fn several(list: &[Value], is_command: &dyn Fn(&str) -> bool) -> Option<Check> {
    let words: Option<Vec<&str>> = list.iter().map(Value::as_str).collect();
    let words = words?;
    if words.iter().any(|one| one.contains(' '))
        && words.iter().all(|one| reads_as_command(one, is_command))
    {
        return Some(Check::Verify(Verify::Command(words.join(" && "))));
    }
    let command = joined(list)?;
    if reads_as_command(&command, is_command) && !sentence::is_one(&words.join(" ")) {
        return Some(Check::Verify(Verify::Command(command)));
    }
    Some(Check::Words(words.join("; ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn words_are_no_command_unless_an_object_says_so() {
        let known = |text: &str| text.starts_with("grep ");
        let read = |value: Value| read(value, &known);
        let command = |text: &str| Ok(Check::Verify(Verify::Command(text.to_owned())));
        assert_eq!(read(json!("grep -q a b")), command("grep -q a b"));
        assert_eq!(read(json!({ "command": "frob" })), command("frob"));
        let words = Check::Words("grep finds it".into());
        assert_eq!(read(json!("grep finds it")), Ok(words), "a program and a verb");
        let both = json!(["grep -q a b", "grep -q c d"]);
        assert_eq!(read(both), command("grep -q a b && grep -q c d"));
        let test = |text: &str| super::read(json!(text), &|text: &str| text.starts_with("test "));
        for text in ["[ -f a.txt ]", "[[ -f a.txt ]]", "[ -f a ] && [ -s b ]"] {
            assert_eq!(test(text), command(text));
        }
        assert_eq!(read(json!([{ "cmd": "frob" }])), command("frob"));
        assert_eq!(read(json!("the file is there")), Ok(Check::Words("the file is there".into())));
        let file = Verify::File { file: "a".into(), contains: Some("b".into()) };
        assert_eq!(read(json!({ "file": "a", "contains": "b" })), Ok(Check::Verify(file)));
        for none in [json!(""), json!(null), json!([]), json!(false)] {
            assert_eq!(read(none), Ok(Check::None));
        }
        assert_eq!(read(json!(["grep", "-q", "a b", "c"])), command("grep -q 'a b' c"));
        let words = Check::Words("grep finds it; it is there".into());
        assert_eq!(read(json!(["grep finds it", "it is there"])), Ok(words));
        let file = Verify::File { file: "a".into(), contains: None };
        assert_eq!(read(json!({ "exists": "a" })), Ok(Check::Verify(file)));
        assert_eq!(read(json!({ "command": ["test", "-f", "a b"] })), command("test -f 'a b'"));
        for (said, words) in [
            (json!({ "description": "it is there" }), "it is there"),
            (json!({ "type": "manual" }), "manual"),
            (json!({ "command": "the file is there" }), "the file is there"),
            (json!({ "contains": "x" }), "contains x"),
            (json!({ "type": "manual", "expected": "two lines" }), "two lines"),
        ] {
            assert_eq!(read(said.clone()), Ok(Check::Words(words.into())), "{said}");
        }
        for none in [json!({}), json!({ "command": "", "file": null })] {
            assert_eq!(read(none), Ok(Check::None));
        }
        assert_eq!(read(json!(true)), Ok(Check::Unnamed));
        for wrong in [json!(1), json!(["a", 1]), json!({ "file": "a", "command": "b" })] {
            assert!(read(wrong.clone()).is_err(), "{wrong}");
        }
    }
}
