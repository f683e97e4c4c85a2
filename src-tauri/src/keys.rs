//! Keys of providers: where each is, and keeping a new one. A key is never shown.

use crate::house::House;
use crate::problem::{Problem, off_the_loop};
use crate::secrets::{KeyPlace, Keyring};
use engine::config::{ProviderConfig, ProviderKind};
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::Arc;
use tauri::State;

/// The code of a failure inside the keyring's library.
const FAILED: &str = "KEYRING_FAILED";

/// Which providers have a key, and whether keys can be kept.
#[derive(Debug, Clone, Serialize, ts_rs::TS)]
pub struct KeyState {
    /// Whether keys outlive the app.
    pub keyring: Keyring,
    /// Plain words when they do not.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub message: Option<String>,
    /// Where each provider's key is.
    pub providers: BTreeMap<String, KeyPlace>,
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
    house.engine.hide(key.trim());
    let (keeper, name) = (Arc::clone(&house), provider.clone());
    let kept = move || keeper.secrets.set(&name, &address, key.trim());
    let state = off_the_loop(FAILED, kept).await?;
    house.engine.key_changed(&provider);
    key_states(house, Some(state)).await
}

/// Where each key is.
#[tauri::command]
pub async fn key_state(house: State<'_, Arc<House>>) -> Result<KeyState, Problem> {
    key_states(Arc::clone(&house), None).await
}

async fn key_states(house: Arc<House>, known: Option<Keyring>) -> Result<KeyState, Problem> {
    off_the_loop(FAILED, move || {
        let keyring = known.unwrap_or_else(|| house.secrets.keyring());
        let config = house.engine.config().current();
        let place = |(name, provider): (&String, &ProviderConfig)| {
            let place = match (&provider.kind, &provider.key_env, &provider.base_url) {
                (
                    ProviderKind::Rehearsal
                    | ProviderKind::Ollama
                    | ProviderKind::LmStudio
                    | ProviderKind::CommandLineAgent(_),
                    _,
                    _,
                ) => KeyPlace::NotNeeded,
                (_, Some(variable), _) if std::env::var_os(variable).is_some() => {
                    KeyPlace::Environment
                }
                (_, Some(_), _) => KeyPlace::None,
                (_, None, address) => {
                    house.secrets.place(name, address.as_deref().unwrap_or_default())
                }
            };
            (name.clone(), place)
        };
        KeyState {
            keyring,
            message: keyring.trouble().map(str::to_owned),
            providers: config.config.providers.iter().map(place).collect(),
        }
    })
    .await
}
