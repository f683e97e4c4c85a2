//! How a council begins: who sits in it, and what it is held to.

use super::model_of;
use crate::config::{AgentConfig, Config, ModelRef};
use crate::engine::Engine;
use crate::error::EngineError;
use crate::rest::field_error;
use models::Protocol;
use plan::{
    Actor, AskId, CallId, Command, CouncilId, CouncilRules, Evidence, Frame, MOST_MEMBERS,
    NewCouncil, OnPartial, Origin, PlanId, Refusal, RoomId, Sitting, Text,
};
use std::collections::BTreeSet;

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
        let agents = seated(config, named)?;
        if !(2..=MOST_MEMBERS).contains(&agents.len()) {
            let (members, most) = (agents.len(), MOST_MEMBERS);
            return Err(Refusal::CouncilSize { members, most }.into());
        }
        let sitting = |agent: AgentConfig| Sitting {
            model: model_of(&agent).to_string(),
            agent: agent.name,
            room: RoomId(crate::fresh_id()),
        };
        Ok(agents.into_iter().map(sitting).collect())
    }
}

/// The agents that would sit in a council: those who are named, else all who can.
pub(super) fn seated(config: &Config, named: &[String]) -> Result<Vec<AgentConfig>, EngineError> {
    let all = available(config);
    if named.is_empty() {
        return Ok(all.into_iter().take(USUAL_MEMBERS).collect());
    }
    let mut seen = BTreeSet::new();
    if let Some(twice) = named.iter().find(|name| !seen.insert(*name)) {
        let why = format!("`members` names {twice} twice; each agent has one seat");
        return Err(EngineError::BadCouncil(why));
    }
    let find = |name: &String| {
        let found = all.iter().find(|agent| agent.name == *name).cloned();
        found.ok_or_else(|| EngineError::NoMember { name: name.clone(), agents: names(&all) })
    };
    named.iter().map(find).collect()
}

fn names(agents: &[AgentConfig]) -> String {
    let names: Vec<&str> = agents.iter().map(|agent| agent.name.as_str()).collect();
    names.join(", ")
}

/// The agents that can sit in a council: those whose provider is known. An agent that is a program
/// of its own can't yet.
pub(super) fn available(config: &Config) -> Vec<AgentConfig> {
    if plays_demo(config) {
        return demo();
    }
    let can = |agent: &&AgentConfig| {
        if agent.unavailable.is_some() {
            return false;
        }
        let provider = config.providers.get(&model_of(agent).provider);
        provider.is_some_and(|provider| provider.protocol() != Protocol::Acp)
    };
    config.agents.iter().filter(can).cloned().collect()
}

/// Whether nothing but the built-in model is set up.
fn plays_demo(config: &Config) -> bool {
    let built_in = |agent: &AgentConfig| {
        let provider = config.providers.get(&agent.model.provider);
        provider.is_some_and(|provider| provider.protocol() == Protocol::Rehearsal)
    };
    config.agents.len() < 2 && config.agents.iter().all(built_in)
}

/// Three members without a key, so that a first start can show a council.
fn demo() -> Vec<AgentConfig> {
    let member = |name: &str| AgentConfig::new(name, ModelRef::new("rehearsal", name));
    ["quick", "careful", "thorough"].map(member).into()
}

/// The configured rules with what was asked for this council.
fn rules_with(
    rules: CouncilRules,
    options: serde_json::Map<String, serde_json::Value>,
) -> Result<CouncilRules, EngineError> {
    if options.is_empty() {
        return Ok(rules);
    }
    let unread = |path: &str, why: String| {
        let path = match path {
            "." => "options".to_owned(),
            path => format!("options.{path}"),
        };
        EngineError::BadCouncil(field_error::in_body(&path, &why))
    };
    let mut all = serde_json::to_value(rules).map_err(|error| unread(".", error.to_string()))?;
    if let Some(all) = all.as_object_mut() {
        all.extend(options);
    }
    let rules: CouncilRules = serde_path_to_error::deserialize(all)
        .map_err(|error| unread(&error.path().to_string(), error.inner().to_string()))?;
    match empty_limit(&rules) {
        Some(name) => Err(EngineError::BadCouncil(format!("`options.{name}` must be 1 or more"))),
        None => Ok(rules),
    }
}

/// A limit with which nobody could say anything.
fn empty_limit(rules: &CouncilRules) -> Option<&'static str> {
    let limits = [
        ("max_new_answers_per_agent", rules.max_new_answers_per_agent.map(u64::from)),
        ("max_new_answers_global", rules.max_new_answers_global.map(u64::from)),
        ("orchestrator_timeout_seconds", Some(rules.orchestrator_timeout_seconds.into())),
        ("initial_round_timeout_seconds", rules.initial_round_timeout_seconds.map(u64::from)),
        ("subsequent_round_timeout_seconds", rules.subsequent_round_timeout_seconds.map(u64::from)),
        ("tokens", rules.tokens),
        ("cost_micros", rules.cost_micros),
    ];
    limits.into_iter().find(|(_, limit)| *limit == Some(0)).map(|(name, _)| name)
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

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn read(options: Value) -> Result<CouncilRules, String> {
        let Value::Object(options) = options else { panic!("options are an object") };
        rules_with(CouncilRules::default(), options).map_err(|error| error.to_string())
    }

    #[test]
    fn options_replace_what_they_name_and_nothing_else() {
        let rules = read(json!({ "max_new_answers_per_agent": null, "tokens": 9 })).unwrap();
        let usual = CouncilRules::default();
        let named = CouncilRules { max_new_answers_per_agent: None, tokens: Some(9), ..usual };
        assert_eq!(rules, named);
    }

    #[test]
    fn a_bad_option_is_named_in_our_words() {
        for (options, words) in [
            (json!({ "tokens": "many" }), "`options.tokens` must be a whole number from 0 on"),
            (json!({ "voting_sensitivity": "odd" }), "`options.voting_sensitivity` can't be `odd`"),
            (json!({ "sides": 3 }), "`sides` is not known here; this takes"),
            (
                json!({ "max_new_answers_per_agent": 0 }),
                "`options.max_new_answers_per_agent` must be 1 or more",
            ),
        ] {
            let why = read(options).unwrap_err();
            assert!(why.starts_with(words), "{why}");
            assert!(!why.contains("expected") && !why.contains("variant"), "{why}");
        }
    }
}
