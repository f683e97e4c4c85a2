//! Finding out whether a model answers.

use crate::house::House;
use crate::problem::Problem;
use engine::config::ModelRef;
use engine::{LocalServer, Tested};
use std::sync::Arc;
use tauri::State;

/// One small real call.
#[tauri::command]
pub async fn test_model(
    house: State<'_, Arc<House>>,
    provider: String,
    model: String,
) -> Result<Tested, Problem> {
    Ok(house.engine.tested(&ModelRef::new(provider, model)).await)
}

/// Model servers on this computer.
#[tauri::command]
pub async fn local_servers(house: State<'_, Arc<House>>) -> Result<Vec<LocalServer>, Problem> {
    Ok(house.engine.local_servers().await)
}
