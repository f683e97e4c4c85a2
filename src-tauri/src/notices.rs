//! What is worth a notification: decided from two looks at everything, and nothing else.

use crate::visible::short;
use engine::{Overview, PlanGlance, RoomSort, RoomSummary};
use plan::{AskId, AskKind, AskView, CouncilId, PauseReason, PlanId, RoomId};

/// The most characters of a text that others wrote.
const LONGEST: usize = 200;

/// The thing a notice tells of. It is told once for as long as it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum About {
    /// A question that waits.
    Ask(AskId),
    /// A plan that stopped by itself.
    Pause(PlanId, PauseReason),
    /// A plan that was sent back and that nobody works on.
    Left(PlanId),
    /// A plan that is over.
    End(PlanId),
    /// A council that stopped by itself.
    CouncilPause(CouncilId, PauseReason),
    /// A council that is over and left no plan.
    CouncilEnd(CouncilId),
}

/// One notification.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// What it tells of.
    pub about: About,
    /// The room it happened in.
    pub room: RoomId,
    /// The room that asked for that room.
    pub parent: Option<RoomId>,
    /// The plan to show.
    pub plan: Option<PlanId>,
    /// The first line.
    pub summary: &'static str,
    /// The rest, in plain text.
    pub body: String,
    /// Whether going on is an answer.
    pub resume: bool,
    /// Whether it stays until it is dealt with.
    pub stays: bool,
}

/// What changed between two looks.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct News {
    /// To be told.
    pub new: Vec<Notice>,
    /// No longer so.
    pub over: Vec<About>,
}

/// What is to be told after a second look, and what no longer stands.
pub fn between(before: &Overview, after: &Overview) -> News {
    let (before, after) = (standing(before), standing(after));
    let stands = |list: &[Notice], about: &About| list.iter().any(|known| known.about == *about);
    let over = before.iter().map(|notice| &notice.about);
    let over = over.filter(|about| !stands(&after, about)).cloned().collect();
    let new = after.into_iter().filter(|notice| !stands(&before, &notice.about)).collect();
    News { new, over }
}

/// Whether something still stands.
pub fn stands(overview: &Overview, about: &About) -> bool {
    standing(overview).iter().any(|notice| notice.about == *about)
}

fn standing(overview: &Overview) -> Vec<Notice> {
    let room_of = |ask: &AskView| overview.rooms.iter().find(|room| room.id == ask.room_id);
    let asks = overview.asks.iter().map(|ask| asked(ask, room_of(ask)));
    let plans = overview.rooms.iter().filter_map(|room| planned(room, overview));
    asks.chain(plans).chain(overview.rooms.iter().filter_map(debated)).collect()
}

fn asked(ask: &AskView, room: Option<&RoomSummary>) -> Notice {
    let summary = match ask.kind {
        AskKind::Approval => "A plan waits for your approval",
        AskKind::Drift => "The agent wants to go beyond the plan",
        AskKind::Permission => "The agent asks for permission",
        AskKind::Question => "The agent has a question",
        AskKind::Conflict => "A file was changed twice",
        AskKind::Outcome => "Something was cut off and needs a look",
        AskKind::Elicitation => "A server has a question",
    };
    let goal = room.and_then(|room| room.plan.as_ref()).map(|plan| plan.goal.as_str());
    let words = match (ask.kind, goal) {
        (AskKind::Approval, Some(goal)) => goal,
        _ => &ask.text,
    };
    Notice {
        about: About::Ask(ask.id),
        room: ask.room_id,
        parent: room.and_then(|room| room.parent),
        plan: ask.plan_id,
        summary,
        body: short(words, LONGEST),
        resume: false,
        stays: true,
    }
}

fn planned(room: &RoomSummary, overview: &Overview) -> Option<Notice> {
    let plan = room.plan.as_ref()?;
    let notice = |about, summary, body: String, resume, stays| Notice {
        about,
        room: room.id,
        parent: room.parent,
        plan: Some(plan.id),
        summary,
        body,
        resume,
        stays,
    };
    match plan.state.as_str() {
        "paused" => {
            let reason = plan.pause_reason?;
            let (why, resume) = forced(reason)?;
            // The question says it better.
            let asked_here = |ask: &AskView| ask.room_id == room.id || ask.parent == Some(room.id);
            let drifts = |ask: &AskView| asked_here(ask) && matches!(ask.kind, AskKind::Drift);
            if reason == PauseReason::Drift && overview.asks.iter().any(drifts) {
                return None;
            }
            let body = format!("{why}\n{}", short(&plan.goal, LONGEST));
            Some(notice(About::Pause(plan.id, reason), "Plan paused", body, resume, true))
        }
        "draft" if plan.left => {
            let body = format!("The agent gave up.\n{}", short(&plan.goal, LONGEST));
            Some(notice(About::Left(plan.id), "A plan waits for your word", body, false, true))
        }
        "done" | "failed" if room.kind == RoomSort::Chat => {
            let summary = if plan.state == "done" { "Plan done" } else { "Plan failed" };
            Some(notice(About::End(plan.id), summary, ended(plan), false, false))
        }
        _ => None,
    }
}

/// What a council tells before it has a plan; from then on the plan does.
fn debated(room: &RoomSummary) -> Option<Notice> {
    let council = room.council.as_ref().filter(|council| !council.planned)?;
    let task = short(&council.task, LONGEST);
    let notice = |about, summary, why: &str, resume| Notice {
        about,
        room: room.id,
        parent: None,
        plan: None,
        summary,
        body: if why.is_empty() { task.clone() } else { format!("{why}\n{task}") },
        resume,
        stays: resume,
    };
    let end = About::CouncilEnd(council.id);
    match council.state.as_str() {
        "paused" => {
            let reason = council.pause_reason?;
            let (why, resume) = forced(reason)?;
            let about = About::CouncilPause(council.id, reason);
            Some(notice(about, "Council paused", why, resume))
        }
        "failed" => {
            let why = short(council.end_reason.as_deref().unwrap_or_default(), LONGEST);
            Some(notice(end, "Council failed", &why, false))
        }
        "done" => Some(notice(end, "The council has an answer", "", false)),
        _ => None,
    }
}

fn ended(plan: &PlanGlance) -> String {
    format!("{}\n{} of {} steps ended", short(&plan.goal, LONGEST), plan.ended, plan.steps)
}

/// Why a plan stopped without a person wanting it, and whether going on is an answer.
fn forced(reason: PauseReason) -> Option<(&'static str, bool)> {
    match reason {
        PauseReason::AutoBudget => {
            Some(("It has done its steps on its own. Have a look, then let it go on.", true))
        }
        PauseReason::Attempts => Some(("A step does not get through.", true)),
        PauseReason::Cap => Some(("A limit is reached.", true)),
        PauseReason::Quota => Some(("The provider's quota is used up.", true)),
        PauseReason::Provider => Some(("The model can't be reached.", true)),
        PauseReason::Revise => Some(("The plan does not fit any more.", false)),
        PauseReason::Drift => Some(("It wants to do something the plan does not name.", false)),
        PauseReason::Supervisor | PauseReason::Interrupted | PauseReason::Manual => None,
    }
}

#[cfg(test)]
#[path = "notices_tests.rs"]
pub mod tests;
