//! A package registry on loopback: `mcp/registry.py`.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use tempfile::TempDir;

/// What logs in to it.
pub const REGISTRY_TOKEN: &str = "t0ken-of-the-registry";

/// A registry with a few packages, some of them bad.
pub struct Registry {
    port: u16,
    elsewhere: u16,
    folder: TempDir,
    child: Child,
    _stdin: Option<ChildStdin>,
}

impl Registry {
    /// Starts it.
    pub fn start() -> Self {
        let folder = TempDir::new().expect("a temporary folder can be made");
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("mcp/registry.py");
        let mut command = Command::new("python3");
        command.arg(script).arg(folder.path()).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("the registry needs python3");
        let stdin = child.stdin.take();
        let stdout = child.stdout.take().expect("it has an output");
        let mut line = String::new();
        BufReader::new(stdout).read_line(&mut line).expect("it says its ports");
        let mut ports = line.split_whitespace().filter_map(|port| port.parse().ok());
        let ports = (ports.next(), ports.next());
        let (Some(port), Some(elsewhere)) = ports else { panic!("it said {line:?}") };
        Self { port, elsewhere, folder, child, _stdin: stdin }
    }

    /// Its host.
    pub fn host(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// Another name of it, which gives out the files of the packages called `far`.
    pub fn far(&self) -> String {
        format!("localhost:{}", self.port)
    }

    /// A host that nobody was asked about.
    pub fn elsewhere(&self) -> String {
        format!("127.0.0.1:{}", self.elsewhere)
    }

    /// What it keeps its log in, and serves `git` from.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// What it was asked for.
    pub fn log(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("log")).unwrap_or_default()
    }

    /// What was asked for at the host that nobody was asked about.
    pub fn log_elsewhere(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("elsewhere")).unwrap_or_default()
    }
}

impl Drop for Registry {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
