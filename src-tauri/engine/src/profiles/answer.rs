//! One short request to a model, and what came back.

use super::in_text;
use futures::StreamExt;
use models::{CallRequest, Model, ModelError, ModelEvent, Request, Stop, Usage};
use serde_json::Value;
use std::time::{Duration, Instant};

/// How long one answer may take before its pace is known.
const USUAL: Duration = Duration::from_secs(90);
/// How long it may take at most, however slow the model is.
const LONGEST: Duration = Duration::from_secs(240);
/// An answer may take so many times as long as the first one: that one was among the shortest.
const TIMES: u32 = 8;

/// How long an answer is waited for, which follows the model's pace.
#[derive(Debug, Clone, Copy)]
pub(super) struct Patience(Duration);

impl Default for Patience {
    fn default() -> Self {
        Self(USUAL)
    }
}

impl Patience {
    #[cfg(test)]
    pub(super) fn of(time: Duration) -> Self {
        Self(time)
    }

    /// Waits longer for a model whose first answer took this long.
    fn learn(&mut self, took: Duration) {
        self.0 = self.0.max(took.saturating_mul(TIMES).min(LONGEST));
    }
}

/// What a model said.
#[derive(Debug, Default)]
pub(super) struct Answer {
    /// Its words, without what it thought.
    pub(super) text: String,
    /// Whether it thought.
    pub(super) thought: bool,
    /// Its calls in the protocol's own fields.
    pub(super) calls: Vec<CallRequest>,
    /// It was cut at the limit on output.
    pub(super) cut: bool,
    /// What it cost.
    pub(super) usage: Usage,
}

impl Answer {
    /// Whether nothing was said or called.
    pub(super) fn is_empty(&self) -> bool {
        self.text.trim().is_empty() && self.calls.is_empty() && !self.cut
    }

    /// The arguments of its calls of one tool, and whether they were in its words.
    pub(super) fn calls_of(&self, tool: &str) -> (Vec<Value>, bool) {
        let own = self.calls.iter().filter(|call| call.name == tool);
        // A call that is broken is one all the same, with nothing in it.
        let read = |call: &CallRequest| serde_json::from_str(&call.arguments).unwrap_or_default();
        let own: Vec<Value> = own.map(read).collect();
        if !self.calls.is_empty() {
            return (own, false);
        }
        (in_text::calls(&self.text, tool), true)
    }
}

/// Asks, and listens to the end.
pub(super) async fn ask(
    model: &dyn Model,
    request: Request,
    patience: &mut Patience,
) -> Result<Answer, ModelError> {
    let begun = Instant::now();
    let late = ModelError::Silent { seconds: patience.0.as_secs() };
    let answer = tokio::time::timeout(patience.0, listen(model, request)).await;
    let answer = answer.unwrap_or(Err(late))?;
    patience.learn(begun.elapsed());
    Ok(answer)
}

async fn listen(model: &dyn Model, request: Request) -> Result<Answer, ModelError> {
    let mut stream = model.stream(request).await?;
    let mut answer = Answer::default();
    while let Some(event) = stream.next().await {
        match event? {
            ModelEvent::Text(words) => answer.text.push_str(&words),
            ModelEvent::Thinking(words) => answer.thought |= !words.trim().is_empty(),
            ModelEvent::ToolCall(call) => answer.calls.push(call),
            ModelEvent::Kept(_) => {}
            ModelEvent::Usage(usage) => answer.usage = usage,
            ModelEvent::Done(stop) => {
                answer.cut = stop == Stop::Length;
                answer.part_thoughts();
                return Ok(answer);
            }
        }
    }
    Err(ModelError::Dropped)
}

impl Answer {
    /// Parts thoughts from words where the server passes them through as they came.
    fn part_thoughts(&mut self) {
        if let Some((thoughts, rest)) = self.text.split_once("</think>") {
            self.thought |= !thoughts.trim_start().trim_start_matches("<think>").trim().is_empty();
            self.text = rest.trim_start().to_owned();
        } else if self.text.trim_start().starts_with("<think>") {
            // It never came to its words.
            self.thought = true;
            self.text.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parted(text: &str) -> (bool, String) {
        let mut answer = Answer { text: text.to_owned(), ..Answer::default() };
        answer.part_thoughts();
        (answer.thought, answer.text)
    }

    #[test]
    fn thoughts_in_the_words_are_no_words() {
        assert_eq!(parted("<think>\nhm\n</think>\n\nYes."), (true, "Yes.".to_owned()));
        assert_eq!(parted("hm</think>Yes."), (true, "Yes.".to_owned()));
        assert_eq!(parted("<think>\n\n</think>\nYes."), (false, "Yes.".to_owned()));
        assert_eq!(parted("<think>and on and"), (true, String::new()));
        assert_eq!(
            parted("I think <think> is a tag."),
            (false, "I think <think> is a tag.".into())
        );
    }

    #[test]
    fn a_slow_model_is_waited_for_but_not_for_ever() {
        let seconds = Duration::from_secs;
        let mut patience = Patience::default();
        patience.learn(seconds(2));
        assert_eq!(patience.0, USUAL);
        patience.learn(seconds(20));
        assert_eq!(patience.0, seconds(160));
        patience.learn(seconds(85));
        assert_eq!(patience.0, LONGEST);
    }
}
