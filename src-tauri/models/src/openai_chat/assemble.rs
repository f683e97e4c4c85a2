//! Puts the pieces of a streamed answer together.
//!
//! Words go out as they come. Tool calls, usage and the end are held back until the server's end
//! mark, so that a cut stream never gives a tool call that a second try would give again.

use std::collections::VecDeque;

use serde::de::IgnoredAny;
use serde_json::Value;

use super::wire::{CallDelta, Chunk, ChunkUsage};
use crate::{CallRequest, ModelError, ModelEvent, Stop, Usage};

/// A turn under way.
#[derive(Debug, Default)]
pub(super) struct Turn {
    calls: Vec<Call>,
    finish_reason: Option<String>,
    usage: Option<Usage>,
}

#[derive(Debug, Default)]
struct Call {
    index: Option<usize>,
    id: String,
    name: String,
    arguments: String,
}

impl Turn {
    /// Takes in one piece and gives out what can be shown at once.
    pub(super) fn take(&mut self, chunk: Chunk, out: &mut VecDeque<ModelEvent>) {
        if let Some(usage) = chunk.usage {
            // Some servers count on in every piece: the last one holds.
            self.usage = Some(read_usage(&usage));
        }
        // Only one answer was asked for.
        let Some(choice) = chunk.choices.into_iter().next() else {
            return;
        };
        let delta = choice.delta;
        // A server that fills both names writes the same words twice.
        let thinking = delta.reasoning_content.filter(|t| !t.is_empty()).or(delta.reasoning);
        out.extend(thinking.filter(|t| !t.is_empty()).map(ModelEvent::Thinking));
        for words in [delta.content, delta.refusal].into_iter().flatten() {
            if !words.is_empty() {
                out.push_back(ModelEvent::Text(words));
            }
        }
        for call in delta.tool_calls {
            self.take_call(call);
        }
        if let Some(reason) = choice.finish_reason.filter(|reason| !reason.is_empty()) {
            self.finish_reason = Some(reason);
        }
    }

    /// Whether a body that ended here was complete although no end mark came.
    pub(super) fn is_finished(&self, framed: bool) -> bool {
        self.finish_reason.is_some() && (framed || self.usage.is_some())
    }

    /// The events of the end: calls, usage, done.
    pub(super) fn finish(self) -> Result<Vec<ModelEvent>, ModelError> {
        let stop = match self.finish_reason.as_deref() {
            Some("length" | "max_tokens") => Stop::Length,
            _ if !self.calls.is_empty() => Stop::ToolCalls,
            Some(_) | None => Stop::End,
        };
        let mut events: Vec<ModelEvent> = Vec::with_capacity(self.calls.len() + 2);
        let mut ids: Vec<String> = Vec::with_capacity(self.calls.len());
        for (position, call) in self.calls.into_iter().enumerate() {
            let request = call.complete(position, &ids, stop)?;
            ids.push(request.id.clone());
            events.push(ModelEvent::ToolCall(request));
        }
        events.extend(self.usage.map(ModelEvent::Usage));
        events.push(ModelEvent::Done(stop));
        Ok(events)
    }

    fn take_call(&mut self, delta: CallDelta) {
        let id = delta.id.unwrap_or_default();
        let name = delta.function.name.unwrap_or_default();
        let call = self.call(delta.index, &id, &name);
        if call.id.is_empty() {
            call.id = id;
        }
        if call.name.is_empty() {
            call.name = name;
        }
        match delta.function.arguments {
            Some(Value::String(more)) => call.arguments.push_str(&more),
            Some(Value::Null) | None => {}
            Some(whole) => call.arguments.push_str(&whole.to_string()),
        }
    }

    /// The call a piece belongs to: by its index, but a new id with a name begins a new call,
    /// because some servers give every call the index 0 or none at all.
    fn call(&mut self, index: Option<usize>, id: &str, name: &str) -> &mut Call {
        let known = match index {
            Some(_) => self.calls.iter().rposition(|call| call.index == index),
            None => self.calls.len().checked_sub(1),
        };
        let at = match known {
            Some(at) if !begins_another(&self.calls[at], index, id, name) => at,
            Some(_) | None => {
                self.calls.push(Call { index, ..Call::default() });
                self.calls.len() - 1
            }
        };
        &mut self.calls[at]
    }
}

fn begins_another(call: &Call, index: Option<usize>, id: &str, name: &str) -> bool {
    if name.is_empty() || call.name.is_empty() {
        return false;
    }
    let other_id = !id.is_empty() && id != call.id;
    let no_marks = index.is_none() && id.is_empty();
    other_id || no_marks
}

impl Call {
    fn complete(
        self,
        position: usize,
        taken: &[String],
        stop: Stop,
    ) -> Result<CallRequest, ModelError> {
        if self.name.is_empty() {
            return Err(ModelError::Malformed { message: "it calls a tool without a name".into() });
        }
        // A tool without arguments is often called with nothing at all.
        let arguments =
            if self.arguments.trim().is_empty() { "{}".to_owned() } else { self.arguments };
        if serde_json::from_str::<IgnoredAny>(&arguments).is_err() {
            let why = match stop {
                Stop::Length => "the limit on its length was reached inside a call of",
                Stop::End | Stop::ToolCalls => "the arguments are not whole in its call of",
            };
            return Err(ModelError::Malformed { message: format!("{why} {}", self.name) });
        }
        let made_up = self.id.is_empty() || taken.contains(&self.id);
        let id = if made_up { format!("call_{position}") } else { self.id };
        Ok(CallRequest { id, name: self.name, arguments })
    }
}

fn read_usage(usage: &ChunkUsage) -> Usage {
    let details = usage.prompt_tokens_details.as_ref();
    Usage {
        input: usage.prompt_tokens,
        output: usage.completion_tokens,
        cache_read: details.map_or(0, |details| details.cached_tokens),
        cache_write: details.map_or(0, |details| details.cache_write_tokens),
    }
}

#[cfg(test)]
#[path = "assemble_tests.rs"]
mod tests;
