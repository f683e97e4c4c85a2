//! Puts the pieces of a streamed answer together.

use std::collections::VecDeque;

use serde_json::json;

use super::wire::{Chunk, Part, Tokens};
use crate::arguments::complete_all;
use crate::reading::{A_PART, Heard, Turn, parse};
use crate::{CallRequest, Kept, ModelError, ModelEvent, Protocol, Stop, Usage};

/// The reason to finish where the model wrote a call that its provider can't read.
const UNREADABLE: &str = "MALFORMED_FUNCTION_CALL";
/// What stands before the name of a tool in such a call.
const PREFIX: &str = "default_api";

/// A turn under way.
#[derive(Debug)]
pub(super) struct Answer {
    kept: Kept,
    calls: Vec<CallRequest>,
    /// How long the calls and the marks are.
    held: usize,
    has_words: bool,
    /// Whether its call is one that the provider could not read.
    unreadable: bool,
    finish_reason: Option<String>,
    usage: Option<Usage>,
}

impl Default for Answer {
    fn default() -> Self {
        Self {
            kept: Kept::new(Protocol::Gemini),
            calls: Vec::new(),
            held: 0,
            has_words: false,
            unreadable: false,
            finish_reason: None,
            usage: None,
        }
    }
}

impl Turn for Answer {
    const ERROR_FIELD: bool = true;

    fn take(&mut self, data: &[u8], out: &mut VecDeque<ModelEvent>) -> Result<Heard, ModelError> {
        let chunk: Chunk = parse(data)?;
        if let Some(error) = chunk.error {
            return Ok(Heard::Error(error));
        }
        if let Some(reason) = chunk.prompt_feedback.and_then(|feedback| feedback.block_reason) {
            return Err(declined(&reason));
        }
        // It counts on in every piece: the last one holds.
        self.usage = chunk.usage_metadata.as_ref().map(usage).or(self.usage);
        // Only one answer was asked for.
        let Some(candidate) = chunk.candidates.into_iter().next() else {
            return Ok(Heard::More);
        };
        for part in candidate.content.parts {
            self.take_part(part, out);
        }
        if let Some(reason) = candidate.finish_reason.filter(|reason| !reason.is_empty()) {
            if reason == UNREADABLE {
                self.take_unreadable(&candidate.finish_message.unwrap_or_default());
            }
            self.finish_reason = Some(reason);
        }
        Ok(Heard::More)
    }

    fn held(&self) -> usize {
        self.held
    }

    fn grown(&self) -> u64 {
        (self.held as u64).saturating_add(self.usage.map_or(0, Usage::tokens))
    }

    fn cut(&mut self) {
        self.finish_reason = Some("MAX_TOKENS".to_owned());
    }

    /// There is no end mark but the reason to finish.
    fn is_finished(&self, framed: bool) -> bool {
        self.finish_reason.is_some() && (framed || self.usage.is_some())
    }

    fn finish(self) -> Result<Vec<ModelEvent>, ModelError> {
        let stop = self.stop()?;
        let calls = complete_all(self.calls, stop.into());
        if calls.is_empty() && !self.has_words && stop == Stop::End {
            return Err(ModelError::Malformed { message: "it is empty".into() });
        }
        let mut events: Vec<ModelEvent> = calls.into_iter().map(ModelEvent::ToolCall).collect();
        events.extend(self.kept.worth_keeping().map(ModelEvent::Kept));
        events.extend(self.usage.map(ModelEvent::Usage));
        events.push(ModelEvent::Done(stop));
        Ok(events)
    }
}

impl Answer {
    fn take_part(&mut self, part: Part, out: &mut VecDeque<ModelEvent>) {
        let mark = part.thought_signature.filter(|mark| !mark.is_empty());
        self.held += mark.as_ref().map_or(0, |mark| A_PART + mark.len());
        if let Some(call) = part.function_call {
            self.kept.call(mark);
            let arguments = call.args.filter(|args| !args.is_null());
            let arguments = arguments.map_or_else(String::new, |args| args.to_string());
            self.held += A_PART + call.id.len() + call.name.len() + arguments.len();
            self.calls.push(CallRequest::new(call.id, call.name, arguments));
            return;
        }
        let text = part.text.unwrap_or_default();
        if part.thought {
            if let Some(mark) = mark {
                let own = json!({ "text": text, "thought": true, "thoughtSignature": mark });
                self.kept.own(own);
            }
            if !text.is_empty() {
                out.push_back(ModelEvent::Thinking(text));
            }
            return;
        }
        match mark {
            Some(mark) => self.kept.marked_text(&text, mark),
            None => self.kept.text(&text),
        }
        if !text.is_empty() {
            self.has_words = true;
            out.push_back(ModelEvent::Text(text));
        }
    }

    /// A call that the provider could not read is told in words of its own, with the code that the
    /// model wrote.
    fn take_unreadable(&mut self, message: &str) {
        let Some((_, code)) = message.split_once(PREFIX) else { return };
        // Nobody knows what is wrong with calls that it could read.
        if !self.calls.is_empty() {
            return;
        }
        self.unreadable = true;
        let code = code.trim_start_matches(['.', ':']);
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        let end = code.find(|c| !is_part(c)).unwrap_or(code.len());
        let (name, arguments) = code.split_at(end);
        self.held += A_PART + code.len();
        self.kept.call(None);
        self.calls.push(CallRequest::new("", name, arguments));
    }

    fn stop(&self) -> Result<Stop, ModelError> {
        let has_calls = !self.calls.is_empty();
        match self.finish_reason.as_deref() {
            Some("MAX_TOKENS") => Ok(Stop::Length),
            Some(UNREADABLE) if self.unreadable => Ok(Stop::ToolCalls),
            Some("STOP" | "FINISH_REASON_UNSPECIFIED") | None if has_calls => Ok(Stop::ToolCalls),
            Some("STOP" | "FINISH_REASON_UNSPECIFIED") | None => Ok(Stop::End),
            Some(
                reason @ (UNREADABLE
                | "UNEXPECTED_TOOL_CALL"
                | "TOO_MANY_TOOL_CALLS"
                | "MISSING_THOUGHT_SIGNATURE"
                | "MALFORMED_RESPONSE"
                | "OTHER"),
            ) => Err(ModelError::Malformed { message: format!("it broke off ({reason})") }),
            Some(reason) => Err(declined(reason)),
        }
    }
}

fn declined(reason: &str) -> ModelError {
    ModelError::Declined { reason: reason.to_lowercase().replace('_', " ") }
}

fn usage(tokens: &Tokens) -> Usage {
    Usage {
        input: tokens.prompt_token_count.saturating_add(tokens.tool_use_prompt_token_count),
        output: tokens.candidates_token_count.saturating_add(tokens.thoughts_token_count),
        cache_read: tokens.cached_content_token_count,
        cache_write: 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_tokens_than_can_be_counted_are_the_most() {
        let most = u64::MAX;
        let tokens = serde_json::from_value(serde_json::json!({ "promptTokenCount": most, "toolUsePromptTokenCount": 1, "candidatesTokenCount": most, "thoughtsTokenCount": 1 })).unwrap();
        let used = usage(&tokens);
        assert_eq!(used.input, most);
        assert_eq!((used + used).input, most);
    }
}
