//! A member's seat in the council: its answers, its vote and the turn it is in.

use super::Number;
use crate::usage::is_zero;
use crate::{Content, Room, RoomId, Text, Time, Usage};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Who sits in a council.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS)]
pub struct Sitting {
    /// The agent, by its name in the configuration.
    pub agent: String,
    /// Its model; members are never told.
    pub model: String,
    /// Its room.
    pub room: RoomId,
}

/// An answer of a member.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    /// Its words.
    pub content: Text,
    /// The plan that it would be.
    pub plan: Arc<Content>,
    /// When it was given.
    pub at: Time,
}

/// A vote, by a member or the person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS)]
pub struct Vote {
    /// The member it is for.
    #[serde(rename = "for")]
    pub choice: Number,
    /// The answer it is for.
    pub label: String,
    /// Why.
    pub reason: String,
}

/// A vote that did not count.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dropped {
    /// Whose.
    pub member: Number,
    /// The vote.
    pub vote: Vote,
    /// Why it did not count.
    pub why: String,
    /// When.
    pub at: Time,
}

/// What a member is asked in a turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS)]
pub struct Question {
    /// Counts the questions to this member, from 1.
    pub turn: u32,
    /// The newest answers it is shown, in this order: whose, and which.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shows: Vec<(Number, u32)>,
    /// Whether it may give an answer.
    pub may_answer: bool,
    /// Whether it may vote.
    pub may_vote: bool,
    /// Whether it may look around first.
    pub may_look: bool,
    /// Whether it comes in the middle of a turn.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub mid: bool,
    /// Whether it is the winner, who writes one plan from all answers.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub last_word: bool,
    /// How many of the person's words it has been told with it.
    #[serde(default)]
    pub words: u32,
}

/// A member's place in the council.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seat {
    /// Who sits there.
    pub who: Sitting,
    /// Its answers, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub answers: Vec<Answer>,
    /// Its vote, while it counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vote: Option<Vote>,
    /// Its last vote, where a new answer cleared it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cleared: Option<Vote>,
    /// Why it is out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub out: Option<String>,
    /// The last that it was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked: Option<Question>,
    /// The turn that has ended last.
    #[serde(default)]
    pub ended: u32,
    /// The newest answer of each other member that it was shown.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub shown: BTreeMap<Number, u32>,
    /// The last turn in which it was shown an answer that was new to it.
    #[serde(default)]
    pub news: u32,
    /// The rooms it had before a person gave it another chance.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub earlier_rooms: Vec<RoomId>,
    /// Whether an answer of it was refused as not new: it may only vote.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub only_votes: bool,
    /// News in the middle of a turn, in this round.
    #[serde(default)]
    pub injected: u32,
    /// How long the council had run when its turn began, in milliseconds, moved on by what it had
    /// to wait for a provider.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub turn_from: u64,
    /// Since when of the council's time it waits for its provider, and until when.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waits: Option<(u64, Time)>,
    /// How many of the person's words it has to be told before its turn goes on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub words_due: Option<u32>,
}

impl Seat {
    /// An empty one.
    pub fn new(who: Sitting) -> Self {
        Self {
            who,
            answers: Vec::new(),
            vote: None,
            cleared: None,
            out: None,
            asked: None,
            ended: 0,
            shown: BTreeMap::new(),
            news: 0,
            earlier_rooms: Vec::new(),
            only_votes: false,
            injected: 0,
            turn_from: 0,
            waits: None,
            words_due: None,
        }
    }

    /// Whether it stood still in its turn and was not asked again with what was said meanwhile.
    pub fn lacks_words(&self) -> bool {
        let asked = self.asked.as_ref().filter(|_| self.is_in_turn());
        asked.is_some_and(|asked| self.lacks(asked.words))
    }

    /// Whether it has to be told more of the person's words than so many.
    pub fn lacks(&self, words: u32) -> bool {
        self.words_due.is_some_and(|due| words < due)
    }

    /// Whether it takes part.
    pub fn lives(&self) -> bool {
        self.out.is_none()
    }

    /// The turn it was asked for last.
    pub fn turn(&self) -> u32 {
        self.asked.as_ref().map_or(0, |asked| asked.turn)
    }

    /// Whether it has been asked and has not ended its turn.
    pub fn is_in_turn(&self) -> bool {
        self.lives() && self.turn() > self.ended
    }

    /// What the member used, in all rooms it had.
    pub fn usage(&self, room: &Room) -> Usage {
        let mut all = Usage::default();
        for own in self.earlier_rooms.iter().chain([&self.who.room]) {
            all += room.used_below.get(own).copied().unwrap_or_default();
        }
        all
    }

    /// How many answers it has given.
    pub fn given(&self) -> u32 {
        u32::try_from(self.answers.len()).unwrap_or(u32::MAX)
    }
}
