//! After comments on single steps: everything nobody spoke of stays as it is.

use crate::text::one_line;
use crate::{Content, Draft, Plan, Refusal, StepId, StepSpec};
use std::sync::Arc;

/// What a plan says beside its steps, nobody spoke of.
pub(super) fn keep_frame(plan: &Plan, written: &mut Draft) {
    if plan.about.is_empty() {
        return;
    }
    let content = &plan.content;
    written.goal.clone_from(&content.goal);
    written.title.clone_from(&content.title);
    written.mode = Some(content.mode);
    written.advance = content.advance;
    written.venue = content.venue;
}

/// Gives the steps that nobody spoke of back what they said. Refused where one of them is gone or
/// has moved, or where a new step has nothing to do with those that were spoken of.
pub(super) fn keep_steps(plan: &Plan, content: &mut Content) -> Result<(), Refusal> {
    if plan.about.is_empty() {
        return Ok(());
    }
    let (before, after) = (gaps(plan, &plan.content), gaps(plan, content));
    if staying(plan, &plan.content).ne(staying(plan, content)) {
        return Err(refusal(plan));
    }
    let alone = |(before, after): (&Vec<&StepId>, &Vec<&StepId>)| {
        before.is_empty() && !after.is_empty() && !after.iter().any(|id| plan.about.contains(id))
    };
    if before.iter().zip(&after).any(alone) {
        return Err(refusal(plan));
    }
    let steps = content.steps.iter().map(|spec| match plan.step(&spec.id) {
        Some(old) if stays(plan, &spec.id) => as_it_was(plan, &old.spec, spec, content),
        Some(_) | None => Arc::clone(spec),
    });
    content.steps = steps.collect();
    Ok(())
}

/// The same for single edits, none of which may be about another step.
pub(super) fn check_edits(plan: &Plan, content: &Content) -> Result<(), Refusal> {
    let mut kept = content.clone();
    keep_steps(plan, &mut kept)?;
    if kept == *content { Ok(()) } else { Err(refusal(plan)) }
}

fn stays(plan: &Plan, id: &StepId) -> bool {
    plan.step(id).is_some() && !plan.about.contains(id)
}

fn staying<'a>(plan: &'a Plan, content: &'a Content) -> impl Iterator<Item = &'a StepId> {
    content.steps.iter().map(|spec| &spec.id).filter(|id| stays(plan, id))
}

/// What stands before, between and after the steps that stay.
fn gaps<'a>(plan: &Plan, content: &'a Content) -> Vec<Vec<&'a StepId>> {
    let gaps = content.steps.split(|spec| stays(plan, &spec.id));
    gaps.map(|gap| gap.iter().map(|spec| &spec.id).collect()).collect()
}

/// A step that stays. Where one it needs was taken out, it may need new ones in its place.
fn as_it_was(
    plan: &Plan,
    old: &Arc<StepSpec>,
    written: &StepSpec,
    content: &Content,
) -> Arc<StepSpec> {
    let is_there = |id: &StepId| content.steps.iter().any(|spec| spec.id == *id);
    if old.needs.iter().all(is_there) {
        return Arc::clone(old);
    }
    let mut spec = StepSpec::clone(old);
    spec.needs.retain(is_there);
    let new = written.needs.iter().filter(|id| plan.step(id).is_none());
    spec.needs.extend(new.cloned());
    Arc::new(spec)
}

fn refusal(plan: &Plan) -> Refusal {
    let step = |id: &StepId| match plan.step(id) {
        Some(step) => format!("{id} ({})", one_line(&step.spec.text)),
        None => id.to_string(),
    };
    Refusal::StepsStay {
        about: plan.about.iter().cloned().collect(),
        steps: staying(plan, &plan.content).map(step).collect(),
    }
}
