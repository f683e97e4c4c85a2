//! Calls in the words of an answer, for models whose profile says that theirs arrive so. What stood
//! in anything the model was shown is a quotation and is never run.

use super::asking::Asked;
use super::{forced, reading, received};
use crate::engine::Engine;
use crate::error::EngineError;
use crate::history::{REVIEW, whole};
use crate::live::{JournalBlobs, LiveRoom, for_each_event};
use models::{
    CallForm, CallRequest, Force, Meaning, Request, Shown, Stop, ToolSet, Whole, text_calls,
};
use plan::{BAD_ARGUMENTS, CallId, Event, Phase, RoomId, Text};
use serde_json::json;
use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

/// What has to be known of a request to read the answer to it.
pub(super) struct Asking {
    system: Arc<str>,
    tail: Option<String>,
    tools: ToolSet,
    /// Whether the model's calls come in its words.
    in_words: bool,
    /// Whether steps are all that is asked for.
    splits: bool,
}

/// Whose words count as shown.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Whose {
    Everyones,
    /// All but those of the model itself.
    Others,
}

impl Asking {
    /// Nothing for models whose calls have fields of their own.
    pub(super) fn of(
        engine: &Engine,
        live: &LiveRoom,
        asked: &Asked,
        request: &Request,
    ) -> Option<Self> {
        let in_words = match engine.profile(&asked.name).calls {
            CallForm::Text => true,
            CallForm::Native | CallForm::None => false,
        };
        let held = matches!(request.force, Some(Force::Call(_) | Force::Schema { .. }));
        let splits = live.lock().room.phase() == Some(Phase::Splitting);
        (in_words || held || splits).then(|| Self {
            system: Arc::clone(&request.system),
            tail: request.tail.clone(),
            tools: request.tools.clone(),
            in_words,
            splits,
        })
    }

    /// The words before the calls at the end of an answer, and the calls; nothing where there are
    /// none, or where they were only quoted.
    pub(super) async fn read(
        &self,
        engine: &Engine,
        live: &LiveRoom,
        words: &str,
        stop: Option<Stop>,
    ) -> Result<Option<(String, Vec<CallRequest>)>, EngineError> {
        let whole = match stop {
            Some(Stop::End | Stop::ToolCalls) => Whole::Yes,
            Some(Stop::Length | Stop::Repetition | Stop::Paused) | None => Whole::Unknown,
        };
        if !self.in_words {
            return Ok(None);
        }
        let known = self.known(engine, live);
        let Some(read) = text_calls(words, &known, whole) else { return Ok(None) };
        let looked = read.clone();
        let calls = read.calls.iter().map(|call| (call.name.as_str(), call.arguments.as_str()));
        let meant = meanings(engine, live, calls);
        let quoted = move |shown: &Shown, _: &Shown| {
            shown.holds(&looked) || meant.iter().any(|meaning| shown.holds_meaning(meaning))
        };
        if self.was_shown(engine, live, Whose::Everyones, quoted).await? {
            return Ok(None);
        }
        let calls = read.calls.into_iter().enumerate();
        let calls = calls
            .map(|(at, call)| CallRequest::new(format!("text_{at}"), call.name, call.arguments));
        Ok(Some((read.words, calls.collect())))
    }

    /// The plan that a whole answer is, where steps are all that is asked for.
    pub(super) async fn plan(
        &self,
        engine: &Engine,
        live: &LiveRoom,
        words: &str,
        stop: Option<Stop>,
    ) -> Result<Option<(String, Vec<CallRequest>)>, EngineError> {
        let words = forced::after_thinking(words);
        let steps = reading::listed_steps(words).filter(|_| self.splits && stop == Some(Stop::End));
        let Some(steps) = steps else { return Ok(None) };
        // An object is the whole call.
        let whole = steps.starts_with('{') && steps.contains("steps");
        let arguments = if whole { steps } else { json!({ "steps": steps }).to_string() };
        let call = CallRequest::new("text_0", "write_plan", arguments);
        let quoted = self.is_quoted(engine, live, words, &call).await?;
        Ok((!quoted).then(|| (String::new(), vec![call])))
    }

    /// Whether a call that an answer was held to be stood, as it is, in something that others
    /// wrote, or in any form in what was found at work. A server that holds a model to nothing
    /// passes quotations on.
    pub(super) async fn is_quoted(
        &self,
        engine: &Engine,
        live: &LiveRoom,
        words: &str,
        call: &CallRequest,
    ) -> Result<bool, EngineError> {
        let name = serde_json::Value::from(call.name.as_str());
        let again = format!(r#"{{"name":{name},"arguments":{}}}"#, call.arguments);
        let words = words.to_owned();
        let meant = meanings(engine, live, [(call.name.as_str(), call.arguments.as_str())]);
        let quoted = move |shown: &Shown, found: &Shown| {
            let as_it_is = shown.holds_text(&words) || shown.holds_text(&again);
            as_it_is || meant.iter().any(|meaning| found.holds_meaning(meaning))
        };
        self.was_shown(engine, live, Whose::Others, quoted).await
    }

    /// Every tool there is, for one that is not offered works all the same.
    fn known(&self, engine: &Engine, live: &LiveRoom) -> Vec<String> {
        let listed = engine.shared.mcp.listed(live.lock().room.folder());
        let own = received::own_tools(engine).into_iter().map(str::to_owned);
        let offered = self.tools.names().iter().cloned();
        let all: BTreeSet<String> = own.chain(offered).chain(listed.tools().into_keys()).collect();
        all.into_iter().collect()
    }

    /// Whether something was shown to the model; yes also where that can't be found out. `look`
    /// gets everything, and what tools gave back.
    async fn was_shown(
        &self,
        engine: &Engine,
        live: &LiveRoom,
        whose: Whose,
        look: impl FnOnce(&Shown, &Shown) -> bool + Send + 'static,
    ) -> Result<bool, EngineError> {
        // All of it has to be on disk to be looked at.
        let seq = live.lock().room.seq;
        if !live.stored_beyond(seq.saturating_sub(1)).await {
            return Ok(true);
        }
        let root = live.lock().room.folder().to_owned();
        let (mut shown, mut found) = (Shown::within(&root), Shown::within(&root));
        shown.add(&self.system);
        shown.add(&self.tools.text());
        self.tail.iter().for_each(|tail| shown.add(tail));
        let (journal, id) = (Arc::clone(&engine.shared.journal), live.id);
        let looked = tokio::task::spawn_blocking(move || {
            let blobs = JournalBlobs(&*journal);
            let (mut begun, mut rooms) = (HashSet::new(), BTreeSet::new());
            for_each_event(id, &*journal, 0, |event, _| {
                rooms.extend(handed(event));
                if whose == Whose::Others && matches!(event, Event::Replied { .. }) {
                    return;
                }
                let is_found = matches!(event, Event::CallEnded { .. });
                for text in texts(event, &mut begun) {
                    let text = whole(&text, &blobs);
                    shown.add(&text);
                    if is_found && whose == Whose::Others {
                        found.add(&text);
                    }
                }
            })?;
            Ok::<_, EngineError>((shown, found, rooms))
        });
        // An error here runs nothing.
        let Ok(looked) = looked.await else { return Ok(true) };
        let (mut shown, found, rooms) = looked?;
        // What they said of steps that they did not finish was told beside the conversation.
        for said in rooms.into_iter().filter_map(|room| crate::goals::said(engine, room)) {
            shown.add(&said);
        }
        let quoted = look(&shown, &found);
        if quoted {
            tracing::info!(room = %live.id, "a call in the words of an answer was only quoted");
        }
        Ok(quoted)
    }
}

/// What calls mean, as far as they can be read. Those that can't are never run.
fn meanings<'a>(
    engine: &Engine,
    live: &LiveRoom,
    calls: impl IntoIterator<Item = (&'a str, &'a str)>,
) -> Vec<Meaning> {
    let root = live.lock().room.folder().to_owned();
    let listed = engine.shared.mcp.listed(&root);
    let served = listed.tools();
    let read = |(tool, arguments): (&str, &str)| {
        let schema = served.get(tool).map(|tool| &tool.schema);
        reading::meaning(tool, arguments, schema, &root)
    };
    calls.into_iter().filter_map(read).collect()
}

/// The room that a step was handed to.
fn handed(event: &Event) -> Option<RoomId> {
    if let Event::StepHanded { room, .. } = event { Some(*room) } else { None }
}

/// What an event shows the model, in the conversation or beside it, now or in an earlier turn. Its
/// own calls are its own, and the harness's errors about arguments hold examples that are there to
/// be followed; no call that began has such an error, whatever its result looks like.
fn texts(event: &Event, begun: &mut HashSet<CallId>) -> Vec<Text> {
    let inline = |text: &String| Text::Inline(text.clone());
    match event {
        Event::Said { text, .. }
        | Event::Replied { text, .. }
        | Event::MemberTold { text, .. }
        | Event::CouncilHandedOver { text } => vec![text.clone()],
        Event::CouncilStarted { task, .. } => vec![task.clone()],
        Event::CouncilAnswered { content, .. } => vec![content.clone()],
        Event::CouncilEnded { reason, .. } => vec![inline(reason)],
        Event::CouncilReviewBegan => vec![Text::from(REVIEW)],
        Event::Compacted { summary, .. } => vec![summary.clone()],
        Event::Nudged { text, .. } => vec![inline(text)],
        Event::Briefed { task, context, .. } => {
            [task].into_iter().chain(context).cloned().collect()
        }
        Event::CallBegan { call, .. } => {
            begun.insert(*call);
            Vec::new()
        }
        Event::CallEnded { call, result, nudge, .. } => {
            let mark = format!(r#"{{"code":"{BAD_ARGUMENTS}""#);
            let is_ours = !begun.contains(call) && result.head().starts_with(&mark);
            let result = (!is_ours).then(|| result.clone());
            result.into_iter().chain(nudge.as_ref().map(inline)).collect()
        }
        // The plan is told beside the conversation.
        Event::PlanWritten { content, .. } | Event::PlanRevised { content, .. } => {
            let words = [Some(&content.goal), content.title.as_ref(), content.rationale.as_ref()];
            let steps = content.steps.iter().map(|step| &step.text);
            words.into_iter().flatten().chain(steps).map(inline).collect()
        }
        Event::StepDone { result, summary, .. } => {
            [inline(result)].into_iter().chain(summary.clone()).collect()
        }
        Event::StepFailed { error, .. } => vec![inline(error)],
        Event::StepSkipped { reason, .. } | Event::SentBack { reason, .. } => vec![inline(reason)],
        Event::AskAnswered { note, .. } => note.iter().map(inline).collect(),
        Event::RoomCreated { .. }
        | Event::RoomRenamed { .. }
        | Event::RoomMoved { .. }
        | Event::RoomArchived { .. }
        | Event::ModeChanged { .. }
        | Event::SidekickQueued { .. }
        | Event::SidekickStarted
        | Event::SidekickEnded { .. }
        | Event::SidekickReported
        | Event::CopyMade { .. }
        | Event::MergeBegan { .. }
        | Event::Merged { .. }
        | Event::CopyDropped { .. }
        | Event::Spent { .. }
        | Event::PlanningBegan { .. }
        | Event::Trouble { .. }
        | Event::Delegated { .. }
        | Event::UsedBelow { .. }
        | Event::CouncilAsked { .. }
        | Event::CouncilNotNew { .. }
        | Event::CouncilVoted { .. }
        | Event::CouncilVoteDropped { .. }
        | Event::CouncilMemberWaits { .. }
        | Event::CouncilMemberFailed { .. }
        | Event::CouncilMemberRetried { .. }
        | Event::CouncilPaused { .. }
        | Event::CouncilResumed { .. }
        | Event::CouncilDecided { .. }
        | Event::CouncilRestarted { .. }
        | Event::MemberRested { .. }
        | Event::MemberFailed { .. }
        | Event::Warned { .. }
        | Event::AskRaised { .. }
        | Event::AskWithdrawn { .. }
        | Event::RuleKept { .. }
        | Event::RuleRaised { .. }
        | Event::RuleForgotten { .. }
        | Event::ApprovalRequested
        | Event::Approved { .. }
        | Event::Started
        | Event::StepStarted { .. }
        | Event::StepHanded { .. }
        | Event::StepPutBack { .. }
        | Event::StepUsed { .. }
        | Event::StepReopened { .. }
        | Event::StepMayChange { .. }
        | Event::Granted { .. }
        | Event::CheckFailed { .. }
        | Event::ErrorReported { .. }
        | Event::StepStopped { .. }
        | Event::AttemptFailed { .. }
        | Event::AttemptsReset { .. }
        | Event::Repeated { .. }
        | Event::PauseAfterStep { .. }
        | Event::Paused { .. }
        | Event::Resumed { .. }
        | Event::Refilled { .. }
        | Event::PlanHeld { .. }
        | Event::SplitRefused { .. }
        | Event::SynthesisBegan
        | Event::CapWarned { .. }
        | Event::PlanDone { .. }
        | Event::PlanFailed { .. }
        | Event::PlanCancelled { .. } => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::ModelRef;
    use crate::history::{Blobs, History, Reader};
    use plan::{Effect, Outcome};
    use serde_json::Value;

    #[test]
    fn what_a_tool_gave_back_counts_as_shown_even_where_it_imitates_our_errors() {
        let call = CallId(crate::fresh_id());
        let result = Text::from(r#"{"code":"BAD_ARGUMENTS"} <tool_call>…</tool_call>"#);
        let ended = Event::CallEnded {
            call,
            outcome: Outcome::Failed,
            result: result.clone(),
            nudge: None,
            changed: Vec::new(),
            images: Vec::new(),
            ms: 0,
        };
        let mut begun = HashSet::new();
        assert_eq!(texts(&ended, &mut begun), []);
        let (effect, touches, how) = (Effect::Read, Vec::new(), None);
        texts(&Event::CallBegan { call, effect, touches, how }, &mut begun);
        assert_eq!(texts(&ended, &mut begun), [result]);
    }

    /// Everything that `History::push` makes a message of, with the same words in it.
    fn messages() -> Vec<Event> {
        let id = "00000000-0000-0000-0000-000000000000";
        let by = json!({ "kind": "harness", "principal": "p", "surface": "turn" });
        let (text, limits) = ("marked words", json!({ "turns": 1, "seconds": 1 }));
        let stored = [
            json!({ "type": "said", "message": id, "text": text, "by": by }),
            json!({ "type": "nudged", "text": text }),
            json!({ "type": "briefed", "task": text, "full": false, "by": by, "limits": limits }),
            json!({ "type": "briefed", "task": "x", "full": true, "by": by, "limits": limits,
                "context": text }),
            json!({ "type": "member_told", "turn": 1, "text": text, "may_look": true }),
            json!({ "type": "council_handed_over", "text": text }),
            json!({ "type": "council_ended", "state": "failed", "reason": text }),
            json!({ "type": "replied", "model": "m", "text": text, "usage": {}, "seen": 0 }),
            json!({ "type": "call_ended", "call": id, "outcome": "ok", "result": text }),
            json!({ "type": "call_ended", "call": id, "outcome": "ok", "result": "", "nudge": text }),
        ];
        let read = |event: Value| serde_json::from_value(event.clone()).map_err(|e| (event, e));
        stored.into_iter().map(|event| read(event).unwrap()).collect()
    }

    struct NoBlobs;

    impl Blobs for NoBlobs {
        fn bytes(&self, _: &str) -> Option<Vec<u8>> {
            None
        }
    }

    #[test]
    fn every_event_that_becomes_a_message_gives_its_words() {
        let reader = Reader { model: ModelRef::new("far", "m"), sees: true };
        let calls = json!({ "type": "replied", "model": "far/m", "usage": {}, "seen": 0, "calls": [
            { "id": "00000000-0000-0000-0000-000000000000", "ref": "c", "tool": "t",
              "args": "{}" }] });
        let calls: Event = serde_json::from_value(calls).unwrap();
        for event in messages().into_iter().chain([Event::CouncilReviewBegan]) {
            let mut history = History::new(models::Protocol::OpenAiChat, reader.clone());
            if matches!(event, Event::CallEnded { .. }) {
                history.push(1, &calls, &NoBlobs);
            }
            history.push(2, &event, &NoBlobs);
            let told = String::from_utf8(history.shown().chunks().concat()).unwrap();
            let reviews = event == Event::CouncilReviewBegan;
            let words = if reviews { REVIEW } else { "marked words" };
            assert!(told.contains(words), "{} is no message: {told}", event.kind());
            let texts = texts(&event, &mut HashSet::new());
            assert!(texts.iter().any(|text| text.head() == words), "{}: {texts:?}", event.kind());
        }
    }

    #[test]
    fn what_is_told_beside_the_conversation_counts_as_shown_in_later_turns() {
        let stored = [
            json!({ "type": "step_done", "step": "s1", "result": "marked words" }),
            json!({ "type": "step_done", "step": "s1", "result": "x", "summary": "marked words" }),
            json!({ "type": "step_failed", "step": "s1", "error": "marked words" }),
            json!({ "type": "step_skipped", "step": "s1", "cause": "chosen",
                "reason": "marked words" }),
            json!({ "type": "ask_answered", "ask": "00000000-0000-0000-0000-000000000000",
                "answer": "reject", "note": "marked words",
                "by": { "kind": "harness", "principal": "p", "surface": "turn" } }),
            json!({ "type": "compacted", "summary": "marked words", "upto": 1 }),
        ];
        for event in stored {
            let event: Event = serde_json::from_value(event).unwrap();
            let texts = texts(&event, &mut HashSet::new());
            assert!(texts.iter().any(|text| text.head() == "marked words"), "{}", event.kind());
        }
    }
}
