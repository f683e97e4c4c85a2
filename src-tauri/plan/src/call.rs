//! A tool call from the model's wish to its receipt.
//!
//! ```text
//! waiting → (asking → allowed) → running → ended
//! ```

use crate::text::on_one_line;
use crate::{AskId, CallId, Deed, Effect, PlanId, StepId, Text};
use serde::{Deserialize, Serialize};

/// A call as the model wishes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS, utoipa::ToSchema)]
pub struct CallRequest {
    /// Our name for it.
    pub id: CallId,
    /// The provider's name for it; only stored.
    #[serde(rename = "ref")]
    pub provider_id: String,
    /// The tool.
    pub tool: String,
    /// Its arguments as JSON text; or, where they can't be read, as the model wrote them.
    pub args: Text,
    /// What the model really sent, where its name or its arguments were put right.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sent: Option<Box<Sent>>,
    /// Whether the answer reached its limit inside it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cut: bool,
}

/// A call as a model sent it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS, utoipa::ToSchema)]
pub struct Sent {
    /// The name it called.
    pub tool: String,
    /// The arguments it wrote.
    pub args: Text,
}

/// A call that has not ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Call {
    /// What the model wished.
    pub request: CallRequest,
    /// The plan it belongs to.
    pub plan: Option<PlanId>,
    /// The step it belongs to.
    pub step: Option<StepId>,
    /// How far it is.
    pub state: CallState,
    /// What it touches, as far as it was known when it began.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub touches: Vec<String>,
    /// The change it has begun; it counts when it was made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deed: Option<Deed>,
}

impl Call {
    /// What it touches, in words for a person.
    pub(crate) fn targets(&self) -> impl Iterator<Item = &str> {
        // The hash of a server's tool says nothing to anyone.
        self.touches.iter().map(String::as_str).filter(|touch| !touch.starts_with("schema:"))
    }

    /// Its tool and what it touches, on one line.
    pub fn words(&self) -> String {
        let targets: Vec<&str> = self.targets().collect();
        on_one_line(&format!("{} {}", self.request.tool, targets.join(", ")))
    }
}

/// How far a call is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallState {
    /// Not looked at yet.
    Waiting,
    /// A person is asked.
    Asking(AskId),
    /// A person said yes.
    Allowed,
    /// Begun; what it will touch is on record.
    Running(Effect),
}

/// How a call ended.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS, utoipa::ToSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It did what it should.
    Ok,
    /// It ran and failed.
    Failed,
    /// The gate or a person said no.
    Blocked,
    /// It never began.
    NotRun,
    /// It was stopped half way.
    Cancelled,
    /// It went well a moment ago, so it was not run again.
    AlreadyDone,
}

/// A file that a call changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS, utoipa::ToSchema)]
pub struct Change {
    /// Path in the workspace.
    pub path: String,
    /// What happened to it.
    pub kind: ChangeKind,
    /// BLAKE3 of what it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// BLAKE3 of what it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
}

/// A picture that a call gave back, kept beside the log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS, utoipa::ToSchema)]
pub struct Picture {
    /// Its type, such as `image/png`.
    pub mime: String,
    /// BLAKE3 of the picture, in hex.
    pub blob: String,
    /// Its length in bytes.
    pub bytes: u64,
}

/// What happened to a file.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS, utoipa::ToSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum ChangeKind {
    /// It is new.
    Created,
    /// It is different.
    Modified,
    /// It is gone.
    Deleted,
}
