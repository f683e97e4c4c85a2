//! Arguments of tool calls: text that has to be whole JSON, and an object for most providers.

use serde::de::IgnoredAny;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use crate::{CallRequest, ModelError, Stop};

/// A call whose name and arguments are whole; `position` makes up an id where one is missing or
/// used twice.
pub(crate) fn complete(
    call: CallRequest,
    position: usize,
    taken: &[String],
    stop: Stop,
) -> Result<CallRequest, ModelError> {
    let CallRequest { id, name, arguments } = call;
    if name.is_empty() {
        return Err(ModelError::Malformed { message: "it calls a tool without a name".into() });
    }
    // A tool without arguments is often called with nothing at all.
    let arguments = if arguments.trim().is_empty() { "{}".to_owned() } else { arguments };
    if serde_json::from_str::<IgnoredAny>(&arguments).is_err() {
        let why = match stop {
            Stop::Length => "the limit on its length was reached inside a call of",
            Stop::End | Stop::ToolCalls | Stop::Paused => {
                "the arguments are not whole in its call of"
            }
        };
        return Err(ModelError::BrokenCall { message: format!("{why} {name}") });
    }
    let made_up = id.is_empty() || taken.contains(&id);
    let id = if made_up { format!("call_{position}") } else { id };
    Ok(CallRequest { id, name, arguments })
}

/// All calls of a turn, whole.
pub(crate) fn complete_all(
    calls: impl IntoIterator<Item = CallRequest>,
    stop: Stop,
) -> Result<Vec<CallRequest>, ModelError> {
    let mut ids: Vec<String> = Vec::new();
    let mut whole = Vec::new();
    for (position, call) in calls.into_iter().enumerate() {
        let call = complete(call, position, &ids, stop)?;
        ids.push(call.id.clone());
        whole.push(call);
    }
    Ok(whole)
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
