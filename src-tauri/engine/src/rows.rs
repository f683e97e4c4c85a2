//! The state rows that change together with events.

use crate::journal::{AskRow, PlanRow, RoomRow, RowChange, UsageAdd};
use plan::{
    Ask, Event, PauseReason, Plan, PlanState, Room, RoomKind, Usage, Work, ask_view, plan_view,
    work,
};
use uuid::Uuid;

/// The parts of a room that its row shows, so that a row is written only when it says
/// something new.
#[derive(PartialEq, Eq)]
pub(crate) struct Shown {
    title: String,
    archived: bool,
    mode: plan::PlanMode,
    plan: Option<(plan::PlanId, &'static str, u32)>,
    standing: Option<&'static str>,
}

impl Shown {
    pub(crate) fn of(room: &Room) -> Self {
        Self {
            title: room.title.clone(),
            archived: room.archived,
            mode: room.mode,
            plan: room.plan.as_ref().map(|plan| (plan.id, plan.state.word(), plan.revision)),
            standing: standing(room),
        }
    }
}

/// The standings in which a room has to be looked at when the app starts.
pub(crate) const UNSETTLED: [&str; 4] = ["running", "busy", "quota", "untold"];

/// How a room stands, in one word that the log can be searched by.
fn standing(room: &Room) -> Option<&'static str> {
    if room.running_calls().next().is_some() {
        return Some("running");
    }
    if room.sidekick.as_ref().is_some_and(|sidekick| sidekick.until.is_some()) {
        return Some("quota");
    }
    if let Some(council) = room.council_without_plan() {
        return Some(match &council.paused {
            None => "running",
            Some(_) if council.pause_until.is_some() => "quota",
            Some(_) => "paused",
        });
    }
    match room.active_plan().map(|plan| &plan.state) {
        Some(PlanState::Running { .. }) => Some("running"),
        Some(PlanState::Paused { reason: PauseReason::Quota }) => Some("quota"),
        Some(_) | None if work::next(room) != Work::None => Some("busy"),
        Some(state) => Some(state.word()),
        // The room that asked does not know yet what came of it.
        None => {
            let ended = room.sidekick.as_ref().and_then(|sidekick| sidekick.ended.as_ref());
            let untold = ended.is_some_and(|ended| !ended.told) || room.has_copy_to_settle();
            untold.then_some("untold")
        }
    }
}

/// The rows for a room whose last event was just applied.
pub(crate) fn state_rows(before: &Shown, room: &Room) -> Vec<RowChange> {
    let (Some(id), after) = (room.id, Shown::of(room)) else { return Vec::new() };
    if *before == after && room.seq > 1 {
        return Vec::new();
    }
    let mut rows = vec![RowChange::Room(room_row(id.0, room))];
    if before.plan != after.plan
        && let Some(plan) = &room.plan
    {
        rows.push(RowChange::Plan(plan_row(id, plan, room)));
    }
    rows
}

/// The row of a question that was raised or closed.
pub(crate) fn ask_row(id: plan::RoomId, room: &Room, ask: &Ask, open: bool) -> RowChange {
    RowChange::Ask(AskRow {
        id: ask.id.0,
        room: id.0,
        plan: ask.plan_id.map(|plan| plan.0),
        step: ask.step_id.as_ref().map(|step| step.0.clone()),
        kind: word(&ask.kind),
        open,
        created_at: ask.created_at.0,
        body: serde_json::to_vec(&ask_view(id, room, ask)).unwrap_or_default(),
    })
}

/// What an event cost, if anything.
pub(crate) fn usage_row(event: &Event, now: plan::Time) -> Option<RowChange> {
    let (Event::Replied { model, usage, .. } | Event::Spent { model, usage }) = event else {
        return None;
    };
    if *usage == Usage::default() {
        return None;
    }
    Some(RowChange::Usage(UsageAdd {
        day: day(now),
        model: model.clone(),
        input: usage.input,
        output: usage.output,
        cache_read: usage.cache_read,
        cost_micros: usage.cost_micros,
    }))
}

fn room_row(id: Uuid, room: &Room) -> RoomRow {
    let active = room.active_plan();
    RoomRow {
        id,
        title: room.title.clone(),
        workspace: room.workspace.clone(),
        kind: match room.kind {
            RoomKind::Chat => "chat".to_owned(),
            RoomKind::Sidekick { .. } => "sidekick".to_owned(),
            RoomKind::Member { .. } => "member".to_owned(),
        },
        parent: match room.kind {
            RoomKind::Chat => None,
            RoomKind::Sidekick { parent, .. } | RoomKind::Member { parent, .. } => Some(parent.0),
        },
        plan_mode: word(&room.mode),
        archived: room.archived,
        created_at: room.created_at.0,
        updated_at: room.updated_at.0,
        active_plan: active.map(|plan| plan.id.0),
        plan_state: standing(room).map(str::to_owned),
    }
}

/// A plan as lists show it, and as it ended.
pub(crate) fn plan_row(room_id: plan::RoomId, plan: &Plan, room: &Room) -> PlanRow {
    // An active plan is read from its room; what is kept here is how it ended.
    let body = (!plan.state.is_active())
        .then(|| serde_json::to_vec(&plan_view(room_id, plan, room)).unwrap_or_default());
    PlanRow {
        id: plan.id.0,
        room: room_id.0,
        goal: plan.content.goal.clone(),
        state: plan.state.word().to_owned(),
        revision: plan.revision,
        created_at: plan.created_at.0,
        updated_at: room.updated_at.0,
        body,
    }
}

/// The word a plain enum is written as.
fn word(value: &impl serde::Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(word)) => word,
        Ok(_) | Err(_) => String::new(),
    }
}

pub(crate) fn day(now: plan::Time) -> String {
    match jiff::Timestamp::from_millisecond(now.0) {
        Ok(at) => at.to_zoned(jiff::tz::TimeZone::UTC).date().to_string(),
        Err(_) => "unknown".to_owned(),
    }
}
