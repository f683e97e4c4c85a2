//! The plan as the model is told it: outside the conversation, in full, at every turn.

use crate::text::on_one_line;
use crate::{Phase, Plan, PlanState, Room, StepSpec, StepState, schedule};
use std::fmt::Write;

/// Ended steps in a row beyond this many are told as a count.
const FOLD: usize = 40;

/// What the model is told of the plan; nothing when there is none to tell of.
pub fn ledger(room: &Room) -> Option<String> {
    let plan = room.active_plan()?;
    let goal = on_one_line(&plan.content.goal);
    let mut text = format!("Plan (revision {}): {goal}\n", plan.revision);
    let title = plan.content.title.as_deref().map(on_one_line).filter(|title| *title != goal);
    let why = plan.content.rationale.as_deref().map(on_one_line);
    for (name, words) in [("Title", title), ("Why", why)] {
        if let Some(words) = words.filter(|words| !words.is_empty()) {
            let _ = writeln!(text, "{name}: {words}");
        }
    }
    let _ = writeln!(text, "State: {}.{}", plan.state, state_hint(room, plan));
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
            let details = on_one_line(&details(&step.spec));
            if !details.is_empty() {
                let _ = write!(text, " {details}");
            }
        }
        text.push('\n');
    }
    Some(text)
}

/// What a step that has not ended names beside its words.
fn details(spec: &StepSpec) -> String {
    let mut text = String::new();
    let uses = [spec.tool.as_deref(), spec.target.as_deref()];
    let uses: Vec<&str> = uses.into_iter().flatten().collect();
    if !uses.is_empty() {
        let _ = write!(text, " (uses {})", uses.join(" "));
    }
    if let Some(outcome) = &spec.expected_outcome {
        let _ = write!(text, " (expected: {outcome})");
    }
    if let Some(verify) = &spec.verify {
        let _ = write!(text, " (done when {verify})");
    }
    text
}

fn state_hint(room: &Room, plan: &Plan) -> String {
    match &plan.state {
        PlanState::Running { .. } if plan.phase() == Some(Phase::Splitting) => {
            " It has no steps yet.".to_owned()
        }
        PlanState::Running { .. } if plan.phase() == Some(Phase::Joining) => {
            " Every step has ended.".to_owned()
        }
        PlanState::Running { .. } if plan.frame.delegated => {
            " Sidekicks do its steps; you are told when it is over. Where you can put the result \
             of one that is done better, report step_done for it."
                .to_owned()
        }
        PlanState::Running { .. } => match plan.current() {
            Some(step) => format!(
                " Work on step {} now; when it is done, report step_done.",
                plan.number(&step.spec.id)
            ),
            None if schedule::next(plan).is_empty() => String::new(),
            None => " The next step starts by itself.".to_owned(),
        },
        PlanState::Draft { sent_back: true } if !plan.about.is_empty() => {
            let about: Vec<&str> = plan.about.iter().map(|id| id.0.as_str()).collect();
            format!(
                " A person sent it back for step {}: write a new revision that changes it and \
                 leaves every other step as it is, or give it up with cancel.",
                about.join(", ")
            )
        }
        PlanState::Draft { sent_back: true } => {
            " A person sent it back: write a new revision, or give it up with cancel.".to_owned()
        }
        PlanState::Paused { .. } if room.planning.is_some() => String::new(),
        PlanState::Paused { .. } => " No tool but plan may run now.".to_owned(),
        PlanState::Draft { sent_back: false }
        | PlanState::AwaitingApproval
        | PlanState::Done
        | PlanState::Failed
        | PlanState::Cancelled => String::new(),
    }
}
