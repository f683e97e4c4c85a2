//! How an event changes the ledger of a council.

use super::{
    Answer, Attempt, Council, CouncilStage, DecidedBy, Dropped, Number, Question, Seat, Sitting,
    Vote,
};
use crate::{Content, PauseReason, Room, Text, Time};
use std::sync::Arc;

impl Room {
    /// The council that the event is about.
    fn council_mut(&mut self) -> Option<&mut Council> {
        self.councils.last_mut()
    }

    fn seat_mut(&mut self, number: Number) -> Option<&mut Seat> {
        self.council_mut()?.seat_mut(number)
    }

    pub(crate) fn council_began(&mut self, council: Council) {
        self.owes = false;
        self.planning = None;
        self.councils.push(council);
    }

    pub(crate) fn council_heard(&mut self, text: &Text) {
        let seq = self.seq;
        if let Some(council) = self.council_mut().filter(|council| council.holds_room()) {
            council.words.push(text.clone());
            council.heard_seq = seq;
            council.owe_words(|seat| seat.waits.is_some());
        }
    }

    pub(crate) fn council_asked(&mut self, number: Number, asked: &Question, at: Time) {
        let Some(council) = self.council_mut() else { return };
        let ran = council.ran_ms(at);
        let Some(seat) = council.seat_mut(number) else { return };
        let is_new = |(other, nth): &(Number, u32)| {
            *other != number && seat.shown.get(other).is_none_or(|shown| shown < nth)
        };
        if asked.shows.iter().any(is_new) {
            seat.news = asked.turn;
            seat.injected += u32::from(asked.mid);
        }
        seat.shown.extend(asked.shows.iter().copied());
        // News in the middle of a turn, or that little time is left, begin no new one.
        if !asked.mid {
            seat.waits = None;
        }
        if !asked.mid || asked.last_word {
            seat.turn_from = ran;
        }
        seat.asked = Some(asked.clone());
    }

    pub(crate) fn council_answered(
        &mut self,
        number: Number,
        content: &Text,
        plan: &Arc<Content>,
        at: Time,
    ) {
        let Some(council) = self.council_mut() else { return };
        let talking = council.stage == CouncilStage::Talking;
        if let Some(seat) = council.seat_mut(number) {
            seat.answers.push(Answer { content: content.clone(), plan: Arc::clone(plan), at });
            seat.ended = seat.turn();
        }
        if !talking {
            return;
        }
        council.opened |= council.is_open();
        let had = council.person_vote.take().is_some()
            | council.seats.iter().any(|seat| seat.vote.is_some());
        if had {
            council.round += 1;
            for seat in &mut council.seats {
                seat.injected = 0;
                if let Some(vote) = seat.vote.take() {
                    seat.cleared = Some(vote);
                }
            }
        }
    }

    pub(crate) fn council_voted(&mut self, number: Option<Number>, vote: &Vote) {
        match number {
            None => {
                if let Some(council) = self.council_mut() {
                    council.person_vote = Some(vote.clone());
                }
            }
            Some(number) => {
                if let Some(seat) = self.seat_mut(number) {
                    seat.vote = Some(vote.clone());
                    seat.cleared = None;
                    seat.ended = seat.turn();
                }
            }
        }
    }

    pub(crate) fn council_dropped(&mut self, member: Number, vote: &Vote, why: &str, at: Time) {
        let Some(council) = self.council_mut() else { return };
        let (vote, why) = (vote.clone(), why.to_owned());
        council.dropped.push(Dropped { member, vote, why, at });
        if let Some(seat) = council.seat_mut(member) {
            seat.ended = seat.turn();
        }
    }

    pub(crate) fn council_not_new(&mut self, member: Number) {
        let Some(council) = self.council_mut() else { return };
        if let Some(seat) = council.seat_mut(member) {
            seat.only_votes = true;
        }
        council.opened |= council.is_open();
    }

    pub(crate) fn council_out(&mut self, member: Number, why: &str) {
        let Some(council) = self.council_mut() else { return };
        if let Some(seat) = council.seat_mut(member) {
            seat.out = Some(why.to_owned());
            seat.waits = None;
            seat.ended = seat.turn();
        }
        council.opened |= council.is_open();
    }

    pub(crate) fn council_back(&mut self, member: Number, who: &Sitting) {
        if let Some(seat) = self.seat_mut(member) {
            let before = std::mem::replace(seat, Seat::new(who.clone()));
            // What it has said stands; all else begins again.
            seat.earlier_rooms = before.earlier_rooms;
            seat.earlier_rooms.push(before.who.room);
            seat.answers = before.answers;
            seat.vote = before.vote;
            seat.cleared = before.cleared;
        }
    }

    pub(crate) fn council_waits(&mut self, member: Number, until: Option<Time>, at: Time) {
        let Some(council) = self.council_mut() else { return };
        let ran = council.ran_ms(at);
        let Some(seat) = council.seat_mut(member) else { return };
        if let Some((since, _)) = seat.waits.take() {
            seat.turn_from += ran.saturating_sub(since);
        }
        seat.waits = until.map(|until| (ran, until));
    }

    pub(crate) fn council_paused(&mut self, reason: PauseReason, detail: Option<&str>, at: Time) {
        let Some(council) = self.council_mut() else { return };
        council.ran_ms = council.ran_ms(at);
        council.running_since = None;
        council.paused = Some((reason, detail.map(str::to_owned)));
    }

    pub(crate) fn council_resumed(&mut self, at: Time) {
        let used = self.councils.last().map(|council| council.usage(self));
        let Some(council) = self.council_mut() else { return };
        council.unpause();
        council.owe_words(|_| true);
        // Its time is for talking, not for the plan's work.
        council.running_since = council.holds_room().then_some(at);
        council.usage_base = used.unwrap_or_default();
    }

    pub(crate) fn council_decided(&mut self, winner: Number, by: DecidedBy, at: Time) {
        if let Some(council) = self.council_mut() {
            council.winner = Some((winner, by));
            council.decided_at = Some(at);
            council.stage = CouncilStage::Decided;
        }
    }

    pub(crate) fn council_hands_over(&mut self, at: Time) {
        if let Some(council) = self.council_mut() {
            council.stop_clock(at);
            council.handed_over = true;
            council.stage = CouncilStage::Executing;
        }
    }

    pub(crate) fn council_reviewed(&mut self) {
        self.owes = true;
        self.told_seq = self.seq;
        // What was asked before is void.
        self.halted_seq = self.seq;
        if let Some(council) = self.council_mut() {
            council.stage = CouncilStage::Reviewing;
        }
    }

    pub(crate) fn council_restarted(&mut self, next: &NextAttempt<'_>, at: Time) {
        self.owes = false;
        let Some(council) = self.council_mut() else { return };
        let seats = next.members.iter().cloned().map(Seat::new).collect();
        council.earlier.push(Attempt {
            seats: std::mem::replace(&mut council.seats, seats),
            winner: council.winner.take(),
            plan: council.plan,
            reason: next.reason.to_owned(),
            instructions: next.instructions.to_owned(),
            result: next.result.to_owned(),
            person_vote: council.person_vote.take(),
            round: council.round,
            dropped: std::mem::take(&mut council.dropped),
            decided_at: council.decided_at.take(),
        });
        council.plan = next.plan;
        council.ask = next.ask;
        council.stage = CouncilStage::Talking;
        council.round = 1;
        council.opened = false;
        council.handed_over = false;
        council.ran_ms = 0;
        council.running_since = Some(at);
    }

    pub(crate) fn council_ended(&mut self, end: super::CouncilEnd, reason: &str, at: Time) {
        let seq = self.seq;
        let Some(council) = self.council_mut() else { return };
        council.ended_seq = seq;
        let (talked, council_was) = (council.holds_room(), council.stage);
        council.stop_clock(at);
        council.unpause();
        council.stage = CouncilStage::Ended(end);
        council.end_reason = (!reason.is_empty()).then(|| reason.to_owned());
        let reviewed = council_was == CouncilStage::Reviewing;
        if talked || reviewed || end == super::CouncilEnd::Cancelled {
            // What a person said meanwhile was for its members.
            self.owes = false;
        }
    }
}

/// Another attempt.
pub(crate) struct NextAttempt<'a> {
    pub(crate) reason: &'a str,
    pub(crate) instructions: &'a str,
    pub(crate) result: &'a str,
    pub(crate) members: &'a [Sitting],
    pub(crate) plan: crate::PlanId,
    pub(crate) ask: crate::AskId,
}

impl Council {
    /// Such members stand still in their turn, and are told all that was said before it goes on.
    fn owe_words(&mut self, such: impl Fn(&Seat) -> bool) {
        let words = u32::try_from(self.words.len()).unwrap_or(u32::MAX);
        for seat in self.seats.iter_mut().filter(|seat| seat.is_in_turn() && such(seat)) {
            seat.words_due = Some(words);
        }
    }

    fn unpause(&mut self) {
        self.paused = None;
        self.pause_code = None;
        self.pause_until = None;
    }

    fn stop_clock(&mut self, at: Time) {
        self.ran_ms = self.ran_ms(at);
        self.running_since = None;
    }
}
