//! The conversation as the model is shown it: a fold of the log into append-only bytes.

mod council_notes;

use crate::config::{Config, ModelRef};
use council_notes::CouncilNotes;
use models::{CallRequest, Image, Kept, Message, Protocol, Snapshot, Transcript};
use plan::{Event, Outcome, Picture, Text};

/// Finds what is behind a blob's hash.
pub(crate) trait Blobs {
    /// The bytes, if they are kept.
    fn bytes(&self, hash: &str) -> Option<Vec<u8>>;

    /// The text, if it is kept.
    fn text(&self, hash: &str) -> Option<String> {
        String::from_utf8(self.bytes(hash)?).ok()
    }
}

/// Who a conversation is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Reader {
    /// What other models thought is not told to it.
    pub(crate) model: ModelRef,
    /// Whether it can be shown pictures.
    pub(crate) sees: bool,
}

impl Reader {
    pub(crate) fn of(config: &Config, model: ModelRef) -> Self {
        let sees = config.facts(&model).vision.unwrap_or(true);
        Self { model, sees }
    }
}

/// What is left out of a conversation that its provider refused.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Less {
    /// What was kept of the model's own reasoning.
    pub(crate) kept: bool,
    /// What tools showed.
    pub(crate) pictures: bool,
}

/// What the winner of a council is told when its plan is done.
pub(crate) const REVIEW: &str = "Plan harness: the plan is done. Judge its result. If the task is solved, call \
submit. If it is not, call restart_orchestration with the reason and with instructions for the next \
attempt.";
/// The words a conversation begins with that holds only the plan.
const CARRY_OUT: &str = "The plan is approved. Carry it out, step by step.";

/// The conversation of one room, encoded once per message.
pub(crate) struct History {
    transcript: Transcript,
    reader: Reader,
    /// What is left out of what is pushed.
    less: Less,
    /// Whether some reasoning is told again.
    tells_kept: bool,
    /// Calls of the last reply that have no result yet.
    open: usize,
    /// What was said since the model was last asked, by its event. It has no place yet: an answer
    /// to an earlier question comes before it, and so do the results of the calls in that answer.
    waiting: Vec<(u64, Message)>,
    councils: CouncilNotes,
    /// Bytes of the summary it begins with.
    summary: usize,
}

impl History {
    pub(crate) fn new(protocol: Protocol, reader: Reader) -> Self {
        let transcript = Transcript::for_model(protocol, &reader.model.model);
        Self {
            transcript,
            reader,
            less: Less::default(),
            tells_kept: false,
            open: 0,
            waiting: Vec::new(),
            councils: CouncilNotes::default(),
            summary: 0,
        }
    }

    /// A conversation whose beginning was replaced by a summary.
    pub(crate) fn after(protocol: Protocol, reader: Reader, summary: String) -> Self {
        let mut history = Self::new(protocol, reader);
        // From the person's side: some models answer nothing without such a message.
        history.transcript.push(&Message::User { text: summary });
        history.summary = history.transcript.bytes();
        history
    }

    /// A conversation that begins with an approved plan, which is told beside it. Some servers
    /// answer nothing that no person asked.
    pub(crate) fn fresh(protocol: Protocol, reader: Reader) -> Self {
        let mut history = Self::new(protocol, reader);
        history.transcript.push(&Message::User { text: CARRY_OUT.to_owned() });
        history
    }

    /// All of it, for a model that is asked now: an answer to this comes after what was said up to
    /// here, and before all that is said later.
    pub(crate) fn shown(&mut self) -> Snapshot {
        if self.open == 0 {
            self.place(u64::MAX);
        }
        self.transcript.snapshot()
    }

    /// A rough number of tokens.
    pub(crate) fn estimated_tokens(&self) -> u64 {
        self.transcript.estimated_tokens() + (self.waiting_bytes() as u64).div_ceil(4)
    }

    /// Whether it is in the form that this model reads.
    pub(crate) fn serves(&self, protocol: Protocol, reader: &Reader) -> bool {
        let same_form = self.transcript.protocol() == protocol && self.reader.sees == reader.sees;
        same_form && (self.reader.model == reader.model || !protocol.is_bound_to_model())
    }

    /// Leaves this out of what is pushed from now on.
    pub(crate) fn leave_out(&mut self, less: Less) {
        self.less = less;
    }

    /// What there is in it that a provider may refuse.
    pub(crate) fn can_leave_out(&self) -> Less {
        Less { kept: self.tells_kept, pictures: self.transcript.has_pictures() }
    }

    /// Whether a summary of it would be worth its price: it has grown well beyond the last one.
    pub(crate) fn can_shrink(&self) -> bool {
        self.transcript.bytes() + self.waiting_bytes() > 2 * self.summary.max(1_000)
    }

    /// Takes in the event with this sequence; most are not part of the conversation.
    pub(crate) fn push(&mut self, seq: u64, event: &Event, blobs: &dyn Blobs) {
        match event {
            Event::Said { text, .. } => {
                if !self.councils.hears(text) {
                    self.waiting.push((seq, Message::User { text: whole(text, blobs) }));
                }
            }
            Event::Nudged { text, .. } => {
                self.waiting.push((seq, Message::Note { text: text.clone() }));
            }
            Event::Briefed { task, context, .. } => {
                if let Some(context) = context {
                    self.waiting.push((seq, Message::Note { text: whole(context, blobs) }));
                }
                self.waiting.push((seq, Message::User { text: whole(task, blobs) }));
            }
            Event::CouncilStarted { council, task, .. } => self.councils.started(*council, task),
            Event::CouncilAnswered { .. }
            | Event::CouncilDecided { .. }
            | Event::CouncilRestarted { .. } => self.councils.goes_on(event),
            Event::CouncilEnded { state, reason } => {
                let told = self.councils.ended(*state, reason, blobs);
                self.waiting.extend(told.map(|told| (seq, told)));
            }
            Event::MemberTold { text, .. } => {
                self.waiting.push((seq, Message::User { text: whole(text, blobs) }));
            }
            Event::CouncilHandedOver { text } => {
                self.waiting.push((seq, self.councils.handed_over(blobs)));
                self.waiting.push((seq, Message::Note { text: whole(text, blobs) }));
            }
            Event::CouncilReviewBegan => {
                self.waiting.push((seq, Message::Note { text: REVIEW.to_owned() }));
            }
            Event::Replied { model, text, calls, kept, seen, .. } => {
                self.place(*seen);
                let text = whole(text, blobs);
                if text.is_empty() && calls.is_empty() {
                    return;
                }
                let is_own = *model == self.reader.model.to_string();
                let kept = kept.as_ref().filter(|_| is_own && !self.less.kept);
                let kept = kept.and_then(|kept| read_kept(kept, blobs));
                self.tells_kept |= kept.is_some();
                let calls: Vec<CallRequest> = calls
                    .iter()
                    .map(|call| {
                        let name = tools::mcp::wire_name(&call.tool);
                        CallRequest::new(call.id.to_string(), name, whole(&call.args, blobs))
                    })
                    .collect();
                self.open = calls.len();
                self.transcript.push(&Message::Assistant { text, calls, kept });
            }
            // Its call was said before this conversation begins.
            Event::CallEnded { .. } if self.open == 0 => {}
            Event::CallEnded { call, outcome, result, nudge, images, .. } => {
                let mut text = whole(result, blobs);
                let images = self.pictures(images, blobs, &mut text);
                if let Some(nudge) = nudge {
                    text.push_str("\n\n");
                    text.push_str(nudge);
                }
                let failed = *outcome != Outcome::Ok;
                let call = call.to_string();
                self.transcript.push(&Message::ToolResult { call, text, images, failed });
                self.open = self.open.saturating_sub(1);
            }
            // A compacted conversation is read anew from the log, from where it was cut.
            Event::Compacted { .. }
            | Event::RoomCreated { .. }
            | Event::RoomRenamed { .. }
            | Event::RoomMoved { .. }
            | Event::RoomArchived { .. }
            | Event::ModeChanged { .. }
            | Event::Spent { .. }
            | Event::SidekickQueued { .. }
            | Event::SidekickStarted
            | Event::SidekickEnded { .. }
            | Event::SidekickReported
            | Event::PlanningBegan { .. }
            | Event::Trouble { .. }
            | Event::Delegated { .. }
            | Event::UsedBelow { .. }
            | Event::CallBegan { .. }
            | Event::CouncilAsked { .. }
            | Event::CouncilNotNew { .. }
            | Event::CouncilVoted { .. }
            | Event::CouncilVoteDropped { .. }
            | Event::CouncilMemberWaits { .. }
            | Event::CouncilMemberFailed { .. }
            | Event::CouncilMemberRetried { .. }
            | Event::CouncilPaused { .. }
            | Event::CouncilResumed { .. }
            | Event::MemberRested { .. }
            | Event::MemberFailed { .. }
            | Event::Warned { .. }
            | Event::AskRaised { .. }
            | Event::AskAnswered { .. }
            | Event::AskWithdrawn { .. }
            | Event::RuleKept { .. }
            | Event::RuleRaised { .. }
            | Event::RuleForgotten { .. }
            | Event::PlanWritten { .. }
            | Event::PlanRevised { .. }
            | Event::ApprovalRequested
            | Event::Approved { .. }
            | Event::SentBack { .. }
            | Event::Started
            | Event::StepStarted { .. }
            | Event::StepHanded { .. }
            | Event::StepPutBack { .. }
            | Event::CopyMade { .. }
            | Event::MergeBegan { .. }
            | Event::Merged { .. }
            | Event::CopyDropped { .. }
            | Event::StepUsed { .. }
            | Event::StepDone { .. }
            | Event::StepFailed { .. }
            | Event::StepSkipped { .. }
            | Event::StepReopened { .. }
            | Event::StepMayChange { .. }
            | Event::CheckFailed { .. }
            | Event::ErrorReported { .. }
            | Event::StepStopped { .. }
            | Event::PauseAfterStep { .. }
            | Event::Granted { .. }
            | Event::AttemptFailed { .. }
            | Event::AttemptsReset { .. }
            | Event::Repeated { .. }
            | Event::Paused { .. }
            | Event::Resumed { .. }
            | Event::Refilled { .. }
            | Event::PlanHeld { .. }
            | Event::SplitRefused { .. }
            | Event::SynthesisBegan
            | Event::CapWarned { .. }
            | Event::PlanDone { .. }
            | Event::PlanFailed { .. }
            | Event::PlanCancelled { .. } => {}
        }
    }

    /// The pictures of a result; of those that can't be shown the text tells.
    fn pictures(&self, pictures: &[Picture], blobs: &dyn Blobs, text: &mut String) -> Vec<Image> {
        let mut images = Vec::new();
        for picture in pictures {
            if !self.reader.sees {
                text.push_str("\n[not shown: this model takes no images]");
            } else if self.less.pictures {
                text.push_str("\n[no longer shown: the provider refused it]");
            } else if let Some(bytes) = blobs.bytes(&picture.blob) {
                images.push(Image { mime: picture.mime.clone(), bytes });
            } else {
                text.push_str("\n[no longer kept]");
            }
        }
        images
    }

    /// Puts what was said up to an event where it stays.
    fn place(&mut self, upto: u64) {
        let known = self.waiting.iter().take_while(|(seq, _)| *seq <= upto).count();
        for (_, message) in self.waiting.drain(..known) {
            self.transcript.push(&message);
        }
    }

    fn waiting_bytes(&self) -> usize {
        let bytes = |(_, message): &(u64, Message)| match message {
            Message::User { text } | Message::Note { text } => text.len(),
            Message::Assistant { .. } | Message::ToolResult { .. } => 0,
        };
        self.waiting.iter().map(bytes).sum()
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
        fn bytes(&self, _: &str) -> Option<Vec<u8>> {
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
            sent: None,
            cut: false,
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
                planning: false,
                repeats: false,
            },
            Event::CallEnded {
                call: id,
                outcome: Outcome::Failed,
                result: Text::from("exit 1"),
                nudge: None,
                changed: Vec::new(),
                images: Vec::new(),
                ms: 0,
            },
        ]
    }

    fn bytes(history: &mut History) -> String {
        String::from_utf8(history.shown().chunks().concat()).unwrap()
    }

    fn reader(provider: &str, model: &str) -> Reader {
        Reader { model: ModelRef::new(provider, model), sees: true }
    }

    fn told(protocol: Protocol, reader: &Reader) -> String {
        let mut history = History::new(protocol, reader.clone());
        for (seq, event) in (1..).zip(turn_of("anthropic/claude-opus-5-5")) {
            history.push(seq, &event, &NoBlobs);
        }
        bytes(&mut history)
    }

    #[test]
    fn thoughts_are_told_to_the_model_that_had_them_and_to_no_other() {
        let own = reader("anthropic", "claude-opus-5-5");
        assert!(told(Protocol::Anthropic, &own).contains("signed"));
        let smaller = reader("anthropic", "claude-haiku-5-5");
        let elsewhere = reader("proxy", "claude-opus-5-5");
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
        let blind = Reader { sees: false, ..smaller };
        assert!(!chat.serves(Protocol::OpenAiChat, &blind), "it may hold pictures");
    }

    fn said(words: &str) -> Event {
        let (message, by) = (MessageId(crate::fresh_id()), Actor::person("me", Surface::Window));
        Event::Said { message, text: Text::from(words), by }
    }

    fn answered(words: &str, calls: Vec<plan::CallRequest>, seen: u64) -> Event {
        Event::Replied {
            model: "far/m".to_owned(),
            text: Text::from(words),
            thinking: None,
            calls,
            kept: None,
            usage: Usage::default(),
            seen,
            planning: false,
            repeats: false,
        }
    }

    /// Questions 1 to 4, of which 2 comes during the answer to 1, and 3 during an answer that was
    /// dropped; then a call, during which 4 is said.
    fn talk() -> Vec<Event> {
        let [_, _, mut ended] = turn_of("far/m");
        let Event::CallEnded { call, .. } = &mut ended else { unreachable!() };
        let request = plan::CallRequest {
            id: *call,
            provider_id: "c1".to_owned(),
            tool: "shell".to_owned(),
            args: Text::from("{}"),
            sent: None,
            cut: false,
        };
        let note = Event::Nudged { text: "news 2".to_owned(), from: None, quiet: true };
        vec![
            said("question 1"),
            said("question 2"),
            note,
            answered("answer 1", Vec::new(), 1),
            said("question 3"),
            answered("answer 2", vec![request], 5),
            said("question 4"),
            ended,
            said("question 5"),
        ]
    }

    #[test]
    fn what_comes_during_an_answer_stands_after_it_live_and_read_anew() {
        let words = ["question 1", "answer 1", "question 2", "news 2", "question 3", "answer 2"];
        let order = [words.as_slice(), &["exit 1", "question 4", "question 5"]].concat();
        for protocol in [
            Protocol::OpenAiChat,
            Protocol::OpenAiResponses,
            Protocol::Anthropic,
            Protocol::Gemini,
            Protocol::Rehearsal,
            Protocol::Acp,
        ] {
            let [mut live, mut anew] = [(); 2].map(|()| History::new(protocol, reader("far", "m")));
            let mut sent = Vec::new();
            for (seq, event) in (1..).zip(talk()) {
                live.push(seq, &event, &NoBlobs);
                anew.push(seq, &event, &NoBlobs);
                // After these the model is asked; the second of them gets no answer.
                if [1, 4, 5].contains(&seq) {
                    sent.push(bytes(&mut live));
                }
            }
            let (live, anew) = (bytes(&mut live), bytes(&mut anew));
            assert_eq!(live, anew, "{protocol:?}");
            let places: Vec<_> = order.iter().map(|words| live.find(words)).collect();
            assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{live}");
            assert!(sent.iter().all(|sent| live.starts_with(sent)), "{protocol:?}: {sent:?}");
        }
    }
}
