//! Logins to servers: kept where keys are, and known to be secret.

use crate::engine::Engine;
use crate::keys::Keys;
use crate::mcp::servers::configured;
use crate::redact::Redactor;
use serde_json::Value;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tools::mcp::{Logins, McpError};

/// How long a person may take to log in.
const PATIENCE: Duration = Duration::from_secs(15 * 60);

/// Reads each login from the keyring once.
pub(super) struct KeptLogins {
    keys: Arc<dyn Keys>,
    redactor: Redactor,
    read: Mutex<HashMap<(String, String), Option<String>>>,
}

impl KeptLogins {
    pub(super) fn new(keys: Arc<dyn Keys>, redactor: Redactor) -> Self {
        Self { keys, redactor, read: Mutex::default() }
    }

    fn remember(&self, server: &str, address: &str, login: Option<String>) {
        if let Some(login) = login.as_deref() {
            hide(&self.redactor, login);
        }
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        read.insert((server.to_owned(), address.to_owned()), login);
    }
}

impl Logins for KeptLogins {
    fn load(&self, server: &str, address: &str) -> Option<String> {
        let key = (server.to_owned(), address.to_owned());
        let known = self.read.lock().unwrap_or_else(PoisonError::into_inner).get(&key).cloned();
        if let Some(known) = known {
            return known;
        }
        // One that can't be read now is looked for again.
        let kept = self.keys.key(&entry(server), address).ok()?;
        let kept = kept.map(|text| secrecy::ExposeSecret::expose_secret(&text).to_owned());
        self.remember(server, address, kept.clone());
        kept
    }

    fn keep(&self, server: &str, address: &str, login: Option<&str>) {
        self.remember(server, address, login.map(str::to_owned));
        self.keys.keep(&entry(server), address, login.unwrap_or_default());
    }
}

fn entry(server: &str) -> String {
    format!("mcp {server}")
}

/// Keeps the tokens of a login from everyone else.
fn hide(redactor: &Redactor, login: &str) {
    let Ok(login) = serde_json::from_str::<Value>(login) else { return };
    for name in ["access_token", "refresh_token", "id_token"] {
        if let Some(token) = login["token_response"][name].as_str() {
            redactor.learn(token);
        }
    }
}

impl Engine {
    /// Begins a login to a server; the page the person goes to. What comes of
    /// it is seen in how the server stands.
    pub async fn mcp_login(&self, server: &str) -> Result<String, McpError> {
        let config = self.shared.config.current();
        let servers = configured(&config.config, &self.shared.redactor);
        let Some(server) = servers.into_iter().find(|one| one.name == server) else {
            let (server, tool) = (server.to_owned(), String::new());
            return Err(McpError::NoTool { server, tool });
        };
        let login = self.shared.mcp.servers.begin_login(&server).await?;
        let page = login.page().to_owned();
        let engine = self.clone();
        self.shared.tasks.spawn_on(
            async move {
                let (servers, stopping) = (&engine.shared.mcp.servers, &engine.shared.stopping);
                tokio::select! {
                    done = tokio::time::timeout(PATIENCE, login.finish()) => {
                        servers.logged_in(&server, done.ok().and_then(Result::err)).await;
                    }
                    () = stopping.cancelled() => {}
                }
            },
            &self.shared.runtime,
        );
        Ok(page)
    }

    /// Forgets the login to a server.
    pub async fn mcp_logout(&self, server: &str) {
        let config = self.shared.config.current();
        let servers = configured(&config.config, &self.shared.redactor);
        if let Some(server) = servers.iter().find(|one| one.name == server) {
            self.shared.mcp.servers.log_out(server).await;
        }
    }
}
