//! Every limit the harness keeps, with its default. A plan carries the caps
//! it was written under, so replaying it needs no configuration.

use serde::{Deserialize, Serialize};

/// The limits of one plan. `None` means no limit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS, utoipa::ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Caps {
    /// Steps in a plan made in a chat.
    pub steps: u32,
    /// Nodes in a plan made from a goal.
    pub nodes: u32,
    /// Failed attempts on one step before the plan pauses.
    pub attempts: u32,
    /// The same call failing this often is a failed attempt.
    pub repeats: u32,
    /// Turns that end in words while steps remain, before the plan pauses.
    pub idle_turns: u32,
    /// Turns the planning model has before it must write the plan or answer.
    pub planning_turns: u32,
    /// Steps that may end without a word from a person.
    pub auto_steps: u32,
    /// Sidekicks at once in the whole app.
    pub sidekicks: u32,
    /// Sidekicks at once for one plan made in a chat.
    pub sidekicks_per_plan: u32,
    /// Model turns of one sidekick.
    pub sidekick_turns: u32,
    /// Seconds of one sidekick.
    pub sidekick_seconds: u32,
    /// Seconds without progress after which a sidekick is shown as stalled.
    pub stalled_seconds: u32,
    /// Steps of a goal that run at once.
    pub parallelism: u32,
    /// How deep a goal may be split.
    pub depth: u32,
    /// Milliseconds a goal may take.
    pub timeout_ms: u64,
    /// Seconds a council may take.
    pub council_seconds: u32,
    /// How often a council may start again.
    pub council_restarts: u32,
    /// Seconds a shell command may take.
    pub shell_seconds: u32,
    /// Seconds any other tool may take.
    pub tool_seconds: u32,
    /// Tokens the plan may use.
    pub tokens: Option<u64>,
    /// Money the plan may cost, in millionths of a dollar.
    pub cost_micros: Option<u64>,
    /// Seconds the plan may be running.
    pub seconds: Option<u64>,
}

impl Default for Caps {
    fn default() -> Self {
        Self {
            steps: 20,
            nodes: 60,
            attempts: 3,
            repeats: 3,
            idle_turns: 3,
            planning_turns: 12,
            auto_steps: 8,
            sidekicks: 6,
            sidekicks_per_plan: 3,
            sidekick_turns: 25,
            sidekick_seconds: 300,
            stalled_seconds: 60,
            parallelism: 6,
            depth: 4,
            timeout_ms: 300_000,
            council_seconds: 1_800,
            council_restarts: 0,
            shell_seconds: 120,
            tool_seconds: 30,
            tokens: None,
            cost_micros: None,
            seconds: None,
        }
    }
}
