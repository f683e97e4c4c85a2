//! Servers in a temporary folder, and calls to them.

use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tempfile::TempDir;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tools::mcp::{
    Answer, InstallGrant, Installed, Limits, Listener, Logins, McpError, McpTool, PackageSettings,
    Place, Progress, Question, Reach, Server, Servers, Surroundings,
};
use tools::{Output, Profile, Secrets, Workspace, Workspaces};

/// Keeps logins in memory.
#[derive(Default)]
pub struct Kept(pub Mutex<BTreeMap<String, String>>);

impl Logins for Kept {
    fn load(&self, server: &str, address: &str) -> Option<String> {
        self.0.lock().unwrap().get(&format!("{server} {address}")).cloned()
    }

    fn keep(&self, server: &str, address: &str, login: Option<&str>) {
        let mut kept = self.0.lock().unwrap();
        let name = format!("{server} {address}");
        match login {
            Some(login) => kept.insert(name, login.to_owned()),
            None => kept.remove(&name),
        };
    }
}

/// The one secret that answers must not show.
pub const SECRET: &str = "s3cret-token";

/// Knows that one.
#[derive(Debug)]
struct Word;

impl Secrets for Word {
    fn clean(&self, text: String) -> String {
        text.replace(SECRET, "[redacted]")
    }

    fn clear_until(&self, text: &str) -> usize {
        text.len()
    }
}

pub struct Desk {
    pub servers: Servers,
    pub workspaces: Workspaces,
    pub place: Place,
    pub limits: Limits,
    pub ear: Ear,
    /// What an install may reach beside the hosts that the settings name.
    pub grant: InstallGrant,
    home: TempDir,
    data: TempDir,
}

/// Hears progress, and says what a test told it to.
#[derive(Default)]
pub struct Ear {
    pub heard: Mutex<Vec<Progress>>,
    pub asked: Mutex<Vec<Question>>,
    pub words: Mutex<Option<String>>,
    pub tell: Mutex<Option<mpsc::UnboundedSender<String>>>,
}

impl Listener for Ear {
    fn progress(&self, progress: Progress) {
        if let Some(tell) = &*self.tell.lock().unwrap() {
            let _ = tell.send(progress.text.clone().unwrap_or_default());
        }
        self.heard.lock().unwrap().push(progress);
    }

    fn asked<'a>(
        &'a self,
        question: &'a Question,
    ) -> Pin<Box<dyn Future<Output = Answer> + Send + 'a>> {
        self.asked.lock().unwrap().push(question.clone());
        let words = self.words.lock().unwrap().clone();
        Box::pin(async move {
            match words {
                Some(words) => Answer::Given(question.read(&words).unwrap()),
                None => Answer::Declined,
            }
        })
    }
}

pub fn desk() -> Desk {
    desk_with(Arc::new(Kept::default()))
}

pub fn desk_with(logins: Arc<Kept>) -> Desk {
    desk_for(logins, PackageSettings::default())
}

/// One where package managers find these settings.
pub fn desk_for(logins: Arc<Kept>, package_settings: PackageSettings) -> Desk {
    let (home, data) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let workspace = Workspace::open(home.path()).unwrap();
    let workspaces = Workspaces::default();
    let around = Surroundings {
        sandbox: None,
        hidden: [data.path().canonicalize().unwrap()].into(),
        workspaces: workspaces.clone(),
        scratch: data.path().join("empty"),
        packages: data.path().join("packages"),
        package_settings,
        secrets: Arc::new(Word),
        logins,
        http: Arc::new(models::http_client),
    };
    Desk {
        servers: Servers::new(around),
        workspaces,
        place: Place { workspace, profile: Profile::Work },
        limits: Limits { timeout: Duration::from_secs(60), cancel: CancellationToken::new() },
        ear: Ear::default(),
        grant: InstallGrant::default(),
        home,
        data,
    }
}

impl Desk {
    pub fn looking(mut self) -> Self {
        self.place.profile = Profile::Look;
        self
    }

    pub fn path(&self) -> PathBuf {
        self.home.path().canonicalize().unwrap()
    }

    /// Where packages are kept.
    pub fn packages(&self) -> PathBuf {
        self.data.path().canonicalize().unwrap().join("packages")
    }

    /// Installs a server as a person allows it who is asked about the hosts of the settings.
    pub async fn install(&self, server: &Server) -> Result<Option<Installed>, McpError> {
        let mut grant = self.grant.clone();
        grant.hosts.extend(self.servers.install_hosts(server));
        self.servers.install(server, &grant).await
    }

    pub async fn list(&self, server: &Server) -> Result<Vec<McpTool>, McpError> {
        self.servers.list(server, &self.place).await
    }

    /// Calls a tool as it is now.
    pub async fn call(&self, server: &Server, tool: &str, args: Value) -> Result<Output, McpError> {
        let listed = self.list(server).await?;
        let hash = listed.iter().find(|listed| listed.name == tool).map(|tool| tool.hash.clone());
        let hash = hash.unwrap_or_else(|| panic!("{} has no {tool}", server.name));
        self.call_as(server, tool, &hash, args).await
    }

    pub async fn call_as(
        &self,
        server: &Server,
        tool: &str,
        hash: &str,
        args: Value,
    ) -> Result<Output, McpError> {
        let args: Map<String, Value> = args.as_object().cloned().unwrap_or_default();
        let (servers, place) = (&self.servers, &self.place);
        servers.call(server, place, tool, hash, &args, &self.limits, &self.ear).await
    }

    /// The text of a call that has to work.
    pub async fn says(&self, server: &Server, tool: &str, args: Value) -> String {
        match self.call(server, tool, args).await {
            Ok(output) if !output.failed => output.text,
            Ok(output) => panic!("{tool} failed: {}", output.text),
            Err(error) => panic!("{tool}: {error}"),
        }
    }

    /// The code of a call that can't work.
    pub async fn fails(&self, server: &Server, tool: &str, args: Value) -> &'static str {
        match self.call(server, tool, args).await {
            Ok(output) => panic!("{tool} worked: {}", output.text),
            Err(error) => error.code(),
        }
    }
}

/// A program, with a word in its command line to find its processes by.
pub fn program(name: &str, command: &str, args: &[&str], read: &[&Path]) -> Server {
    Server {
        name: name.to_owned(),
        reach: Reach::Program {
            command: command.to_owned(),
            args: args.iter().map(ToString::to_string).collect(),
            env: BTreeMap::new(),
            cwd: None,
            read: read.iter().map(|path| path.to_path_buf()).collect(),
        },
        share: false,
        trusted: false,
        effects: BTreeMap::new(),
    }
}

/// The hostile server of the tests, marked so that its processes can be told
/// from those of other tests.
pub fn hostile(args: &[&str]) -> (Server, String) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/support/mcp/hostile.py");
    let script = root.canonicalize().unwrap();
    let mark = format!("--mark-{}", fresh());
    let mut words = vec![script.to_str().unwrap(), &mark];
    words.extend(args);
    (program("hostile", "python3", &words, &[&script]), mark)
}

fn fresh() -> String {
    use std::sync::atomic::{AtomicU32, Ordering};
    static NEXT: AtomicU32 = AtomicU32::new(0);
    format!("{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed))
}

/// Processes with this word in their command line that are alive.
pub fn running(mark: &str) -> Vec<i32> {
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    let own = std::process::id().cast_signed();
    let alive = pids.filter(|pid| {
        let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        let status = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        let zombie = status.rsplit(')').next().is_some_and(|rest| rest.starts_with(" Z"));
        *pid != own && String::from_utf8_lossy(&line).contains(mark) && !zombie
    });
    alive.collect()
}

/// Waits for something to become true.
pub async fn until(what: &str, mut is_true: impl FnMut() -> bool) {
    let started = Instant::now();
    while !is_true() {
        assert!(started.elapsed() < Duration::from_secs(30), "never: {what}");
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}
