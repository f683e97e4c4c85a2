//! The conversation as the model is shown it: a fold of the log into append-only bytes.

use models::{CallRequest, Message, Protocol, Transcript};
use plan::{Event, Text};

/// Finds the text behind a blob's hash.
pub(crate) trait Blobs {
    /// The text, if it is kept.
    fn text(&self, hash: &str) -> Option<String>;
}

/// The conversation of one room, encoded once per message.
pub(crate) struct History {
    transcript: Transcript,
    /// Calls of the last reply that have no result yet.
    open: usize,
    /// What was said meanwhile: providers want results right below their calls.
    held: Vec<Message>,
    /// Bytes of the summary it begins with.
    summary: usize,
}

impl History {
    pub(crate) fn new(protocol: Protocol) -> Self {
        Self { transcript: Transcript::new(protocol), open: 0, held: Vec::new(), summary: 0 }
    }

    /// A conversation whose beginning was replaced by a summary.
    pub(crate) fn after(protocol: Protocol, summary: String) -> Self {
        let mut history = Self::new(protocol);
        history.transcript.push(&Message::Note { text: summary });
        history.summary = history.transcript.bytes();
        history
    }

    pub(crate) fn transcript(&self) -> &Transcript {
        &self.transcript
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
            Event::Replied { text, calls, .. } => {
                let text = whole(text, blobs);
                if text.is_empty() && calls.is_empty() {
                    return;
                }
                let calls: Vec<CallRequest> = calls
                    .iter()
                    .map(|call| CallRequest {
                        id: call.id.to_string(),
                        name: call.tool.clone(),
                        arguments: whole(&call.args, blobs),
                    })
                    .collect();
                self.open = calls.len();
                self.transcript.push(&Message::Assistant { text, calls });
            }
            Event::CallEnded { call, result, nudge, .. } => {
                let mut text = whole(result, blobs);
                if let Some(nudge) = nudge {
                    text.push_str("\n\n");
                    text.push_str(nudge);
                }
                self.transcript.push(&Message::ToolResult { call: call.to_string(), text });
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
