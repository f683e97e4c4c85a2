//! The real `plancard serve`, as a child process on a folder of its own.

use crate::Client;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Output, Stdio};
use std::time::Duration;
use support::{ScriptedModel, program};
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, BufReader, Lines};
use tokio::process::{Child, ChildStdout, Command};

/// How long a test waits for the program before it says so.
const PATIENCE: Duration = Duration::from_secs(60);

/// A home folder with data and configuration, kept over several lives of the program.
pub struct Place {
    home: TempDir,
}

impl Place {
    /// A home whose configuration is this text.
    pub fn new(config: &str) -> Self {
        let home = TempDir::new().expect("a temporary folder can be made");
        std::fs::create_dir(home.path().join("config")).expect("a folder can be made");
        let place = Self { home };
        std::fs::write(place.config(), config).expect("the configuration can be written");
        place
    }

    /// A home whose agent asks this model, with more configuration below. Its token may open rooms
    /// in folders for temporary files.
    pub fn with_model(model: &ScriptedModel, more: &str) -> Self {
        Self::new(&format!(
            "providers:\n  test: {{ type: openai, base_url: \"{}\" }}\n\
             agents:\n  default: {{ model: test/scripted }}\n\
             workspaces: [{:?}]\n{more}\n",
            model.base_url(),
            std::env::temp_dir()
        ))
    }

    /// The home folder.
    pub fn home(&self) -> &Path {
        self.home.path()
    }

    /// The data folder.
    pub fn data(&self) -> PathBuf {
        self.home.path().join("data")
    }

    /// The configuration file.
    pub fn config(&self) -> PathBuf {
        self.home.path().join("config/plancard.yaml")
    }

    /// A program with this home and nothing of the person who runs the tests.
    pub fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command
            .env_clear()
            .envs(std::env::var_os("PATH").map(|path| ("PATH", path)))
            .env("HOME", self.home.path())
            .env("PLANCARD_DATA", self.data())
            .env("PLANCARD_CONFIG", self.config())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        command
    }

    /// `plancard serve` with this home.
    pub fn serve(&self) -> Command {
        let mut command = self.command(&program("plancard"));
        command.arg("serve");
        command
    }

    /// Runs it until it ends by itself.
    pub async fn run(&self, args: &[&str]) -> Output {
        let run = self.serve().args(args).output();
        let run = tokio::time::timeout(PATIENCE, run).await;
        run.expect("the program ends").expect("the program can be started")
    }

    /// Starts it and waits until it listens.
    pub async fn start(&self) -> Serve {
        Serve::listening(self.serve()).await
    }
}

/// The running program; it is killed when dropped.
pub struct Serve {
    child: Child,
    /// A client with the token it made.
    pub client: Client,
    /// What it printed up to then.
    pub printed: Vec<String>,
}

impl Serve {
    /// Starts a command and waits until it says where it listens and where its token is.
    pub async fn listening(mut command: Command) -> Self {
        let mut child = command.spawn().expect("the program can be started");
        let stdout = child.stdout.take().expect("its output is ours");
        let mut lines = BufReader::new(stdout).lines();
        let Some(first) = line(&mut lines).await else {
            let mut said = String::new();
            let stderr = child.stderr.as_mut().expect("its errors are ours");
            let _ = stderr.read_to_string(&mut said).await;
            panic!("it ended without a word but: {said}");
        };
        let address = first.strip_prefix("listening on http://");
        let address: Option<SocketAddr> = address.and_then(|address| address.parse().ok());
        let address = address.unwrap_or_else(|| panic!("the first line is {first:?}"));
        let mut printed = vec![first];
        let mut token = String::new();
        if !has_token(&command) {
            let second = line(&mut lines).await.expect("it says where its token is");
            let file = second.strip_prefix("token in ").expect("the line names the file");
            token = std::fs::read_to_string(file).expect("the token can be read");
            printed.push(second);
        }
        Self { child, client: Client::at(address, token.trim()), printed }
    }

    /// The number of its process.
    pub fn id(&self) -> u32 {
        self.child.id().expect("it is running")
    }

    /// Ends it without a warning.
    pub async fn kill(mut self) {
        self.child.kill().await.expect("it can be killed");
    }

    /// Asks it to stop and gives all that it said on its error output.
    pub async fn errors(mut self) -> String {
        let mut stderr = self.child.stderr.take().expect("its errors are ours");
        self.terminate().await;
        let mut said = Vec::new();
        stderr.read_to_end(&mut said).await.expect("its errors can be read");
        String::from_utf8_lossy(&said).into_owned()
    }

    /// Asks it to stop, as the system does, and waits until it has.
    pub async fn terminate(mut self) -> ExitStatus {
        let id = self.id().to_string();
        let asked = Command::new("kill").args(["-TERM", &id]).status().await;
        assert!(asked.expect("kill can be started").success());
        let ended = tokio::time::timeout(PATIENCE, self.child.wait()).await;
        ended.expect("it stops").expect("it can be waited for")
    }
}

fn has_token(command: &Command) -> bool {
    command.as_std().get_envs().any(|(name, value)| name == "PLANCARD_TOKEN" && value.is_some())
}

async fn line(lines: &mut Lines<BufReader<ChildStdout>>) -> Option<String> {
    let line = tokio::time::timeout(PATIENCE, lines.next_line()).await;
    line.expect("it says something or ends").expect("its output is text")
}
