//! Puts the pieces of a streamed answer together.

use std::collections::VecDeque;

use serde_json::Value;

use super::wire::{Ended, Event, Incomplete, Tokens};
use crate::arguments::complete_all;
use crate::reading::{A_PART, Heard, Turn, parse};
use crate::{CallRequest, Kept, ModelError, ModelEvent, Protocol, Stop, Usage};

/// A turn under way.
#[derive(Debug)]
pub(super) struct Answer {
    kept: Kept,
    calls: Vec<CallRequest>,
    /// A call that has begun and not ended.
    begun: Option<CallRequest>,
    /// How long the items are that were not told as words.
    items: usize,
    /// How long the pieces of calls are. The items hold the same again.
    pieces: usize,
    end: Ended,
}

impl Default for Answer {
    fn default() -> Self {
        Self {
            kept: Kept::new(Protocol::OpenAiResponses),
            calls: Vec::new(),
            begun: None,
            items: 0,
            pieces: 0,
            end: Ended::default(),
        }
    }
}

impl Turn for Answer {
    fn take(&mut self, data: &[u8], out: &mut VecDeque<ModelEvent>) -> Result<Heard, ModelError> {
        // Some servers that speak this protocol add the end mark of the other one.
        if data == b"[DONE]" {
            return Ok(Heard::More);
        }
        match parse(data)? {
            Event::Words { delta } if !delta.is_empty() => out.push_back(ModelEvent::Text(delta)),
            Event::Thought { delta } if !delta.is_empty() => {
                out.push_back(ModelEvent::Thinking(delta));
            }
            Event::Paragraph { summary_index: 1.. } => {
                out.push_back(ModelEvent::Thinking("\n\n".to_owned()));
            }
            Event::Begun { item } => {
                self.begun = (item["type"] == "function_call").then(|| call(&item));
            }
            Event::Arguments { delta } => {
                self.pieces += delta.len();
                if let Some(begun) = &mut self.begun {
                    begun.arguments.push_str(&delta);
                }
            }
            Event::Item { item } => {
                // The words of a message were told, and what else is in it is forgotten.
                let own = match item["type"] == "message" {
                    true => item["phase"].as_str().map_or(0, str::len),
                    false => data.len(),
                };
                self.items += A_PART + own;
                self.begun = None;
                take_item(item, &mut self.kept, &mut self.calls);
            }
            Event::End { response } => {
                self.end = response;
                return Ok(Heard::End);
            }
            Event::Failed { response } => {
                return Ok(Heard::Error(response.error.unwrap_or_default()));
            }
            Event::Error(event) => {
                let inner = event.get("error").filter(|error| !error.is_null()).cloned();
                return Ok(Heard::Error(inner.unwrap_or(event)));
            }
            Event::Words { .. }
            | Event::Thought { .. }
            | Event::Paragraph { .. }
            | Event::Other => {}
        }
        Ok(Heard::More)
    }

    fn held(&self) -> usize {
        self.items.max(self.pieces)
    }

    /// Tokens are counted at the end only.
    fn grown(&self) -> u64 {
        (self.items as u64).saturating_add(self.pieces as u64)
    }

    fn writing(&self) -> &str {
        self.begun.as_ref().map_or("", |call| &call.arguments)
    }

    fn cut(&mut self) {
        let reason = Some("max_output_tokens".to_owned());
        self.end.incomplete_details = Some(Incomplete { reason });
    }

    /// The end mark is always sent, so without it something is missing.
    fn is_finished(&self, _: bool) -> bool {
        false
    }

    fn finish(self) -> Result<Vec<ModelEvent>, ModelError> {
        let Self { mut kept, mut calls, begun, end, .. } = self;
        // The limit was reached inside it.
        if let Some(begun) = begun {
            kept.call(None);
            calls.push(begun);
        }
        let stop = match end.incomplete_details.and_then(|details| details.reason).as_deref() {
            Some("content_filter") => {
                return Err(ModelError::Declined { reason: "content filter".into() });
            }
            Some(_) => Stop::Length,
            None if !calls.is_empty() => Stop::ToolCalls,
            None => Stop::End,
        };
        let calls = complete_all(calls, stop.into());
        let mut events: Vec<ModelEvent> = calls.into_iter().map(ModelEvent::ToolCall).collect();
        events.extend(kept.worth_keeping().map(ModelEvent::Kept));
        events.extend(end.usage.as_ref().map(|tokens| ModelEvent::Usage(usage(tokens))));
        events.push(ModelEvent::Done(stop));
        Ok(events)
    }
}

/// Sorts one finished item into calls and what is kept.
fn take_item(mut item: Value, kept: &mut Kept, calls: &mut Vec<CallRequest>) {
    match text(&item, "type").as_str() {
        // Nothing is stored there, so an item that is not sealed can't be found again.
        "reasoning" if item.get("encrypted_content").is_some_and(Value::is_string) => {
            if let Some(fields) = item.as_object_mut() {
                fields.remove("status");
            }
            kept.own(item);
        }
        "function_call" => {
            kept.call(None);
            calls.push(call(&item));
        }
        "message" => {
            let parts = item.get("content").and_then(Value::as_array);
            let words = parts.into_iter().flatten().map(|part| {
                let words = text(part, "text");
                if words.is_empty() { text(part, "refusal") } else { words }
            });
            let words: String = words.collect();
            match text(&item, "phase") {
                phase if phase.is_empty() => kept.text(&words),
                phase => kept.marked_text(&words, phase),
            }
        }
        _ => {}
    }
}

/// A call as far as it is known.
fn call(item: &Value) -> CallRequest {
    CallRequest::new(text(item, "call_id"), text(item, "name"), text(item, "arguments"))
}

fn text(item: &Value, field: &str) -> String {
    item.get(field).and_then(Value::as_str).unwrap_or_default().to_owned()
}

fn usage(tokens: &Tokens) -> Usage {
    let cached = tokens.input_tokens_details.as_ref();
    Usage {
        input: tokens.input_tokens,
        output: tokens.output_tokens,
        cache_read: cached.map_or(0, |cached| cached.cached_tokens),
        cache_write: cached.map_or(0, |cached| cached.cache_write_tokens),
    }
}
