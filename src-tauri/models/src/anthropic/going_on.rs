//! A provider may pause a long turn; asked again with what it said so far, it goes on. To everyone
//! else the parts are one turn.

use std::collections::VecDeque;

use futures::{StreamExt, stream};

use super::Anthropic;
use super::encode::encode_message;
use crate::transcript::SoFar;
use crate::{Kept, Message, ModelError, ModelEvent, ModelStream, Protocol, Request, Stop, Usage};

/// So often a turn may be paused.
const MOST: u32 = 8;
/// What is said after the paused words where nothing else is.
const GO_ON: &str = "Go on where you stopped.";

/// A turn that is put together from its parts.
pub(super) struct Whole {
    client: Anthropic,
    request: Request,
    /// Gone once the turn has ended, well or badly.
    part: Option<ModelStream>,
    /// The words of this part, and what is kept of it.
    text: String,
    kept: Option<Kept>,
    /// What is kept of all parts, and what they cost.
    all: Kept,
    usage: Option<Usage>,
    pauses: u32,
    ready: VecDeque<ModelEvent>,
}

impl Whole {
    pub(super) fn new(client: Anthropic, request: Request, part: ModelStream) -> Self {
        Self {
            client,
            request,
            part: Some(part),
            text: String::new(),
            kept: None,
            all: Kept::new(Protocol::Anthropic),
            usage: None,
            pauses: 0,
            ready: VecDeque::new(),
        }
    }

    pub(super) fn into_stream(self) -> ModelStream {
        Box::pin(stream::unfold(self, |mut whole| async move {
            let item = whole.next().await?;
            Some((item, whole))
        }))
    }

    async fn next(&mut self) -> Option<Result<ModelEvent, ModelError>> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Some(Ok(event));
            }
            let heard = self.part.as_mut()?.next().await?;
            let went_on = match heard {
                Ok(ModelEvent::Text(words)) => {
                    self.text.push_str(&words);
                    return Some(Ok(ModelEvent::Text(words)));
                }
                Ok(event @ (ModelEvent::Thinking(_) | ModelEvent::ToolCall(_))) => {
                    return Some(Ok(event));
                }
                Ok(ModelEvent::Kept(kept)) => {
                    self.kept = Some(kept);
                    Ok(())
                }
                Ok(ModelEvent::Usage(usage)) => {
                    self.usage = Some(self.usage.unwrap_or_default() + usage);
                    Ok(())
                }
                Ok(ModelEvent::Done(Stop::Paused)) => self.go_on().await,
                Ok(ModelEvent::Done(stop)) => {
                    self.finish(stop);
                    Ok(())
                }
                Err(error) => Err(error),
            };
            if let Err(error) = went_on {
                self.part = None;
                return Some(Err(error));
            }
        }
    }

    /// Asks for the next part.
    async fn go_on(&mut self) -> Result<(), ModelError> {
        self.pauses += 1;
        if self.pauses > MOST {
            let message = "it pauses again and again".to_owned();
            return Err(ModelError::Malformed { message });
        }
        let history = &self.request.history;
        let mut so_far =
            SoFar { open: history.open(), unthought: history.is_unthought(), ..SoFar::default() };
        let (text, kept) = (self.text.clone(), self.kept.clone());
        let said = Message::Assistant { text, calls: Vec::new(), kept };
        let said = encode_message(&said, &mut so_far);
        self.request.history = history.and(said, &so_far);
        self.request.tail.get_or_insert_with(|| GO_ON.to_owned());
        self.keep();
        self.part = Some(self.client.ask(&self.request).await?);
        Ok(())
    }

    fn finish(&mut self, stop: Stop) {
        self.part = None;
        self.keep();
        let all = std::mem::replace(&mut self.all, Kept::new(Protocol::Anthropic));
        self.ready.extend(all.worth_keeping().map(ModelEvent::Kept));
        self.ready.extend(self.usage.map(ModelEvent::Usage));
        self.ready.push_back(ModelEvent::Done(stop));
    }

    /// Keeps this part after those before it.
    fn keep(&mut self) {
        let text = std::mem::take(&mut self.text);
        match self.kept.take() {
            Some(kept) => self.all.append(kept),
            None => self.all.text(&text),
        }
    }
}
