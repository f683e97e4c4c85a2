//! What anyone sees of a room: decided here, shown elsewhere.

use crate::council::{CouncilView, council_view};
use crate::report::report;
use crate::sidekick::{SidekickView, sidekick_view};
use crate::{
    Advance, Allows, Approval, Ask, AskKind, Detail, Hash, Held, Origin, ParentStep, PauseReason,
    Phase, Plan, PlanId, PlanMode, PlanState, Report, Room, RoomId, RoomKind, RunMode, SkipCause,
    Step, StepId, StepSpec, StepState, Text, Time, Usage, Venue, Verify, allows, granted, schedule,
};
use serde::{Deserialize, Serialize};

/// What a person may do to a plan now.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS, utoipa::ToSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// Say yes to it.
    Approve,
    /// Change its steps, or ask for changes.
    Change,
    /// Say no to it.
    Reject,
    /// Stop for now.
    Pause,
    /// Stop when the steps under way have ended.
    PauseAfter,
    /// Stop the step under way at once.
    StopStep,
    /// Go on.
    Resume,
    /// Leave the current step out.
    Skip,
    /// Take the current step as done, although its check did not pass.
    Override,
    /// End it.
    Cancel,
}

/// A plan as it is shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS, utoipa::ToSchema)]
pub struct PlanView {
    pub id: PlanId,
    pub room_id: RoomId,
    pub venue_room_id: RoomId,
    pub revision: u32,
    /// The model that wrote it; a person's edits do not change that.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub planned_by: Option<String>,
    pub hash: Hash,
    pub goal: String,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub rationale: Option<String>,
    pub origin: Origin,
    pub mode: RunMode,
    pub advance: Advance,
    pub venue: Venue,
    /// One of: draft, awaiting_approval, running, paused, done, failed, cancelled.
    pub state: String,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub pause_reason: Option<PauseReason>,
    /// Whether it stops when the steps under way have ended.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub pauses_after: bool,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub pause_detail: Option<String>,
    /// When a pause ends by itself.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub pause_until: Option<Time>,
    /// Whether a person sent the draft back.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub sent_back: bool,
    /// Why nobody writes the next revision of it, until a person says something.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub left: Option<String>,
    /// ⚡; absent where it does not count.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub budget_left: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub parent: Option<ParentStep>,
    pub steps: Vec<StepView>,
    pub failed_steps: Vec<StepId>,
    pub actions: Vec<Action>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub approval: Option<Approval>,
    /// What approving it allows.
    pub allows: Allows,
    /// What was planned against what was done, once it has ended.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub report: Option<Report>,
    pub usage: Usage,
    pub created_at: Time,
    /// Milliseconds it ran, as far as its clock has stood still since.
    pub ran_ms: u64,
    /// From when that goes on; absent while it does not run, and while it waits for a person.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub running_since: Option<Time>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub ended_at: Option<Time>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub end_reason: Option<String>,
    /// What everything under way waits for, if it all waits.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub held: Option<Held>,
    /// How far a goal is.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub phase: Option<Phase>,
    /// The results of a goal, brought together.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    #[schema(value_type = Option<Object>)]
    pub result: Option<Text>,
}

impl PlanView {
    /// Whether it has not ended.
    pub fn is_active(&self) -> bool {
        !matches!(self.state.as_str(), "done" | "failed" | "cancelled")
    }
}

/// A step as it is shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS, utoipa::ToSchema)]
pub struct StepView {
    pub id: StepId,
    /// The position from 1.
    pub number: u32,
    pub text: String,
    /// One of: pending, in_progress, done, failed, skipped.
    pub status: String,
    /// Whether a step it needs failed.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub blocked: bool,
    /// Whether it waits for a person.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub waiting: bool,
    pub attempts: u32,
    pub max_attempts: u32,
    pub needs: Vec<StepId>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub tool: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub target: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub expected_outcome: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub verify: Option<Verify>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub agent: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub model: Option<String>,
    /// What approving it allows, in words.
    pub grants: String,
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub may_change: bool,
    /// What a person added to it, as rules.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub added: Vec<String>,
    /// What the gate last warned about.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub warnings: Vec<String>,
    /// What its check last found wrong, while a person may take it as done all the same.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub check_failed: Option<String>,
    /// What went wrong, as its agent last said, unless it is done.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub error: Option<String>,
    /// The room of the sidekick that does it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub sidekick: Option<RoomId>,
    /// Whether it waits until other sidekicks have ended.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub queued: bool,
    /// One line: what came of it, what went wrong, or why it was left out.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub result: Option<String>,
    /// All that came of it, where that is more than the line.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    #[schema(value_type = Option<Object>)]
    pub output: Option<Text>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub skip_cause: Option<SkipCause>,
    /// Since when it has been under way.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub started_at: Option<Time>,
    pub took_ms: u64,
    pub usage: Usage,
    pub changed: Vec<String>,
}

/// A question as it is shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS, utoipa::ToSchema)]
pub struct AskView {
    pub id: crate::AskId,
    pub kind: AskKind,
    pub room_id: RoomId,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub plan_id: Option<PlanId>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub step_id: Option<StepId>,
    /// For an approval: the revision and the hash of what is asked about.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub revision: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub hash: Option<Hash>,
    pub text: String,
    pub detail: Vec<Detail>,
    /// What may be answered; empty when any words will do.
    pub answers: Vec<String>,
    /// The sidekick that asks.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub codename: Option<String>,
    /// The room that asked for the sidekick, where the question is shown, too.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub parent: Option<RoomId>,
    pub created_at: Time,
}

/// A room as it is shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS, utoipa::ToSchema)]
pub struct RoomView {
    pub id: RoomId,
    /// The last event this view includes.
    pub seq: u64,
    pub title: String,
    pub workspace: String,
    #[serde(flatten)]
    pub kind: RoomKind,
    pub agent: String,
    pub plan_mode: PlanMode,
    pub archived: bool,
    /// Whether the agent is at work or about to be.
    pub busy: bool,
    pub plan: Option<PlanView>,
    /// How far it is, where it is a sidekick's.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub sidekick: Option<SidekickView>,
    /// The newest council, where there was one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub council: Option<CouncilView>,
    pub asks: Vec<AskView>,
    /// What a person always allows here.
    pub rules: Vec<String>,
    pub usage: Usage,
    pub created_at: Time,
    pub updated_at: Time,
}

/// What anyone sees of a room.
pub fn view(room: &Room) -> Option<RoomView> {
    let id = room.id?;
    Some(RoomView {
        id,
        seq: room.seq,
        title: room.title.clone(),
        workspace: room.workspace.clone(),
        kind: room.kind.clone(),
        agent: room.agent.clone(),
        plan_mode: room.mode,
        archived: room.archived,
        busy: room.is_at_work(),
        plan: room.plan.as_ref().map(|plan| plan_view(id, plan, room)),
        sidekick: sidekick_view(room),
        council: council_view(room),
        asks: asks(room),
        rules: room.rules.iter().map(ToString::to_string).collect(),
        usage: room.usage,
        created_at: room.created_at,
        updated_at: room.updated_at,
    })
}

/// What a room asks.
pub fn asks(room: &Room) -> Vec<AskView> {
    let Some(id) = room.id else { return Vec::new() };
    room.asks.values().map(|ask| ask_view(id, room, ask)).collect()
}

/// A question with the room it belongs to. That for approval shows what is approved.
pub fn ask_view(id: RoomId, room: &Room, ask: &Ask) -> AskView {
    let asked = room.plan.as_ref().filter(|plan| ask.plan_id == Some(plan.id));
    let asked = asked.filter(|_| ask.kind == AskKind::Approval);
    let steps = asked.into_iter().flat_map(|plan| &plan.steps);
    let steps = (1..)
        .zip(steps)
        .map(|(number, step)| Detail::new("step", format!("{number}. {}", approved_step(step))));
    let (codename, parent) = match &room.kind {
        RoomKind::Chat => (None, None),
        RoomKind::Member { parent, .. } => (None, Some(*parent)),
        RoomKind::Sidekick { codename, parent, .. } => (Some(codename.clone()), Some(*parent)),
    };
    AskView {
        id: ask.id,
        kind: ask.kind,
        room_id: id,
        plan_id: ask.plan_id,
        step_id: ask.step_id.clone(),
        revision: asked.map(|plan| plan.revision),
        hash: asked.map(|plan| plan.hash.clone()),
        text: ask.text.clone(),
        detail: ask.detail.iter().cloned().chain(steps).collect(),
        answers: ask.answers().into_iter().map(str::to_owned).collect(),
        codename,
        parent,
        created_at: ask.created_at,
    }
}

/// A step with all that a yes to it lets happen.
fn approved_step(step: &Step) -> String {
    let StepSpec { text, tool, target, verify, .. } = &*step.spec;
    let touched: Vec<&str> = [tool, target].into_iter().flatten().map(String::as_str).collect();
    let mut words = text.clone();
    if !touched.is_empty() {
        words = format!("{words}: {}", touched.join(" "));
    }
    if let Some(check) = verify {
        words = format!("{words}; done when {check}");
    }
    format!("{words} ({})", granted::words(step))
}

/// What anyone sees of a plan.
pub fn plan_view(room_id: RoomId, plan: &Plan, room: &Room) -> PlanView {
    let content = &plan.content;
    let counts = plan.frame.has_budget() && content.advance == Advance::Auto;
    let waits = schedule::waiting(plan);
    PlanView {
        id: plan.id,
        room_id,
        venue_room_id: plan.venue_room(),
        revision: plan.revision,
        planned_by: plan.planned_by.clone(),
        hash: plan.hash.clone(),
        goal: content.goal.clone(),
        title: content.title.clone(),
        rationale: content.rationale.clone(),
        origin: plan.frame.origin,
        mode: content.mode,
        advance: content.advance,
        venue: content.venue,
        state: plan.state.word().to_owned(),
        pause_reason: plan.state.pause_reason(),
        pauses_after: plan.pauses_after,
        pause_detail: plan.pause_detail.clone(),
        pause_until: plan.pause_until,
        sent_back: plan.is_sent_back(),
        left: plan.left.clone().filter(|_| plan.is_sent_back()),
        budget_left: counts.then(|| plan.budget_left()),
        parent: plan.frame.parent.clone(),
        steps: (0..plan.steps.len()).map(|index| step_view(plan, index, room, &waits)).collect(),
        failed_steps: plan
            .steps
            .iter()
            .filter(|step| matches!(step.state, StepState::Failed { .. }))
            .map(|step| step.spec.id.clone())
            .collect(),
        actions: actions(plan, room),
        approval: plan.approval.clone(),
        allows: allows::allows(plan),
        report: report(plan),
        usage: plan.usage,
        created_at: plan.created_at,
        ran_ms: plan.waiting_since.map_or(plan.ran_ms, |since| plan.ran_ms(since)),
        running_since: plan.clock_since(),
        ended_at: plan.ended_at,
        end_reason: plan.end_reason.clone(),
        held: plan.held,
        phase: plan.phase().filter(|_| plan.state.is_active()),
        result: plan.goal.as_ref().and_then(|goal| goal.result.clone()),
    }
}

fn step_view(plan: &Plan, index: usize, room: &Room, waits: &[usize]) -> StepView {
    let step: &Step = &plan.steps[index];
    let spec = &step.spec;
    let needs = schedule::needs(plan, index);
    StepView {
        id: spec.id.clone(),
        number: u32::try_from(index + 1).unwrap_or(u32::MAX),
        text: spec.text.clone(),
        status: step.state.word().to_owned(),
        blocked: matches!(step.state, StepState::Skipped { cause: SkipCause::Need, .. }),
        waiting: plan.waiting.contains(&spec.id)
            || room.asks.values().any(|ask| {
                // A sidekick's question may be about a step of the plan above.
                ask.plan_id.is_none_or(|of| of == plan.id) && ask.step_id.as_ref() == Some(&spec.id)
            }),
        attempts: step.attempts,
        max_attempts: plan.frame.caps.attempts,
        needs: needs.into_iter().map(|need| plan.steps[need].spec.id.clone()).collect(),
        tool: spec.tool.clone(),
        target: spec.target.clone(),
        expected_outcome: spec.expected_outcome.clone(),
        verify: spec.verify.clone(),
        agent: spec.agent.clone(),
        model: spec.model.clone(),
        grants: granted::words(step),
        may_change: step.may_change,
        added: step.grants.clone(),
        warnings: step.warnings.clone(),
        check_failed: step.check_failed.clone().filter(|_| step.is_in_progress()),
        error: match &step.state {
            StepState::Failed { error } => Some(error.clone()),
            StepState::Done { .. } => None,
            StepState::Pending | StepState::InProgress { .. } | StepState::Skipped { .. } => {
                step.error.clone()
            }
        },
        sidekick: step.sidekick,
        queued: waits.contains(&index),
        result: match &step.state {
            StepState::Done { result } => Some(result.clone()),
            StepState::Failed { error } => Some(error.clone()),
            StepState::Skipped { reason, .. } => Some(reason.clone()),
            StepState::Pending | StepState::InProgress { .. } => None,
        },
        output: match step.state {
            StepState::Done { .. } => step.summary.clone(),
            StepState::Pending
            | StepState::InProgress { .. }
            | StepState::Failed { .. }
            | StepState::Skipped { .. } => None,
        },
        skip_cause: match step.state {
            StepState::Skipped { cause, .. } => Some(cause),
            StepState::Pending
            | StepState::InProgress { .. }
            | StepState::Done { .. }
            | StepState::Failed { .. } => None,
        },
        started_at: match step.state {
            StepState::InProgress { since } => Some(since),
            StepState::Pending
            | StepState::Done { .. }
            | StepState::Failed { .. }
            | StepState::Skipped { .. } => None,
        },
        took_ms: step.took_ms,
        usage: step.usage,
        changed: step.changed.iter().cloned().collect(),
    }
}

/// What a person may do now. A surface offers exactly these.
pub fn actions(plan: &Plan, room: &Room) -> Vec<Action> {
    let mut actions = in_state(plan, room);
    let started = plan.state.is_running() || plan.state.is_paused();
    if started && plan.in_progress().any(|step| step.check_failed.is_some()) {
        actions.insert(actions.len() - 1, Action::Override);
    }
    actions
}

/// The same, as far as it goes by the state of the plan. Ending it is the last.
fn in_state(plan: &Plan, room: &Room) -> Vec<Action> {
    let unclear = || room.asks.values().any(|ask| ask.kind == AskKind::Outcome);
    match plan.state {
        PlanState::Draft { .. } => vec![Action::Change, Action::Cancel],
        PlanState::AwaitingApproval => {
            vec![Action::Approve, Action::Change, Action::Reject, Action::Cancel]
        }
        // Where sidekicks do the steps, each of them can be stopped.
        PlanState::Running { .. } if plan.frame.delegated => {
            vec![Action::Pause, Action::PauseAfter, Action::Skip, Action::Cancel]
        }
        PlanState::Running { .. } => {
            vec![Action::Pause, Action::PauseAfter, Action::StopStep, Action::Skip, Action::Cancel]
        }
        // It goes on when the question is answered.
        PlanState::Paused { reason: PauseReason::Drift } => {
            vec![Action::Pause, Action::Change, Action::Skip, Action::Cancel]
        }
        // First it has to be known what happened.
        PlanState::Paused { .. } if unclear() => {
            vec![Action::Change, Action::Skip, Action::Cancel]
        }
        PlanState::Paused { .. } => {
            vec![Action::Resume, Action::Change, Action::Skip, Action::Cancel]
        }
        PlanState::Done | PlanState::Failed | PlanState::Cancelled => Vec::new(),
    }
}
