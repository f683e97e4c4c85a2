//! How goals are split, and how councils are held. Their numbers are caps and
//! are read there.

use std::path::PathBuf;

use super::Config;
use super::model_ref::ModelRef;
use super::read_agents::named_model;
use super::section::Section;

/// What happens to a goal when some of its steps failed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum OnPartial {
    /// The rest is brought together all the same.
    #[default]
    Synthesize,
    /// The goal has failed.
    Fail,
}

/// How goals are carried out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Planner {
    /// Whether goals are taken at all.
    pub enabled: bool,
    /// The agent that brings the outputs together; without it, the default agent.
    pub synthesis_agent: Option<String>,
    /// The model that splits a goal; without it, the agent's planning model.
    pub decomposition_model: Option<ModelRef>,
    /// What happens when some steps failed.
    pub on_partial_completion: OnPartial,
}

/// How ready council members are to vote for what is there.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum VotingSensitivity {
    /// A good answer is enough.
    #[default]
    Lenient,
    /// An answer is weighed against a better one.
    Balanced,
    /// Only a very good answer gets a vote.
    Strict,
}

/// How councils are held.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Orchestrator {
    /// Where members' snapshots go, if not into the data folder.
    pub snapshot_storage: Option<PathBuf>,
    /// Where members work, if not in the data folder.
    pub agent_temporary_workspace: Option<PathBuf>,
    /// Whether members plan before anything is changed; the gate is strict either way.
    pub enable_planning_mode: Option<bool>,
    /// What members are told while they plan.
    pub planning_mode_instruction: Option<String>,
    /// How ready members are to vote.
    pub voting_sensitivity: VotingSensitivity,
    /// New answers a member may give; without it, no limit but time.
    pub max_new_answers_per_agent: Option<u32>,
}

impl Default for Planner {
    fn default() -> Self {
        Self {
            enabled: true,
            synthesis_agent: None,
            decomposition_model: None,
            on_partial_completion: OnPartial::default(),
        }
    }
}

impl Planner {
    /// Needs the agents and models of the configuration.
    pub(super) fn read(section: &Section<'_>, config: &Config) -> Self {
        let choices = [("synthesize", OnPartial::Synthesize), ("fail", OnPartial::Fail)];
        let synthesis_agent = section.name("synthesisAgent");
        if let (Some(name), Some(node)) = (&synthesis_agent, section.get("synthesisAgent"))
            && config.agent(name).is_none()
        {
            let path = section.path_of("synthesisAgent");
            let message =
                format!("is {name:?}, and there is no such agent; the default agent does it");
            section.report.warning(node.at, &path, message);
        }
        Self {
            enabled: section.flag("enabled").unwrap_or(true),
            synthesis_agent: synthesis_agent.filter(|name| config.agent(name).is_some()),
            decomposition_model: section
                .get("decompositionModel")
                .and_then(|node| named_model(section, "decompositionModel", node, None, config)),
            on_partial_completion: section
                .choice("onPartialCompletion", &choices)
                .unwrap_or_default(),
        }
    }
}

impl Config {
    /// What a council is held to, as configured.
    pub fn council_rules(&self) -> plan::CouncilRules {
        plan::CouncilRules::default()
    }
}

impl Orchestrator {
    pub(super) fn read(section: &Section<'_>, coordination: &Section<'_>) -> Self {
        let choices = [
            ("lenient", VotingSensitivity::Lenient),
            ("balanced", VotingSensitivity::Balanced),
            ("strict", VotingSensitivity::Strict),
        ];
        let answers = section.number("max_new_answers_per_agent", 1..=1_000);
        Self {
            snapshot_storage: section.name("snapshot_storage").map(PathBuf::from),
            agent_temporary_workspace: section.name("agent_temporary_workspace").map(PathBuf::from),
            enable_planning_mode: coordination.flag("enable_planning_mode"),
            planning_mode_instruction: coordination.text("planning_mode_instruction"),
            voting_sensitivity: section.choice("voting_sensitivity", &choices).unwrap_or_default(),
            max_new_answers_per_agent: answers.and_then(|number| u32::try_from(number).ok()),
        }
    }
}
