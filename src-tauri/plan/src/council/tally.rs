//! Who wins a council, and when that is certain.

use super::{Council, DecidedBy, Number, Seat, Vote, member_name};
use crate::Detail;
use std::cmp::Reverse;

/// Votes for one member.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Score {
    /// The member.
    pub member: Number,
    /// Votes for it, the person's included.
    pub votes: u32,
}

/// The votes for everyone who has answered, in their order.
pub(super) fn tally(seats: &[Seat], person: Option<&Vote>) -> Vec<Score> {
    let votes: Vec<&Vote> =
        seats.iter().filter_map(|seat| seat.vote.as_ref()).chain(person).collect();
    let count = |member: Number| votes.iter().filter(|vote| vote.choice == member).count();
    (1..)
        .zip(seats)
        .filter(|(_, seat)| seat.given() > 0)
        .map(|(member, _)| Score {
            member,
            votes: u32::try_from(count(member)).unwrap_or(u32::MAX),
        })
        .collect()
}

impl Council {
    /// The votes for everyone who has answered, in their order.
    pub fn tally(&self) -> Vec<Score> {
        tally(&self.seats, self.person_vote.as_ref())
    }

    /// The member with most votes; of those with as many, the first. `None` without votes.
    pub fn leader(&self) -> Option<Score> {
        let tally = self.tally();
        let most = tally.iter().map(|score| score.votes).max().filter(|most| *most > 0)?;
        tally.into_iter().find(|score| score.votes == most)
    }

    /// Who wins now, if that is certain while all go on.
    pub(crate) fn decision(&self) -> Option<(Number, DecidedBy)> {
        let living: Vec<(Number, &Seat)> =
            self.numbered().filter(|(_, seat)| seat.lives()).collect();
        if let [(number, seat)] = living.as_slice()
            && seat.given() > 0
        {
            return Some((*number, DecidedBy::LastMember));
        }
        if living.is_empty() {
            return self.best_so_far().map(|number| (number, DecidedBy::LastMember));
        }
        if !living.iter().all(|(_, seat)| seat.given() > 0 || seat.vote.is_some()) {
            return None;
        }
        let out = living.iter().filter(|(_, seat)| seat.vote.is_none()).count();
        let out = u32::try_from(out).unwrap_or(u32::MAX);
        let leader = self.leader()?;
        let overtakes = |score: &Score| match score.member < leader.member {
            true => score.votes + out >= leader.votes,
            false => score.votes + out > leader.votes,
        };
        let certain =
            !self.tally().iter().any(|score| score.member != leader.member && overtakes(score));
        (out == 0 || certain).then_some((leader.member, DecidedBy::Votes))
    }

    /// Who wins where there is no more time: by the votes so far, without any by the latest answer.
    pub(crate) fn best_so_far(&self) -> Option<Number> {
        let latest = || {
            let answers = self
                .numbered()
                .filter_map(|(number, seat)| Some((seat.answers.last()?.at, Reverse(number))));
            answers.max().map(|(_, Reverse(number))| number)
        };
        self.leader().map(|score| score.member).or_else(latest)
    }

    /// How the vote went and who objected, for the person who is asked whether the plan may run.
    pub(crate) fn how_it_went(&self) -> Vec<Detail> {
        let Some((winner, by)) = self.winner else { return Vec::new() };
        let named = |number: Number| match self.seat(number) {
            Some(seat) => format!("{} ({})", member_name(number), seat.who.agent),
            None => member_name(number),
        };
        let tally = self.tally();
        let all: u32 = tally.iter().map(|score| score.votes).sum();
        let own = tally.iter().find(|score| score.member == winner).map_or(0, |own| own.votes);
        let by = match by {
            DecidedBy::Votes => "",
            DecidedBy::Timeout => "; its time was over",
            DecidedBy::Person => "; a person decided",
            DecidedBy::LastMember => "; it was the last member",
        };
        let won = format!("{} won with {own} of {all} votes{by}", named(winner));
        let votes =
            self.numbered().filter_map(|(number, seat)| Some((Some(number), seat.vote.as_ref()?)));
        let person = self.person_vote.as_ref().map(|vote| (None, vote));
        let against = votes.chain(person).filter(|(_, vote)| vote.choice != winner);
        let against = against.map(|(voter, vote)| {
            let voter = voter.map_or_else(|| "a person".to_owned(), named);
            let why = if vote.reason.is_empty() { "" } else { ": " };
            Detail::new("dissent", format!("{voter} voted for {}{why}{}", vote.label, vote.reason))
        });
        std::iter::once(Detail::new("vote", won)).chain(against).collect()
    }
}
