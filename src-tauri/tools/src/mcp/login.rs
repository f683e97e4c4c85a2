//! Logging in to a server that wants it, in the person's browser (OAuth).
//!
//! The person is sent to an address of the server's; when they have agreed
//! there, their browser comes back to a door that is open on this computer for
//! that one visit. What the server then gives is kept by its name and address.

use super::error::McpError;
use super::measured::Measured;
use super::server::{Reach, Server};
use super::servers::Surroundings;
use async_trait::async_trait;
use rmcp::transport::auth::{
    AuthClient, AuthError, AuthorizationManager, AuthorizationMetadataSource, AuthorizationRequest,
    AuthorizationSession, CredentialStore, OAuthHttpClient, OAuthHttpClientFuture,
    OAuthHttpRequest, StoredCredentials,
};
use std::sync::Arc;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// The longest beginning of a visit.
const HEAD: usize = 16 * 1024;
const BACK: &str = "/back";

/// Where logins are kept, as texts that nobody else may read.
pub trait Logins: Send + Sync {
    /// What was kept for a server at an address.
    fn load(&self, server: &str, address: &str) -> Option<String>;
    /// Keeps it, or forgets it.
    fn keep(&self, server: &str, address: &str, login: Option<&str>);
}

/// The login of one server.
struct Kept {
    logins: Arc<dyn Logins>,
    server: String,
    address: String,
}

#[async_trait]
impl CredentialStore for Kept {
    async fn load(&self) -> Result<Option<StoredCredentials>, AuthError> {
        let kept = self.logins.load(&self.server, &self.address);
        // One that can't be read is as good as none: the person logs in again.
        Ok(kept.and_then(|text| serde_json::from_str(&text).ok()))
    }

    async fn save(&self, login: StoredCredentials) -> Result<(), AuthError> {
        let text = serde_json::to_string(&login)
            .map_err(|error| AuthError::CredentialStoreError(error.to_string()))?;
        self.logins.keep(&self.server, &self.address, Some(&text));
        Ok(())
    }

    async fn clear(&self) -> Result<(), AuthError> {
        self.logins.keep(&self.server, &self.address, None);
        Ok(())
    }
}

/// Stands in until the manager has our own client.
struct NoClient;

impl OAuthHttpClient for NoClient {
    fn execute(&self, _: OAuthHttpRequest) -> OAuthHttpClientFuture<'_> {
        Box::pin(async { Err("there is no client".into()) })
    }
}

async fn manager(
    around: &Surroundings,
    server: &str,
    address: &str,
) -> Result<AuthorizationManager, AuthError> {
    let mut manager =
        AuthorizationManager::new_with_oauth_http_client(address, Arc::new(NoClient)).await?;
    manager.with_client((around.http)())?;
    manager.set_credential_store(Kept {
        logins: Arc::clone(&around.logins),
        server: server.to_owned(),
        address: address.to_owned(),
    });
    Ok(manager)
}

/// A client that sends what was given at the last login, if there was one.
pub(super) async fn client(
    around: &Surroundings,
    server: &str,
    address: &str,
) -> Result<AuthClient<Measured>, AuthError> {
    let mut manager = manager(around, server, address).await?;
    manager.initialize_from_store().await?;
    Ok(AuthClient::new(Measured((around.http)()), manager))
}

/// A login that was begun.
pub struct Login {
    server: String,
    session: AuthorizationSession,
    door: TcpListener,
}

impl Login {
    /// Asks the server where its people log in.
    pub(super) async fn begin(server: &Server, around: &Surroundings) -> Result<Self, McpError> {
        let failed = |why: String| McpError::LoginFailed { server: server.name.clone(), why };
        let Reach::Address { url, .. } = &server.reach else {
            return Err(failed("it is a program on this computer, which takes none".to_owned()));
        };
        let told = |error: AuthError| failed(error.to_string());
        let door = TcpListener::bind(("127.0.0.1", 0)).await;
        let door = door.map_err(|error| failed(error.to_string()))?;
        let port = door.local_addr().map_err(|error| failed(error.to_string()))?.port();
        let mut manager = manager(around, &server.name, url).await.map_err(told)?;
        let found = manager.resolve_metadata().await.map_err(told)?;
        if found.source == AuthorizationMetadataSource::LegacyEndpointFallback {
            return Err(failed("it does not say where its people log in".to_owned()));
        }
        manager.set_metadata(found.metadata);
        let request = AuthorizationRequest::new(format!("http://127.0.0.1:{port}{BACK}"))
            .with_client_name("Plancard")
            .with_initial_scope_selection();
        let session = AuthorizationSession::new(manager, request).await;
        let session = session.map_err(|(_, error)| told(error))?;
        let there = session.get_authorization_url();
        if !there.starts_with("https://") && !there.starts_with("http://") {
            return Err(failed(format!("{there} is no page")));
        }
        Ok(Self { server: server.name.clone(), session, door })
    }

    /// The page the person goes to.
    pub fn page(&self) -> &str {
        self.session.get_authorization_url()
    }

    /// Waits for the person to come back, and keeps what the server gives.
    pub async fn finish(self) -> Result<(), McpError> {
        let failed = |why: String| McpError::LoginFailed { server: self.server.clone(), why };
        loop {
            let visit = self.door.accept().await;
            let (mut visit, _) = visit.map_err(|error| failed(error.to_string()))?;
            let Some(there) = asked_for(&mut visit).await else { continue };
            let Some(words) = there.strip_prefix(BACK).filter(|rest| rest.starts_with('?')) else {
                answer(&mut visit, "404 Not Found", "There is nothing here.").await;
                continue;
            };
            if let Some(why) = refused(words) {
                answer(&mut visit, "200 OK", "You did not log in. You can close this page.").await;
                return Err(failed(why));
            }
            let came = format!("http://127.0.0.1{BACK}{words}");
            match self.session.handle_callback_url(&came).await {
                Ok(_) => {
                    answer(&mut visit, "200 OK", "You are logged in. You can close this page.")
                        .await;
                    return Ok(());
                }
                // Anybody on this computer can knock: only the one who was sent out knows the way.
                Err(AuthError::InternalError(_) | AuthError::AuthorizationFailed(_)) => {
                    answer(&mut visit, "400 Bad Request", "This is not the login that was begun.")
                        .await;
                }
                Err(error) => {
                    answer(&mut visit, "200 OK", "It did not work. You can close this page.").await;
                    return Err(failed(error.to_string()));
                }
            }
        }
    }
}

/// The path a browser asks for.
async fn asked_for(visit: &mut TcpStream) -> Option<String> {
    let mut head = Vec::new();
    while !head.windows(4).any(|four| four == b"\r\n\r\n") {
        if head.len() > HEAD || visit.read_buf(&mut head).await.ok()? == 0 {
            return None;
        }
    }
    let head = String::from_utf8(head).ok()?;
    let mut words = head.lines().next()?.split(' ');
    (words.next()? == "GET").then_some(())?;
    words.next().map(str::to_owned)
}

/// Why the server sent the person back with nothing, if it did.
fn refused(words: &str) -> Option<String> {
    let page = reqwest::Url::parse(&format!("http://127.0.0.1/{words}")).ok()?;
    let said = |name: &str| {
        let mut pairs = page.query_pairs();
        pairs.find(|(key, _)| key == name).map(|(_, value)| value.into_owned())
    };
    let error = said("error")?;
    Some(said("error_description").unwrap_or(error))
}

async fn answer(visit: &mut TcpStream, status: &str, words: &str) {
    let page = format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: {}\r\n\
         Cache-Control: no-store\r\nConnection: close\r\n\r\n{words}\n",
        words.len() + 1
    );
    let _ = visit.write_all(page.as_bytes()).await;
    let _ = visit.shutdown().await;
}
