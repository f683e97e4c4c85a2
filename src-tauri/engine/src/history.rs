//! The conversation as the model is shown it: a fold of the log into append-only bytes.

use crate::config::ModelRef;
use models::{CallRequest, Kept, Message, Protocol, Transcript};
use plan::{Event, Outcome, Text};

/// Finds the text behind a blob's hash.
pub(crate) trait Blobs {
    /// The text, if it is kept.
    fn text(&self, hash: &str) -> Option<String>;
}

/// The conversation of one room, encoded once per message.
pub(crate) struct History {
    transcript: Transcript,
    /// The model it is for: what other models thought is not told to it.
    reader: ModelRef,
    /// Calls of the last reply that have no result yet.
    open: usize,
    /// What was said meanwhile: providers want results right below their calls.
    held: Vec<Message>,
    /// Bytes of the summary it begins with.
    summary: usize,
}

impl History {
    pub(crate) fn new(protocol: Protocol, reader: ModelRef) -> Self {
        let transcript = Transcript::for_model(protocol, &reader.model);
        Self { transcript, reader, open: 0, held: Vec::new(), summary: 0 }
    }

    /// A conversation whose beginning was replaced by a summary.
    pub(crate) fn after(protocol: Protocol, reader: ModelRef, summary: String) -> Self {
        let mut history = Self::new(protocol, reader);
        history.transcript.push(&Message::Note { text: summary });
        history.summary = history.transcript.bytes();
        history
    }

    pub(crate) fn transcript(&self) -> &Transcript {
        &self.transcript
    }

    /// Whether it is in the form that this model reads.
    pub(crate) fn serves(&self, protocol: Protocol, reader: &ModelRef) -> bool {
        let same_form = self.transcript.protocol() == protocol;
        same_form && (self.reader == *reader || !protocol.is_bound_to_model())
    }

    /// Whether a summary of it would be worth its price: it has grown well beyond the last one.
    pub(crate) fn can_shrink(&self) -> bool {
        self.transcript.bytes() > 2 * self.summary.max(1_000)
    }

    /// Takes one event in; most are not part of the conversation.
    pub(crate) fn push(&mut self, event: &Event, blobs: &dyn Blobs) {
        match event {
            Event::Said { text, .. } => self.say(Message::User { text: whole(text, blobs) }),
            Event::Nudged { text } => self.say(Message::Note { text: text.clone() }),
            Event::Replied { model, text, calls, kept, .. } => {
                let text = whole(text, blobs);
                if text.is_empty() && calls.is_empty() {
                    return;
                }
                let kept = kept.as_ref().filter(|_| *model == self.reader.to_string());
                let kept = kept.and_then(|kept| read_kept(kept, blobs));
                let calls: Vec<CallRequest> = calls
                    .iter()
                    .map(|call| CallRequest {
                        id: call.id.to_string(),
                        name: tools::mcp::wire_name(&call.tool),
                        arguments: whole(&call.args, blobs),
                    })
                    .collect();
                self.open = calls.len();
                self.transcript.push(&Message::Assistant { text, calls, kept });
            }
            Event::CallEnded { call, outcome, result, nudge, .. } => {
                let mut text = whole(result, blobs);
                if let Some(nudge) = nudge {
                    text.push_str("\n\n");
                    text.push_str(nudge);
                }
                let failed = *outcome != Outcome::Ok;
                self.transcript.push(&Message::ToolResult { call: call.to_string(), text, failed });
                self.open = self.open.saturating_sub(1);
                if self.open == 0 {
                    for message in std::mem::take(&mut self.held) {
                        self.transcript.push(&message);
                    }
                }
            }
            // A compacted conversation is read anew from the log, from where it was cut.
            Event::Compacted { .. }
            | Event::RoomCreated { .. }
            | Event::RoomRenamed { .. }
            | Event::RoomMoved { .. }
            | Event::RoomArchived { .. }
            | Event::ModeChanged { .. }
            | Event::Spent { .. }
            | Event::Trouble { .. }
            | Event::CallBegan { .. }
            | Event::Warned { .. }
            | Event::AskRaised { .. }
            | Event::AskAnswered { .. }
            | Event::AskWithdrawn { .. }
            | Event::RuleKept { .. }
            | Event::PlanWritten { .. }
            | Event::PlanRevised { .. }
            | Event::ApprovalRequested
            | Event::Approved { .. }
            | Event::SentBack { .. }
            | Event::Started
            | Event::StepStarted { .. }
            | Event::StepDone { .. }
            | Event::StepFailed { .. }
            | Event::StepSkipped { .. }
            | Event::StepReopened { .. }
            | Event::StepMayChange { .. }
            | Event::Granted { .. }
            | Event::AttemptFailed { .. }
            | Event::AttemptsReset { .. }
            | Event::Repeated { .. }
            | Event::Paused { .. }
            | Event::Resumed { .. }
            | Event::CapWarned { .. }
            | Event::PlanDone { .. }
            | Event::PlanFailed { .. }
            | Event::PlanCancelled { .. } => {}
        }
    }

    fn say(&mut self, message: Message) {
        if self.open > 0 {
            self.held.push(message);
        } else {
            self.transcript.push(&message);
        }
    }
}

/// What was kept for the provider, unless it is no longer whole.
fn read_kept(kept: &Text, blobs: &dyn Blobs) -> Option<Kept> {
    let text = match kept {
        Text::Inline(text) => text.clone(),
        Text::Blob { blob, .. } => blobs.text(blob)?,
    };
    serde_json::from_str(&text).ok()
}

/// The whole text, from beside the log if need be.
pub(crate) fn whole(text: &Text, blobs: &dyn Blobs) -> String {
    match text {
        Text::Inline(text) => text.clone(),
        Text::Blob { blob, head, .. } => match blobs.text(blob) {
            Some(text) => text,
            None => format!("{head}… (the rest is no longer kept)"),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plan::{Actor, CallId, MessageId, Surface, Usage};

    struct NoBlobs;

    impl Blobs for NoBlobs {
        fn text(&self, _: &str) -> Option<String> {
            None
        }
    }

    /// A turn of one model that thought and called, and the failure of its call.
    fn turn_of(model: &str) -> [Event; 3] {
        let id = CallId(crate::fresh_id());
        let kept = r#"{"protocol":"anthropic","pieces":[{"own":{"type":"thinking","thinking":"Hm.","signature":"signed"}},{"call":{}}]}"#;
        let args = Text::from("{}");
        let call = plan::CallRequest {
            id,
            provider_id: "toolu_1".to_owned(),
            tool: "shell".to_owned(),
            args,
        };
        [
            Event::Said {
                message: MessageId(crate::fresh_id()),
                text: Text::from("go"),
                by: Actor::person("me", Surface::Window),
            },
            Event::Replied {
                model: model.to_owned(),
                text: Text::from(""),
                thinking: None,
                calls: vec![call],
                kept: Some(Text::from(kept)),
                usage: Usage::default(),
                seen: 1,
            },
            Event::CallEnded {
                call: id,
                outcome: Outcome::Failed,
                result: Text::from("exit 1"),
                nudge: None,
                changed: Vec::new(),
                ms: 0,
            },
        ]
    }

    fn told(protocol: Protocol, reader: &ModelRef) -> String {
        let mut history = History::new(protocol, reader.clone());
        for event in turn_of("anthropic/claude-opus-5-5") {
            history.push(&event, &NoBlobs);
        }
        String::from_utf8(history.transcript().snapshot().chunks().concat()).unwrap()
    }

    #[test]
    fn thoughts_are_told_to_the_model_that_had_them_and_to_no_other() {
        let own = ModelRef::new("anthropic", "claude-opus-5-5");
        assert!(told(Protocol::Anthropic, &own).contains("signed"));
        let smaller = ModelRef::new("anthropic", "claude-haiku-5-5");
        let elsewhere = ModelRef::new("proxy", "claude-opus-5-5");
        for other in [&smaller, &elsewhere] {
            let told = told(Protocol::Anthropic, other);
            assert!(!told.contains("signed"), "{told}");
            assert!(told.contains(r#""content":"exit 1","is_error":true"#), "{told}");
        }
        let history = History::new(Protocol::Anthropic, own.clone());
        assert!(history.serves(Protocol::Anthropic, &own));
        assert!(!history.serves(Protocol::Anthropic, &smaller));
        assert!(!history.serves(Protocol::Gemini, &own));
        let chat = History::new(Protocol::OpenAiChat, own);
        assert!(chat.serves(Protocol::OpenAiChat, &smaller), "nothing in it is one model's");
    }
}
