//! What an agent told of its own tool calls. A request for permission may name a call by its
//! id alone.

use std::collections::VecDeque;

use serde_json::Value;

/// How many are remembered.
const MOST: usize = 64;

#[derive(Debug, Default)]
pub(super) struct ToolCalls(VecDeque<Value>);

impl ToolCalls {
    /// Takes in a part of what there is to know of a call.
    pub(super) fn heard(&mut self, part: &Value) {
        let id = &part["toolCallId"];
        let known = self.0.iter().position(|call| call["toolCallId"] == *id);
        let call = known.and_then(|at| self.0.remove(at));
        self.0.push_back(merged(call.unwrap_or_default(), part));
        if self.0.len() > MOST {
            self.0.pop_front();
        }
    }

    /// All that is known of a call.
    pub(super) fn whole(&self, part: &Value) -> Value {
        let known = self.0.iter().find(|call| call["toolCallId"] == part["toolCallId"]);
        merged(known.cloned().unwrap_or_default(), part)
    }
}

/// The call with what the part says; what is empty in it says nothing.
fn merged(call: Value, part: &Value) -> Value {
    let Some(fields) = part.as_object() else { return call };
    let mut whole = call.as_object().cloned().unwrap_or_default();
    for (name, value) in fields {
        let says = match value {
            Value::Null => false,
            Value::Array(items) => !items.is_empty(),
            Value::Object(inner) => !inner.is_empty(),
            Value::Bool(_) | Value::Number(_) | Value::String(_) => true,
        };
        if says {
            whole.insert(name.clone(), value.clone());
        }
    }
    Value::Object(whole)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_call_is_known_by_all_that_was_told_of_it() {
        let mut calls = ToolCalls::default();
        calls
            .heard(&json!({ "toolCallId": "a", "kind": "edit", "title": "Write", "rawInput": {} }));
        calls.heard(&json!({ "toolCallId": "a", "locations": [{ "path": "x" }], "kind": null }));
        let asked = json!({ "toolCallId": "a", "title": "Write x", "locations": [] });
        let whole = json!({
            "toolCallId": "a", "kind": "edit", "title": "Write x", "locations": [{ "path": "x" }]
        });
        assert_eq!(calls.whole(&asked), whole);
        let other = json!({ "toolCallId": "b" });
        assert_eq!(calls.whole(&other), other);
    }
}
