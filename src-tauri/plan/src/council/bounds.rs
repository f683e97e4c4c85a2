//! What a member may do now: see the others' answers, answer, vote.

use super::{Council, CouncilStage, Number, Seat};

impl Council {
    /// Whether a member works now: all talk, or it is the winner that writes one plan from all
    /// answers.
    pub fn is_at_work(&self, number: Number) -> bool {
        let lives = self.seat(number).is_some_and(Seat::lives);
        let winner = self.winner.is_some_and(|(winner, _)| winner == number);
        let talks = self.stage == CouncilStage::Talking;
        self.is_running() && lives && (talks || winner && self.wants_last_word())
    }

    /// Whether answers are open to all: nobody sees or votes before. Once they are, they stay so.
    pub fn is_open(&self) -> bool {
        !self.rules.defer_voting_until_all_answered
            || self.opened
            || self
                .numbered()
                .all(|(number, seat)| !seat.lives() || seat.given() > 0 || !self.may_answer(number))
    }

    /// Whether a member sees the answers of others now. After a blind start, one that was given
    /// another chance answers blind, too.
    pub fn sees_answers(&self, number: Number) -> bool {
        let has_answered = self.seat(number).is_some_and(|seat| seat.given() > 0);
        let blind = self.rules.defer_voting_until_all_answered && !has_answered;
        self.is_open() && !(blind && self.may_answer(number))
    }

    /// Whether a member may give an answer now.
    pub fn may_answer(&self, number: Number) -> bool {
        let Some(seat) = self.seat(number) else { return false };
        let all: u32 = self.seats.iter().map(Seat::given).sum();
        let slowest = self.seats.iter().filter(|seat| seat.lives()).map(Seat::given).min();
        let ahead = self.rules.fairness_lead_cap_answers;
        // A bound of 0 would be a council without answers.
        let below = |most: Option<u32>, given: u32| most.is_none_or(|most| given < most.max(1));
        let fair = ahead.map(|ahead| slowest.unwrap_or(0).saturating_add(ahead));
        !seat.only_votes
            && below(self.rules.max_new_answers_per_agent, seat.given())
            && below(self.rules.max_new_answers_global, all)
            && below(fair, seat.given())
    }

    /// Whether members vote now.
    pub fn is_voting(&self) -> bool {
        self.is_open() && self.seats.iter().any(|seat| seat.given() > 0)
    }

    /// Whether a member may vote now.
    pub fn may_vote(&self, number: Number) -> bool {
        self.is_voting() && self.sees_answers(number)
    }

    /// Whether others have given answers that a member was not shown.
    pub fn has_news_for(&self, number: Number) -> bool {
        let Some(seat) = self.seat(number) else { return false };
        self.sees_answers(number)
            && self.numbered().any(|(other, one)| {
                other != number && one.given() > seat.shown.get(&other).copied().unwrap_or(0)
            })
    }
}
