//! Brings a server up: a program in the sandbox, or a connection to an address.

use super::bounded::{Bounded, LONGEST_LINE};
use super::calls::Calls;
use super::connection::Connection;
use super::error::McpError;
use super::handler::Handler;
use super::login;
use super::said::Said;
use super::server::{Place, Reach, Server};
use super::servers::Surroundings;
use crate::cut::first_words;
use crate::error::ToolError;
use crate::program::{self, Program, ProgramStart, Started};
use crate::sandbox::{self, Profile};
use crate::workspace::Workspace;
use rmcp::ServiceExt;
use rmcp::service::{ClientInitializeError, RoleClient, RunningService};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// How long a server may take until it has introduced itself.
const PATIENCE: Duration = Duration::from_secs(30);
/// Stands for the folder in a program's arguments.
const WORKSPACE: &str = "${workspace}";
/// Folders that every program sees, so that nothing has to be shown.
const SEEN: [&str; 6] = ["/usr", "/bin", "/sbin", "/lib", "/etc", "/nix"];

/// Starts a server and greets it. Run this in a task of its own.
pub(super) async fn start(
    server: &Server,
    place: &Place,
    around: &Surroundings,
    said: Said,
    stop: &CancellationToken,
) -> Result<Connection, McpError> {
    let greeting = Greeting {
        server: server.name.clone(),
        calls: Arc::new(Calls::default()),
        stale: Arc::new(AtomicBool::new(false)),
        too_long: Arc::new(AtomicBool::new(false)),
        said,
    };
    match &server.reach {
        Reach::Program { .. } => program(greeting, server, place, around, stop).await,
        Reach::Address { url, headers } => {
            let client = login::client(around, &server.name, url).await;
            let client = client.map_err(|error| greeting.not_started(&told(&error)))?;
            let mut config = StreamableHttpClientTransportConfig::with_uri(url.as_str());
            config.max_sse_event_size = LONGEST_LINE;
            let config = config.custom_headers(greeting.headers(headers)?);
            let transport = StreamableHttpClientTransport::with_client(client, config);
            let service = greeting.greet(greeting.handler().serve(transport), stop).await;
            match service {
                Ok(service) => Ok(greeting.connection(service, None)),
                Err(failed) => Err(greeting.failed(failed)),
            }
        }
    }
}

/// What a connection is made of before it is one.
struct Greeting {
    server: String,
    calls: Arc<Calls>,
    stale: Arc<AtomicBool>,
    too_long: Arc<AtomicBool>,
    said: Said,
}

/// Why a greeting came to nothing.
enum Failed {
    Late,
    Stopped,
    Error(Box<ClientInitializeError>),
}

impl Greeting {
    fn handler(&self) -> Handler {
        Handler { calls: Arc::clone(&self.calls), stale: Arc::clone(&self.stale) }
    }

    async fn greet<T>(
        &self,
        greeting: impl Future<Output = Result<T, ClientInitializeError>>,
        stop: &CancellationToken,
    ) -> Result<T, Failed> {
        tokio::select! {
            greeted = tokio::time::timeout(PATIENCE, greeting) => match greeted {
                Ok(Ok(service)) => Ok(service),
                Ok(Err(error)) => Err(Failed::Error(Box::new(error))),
                Err(_) => Err(Failed::Late),
            },
            () = stop.cancelled() => Err(Failed::Stopped),
        }
    }

    fn connection(
        self,
        service: RunningService<RoleClient, Handler>,
        program: Option<Program>,
    ) -> Connection {
        Connection {
            server: self.server,
            peer: service.peer().clone(),
            calls: self.calls,
            stale: self.stale,
            too_long: self.too_long,
            said: self.said,
            noted: Mutex::default(),
            service: Mutex::new(Some(service)),
            program: Mutex::new(program),
            since: Instant::now(),
        }
    }

    fn headers(
        &self,
        headers: &BTreeMap<String, String>,
    ) -> Result<HashMap<reqwest::header::HeaderName, reqwest::header::HeaderValue>, McpError> {
        let read = headers.iter().map(|(name, value)| {
            let bad = |_| self.not_started(&format!("`{name}` is not a header that can be sent"));
            let value = reqwest::header::HeaderValue::from_str(value);
            Ok((name.parse().map_err(|_| bad(()))?, value.map_err(|_| bad(()))?))
        });
        read.collect()
    }

    fn failed(&self, failed: Failed) -> McpError {
        match failed {
            Failed::Stopped => McpError::Cancelled,
            Failed::Late => {
                let words = format!("it did not introduce itself within {} s", PATIENCE.as_secs());
                self.not_started(&words)
            }
            Failed::Error(error) if error.is_authorization_required() => {
                McpError::NeedsLogin { server: self.server.clone() }
            }
            Failed::Error(error) => {
                let words = plain(&error);
                self.not_started(first_words(&words, 600))
            }
        }
    }

    fn not_started(&self, words: &str) -> McpError {
        let said = self.said.end();
        let why = match said.is_empty() {
            true => words.to_owned(),
            false => format!("{words}; it said:\n{said}"),
        };
        McpError::NotStarted { server: self.server.clone(), why }
    }

    fn refused(&self, error: ToolError) -> McpError {
        if let ToolError::NoSandbox { reason } = error {
            return McpError::NoSandbox { server: self.server.clone(), reason };
        }
        self.not_started(&error.to_string())
    }
}

/// Why a greeting failed, without the words that the library puts around it.
fn plain(error: &ClientInitializeError) -> String {
    if let ClientInitializeError::ConnectionClosed(_) = error {
        return "it ended before it had introduced itself".to_owned();
    }
    if let ClientInitializeError::TransportError { error, .. } = error {
        return told(&*error.error);
    }
    told(error)
}

/// What the library puts before words of ours.
const UNEXPECTED: &str = "unexpected server response: ";

/// An error and what lies behind it, which often says more.
pub(super) fn told(error: &dyn std::error::Error) -> String {
    let words = error.to_string();
    let mut words = words.strip_prefix(UNEXPECTED).unwrap_or(&words).to_owned();
    let mut source = error.source();
    while let Some(cause) = source {
        let more = cause.to_string();
        if !words.contains(&more) {
            words = format!("{words}: {more}");
        }
        source = cause.source();
    }
    words
}

async fn program(
    greeting: Greeting,
    server: &Server,
    place: &Place,
    around: &Surroundings,
    stop: &CancellationToken,
) -> Result<Connection, McpError> {
    let started = begin(server, place, around, greeting.said.clone()).await;
    let Started { stdin, stdout, program } = started.map_err(|error| greeting.refused(error))?;
    let stdout = Bounded::new(stdout, Arc::clone(&greeting.too_long));
    // Bounded already, and here it would be dropped without a word.
    let transport = AsyncRwTransport::new_client(stdout, stdin);
    let transport = transport.with_max_line_length(usize::MAX);
    match greeting.greet(greeting.handler().serve(transport), stop).await {
        Ok(service) => Ok(greeting.connection(service, Some(program))),
        Err(failed) => {
            let exceeded = program.exceeded();
            program.end().await;
            Err(match exceeded {
                Some(limit) => greeting.not_started(&limit.why()),
                None => greeting.failed(failed),
            })
        }
    }
}

async fn begin(
    server: &Server,
    place: &Place,
    around: &Surroundings,
    said: Said,
) -> Result<Started, ToolError> {
    let Reach::Program { command, args, env, cwd, read } = &server.reach else {
        return Err(ToolError::io("starting", std::io::Error::other("it is not a program")));
    };
    let sandbox = match &around.sandbox {
        Some(sandbox) => Arc::clone(sandbox),
        None => sandbox::of_this_computer()?,
    };
    // One that touches no files gets none: an empty folder that it can't change.
    let (workspace, profile) = match server.is_shared() {
        true => {
            let made = std::fs::create_dir_all(&around.scratch);
            made.map_err(|error| ToolError::io("making a folder", error))?;
            (Workspace::open(&around.scratch)?, Profile::Look)
        }
        false => (place.workspace.clone(), place.profile),
    };
    let here = workspace.root().to_string_lossy().into_owned();
    let start = ProgramStart {
        workspace,
        profile,
        command: command.clone(),
        args: args.iter().map(|word| word.replace(WORKSPACE, &here)).collect(),
        env: env.clone(),
        cwd: cwd.clone(),
        read: read.clone(),
        workspaces: around.workspaces.clone(),
        shared: Vec::new(),
        hosts: Vec::new(),
        private_hosts: Arc::default(),
        hidden: Arc::clone(&around.hidden),
    };
    program::start_in(sandbox, start, said, |said| said.note("started")).await
}

/// What the shell is given: the program in the shell's place.
pub(crate) fn script(cwd: Option<&Path>, command: &str, args: &[String]) -> String {
    let mut script = String::new();
    if let Some(cwd) = cwd {
        script.push_str(&format!("cd -- {} || exit 126\n", quoted(&cwd.to_string_lossy())));
    }
    script.push_str("exec");
    for word in std::iter::once(command).chain(args.iter().map(String::as_str)) {
        script.push(' ');
        script.push_str(&quoted(word));
    }
    script
}

/// A word that the shell takes as it is.
fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', "'\\''"))
}

/// Whether every program sees a path.
pub(super) fn is_seen(path: &Path) -> bool {
    SEEN.iter().any(|shown| path.starts_with(shown))
}

/// The program's own file, where nothing else shows it. Only the file: what
/// lies beside it may be anything.
pub(crate) fn own_file(command: &str, folder: &Path, read: &[PathBuf]) -> Option<PathBuf> {
    let file = Path::new(command);
    let plain = file.is_absolute() && file.symlink_metadata().is_ok_and(|meta| meta.is_file());
    let mut listed = [folder].into_iter().chain(read.iter().map(AsRef::as_ref));
    let shown = is_seen(file) || listed.any(|shown| file.starts_with(shown));
    (plain && !shown).then(|| file.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_reach_the_program_as_they_are() {
        let args = ["it's", "$(touch x)", "a b"].map(str::to_owned);
        let script = script(Some(Path::new("sub")), "printf", &args);
        assert_eq!(script, "cd -- 'sub' || exit 126\nexec 'printf' 'it'\\''s' '$(touch x)' 'a b'");
    }

    #[test]
    fn a_file_is_shown_only_where_nothing_else_shows_it() {
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join("server");
        std::fs::write(&file, "").unwrap();
        let name = file.to_str().unwrap();
        let elsewhere = Path::new("/nowhere");
        assert_eq!(own_file(name, elsewhere, &[]), Some(file.clone()));
        assert_eq!(own_file(name, home.path(), &[]), None);
        assert_eq!(own_file(name, elsewhere, &[home.path().to_owned()]), None);
        assert_eq!(own_file("/usr/bin/env", elsewhere, &[]), None);
        assert_eq!(own_file("node", elsewhere, &[]), None);
    }
}
