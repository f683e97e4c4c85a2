//! The check of a step: a command, a file, or words that only sound like one.

use super::Misread;
use super::fields::Fields;
use super::shapes::joined;
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
}

/// Reads a check. A string is a command only where it can be run as one; an object says what it is.
pub(super) fn read(value: Value, is_command: &dyn Fn(&str) -> bool) -> Result<Check, Misread> {
    let wrong =
        || Misread::of("verify", "`verify` has to be a command or {\"file\": …, \"contains\": …}");
    match value {
        Value::Null | Value::Bool(_) => Ok(Check::None),
        Value::String(text) if text.trim().is_empty() => Ok(Check::None),
        Value::String(text) if is_command(&text) => Ok(Check::Verify(Verify::Command(text))),
        Value::String(text) => Ok(Check::Words(text)),
        Value::Array(mut list) if list.len() == 1 => read(list.swap_remove(0), is_command),
        Value::Array(list) if list.is_empty() => Ok(Check::None),
        Value::Array(list) => several(&list, is_command).ok_or_else(wrong),
        Value::Object(object) => {
            let mut fields = Fields::of(object);
            let text =
                |value: Option<Value>| value.and_then(|value| value.as_str().map(str::to_owned));
            let command = text(fields.take("command", &["cmd", "shell", "run"])?);
            let file = text(fields.take("file", &["path", "file_path", "exists", "file_exists"])?);
            let contains = fields.take("contains", &["text"])?;
            match (command, file) {
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

/// The words of one command, or several checks in words.
fn several(list: &[Value], is_command: &dyn Fn(&str) -> bool) -> Option<Check> {
    let command = joined(list)?;
    if is_command(&command) {
        return Some(Check::Verify(Verify::Command(command)));
    }
    let words: Option<Vec<&str>> = list.iter().map(Value::as_str).collect();
    words.map(|words| Check::Words(words.join("; ")))
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
        for wrong in [json!(1), json!({}), json!(["a", 1]), json!({ "file": "a", "command": "b" })]
        {
            assert!(read(wrong.clone()).is_err(), "{wrong}");
        }
    }
}
