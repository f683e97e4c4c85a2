//! Writing a plan, and getting it started: at once, or by a person's yes.

use super::{Deciding, Sweep, staying};
use crate::council::Council;
use crate::repeat::same_steps;
use crate::{
    Approval, Ask, AskId, AskKind, CallId, CallState, Content, Draft, Event, Frame, Hash, Origin,
    Outcome, Phase, Plan, PlanId, PlanState, Refusal, StepId, answer, draft, gate::approved_plan,
    granted,
};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The tool that answers with whether a person said yes, and no more.
const SUBMIT: &str = "submit_plan";

impl Deciding<'_> {
    pub(super) fn write(
        &mut self,
        plan: PlanId,
        ask: AskId,
        call: Option<CallId>,
        mut written: Draft,
        frame: Frame,
    ) -> Result<(), Refusal> {
        self.keep = call;
        let submitted = frame.origin == Origin::Submitted;
        let workspace = self.room.workspace.clone();
        match self.room.active_plan() {
            None => {
                let none = draft::Before::default();
                let content = draft::check(written, &workspace, frame.most_steps(), &none)?;
                if !self.actor.is_person() && self.room.just_did(&content) {
                    return Err(Refusal::JustDone);
                }
                self.emit(Event::PlanWritten {
                    plan,
                    hash: content.hash(),
                    content: Arc::new(content),
                    frame: Arc::new(frame),
                    by: self.actor.clone(),
                    model: self.written_by(),
                });
            }
            Some(old) if may_be_rewritten(old) => {
                let used: BTreeSet<StepId> = old.used_ids.clone();
                let before = draft::Before { steps: &old.content.steps, used };
                let most = old.frame.most_steps();
                staying::keep_frame(old, &mut written);
                let mut content = draft::check(written, &workspace, most, &before)?;
                keep_ended(old, &mut content);
                staying::keep_steps(old, &mut content)?;
                draft::check_content(&content, most)?;
                if old.rejected && content == *old.content {
                    return Err(Refusal::SameAgain);
                }
                self.emit(Event::PlanRevised {
                    revision: old.revision + 1,
                    hash: content.hash(),
                    content: Arc::new(content),
                    frame: reframed(old, &frame),
                    reason: None,
                    by: self.actor.clone(),
                    model: self.written_by(),
                });
            }
            Some(_) if self.running_phase() == Some(Phase::Joining) => {
                return Err(Refusal::StepsOver);
            }
            Some(old) => {
                let used = BTreeSet::new();
                let before = draft::Before { steps: &old.content.steps, used };
                let written = draft::check(written, &workspace, old.frame.most_steps(), &before);
                let same = old.state.is_running()
                    && written.is_ok_and(|written| same_steps(&old.content, &written));
                // It is told how far the plan is.
                return if same { Ok(()) } else { Err(Refusal::PlanActive) };
            }
        }
        self.start_or_ask(submitted, ask, call);
        Ok(())
    }

    pub(super) fn run(&mut self, ask: AskId, call: Option<CallId>) -> Result<(), Refusal> {
        self.keep = call;
        let plan = self.active()?;
        match plan.state {
            PlanState::Draft { sent_back: true } => Err(Refusal::SentBack),
            PlanState::Draft { sent_back: false } => {
                self.start_or_ask(false, ask, call);
                Ok(())
            }
            // The mode became strict while it ran: a person may say yes now.
            PlanState::Running { .. }
                if self.room.insists() && approved_plan(&self.room).is_none() =>
            {
                self.request_approval(ask, call);
                Ok(())
            }
            PlanState::Running { .. } => Ok(()),
            PlanState::AwaitingApproval
            | PlanState::Paused { .. }
            | PlanState::Done
            | PlanState::Failed
            | PlanState::Cancelled => Err(Refusal::NotRunning { state: plan.state.clone() }),
        }
    }

    /// A plan that was ever put before a person is put before them again,
    /// whatever the mode is now.
    pub(super) fn start_or_ask(&mut self, submitted: bool, ask: AskId, call: Option<CallId>) {
        if submitted || self.room.asks_for_plans() {
            return self.request_approval(ask, call);
        }
        self.emit(Event::Started);
        self.advance();
    }

    pub(super) fn request_approval(&mut self, id: AskId, call: Option<CallId>) {
        // Only a call that is being looked at can wait for the answer.
        let call = call.filter(|call| {
            self.room.call(*call).is_some_and(|open| open.state == CallState::Waiting)
        });
        let Some(plan) = &self.room.plan else { return };
        if plan.state != PlanState::AwaitingApproval {
            self.emit(Event::ApprovalRequested);
        }
        let Some(plan) = &self.room.plan else { return };
        if self.approval_ask().is_some() {
            // The same question stands; only what it shows is new. A second
            // call that waits for it would never be answered.
            if let Some(call) = call {
                self.end_with(call, Outcome::Ok, r#"{"state":"awaiting_approval"}"#.to_owned());
            }
            return;
        }
        let council = self.room.active_council().filter(|council| council.plan == plan.id);
        let ask = Ask {
            id,
            kind: AskKind::Approval,
            plan_id: Some(plan.id),
            step_id: None,
            call_id: call,
            text: format!("May this plan run? {}", plan.content.goal),
            detail: council.map(Council::how_it_went).unwrap_or_default(),
            created_at: self.now,
        };
        self.emit(Event::AskRaised { ask });
    }

    pub(super) fn approve(
        &mut self,
        revision: u32,
        hash: &Hash,
        model: Option<String>,
        fresh_context: bool,
    ) -> Result<(), Refusal> {
        let plan = self.active()?;
        if plan.state != PlanState::AwaitingApproval {
            return Err(Refusal::NotWaiting { state: plan.state.clone() });
        }
        if plan.revision != revision {
            return Err(Refusal::Conflict { revision: plan.revision, hash: plan.hash.clone() });
        }
        if plan.hash != *hash {
            return Err(Refusal::OtherHash { revision });
        }
        let approval = Approval {
            plan: plan.id,
            revision,
            hash: plan.hash.clone(),
            by: self.actor.clone(),
            at: self.now,
            scope: plan.steps.iter().map(granted::words).collect(),
            amended: Vec::new(),
            model,
            fresh_context,
        };
        let call = self.close_approval_ask("approve", None);
        self.keep = call;
        self.emit(Event::Approved { approval });
        self.emit(Event::Started);
        self.advance();
        if let Some(call) = call {
            let submitted = self.room.call(call).is_some_and(|open| open.request.tool == SUBMIT);
            let words = answer::approved(&self.room, submitted).to_string();
            self.end_with(call, Outcome::Ok, words);
        }
        Ok(())
    }

    pub(super) fn reject(&mut self, reason: String) -> Result<(), Refusal> {
        let plan = self.active()?;
        if plan.state != PlanState::AwaitingApproval {
            return Err(Refusal::NotWaiting { state: plan.state.clone() });
        }
        self.send_back(reason, true, Vec::new());
        Ok(())
    }

    /// Back to a draft that only a new revision brings forward.
    pub(super) fn send_back(&mut self, reason: String, rejected: bool, about: Vec<StepId>) {
        let answer = if rejected { "reject" } else { "change" };
        let call = self.close_approval_ask(answer, Some(reason.clone()));
        self.keep = call;
        let by = self.actor.clone();
        self.emit(Event::SentBack { reason: reason.clone(), rejected, about, by });
        self.sweep("sent back", Sweep::End);
        match call {
            Some(call) => {
                self.end_with(call, Outcome::Ok, answer::sent_back(&reason).to_string());
            }
            None if rejected => {
                let text = format!("The person rejected the plan: {reason}");
                self.nudge(text);
            }
            None => {}
        }
    }

    pub(super) fn approval_ask(&self) -> Option<AskId> {
        let mut asks = self.room.asks.values();
        asks.find(|ask| ask.kind == AskKind::Approval).map(|ask| ask.id)
    }

    /// Closes the question and gives back the call that waited for it.
    fn close_approval_ask(&mut self, answer: &str, note: Option<String>) -> Option<CallId> {
        let id = self.approval_ask()?;
        let call = self.room.asks.get(&id).and_then(|ask| ask.call_id);
        self.answered(id, answer, note);
        call.filter(|call| self.room.call(*call).is_some())
    }
}

/// Whether it has not begun; of a goal, whether it was not split yet.
fn may_be_rewritten(plan: &Plan) -> bool {
    match plan.state {
        PlanState::Draft { .. } | PlanState::AwaitingApproval => true,
        PlanState::Running { .. } => plan.phase() == Some(Phase::Splitting),
        PlanState::Paused { .. } | PlanState::Done | PlanState::Failed | PlanState::Cancelled => {
            false
        }
    }
}

/// The frame, where the next revision runs otherwise. A goal runs as it was set; and after comments
/// on single steps the plan runs as before, because nobody spoke of that.
fn reframed(plan: &Plan, written: &Frame) -> Option<Arc<Frame>> {
    if plan.goal.is_some() || !plan.about.is_empty() {
        return None;
    }
    let Frame { lanes, delegated, .. } = *written;
    let frame = Frame { lanes, delegated, ..Frame::clone(&plan.frame) };
    (frame != *plan.frame).then(|| Arc::new(frame))
}

/// A step that has ended stays as it was: left out or reworded, it is put back.
fn keep_ended(plan: &Plan, content: &mut Content) {
    let mut front = 0;
    for step in plan.steps.iter().filter(|step| step.state.is_terminal()) {
        match content.steps.iter_mut().find(|spec| spec.id == step.spec.id) {
            Some(spec) => *spec = Arc::clone(&step.spec),
            None => {
                content.steps.insert(front, Arc::clone(&step.spec));
                front += 1;
            }
        }
    }
}
