//! A member's own room: what it was asked and how far its turn is.

use crate::{CouncilId, Number, Time};
use serde::{Deserialize, Serialize};

/// Gives an answer.
pub const ANSWER: &str = "new_answer";
/// Votes for an answer.
pub const VOTE: &str = "vote";
/// Says that the work of a council is done.
pub const SUBMIT: &str = "submit";
/// Lets a council begin again.
pub const RESTART: &str = "restart_orchestration";

/// Whether a tool ends a member's turn.
pub fn answer_tools(tool: &str) -> bool {
    matches!(tool, ANSWER | VOTE)
}

/// How often a member is told that its turn ends with an answer or a vote.
const REMINDERS: u32 = 3;
/// How many questions are remembered with their place in the log.
const MOST_TELLS: usize = 8;

/// What a room knows of the member that it is for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Member {
    /// The council.
    pub council: CouncilId,
    /// Its place there.
    pub number: Number,
    /// The last questions that it was told, with their place in the log.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tells: Vec<(u32, u64)>,
    /// Whether it may look around in its turn.
    #[serde(default)]
    pub may_look: bool,
    /// Whether it has won and writes one plan from all answers.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub last_word: bool,
    /// The last question that its model had been told when it last answered.
    #[serde(default)]
    pub heard: u32,
    /// How many of the person's words it was told.
    #[serde(default)]
    pub words: u32,
    /// The last turn that it ended.
    #[serde(default)]
    pub ended: u32,
    /// How often it ended in words since it was asked.
    #[serde(default)]
    pub idle: u32,
    /// Why it can't go on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub out: Option<String>,
    /// When it goes on, where its provider lets it wait.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Time>,
    /// How often its provider let it wait since its model last spoke.
    #[serde(default)]
    pub waited: u32,
}

impl Member {
    /// One that was told nothing yet.
    pub fn new(council: CouncilId, number: Number) -> Self {
        Self {
            council,
            number,
            tells: Vec::new(),
            may_look: true,
            last_word: false,
            heard: 0,
            words: 0,
            ended: 0,
            idle: 0,
            out: None,
            until: None,
            waited: 0,
        }
    }

    /// The last question that it was told.
    pub fn told(&self) -> u32 {
        self.tells.last().map_or(0, |(turn, _)| *turn)
    }

    /// Whether it has to end a turn.
    pub fn is_in_turn(&self) -> bool {
        self.told() > self.ended && self.out.is_none()
    }

    /// Whether it was told often enough how a turn ends.
    pub(crate) fn is_given_up(&self) -> bool {
        self.idle > REMINDERS
    }

    pub(crate) fn was_told(&mut self, turn: u32, seq: u64, may_look: bool) {
        self.tells.push((turn, seq));
        let many = self.tells.len().saturating_sub(MOST_TELLS);
        self.tells.drain(..many);
        self.may_look = may_look;
        self.idle = 0;
    }

    /// Its model can't be asked: for a while, or at all.
    pub(crate) fn waits(&mut self, until: Option<Time>) {
        self.until = until;
        self.waited = self.waited.saturating_add(u32::from(until.is_some()));
    }

    pub(crate) fn replied(&mut self, seen: u64, only_words: bool) {
        self.waited = 0;
        let heard = self.tells.iter().rev().find(|(_, seq)| *seq <= seen);
        self.heard = heard.map_or(self.heard, |(turn, _)| *turn);
        self.idle += u32::from(only_words);
    }
}
