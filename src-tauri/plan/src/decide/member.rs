//! A council member's own room.

use super::{Deciding, Sweep};
use crate::council::Member;
use crate::{CallId, Event, Outcome, Refusal, Time};

const HOW_TO_END: &str = "Plan harness: nobody reads your words here. End your turn with \
new_answer, which holds your whole proposal, or with vote where there are answers to vote for.";

impl Deciding<'_> {
    fn member(&self) -> Result<&Member, Refusal> {
        self.room.member.as_ref().ok_or(Refusal::NoCouncil)
    }

    /// The council's question reaches its member, once.
    pub(super) fn tell_member(&mut self, told: Event, turn: u32) -> Result<(), Refusal> {
        let member = self.member()?;
        if member.told() < turn && member.out.is_none() {
            self.emit(told);
        }
        Ok(())
    }

    /// The council has heard its answer or vote: the turn is over.
    pub(super) fn end_member_turn(&mut self, call: CallId, words: String) -> Result<(), Refusal> {
        let turn = self.member()?.told();
        self.end_with(call, Outcome::Ok, words);
        self.sweep("the turn is over", Sweep::End);
        self.emit(Event::MemberRested { turn });
        Ok(())
    }

    /// A member that stands still in the middle of its turn goes on.
    pub(super) fn member_goes_on(&mut self) -> Result<(), Refusal> {
        let member = self.member()?;
        if member.out.is_some() {
            return Ok(());
        }
        match member.until {
            Some(until) if until <= self.now => {
                self.emit(Event::Resumed { by: self.actor.clone() });
            }
            None if member.is_in_turn() && !self.room.owes && self.room.calls.is_empty() => {
                self.nudge(HOW_TO_END.to_owned());
            }
            Some(_) | None => {}
        }
        Ok(())
    }

    /// A turn that ends in neither an answer nor a vote is told so, a few times.
    pub(super) fn remind_member(&mut self) {
        let Some(member) = &self.room.member else { return };
        if member.is_given_up() {
            let words = "it ended its turn without an answer or a vote, and was told so 3 times";
            return self.member_fails(words.to_owned());
        }
        self.nudge(HOW_TO_END.to_owned());
    }

    pub(super) fn member_fails(&mut self, reason: String) {
        if self.room.member.as_ref().is_some_and(|member| member.out.is_none()) {
            self.sweep("the member is out", Sweep::End);
            self.emit(Event::MemberFailed { reason });
        }
    }

    /// Its model can't be asked: for a while, or at all.
    pub(super) fn member_trouble(&mut self, code: String, text: String, until: Option<Time>) {
        let text = without_advice(&text).to_owned();
        self.emit(Event::Trouble { code, text: text.clone(), until });
        if until.is_none() {
            self.member_fails(text);
        }
    }

    /// The app stops or has stopped. What was called for stays, for the council stands still and
    /// goes on from here.
    pub(super) fn interrupt_member(&mut self) {
        let begun: Vec<CallId> = self.room.running_calls().map(|call| call.request.id).collect();
        for call in begun {
            self.withdraw_elicitations(call, "interrupted");
            self.not_run(call, "interrupted");
        }
    }
}

/// What happened, without what a person could say to go on: nobody speaks in a member's room.
fn without_advice(text: &str) -> &str {
    text.split_once(" Send a message").map_or(text, |(what, _)| what)
}
