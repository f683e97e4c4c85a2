//! Keys of providers: where each is, and keeping a new one. A key is never shown.

use crate::house::House;
use crate::problem::{Problem, off_the_loop};
use crate::secrets::{KeyPlace, Keyring};
use engine::Tested;
use engine::config::{ModelRef, ProviderConfig, ProviderKind};
use secrecy::{ExposeSecret, SecretString};
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

/// What came of a key that was tried.
#[derive(Debug, Clone, Serialize, ts_rs::TS)]
pub struct KeyTried {
    /// How the call with it went.
    pub tested: Tested,
    /// Whether it is kept: one that is refused is not.
    pub kept: bool,
    /// Where each key is now.
    pub keys: KeyState,
}

/// One small real call with a key, which is kept unless the provider refuses it.
///
/// It ends as it would have when the page that asked is gone by then.
#[tauri::command]
pub async fn try_key(
    house: State<'_, Arc<House>>,
    provider: String,
    model: String,
    key: String,
) -> Result<KeyTried, Problem> {
    let house = Arc::clone(&house);
    let address = address(&house, &provider)?;
    let key = SecretString::from(key.trim());
    house.engine.hide(key.expose_secret());
    let wish = house.secrets.wish(&provider);
    let name = ModelRef::new(provider.clone(), model);
    let mut tested = house.engine.tested_with(&name, key.clone()).await;
    let (keeper, refused) = (Arc::clone(&house), is_refused(&tested));
    let (of, at) = (provider.clone(), address.clone());
    let kept = move || {
        if refused || !keeper.secrets.is_newest(&of, wish) {
            return None;
        }
        Some(keeper.secrets.set(&of, &at, key.expose_secret()))
    };
    let kept = off_the_loop(FAILED, kept).await?;
    if kept.is_some() {
        house.engine.key_changed(&provider);
    }
    let keys = key_states(house, kept).await?;
    if refused {
        let old =
            matches!(keys.providers.get(&provider), Some(KeyPlace::Keyring | KeyPlace::Session));
        tested.message = refusal(&provider, &tested, old);
    }
    Ok(KeyTried { tested, kept: kept.is_some(), keys })
}

/// Whether the provider knows the key and will not have it.
fn is_refused(tested: &Tested) -> bool {
    matches!(tested.code, Some("MODEL_INVALID_KEY" | "MODEL_FORBIDDEN"))
}

fn refusal(provider: &str, tested: &Tested, old: bool) -> String {
    let why = match tested.code {
        Some("MODEL_INVALID_KEY") => format!("{provider} does not accept this key"),
        _ => tested.message.trim_end_matches('.').to_owned(),
    };
    let then = if old { ": the one you had stays" } else { "" };
    format!("{why}. The key was not kept{then}.")
}

/// Where a provider is, to which its key is bound.
fn address(house: &House, provider: &str) -> Result<String, Problem> {
    let config = house.engine.config().current();
    match config.config.providers.get(provider) {
        Some(known) => Ok(known.base_url.clone().unwrap_or_default()),
        None => Err(Problem::new("NO_PROVIDER", format!("there is no provider called {provider}"))),
    }
}

/// Keeps a key, or forgets it when it is empty.
#[tauri::command]
pub async fn set_key(
    house: State<'_, Arc<House>>,
    provider: String,
    key: String,
) -> Result<KeyState, Problem> {
    let house = Arc::clone(&house);
    let address = address(&house, &provider)?;
    house.engine.hide(key.trim());
    house.secrets.wish(&provider);
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

/// Has the keyring unlocked if it is locked; where each key is then.
#[tauri::command]
pub async fn open_keyring(house: State<'_, Arc<House>>) -> Result<KeyState, Problem> {
    let house = Arc::clone(&house);
    let keeper = Arc::clone(&house);
    let state = off_the_loop(FAILED, move || match keeper.secrets.keyring() {
        Keyring::Locked => keeper.secrets.open(),
        known @ (Keyring::Ready | Keyring::Missing) => known,
    });
    let state = state.await?;
    house.engine.keys_opened();
    key_states(house, Some(state)).await
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
