//! Arguments of tool calls: JSON where they can be read, and an object for every provider.
//!
//! What can't be read is delivered as it was sent: the answer is good all the same, and whoever
//! runs the call tells the model what is wrong with it.

use std::borrow::Cow;

use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use crate::{CallRequest, Stop, Whole, repair};

/// The longest name that all providers take.
const LONGEST_NAME: usize = 64;

/// Calls as an answer delivers them, by why it ended; nothing where that was not said.
pub fn delivered(calls: Vec<CallRequest>, stop: Option<Stop>) -> Vec<CallRequest> {
    complete_all(calls, stop.map_or(Ended::Unsaid, Ended::from))
}

/// All calls of a turn, in order, each with an id of its own.
pub(crate) fn complete_all(
    calls: impl IntoIterator<Item = CallRequest>,
    ended: Ended,
) -> Vec<CallRequest> {
    let mut all: Vec<CallRequest> = Vec::new();
    let mut calls = calls.into_iter().enumerate().peekable();
    while let Some((position, call)) = calls.next() {
        let made_up = call.id.is_empty() || all.iter().any(|other| other.id == call.id);
        let id = if made_up { format!("call_{position}") } else { call.id };
        let is_last = calls.peek().is_none();
        let (arguments, sent) = match call.arguments.trim() {
            // It was cut before it began.
            "" if ended == Ended::Length && is_last => (String::new(), None),
            // A tool without arguments is often called with nothing at all.
            "" => ("{}".to_owned(), None),
            _ => read(call.arguments, ended.whole()),
        };
        all.push(CallRequest { id, name: call.name, arguments, sent });
    }
    all
}

/// What is known of the end of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ended {
    /// The model was done.
    Well,
    /// The limit on output was reached.
    Length,
    /// The server does not say.
    Unsaid,
}

impl Ended {
    fn whole(self) -> Whole {
        match self {
            Self::Well => Whole::Yes,
            Self::Length | Self::Unsaid => Whole::Unknown,
        }
    }
}

impl From<Stop> for Ended {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::End | Stop::ToolCalls | Stop::Paused => Self::Well,
            Stop::Length | Stop::Repetition => Self::Length,
        }
    }
}

/// The arguments as JSON and, where that is something else, as they were sent; or only as they
/// were sent.
fn read(sent: String, whole: Whole) -> (String, Option<String>) {
    let Ok(json) = repair(&sent, whole) else { return (sent, None) };
    let json = match json.as_str() {
        "null" => "{}".to_owned(),
        _ => decoded(&json, whole).unwrap_or(json),
    };
    if json == sent.trim() { (json, None) } else { (json, Some(sent)) }
}

/// What was encoded twice.
fn decoded(json: &str, whole: Whole) -> Option<String> {
    let inner: String = serde_json::from_str(json).ok()?;
    let inner = repair(&inner, whole).ok()?;
    inner.starts_with(['{', '[']).then_some(inner)
}

/// The arguments as the JSON object that stands in a request: as the model wrote them, or, where
/// that was no object, told in one.
pub(crate) fn object(arguments: &str) -> Box<RawValue> {
    let is_object = serde_json::from_str::<Map<String, Value>>(arguments).is_ok();
    let text = if is_object {
        arguments.trim().to_owned()
    } else {
        json!({ "arguments": arguments }).to_string()
    };
    RawValue::from_string(text).unwrap_or_default()
}

/// A tool's name as providers take it back: a model may write anything there.
pub(crate) fn name(name: &str) -> Cow<'_, str> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if name.is_empty() {
        return "unknown".into();
    }
    if name.len() <= LONGEST_NAME && name.chars().all(is_plain) {
        return name.into();
    }
    name.chars().take(LONGEST_NAME).map(|c| if is_plain(c) { c } else { '_' }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(arguments: &str) -> CallRequest {
        CallRequest::new("c", "shell", arguments)
    }

    fn complete(arguments: &str, ended: Ended) -> (String, Option<String>) {
        let call = complete_all([call(arguments)], ended).remove(0);
        (call.arguments, call.sent)
    }

    #[test]
    fn what_can_be_read_is_delivered_as_json_with_what_was_sent() {
        for (sent, json) in [
            ("{'command': 'ls'}", r#"{"command":"ls"}"#),
            (r#""{\"command\": \"ls\"}""#, r#"{"command": "ls"}"#),
            ("null", "{}"),
            (r#"{"command": "ls""#, r#"{"command":"ls"}"#),
        ] {
            assert_eq!(complete(sent, Ended::Well), (json.to_owned(), Some(sent.to_owned())));
        }
        for json in [r#"{"command": "ls"}"#, "42", r#""words""#] {
            assert_eq!(complete(json, Ended::Length), (json.to_owned(), None));
        }
        assert_eq!(complete("", Ended::Well), ("{}".to_owned(), None));
    }

    #[test]
    fn what_cannot_be_read_is_delivered_as_it_was_sent() {
        for (sent, ended) in [
            (r#"{"command": "rm -r bui"#, Ended::Well),
            (r#"{"command": "ls""#, Ended::Length),
            (r#"{"command": "ls""#, Ended::Unsaid),
            ("ls", Ended::Well),
            ("", Ended::Length),
        ] {
            assert_eq!(complete(sent, ended), (sent.to_owned(), None));
        }
    }

    #[test]
    fn one_broken_call_leaves_the_others_in_their_order() {
        let calls = ["{}", "{\"a\": \"", "", "{\"b\": 1}"].map(call);
        let all = complete_all(calls, Ended::Length);
        let told: Vec<(&str, &str)> =
            all.iter().map(|call| (call.id.as_str(), call.arguments.as_str())).collect();
        let expected =
            [("c", "{}"), ("call_1", "{\"a\": \""), ("call_2", "{}"), ("call_3", "{\"b\": 1}")];
        assert_eq!(told, expected);
    }

    #[test]
    fn what_goes_back_is_an_object_and_a_name_that_providers_take() {
        assert_eq!(object(" {\"a\": 1} ").get(), "{\"a\": 1}");
        assert_eq!(object("{\"a\"").get(), r#"{"arguments":"{\"a\""}"#);
        assert_eq!(object("[1]").get(), r#"{"arguments":"[1]"}"#);
        assert_eq!(name("files__read-2"), "files__read-2");
        assert_eq!(name("write_file<|channel|>x.y"), "write_file__channel__x_y");
        assert_eq!((name("").as_ref(), name(&"ä".repeat(99)).len()), ("unknown", 64));
    }
}
