//! The built-in model: offline, deterministic, playing a scenario with real tools.
//!
//! Its next turn depends on the history alone, so it goes on after a restart where it was.

mod council;
mod progress;
mod samples;
mod scenario;

use std::collections::VecDeque;
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use futures::stream;

use crate::transcript::estimated_tokens;
use crate::{
    CallRequest, Message, Model, ModelError, ModelEvent, ModelStream, Protocol, Request, Snapshot,
    Stop, Usage,
};
use progress::Progress;
pub use samples::sample_files;
pub use scenario::Scenario;

/// How fast the rehearsal speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pace {
    /// Slowly enough for a person to follow.
    Real,
    /// Without any waiting.
    Instant,
}

/// How long a reply takes at a real pace unless the scenario says otherwise.
const REPLY: Duration = Duration::from_millis(250);

/// How many words of text come at once.
const WORDS: usize = 3;

/// The model that plays scenarios.
#[derive(Debug, Clone)]
pub struct Rehearsal {
    pace: Pace,
    scenarios: Vec<Scenario>,
    council: Vec<council::Part>,
    won: Vec<Scenario>,
}

impl Rehearsal {
    /// The rehearsal with its built-in scenarios.
    pub fn new(pace: Pace) -> Self {
        Self::with_scenarios(pace, scenario::built_in())
    }

    /// The rehearsal with other scenarios; the last one serves messages that none asks for.
    pub fn with_scenarios(pace: Pace, scenarios: Vec<Scenario>) -> Self {
        let council = council::built_in();
        let won = council.iter().map(council::Part::scenario).collect();
        Self { pace, scenarios, council, won }
    }

    fn events(
        &self,
        history: &Snapshot,
        has_plan: bool,
    ) -> Result<(VecDeque<ModelEvent>, Duration), ModelError> {
        let messages = decode(history)?;
        if let Some((name, arguments)) = council::turn(&self.council, &messages) {
            let calls = vec![(name.as_str(), arguments.to_string())];
            return Ok((play("", calls, messages.len(), history.bytes()), REPLY));
        }
        let mut progress = Progress::new(&self.scenarios, &self.won);
        for message in messages {
            progress.take(message);
        }
        if !has_plan {
            progress.without_plan();
        }
        let next = progress.next();
        let pace = next.pace_ms.map_or(REPLY, Duration::from_millis);
        let calls = next.calls.iter().map(|call| (call.name.as_str(), call.arguments.to_string()));
        Ok((play(&next.text, calls.collect(), progress.turns(), history.bytes()), pace))
    }
}

#[async_trait]
impl Model for Rehearsal {
    fn protocol(&self) -> Protocol {
        Protocol::Rehearsal
    }

    async fn stream(&self, request: Request) -> Result<ModelStream, ModelError> {
        let (events, whole) = self.events(&request.history, request.tail.is_some())?;
        let pause = match self.pace {
            Pace::Real => whole / u32::try_from(events.len().max(1)).unwrap_or(u32::MAX),
            Pace::Instant => Duration::ZERO,
        };
        Ok(Box::pin(stream::unfold(events, move |mut events| async move {
            let event = events.pop_front()?;
            if !pause.is_zero() {
                tokio::time::sleep(pause).await;
            }
            Some((Ok(event), events))
        })))
    }
}

/// One message as a line of JSON.
pub(crate) fn encode_message(message: &Message) -> Bytes {
    let mut line = serde_json::to_vec(message).expect("plain strings always become JSON");
    line.push(b'\n');
    line.into()
}

fn decode(history: &Snapshot) -> Result<Vec<Message>, ModelError> {
    if history.protocol() != Protocol::Rehearsal {
        return Err(ModelError::BadRequest {
            message: "the conversation is kept in another provider's form".into(),
        });
    }
    let lines = history.chunks().iter().flat_map(|chunk| chunk.split(|&byte| byte == b'\n'));
    lines
        .filter(|line| !line.is_empty())
        .map(|line| {
            serde_json::from_slice(line)
                .map_err(|error| ModelError::Malformed { message: error.to_string() })
        })
        .collect()
}

/// The events of one turn. Ids count turns, so that they are never used twice in a history.
fn play(
    text: &str,
    calls: Vec<(&str, String)>,
    turns: usize,
    history_bytes: usize,
) -> VecDeque<ModelEvent> {
    let calls: Vec<CallRequest> = calls
        .into_iter()
        .enumerate()
        .map(|(position, (name, arguments))| {
            let id = format!("rehearsal_{turns}_{position}");
            CallRequest::new(id, name, arguments)
        })
        .collect();
    let written = text.len() + calls.iter().map(|call| call.arguments.len()).sum::<usize>();
    let usage = Usage {
        input: estimated_tokens(history_bytes),
        output: estimated_tokens(written),
        ..Usage::default()
    };
    let stop = if calls.is_empty() { Stop::End } else { Stop::ToolCalls };
    let words: Vec<&str> = text.split_inclusive(' ').collect();
    let mut events: VecDeque<ModelEvent> =
        words.chunks(WORDS).map(|some| ModelEvent::Text(some.concat())).collect();
    events.extend(calls.into_iter().map(ModelEvent::ToolCall));
    events.extend([ModelEvent::Usage(usage), ModelEvent::Done(stop)]);
    events
}

#[cfg(test)]
mod tests;
