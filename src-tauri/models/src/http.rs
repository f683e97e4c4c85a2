//! The one HTTP client behind every provider.

use std::sync::OnceLock;
use std::time::Duration;

use reqwest::{Client, ClientBuilder, redirect};

use crate::patience::SILENCE;
use crate::tls;

/// How long a server may take to accept a connection.
const CONNECT: Duration = Duration::from_secs(15);

/// The shared client: connections are pooled, and a turn may take as long as it keeps talking.
pub fn http_client() -> Client {
    static CLIENT: OnceLock<Client> = OnceLock::new();
    CLIENT.get_or_init(build).clone()
}

/// The start of a client of somebody else's, with the same encryption and certificates.
pub fn http_builder() -> ClientBuilder {
    Client::builder()
        .tls_backend_preconfigured(tls::client_config())
        .connect_timeout(CONNECT)
        .user_agent(concat!("plancard/", env!("CARGO_PKG_VERSION")))
}

fn build() -> Client {
    http_builder()
        .read_timeout(SILENCE)
        .tcp_nodelay(true)
        // A key is meant for the address the person gave, so nothing is followed elsewhere.
        .redirect(redirect::Policy::none())
        .build()
        .expect("the client's settings are constant and valid")
}
