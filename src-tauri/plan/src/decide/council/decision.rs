//! The end of the talk: who wins, what becomes of its answer, and whether another attempt follows.

use super::{NewAttempt, cut, names};
use crate::council::{
    Council, CouncilEnd, CouncilStage, DecidedBy, FinalAnswer, MOST_MEMBERS, Number, Sitting,
    member_name,
};
use crate::decide::{Deciding, Sweep};
use crate::text::is_blank;
use crate::{Actor, CallId, Content, Event, Frame, Outcome, Refusal, RunMode, Text};
use std::sync::Arc;

impl Deciding<'_> {
    /// The time is over, or the person wants an answer at once.
    pub(in crate::decide) fn decide_now(&mut self, by: DecidedBy) -> Result<(), Refusal> {
        let council = self.talking()?;
        if by == DecidedBy::Timeout && council.deadline().is_none_or(|end| end > self.now) {
            return Err(Refusal::NoCouncil);
        }
        match council.best_so_far() {
            Some(winner) => self.decided(winner, by),
            None if by == DecidedBy::Person => {
                self.council_fails("It was to answer at once, and no member had answered yet.");
            }
            None => self.council_fails("Its time was over before any member had answered."),
        }
        Ok(())
    }

    pub(in crate::decide) fn pick(&mut self, number: Number) -> Result<(), Refusal> {
        let council = self.talking()?;
        if council.seat(number).is_none_or(|seat| seat.given() == 0) {
            return Err(Refusal::NoSuchMember {
                named: member_name(number),
                members: names(council, |seat| seat.given() > 0),
            });
        }
        self.decided(number, DecidedBy::Person);
        Ok(())
    }

    pub(super) fn decided(&mut self, winner: Number, by: DecidedBy) {
        if self.room.active_council().is_some_and(|council| council.paused.is_some()) {
            // A decision is a wish to go on.
            self.emit(Event::CouncilResumed { by: self.actor.clone() });
        }
        self.emit(Event::CouncilDecided { winner, by });
    }

    pub(super) fn council_fails(&mut self, why: &str) {
        let reason = why.to_owned();
        self.emit(Event::CouncilEnded { state: CouncilEnd::Failed, reason });
    }

    /// The winner's answer becomes the room's plan, or is only shown.
    pub(in crate::decide) fn hand_over(&mut self, text: Text) -> Result<(), Refusal> {
        let ready = |council: &&Council| council.may_hand_over(self.now);
        let council = self.room.active_council().filter(ready).ok_or(Refusal::NoCouncil)?;
        let Some(seat) = council.winner.and_then(|(winner, _)| council.seat(winner)) else {
            return Err(Refusal::NoCouncil);
        };
        let Some(answer) = seat.answers.last() else { return Err(Refusal::NoAnswerYet) };
        if council.rules.final_answer_strategy == FinalAnswer::WinnerReuse {
            let (state, reason) = (CouncilEnd::Done, String::new());
            self.emit(Event::CouncilEnded { state, reason });
            return Ok(());
        }
        let (content, ask) = (Arc::clone(&answer.plan), council.ask);
        let written = Event::PlanWritten {
            plan: council.plan,
            hash: content.hash(),
            frame: Arc::new(frame_for(&council.frame, &content)),
            content,
            by: Actor::agent(&seat.who.agent),
            model: Some(seat.who.model.clone()),
        };
        self.emit(Event::CouncilHandedOver { text });
        self.emit(written);
        self.start_or_ask(false, ask, None);
        Ok(())
    }

    /// The winner says that the work is done.
    pub(in crate::decide) fn submit_council(
        &mut self,
        call: Option<CallId>,
    ) -> Result<(), Refusal> {
        let reviews = |council: &&Council| council.stage == CouncilStage::Reviewing;
        self.room.active_council().filter(reviews).ok_or(Refusal::NoReview)?;
        let (state, reason) = (CouncilEnd::Done, String::new());
        self.emit(Event::CouncilEnded { state, reason });
        if let Some(call) = call {
            self.end_with(call, Outcome::Ok, "The work is submitted.".to_owned());
        }
        self.sweep("the work is submitted", Sweep::End);
        Ok(())
    }

    /// The winner wants all of it done again.
    pub(in crate::decide) fn restart_council(
        &mut self,
        again: NewAttempt,
        call: Option<CallId>,
    ) -> Result<(), Refusal> {
        let reviews = |council: &&Council| council.stage == CouncilStage::Reviewing;
        let council = self.room.active_council().filter(reviews).ok_or(Refusal::NoReview)?;
        if !council.may_restart() {
            return Err(Refusal::NoMoreAttempts);
        }
        let NewAttempt { reason, instructions, rooms, plan, ask } = again;
        if rooms.len() != council.seats.len() {
            return Err(Refusal::CouncilSize { members: rooms.len(), most: MOST_MEMBERS });
        }
        let members: Vec<Sitting> = council
            .seats
            .iter()
            .zip(rooms)
            .map(|(seat, room)| Sitting { room, ..seat.who.clone() })
            .collect();
        if is_blank(&reason) {
            return Err(Refusal::NoReason);
        }
        let result = self.step_results();
        let (reason, instructions) = (cut(&reason), cut(&instructions));
        if let Some(call) = call {
            self.end_with(call, Outcome::Ok, "The council begins again.".to_owned());
        }
        self.sweep("the council begins again", Sweep::End);
        self.emit(Event::CouncilRestarted { reason, instructions, result, members, plan, ask });
        Ok(())
    }

    /// The results of the plan's steps, in words.
    fn step_results(&self) -> String {
        let Some(plan) = &self.room.plan else { return String::new() };
        let line = |step: &crate::Step| {
            format!("{}. {}: {}", plan.number(&step.spec.id), step.spec.text, step.outcome_words())
        };
        plan.steps.iter().map(line).collect::<Vec<_>>().join("\n")
    }
}

/// How the winner's plan runs: as its steps depend on each other.
fn frame_for(frame: &Frame, content: &Content) -> Frame {
    let lanes = match content.mode {
        RunMode::Sequential => 1,
        RunMode::Parallel | RunMode::Graph => {
            frame.caps.sidekicks_per_plan.min(frame.caps.sidekicks)
        }
    };
    Frame { lanes, delegated: content.mode != RunMode::Sequential, ..frame.clone() }
}
