//! What the settings screen shows and changes.

use crate::house::House;
use crate::problem::Problem;
use crate::secrets::Keyring;
use engine::LocalServer;
use engine::config::{
    Config, ModelRef, Problem as Odd, ProviderKind, SaveError, save_setting as save,
};
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use tauri::State;

/// The configuration in use, in the words of the file.
#[derive(Serialize)]
pub struct SettingsView {
    values: Value,
    by_person: Vec<String>,
    problems: Vec<Value>,
    person_file: String,
    settings_file: String,
    agent: Value,
    models: Vec<String>,
    api: Value,
    first_run: bool,
    sample_folder: String,
}

/// The configuration as it is.
#[tauri::command]
pub fn settings(house: State<'_, Arc<House>>) -> SettingsView {
    view(&house)
}

/// Saves one value; a null takes it back to the default.
#[tauri::command]
pub fn save_setting(
    house: State<'_, Arc<House>>,
    path: String,
    value: Option<Value>,
) -> Result<SettingsView, Problem> {
    let config = house.engine.config();
    save(config.place(), &path, value).map_err(|error| {
        let code = match error {
            SaveError::Bad(_) => "BAD_SETTING",
            SaveError::File { .. } => "SETTINGS_FILE",
        };
        Problem::new(code, error.to_string())
    })?;
    config.reload();
    Ok(view(&house))
}

fn view(house: &House) -> SettingsView {
    let store = house.engine.config();
    let loaded = store.current();
    let config = &loaded.config;
    let agent = config.default_agent();
    let errors = store.errors().map(|errors| errors.0).unwrap_or_default();
    let odd = |level: &str, odd: &Odd| {
        json!({
            "level": level, "path": odd.path, "message": odd.message,
            "file": odd.file.display().to_string(), "line": odd.line,
        })
    };
    let mut problems: Vec<Value> = errors.iter().map(|error| odd("error", error)).collect();
    problems.extend(loaded.warnings.iter().map(|warning| odd("warning", warning)));
    let values = values(config);
    let mut by_person = Vec::new();
    paths(&values, "", &mut by_person);
    by_person.retain(|path| config.set_by_person(path));
    SettingsView {
        by_person,
        values,
        problems,
        person_file: store.place().person_file().display().to_string(),
        settings_file: store.place().settings_file().display().to_string(),
        agent: json!({
            "name": agent.name,
            "model": agent.model.to_string(),
            "plan_model": agent.plan_model.map(|model| model.to_string()),
        }),
        models: config.models.facts.keys().map(ToString::to_string).collect(),
        api: json!({ "enabled": config.api.enabled, "address": null, "clients": 0 }),
        first_run: config.ui.more.get("first_run_done") != Some(&Value::Bool(true)),
        sample_folder: "~/plancard-sample-1".to_owned(),
    }
}

fn values(config: &Config) -> Value {
    let providers: Map<String, Value> = config
        .providers
        .iter()
        .map(|(name, provider)| {
            let value = json!({
                "type": kind_word(&provider.kind), "base_url": provider.base_url,
                "key_env": provider.key_env,
            });
            (name.clone(), value)
        })
        .collect();
    let agents: Map<String, Value> = config
        .agents
        .iter()
        .map(|agent| {
            let value = json!({
                "model": agent.model.to_string(),
                "plan_model": agent.plan_model.as_ref().map(ToString::to_string),
                "plan_mode": agent.plan_mode, "domains": agent.domains,
                "capabilities": agent.capabilities, "instructions": agent.instructions,
            });
            (agent.name.clone(), value)
        })
        .collect();
    let mut ui = config.ui.more.clone();
    ui.insert("theme".to_owned(), json!(format!("{:?}", config.ui.theme).to_lowercase()));
    json!({
        "providers": providers, "agents": agents, "models": config.models.aliases,
        "caps": config.caps, "ui": ui,
        "planner": { "enabled": config.planner.enabled },
        "orchestrator": {}, "mcp_servers": {},
        "api": { "enabled": config.api.enabled, "listen": config.api.listen.to_string() },
    })
}

fn kind_word(kind: &ProviderKind) -> &'static str {
    match kind {
        ProviderKind::Anthropic => "claude",
        ProviderKind::OpenAi => "openai",
        ProviderKind::ChatCompletion => "chatcompletion",
        ProviderKind::Gemini => "gemini",
        ProviderKind::Xai => "grok",
        ProviderKind::Ollama => "ollama",
        ProviderKind::LmStudio => "lmstudio",
        ProviderKind::Rehearsal => "rehearsal",
        ProviderKind::CommandLineAgent { .. } => "command",
    }
}

fn paths(value: &Value, path: &str, found: &mut Vec<String>) {
    let Value::Object(map) = value else {
        found.push(path.to_owned());
        return;
    };
    for (key, inner) in map {
        let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
        paths(inner, &path, found);
    }
}

/// Which providers have a key, and whether keys can be kept.
#[derive(Serialize)]
pub struct KeyState {
    keyring: Keyring,
    message: Option<&'static str>,
    providers: BTreeMap<String, &'static str>,
}

/// Keeps a key, or forgets it when it is empty.
#[tauri::command]
pub async fn set_key(
    house: State<'_, Arc<House>>,
    provider: String,
    key: String,
) -> Result<KeyState, Problem> {
    let house = Arc::clone(&house);
    let config = house.engine.config().current();
    let Some(known) = config.config.providers.get(&provider) else {
        return Err(Problem::new("NO_PROVIDER", format!("there is no provider called {provider}")));
    };
    let address = known.base_url.clone().unwrap_or_default();
    let (keeper, name) = (Arc::clone(&house), provider.clone());
    let kept = move || keeper.secrets.set(&name, &address, key.trim());
    let state = off_the_loop(kept).await?;
    house.engine.key_changed(&provider);
    keys(house, Some(state)).await
}

/// Where each key is.
#[tauri::command]
pub async fn key_state(house: State<'_, Arc<House>>) -> Result<KeyState, Problem> {
    keys(Arc::clone(&house), None).await
}

async fn keys(house: Arc<House>, known: Option<Keyring>) -> Result<KeyState, Problem> {
    off_the_loop(move || {
        let keyring = known.unwrap_or_else(|| house.secrets.keyring());
        let config = house.engine.config().current();
        let place = |(name, provider): (&String, &engine::config::ProviderConfig)| {
            let place = match (&provider.kind, &provider.key_env, &provider.base_url) {
                (ProviderKind::Rehearsal | ProviderKind::Ollama | ProviderKind::LmStudio, _, _) => {
                    "not_needed"
                }
                (_, Some(variable), _) if std::env::var_os(variable).is_some() => "environment",
                (_, Some(_), _) => "none",
                (_, None, address) => {
                    house.secrets.place(name, address.as_deref().unwrap_or_default())
                }
            };
            (name.clone(), place)
        };
        let message = match keyring {
            Keyring::Ready => None,
            Keyring::Locked => Some("The keyring is locked. Keys are kept until you quit."),
            Keyring::Missing => Some("This computer has no keyring. Keys are kept until you quit."),
        };
        KeyState {
            keyring,
            message,
            providers: config.config.providers.iter().map(place).collect(),
        }
    })
    .await
}

/// The keyring's library waits inside, so it runs where waiting is fine.
async fn off_the_loop<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Problem> {
    tokio::task::spawn_blocking(work)
        .await
        .map_err(|error| Problem::new("KEYRING_FAILED", error.to_string()))
}

/// Whether a model answers.
#[derive(Serialize)]
pub struct Tried {
    ok: bool,
    message: String,
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
        let used = config.config.agents.iter().map(|agent| &agent.model);
        let mut names = used.chain(config.config.models.facts.keys());
        names.find(|name| name.provider == provider).map(|name| name.model.clone())
    };
    let name = match model.or_else(known) {
        Some(model) => ModelRef::new(provider, model),
        None => return Ok(Tried { ok: false, message: "Say which model to try.".to_owned() }),
    };
    Ok(match house.engine.try_model(&name).await {
        Ok(()) => Tried { ok: true, message: format!("{name} answers.") },
        Err(error) => Tried { ok: false, message: error.to_string() },
    })
}

/// Model servers on this computer.
#[tauri::command]
pub async fn local_servers(house: State<'_, Arc<House>>) -> Result<Vec<LocalServer>, Problem> {
    Ok(house.engine.local_servers().await)
}
