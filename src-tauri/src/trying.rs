//! Finding out whether a model answers, and what it can do.

use crate::house::House;
use crate::problem::Problem;
use engine::config::ModelRef;
use engine::{CheckedModel, LocalServer, ModelProfile, Tested};
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

/// What is known of every model that an agent uses.
#[tauri::command]
pub async fn model_profiles(house: State<'_, Arc<House>>) -> Result<Vec<ModelProfile>, Problem> {
    Ok(house.engine.model_profiles())
}

/// Finds out what a model can do, by a few short real calls.
#[tauri::command]
pub async fn check_profile(
    house: State<'_, Arc<House>>,
    model: String,
) -> Result<CheckedModel, Problem> {
    Ok(house.engine.check_profile(Some(&model)).await?)
}
