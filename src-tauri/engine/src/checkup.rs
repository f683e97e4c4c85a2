//! What Plancard depends on, on this computer and in its settings, as `plancard doctor` shows it.

use crate::config::{AgentConfig, Config, Problem};
use crate::doctor::{no_sandbox, not_limited};
use crate::engine::Engine;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// What can be known without asking a model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Checkup {
    /// Which Plancard this is.
    pub version: String,
    /// The data folder.
    pub data: String,
    /// The person's configuration file, there or not.
    pub config: String,
    /// Why commands can't be confined; nothing where they can.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub no_sandbox: Option<String>,
    /// What of the limits of commands can't be kept here; nothing where all can.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_limited: Option<String>,
    /// What keeps the files from being used as they are now.
    pub errors: Vec<ConfigProblem>,
    /// What was not understood in them.
    pub warnings: Vec<ConfigProblem>,
    /// The agents of the configuration in use; none where there never was a good one.
    pub agents: Vec<AgentModels>,
}

/// Something to put right in a configuration file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct ConfigProblem {
    /// The file it is in.
    pub file: String,
    /// The line, from 1; none when it concerns the whole file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The path of the key, such as `agents.default.model`; empty for the whole file.
    pub path: String,
    /// What is wrong and what is allowed.
    pub message: String,
}

/// An agent and what it asks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct AgentModels {
    /// What it is called.
    pub name: String,
    /// The model that executes, as `provider/model`.
    pub model: String,
    /// The model that plans, where that is another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plan_model: Option<String>,
}

impl Engine {
    /// Looks at everything but models. The first time it tries the sandbox, which takes a moment.
    pub async fn checkup(&self) -> Checkup {
        let missing = tokio::task::spawn_blocking(no_sandbox).await;
        let no_sandbox = missing.unwrap_or(Some("it could not be tried"));
        let not_limited = tokio::task::spawn_blocking(not_limited).await;
        let config = &self.config().current().config;
        let agents = match (&config.closed, config.agents.is_empty()) {
            (Some(_), _) => Vec::new(),
            (None, true) => vec![AgentModels::of(&config.default_agent())],
            (None, false) => config.agents.iter().map(AgentModels::of).collect(),
        };
        let place = self.config().place();
        let problems = Config::problems_at(place);
        let all = |problems: Vec<Problem>| problems.into_iter().map(ConfigProblem::of).collect();
        Checkup {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            // It comes first of them.
            data: self.shared.own_folders.first().map_or(String::new(), |data| shown(data)),
            config: shown(&place.person_file()),
            no_sandbox: no_sandbox.map(str::to_owned),
            not_limited: not_limited.unwrap_or(None),
            errors: all(problems.errors),
            warnings: all(problems.warnings),
            agents,
        }
    }
}

impl ConfigProblem {
    fn of(problem: Problem) -> Self {
        let Problem { file, line, path, message, column: _ } = problem;
        Self { file: shown(&file), line, path, message }
    }
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}

impl AgentModels {
    fn of(agent: &AgentConfig) -> Self {
        let plan_model = agent.plan_model.as_ref().map(ToString::to_string);
        Self { name: agent.name.clone(), model: agent.model.to_string(), plan_model }
    }
}
