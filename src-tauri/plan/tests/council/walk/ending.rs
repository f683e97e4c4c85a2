//! From a moment on everyone does as they are asked, and the council comes to an end.

use super::Walk;
use plan::council::next_time;
use plan::*;

impl Walk {
    /// All members do as they are asked, the person lets it go on and approves, and the winner does
    /// its plan and judges it.
    pub(super) fn finish(&mut self) {
        for _ in 0..600 {
            if !self.hall.council().is_active() {
                return;
            }
            if self.hall.council().paused.is_some() {
                self.hall.person(Command::Resume).expect("a person resumes");
                self.check();
            }
            let mut acted = self.cross_all();
            let members = self.hall.council().seats.len();
            for number in 1..=u32::try_from(members).expect("a few") {
                acted |= self.obeys(number);
                self.check();
            }
            match self.hall.council().stage {
                CouncilStage::Executing => self.executes(),
                CouncilStage::Reviewing => self.judges(),
                CouncilStage::Talking | CouncilStage::Decided | CouncilStage::Ended(_) => {}
            }
            self.check();
            if !acted && self.hall.council().is_running() && self.hall.council().holds_room() {
                let next = next_time(&self.hall.top.room, self.hall.time());
                self.hall.now = next.map_or(self.hall.now, |next| next.0);
            }
        }
        panic!("the council is stuck: {:?}", self.hall.view());
    }

    fn cross_all(&mut self) -> bool {
        let mut acted = false;
        for crossing in self.hall.due() {
            if let Crossing::Tell(number) = crossing {
                self.note_told(number);
            }
            acted |= self.hall.cross(crossing);
            self.check();
        }
        acted
    }

    /// The winner's plan goes one step on, with what a person has to say to it.
    fn executes(&mut self) {
        self.end_calls();
        let Some(plan) = &self.hall.top.room.plan else { return };
        let done = match &plan.state {
            PlanState::AwaitingApproval => {
                let (revision, hash) = (plan.revision, plan.hash.clone());
                let approve =
                    Command::Approve { revision, hash, model: None, fresh_context: false };
                self.hall.person(approve)
            }
            PlanState::Draft { .. } => {
                let cancel = Command::Cancel { reason: "it was sent back".into(), call: None };
                self.hall.person(cancel)
            }
            PlanState::Paused { .. } => self.hall.person(Command::Resume),
            PlanState::Running { .. } => {
                let (step, result) = (StepRef::Number(self.under_way()), "ok".to_owned());
                let over = Command::Override { step: step.clone() };
                let done = Command::StepDone { step, result, check: None, call: None };
                // After a failed call only a person says that it is done.
                self.hall.agent(done).or_else(|_| self.hall.person(over))
            }
            PlanState::Done | PlanState::Failed | PlanState::Cancelled => return,
        };
        done.expect("the plan goes on");
    }

    fn under_way(&self) -> u32 {
        let plan = self.hall.top.room.plan.as_ref().expect("a plan");
        let at =
            plan.steps.iter().position(|step| matches!(step.state, StepState::InProgress { .. }));
        1 + u32::try_from(at.expect("a step is in progress")).expect("a few")
    }

    /// What the room's model wanted to run comes to nothing.
    fn end_calls(&mut self) {
        let open: Vec<CallId> =
            self.hall.top.room.calls.iter().map(|open| open.request.id).collect();
        for call in open {
            let end = Command::EndCall {
                call,
                outcome: Outcome::Failed,
                result: Text::from("no"),
                nudge: None,
                changed: vec![],
                images: vec![],
                ms: 1,
            };
            let _ = self.hall.harness(end);
        }
    }

    /// The winner wants all of it again, or says that it is done.
    fn judges(&mut self) {
        self.end_calls();
        if self.hall.council().stage != CouncilStage::Reviewing {
            return;
        }
        let done = match self.dice.one_in(2) {
            true => crate::restarts::again(&mut self.hall),
            false => self.hall.agent(Command::SubmitCouncil { call: None }),
        };
        done.expect("the winner has the last word");
    }

    /// A member does what it was asked, if it was.
    fn obeys(&mut self, number: Number) -> bool {
        let council = self.hall.council();
        let Some(seat) = council.seat(number).filter(|_| council.is_at_work(number)) else {
            return false;
        };
        let answered: Vec<Number> =
            council.numbered().filter(|(_, seat)| seat.given() > 0).map(|(n, _)| n).collect();
        let last_word = seat.asked.as_ref().is_some_and(|asked| asked.last_word);
        let answers = last_word
            || council.may_answer(number) && (seat.given() == 0 || !council.may_vote(number));
        let Some(room) = self.hall.member_room(number) else { return false };
        match work::next(room) {
            Work::None => false,
            Work::Model => {
                let tool = if answers || answered.is_empty() { "new_answer" } else { "vote" };
                self.hall.calls(number, tool);
                true
            }
            Work::Calls(calls) => {
                let tool = room.call(calls[0]).map(|call| call.request.tool.clone());
                match tool.as_deref() {
                    Some("vote") if !answered.is_empty() => {
                        let choice = self.dice.pick(&answered);
                        let _ = self.hall.cast(number, calls[0], choice);
                    }
                    tool => self.carry_out(number, calls[0], tool.unwrap_or_default()),
                }
                true
            }
        }
    }
}
