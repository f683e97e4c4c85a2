//! Which steps may start. Sequential, parallel and graph differ only in their edges.

use crate::{Advance, OnPartial, Plan, RunMode, SkipCause, Step, StepId, StepState, chain, clash};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// The steps to start now: first what most depends on, then in the plan's order.
pub fn next(plan: &Plan) -> Vec<StepId> {
    if !plan.state.is_running() || is_out_of_budget(plan) {
        return Vec::new();
    }
    beside(plan, &plan.waiting)
}

/// Whether a step could start if these waited for a person.
pub fn can_start(plan: &Plan, waiting: &BTreeSet<StepId>) -> bool {
    !plan.pauses_after
        && plan.state.is_running()
        && !is_out_of_budget(plan)
        && !beside(plan, waiting).is_empty()
}

/// The steps that may start beside those under way; those that wait for a person take no place.
fn beside(plan: &Plan, waiting: &BTreeSet<StepId>) -> Vec<StepId> {
    let working = plan.in_progress().filter(|step| !waiting.contains(&step.spec.id)).count();
    let free = (plan.frame.lanes as usize).saturating_sub(working);
    let mut started: Vec<&Step> = plan.in_progress().collect();
    let under_way = started.len();
    let mut ready = ready(plan);
    if ready.len() > 1 {
        let lengths = chain::lengths(plan);
        ready.sort_by_key(|&index| Reverse(lengths[index]));
    }
    for index in ready {
        let step = &plan.steps[index];
        if started.len() - under_way >= free {
            break;
        }
        if !started.iter().any(|other| are_in_each_others_way(plan, step, other)) {
            started.push(step);
        }
    }
    started[under_way..].iter().map(|step| step.spec.id.clone()).collect()
}

/// Positions of the steps that could start but for others that are under way.
pub fn waiting(plan: &Plan) -> Vec<usize> {
    match plan.state.is_running() && plan.frame.delegated && !is_out_of_budget(plan) {
        true => ready(plan),
        false => Vec::new(),
    }
}

/// Positions of the pending steps whose needs are met, in the plan's order.
fn ready(plan: &Plan) -> Vec<usize> {
    let mut known = Known::new();
    (0..plan.steps.len())
        .filter(|&index| plan.steps[index].state == StepState::Pending)
        .filter(|&index| is_ready(plan, index, &mut known))
        .collect()
}

/// Whether two steps are not to run at once.
fn are_in_each_others_way(plan: &Plan, one: &Step, other: &Step) -> bool {
    plan.frame.delegated && clash::may_clash(&plan.content.workspace, one, other)
}

/// Whether ⚡ is 0, where it counts.
pub fn is_out_of_budget(plan: &Plan) -> bool {
    plan.frame.has_budget() && plan.content.advance == Advance::Auto && plan.budget_left() == 0
}

/// Positions of the steps that come before one.
pub fn needs(plan: &Plan, index: usize) -> Vec<usize> {
    match plan.content.mode {
        RunMode::Sequential => index.checked_sub(1).into_iter().collect(),
        RunMode::Parallel => Vec::new(),
        RunMode::Graph => {
            let position = |id: &StepId| plan.steps.iter().position(|step| step.spec.id == *id);
            plan.steps[index].spec.needs.iter().filter_map(position).collect()
        }
    }
}

/// The first pending step that can never start because what it needs failed.
pub fn lost(plan: &Plan) -> Option<StepId> {
    let mut known = Known::new();
    (0..plan.steps.len())
        .filter(|&index| plan.steps[index].state == StepState::Pending)
        .find(|&index| is_lost(plan, index, &mut known))
        .map(|index| plan.steps[index].spec.id.clone())
}

/// What was found out about steps: many ways lead through a graph, each is walked once.
type Known = BTreeMap<usize, bool>;

fn is_ready(plan: &Plan, index: usize, known: &mut Known) -> bool {
    if let Some(&ready) = known.get(&index) {
        return ready;
    }
    let needs = needs(plan, index);
    let partial = plan.frame.on_partial == OnPartial::Synthesize
        && needs.iter().any(|&need| is_done(plan, need));
    let ready = needs.iter().all(|&need| match plan.steps[need].state {
        StepState::Done { .. } => true,
        // A step left out by choice is not in the way, but what it needed still is.
        StepState::Skipped { cause: SkipCause::Chosen | SkipCause::GivenUp, .. } => {
            is_ready(plan, need, known)
        }
        StepState::Failed { .. } | StepState::Skipped { .. } => partial,
        StepState::Pending | StepState::InProgress { .. } => false,
    });
    known.insert(index, ready);
    ready
}

fn is_lost(plan: &Plan, index: usize, known: &mut Known) -> bool {
    let needs = needs(plan, index);
    let broken = needs.iter().any(|&need| is_broken(plan, need, known));
    match plan.frame.on_partial {
        OnPartial::Fail => broken,
        OnPartial::Synthesize => {
            let over = needs.iter().all(|&need| plan.steps[need].state.is_terminal());
            broken && over && !needs.iter().any(|&need| is_done(plan, need))
        }
    }
}

fn is_done(plan: &Plan, index: usize) -> bool {
    matches!(plan.steps[index].state, StepState::Done { .. })
}

fn is_broken(plan: &Plan, index: usize, known: &mut Known) -> bool {
    if let Some(&broken) = known.get(&index) {
        return broken;
    }
    let broken = match plan.steps[index].state {
        StepState::Failed { .. } => true,
        StepState::Skipped { cause: SkipCause::Need | SkipCause::PlanEnded, .. } => true,
        StepState::Skipped { cause: SkipCause::Chosen | SkipCause::GivenUp, .. } => {
            needs(plan, index).into_iter().any(|need| is_broken(plan, need, known))
        }
        StepState::Pending | StepState::InProgress { .. } | StepState::Done { .. } => false,
    };
    known.insert(index, broken);
    broken
}
