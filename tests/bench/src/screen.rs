//! A screen nobody sees: an X server, a window manager and a bus, with folders of their own.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, BufReader, Lines};
use tokio::process::{Child, ChildStdout, Command};

use crate::Outcome;

const PATIENCE: Duration = Duration::from_secs(20);

/// A bus that starts nothing by itself, so that only what is measured runs.
const BUS: &str = r#"<busconfig>
  <type>session</type>
  <listen>unix:tmpdir=/tmp</listen>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>"#;

/// The screen, until it is dropped.
pub struct Screen {
    folder: TempDir,
    display: String,
    bus: String,
    helpers: Vec<Child>,
}

impl Screen {
    /// Starts the three.
    pub async fn open() -> Outcome<Self> {
        let folder = tempfile::tempdir().map_err(|error| format!("a folder: {error}"))?;
        prepare(folder.path()).map_err(|error| format!("folders for the screen: {error}"))?;
        let empty = String::new();
        let mut screen = Self { folder, display: empty.clone(), bus: empty, helpers: Vec::new() };
        // Without `-noreset` it throws everyone out when the first who asks has left.
        let size = ["-screen", "0", "1600x1000x24"];
        let display = [&["-displayfd", "1", "-noreset", "-nolisten", "tcp"][..], &size].concat();
        screen.display = format!(":{}", screen.helper("Xvfb", &display).await?.line().await?);
        let config = screen.folder.path().join("bus.conf");
        let config = format!("--config-file={}", config.display());
        let bus = ["--nofork", "--print-address=1", &config];
        screen.bus = screen.helper("dbus-daemon", &bus).await?.line().await?;
        let openbox = screen.program("openbox").arg("--sm-disable").spawn();
        screen.helpers.push(openbox.map_err(|error| format!("openbox: {error}"))?);
        // A name nobody has used yet is not followed, so it is asked for again and again.
        let begun = Instant::now();
        while !screen.property("_NET_SUPPORTING_WM_CHECK").await?.line().await?.contains("0x") {
            if begun.elapsed() > PATIENCE {
                return Err("openbox does not manage the screen".to_owned());
            }
        }
        Ok(screen)
    }

    /// A program on this screen; it ends with its handle.
    pub fn program(&self, name: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(name);
        let at = |name: &str| self.folder.path().join(name);
        command
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", at("home"))
            .env("XDG_RUNTIME_DIR", at("run"))
            .env("XDG_DATA_HOME", at("data"))
            .env("XDG_CONFIG_HOME", at("config"))
            .env("XDG_CACHE_HOME", at("cache"))
            .env("DISPLAY", &self.display)
            .env("DBUS_SESSION_BUS_ADDRESS", &self.bus)
            .env("GDK_BACKEND", "x11")
            .env("NO_AT_BRIDGE", "1")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .kill_on_drop(true);
        command
    }

    /// What the screen says of itself under this name, now and at every change.
    pub async fn property(&self, name: &str) -> Outcome<Told> {
        self.start("xprop", &["-root", "-spy", name]).await
    }

    async fn helper(&mut self, name: &str, words: &[&str]) -> Outcome<Told> {
        let mut told = self.start(name, words).await?;
        self.helpers.extend(told.process.take());
        Ok(told)
    }

    async fn start(&self, name: &str, words: &[&str]) -> Outcome<Told> {
        let mut command = self.program(name);
        let started = command.args(words).stdout(Stdio::piped()).spawn();
        let mut process = started.map_err(|error| format!("{name} can't be started: {error}"))?;
        let out = process.stdout.take().ok_or("a program without output")?;
        let lines = BufReader::new(out).lines();
        Ok(Told { name: name.to_owned(), lines, process: Some(process) })
    }
}

/// What a program prints, line by line.
pub struct Told {
    name: String,
    lines: Lines<BufReader<ChildStdout>>,
    process: Option<Child>,
}

impl Told {
    /// The next line.
    pub async fn line(&mut self) -> Outcome<String> {
        match tokio::time::timeout(PATIENCE, self.lines.next_line()).await {
            Ok(Ok(Some(line))) => Ok(line),
            Ok(Ok(None) | Err(_)) => Err(format!("{} ended", self.name)),
            Err(_) => Err(format!("{} has nothing to say", self.name)),
        }
    }

    /// Returns at the first line that fits.
    pub async fn until(&mut self, fits: impl Fn(&str) -> bool) -> Outcome {
        while !fits(&self.line().await?) {}
        Ok(())
    }
}

fn prepare(folder: &Path) -> std::io::Result<()> {
    for name in ["home", "run", "data", "config", "cache"] {
        fs::create_dir(folder.join(name))?;
    }
    fs::set_permissions(folder.join("run"), fs::Permissions::from_mode(0o700))?;
    fs::write(folder.join("bus.conf"), BUS)
}
