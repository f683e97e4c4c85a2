//! The check of a step: a command, a file, or words that only sound like one.

use super::fields::{Fields, plain, text};
use super::shapes::joined;
use super::unwrapped::parsed;
use super::{Misread, sentence, unknown_fields};
use plan::Verify;
use serde_json::{Map, Value};

/// What was written as a check.
#[derive(Debug, PartialEq, Eq)]
enum Check {
    /// Nothing.
    None,
    /// One that the harness can make.
    Verify(Verify),
    /// Words, and the field that makes them more than a check, where there is one.
    Words(String, Option<String>),
    /// That there is one, and not which.
    Unnamed,
}

/// Reads the check of a step. One that the harness can't make as it is meant is the expected
/// outcome, where there is none yet. Gives what is told of it, too.
pub(super) fn take(
    value: Value,
    is_command: &dyn Fn(&str) -> bool,
    expected_outcome: &mut Option<String>,
) -> Result<(Option<Verify>, Option<String>), Misread> {
    let (words, beyond) = match read(value, is_command)? {
        Check::None => return Ok((None, None)),
        Check::Verify(verify) => return Ok((Some(verify), None)),
        Check::Unnamed => return Ok((None, Some(UNNAMED.to_owned()))),
        Check::Words(words, beyond) => (words, beyond),
    };
    let why = match beyond {
        Some(field) => format!("has no `{field}`"),
        None => "is no command that can be run here".to_owned(),
    };
    let kept = expected_outcome.is_some();
    let what = if kept { "it was left out" } else { "it is the expected outcome now" };
    expected_outcome.get_or_insert(words);
    let told = format!("`verify` {why}, so {what}; a command is {{\"command\": …}}");
    Ok((None, Some(told)))
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
fn read(value: Value, is_command: &dyn Fn(&str) -> bool) -> Result<Check, Misread> {
    match value {
        Value::Null | Value::Bool(false) => Ok(Check::None),
        // It wants a check and names none.
        Value::Bool(true) => Ok(Check::Unnamed),
        Value::String(text) if text.trim().is_empty() => Ok(Check::None),
        Value::Object(object) if object.values().all(is_nothing) => Ok(Check::None),
        Value::String(text) if text.trim_start().starts_with('{') => match parsed(&text) {
            Some(object @ Value::Object(_)) => read(object, is_command),
            Some(_) | None => Ok(Check::Words(text, None)),
        },
        Value::String(text) if reads_as_command(&text, is_command) => {
            Ok(Check::Verify(Verify::Command(text)))
        }
        Value::String(text) => Ok(Check::Words(text, None)),
        Value::Array(mut list) if list.len() == 1 => read(list.swap_remove(0), is_command),
        Value::Array(list) if list.is_empty() => Ok(Check::None),
        Value::Array(list) => several(&list, is_command).ok_or_else(wrong),
        Value::Object(object) => named(object, is_command),
        Value::Number(_) => Err(wrong()),
    }
}

/// A check that is no command and no file.
fn wrong() -> Misread {
    Misread::of("verify", "`verify` has to be a command or {\"file\": …, \"contains\": …}")
}

/// The names of what kind of check one is.
const KIND: [&str; 3] = ["type", "kind", "method"];

/// Reads an object that says what its check is. With a field that a check does not have, it would
/// be another check.
fn named(object: Map<String, Value>, is_command: &dyn Fn(&str) -> bool) -> Result<Check, Misread> {
    let all: Vec<(String, Value)> = object.clone().into_iter().collect();
    let mut fields = Fields::of(object);
    let command = fields.take("command", &["cmd", "shell", "run"])?.filter(|one| !is_nothing(one));
    let file = fields.take("file", &["path", "file_path", "exists", "file_exists"])?;
    let file = file.filter(|one| !is_nothing(one));
    let contains = fields.take("contains", &["text"])?.filter(|text| *text != "");
    let check = match (command, file, contains) {
        (Some(command), None, None) => {
            let command = match command {
                Value::Array(words) => joined(&words),
                Value::String(command) => Some(command),
                Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => None,
            };
            let command = command.ok_or_else(wrong)?;
            if sentence::is_one(&command) && !is_command(&command) {
                return Ok(Check::Words(words(&all).unwrap_or(command), None));
            }
            Verify::Command(command)
        }
        (None, Some(file), contains) => {
            let text = |value: Value| value.as_str().map(str::to_owned).ok_or_else(wrong);
            Verify::File { file: text(file)?, contains: contains.map(text).transpose()? }
        }
        (None, None, _) => {
            return words(&all).map(|words| Check::Words(words, None)).ok_or_else(wrong);
        }
        (Some(_), Some(_), _) | (Some(_), None, Some(_)) => return Err(wrong()),
    };
    let kinds: &[&str] = match check {
        Verify::Command(_) => &["command", "shell", "cmd", "bash"],
        Verify::File { .. } => &["file", "file_exists", "exists", "contains", "file_contains"],
    };
    let rest = fields.rest().into_iter().filter(|(key, value)| {
        let is_kind = plain(key) == "tool" || KIND.contains(&plain(key).as_str());
        let said = value.as_str().map(plain).unwrap_or_default();
        let succeeds = matches!(plain(key).as_str(), "exit_code" | "expected_exit_code")
            && value.as_u64() == Some(0);
        !(succeeds || is_kind && kinds.contains(&said.as_str()))
    });
    match unknown_fields::telling("verify", &rest.collect::<Vec<_>>()).into_iter().next() {
        None => Ok(Check::Verify(check)),
        beyond => Ok(Check::Words(words(&all).ok_or_else(wrong)?, beyond)),
    }
}

/// What is told of a check that is none.
const UNNAMED: &str = "`verify` says no check, so it was left out; a command is {\"command\": …}";

/// What an object says, in words.
fn words(said: &[(String, Value)]) -> Option<String> {
    const SAID: [&str; 6] = ["description", "text", "expected", "outcome", "condition", "criteria"];
    let is_kind = |name: &str| KIND.contains(&name);
    let said = said.iter().filter(|(_, value)| !is_nothing(value));
    let said: Vec<(String, String)> = said
        .map(|(name, value)| (plain(name), text(value).unwrap_or_else(|| value.to_string())))
        .collect();
    let alone = said.len() == 1;
    let said = said.iter().filter(|(name, words)| alone || !is_kind(name) || words != "manual");
    let line = |(name, words): &(String, String)| match name.as_str() {
        "command" if alone => words.clone(),
        name if SAID.contains(&name) || is_kind(name) => words.clone(),
        name => format!("{name} {words}"),
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
    Some(Check::Words(words.join("; "), None))
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
        let words = Check::Words("grep finds it".into(), None);
        assert_eq!(read(json!("grep finds it")), Ok(words), "a program and a verb");
        let both = json!(["grep -q a b", "grep -q c d"]);
        assert_eq!(read(both), command("grep -q a b && grep -q c d"));
        let test = |text: &str| super::read(json!(text), &|text: &str| text.starts_with("test "));
        for text in ["[ -f a.txt ]", "[[ -f a.txt ]]", "[ -f a ] && [ -s b ]"] {
            assert_eq!(test(text), command(text));
        }
        assert_eq!(read(json!([{ "cmd": "frob" }])), command("frob"));
        assert_eq!(
            read(json!("the file is there")),
            Ok(Check::Words("the file is there".into(), None))
        );
        let file = Verify::File { file: "a".into(), contains: Some("b".into()) };
        assert_eq!(read(json!({ "file": "a", "contains": "b" })), Ok(Check::Verify(file)));
        for none in [json!(""), json!(null), json!([]), json!(false)] {
            assert_eq!(read(none), Ok(Check::None));
        }
        assert_eq!(read(json!(["grep", "-q", "a b", "c"])), command("grep -q 'a b' c"));
        let words = Check::Words("grep finds it; it is there".into(), None);
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
            assert_eq!(read(said.clone()), Ok(Check::Words(words.into(), None)), "{said}");
        }
        assert_eq!(read(json!(r#"{"command": "frob"}"#)), command("frob"), "JSON in a string");
        for none in [json!({}), json!({ "command": "", "file": null })] {
            assert_eq!(read(none), Ok(Check::None));
        }
        assert_eq!(read(json!(true)), Ok(Check::Unnamed));
        for wrong in [json!(1), json!(["a", 1]), json!({ "file": "a", "command": "b" })] {
            assert!(read(wrong.clone()).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_check_with_a_field_that_it_does_not_have_is_words() {
        let read = |value: Value| read(value, &|text: &str| text.starts_with("grep "));
        for (said, words, field) in [
            (json!({ "command": "rm *.txt", "cwd": "sub" }), "command rm *.txt; cwd sub", "cwd"),
            (json!({ "command": "rm", "args": ["a"] }), "args [\"a\"]; command rm", "args"),
            (json!({ "cmd": "ls", "exit_code": 1 }), "cmd ls; exit_code 1", "exit_code"),
            (
                json!({ "cmd": "grep -q a b", "negate": true }),
                "cmd grep -q a b; negate true",
                "negate",
            ),
            (json!({ "file": "a", "not_contains": "b" }), "file a; not_contains b", "not_contains"),
            (json!({ "file": "a", "absent": true }), "absent true; file a", "absent"),
            (json!(r#"{"file": "a", "regex": "b"}"#), "file a; regex b", "regex"),
            (json!([{ "file": "a", "type": "absent" }]), "absent; file a", "type"),
        ] {
            let read = read(said.clone()).unwrap();
            let Check::Words(read, Some(beyond)) = read else { panic!("{said}: {read:?}") };
            let sorted = |words: &str| {
                let mut words: Vec<String> = words.split("; ").map(str::to_owned).collect();
                words.sort();
                words
            };
            assert_eq!((sorted(&read), beyond.as_str()), (sorted(words), field), "{said}");
        }
        let command = Check::Verify(Verify::Command("ls".into()));
        for same in [
            json!({ "command": "ls", "type": "command" }),
            json!({ "command": "ls", "description": "it is there", "expected_exit_code": 0 }),
        ] {
            assert_eq!(read(same.clone()).as_ref(), Ok(&command), "{same}");
        }
        assert!(read(json!({ "command": "ls", "contains": "x" })).is_err());
        assert!(read(json!({ "file": ["a", "b"] })).is_err());
    }
}
