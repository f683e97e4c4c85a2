//! Calls in the words of an answer, for models whose profile says that theirs arrive so. What stood
//! in anything the model was shown is a quotation and is never run.

use super::asking::Asked;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::history::whole;
use crate::live::{JournalBlobs, LiveRoom, for_each_event};
use models::{CallForm, CallRequest, Request, Shown, Stop, ToolSet, Whole, text_calls};
use plan::{BAD_ARGUMENTS, CallId, Event};
use std::collections::HashSet;
use std::sync::Arc;

/// What has to be known of a request to read the answer to it.
pub(super) struct Asking {
    system: Arc<str>,
    tail: Option<String>,
    tools: ToolSet,
}

impl Asking {
    /// Nothing for models whose calls have fields of their own.
    pub(super) fn of(engine: &Engine, asked: &Asked, request: &Request) -> Option<Self> {
        match engine.profile(&asked.name).calls {
            CallForm::Text => Some(Self {
                system: Arc::clone(&request.system),
                tail: request.tail.clone(),
                tools: request.tools.clone(),
            }),
            CallForm::Native | CallForm::None => None,
        }
    }

    /// The words before the calls at the end of an answer, and the calls; nothing where there are
    /// none, or where they were only quoted.
    pub(super) async fn read(
        self,
        engine: &Engine,
        live: &LiveRoom,
        words: &str,
        stop: Option<Stop>,
    ) -> Result<Option<(String, Vec<CallRequest>)>, EngineError> {
        let whole = match stop {
            Some(Stop::End | Stop::ToolCalls) => Whole::Yes,
            Some(Stop::Length | Stop::Repetition | Stop::Paused) | None => Whole::Unknown,
        };
        let Some(read) = text_calls(words, self.tools.names(), whole) else { return Ok(None) };
        // All of it has to be on disk to be looked at.
        let seq = live.lock().room.seq;
        if !live.stored_beyond(seq.saturating_sub(1)).await {
            return Ok(None);
        }
        let (journal, id) = (Arc::clone(&engine.shared.journal), live.id);
        let looked = tokio::task::spawn_blocking(move || {
            let mut shown = Shown::default();
            shown.add(&self.system);
            shown.add(&self.tools.text());
            self.tail.iter().for_each(|tail| shown.add(tail));
            let blobs = JournalBlobs(&*journal);
            let mut begun = HashSet::new();
            for_each_event(id, &*journal, 0, |event, _| {
                texts(event, &mut begun)
                    .into_iter()
                    .for_each(|text| shown.add(&whole_of(&text, &blobs)));
            })?;
            Ok::<bool, EngineError>(shown.holds(&read)).map(|quoted| (quoted, read))
        });
        // An error here runs nothing.
        let Ok(looked) = looked.await else { return Ok(None) };
        let (quoted, read) = looked?;
        if quoted {
            tracing::info!(room = %live.id, "a call in the words of an answer was only quoted");
            return Ok(None);
        }
        let calls = read.calls.into_iter().enumerate();
        let calls = calls
            .map(|(at, call)| CallRequest::new(format!("text_{at}"), call.name, call.arguments));
        Ok(Some((read.words, calls.collect())))
    }
}

fn whole_of(text: &plan::Text, blobs: &JournalBlobs<'_>) -> String {
    whole(text, blobs)
}

/// What an event shows the model. Its own calls are its own, and the harness's errors about
/// arguments hold examples that are there to be followed; no call that began has such an error,
/// whatever its result looks like.
fn texts(event: &Event, begun: &mut HashSet<CallId>) -> Vec<plan::Text> {
    let mut texts = Vec::new();
    if let Event::Said { text, .. } | Event::Replied { text, .. } = event {
        texts.push(text.clone());
    }
    if let Event::Nudged { text, .. } = event {
        texts.push(plan::Text::Inline(text.clone()));
    }
    if let Event::Briefed { task, context, .. } = event {
        texts.push(task.clone());
        texts.extend(context.clone());
    }
    if let Event::Compacted { summary, .. } = event {
        texts.push(summary.clone());
    }
    if let Event::CallBegan { call, .. } = event {
        begun.insert(*call);
    }
    if let Event::CallEnded { call, result, nudge, .. } = event {
        let mark = format!(r#"{{"code":"{BAD_ARGUMENTS}""#);
        if begun.contains(call) || !result.head().starts_with(&mark) {
            texts.push(result.clone());
        }
        texts.extend(nudge.clone().map(plan::Text::Inline));
    }
    texts
}

#[cfg(test)]
mod tests {
    use super::*;
    use plan::{Effect, Outcome, Text};

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
}
