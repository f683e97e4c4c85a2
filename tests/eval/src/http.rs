//! The one HTTP client.

use reqwest::{Client, redirect};
use std::sync::OnceLock;
use std::time::Duration;

/// The shared client. A model may be silent for long; who asks it has a clock of their own.
pub fn client() -> Client {
    static CLIENT: OnceLock<Client> = OnceLock::new();
    CLIENT.get_or_init(build).clone()
}

fn build() -> Client {
    // Fails only where one is there already, which is as good.
    let _ = rustls::crypto::ring::default_provider().install_default();
    Client::builder()
        .connect_timeout(Duration::from_secs(15))
        // A server may close a connection that is kept at the very moment it is used again.
        .pool_max_idle_per_host(0)
        .redirect(redirect::Policy::none())
        .no_proxy()
        .build()
        .expect("the client's settings are constant and valid")
}
