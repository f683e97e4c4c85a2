//! Reads a streamed answer from its connection.

use std::collections::VecDeque;
use std::time::Duration;

use futures::stream;
use reqwest::Response;

use super::assemble::Turn;
use super::refusal::Refusals;
use super::wire;
use crate::sse::Events;
use crate::{ModelError, ModelEvent, ModelStream};

/// How long the last bytes after an answer are waited for.
const LAST_BYTES: Duration = Duration::from_secs(1);

/// A turn that is being read; dropping it closes the connection.
pub(super) struct Reading {
    /// Gone once the answer has ended, well or badly.
    response: Option<Response>,
    framed: bool,
    refusals: Refusals,
    events: Events,
    turn: Turn,
    ready: VecDeque<ModelEvent>,
}

impl Reading {
    pub(super) fn new(response: Response, refusals: Refusals) -> Self {
        Self {
            framed: is_framed(&response),
            response: Some(response),
            refusals,
            events: Events::default(),
            turn: Turn::default(),
            ready: VecDeque::new(),
        }
    }

    pub(super) fn into_stream(self) -> ModelStream {
        Box::pin(stream::unfold(self, |mut reading| async move {
            let item = reading.next().await?;
            Some((item, reading))
        }))
    }

    async fn next(&mut self) -> Option<Result<ModelEvent, ModelError>> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Some(Ok(event));
            }
            let response = self.response.as_mut()?;
            if let Some(data) = self.events.next() {
                if let Err(error) = self.take(&data) {
                    return self.fail(error);
                }
                continue;
            }
            let read = match response.chunk().await {
                Ok(Some(bytes)) => self.events.push(&bytes).map_err(|_| ModelError::Malformed {
                    message: "a part of it has no end".into(),
                }),
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
        Some(Err(error))
    }

    fn take(&mut self, data: &[u8]) -> Result<(), ModelError> {
        let data = data.trim_ascii();
        if data.is_empty() {
            return Ok(());
        }
        if data == b"[DONE]" {
            return self.finish();
        }
        let chunk: wire::Chunk = serde_json::from_slice(data).map_err(|error| {
            ModelError::Malformed { message: format!("a part of it is not as expected ({error})") }
        })?;
        if let Some(error) = chunk.error {
            return Err(self.refusals.in_stream(&error));
        }
        self.turn.take(chunk, &mut self.ready);
        Ok(())
    }

    fn finish(&mut self) -> Result<(), ModelError> {
        if let Some(response) = self.response.take() {
            drain(response);
        }
        self.ready.extend(std::mem::take(&mut self.turn).finish()?);
        Ok(())
    }
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
