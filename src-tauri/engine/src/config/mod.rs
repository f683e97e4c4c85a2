//! The configuration: what a person wrote in `plancard.yaml`, over what the
//! settings screen wrote in `settings.yaml`, over the defaults.
//!
//! A file is read into a tree in which every value knows its line (`yaml`,
//! `tree`). The two trees are laid over each other, and each part of the
//! configuration is read out of the result (`section` and its callers). An
//! unknown key is a warning and a bad value an error; all are collected.

mod abilities;
mod agent;
mod backend;
mod by_person;
mod caps;
mod council;
mod facts;
mod families;
mod goals;
mod ignored_keys;
mod in_words;
mod key_like;
mod limits;
mod lists;
mod load;
mod mcp;
mod meant;
mod model_ref;
mod model_size;
mod nearest;
mod network;
mod patterns;
mod place;
mod problem;
mod provider;
mod quiet;
mod read_agents;
mod read_models;
mod read_providers;
mod read_rules;
mod report;
mod rights;
mod sandbox;
mod section;
mod settings;
mod shortcut;
mod spending;
mod storage;
mod store;
mod surfaces;
mod table;
#[cfg(test)]
mod tests;
mod tree;
mod variables;
mod yaml;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use abilities::Abilities;
pub(crate) use abilities::form_word;
pub use agent::{AgentConfig, Part, Permissions};
pub use council::Orchestrator;
pub use facts::{ModelFacts, Prices};
pub(crate) use families::named as named_abilities;
pub use goals::{OnPartial, Planner};
pub use mcp::{McpServer, McpTransport};
pub use model_ref::{ModelNameError, ModelRef};
pub(crate) use model_size::is_small;
pub use network::Network;
pub use patterns::Pattern;
pub use place::{ConfigPlace, PERSON_FILE, SETTINGS_FILE};
pub use problem::{ConfigErrors, Problem, Problems, Warning};
pub use provider::{AgentProgram, OpenAiApi, ProviderConfig, ProviderKind};
pub use quiet::QuietHours;
pub use read_models::Models;
pub use rights::Rights;
pub use sandbox::Sandbox;
pub use settings::{SaveError, save as save_setting};
pub use shortcut::Shortcut;
pub use spending::Spending;
pub(crate) use storage::folder as storage_folder;
pub use store::{ConfigStore, Reloaded};
pub use surfaces::{Api, Theme, Ui};

/// Whether a model of the built-in table goes by this name, wherever it is asked.
pub(crate) fn is_in_table(name: &str) -> bool {
    !table::named(name).is_empty()
}

/// A whole configuration, every name in it resolved.
#[derive(Debug, Clone, PartialEq)]
pub struct Config {
    /// The providers by name; the built-in ones are always there.
    pub providers: BTreeMap<String, ProviderConfig>,
    /// The agents in the order they are written, the person's before the settings'.
    pub agents: Vec<AgentConfig>,
    /// Short names for models, and facts about them.
    pub models: Models,
    /// The limits a new plan starts with.
    pub caps: plan::Caps,
    /// How goals are carried out.
    pub planner: Planner,
    /// How councils are held.
    pub orchestrator: Orchestrator,
    /// MCP servers by name.
    pub mcp_servers: BTreeMap<String, McpServer>,
    /// What rooms and days may use up.
    pub spending: Spending,
    /// What tools may reach near this computer.
    pub network: Network,
    /// What programs see beside their workspace.
    pub sandbox: Sandbox,
    /// What commands may use of the computer.
    pub limits: tools::ResourceLimits,
    /// Folders below which a token that may not approve can make rooms.
    pub workspaces: Vec<PathBuf>,
    /// What is blanked out beside known secrets.
    pub redact: Arc<[Pattern]>,
    /// How the window looks and behaves.
    pub ui: Ui,
    /// Whether and where the API listens, and what its token may do.
    pub api: Api,
    /// Why no model may be asked by it: the files were bad from the start, and what they forbid is
    /// not known.
    pub closed: Option<String>,
    by_person: BTreeSet<String>,
    /// Environment variables that the person's file takes values from.
    variables: BTreeMap<String, String>,
}

/// A configuration that can be used, and what is odd about it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Loaded {
    /// The configuration.
    pub config: Config,
    /// What was not understood, in the order of the files.
    pub warnings: Vec<Warning>,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            providers: provider::built_in(),
            agents: Vec::new(),
            models: Models::default(),
            caps: plan::Caps::default(),
            planner: Planner::default(),
            orchestrator: Orchestrator::default(),
            mcp_servers: BTreeMap::new(),
            spending: Spending::default(),
            network: Network::default(),
            sandbox: Sandbox::default(),
            limits: tools::ResourceLimits::default(),
            workspaces: Vec::new(),
            redact: Arc::default(),
            ui: Ui::default(),
            api: Api::default(),
            closed: None,
            by_person: BTreeSet::new(),
            variables: BTreeMap::new(),
        }
    }
}

impl Loaded {
    /// What is in use while the files are bad and never were good: rooms can be read, but no model
    /// is asked, and a room that is made now insists on an approved plan.
    fn closed(errors: &ConfigErrors) -> Self {
        let agent = AgentConfig { plan_mode: plan::PlanMode::Strict, ..AgentConfig::tour() };
        let apart = if errors.0.len() > 1 { "\n" } else { " " };
        let why = format!("the configuration can't be used, mend it first:{apart}{errors}");
        let config = Config { agents: vec![agent], closed: Some(why), ..Config::default() };
        Self { config, warnings: Vec::new() }
    }
}

impl Config {
    /// Reads both files of a folder; what is missing is default.
    pub fn load(folder: &Path) -> Result<Loaded, ConfigErrors> {
        Self::load_place(&ConfigPlace::Folder(folder.to_owned()))
    }

    /// Reads a file a person named, which has to be there, and the settings
    /// beside it, if any.
    pub fn load_file(file: &Path) -> Result<Loaded, ConfigErrors> {
        Self::load_place(&ConfigPlace::File(file.to_owned()))
    }

    /// Reads what is at a place.
    pub fn load_place(place: &ConfigPlace) -> Result<Loaded, ConfigErrors> {
        load::load(place)
    }

    /// All that is wrong with what is at a place: warnings, too, where there are errors.
    pub fn problems_at(place: &ConfigPlace) -> Problems {
        load::read(place).1
    }

    /// The agent of that name.
    pub fn agent(&self, name: &str) -> Option<&AgentConfig> {
        self.agents.iter().find(|agent| agent.name == name)
    }

    /// Environment variables that the person's file takes values from, by name.
    pub(crate) fn variables(&self) -> &BTreeMap<String, String> {
        &self.variables
    }

    /// The agent that answers in a new room: `default`, else the first that is
    /// available, else the first, else one on the offline tour.
    pub fn default_agent(&self) -> AgentConfig {
        let available = || self.agents.iter().find(|agent| agent.unavailable.is_none());
        let agent = self.agent("default").or_else(available).or_else(|| self.agents.first());
        agent.cloned().unwrap_or_else(AgentConfig::tour)
    }

    /// The model a name stands for, such as one a step pins; bare names may
    /// fall back to the backend of the agent that uses them.
    pub fn model(
        &self,
        name: &str,
        agent: Option<&AgentConfig>,
    ) -> Result<ModelRef, ModelNameError> {
        model_ref::resolve(self, name, agent.and_then(|agent| agent.backend.as_deref()))
    }

    /// All that is known of a model: what the configuration says, then what
    /// the built-in table holds for its maker.
    pub fn facts(&self, model: &ModelRef) -> ModelFacts {
        self.said(model).or(self.in_table(model).unwrap_or_default())
    }

    /// What the configuration itself says about a model.
    pub(crate) fn said(&self, model: &ModelRef) -> ModelFacts {
        self.models.facts.get(model).copied().unwrap_or_default()
    }

    /// What the built-in table holds for a model's maker.
    pub(crate) fn in_table(&self, model: &ModelRef) -> Option<ModelFacts> {
        let maker = self.providers.get(&model.provider).and_then(ProviderConfig::maker)?;
        table::facts(&ModelRef::new(maker, &model.model))
    }

    /// Models that can be named: what the files describe, then what is known of each provider.
    pub fn known_models(&self) -> Vec<ModelRef> {
        let mut models: Vec<ModelRef> = self.models.facts.keys().cloned().collect();
        for (name, provider) in &self.providers {
            let made_there = |model: &&ModelRef| provider.maker() == Some(model.provider.as_str());
            let known = table::models().iter().filter(made_there);
            models.extend(known.map(|model| ModelRef::new(name, &model.model)));
        }
        let mut seen = std::collections::BTreeSet::new();
        models.retain(|model| seen.insert(model.clone()));
        models
    }

    /// The name its provider knows a model by: `anthropic/claude-sonnet` is a name of ours.
    pub fn name_at_provider<'a>(&self, model: &'a ModelRef) -> &'a str {
        let maker = self.providers.get(&model.provider).and_then(ProviderConfig::maker);
        let known = maker.and_then(|maker| table::own_name(&ModelRef::new(maker, &model.model)));
        known.unwrap_or(&model.model)
    }

    /// Whether the person's own file sets the value at this path, or one below
    /// it, so that the settings screen cannot change it.
    pub fn set_by_person(&self, path: &str) -> bool {
        self.by_person.contains(path)
    }
}
