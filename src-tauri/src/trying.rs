//! Finding out whether a model answers.

use crate::house::House;
use crate::problem::Problem;
use engine::LocalServer;
use engine::config::ModelRef;
use serde::Serialize;
use std::sync::Arc;
use tauri::State;

/// Whether a model answers.
#[derive(Debug, Clone, Serialize, ts_rs::TS)]
pub struct Tried {
    /// It does.
    pub ok: bool,
    /// What was seen, in words.
    pub message: String,
}

/// One small real call.
#[tauri::command]
pub async fn test_model(
    house: State<'_, Arc<House>>,
    provider: String,
    model: Option<String>,
) -> Result<Tried, Problem> {
    let config = house.engine.config().current();
    let known = || {
        // What an agent uses is what has to work.
        let used = config.config.agents.iter().map(|agent| agent.model.clone());
        let mut names = used.chain(config.config.known_models());
        names.find(|name| name.provider == provider).map(|name| name.model)
    };
    let name = match model.or_else(known) {
        Some(model) => ModelRef::new(provider, model),
        None => return Ok(Tried { ok: false, message: "Say which model to try.".to_owned() }),
    };
    Ok(match house.engine.try_model(&name).await {
        Ok(()) => Tried { ok: true, message: format!("{name} answers.") },
        Err(error) => Tried { ok: false, message: house.engine.redact(error.to_string()) },
    })
}

/// Model servers on this computer.
#[tauri::command]
pub async fn local_servers(house: State<'_, Arc<House>>) -> Result<Vec<LocalServer>, Problem> {
    Ok(house.engine.local_servers().await)
}
