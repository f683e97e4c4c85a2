//! What an agent tells while it works, for a person to read.

use serde_json::Value;

use crate::ModelEvent;

/// An update as a piece of a turn; much of it says nothing to a person.
pub(super) fn read(update: &Value) -> Option<ModelEvent> {
    let text = || update["content"]["text"].as_str().map(str::to_owned);
    match update["sessionUpdate"].as_str()? {
        "agent_message_chunk" => text().map(ModelEvent::Text),
        "agent_thought_chunk" => text().map(ModelEvent::Thinking),
        // What it does with tools of its own.
        "tool_call" => {
            let title = update["title"].as_str()?;
            Some(ModelEvent::Thinking(format!("\n[{title}]\n")))
        }
        _ => None,
    }
}
