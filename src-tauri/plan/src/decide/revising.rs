//! Changing a plan that exists: by its agent, or by a person's hand.

use super::{Deciding, staying};
use crate::text::is_blank;
use crate::{
    AskId, AskKind, CallId, Content, Edit, Event, FullStep, Patch, PauseReason, Plan, PlanMode,
    PlanState, Refusal, RunMode, Step, StepId, StepRef, StepSpec, draft,
};
use std::collections::BTreeSet;
use std::sync::Arc;

impl Deciding<'_> {
    pub(super) fn revise(
        &mut self,
        edits: Vec<Edit>,
        reason: Option<String>,
        seen: Option<u32>,
        ask: AskId,
        call: Option<CallId>,
    ) -> Result<(), Refusal> {
        self.keep = call;
        let plan = self.active()?;
        if seen.is_some_and(|seen| seen != plan.revision) {
            return Err(Refusal::Conflict { revision: plan.revision, hash: plan.hash.clone() });
        }
        // A question to the person is not the agent's to take back.
        if !self.actor.is_person() && self.room.is_paused_for(PauseReason::Drift) {
            return Err(Refusal::NotRunning { state: plan.state.clone() });
        }
        let content = edited(plan, edits)?;
        if content == *plan.content {
            return Ok(());
        }
        if !self.actor.is_person() {
            staying::check_edits(plan, &content)?;
        }
        let (before, was) = (plan.state.clone(), Arc::clone(&plan.content));
        // A question about a call beyond the plan is a person's to lift, or a new approval's.
        let lifts = self.actor.is_person() || self.room.mode == PlanMode::Strict;
        let stood_still = lifts && self.room.is_paused_for(PauseReason::Drift);
        self.emit(Event::PlanRevised {
            revision: plan.revision + 1,
            hash: content.hash(),
            content: Arc::new(content),
            frame: None,
            reason,
            by: self.actor.clone(),
            model: self.written_by(),
        });
        // What was asked about the plan as it was is no question any more.
        if lifts {
            self.withdraw_drifts();
        }
        match before {
            PlanState::AwaitingApproval => self.request_approval(ask, call),
            PlanState::Draft { .. } => self.start_or_ask(false, ask, call),
            PlanState::Running { .. } | PlanState::Paused { .. } if self.room.insists() => {
                self.request_approval(ask, call);
            }
            PlanState::Running { .. } => {
                self.reopen_changed(&was);
                self.advance();
            }
            PlanState::Paused { .. } => {
                self.reopen_changed(&was);
                if stood_still {
                    self.go_on();
                }
            }
            PlanState::Done | PlanState::Failed | PlanState::Cancelled => {}
        }
        Ok(())
    }
}

impl Deciding<'_> {
    /// A sidekick was told its step as it was: what comes of that is not what is shown now, so a
    /// step that was changed is handed over anew.
    fn reopen_changed(&mut self, was: &Content) {
        let Some(plan) = self.room.active_plan().filter(|plan| plan.frame.delegated) else {
            return;
        };
        let changed = |step: &&Step| {
            let known = was.steps.iter().find(|spec| spec.id == step.spec.id);
            known.is_some_and(|known| !is_told_the_same(known, &step.spec))
        };
        let steps = plan.in_progress().filter(changed).map(|step| step.spec.id.clone());
        for step in steps.collect::<Vec<_>>() {
            self.emit(Event::StepReopened { step, by: self.actor.clone() });
        }
    }

    /// Takes back every question about a call beyond the plan; the call does not run.
    fn withdraw_drifts(&mut self) {
        let asks = self.room.asks.values().filter(|ask| ask.kind == AskKind::Drift);
        let asks: Vec<(AskId, Option<CallId>)> = asks.map(|ask| (ask.id, ask.call_id)).collect();
        for (ask, call) in asks {
            self.emit(Event::AskWithdrawn { ask, reason: "the plan changed".to_owned() });
            if let Some(call) = call {
                self.not_run(call, "the plan changed");
            }
        }
    }
}

/// Whether who does a step has the same to do, whatever it waits for.
fn is_told_the_same(one: &StepSpec, other: &StepSpec) -> bool {
    let needs = one.needs.clone();
    *one == StepSpec { needs, ..other.clone() }
}

/// The content after these edits, checked.
fn edited(plan: &Plan, edits: Vec<Edit>) -> Result<Content, Refusal> {
    let mut content = Content::clone(&plan.content);
    let mut used: BTreeSet<StepId> = plan.used_ids.clone();
    for edit in edits {
        match edit {
            Edit::Set { step, to } => {
                let index = open_step(plan, &content, &step)?;
                let mut spec = StepSpec::clone(&content.steps[index]);
                patch(&mut spec, to, &content)?;
                content.steps[index] = Arc::new(spec);
            }
            Edit::Add { after, new } => {
                let at = place_after(&content, after.as_ref())?;
                let full = FullStep::from(new);
                let id = new_id(&full, &content, &used)?;
                used.insert(id.clone());
                let mut spec = blank(id);
                patch(&mut spec, Patch::from(full), &content)?;
                content.steps.insert(at, Arc::new(spec));
            }
            Edit::Remove { step } => {
                let index = open_step(plan, &content, &step)?;
                let id = content.steps[index].id.clone();
                if plan.step(&id).is_some_and(Step::is_in_progress) {
                    return Err(Refusal::StepNotRunning {
                        step: id,
                        status: "in_progress",
                        hint: "skip it instead of removing it".to_owned(),
                    });
                }
                content.steps.remove(index);
                let without = |spec: &Arc<StepSpec>| match spec.needs.contains(&id) {
                    true => {
                        let mut spec = StepSpec::clone(spec);
                        spec.needs.retain(|need| *need != id);
                        Arc::new(spec)
                    }
                    false => Arc::clone(spec),
                };
                content.steps = content.steps.iter().map(without).collect();
            }
            Edit::Move { step, after } => {
                let index = open_step(plan, &content, &step)?;
                let spec = content.steps.remove(index);
                let at = place_after(&content, after.as_ref())?;
                content.steps.insert(at, spec);
            }
        }
    }
    draft::check_content(&content, plan.frame.most_steps())?;
    Ok(content)
}

/// A step that may still be changed.
fn open_step(plan: &Plan, content: &Content, step: &StepRef) -> Result<usize, Refusal> {
    let Some(index) = content.find(step) else {
        return Err(Refusal::NoSuchStep { step: step.to_string() });
    };
    let id = &content.steps[index].id;
    match plan.step(id).map(|step| &step.state) {
        Some(state) if state.is_terminal() => Err(Refusal::StepNotRunning {
            step: id.clone(),
            status: state.word(),
            hint: "a step that has ended can't be changed".to_owned(),
        }),
        Some(_) | None => Ok(index),
    }
}

fn place_after(content: &Content, after: Option<&StepRef>) -> Result<usize, Refusal> {
    let Some(after) = after else { return Ok(0) };
    match content.find(after) {
        Some(index) => Ok(index + 1),
        None => Err(Refusal::NoSuchStep { step: after.to_string() }),
    }
}

fn new_id(step: &FullStep, content: &Content, used: &BTreeSet<StepId>) -> Result<StepId, Refusal> {
    if let Some(id) = step.id.clone().filter(|id| StepId::is_valid(id)).map(StepId) {
        let taken = used.contains(&id) || content.steps.iter().any(|step| step.id == id);
        return if taken { Err(Refusal::DuplicateStep { id }) } else { Ok(id) };
    }
    let mut number = content.steps.len() + 1;
    loop {
        let id = StepId(format!("s{number}"));
        if !used.contains(&id) {
            return Ok(id);
        }
        number += 1;
    }
}

fn blank(id: StepId) -> StepSpec {
    StepSpec {
        id,
        text: String::new(),
        tool: None,
        target: None,
        expected_outcome: None,
        verify: None,
        needs: Vec::new(),
        agent: None,
        model: None,
    }
}

fn patch(spec: &mut StepSpec, to: Patch, content: &Content) -> Result<(), Refusal> {
    if let Some(text) = to.text {
        spec.text = text;
    }
    for (field, value) in [
        (&mut spec.tool, to.tool),
        (&mut spec.target, to.target),
        (&mut spec.expected_outcome, to.expected_outcome),
        (&mut spec.agent, to.agent),
        (&mut spec.model, to.model),
    ] {
        if value.is_some() {
            // Nothing but space takes it away.
            *field = value.filter(|value| !is_blank(value));
        }
    }
    if to.verify.is_some() {
        spec.verify = to.verify;
    }
    if let Some(needs) = to.needs.filter(|needs| !needs.is_empty() || !spec.needs.is_empty()) {
        if content.mode != RunMode::Graph {
            return Err(Refusal::NoGraph);
        }
        spec.needs.clear();
        for need in needs {
            let Some(index) = content.find(&need) else {
                return Err(Refusal::UnknownNeed { step: spec.id.clone(), need: need.to_string() });
            };
            spec.needs.push(content.steps[index].id.clone());
        }
    }
    Ok(())
}
