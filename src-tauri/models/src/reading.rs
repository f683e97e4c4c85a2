//! Reads a streamed answer from its connection; each protocol puts its own pieces together.

use std::collections::VecDeque;
use std::time::Duration;

use futures::stream;
use reqwest::Response;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::error::Category;
use tokio::time::{Instant, timeout_at};

use crate::refusal::Refusals;
use crate::runaway::Runaway;
use crate::sse::Events;
use crate::{ModelError, ModelEvent, ModelStream, Stop, Usage};

/// The longest answer: words, thoughts and arguments of calls together, in bytes. No model writes
/// this much in one turn; a server that never ends one is cut off here.
pub const LONGEST_ANSWER: usize = 4 * 1024 * 1024;

/// How much may come beside an answer, in bytes: signs of life, repetitions and what is new to us.
/// The end of a part often repeats it, so this is a multiple of the longest answer.
pub(crate) const LONGEST_REST: usize = 16 * LONGEST_ANSWER;

/// What a call or any other part counts beside its own bytes. So an answer has a few thousand of
/// them at most, also where they are empty.
pub(crate) const A_PART: usize = 1024;

/// How long the last bytes after an answer are waited for.
const LAST_BYTES: Duration = Duration::from_secs(1);

/// How many bytes a token has, about, where nobody counted them.
const TOKEN_BYTES: usize = 4;

/// A turn under way, put together from the pieces of one protocol.
///
/// Words go out as they come. Tool calls, usage and the end are held back until the server's end
/// mark, so that a cut stream never gives a tool call that a second try would give again.
pub(crate) trait Turn: Default + Send + 'static {
    /// Whether servers of this protocol may send an error as `error: {…}` rather than as data.
    const ERROR_FIELD: bool = false;

    /// Takes in the data of one event and gives out what can be shown at once.
    fn take(&mut self, data: &[u8], out: &mut VecDeque<ModelEvent>) -> Result<Heard, ModelError>;

    /// How many bytes of it are held back until the end, with `A_PART` for each part.
    fn held(&self) -> usize;

    /// A number that grows with all that is held back, and with the tokens counted so far. What
    /// leaves it as it was, and tells no words, was only a sign of life.
    fn grown(&self) -> u64;

    /// The arguments of the call that is being written, as far as they came.
    fn writing(&self) -> &str {
        ""
    }

    /// Ends it here, as if the limit on output was reached.
    fn cut(&mut self);

    /// Whether a body that ended here was complete although no end mark came; `framed` is whether
    /// a cut would have been noticed.
    fn is_finished(&self, framed: bool) -> bool;

    /// The events of the end: calls, usage, done.
    fn finish(self) -> Result<Vec<ModelEvent>, ModelError>;
}

/// What an event meant for the turn.
pub(crate) enum Heard {
    /// It goes on.
    More,
    /// That was the end mark.
    End,
    /// The server gave up and says why.
    Error(Value),
}

/// Reads the data of one event.
pub(crate) fn parse<T: DeserializeOwned>(data: &[u8]) -> Result<T, ModelError> {
    serde_json::from_slice(data)
        .map_err(|error| ModelError::Malformed { message: unreadable(&error) })
}

/// What is wrong with an event. What came instead can be anything, so it is not quoted, and how we
/// read says nothing to a person.
fn unreadable(error: &serde_json::Error) -> String {
    match error.classify() {
        Category::Syntax | Category::Eof | Category::Io => "a part of it is not JSON".to_owned(),
        Category::Data => {
            let why = error.to_string();
            let missing = why.strip_prefix("missing field `").and_then(|why| why.split_once('`'));
            match missing {
                Some((field, _)) => format!("a part of it has no `{field}`"),
                None => {
                    "a part of it has another form than the provider's API describes".to_owned()
                }
            }
        }
    }
}

/// Servers write `null` where they could leave a field out.
pub(crate) fn or_default<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: serde::Deserializer<'de>,
    T: Deserialize<'de> + Default,
{
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

/// A turn that is being read; dropping it closes the connection.
pub(crate) struct Reading<T> {
    /// Gone once the answer has ended, well or badly.
    response: Option<Response>,
    framed: bool,
    refusals: Refusals,
    events: Events,
    turn: T,
    /// How many bytes of words went out.
    told: usize,
    /// How many bytes came that were no part of the answer.
    rest: usize,
    /// The most that the answer had grown.
    grown: u64,
    words: Runaway,
    arguments: Runaway,
    /// Since when it says the same again and again.
    repeats: Option<Instant>,
    ready: VecDeque<ModelEvent>,
}

impl<T: Turn> Reading<T> {
    pub(crate) fn new(response: Response, refusals: Refusals) -> Self {
        Self {
            framed: is_framed(&response),
            response: Some(response),
            refusals,
            events: Events::with_error_field(T::ERROR_FIELD),
            turn: T::default(),
            told: 0,
            rest: 0,
            grown: 0,
            words: Runaway::default(),
            arguments: Runaway::default(),
            repeats: None,
            ready: VecDeque::new(),
        }
    }

    pub(crate) fn into_stream(self) -> ModelStream {
        Box::pin(stream::unfold(self, |mut reading| async move {
            let item = reading.next().await?;
            Some((item, reading))
        }))
    }

    async fn next(&mut self) -> Option<Result<ModelEvent, ModelError>> {
        // Counted from here, since whoever listens may have taken their time.
        let mut grew = Instant::now();
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Some(Ok(event));
            }
            let response = self.response.as_mut()?;
            if let Some(data) = self.events.next() {
                let before = self.grown;
                if let Err(error) = self.take(&data) {
                    return self.fail(error);
                }
                if self.grown > before {
                    grew = Instant::now();
                }
                continue;
            }
            // Asked first: signs of life may come so fast that nothing is ever waited for.
            let stalls = self.refusals.stalls_at(grew);
            if Instant::now() >= stalls {
                return self.fail(self.refusals.stalled());
            }
            let piece = self.refusals.awaited(response.chunk());
            let piece = match timeout_at(stalls, piece).await {
                Ok(Ok(piece)) => piece,
                Ok(Err(silent)) => return self.fail(silent),
                Err(_) => return self.fail(self.refusals.stalled()),
            };
            let read = match piece {
                Ok(Some(bytes)) => match self.events.push(&bytes) {
                    Ok(()) => self.check_rest(),
                    Err(_) => {
                        Err(ModelError::Malformed { message: "a part of it has no end".into() })
                    }
                },
                // Some servers leave out the last mark; the reason to finish is one as well,
                // as long as nothing that belongs to the answer can be missing.
                Ok(None) if self.turn.is_finished(self.framed) => self.finish(),
                Ok(None) => Err(ModelError::Dropped),
                Err(error) => Err(self.refusals.cut(&error)),
            };
            if let Err(error) = read {
                return self.fail(error);
            }
        }
    }

    /// The first error is the last item.
    fn fail(&mut self, error: ModelError) -> Option<Result<ModelEvent, ModelError>> {
        self.response = None;
        Some(Err(self.refusals.plainly(error)))
    }

    fn take(&mut self, data: &[u8]) -> Result<(), ModelError> {
        let data = data.trim_ascii();
        if data.is_empty() {
            return Ok(());
        }
        let before = self.told + self.turn.held();
        let heard = self.turn.take(data, &mut self.ready)?;
        self.told += self.ready.iter().map(length).sum::<usize>();
        let now = self.told + self.turn.held();
        if now > LONGEST_ANSWER {
            self.ready.clear();
            return Err(ModelError::Malformed { message: too_long() });
        }
        self.rest += beside(data.len(), now - before);
        self.grown = self.grown.max(self.turn.grown().saturating_add(self.told as u64));
        match heard {
            Heard::More if self.has_run_away() => self.cut_off(),
            Heard::More => self.check_rest(),
            Heard::End => self.finish(),
            Heard::Error(error) => Err(self.refusals.in_stream(&error)),
        }
    }

    /// Whether the answer has said the same again and again for too long.
    fn has_run_away(&mut self) -> bool {
        let (mut words, mut told) = (false, false);
        for new in self.ready.iter().filter_map(words_of) {
            words = self.words.hears(new);
            told = true;
        }
        let arguments = self.arguments.follows(self.turn.writing());
        // What comes beside an answer says nothing of it.
        if !told && self.turn.writing().is_empty() {
            return false;
        }
        if !words && !arguments {
            self.repeats = None;
            return false;
        }
        let since = *self.repeats.get_or_insert_with(Instant::now);
        self.refusals.repeats_too_long(since)
    }

    /// Ends an answer that has run away. Its connection is closed, so that its server stops as well.
    fn cut_off(&mut self) -> Result<(), ModelError> {
        self.response = None;
        let mut turn = std::mem::take(&mut self.turn);
        let output = (self.told + turn.held()) / TOKEN_BYTES;
        turn.cut();
        let mut events = turn.finish()?;
        // That comes last.
        events.retain(|event| !matches!(event, ModelEvent::Done(_)));
        if !events.iter().any(|event| matches!(event, ModelEvent::Usage(_))) {
            let output = u64::try_from(output).unwrap_or(u64::MAX);
            events.push(ModelEvent::Usage(Usage { output, ..Usage::default() }));
        }
        self.ready.extend(events);
        self.ready.push_back(ModelEvent::Done(Stop::Repetition));
        Ok(())
    }

    /// A server can also go on for ever with what is no answer.
    fn check_rest(&self) -> Result<(), ModelError> {
        match self.rest + self.events.skipped() > LONGEST_REST {
            true => Err(ModelError::Malformed { message: too_much_beside() }),
            false => Ok(()),
        }
    }

    fn finish(&mut self) -> Result<(), ModelError> {
        if let Some(response) = self.response.take() {
            drain(response);
        }
        self.ready.extend(std::mem::take(&mut self.turn).finish()?);
        Ok(())
    }
}

/// How many bytes of words are in an event.
pub(crate) fn length(event: &ModelEvent) -> usize {
    words_of(event).map_or(0, <[u8]>::len)
}

fn words_of(event: &ModelEvent) -> Option<&[u8]> {
    match event {
        ModelEvent::Text(words) | ModelEvent::Thinking(words) => Some(words.as_bytes()),
        ModelEvent::ToolCall(_)
        | ModelEvent::Kept(_)
        | ModelEvent::Usage(_)
        | ModelEvent::Done(_) => None,
    }
}

/// How many bytes of an event are no part of the answer, which it made longer by so many. Those
/// that are can be written with some letters for each, and with a few words around them.
fn beside(event: usize, part: usize) -> usize {
    match part {
        0 => event,
        part => event.saturating_sub(8 * part + A_PART),
    }
}

/// What is said of an answer that has no end.
pub(crate) fn too_long() -> String {
    format!("it was cut off, since it grew beyond {} MiB", LONGEST_ANSWER / (1024 * 1024))
}

/// What is said of an answer around which other things have no end.
pub(crate) fn too_much_beside() -> String {
    let most = LONGEST_REST / (1024 * 1024);
    format!("it was cut off, since more than {most} MiB came that belong to no answer")
}

/// Whether the server says where the body ends, so that a cut can't pass for the end.
fn is_framed(response: &Response) -> bool {
    response.version() >= reqwest::Version::HTTP_2
        || response.headers().contains_key("transfer-encoding")
        || response.headers().contains_key("content-length")
}

/// Reads what is left after the end mark, in the background and not for long, so that the
/// connection can serve the next turn.
fn drain(mut response: Response) {
    let rest = async move { while let Ok(Some(_)) = response.chunk().await {} };
    tokio::spawn(tokio::time::timeout(LAST_BYTES, rest));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Deserialize)]
    struct Piece {
        #[expect(dead_code, reason = "only its absence matters")]
        delta: String,
    }

    #[test]
    fn what_is_wrong_with_an_event_is_said_in_our_words() {
        for (data, words) in [
            ("{\"delta\"", "a part of it is not JSON"),
            ("sorry", "a part of it is not JSON"),
            ("{}", "a part of it has no `delta`"),
            ("5", "a part of it has another form than the provider's API describes"),
            (
                "{\"delta\": [\"sk-secret\"]}",
                "a part of it has another form than the provider's API describes",
            ),
        ] {
            let expected = ModelError::Malformed { message: words.to_owned() };
            assert_eq!(parse::<Piece>(data.as_bytes()).unwrap_err(), expected, "{data}");
        }
    }
}
