//! When a model is asked in a way that leaves it few answers. One that failed twice in the same way
//! would only fail a third time. And a small one that can be held to a schema does far better when
//! each of its turns is one call or the answer, and nothing else.

use super::offer::Stage;
use super::specs::{self, StepForm};
use models::{CallForm, Force, OneCall, Profile, Protocol, ToolSet};
use plan::{Phase, Room};
use serde_json::Value;

/// How often a plan may have a shape that can't be read before its shape is forced.
const MISREAD: u32 = 2;

/// How often the same call of a small model goes well before it has lost its way.
const ROUNDS: u32 = 3;

/// How often a small model looks around before it has to plan or answer.
const LOOKS: u32 = 6;

const WRITE_PLAN: &str = "write_plan";
const STEP_DONE: &str = "step_done";
const SIDEKICK_COMPLETE: &str = "sidekick_complete";
const REPORTS: [&str; 2] = [STEP_DONE, "step_failed"];

/// Whether a tool only reports what was done.
pub(super) fn is_report(tool: &str) -> bool {
    REPORTS.contains(&tool) || tool == SIDEKICK_COMPLETE
}

/// Tools beyond which a schema of all of them would cost a server more than it helps.
const MOST_TOOLS: usize = 32;

/// What the next answer has to be, where that helps and the provider can see to it.
pub(super) fn force(room: &Room, profile: &Profile, tools: &ToolSet) -> Option<Force> {
    let wanted = wanted(room, profile);
    if is_led(profile, tools) {
        return Some(Force::Call(next_call(room, tools, wanted)));
    }
    let (tool, schema) = wanted?;
    match (profile.schema, profile.forced_tool) {
        (true, _) => Some(Force::Schema { tool: tool.to_owned(), schema }),
        // The name has to be one that is offered.
        (false, true) if tool == WRITE_PLAN && !profile.simple => {
            Some(Force::Tool("plan".to_owned()))
        }
        (false, true) => Some(Force::Tool(tool.to_owned())),
        (false, false) => None,
    }
}

/// Whether every turn of a model is one call or the answer.
pub(super) fn is_led(profile: &Profile, tools: &ToolSet) -> bool {
    can_be_led(profile, tools.protocol()) && (1..=MOST_TOOLS).contains(&tools.names().len())
}

/// The same, as far as it does not depend on the tools.
pub(super) fn can_be_led(profile: &Profile, protocol: Protocol) -> bool {
    let speaks = match protocol {
        Protocol::OpenAiChat | Protocol::OpenAiResponses => true,
        Protocol::Anthropic | Protocol::Gemini | Protocol::Rehearsal | Protocol::Acp => false,
    };
    let calls = match profile.calls {
        CallForm::Native | CallForm::Text => true,
        CallForm::None => false,
    };
    speaks && calls && profile.simple && profile.schema
}

/// What a model that is led may say next.
fn next_call(room: &Room, tools: &ToolSet, wanted: Option<(&'static str, Value)>) -> OneCall {
    if let Some((tool, schema)) = wanted {
        return OneCall { tools: vec![(tool.to_owned(), schema)], answer: false };
    }
    let repeat = &room.repeat;
    let only: fn(&str) -> bool = match Stage::of(room) {
        // It does not know when to stop.
        Stage::Free if is_lost(room) || repeat.plan_done => |_| false,
        Stage::Following | Stage::Joining if is_lost(room) => |_| false,
        Stage::Looking if is_lost(room) || repeat.calls >= LOOKS => |name| name == WRITE_PLAN,
        // What is begun without a plan is ended without one.
        Stage::Free if repeat.calls > 0 => |name| name != WRITE_PLAN,
        // Nothing was tried yet in this step, or nothing went well; or no step is to be reported.
        Stage::Step { .. } if repeat.tried == 0 || !is_in_step(room) => {
            |name| !REPORTS.contains(&name)
        }
        Stage::Step { .. } if repeat.seen.is_empty() => |name| name != STEP_DONE,
        // It has done nothing yet. Who only said something was told how to end.
        Stage::Task { .. } if room.seen_seq == 0 => |name| name != SIDEKICK_COMPLETE,
        Stage::Free
        | Stage::Looking
        | Stage::MustPlan
        | Stage::Step { .. }
        | Stage::Following
        | Stage::Joining
        | Stage::Task { .. }
        | Stage::Member(_)
        | Stage::Review => |_| true,
    };
    let answer = match Stage::of(room) {
        Stage::Free | Stage::Looking | Stage::MustPlan | Stage::Following | Stage::Joining => true,
        Stage::Step { .. } if !is_in_step(room) => true,
        // Work is reported by a call; words are for a person who has said something.
        Stage::Step { .. } | Stage::Task { .. } => room.said_seq > room.seen_seq,
        Stage::Member(_) | Stage::Review => false,
    };
    // What failed twice in the same way would fail again.
    let stuck = &room.stuck;
    let failing = (stuck.turns > 0 && stuck.again > 1).then_some(&stuck.tool);
    let all = tools.specs().iter().filter(|spec| only(&spec.name) && failing != Some(&spec.name));
    OneCall { tools: all.map(|spec| (spec.name.clone(), spec.schema.clone())).collect(), answer }
}

/// Whether a step is under way, which can be reported.
fn is_in_step(room: &Room) -> bool {
    room.running_plan().is_some_and(|plan| plan.in_progress().next().is_some())
}

/// Whether a small model goes round in circles.
fn is_lost(room: &Room) -> bool {
    let repeat = &room.repeat;
    let in_a_row = !repeat.call.is_empty() && !repeat.moved && repeat.again > 0;
    in_a_row || (!repeat.moved && repeat.most() >= ROUNDS)
}

fn wanted(room: &Room, profile: &Profile) -> Option<(&'static str, Value)> {
    let plan = room.active_plan();
    let words = plan.map_or(0, |plan| plan.idle_turns);
    let unusable = plan.and_then(|plan| plan.goal.as_ref()).map_or(0, |goal| goal.refused);
    let splits = room.phase() == Some(Phase::Splitting);
    if room.stuck.misread.of("plan") >= MISREAD || splits && words.max(unusable) > 0 {
        return Some((WRITE_PLAN, specs::write_plan_schema(StepForm::of(room))));
    }
    // An able model that repeats itself has a reason to; a small one has lost its way.
    if !profile.simple || room.repeat.moved || room.repeat.call.is_empty() {
        return None;
    }
    match Stage::of(room) {
        Stage::Step { .. } if is_in_step(room) && (words > 0 || is_lost(room)) => {
            Some((STEP_DONE, specs::step_done_schema()))
        }
        Stage::Task { .. } => {
            let words = room.sidekick.as_ref().map_or(0, |sidekick| sidekick.idle);
            let lost = words > 0 || is_lost(room);
            lost.then(|| (SIDEKICK_COMPLETE, specs::summary_schema()))
        }
        Stage::Free
        | Stage::Looking
        | Stage::MustPlan
        | Stage::Step { .. }
        | Stage::Following
        | Stage::Joining
        | Stage::Member(_)
        | Stage::Review => None,
    }
}
