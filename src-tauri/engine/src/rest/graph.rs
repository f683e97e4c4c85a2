//! A plan as a graph of nodes, in the words of the plan stream.

use super::body::Path;
use super::{Api, ApiError};
use crate::engine::Engine;
use crate::error::EngineError;
use crate::journal::PlanRow;
use axum::extract::State;
use plan::{PlanId, PlanView, Refusal, RoomId, StepView};
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
    /// What it waits for, while it does: approval, or the reason of a pause.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) waiting_for: Option<String>,
    pub(crate) revision: u32,
    pub(crate) node_count: usize,
    pub(crate) nodes: Vec<Node>,
    pub(crate) failed_nodes: Vec<String>,
    pub(crate) created_at: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) ended_at: Option<i64>,
}

/// A step as a node.
#[derive(Debug, Clone, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Node {
    pub(crate) node_id: String,
    pub(crate) task: String,
    /// pending, running, complete, failed or skipped.
    pub(crate) status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) agent_id: Option<String>,
    pub(crate) needs: Vec<String>,
    pub(crate) attempts: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) output: Option<String>,
    pub(crate) duration_ms: u64,
}

impl Graph {
    pub(crate) fn of(plan: &PlanView) -> Self {
        let (status, waiting_for) = status(plan);
        Self {
            plan_id: plan.id,
            room_id: plan.room_id,
            goal: plan.goal.clone(),
            status,
            waiting_for,
            revision: plan.revision,
            node_count: plan.steps.len(),
            nodes: plan.steps.iter().map(Node::of).collect(),
            failed_nodes: plan.failed_steps.iter().map(|step| step.0.clone()).collect(),
            created_at: plan.created_at.0,
            ended_at: plan.ended_at.map(|at| at.0),
        }
    }
}

impl Node {
    fn of(step: &StepView) -> Self {
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
            agent_id: step.agent.clone(),
            needs: step.needs.iter().map(|need| need.0.clone()).collect(),
            attempts: step.attempts,
            output: step.result.clone(),
            duration_ms: step.took_ms,
        }
    }
}

/// The word for a plan's state, and what it waits for.
pub(crate) fn status(plan: &PlanView) -> (&'static str, Option<String>) {
    let pause = || match plan.pause_reason.map(serde_json::to_value) {
        Some(Ok(serde_json::Value::String(word))) => Some(word),
        _ => None,
    };
    match plan.state.as_str() {
        "draft" => ("running", Some("revision".to_owned())),
        "awaiting_approval" => ("running", Some("approval".to_owned())),
        "paused" => ("paused", pause()),
        "done" => ("complete", None),
        "failed" => ("failed", None),
        "cancelled" => ("cancelled", None),
        _ if plan.steps.iter().any(|step| step.waiting) => ("running", Some("answer".to_owned())),
        _ => ("running", None),
    }
}

/// The whole graph of any plan.
#[utoipa::path(get, path = "/plans/{plan}", operation_id = "read_graph", params(("plan" = Uuid, Path)),
    responses((status = 200, body = Graph), (status = 404, body = super::error::ErrorBody)))]
pub(crate) async fn read(
    State(api): State<Api>,
    Path(plan): Path<Uuid>,
) -> Result<axum::Json<Graph>, ApiError> {
    let row = find(&api.engine, plan)?;
    Ok(axum::Json(Graph::of(&view(&api.engine, &row)?)))
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
