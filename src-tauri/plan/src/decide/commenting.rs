//! What a person wants changed in a plan that waits, sent in one round.

use super::{Deciding, short_enough};
use crate::text::is_blank;
use crate::{Event, MessageId, Plan, PlanState, Refusal, StepComment, Text};

impl Deciding<'_> {
    pub(super) fn comment(
        &mut self,
        message: MessageId,
        seen: u32,
        on: &[StepComment],
        text: &str,
    ) -> Result<(), Refusal> {
        let plan = self.active()?;
        if plan.state != PlanState::AwaitingApproval {
            return Err(Refusal::NotWaiting { state: plan.state.clone() });
        }
        if plan.revision != seen {
            return Err(Refusal::Conflict { revision: plan.revision, hash: plan.hash.clone() });
        }
        let words = words(plan, on, text)?;
        // Words about the whole may touch any step.
        let about = match is_blank(text) {
            true => spoken(on).map(|comment| comment.step.clone()).collect(),
            false => Vec::new(),
        };
        let said = Text::Inline(words.clone());
        self.emit(Event::Said { message, text: said, by: self.actor.clone() });
        self.send_back(words, false, about);
        Ok(())
    }
}

fn spoken(on: &[StepComment]) -> impl Iterator<Item = &StepComment> {
    on.iter().filter(|comment| !is_blank(&comment.text))
}

/// All comments as the agent reads them.
fn words(plan: &Plan, on: &[StepComment], text: &str) -> Result<String, Refusal> {
    let mut lines = Vec::new();
    for StepComment { step, text } in spoken(on) {
        let Some(found) = plan.step(step) else {
            return Err(Refusal::NoSuchStep { step: step.to_string() });
        };
        let number = plan.number(step);
        lines.push(format!("Step {number} ({}): {}", found.spec.text, text.trim()));
    }
    if !is_blank(text) {
        lines.push(text.trim().to_owned());
    }
    let words = lines.join("\n");
    if words.is_empty() {
        return Err(Refusal::EmptyMessage);
    }
    short_enough("the comments", Some(&words))?;
    Ok(words)
}
