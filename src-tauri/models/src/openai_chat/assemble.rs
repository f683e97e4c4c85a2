//! Puts the pieces of a streamed answer together.

use std::collections::VecDeque;

use serde_json::Value;

use super::content::Part;
use super::wire::{CallDelta, Chunk, ChunkUsage};
use crate::arguments::{Ended, complete_all};
use crate::reading::{A_PART, Heard, Turn, parse};
use crate::{CallRequest, ModelError, ModelEvent, Stop, Usage};

/// The reasons to finish that mean that the model was done, also as other protocols name them.
const GOOD_REASONS: [&str; 7] =
    ["stop", "tool_calls", "function_call", "eos", "eos_token", "end_turn", "tool_use"];

/// A turn under way.
#[derive(Debug, Default)]
pub(super) struct Chat {
    calls: Vec<Call>,
    /// How long the calls are.
    held: usize,
    has_words: bool,
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

impl Turn for Chat {
    const ERROR_FIELD: bool = true;

    fn take(&mut self, data: &[u8], out: &mut VecDeque<ModelEvent>) -> Result<Heard, ModelError> {
        if data == b"[DONE]" {
            return Ok(Heard::End);
        }
        let chunk: Chunk = parse(data)?;
        if let Some(error) = chunk.error {
            return Ok(Heard::Error(error));
        }
        self.take_chunk(chunk, out);
        Ok(Heard::More)
    }

    fn held(&self) -> usize {
        self.held
    }

    fn grown(&self) -> u64 {
        (self.held as u64).saturating_add(self.usage.map_or(0, Usage::tokens))
    }

    fn writing(&self) -> &str {
        self.calls.last().map_or("", |call| &call.arguments)
    }

    fn cut(&mut self) {
        self.finish_reason = Some("length".to_owned());
    }

    /// Words and calls are whole once there is a reason to finish; only the usage may be lost.
    fn is_finished(&self, _: bool) -> bool {
        self.finish_reason.is_some()
    }

    fn finish(self) -> Result<Vec<ModelEvent>, ModelError> {
        let stop = match self.finish_reason.as_deref() {
            Some("length" | "max_tokens" | "model_length") => Stop::Length,
            Some("insufficient_system_resource") => {
                return Err(ModelError::Overloaded { retry_after: None });
            }
            // Some add in their own words what was found.
            Some(reason) if reason.starts_with("content_filter") => {
                return Err(ModelError::Declined { reason: reason.replace('_', " ") });
            }
            Some(reason @ "error") => {
                return Err(ModelError::Malformed { message: format!("it broke off ({reason})") });
            }
            _ if !self.calls.is_empty() => Stop::ToolCalls,
            Some("tool_calls" | "function_call") if !self.has_words => {
                let message = "it names calls, and none came".into();
                return Err(ModelError::Malformed { message });
            }
            None if !self.has_words => {
                return Err(ModelError::Malformed { message: "it is empty".into() });
            }
            Some(_) | None => Stop::End,
        };
        let ended = match self.finish_reason.as_deref() {
            _ if stop == Stop::Length => Ended::Length,
            Some(reason) if GOOD_REASONS.contains(&reason) => Ended::Well,
            // A reason of a server's own may mean that the answer was cut.
            Some(_) | None => Ended::Unsaid,
        };
        let calls = complete_all(self.calls.into_iter().map(Call::request), ended);
        let mut events: Vec<ModelEvent> = calls.into_iter().map(ModelEvent::ToolCall).collect();
        events.extend(self.usage.map(ModelEvent::Usage));
        events.push(ModelEvent::Done(stop));
        Ok(events)
    }
}

impl Chat {
    fn take_chunk(&mut self, chunk: Chunk, out: &mut VecDeque<ModelEvent>) {
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
        let refusal = delta.refusal.map(Part::Words);
        for part in delta.content.into_iter().chain(refusal) {
            match part {
                Part::Words(words) if !words.is_empty() => {
                    self.has_words = true;
                    out.push_back(ModelEvent::Text(words));
                }
                Part::Thinking(words) if !words.is_empty() => {
                    out.push_back(ModelEvent::Thinking(words));
                }
                Part::Words(_) | Part::Thinking(_) => {}
            }
        }
        // A server that fills both names the same call twice.
        let older = delta.function_call.filter(|_| delta.tool_calls.is_empty());
        let older = older.filter(|function| !function.is_empty());
        let older = older.map(|function| CallDelta { index: Some(0), id: None, function });
        for call in delta.tool_calls.into_iter().chain(older) {
            self.take_call(call);
        }
        if let Some(reason) = choice.finish_reason.filter(|reason| !reason.is_empty()) {
            self.finish_reason = Some(reason);
        }
    }

    fn take_call(&mut self, delta: CallDelta) {
        let id = delta.id.unwrap_or_default();
        let name = delta.function.name.unwrap_or_default();
        let call = self.call(delta.index, &id, &name);
        let mut new = 0;
        // Some servers repeat both with every piece.
        if call.id.is_empty() {
            new += id.len();
            call.id = id;
        }
        if call.name.is_empty() {
            new += name.len();
            call.name = name;
        }
        let more = match delta.function.arguments {
            Some(Value::String(more)) => more,
            Some(Value::Null) | None => String::new(),
            Some(whole) => whole.to_string(),
        };
        call.arguments.push_str(&more);
        self.held += new + more.len();
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
                self.held += A_PART;
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
    fn request(self) -> CallRequest {
        CallRequest::new(self.id, self.name, self.arguments)
    }
}

fn read_usage(usage: &ChunkUsage) -> Usage {
    let details = usage.prompt_tokens_details.as_ref();
    let reasoning = usage.completion_tokens_details.as_ref().map_or(0, |d| d.reasoning_tokens);
    let beside =
        usage.prompt_tokens.saturating_add(usage.completion_tokens).saturating_add(reasoning);
    // xAI counts reasoning beside the answer, all others within it; the sum tells.
    let output = if usage.total_tokens == beside { reasoning } else { 0 };
    Usage {
        input: usage.prompt_tokens,
        output: usage.completion_tokens.saturating_add(output),
        cache_read: details.map_or(0, |details| details.cached_tokens),
        cache_write: details.map_or(0, |details| details.cache_write_tokens),
    }
}

#[cfg(test)]
#[path = "assemble_tests.rs"]
mod tests;
