//! Which model takes a turn.

use crate::agents;
use crate::config::{Config, ModelRef};
use crate::engine::Engine;
use crate::live::LiveRoom;
use models::{Model, ModelError};
use plan::Room;
use std::sync::Arc;

/// The client for a model; a program that is an agent is the room's own.
pub(super) async fn model(
    engine: &Engine,
    live: &LiveRoom,
    config: &Config,
    name: &ModelRef,
) -> Result<Arc<dyn Model>, ModelError> {
    match agents::program_of(config, name) {
        Some(program) => engine.shared.agents.model(engine, live, &name.provider, program).await,
        None => engine.shared.providers.model(config, name),
    }
}

/// The name of the model that takes this turn; empty where none can.
pub(crate) fn model_of(engine: &Engine, live: &LiveRoom) -> String {
    let config = engine.shared.config.current();
    let name = model_name(&config.config, &live.lock().room);
    name.map(|name| name.to_string()).unwrap_or_default()
}

/// The model that takes this turn: the step's own, else the approved one, else the agent's.
pub(super) fn model_name(config: &Config, room: &Room) -> Result<ModelRef, ModelError> {
    let agent = config.agent(&room.agent).cloned().unwrap_or_else(|| config.default_agent());
    let plan = room.running_plan();
    let step = plan.and_then(plan::Plan::current).and_then(|step| step.spec.model.clone());
    let approved =
        plan.and_then(|plan| plan.approval.as_ref()).and_then(|approval| approval.model.clone());
    match step.or(approved) {
        Some(name) => config
            .model(&name, Some(&agent))
            .map_err(|error| ModelError::BadRequest { message: error.to_string() }),
        None => Ok(agent.model),
    }
}
