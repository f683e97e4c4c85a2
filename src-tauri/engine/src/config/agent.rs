//! Who works: the agents, in the order they are written.

use std::path::PathBuf;

use models::Thinking;
use plan::PlanMode;

use super::model_ref::ModelRef;

/// One agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentConfig {
    /// Its name, or `id` where agents are a list.
    pub name: String,
    /// The model that executes.
    pub model: ModelRef,
    /// The model that plans; without it, `model` does both.
    pub plan_model: Option<ModelRef>,
    /// How much `model` may think; without it, as its provider likes.
    pub thinking: Option<Thinking>,
    /// How much `plan_model` may think; without it, as `thinking` says.
    pub plan_thinking: Option<Thinking>,
    /// The plan mode of a room it answers in.
    pub plan_mode: PlanMode,
    /// The domains it claims; no two agents claim the same.
    pub domains: Vec<String>,
    /// What it can do, for matching where no domain is claimed.
    pub capabilities: Vec<String>,
    /// What it is told before every conversation.
    pub instructions: Option<String>,
    /// Its rules for tool calls.
    pub permissions: Permissions,
    /// The folder it works in, where it has one of its own; its last part names the agent's copy
    /// in a council.
    pub cwd: Option<PathBuf>,
    /// The provider its backend type names; bare model names fall back to it.
    pub backend: Option<String>,
    /// Why it can't be asked, where nothing here can be its backend.
    pub unavailable: Option<String>,
}

/// What a model does in a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// It writes the plan for another model.
    Plan,
    /// Everything else.
    Execute,
}

/// Rules for tool calls, as written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Permissions {
    /// Calls that need no question.
    pub allow: Vec<String>,
    /// Calls that are always asked about.
    pub ask: Vec<String>,
    /// Calls that are never made.
    pub deny: Vec<String>,
    /// Commands that reach any host once they may run.
    pub open: Vec<String>,
}

impl AgentConfig {
    /// An agent with a name and a model, and nothing else said.
    pub fn new(name: impl Into<String>, model: ModelRef) -> Self {
        Self {
            name: name.into(),
            model,
            plan_model: None,
            thinking: None,
            plan_thinking: None,
            plan_mode: PlanMode::default(),
            domains: Vec::new(),
            capabilities: Vec::new(),
            instructions: None,
            permissions: Permissions::default(),
            cwd: None,
            backend: None,
            unavailable: None,
        }
    }

    /// How much a model may think in this part. One that plans and executes has the part to
    /// execute.
    pub fn thinking_in(&self, part: Part) -> Option<Thinking> {
        match part {
            Part::Plan => self.plan_thinking.or(self.thinking),
            Part::Execute => self.thinking,
        }
    }

    /// The name of its copy in a council, where `cwd` gives one.
    pub fn copy_name(&self) -> Option<String> {
        let last = self.cwd.as_deref()?.file_name()?.to_string_lossy();
        let plain = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { '_' };
        Some(last.chars().take(64).map(plain).collect())
    }

    /// What answers until a person has set up a model: the offline tour.
    pub fn tour() -> Self {
        Self::new("default", ModelRef::new("rehearsal", "tour"))
    }
}
