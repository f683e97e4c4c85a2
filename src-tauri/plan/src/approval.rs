//! The record that a person said yes, and what they allowed by hand since.

use crate::{Actor, Hash, Plan, PlanId, StepId, Time, granted};
use serde::{Deserialize, Serialize};

/// The record that a person said yes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS, utoipa::ToSchema)]
pub struct Approval {
    /// The plan.
    pub plan: PlanId,
    /// The revision that was shown.
    pub revision: u32,
    /// The hash of what was shown.
    pub hash: Hash,
    /// Who said it, and where.
    pub by: Actor,
    /// When.
    pub at: Time,
    /// What it allows now, in words, one line a step.
    pub scope: Vec<String>,
    /// What a person changed in that by hand since, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub amended: Vec<Amendment>,
    /// The model that executes, when it was chosen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Whether it starts with a context that holds only the plan.
    pub fresh_context: bool,
}

/// A person let a step of an approved plan do more, or less.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS, utoipa::ToSchema)]
pub struct Amendment {
    /// The step.
    pub step: StepId,
    /// What it was allowed before, in words.
    pub was: String,
    /// What it is allowed from then on, in words.
    pub now: String,
    /// Who did it, and where.
    pub by: Actor,
    /// When.
    pub at: Time,
}

impl Plan {
    /// Notes in the record what a step is allowed now. A person's own hand needs no second yes.
    pub(crate) fn amend(&mut self, step: &StepId, by: &Actor, at: Time) {
        let Some(index) = self.steps.iter().position(|one| one.spec.id == *step) else { return };
        let now = granted::words(&self.steps[index]);
        let Some(approval) = &mut self.approval else { return };
        let Some(line) = approval.scope.get_mut(index).filter(|line| **line != now) else { return };
        let was = std::mem::replace(line, now.clone());
        let (step, by) = (step.clone(), by.clone());
        approval.amended.push(Amendment { step, was, now, by, at });
    }

    /// What a person changed by hand in what a step was approved for.
    pub(crate) fn amendments(&self, step: &StepId) -> impl Iterator<Item = &Amendment> {
        let amended = self.approval.iter().flat_map(|approval| &approval.amended);
        amended.filter(move |one| one.step == *step)
    }
}
