//! What the settings screen shows and changes.

use crate::house::House;
use crate::problem::{Problem, off_the_loop};
use engine::config::{Config, Problem as Odd, SaveError, save_setting as save};
use serde::Serialize;
use serde_json::{Map, Value};
use std::path::Path;
use std::sync::Arc;
use tauri::State;

/// The configuration in use, in the words of the file.
#[derive(Debug, Clone, Serialize, ts_rs::TS)]
pub struct SettingsView {
    /// Every section with every default filled in. Agents are a map by name. Never a key.
    #[ts(type = "{ [section: string]: Json }")]
    pub values: Map<String, Value>,
    /// Paths that the person's own file sets: shown, not editable here.
    pub by_person: Vec<String>,
    /// What is wrong or odd.
    pub problems: Vec<ConfigProblem>,
    /// The person's file.
    pub person_file: String,
    /// The file that the settings screen writes.
    pub settings_file: String,
    /// The agent of a new room.
    pub agent: AgentGlance,
    /// Names that may be chosen as a model, as `provider/model`.
    pub models: Vec<String>,
    /// The local API.
    pub api: ApiView,
    /// Whether the first-run screens are due: `ui.first_run_done = true` ends that, and so does
    /// having a model and a room.
    pub first_run: bool,
    /// The folder a room without a workspace would get.
    pub sample_folder: String,
    /// The person's home folder, which the window writes as `~`; empty when there is none.
    pub home: String,
}

/// Something in the configuration that is wrong or odd.
#[derive(Debug, Clone, Serialize, ts_rs::TS)]
pub struct ConfigProblem {
    /// How bad it is.
    pub level: Level,
    /// The setting, such as `caps.steps`; empty when it is the file itself.
    pub path: String,
    /// What is wrong and what is allowed.
    pub message: String,
    /// The file; empty when no file is to blame.
    pub file: String,
    /// The line in it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub line: Option<u32>,
}

/// How bad a problem is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ts_rs::TS)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// The last good configuration is in use.
    Error,
    /// Everything else works.
    Warning,
}

/// The agent of a new room.
#[derive(Debug, Clone, Serialize, ts_rs::TS)]
pub struct AgentGlance {
    /// Its name.
    pub name: String,
    /// The model that executes.
    pub model: String,
    /// The model that plans, when it is another.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub plan_model: Option<String>,
}

/// How the local API stands.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, ts_rs::TS)]
pub struct ApiView {
    /// Whether it is wanted.
    pub enabled: bool,
    /// Where it listens, as `http://…`; nothing while it does not.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub address: Option<String>,
    /// Why it does not listen although it is wanted.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub problem: Option<String>,
    /// The file that holds the token; nothing when `PLANCARD_TOKEN` brings it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub token_file: Option<String>,
    /// Requests and streams under way.
    pub clients: u32,
}

/// Whether commands can be confined.
#[derive(Debug, Clone, Serialize, ts_rs::TS)]
pub struct SandboxView {
    /// They can.
    pub ok: bool,
    /// What is missing when they can't.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub message: Option<String>,
    /// What of their limits can't be kept here.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub not_limited: Option<String>,
}

/// The configuration as it is.
#[tauri::command]
pub async fn settings(house: State<'_, Arc<House>>) -> Result<SettingsView, Problem> {
    shown(&house).await
}

/// Whether commands can be confined. Trying it takes a moment, so the window asks when it is
/// there.
#[tauri::command]
pub async fn sandbox() -> Result<SandboxView, Problem> {
    let none = off_the_loop("SANDBOX_FAILED", engine::no_sandbox).await?;
    let not_limited = off_the_loop("SANDBOX_FAILED", engine::not_limited).await?;
    Ok(SandboxView { ok: none.is_none(), message: none.map(str::to_owned), not_limited })
}

/// Saves one value; a null takes it back to the default.
#[tauri::command]
pub async fn save_setting(
    house: State<'_, Arc<House>>,
    path: String,
    value: Option<Value>,
) -> Result<SettingsView, Problem> {
    keep(&house, &path, value)?;
    house.applied().await;
    shown(&house).await
}

/// Writes one value and takes it into use.
pub fn keep(house: &House, path: &str, value: Option<Value>) -> Result<(), Problem> {
    let config = house.engine.config();
    let value = value.map(|value| with_examples(&config.place().settings_file(), path, value));
    save(config.place(), path, value).map_err(|error| {
        let code = match error {
            SaveError::Bad(_) => "BAD_SETTING",
            SaveError::File { .. } => "SETTINGS_FILE",
        };
        Problem::new(code, error.to_string())
    })?;
    config.reload();
    Ok(())
}

/// Rules come from the screen as texts. Each has the examples back that the file had for it.
fn with_examples(file: &Path, path: &str, value: Value) -> Value {
    let Value::Array(rules) = value else { return value };
    let before: Option<Value> =
        std::fs::read(file).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
    let pointer = format!("/{}", path.replace('.', "/"));
    let before = before.as_ref().and_then(|root| root.pointer(&pointer)?.as_array());
    let known = |rule: &Value| before?.iter().find(|one| one.get("rule") == Some(rule)).cloned();
    rules.into_iter().map(|rule| known(&rule).unwrap_or(rule)).collect()
}

async fn shown(house: &Arc<House>) -> Result<SettingsView, Problem> {
    let house = Arc::clone(house);
    off_the_loop("SETTINGS_FAILED", move || view(&house)).await
}

fn view(house: &House) -> SettingsView {
    let store = house.engine.config();
    store.look_again();
    let loaded = store.current();
    let config = &loaded.config;
    let agent = config.default_agent();
    let values = config.in_words();
    let mut by_person = Vec::new();
    for (section, value) in &values {
        paths(value, section, &mut by_person);
    }
    by_person.retain(|path| config.set_by_person(path));
    SettingsView {
        values,
        by_person,
        problems: problems(house),
        person_file: shown_path(&store.place().person_file()),
        settings_file: shown_path(&store.place().settings_file()),
        agent: AgentGlance {
            name: agent.name,
            model: agent.model.to_string(),
            plan_model: agent.plan_model.map(|model| model.to_string()),
        },
        models: config.known_models().iter().map(ToString::to_string).collect(),
        api: house.api.view(config.api.enabled),
        // A file that can't be read says nothing of whether this is the first start.
        first_run: store.errors().is_none()
            && is_first_run(config, !house.glance.now().rooms.is_empty()),
        sample_folder: engine::next_sample()
            .map_or_else(|error| error.to_string(), |folder| shown_path(&folder)),
        home: std::env::var("HOME").unwrap_or_default(),
    }
}

/// Whether there is something left to guide through: without a model or a room there is.
fn is_first_run(config: &Config, has_rooms: bool) -> bool {
    !config.ui.first_run_done && (config.agents.is_empty() || !has_rooms)
}

/// What is wrong with the files, and what of them could not be carried out.
pub fn problems(house: &House) -> Vec<ConfigProblem> {
    let store = house.engine.config();
    let errors = store.errors().map(|errors| errors.0).unwrap_or_default();
    let loaded = store.current();
    let odd = |level: Level, odd: &Odd| ConfigProblem {
        level,
        path: odd.path.clone(),
        message: odd.message.clone(),
        file: shown_path(&odd.file),
        line: odd.line,
    };
    let mut problems: Vec<ConfigProblem> =
        errors.iter().map(|error| odd(Level::Error, error)).collect();
    problems.extend(loaded.warnings.iter().map(|warning| odd(Level::Warning, warning)));
    problems.extend(house.shortcut_trouble().map(|message| ConfigProblem {
        level: Level::Warning,
        path: "ui.pause_shortcut".to_owned(),
        message,
        file: String::new(),
        line: None,
    }));
    problems
}

fn shown_path(path: &Path) -> String {
    path.display().to_string()
}

fn paths(value: &Value, path: &str, found: &mut Vec<String>) {
    let Value::Object(map) = value else {
        found.push(path.to_owned());
        return;
    };
    for (key, inner) in map {
        paths(inner, &format!("{path}.{key}"), found);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::config::{ConfigPlace, ConfigStore};
    use serde_json::json;

    #[test]
    fn who_has_a_model_and_a_room_is_not_guided_again() {
        let folder = tempfile::tempdir().unwrap();
        let config = |text: &str| {
            std::fs::write(folder.path().join("plancard.yaml"), text).unwrap();
            let store = ConfigStore::open(ConfigPlace::Folder(folder.path().to_path_buf()));
            assert!(store.errors().is_none());
            store.current().config.clone()
        };
        let nothing = config("");
        assert!(is_first_run(&nothing, false) && is_first_run(&nothing, true));
        let whole = config("agents: { default: { model: ollama/small } }");
        assert!(is_first_run(&whole, false) && !is_first_run(&whole, true));
        assert!(!is_first_run(&config("ui: { first_run_done: true }"), false));
    }

    #[test]
    fn a_rule_that_is_saved_again_keeps_its_examples() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("settings.yaml");
        let push = json!({ "rule": "shell(git push *)", "examples": ["git push origin"] });
        let before = json!({ "agents": { "a": { "permissions": { "deny": [push, "fetch"] } } } });
        std::fs::write(&file, before.to_string()).unwrap();
        let rules = json!(["shell(rm *)", "shell(git push *)"]);
        let kept = |path| with_examples(&file, path, rules.clone());
        assert_eq!(kept("agents.a.permissions.deny"), json!(["shell(rm *)", push]));
        assert_eq!(kept("agents.a.permissions.ask"), rules);
        assert_eq!(with_examples(&folder.path().join("none"), "caps.steps", json!(3)), json!(3));
    }
}
