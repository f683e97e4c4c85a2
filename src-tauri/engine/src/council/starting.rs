//! How a council begins: who sits in it, and what it is held to.

use super::model_of;
use crate::config::{AgentConfig, Config};
use crate::engine::Engine;
use crate::error::EngineError;
use models::Protocol;
use plan::{
    Actor, AskId, CallId, Command, CouncilId, CouncilRules, Evidence, Frame, MOST_MEMBERS,
    NewCouncil, OnPartial, Origin, PlanId, Refusal, RoomId, Sitting, Text,
};

/// Members of a council for which nobody was named.
const USUAL_MEMBERS: usize = 5;

/// A council that someone wants.
#[derive(Debug, Clone, Default)]
pub struct StartCouncil {
    /// What it is about.
    pub task: String,
    /// Who sits in it, by their names in the configuration; all who can when empty.
    pub members: Vec<String>,
    /// What it is held to where that is not as configured, by the names of the configuration.
    pub options: serde_json::Map<String, serde_json::Value>,
}

impl Engine {
    /// Begins a council in a room.
    pub async fn start_council(
        &self,
        room: RoomId,
        actor: &Actor,
        start: StartCouncil,
    ) -> Result<CouncilId, EngineError> {
        let (id, begun) = self.begin_council(room, actor, start, None)?;
        begun.stored().await?;
        Ok(id)
    }

    /// The same, for the room's agent where `call` is its call, and without waiting for the disk.
    pub(crate) fn begin_council(
        &self,
        room: RoomId,
        actor: &Actor,
        start: StartCouncil,
        call: Option<CallId>,
    ) -> Result<(CouncilId, crate::Submitted), EngineError> {
        let live = self.live(room)?;
        let loaded = self.shared.config.current();
        let members = self.members(&loaded.config, &start.members)?;
        let rules = rules_with(loaded.config.council_rules(), start.options)?;
        if rules.evidence == Evidence::DryRun {
            let why = "evidence: dry_run is not available yet; leave it out, or use none";
            return Err(EngineError::BadCouncil(why.to_owned()));
        }
        let (task, blob) = Text::split(self.shared.redactor.clean(start.task));
        let new = NewCouncil {
            council: CouncilId(crate::fresh_id()),
            task,
            members,
            rules,
            frame: frame(&loaded.config, room),
            plan: PlanId(crate::fresh_id()),
            ask: AskId(crate::fresh_id()),
        };
        let id = new.council;
        let command = Command::StartCouncil { new: Box::new(new), call };
        let begun = self.submit_live(&live, actor, command, blob.into_iter().collect())?;
        Ok((id, begun))
    }

    fn members(&self, config: &Config, named: &[String]) -> Result<Vec<Sitting>, EngineError> {
        let agents: Vec<AgentConfig> = match named {
            [] => available(config).into_iter().take(USUAL_MEMBERS).collect(),
            named => {
                let all = available(config);
                let find = |name: &String| {
                    all.iter().find(|agent| agent.name == *name).cloned().ok_or_else(|| {
                        EngineError::NoMember { name: name.clone(), agents: names(&all) }
                    })
                };
                named.iter().map(find).collect::<Result<_, _>>()?
            }
        };
        if !(2..=MOST_MEMBERS).contains(&agents.len()) {
            let (members, most) = (agents.len(), MOST_MEMBERS);
            return Err(Refusal::CouncilSize { members, most }.into());
        }
        let sitting = |agent: AgentConfig| Sitting {
            model: model_of(config, &agent).to_string(),
            agent: agent.name,
            room: RoomId(crate::fresh_id()),
        };
        Ok(agents.into_iter().map(sitting).collect())
    }
}

fn names(agents: &[AgentConfig]) -> String {
    let names: Vec<&str> = agents.iter().map(|agent| agent.name.as_str()).collect();
    names.join(", ")
}

/// The agents that can sit in a council: those whose provider is known. An agent that is a program
/// of its own can't yet.
pub(super) fn available(config: &Config) -> Vec<AgentConfig> {
    let can = |agent: &&AgentConfig| {
        if agent.unavailable.is_some() {
            return false;
        }
        let provider = config.providers.get(&model_of(config, agent).provider);
        provider.is_some_and(|provider| provider.protocol() != Protocol::Acp)
    };
    config.agents.iter().filter(can).cloned().collect()
}

/// The configured rules with what was asked for this council.
fn rules_with(
    rules: CouncilRules,
    options: serde_json::Map<String, serde_json::Value>,
) -> Result<CouncilRules, EngineError> {
    if options.is_empty() {
        return Ok(rules);
    }
    let bad = |error: serde_json::Error| EngineError::BadCouncil(format!("options: {error}"));
    let mut all = serde_json::to_value(rules).map_err(bad)?;
    if let Some(all) = all.as_object_mut() {
        all.extend(options);
    }
    serde_json::from_value(all).map_err(bad)
}

/// How the winner's plan runs; what depends on its steps is filled in when they are known.
fn frame(config: &Config, room: RoomId) -> Frame {
    Frame {
        origin: Origin::Council,
        caps: config.caps.clone(),
        lanes: 1,
        on_partial: OnPartial::Fail,
        venue_room: room,
        parent: None,
        nested: false,
        delegated: false,
        synthesis: None,
    }
}
