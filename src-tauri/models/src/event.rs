//! What comes out of a model while it answers.

use std::pin::Pin;

use futures::Stream;

use crate::{CallRequest, Kept, ModelError};

/// One piece of a model's turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModelEvent {
    /// More of the answer.
    Text(String),
    /// More of the model's reasoning, for showing only.
    Thinking(String),
    /// A tool call; sent only once the turn has ended well. Its arguments are JSON unless they
    /// could not be read.
    ToolCall(CallRequest),
    /// What the provider wants to see again with this turn, at most once and near the end.
    Kept(Kept),
    /// What the turn cost, at most once and near the end.
    Usage(Usage),
    /// The end of a good turn.
    Done(Stop),
}

/// Tokens spent by one turn.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Usage {
    /// Tokens read, those from the provider's cache included.
    pub input: u64,
    /// Tokens written, reasoning included.
    pub output: u64,
    /// The part of `input` that came from the cache.
    pub cache_read: u64,
    /// The part of `input` that was put into the cache.
    pub cache_write: u64,
}

impl Usage {
    /// All tokens together.
    pub(crate) fn tokens(self) -> u64 {
        self.input.saturating_add(self.output)
    }
}

impl std::ops::Add for Usage {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            input: self.input.saturating_add(other.input),
            output: self.output.saturating_add(other.output),
            cache_read: self.cache_read.saturating_add(other.cache_read),
            cache_write: self.cache_write.saturating_add(other.cache_write),
        }
    }
}

/// Why a turn ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// The model has said what it wanted to say.
    End,
    /// The model waits for the results of its tool calls.
    ToolCalls,
    /// The limit on output was reached.
    Length,
    /// It repeated itself without end, and was cut off.
    Repetition,
    /// The provider paused a long turn; its client goes on by itself and tells nobody.
    Paused,
}

/// The events of one turn.
pub type ModelStream = Pin<Box<dyn Stream<Item = Result<ModelEvent, ModelError>> + Send>>;
