//! What came of one task, as one line of a run's file.

use serde::{Deserialize, Serialize};
use std::io::Write;
use std::path::Path;

/// How a task ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ended {
    /// The agent had nothing left to do.
    Rest,
    /// The harness stopped it, and says why.
    Stopped,
    /// It waits for a person.
    Waits,
    /// The time of the evaluation was up.
    Time,
    /// The server or the model went away.
    Broken,
}

/// What is counted.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct TaskResult {
    pub task: String,
    pub kind: String,
    pub model: String,
    /// Whether it was the bare loop.
    pub bare: bool,
    /// Whether the check passed.
    pub done: bool,
    /// What the check missed.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub missed: String,
    pub ended: Ended,
    /// The end in the product's words.
    #[serde(default)]
    pub words: String,
    /// Whether there was a plan.
    pub planned: bool,
    /// Whether that is as it should be.
    pub planned_right: bool,
    /// Calls that no tool could read.
    pub malformed: u64,
    /// Calls that were mended before they ran.
    pub repaired: u64,
    /// All calls.
    pub calls: u64,
    /// Requests to the model.
    pub turns: u64,
    pub input_tokens: u64,
    pub output_tokens: u64,
    /// What passed of the limit: on the wall, or by tokens.
    pub seconds: u64,
    /// What passed on the wall.
    #[serde(default)]
    pub wall_seconds: u64,
    /// Whether the room stopped because nobody could read its plan.
    pub plan_shape: bool,
    /// How often the most frequent call came with the same arguments.
    pub repeats: u64,
    /// Whether it went round in circles until something else ended it.
    pub looped: bool,
    /// Whether the end has a sentence that a person can read.
    pub explained: bool,
    /// The last words of the agent.
    #[serde(default)]
    pub answer: String,
}

/// Reads the results of a run; a line that was cut when the run was ended is left out.
pub fn read(file: &Path) -> Result<Vec<TaskResult>, String> {
    let text = match std::fs::read_to_string(file) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(format!("cannot read {}: {error}", file.display())),
    };
    Ok(text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect())
}

/// Adds a result to a run.
pub fn append(file: &Path, result: &TaskResult) -> Result<(), String> {
    let failed = |error: std::io::Error| format!("cannot write {}: {error}", file.display());
    let line = serde_json::to_string(result).map_err(|error| error.to_string())?;
    let mut file =
        std::fs::OpenOptions::new().create(true).append(true).open(file).map_err(failed)?;
    writeln!(file, "{line}").map_err(failed)
}
