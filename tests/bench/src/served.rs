//! The real `plancard serve`, in a process of its own, on folders of its own.

use rustix::process::{Pid, Signal, kill_process};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};
use support::TempWorkspace;
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};

use crate::Outcome;
use crate::rest::Rest;
use crate::tree::Tree;

const TOKEN: &str = "a-token-for-the-benchmark";
const PATIENCE: Duration = Duration::from_secs(20);

/// The file the scripted model reads.
pub const FILE: &str = "notes.md";
const NOTES: &str = "# Notes\n\nSow the beans in May.\nWater them in the evening.\n";

/// The folders of one measurement; they outlive the process.
pub struct Place {
    folder: TempDir,
    workspace: TempWorkspace,
}

impl Place {
    /// New folders, with a configuration for the model at this address.
    pub fn new(base_url: &str, caps: &str) -> Outcome<Self> {
        Self::of_model(base_url, caps, "scripted")
    }

    /// New folders, with these agents, all of one model at this address.
    pub fn with_agents(base_url: &str, agents: &[&str]) -> Outcome<Self> {
        let agents = agents.iter().map(|agent| format!("  {agent}: {{ model: bench/scripted }}\n"));
        Self::configured(base_url, "auto_steps: 1000", "scripted", &agents.collect::<String>())
    }

    /// The same as `new`, for a model of this name.
    pub fn of_model(base_url: &str, caps: &str, model: &str) -> Outcome<Self> {
        let agent = format!("  default: {{ model: bench/{model} }}\n");
        Self::configured(base_url, caps, model, &agent)
    }

    fn configured(base_url: &str, caps: &str, model: &str, agents: &str) -> Outcome<Self> {
        let folder = tempfile::tempdir().map_err(|error| format!("a folder: {error}"))?;
        let workspace = TempWorkspace::new(&[(FILE, NOTES)]);
        // A window that nothing fills: compaction is not what is measured.
        let config = format!(
            "providers:\n  bench: {{ type: openai, base_url: \"{base_url}\" }}\n\
             models:\n  bench/{model}: {{ context_window: 100000000 }}\n\
             agents:\n{agents}\
             caps: {{ {caps} }}\n\
             ui: {{ first_run_done: true }}\n"
        );
        let place = Self { folder, workspace };
        std::fs::create_dir(place.folder.path().join("config"))
            .and_then(|()| std::fs::write(place.config(), config))
            .map_err(|error| format!("the configuration: {error}"))?;
        Ok(place)
    }

    /// Where the log is.
    pub fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// The folder rooms work in.
    pub fn workspace(&self) -> PathBuf {
        self.workspace.path()
    }

    /// The configuration file.
    pub fn config(&self) -> PathBuf {
        self.folder.path().join("config/plancard.yaml")
    }
}

/// A running `plancard serve`.
pub struct Served {
    process: Child,
    pid: Pid,
    /// Its API.
    pub rest: Rest,
    /// When it was started.
    pub spawned: Instant,
}

impl Served {
    /// Starts it and waits for the line that says where it listens.
    pub async fn start(place: &Place) -> Outcome<Self> {
        let mut command = Command::new(program("plancard")?);
        command
            .arg("serve")
            .arg("--data")
            .arg(place.data())
            .arg("--config")
            .arg(place.config())
            .env("PLANCARD_TOKEN", TOKEN)
            .env("PLANCARD_RIGHTS", "read,supervise,run,approve")
            .env_remove("OPENAI_API_KEY")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .kill_on_drop(true);
        let spawned = Instant::now();
        let mut process =
            command.spawn().map_err(|error| format!("plancard serve can't be started: {error}"))?;
        let pid = process.id().and_then(|pid| Pid::from_raw(i32::try_from(pid).ok()?));
        let pid = pid.ok_or("plancard serve ended at once")?;
        let out = process.stdout.take().ok_or("plancard serve has no output")?;
        let address = tokio::time::timeout(PATIENCE, address(BufReader::new(out)))
            .await
            .map_err(|_| "plancard serve did not say where it listens".to_owned())??;
        Ok(Self { process, pid, rest: Rest::new(address, TOKEN), spawned })
    }

    /// It, and what it has started.
    pub fn tree(&self) -> Tree {
        Tree::of(self.pid.as_raw_nonzero().get().unsigned_abs())
    }

    /// What the kernel says it occupies.
    pub fn memory(&self) -> Outcome<Memory> {
        let file = format!("/proc/{}/smaps_rollup", self.pid);
        let text = std::fs::read_to_string(&file).map_err(|error| format!("{file}: {error}"))?;
        let of = |name: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix(name))?;
            line.trim().strip_suffix("kB")?.trim().parse::<f64>().ok()
        };
        match (of("Pss:"), of("Rss:")) {
            (Some(pss), Some(rss)) => Ok(Memory { pss: pss / 1_024.0, rss: rss / 1_024.0 }),
            _ => Err(format!("{file} does not say how much memory is used")),
        }
    }

    /// The time all its threads have been at work.
    pub fn worked(&self) -> Outcome<Duration> {
        let file = format!("/proc/{}/stat", self.pid);
        let text = std::fs::read_to_string(&file).map_err(|error| format!("{file}: {error}"))?;
        // The name may hold anything but ends in a bracket; user and system time come 12th
        // and 13th after it.
        let fields = text.rsplit(')').next().unwrap_or_default().split_whitespace();
        let ticks: u64 =
            fields.skip(11).take(2).filter_map(|field| field.parse::<u64>().ok()).sum();
        let second = rustix::param::clock_ticks_per_second();
        Ok(Duration::from_secs_f64(ticks as f64 / second as f64))
    }

    /// Ends it in order, so that its log can be read.
    pub async fn stop(mut self) -> Outcome {
        kill_process(self.pid, Signal::TERM).map_err(|error| format!("stopping: {error}"))?;
        let ended = tokio::time::timeout(PATIENCE, self.process.wait()).await;
        match ended {
            Ok(Ok(status)) if status.success() => Ok(()),
            Ok(Ok(status)) => Err(format!("plancard serve ended with {status}")),
            Ok(Err(error)) => Err(format!("plancard serve can't be waited for: {error}")),
            Err(_) => Err("plancard serve did not stop".to_owned()),
        }
    }
}

/// Memory of a process in megabytes.
pub struct Memory {
    /// Its own pages, and its share of those it has in common with others.
    pub pss: f64,
    /// All its pages.
    pub rss: f64,
}

/// A program that was built beside this one.
pub fn program(name: &str) -> Outcome<PathBuf> {
    let own = std::env::current_exe().map_err(|error| format!("this program: {error}"))?;
    let program = own.parent().unwrap_or(Path::new(".")).join(name);
    if program.is_file() {
        return Ok(program);
    }
    Err(format!("{name} is not built; start this as `cargo xtask bench`"))
}

async fn address(mut lines: BufReader<tokio::process::ChildStdout>) -> Outcome<String> {
    let mut line = String::new();
    loop {
        line.clear();
        match lines.read_line(&mut line).await {
            Ok(0) | Err(_) => return Err("plancard serve ended before it listened".to_owned()),
            Ok(_) => {}
        }
        if let Some(address) = line.strip_prefix("listening on ") {
            return Ok(address.trim().to_owned());
        }
    }
}
