//! The one HTTP client behind every provider.

use std::sync::OnceLock;
use std::time::Duration;

use reqwest::{Client, redirect};

use crate::tls;

/// How long a server may take to accept a connection.
const CONNECT: Duration = Duration::from_secs(15);

/// How long a server may be silent: a large local model can think this long before its first word.
pub(crate) const SILENCE: Duration = Duration::from_secs(300);

/// The shared client: connections are pooled, and a turn may take as long as it keeps talking.
pub fn http_client() -> Client {
    static CLIENT: OnceLock<Client> = OnceLock::new();
    CLIENT.get_or_init(build).clone()
}

fn build() -> Client {
    let tls = tls::client_config();
    Client::builder()
        .tls_backend_preconfigured(tls)
        .connect_timeout(CONNECT)
        .read_timeout(SILENCE)
        .tcp_nodelay(true)
        // A key is meant for the address the person gave, so nothing is followed elsewhere.
        .redirect(redirect::Policy::none())
        .user_agent(concat!("plancard/", env!("CARGO_PKG_VERSION")))
        .build()
        .expect("the client's settings are constant and valid")
}
