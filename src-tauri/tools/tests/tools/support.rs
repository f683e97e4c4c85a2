//! A workspace in a temporary folder, and calls into it.

use serde_json::{Value, json};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};
use tempfile::TempDir;
use tools::{Facts, Output, Profile, ResourceLimits, RunContext, ToolError, Toolbox, Workspace};

pub struct Desk {
    pub toolbox: Toolbox,
    pub ws: Workspace,
    pub ctx: RunContext,
    /// A folder beside the workspace that nothing may touch.
    pub outside: TempDir,
    /// Where deleted files go.
    pub trash: TempDir,
    _home: TempDir,
}

pub fn desk() -> Desk {
    let home = tempfile::tempdir().unwrap();
    let trash = tempfile::tempdir().unwrap();
    Desk {
        toolbox: Toolbox::builtin()
            .with_http(models::http_builder)
            .with_trash(trash.path().to_owned()),
        ws: Workspace::open(home.path()).unwrap(),
        ctx: RunContext::new(Profile::Work, Duration::from_secs(60)),
        outside: tempfile::tempdir().unwrap(),
        trash,
        _home: home,
    }
}

impl Desk {
    pub fn looking(mut self) -> Self {
        self.ctx.profile = Profile::Look;
        self
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.ws.root().join(name)
    }

    pub fn put(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }

    pub fn get(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    pub fn facts(&self, name: &str, args: Value) -> Result<Facts, ToolError> {
        self.toolbox.facts(name, &args, &self.ws)
    }

    pub async fn run(&self, name: &str, args: Value) -> Result<Output, ToolError> {
        self.toolbox.run(name, &args, &self.ws, &self.ctx).await
    }

    /// A call that has to go wrong; gives back the code.
    pub async fn fails(&self, name: &str, args: Value) -> &'static str {
        match self.run(name, args).await {
            Ok(output) => panic!("it worked: {}", output.text),
            Err(error) => error.code(),
        }
    }

    pub async fn shell(&self, command: &str) -> Output {
        match self.run("shell", json!({ "command": command })).await {
            Ok(output) => output,
            Err(error) => panic!("{command}: {error}"),
        }
    }
}

/// Names the tests that are started alone: limits hold for a whole program.
const ALONE: &str = "PLANCARD_TEST_ALONE";

/// Whether this program runs one test alone, which then has these limits.
pub fn is_alone(limits: ResourceLimits) -> bool {
    let alone = std::env::var(ALONE).is_ok();
    if alone {
        limits.apply();
    }
    alone
}

/// Who runs a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum User {
    Same,
    /// One without rights, where the test itself is run by root.
    Ordinary,
}

/// A copy of this program, with the small programs that it looks for beside it.
fn copied(test: &Path, folder: &Path) -> PathBuf {
    for name in ["plancard-warden", "plancard-net"] {
        let mut places = test.ancestors().skip(1).take(2).map(|folder| folder.join(name));
        let built = places.find(|file| file.is_file()).unwrap();
        std::fs::copy(built, folder.join(name)).unwrap();
    }
    let copy = folder.join("tests");
    std::fs::copy(test, &copy).unwrap();
    copy
}

/// Runs a test of this program alone.
pub fn alone(name: &str, user: User) {
    let folder = tempfile::tempdir().unwrap();
    let mut test = std::env::current_exe().unwrap();
    if user == User::Ordinary {
        // What was built may lie where only root gets.
        test = copied(&test, folder.path());
    }
    let mut command = Command::new(test);
    command.args(["--exact", name, "--nocapture"]).env(ALONE, "1").env("TMPDIR", folder.path());
    if user == User::Ordinary && rustix::process::geteuid().is_root() {
        const NOBODY_ELSE: u32 = 4321;
        std::os::unix::fs::chown(folder.path(), Some(NOBODY_ELSE), Some(NOBODY_ELSE)).unwrap();
        command.uid(NOBODY_ELSE).gid(NOBODY_ELSE).env("HOME", folder.path()).current_dir("/");
    }
    let ended = command.output().unwrap();
    let said = String::from_utf8_lossy(&ended.stdout);
    let ran = ended.status.success() && said.contains("1 passed");
    assert!(ran, "{name} {user:?}: {said}{}", String::from_utf8_lossy(&ended.stderr));
}

/// Whether a process with this word in its command line is running.
pub fn runs(marker: &str) -> bool {
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    entries.filter(|entry| entry.path() != Path::new("/proc/self")).any(|entry| {
        let line = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        let ours = entry.file_name().to_string_lossy() == std::process::id().to_string();
        !ours && String::from_utf8_lossy(&line).contains(marker)
    })
}

/// Waits for something to become true.
pub async fn until(what: &str, mut is_true: impl FnMut() -> bool) {
    let started = Instant::now();
    while !is_true() {
        assert!(started.elapsed() < Duration::from_secs(20), "never: {what}");
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}
