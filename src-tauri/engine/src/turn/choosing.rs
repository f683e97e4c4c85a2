//! Which model takes a turn, and in which part.
//!
//! `model` executes and `plan_model` plans. A turn in which `model` wants to write, submit or
//! revise a plan is set aside, and the next ones are the planning model's until it has written or
//! answered.

use super::{reading, received};
use crate::agents;
use crate::config::{AgentConfig, Config, ModelRef, Part};
use crate::engine::Engine;
use crate::live::LiveRoom;
use crate::reach::Reach;
use crate::sidekicks::{self, Given};
use models::{AgentTrouble, CallRequest, Model, ModelError, Protocol};
use plan::{Phase, Room};
use std::sync::Arc;

/// Who takes a turn.
pub(super) struct Chosen {
    pub(super) name: ModelRef,
    pub(super) part: Part,
    /// Whether another model plans for it.
    pub(super) hands_over: bool,
}

/// The client for a model; a program that is an agent is the room's own.
pub(super) async fn model(
    engine: &Engine,
    live: &Arc<LiveRoom>,
    config: &Config,
    name: &ModelRef,
) -> Result<Arc<dyn Model>, ModelError> {
    match agents::program_of(config, name) {
        Some(program) => {
            own_folder(engine, live, name).await?;
            engine.shared.agents.model(engine, live, &name.provider, program).await
        }
        None => engine.shared.providers.model(config, name).await,
    }
}

/// A program that may write does so with tools of its own, so it starts where it may.
async fn own_folder(
    engine: &Engine,
    live: &Arc<LiveRoom>,
    name: &ModelRef,
) -> Result<(), ModelError> {
    if !Reach::now(engine, live).program.may_write() {
        return Ok(());
    }
    let why = match sidekicks::give_copy(engine, live, None).await {
        Ok(Given::Same | Given::Copy(_)) => return Ok(()),
        Ok(Given::Refused(why)) => why,
        Ok(Given::Over) => "it is no longer wanted".to_owned(),
        Err(error) => error.to_string(),
    };
    let agent = name.provider.clone();
    Err(ModelError::Agent(AgentTrouble::NotStarted { agent, why }))
}

/// The name of the model that takes this turn; empty where none can.
pub(crate) fn model_of(engine: &Engine, live: &LiveRoom) -> String {
    let config = engine.shared.config.current();
    let chosen = choose(&config.config, &live.lock().room);
    chosen.map(|chosen| chosen.name.to_string()).unwrap_or_default()
}

/// The model that takes this turn.
pub(super) fn choose(config: &Config, room: &Room) -> Result<Chosen, ModelError> {
    let agent = agent_of(config, room);
    if let Some(why) = &agent.unavailable {
        return Err(ModelError::Unusable { message: why.clone() });
    }
    if room.member.is_some() {
        let name = crate::council::model_of(&agent);
        return Ok(Chosen { name, part: Part::Plan, hands_over: false });
    }
    let planner = match room.phase() {
        Some(Phase::Splitting) => splitter(config).or_else(|| planner(config, &agent)),
        Some(Phase::Working | Phase::Joining) | None => planner(config, &agent),
    };
    if room.planning.is_some() {
        let name = planner.map_or_else(|| executing(config, &agent, room), Ok)?;
        return Ok(Chosen { name, part: Part::Plan, hands_over: false });
    }
    let name = executing(config, &agent, room)?;
    let hands_over = !plans_for_itself(config, &name)
        && planner.is_some_and(|planner| !is_same(config, &planner, &name));
    Ok(Chosen { name, part: Part::Execute, hands_over })
}

/// The agent whose turn it is. One that is no longer configured works as the default one.
pub(crate) fn agent_of(config: &Config, room: &Room) -> AgentConfig {
    config.agent(room.speaker()).cloned().unwrap_or_else(|| config.default_agent())
}

/// Why nobody may speak here: who has a seat in a council, or has won one here or above, is no
/// longer configured. Nobody else takes that place.
pub(super) fn gone(engine: &Engine, live: &Arc<LiveRoom>, config: &Config) -> Option<ModelError> {
    let mut next = Some(Arc::clone(live));
    while let Some(here) = next {
        {
            let room = &here.lock().room;
            let member = room.member.is_some().then_some(room.agent.as_str());
            let name = member.or_else(|| room.winner().map(|seat| seat.who.agent.as_str()));
            if let Some(name) = name.filter(|name| !crate::council::knows(config, name)) {
                let message = format!(
                    "{name} speaks here for its council and is no longer among the agents; add \
                     it again under Settings, Agents"
                );
                return Some(ModelError::Unusable { message });
            }
        }
        next = sidekicks::parent_of(&here).and_then(|above| engine.live(above).ok());
    }
    None
}

/// The model that plans for others.
fn planner(config: &Config, agent: &AgentConfig) -> Option<ModelRef> {
    let named = agent.plan_model.as_ref().or(config.planner.decomposition_model.as_ref());
    named.filter(|name| !plans_for_itself(config, name)).cloned()
}

/// The model that splits goals.
fn splitter(config: &Config) -> Option<ModelRef> {
    let named = config.planner.decomposition_model.as_ref();
    named.filter(|name| !plans_for_itself(config, name)).cloned()
}

/// The model that executes: the step's own, else the approved one, else the sidekick's, else the
/// agent's.
fn executing(config: &Config, agent: &AgentConfig, room: &Room) -> Result<ModelRef, ModelError> {
    let step = room.running_plan().and_then(plan::Plan::current);
    let step = step.and_then(|step| step.spec.model.clone());
    let own = || room.sidekick.as_ref().and_then(|sidekick| sidekick.model.clone());
    match step.or_else(|| approved(room)).or_else(own) {
        Some(name) => config
            .model(&name, Some(agent))
            .map_err(|error| ModelError::Unusable { message: error.to_string() }),
        None => Ok(agent.model.clone()),
    }
}

/// The model that a person chose when they approved the plan that runs.
pub(crate) fn approved(room: &Room) -> Option<String> {
    room.running_plan()?.approval.as_ref()?.model.clone()
}

/// The rehearsal knows its plan from its scenario, and a program keeps its own list.
fn plans_for_itself(config: &Config, name: &ModelRef) -> bool {
    let protocol = config.providers.get(&name.provider).map(|provider| provider.protocol());
    matches!(protocol, Some(Protocol::Rehearsal | Protocol::Acp))
}

/// Whether two names stand for one model.
fn is_same(config: &Config, one: &ModelRef, other: &ModelRef) -> bool {
    one.provider == other.provider && config.name_at_provider(one) == config.name_at_provider(other)
}

/// Whether a turn with these calls is one of planning: a plan is written, submitted or revised.
pub(super) fn wants_to_plan(engine: &Engine, live: &LiveRoom, calls: &[CallRequest]) -> bool {
    let folder = live.lock().room.folder().to_owned();
    calls.iter().any(|call| {
        let (tool, _) = received::tool(engine, &folder, &call.name);
        reading::writes(&tool, &call.arguments)
    })
}
