//! A plan as a graph of nodes, in the words of the plan stream.

use super::body::Path;
use super::{Api, ApiError};
use crate::engine::Engine;
use crate::error::EngineError;
use crate::history::whole;
use crate::journal::PlanRow;
use crate::live::JournalBlobs;
use axum::extract::State;
use plan::{Held, PlanId, PlanView, Refusal, RoomId, StepView, Time};
use serde::Serialize;
use uuid::Uuid;

/// A plan and its nodes.
#[derive(Debug, Clone, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Graph {
    pub(crate) plan_id: PlanId,
    pub(crate) room_id: RoomId,
    pub(crate) goal: String,
    /// running, paused, complete, failed or cancelled.
    pub(crate) status: &'static str,
    /// What a person is waited for with: approval, revision, answer, or the reason of a pause.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) waiting_for: Option<String>,
    pub(crate) revision: u32,
    pub(crate) node_count: usize,
    pub(crate) nodes: Vec<Node>,
    pub(crate) failed_nodes: Vec<String>,
    /// What came of a goal, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) result: Option<String>,
    /// Why it failed or was cancelled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reason: Option<String>,
    pub(crate) created_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) ended_at: Option<String>,
}

/// A step as a node.
#[derive(Debug, Clone, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Node {
    pub(crate) node_id: String,
    pub(crate) task: String,
    /// pending, running, complete, failed or skipped.
    pub(crate) status: &'static str,
    /// Who does it.
    pub(crate) agent_id: String,
    /// Whether it waits for others to end.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) queued: bool,
    pub(crate) needs: Vec<String>,
    pub(crate) attempts: u32,
    /// All that came of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) output: Option<String>,
    /// The same in one line, where it is more than that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) output_preview: Option<String>,
    /// What went wrong, as its agent last said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) error: Option<String>,
    /// Why it was left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reason: Option<String>,
    pub(crate) duration_ms: u64,
}

impl Graph {
    /// A plan of a room in which this agent answers.
    pub(crate) fn of(engine: &Engine, plan: &PlanView, agent: &str) -> Self {
        // An answer or an output may be longer than what an event holds.
        let blobs = JournalBlobs(engine.journal());
        let (status, waiting_for) = status(plan);
        Self {
            plan_id: plan.id,
            room_id: plan.room_id,
            goal: plan.goal.clone(),
            status,
            waiting_for,
            revision: plan.revision,
            node_count: plan.steps.len(),
            nodes: plan.steps.iter().map(|step| Node::of(step, agent, &blobs)).collect(),
            failed_nodes: plan.failed_steps.iter().map(|step| step.0.clone()).collect(),
            result: plan.result.as_ref().map(|text| whole(text, &blobs)),
            reason: plan.end_reason.clone(),
            created_at: moment(plan.created_at),
            ended_at: plan.ended_at.map(moment),
        }
    }
}

impl Node {
    fn of(step: &StepView, agent: &str, blobs: &JournalBlobs<'_>) -> Self {
        // Why a step was left out is no output of it.
        let (line, reason) = match step.status.as_str() {
            "skipped" => (None, step.result.clone()),
            _ => (step.result.clone(), None),
        };
        let full = step.output.as_ref().map(|text| whole(text, blobs));
        Self {
            node_id: step.id.0.clone(),
            task: step.text.clone(),
            status: match step.status.as_str() {
                "in_progress" => "running",
                "done" => "complete",
                "failed" => "failed",
                "skipped" => "skipped",
                _ => "pending",
            },
            agent_id: step.agent.clone().unwrap_or_else(|| agent.to_owned()),
            queued: step.queued,
            needs: step.needs.iter().map(|need| need.0.clone()).collect(),
            attempts: step.attempts,
            output_preview: line.clone().filter(|_| full.is_some()),
            output: full.or(line),
            error: step.error.clone(),
            reason,
            duration_ms: step.took_ms,
        }
    }
}

/// The word for a plan's state, and what a person is waited for with. A slot and a quota come by
/// themselves.
pub(crate) fn status(plan: &PlanView) -> (&'static str, Option<String>) {
    let pause = || match plan.pause_reason.map(serde_json::to_value) {
        Some(Ok(serde_json::Value::String(word))) => Some(word),
        _ => None,
    };
    match plan.state.as_str() {
        // One that nobody sent back starts at once.
        "draft" => ("running", plan.sent_back.then(|| "revision".to_owned())),
        "awaiting_approval" => ("running", Some("approval".to_owned())),
        "paused" => ("paused", pause()),
        "done" => ("complete", None),
        "failed" => ("failed", None),
        "cancelled" => ("cancelled", None),
        _ => match plan.held {
            Some(Held::Answer) => ("running", Some("answer".to_owned())),
            Some(Held::Slot | Held::Quota) | None => {
                let asks = plan.steps.iter().any(|step| step.waiting);
                ("running", asks.then(|| "answer".to_owned()))
            }
        },
    }
}

/// A time as this part of the API writes it.
pub(crate) fn moment(at: Time) -> String {
    jiff::Timestamp::from_millisecond(at.0).map(|at| at.to_string()).unwrap_or_default()
}

/// The whole graph of any plan.
#[utoipa::path(get, path = "/plans/{plan}", operation_id = "read_graph", params(("plan" = Uuid, Path)),
    responses((status = 200, body = Graph), (status = 404, body = super::error::ErrorBody)))]
pub(crate) async fn read(
    State(api): State<Api>,
    Path(plan): Path<Uuid>,
) -> Result<axum::Json<Graph>, ApiError> {
    let row = find(&api.engine, plan)?;
    let room = api.engine.stored_view(RoomId(row.room)).await?;
    let current = room.plan.filter(|plan| plan.id.0 == row.id);
    let plan = match current {
        Some(plan) => plan,
        None => view(&api.engine, &row)?,
    };
    Ok(axum::Json(Graph::of(&api.engine, &plan, &room.agent)))
}

pub(crate) fn find(engine: &Engine, plan: Uuid) -> Result<PlanRow, ApiError> {
    let row = engine.journal().plan(plan).map_err(EngineError::from)?;
    row.ok_or_else(|| EngineError::from(Refusal::NoPlan).into())
}

/// A plan as it is, or as it ended.
pub(crate) fn view(engine: &Engine, row: &PlanRow) -> Result<PlanView, ApiError> {
    let plan = engine.plan_of(row)?;
    plan.ok_or_else(|| EngineError::from(Refusal::NoPlan).into())
}
