//! When a model is asked in a way that leaves it one answer: where it failed twice in the same way,
//! the same words would only fail a third time.

use super::offer::Stage;
use super::specs::{self, StepForm};
use models::{Force, Profile};
use plan::{Phase, Room};
use serde_json::Value;

/// How often a plan may have a shape that can't be read before its shape is forced.
const MISREAD: u32 = 2;

/// What the next answer has to be, where that helps and the provider can see to it.
pub(super) fn force(room: &Room, profile: &Profile) -> Option<Force> {
    let (tool, schema) = wanted(room, profile)?;
    match (profile.schema, profile.forced_tool) {
        (true, _) => Some(Force::Schema { tool: tool.to_owned(), schema }),
        // The name has to be one that is offered.
        (false, true) if tool == "write_plan" && !profile.simple => {
            Some(Force::Tool("plan".to_owned()))
        }
        (false, true) => Some(Force::Tool(tool.to_owned())),
        (false, false) => None,
    }
}

fn wanted(room: &Room, profile: &Profile) -> Option<(&'static str, Value)> {
    let plan = room.active_plan();
    let words = plan.map_or(0, |plan| plan.idle_turns);
    let unusable = plan.and_then(|plan| plan.goal.as_ref()).map_or(0, |goal| goal.refused);
    let splits = room.phase() == Some(Phase::Splitting);
    if room.stuck.misread.of("plan") >= MISREAD || splits && words.max(unusable) > 0 {
        return Some(("write_plan", specs::write_plan_schema(StepForm::of(room))));
    }
    // An able model that repeats itself has a reason to; a small one has lost its way.
    if !profile.simple || room.repeat.moved || room.repeat.call.is_empty() {
        return None;
    }
    let again = room.repeat.again;
    match Stage::of(room) {
        Stage::Step { .. } if words.max(again) > 0 => {
            Some(("step_done", specs::step_done_schema()))
        }
        Stage::Task { .. } => {
            let words = room.sidekick.as_ref().map_or(0, |sidekick| sidekick.idle);
            let lost = words.max(again) > 0;
            lost.then(|| ("sidekick_complete", specs::summary_schema()))
        }
        Stage::Free | Stage::Looking | Stage::MustPlan | Stage::Step { .. } | Stage::Following => {
            None
        }
    }
}
