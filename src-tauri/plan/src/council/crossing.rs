//! What crosses between a council's room and those of its members: worked out here, and nowhere
//! else, from what the rooms say. The engine carries it out, one thing after the other, until
//! nothing is due.

use super::member::answer_tools;
use super::{Council, CouncilStage, FinalAnswer, Number, Seat};
use crate::{Room, Time};

/// One thing that is due.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Crossing {
    /// A member's room is to be made.
    Make(Number),
    /// The council's room asks a member the next question.
    Ask(Number),
    /// A member's room is told what its member was asked.
    Tell(Number),
    /// A member's room stands still in the middle of a turn.
    GoOn(Number),
    /// The council's room hears that a member can't go on.
    Out(Number, String),
    /// The council's room hears that a member waits for its provider, or no longer.
    Waits(Number, Option<Time>),
    /// A member has only the time left to answer or vote.
    RunsLow(Number),
    /// The council's time is over.
    TimeUp,
    /// The winner's answer becomes the room's plan.
    HandOver,
}

/// What a council has to know of a member's room.
#[derive(Debug, Clone)]
pub struct Standing {
    out: Option<String>,
    until: Option<Time>,
    told: u32,
    ended: u32,
    /// Whether what it handed in is still being taken in.
    hands_in: bool,
    /// Whether nothing goes on there.
    rests: bool,
}

impl Standing {
    /// How things are in this room, if it is a member's.
    pub fn of(room: &Room) -> Option<Self> {
        let member = room.member.as_ref()?;
        Some(Self {
            out: member.out.clone(),
            until: member.until,
            told: member.told(),
            ended: member.ended,
            hands_in: room.calls.iter().any(|call| answer_tools(&call.request.tool)),
            rests: !room.owes && room.calls.is_empty() && member.until.is_none(),
        })
    }
}

/// What is due now. `of` says how things are in a member's room, if it is there.
pub fn due(
    room: &Room,
    mut of: impl FnMut(Number) -> Option<Standing>,
    now: Time,
) -> Vec<Crossing> {
    let Some(council) = room.active_council().filter(|council| council.is_running()) else {
        return Vec::new();
    };
    if council.may_hand_over(now) {
        return vec![Crossing::HandOver];
    }
    if council.stage == CouncilStage::Talking && council.deadline().is_some_and(|end| end <= now) {
        return vec![Crossing::TimeUp];
    }
    council
        .numbered()
        .filter(|(number, _)| council.is_at_work(*number))
        .filter_map(|(number, seat)| for_member(council, number, seat, of(number), now))
        .collect()
}

fn for_member(
    council: &Council,
    number: Number,
    seat: &Seat,
    own: Option<Standing>,
    now: Time,
) -> Option<Crossing> {
    let Some(own) = own else { return Some(Crossing::Make(number)) };
    if let Some(why) = own.out {
        return Some(Crossing::Out(number, why));
    }
    // The end of its turn is known here, and its own room hears of it before anything else.
    if seat.ended > own.ended && own.hands_in {
        return None;
    }
    if !seat.is_in_turn() {
        return council.wants_to_ask(number).then_some(Crossing::Ask(number));
    }
    if let Some(until) = own.until {
        if until <= now {
            return Some(Crossing::GoOn(number));
        }
        if council.deadline().is_some_and(|end| until > end) {
            let why = "its rate limit resets after the council's time is over".to_owned();
            return Some(Crossing::Out(number, why));
        }
    }
    if own.until != seat.waits.map(|(_, until)| until) {
        return Some(Crossing::Waits(number, own.until));
    }
    if seat.turn() > own.told {
        return Some(Crossing::Tell(number));
    }
    // What it hands in was said before it could hear any more.
    if council.wants_to_ask(number) && !(own.hands_in && seat.lacks_words()) {
        return Some(Crossing::Ask(number));
    }
    if let Some((soft, hard)) = council.turn_ends(seat) {
        let ran = council.ran_ms(now);
        if ran >= hard {
            return Some(Crossing::Out(number, "it took too long for its turn".to_owned()));
        }
        if ran >= soft && seat.asked.as_ref().is_some_and(|asked| asked.may_look) {
            return Some(Crossing::RunsLow(number));
        }
    }
    own.rests.then_some(Crossing::GoOn(number))
}

/// When something is due by the clock alone.
pub fn next_time(room: &Room, now: Time) -> Option<Time> {
    let council = room.active_council().filter(|council| council.is_running())?;
    let ran = council.ran_ms(now);
    let later = |ms: u64| now.after(ms.saturating_sub(ran).max(1));
    let at_work = council.numbered().filter(|(number, _)| council.is_at_work(*number));
    let turns = at_work.filter(|(_, seat)| seat.is_in_turn()).filter_map(|(_, seat)| {
        if let Some((_, until)) = seat.waits {
            return Some(until.max(now.after(1)));
        }
        let (soft, hard) = council.turn_ends(seat)?;
        let low = seat.asked.as_ref().is_some_and(|asked| !asked.may_look);
        Some(later(if low || ran >= soft { hard } else { soft }))
    });
    let end = match council.stage {
        CouncilStage::Talking => council.deadline(),
        CouncilStage::Decided => council.last_word_ends().map(later),
        CouncilStage::Executing | CouncilStage::Reviewing | CouncilStage::Ended(_) => None,
    };
    turns.chain(end).min()
}

impl Council {
    /// Whether the winner still has to write one plan from all answers.
    pub(crate) fn wants_last_word(&self) -> bool {
        let seat = self.winner.and_then(|(number, _)| self.seat(number));
        self.stage == CouncilStage::Decided
            && self.rules.final_answer_strategy == FinalAnswer::Synthesize
            && seat.is_some_and(|seat| seat.lives() && !seat.has_last_word())
    }

    /// When the winner has had enough time to write one plan from all answers, in the council's own
    /// time: when that of the council is over, and after a late decision a while later.
    fn last_word_ends(&self) -> Option<u64> {
        let seat = self.winner.and_then(|(number, _)| self.seat(number))?;
        seat.asked.as_ref().filter(|asked| asked.last_word)?;
        let grace = u64::from(self.rules.round_timeout_grace_seconds) * 1_000;
        let all = u64::from(self.rules.orchestrator_timeout_seconds) * 1_000;
        let end = all.max(seat.turn_from + grace);
        Some(self.turn_ends(seat).map_or(end, |(_, hard)| hard.min(end)))
    }

    /// Whether the winner's answer can become the room's plan: decided, not paused, and nothing
    /// more is to be written first.
    pub(crate) fn may_hand_over(&self, now: Time) -> bool {
        let over = || self.last_word_ends().is_some_and(|end| self.ran_ms(now) >= end);
        self.stage == CouncilStage::Decided
            && self.paused.is_none()
            && (!self.wants_last_word() || over())
    }

    /// Whether a member is to be asked something now.
    pub(crate) fn wants_to_ask(&self, number: Number) -> bool {
        let Some(seat) = self.seat(number).filter(|seat| seat.lives()) else { return false };
        if self.stage == CouncilStage::Decided {
            let winner = self.winner.is_some_and(|(winner, _)| winner == number);
            let asked = seat.asked.as_ref().is_some_and(|asked| asked.last_word);
            return winner && self.wants_last_word() && !asked;
        }
        if seat.is_in_turn() {
            // Who has no answer is not interrupted, and who waits hears it afterwards.
            let news = seat.given() > 0
                && self.has_news_for(number)
                && seat.injected < self.rules.max_midstream_injections_per_round;
            return seat.waits.is_none() && (news || seat.lacks_words());
        }
        if seat.vote.is_some() {
            return false;
        }
        if seat.given() == 0 {
            return self.may_answer(number) || self.may_vote(number);
        }
        let others = self.numbered().any(|(other, seat)| other != number && seat.given() > 0);
        self.is_open() && others
    }

    /// When a member's turn has only voting and answering left, and when it is over, in the
    /// council's own time.
    fn turn_ends(&self, seat: &Seat) -> Option<(u64, u64)> {
        if seat.waits.is_some() {
            return None;
        }
        let first = seat.given() == 0 && seat.ended == 0;
        let seconds = match first {
            true => self.rules.initial_round_timeout_seconds,
            false => self.rules.subsequent_round_timeout_seconds,
        }?;
        let soft = seat.turn_from + u64::from(seconds) * 1_000;
        Some((soft, soft + u64::from(self.rules.round_timeout_grace_seconds) * 1_000))
    }
}

impl Seat {
    /// Whether it has written one plan from all answers.
    fn has_last_word(&self) -> bool {
        self.asked.as_ref().is_some_and(|asked| asked.last_word && self.ended >= asked.turn)
    }
}
