//! The parts of a real request that the bare loop repeats, so that both send the same bytes.

use models::{Protocol, ToolSet, ToolSpec};
use serde_json::Value;
use std::sync::Arc;

use crate::Outcome;

/// A request from the middle of a plan, taken apart.
#[derive(Clone)]
pub struct Sample {
    /// The model's name.
    pub model: String,
    /// The standing instructions.
    pub system: Arc<str>,
    /// The tools.
    pub tools: ToolSet,
    /// The plan as it stood.
    pub ledger: String,
    /// What was answered when the plan was written.
    pub written: String,
    /// What is answered when a step is done.
    pub step_done: String,
}

impl Sample {
    /// Takes a request apart.
    pub fn read(body: &[u8]) -> Outcome<Self> {
        let body: Value =
            serde_json::from_slice(body).map_err(|error| format!("a sampled request: {error}"))?;
        let messages = body["messages"].as_array().ok_or("a request without messages")?;
        let texts = |role: &str| -> Vec<&str> {
            let of_role = messages.iter().filter(|message| message["role"] == role);
            of_role.filter_map(|message| message["content"].as_str()).collect()
        };
        let (system, answers) = (texts("system"), texts("tool"));
        // A plan written, a tool run, a step done: these come first in every plan.
        match (system.as_slice(), answers.as_slice()) {
            ([standing, .., ledger], [written, _, step_done, ..]) => Ok(Self {
                model: body["model"].as_str().unwrap_or_default().to_owned(),
                system: Arc::from(*standing),
                tools: ToolSet::new(Protocol::OpenAiChat, &tool_specs(&body["tools"])),
                ledger: (*ledger).to_owned(),
                written: (*written).to_owned(),
                step_done: (*step_done).to_owned(),
            }),
            _ => Err("a sampled request has no plan in it".to_owned()),
        }
    }
}

/// Tools as the client takes them.
pub fn tool_specs(listed: &Value) -> Vec<ToolSpec> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let listed = listed.as_array().map(Vec::as_slice).unwrap_or_default();
    let functions = listed.iter().map(|tool| &tool["function"]);
    functions
        .map(|function| ToolSpec {
            name: text(&function["name"]),
            description: text(&function["description"]),
            schema: function["parameters"].clone(),
        })
        .collect()
}
