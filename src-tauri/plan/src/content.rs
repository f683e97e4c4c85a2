//! What a plan says: the part a person reads, approves and that the hash is of.

use crate::{StepId, StepRef};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;

/// How steps depend on each other.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS, utoipa::ToSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum RunMode {
    /// One after the other.
    #[default]
    Sequential,
    /// No step needs another.
    Parallel,
    /// As `needs` says.
    Graph,
}

/// What happens when a step ends.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS, utoipa::ToSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Advance {
    /// The next one starts by itself.
    #[default]
    Auto,
    /// A person resumes after each step.
    Manual,
}

/// Where the plan runs.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS, utoipa::ToSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Venue {
    /// In the room that asked for it.
    #[default]
    Main,
    /// In a sidekick's room.
    Sidekick,
}

/// A check the harness makes before a step counts as done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS, utoipa::ToSchema)]
#[serde(untagged)]
pub enum Verify {
    /// A command that must exit with 0.
    Command(String),
    /// A file that must exist, and contain something if said.
    File {
        /// Path in the workspace.
        file: String,
        /// Text that must be in it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        contains: Option<String>,
    },
}

impl fmt::Display for Verify {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Command(command) => write!(f, "`{command}` exits with 0"),
            Self::File { file, contains: None } => write!(f, "{file} exists"),
            Self::File { file, contains: Some(text) } => write!(f, "{file} contains {text:?}"),
        }
    }
}

/// One unit of work, as written. Field order is the order of the hash.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS, utoipa::ToSchema)]
pub struct StepSpec {
    /// Its name in this plan.
    pub id: StepId,
    /// What is to be done.
    pub text: String,
    /// The tool it means to use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// What it means to touch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// What will be true afterwards.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected_outcome: Option<String>,
    /// How the harness checks it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verify: Option<Verify>,
    /// Steps that come first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub needs: Vec<StepId>,
    /// The agent that shall do it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The model that shall do it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}

/// Everything the hash is of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS)]
pub struct Content {
    /// What the plan is for.
    pub goal: String,
    /// A short name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Why it is done this way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rationale: Option<String>,
    /// How steps depend on each other.
    pub mode: RunMode,
    /// What happens when a step ends.
    pub advance: Advance,
    /// Where it runs.
    pub venue: Venue,
    /// The folder it works in.
    pub workspace: String,
    /// The steps, in order.
    pub steps: Vec<Arc<StepSpec>>,
}

/// BLAKE3 of a plan's content, in hex.
#[derive(
    Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, ts_rs::TS, utoipa::ToSchema,
)]
pub struct Hash(pub String);

impl Content {
    /// The hash a person approves.
    pub fn hash(&self) -> Hash {
        Hash(blake3::hash(self.canonical().as_bytes()).to_hex().to_string())
    }

    /// The content as canonical JSON: keys sorted, no spaces, absent values are `null`.
    pub fn canonical(&self) -> String {
        // Spelled out rather than left to a map type: another crate can switch
        // a map's order by a feature, and the hash must never move.
        #[derive(Serialize)]
        struct Step<'a> {
            agent: &'a Option<String>,
            expected_outcome: &'a Option<String>,
            id: &'a StepId,
            model: &'a Option<String>,
            needs: &'a [StepId],
            target: &'a Option<String>,
            text: &'a str,
            tool: &'a Option<String>,
            verify: Option<Check<'a>>,
        }
        #[derive(Serialize)]
        #[serde(untagged)]
        enum Check<'a> {
            Command(&'a str),
            File { contains: &'a Option<String>, file: &'a str },
        }
        #[derive(Serialize)]
        struct Canonical<'a> {
            advance: Advance,
            goal: &'a str,
            mode: RunMode,
            rationale: &'a Option<String>,
            steps: Vec<Step<'a>>,
            title: &'a Option<String>,
            venue: Venue,
            workspace: &'a str,
        }
        let steps = self.steps.iter().map(|step| Step {
            agent: &step.agent,
            expected_outcome: &step.expected_outcome,
            id: &step.id,
            model: &step.model,
            needs: &step.needs,
            target: &step.target,
            text: &step.text,
            tool: &step.tool,
            verify: step.verify.as_ref().map(|verify| match verify {
                Verify::Command(command) => Check::Command(command),
                Verify::File { file, contains } => Check::File { contains, file },
            }),
        });
        let canonical = Canonical {
            advance: self.advance,
            goal: &self.goal,
            mode: self.mode,
            rationale: &self.rationale,
            steps: steps.collect(),
            title: &self.title,
            venue: self.venue,
            workspace: &self.workspace,
        };
        serde_json::to_string(&canonical).expect("strings and lists always serialise")
    }

    /// The place of a step that someone named, from 0.
    pub fn find(&self, step: &StepRef) -> Option<usize> {
        match step {
            StepRef::Number(n) => {
                let index = usize::try_from(*n).ok()?.checked_sub(1)?;
                (index < self.steps.len()).then_some(index)
            }
            StepRef::Id(id) => self.steps.iter().position(|step| step.id.0 == *id).or_else(|| {
                let number: u32 = id.parse().ok()?;
                self.find(&StepRef::Number(number))
            }),
        }
    }
}
