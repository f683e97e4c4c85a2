//! Puts the pieces of a streamed answer together.

use std::collections::VecDeque;

use serde_json::{Value, json};

use super::wire::{Block, Delta, Event, Tokens};
use crate::arguments::complete_all;
use crate::reading::{A_PART, Heard, Turn, parse};
use crate::{CallRequest, Kept, ModelError, ModelEvent, Protocol, Stop, Usage};

/// A turn under way.
#[derive(Debug, Default)]
pub(super) struct Answer {
    blocks: Vec<(usize, Open)>,
    /// How long the pieces are that were not told as words.
    held: usize,
    stop_reason: Option<String>,
    tokens: Tokens,
    counted: bool,
}

/// A block that has begun.
#[derive(Debug)]
enum Open {
    Text(String),
    Thinking { thinking: String, signature: String },
    Redacted(String),
    Call { id: String, name: String, input: Value, arguments: String },
}

impl Turn for Answer {
    fn take(&mut self, data: &[u8], out: &mut VecDeque<ModelEvent>) -> Result<Heard, ModelError> {
        match parse(data)? {
            Event::MessageStart { message } => self.count(message.usage),
            Event::ContentBlockStart { index, content_block } => {
                self.begin(index, content_block, out);
            }
            Event::ContentBlockDelta { index, delta } => self.go_on(index, delta, out)?,
            Event::MessageDelta { delta, usage } => {
                self.count(usage);
                self.stop_reason = delta.stop_reason.or(self.stop_reason.take());
            }
            Event::MessageStop => return Ok(Heard::End),
            Event::Error { error } => return Ok(Heard::Error(error)),
            Event::Other => {}
        }
        Ok(Heard::More)
    }

    fn held(&self) -> usize {
        self.held
    }

    fn grown(&self) -> u64 {
        (self.held as u64).saturating_add(usage(&self.tokens).tokens())
    }

    fn writing(&self) -> &str {
        match self.blocks.last() {
            Some((_, Open::Call { arguments, .. })) => arguments,
            Some((_, Open::Text(_) | Open::Thinking { .. } | Open::Redacted(_))) | None => "",
        }
    }

    fn cut(&mut self) {
        self.stop_reason = Some("max_tokens".to_owned());
    }

    /// The end mark is always sent, so without it something is missing.
    fn is_finished(&self, _: bool) -> bool {
        false
    }

    fn finish(self) -> Result<Vec<ModelEvent>, ModelError> {
        let has_calls = self.blocks.iter().any(|(_, block)| matches!(block, Open::Call { .. }));
        let stop = match self.stop_reason.as_deref() {
            Some("max_tokens" | "model_context_window_exceeded") => Stop::Length,
            Some("refusal") => return Err(ModelError::Declined { reason: "refusal".into() }),
            Some(_) | None if has_calls => Stop::ToolCalls,
            Some("pause_turn") => Stop::Paused,
            None if self.blocks.is_empty() => {
                return Err(ModelError::Malformed { message: "it is empty".into() });
            }
            Some(_) | None => Stop::End,
        };
        let mut kept = Kept::new(Protocol::Anthropic);
        let mut calls = Vec::new();
        for (_, block) in self.blocks {
            match block {
                Open::Text(text) => kept.text(&text),
                Open::Thinking { thinking, signature } => {
                    // Unsigned thoughts of others that speak this protocol are theirs to forget.
                    if !signature.is_empty() {
                        kept.own(json!({
                            "type": "thinking", "thinking": thinking, "signature": signature,
                        }));
                    }
                }
                Open::Redacted(data) => {
                    kept.own(json!({ "type": "redacted_thinking", "data": data }));
                }
                Open::Call { id, name, input, arguments } => {
                    kept.call(None);
                    calls.push(CallRequest::new(id, name, whole(&input, arguments)));
                }
            }
        }
        let calls = complete_all(calls, stop.into());
        let mut events: Vec<ModelEvent> = calls.into_iter().map(ModelEvent::ToolCall).collect();
        events.extend(kept.worth_keeping().map(ModelEvent::Kept));
        if self.counted {
            events.push(ModelEvent::Usage(usage(&self.tokens)));
        }
        events.push(ModelEvent::Done(stop));
        Ok(events)
    }
}

impl Answer {
    fn begin(&mut self, index: usize, block: Block, out: &mut VecDeque<ModelEvent>) {
        let open = match block {
            Block::Text { text } => {
                say(out, ModelEvent::Text, &text);
                Open::Text(text)
            }
            Block::Thinking { thinking, signature } => {
                self.held += signature.len();
                say(out, ModelEvent::Thinking, &thinking);
                Open::Thinking { thinking, signature }
            }
            Block::RedactedThinking { data } => {
                self.held += data.len();
                Open::Redacted(data)
            }
            Block::ToolUse { id, name, input } => {
                self.held += id.len() + name.len() + input.to_string().len();
                Open::Call { id, name, input, arguments: String::new() }
            }
            Block::Other => return,
        };
        self.held += A_PART;
        self.blocks.push((index, open));
    }

    fn go_on(
        &mut self,
        index: usize,
        delta: Delta,
        out: &mut VecDeque<ModelEvent>,
    ) -> Result<(), ModelError> {
        let open = self.blocks.iter_mut().rfind(|(at, _)| *at == index).map(|(_, open)| open);
        match (open, delta) {
            (Some(Open::Text(text)), Delta::Text { text: more }) => {
                text.push_str(&more);
                say(out, ModelEvent::Text, &more);
            }
            (Some(Open::Thinking { thinking, .. }), Delta::Thinking { thinking: more }) => {
                thinking.push_str(&more);
                say(out, ModelEvent::Thinking, &more);
            }
            (Some(Open::Thinking { signature, .. }), Delta::Signature { signature: more }) => {
                signature.push_str(&more);
                self.held += more.len();
            }
            (Some(Open::Call { arguments, .. }), Delta::Input { partial_json }) => {
                arguments.push_str(&partial_json);
                self.held += partial_json.len();
            }
            // More of a block of a kind that is new to us.
            (None, _) | (Some(_), Delta::Other) => {}
            (Some(_), _) => {
                let message = "a part of it belongs to no other part".to_owned();
                return Err(ModelError::Malformed { message });
            }
        }
        Ok(())
    }

    fn count(&mut self, tokens: Option<Tokens>) {
        let Some(new) = tokens else { return };
        let old = std::mem::take(&mut self.tokens);
        self.counted = true;
        self.tokens = Tokens {
            input_tokens: new.input_tokens.or(old.input_tokens),
            output_tokens: new.output_tokens.or(old.output_tokens),
            cache_creation_input_tokens: new
                .cache_creation_input_tokens
                .or(old.cache_creation_input_tokens),
            cache_read_input_tokens: new.cache_read_input_tokens.or(old.cache_read_input_tokens),
        };
    }
}

fn say(out: &mut VecDeque<ModelEvent>, event: fn(String) -> ModelEvent, words: &str) {
    if !words.is_empty() {
        out.push_back(event(words.to_owned()));
    }
}

/// Arguments come in pieces after an empty beginning, or at once.
fn whole(input: &Value, pieces: String) -> String {
    let at_once = pieces.is_empty() && input.as_object().is_some_and(|input| !input.is_empty());
    if at_once { input.to_string() } else { pieces }
}

/// Tokens from the cache and into it are counted beside those that were read plainly.
fn usage(tokens: &Tokens) -> Usage {
    let fresh = tokens.input_tokens.unwrap_or(0);
    let cache_read = tokens.cache_read_input_tokens.unwrap_or(0);
    let cache_write = tokens.cache_creation_input_tokens.unwrap_or(0);
    Usage {
        input: fresh.saturating_add(cache_read).saturating_add(cache_write),
        output: tokens.output_tokens.unwrap_or(0),
        cache_read,
        cache_write,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_tokens_than_can_be_counted_are_the_most() {
        let most = u64::MAX;
        let tokens = serde_json::from_value(serde_json::json!({ "input_tokens": most, "cache_read_input_tokens": most, "cache_creation_input_tokens": 1 })).unwrap();
        let used = usage(&tokens);
        assert_eq!(used.input, most);
        assert_eq!((used + used).input, most);
    }
}
