//! The plan as the model is told it: outside the conversation, in full, at every turn.

use crate::text::on_one_line;
use crate::{Plan, PlanState, Room, StepState, schedule};
use std::fmt::Write;

/// Ended steps in a row beyond this many are told as a count.
const FOLD: usize = 40;

/// What the model is told of the plan; nothing when there is none to tell of.
pub fn ledger(room: &Room) -> Option<String> {
    let plan = room.active_plan()?;
    let goal = on_one_line(&plan.content.goal);
    let mut text = format!("Plan (revision {}): {goal}\n", plan.revision);
    let _ = writeln!(text, "State: {}.{}", plan.state, state_hint(plan));
    let ended = plan.steps.iter().take_while(|step| step.state.is_terminal()).count();
    let folded = ended.saturating_sub(FOLD);
    if folded > 0 {
        let _ = writeln!(text, "1 to {folded}: ended.");
    }
    for (index, step) in plan.steps.iter().enumerate().skip(folded) {
        let (glyph, note) = match &step.state {
            StepState::Pending => ("○", String::new()),
            StepState::InProgress { .. } => ("▶", String::new()),
            StepState::Done { result } => ("✓", format!(" — {result}")),
            StepState::Failed { error } => ("✗", format!(" — {error}")),
            StepState::Skipped { reason, .. } => ("—", format!(" — {reason}")),
        };
        // One line a step, whatever is in its words: nobody can write a line of ours.
        let words = on_one_line(&format!("{}{note}", step.spec.text));
        let _ = write!(text, "{glyph} {}. [{}] {words}", index + 1, step.spec.id);
        if !step.state.is_terminal() {
            if step.attempts > 0 {
                let max = plan.frame.caps.attempts;
                let _ = write!(text, " (attempt {} of {max} failed)", step.attempts);
            }
            if let Some(verify) = &step.spec.verify {
                let _ = write!(text, " (done when {verify})");
            }
        }
        text.push('\n');
    }
    Some(text)
}

fn state_hint(plan: &Plan) -> String {
    match &plan.state {
        PlanState::Running { .. } => match plan.current() {
            Some(step) => format!(
                " Work on step {} now; when it is done, call plan with step_done.",
                plan.number(&step.spec.id)
            ),
            None if schedule::next(plan).is_empty() => String::new(),
            None => " The next step starts by itself.".to_owned(),
        },
        PlanState::Draft { sent_back: true } => {
            " A person sent it back: write a new revision.".to_owned()
        }
        PlanState::Paused { .. } => " No tool but plan may run now.".to_owned(),
        PlanState::Draft { sent_back: false }
        | PlanState::AwaitingApproval
        | PlanState::Done
        | PlanState::Failed
        | PlanState::Cancelled => String::new(),
    }
}
