//! The server program that people get, in a process of its own, on folders of its own.

use crate::http;
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, ChildStdout, Command};

const TOKEN: &str = "a-token-for-the-evaluation";
const PATIENCE: Duration = Duration::from_secs(30);
/// A check takes some ten short answers.
const CHECK: Duration = Duration::from_secs(1_800);

/// How the server is started: the program and the words before its options.
#[derive(Debug, Clone)]
pub struct Program {
    path: PathBuf,
    words: &'static [&'static str],
}

impl Program {
    /// The one at this path, or the one that was built beside this program.
    pub fn find(given: Option<&Path>) -> Result<Self, String> {
        let own = std::env::current_exe().map_err(|error| format!("this program: {error}"))?;
        let beside = own.parent().unwrap_or(Path::new("."));
        Self::at(given, beside)
    }

    fn at(given: Option<&Path>, beside: &Path) -> Result<Self, String> {
        let known = |path: PathBuf| {
            let is_server = path.file_name().is_some_and(|name| name == "plancard-serve");
            let words: &[&str] = if is_server { &[] } else { &["serve"] };
            path.is_file().then_some(Self { path, words })
        };
        if let Some(path) = given {
            return known(path.to_owned())
                .ok_or_else(|| format!("there is no program {}", path.display()));
        }
        let new = std::fs::read(beside.join("plancard")).is_ok_and(|_| !windowed(beside));
        let names =
            if new { ["plancard", "plancard-serve"] } else { ["plancard-serve", "plancard"] };
        names
            .into_iter()
            .find_map(|name| known(beside.join(name)))
            .ok_or_else(|| "the server is not built; start this as `cargo xtask eval`".to_owned())
    }
}

/// Whether `plancard` here is still the window, with the server in a program beside it.
fn windowed(beside: &Path) -> bool {
    beside.join("plancard-serve").is_file() && !beside.join("plancard-window").is_file()
}

/// A running server.
pub struct Server {
    process: Child,
    address: String,
    /// Data and configuration; gone with the server.
    _folder: TempDir,
}

impl Server {
    /// Starts one with this configuration and waits until it listens.
    pub async fn start(program: &Program, yaml: &str, log: &Path) -> Result<Self, String> {
        let folder = tempfile::tempdir().map_err(|error| format!("no folder: {error}"))?;
        let config = folder.path().join("config/plancard.yaml");
        std::fs::create_dir(folder.path().join("config"))
            .and_then(|()| std::fs::write(&config, yaml))
            .map_err(|error| format!("cannot write the configuration: {error}"))?;
        let errors = std::fs::File::create(log)
            .map_err(|error| format!("cannot write {}: {error}", log.display()))?;
        let mut command = Command::new(&program.path);
        command
            .args(program.words)
            .arg("--data")
            .arg(folder.path().join("data"))
            .arg("--config")
            .arg(&config)
            .env("PLANCARD_TOKEN", TOKEN)
            .env("PLANCARD_RIGHTS", "read,supervise,run,approve")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(errors)
            .kill_on_drop(true);
        let name = program.path.display();
        let mut process =
            command.spawn().map_err(|error| format!("{name} can't be started: {error}"))?;
        let out = process.stdout.take().ok_or("the server has no output")?;
        let address = tokio::time::timeout(PATIENCE, address(BufReader::new(out)))
            .await
            .map_err(|_| format!("{name} did not say where it listens"))?
            .map_err(|why| {
                let said = std::fs::read_to_string(log).unwrap_or_default();
                format!("{why}: {}", said.trim())
            })?;
        Ok(Self { process, address, _folder: folder })
    }

    /// Asks for something.
    pub async fn get(&self, path: &str) -> Result<Value, String> {
        self.send(http::client().get(format!("{}{path}", self.address)), path).await
    }

    /// Sends JSON.
    pub async fn post(&self, path: &str, body: Value) -> Result<Value, String> {
        let request = http::client().post(format!("{}{path}", self.address));
        let request = request.header(CONTENT_TYPE, "application/json").body(body.to_string());
        self.send(request, path).await
    }

    /// What a check of the model found, however slow it is.
    pub async fn check(&self) -> Result<Value, String> {
        let path = "/v1/models/profile";
        let request = http::client().post(format!("{}{path}", self.address)).timeout(CHECK);
        self.answer(request.header(CONTENT_TYPE, "application/json").body("{}"), path).await
    }

    /// Every event of a room up to this one.
    pub async fn events(&self, room: &str, upto: u64) -> Result<Vec<Value>, String> {
        let path = format!("/v1/rooms/{room}/stream");
        let request = http::client().get(format!("{}{path}", self.address));
        let failed = |error: reqwest::Error| format!("{path}: {error}");
        let mut answer = request.header(AUTHORIZATION, bearer()).send().await.map_err(failed)?;
        let (mut bytes, mut events) = (Vec::new(), Vec::new());
        let reading = async {
            while let Some(piece) = answer.chunk().await.map_err(failed)? {
                bytes.extend_from_slice(&piece);
                while let Some(end) = bytes.iter().position(|byte| *byte == b'\n') {
                    let line: Vec<u8> = bytes.drain(..=end).collect();
                    let Some(data) = line.strip_prefix(b"data:") else { continue };
                    let Ok(event) = serde_json::from_slice::<Value>(data) else { continue };
                    let Some(seq) = event["seq"].as_u64() else { continue };
                    events.push(event);
                    if seq >= upto {
                        return Ok::<(), String>(());
                    }
                }
            }
            Ok(())
        };
        let read = tokio::time::timeout(PATIENCE, reading).await;
        read.map_err(|_| format!("{path} stopped before event {upto}"))??;
        Ok(events)
    }

    /// A long text by its hash.
    pub async fn blob(&self, hash: &str) -> Option<String> {
        let request = http::client().get(format!("{}/v1/blobs/{hash}", self.address));
        request.header(AUTHORIZATION, bearer()).send().await.ok()?.text().await.ok()
    }

    /// Ends it in order.
    pub async fn stop(mut self) {
        let pid = self.process.id().and_then(|pid| Pid::from_raw(i32::try_from(pid).ok()?));
        if let Some(pid) = pid {
            // One that is gone already has nothing left to end.
            let _ = kill_process(pid, Signal::TERM);
            let _ = tokio::time::timeout(PATIENCE, self.process.wait()).await;
        }
    }

    /// Whether it is still there.
    pub fn runs(&mut self) -> bool {
        matches!(self.process.try_wait(), Ok(None))
    }

    async fn send(&self, request: reqwest::RequestBuilder, path: &str) -> Result<Value, String> {
        self.answer(request.timeout(PATIENCE), path).await
    }

    async fn answer(&self, request: reqwest::RequestBuilder, path: &str) -> Result<Value, String> {
        let failed = |error: reqwest::Error| format!("{path}: {error}");
        let request = request.header(AUTHORIZATION, bearer());
        let answer = request.send().await.map_err(failed)?;
        let status = answer.status();
        let body = answer.bytes().await.map_err(failed)?;
        if !status.is_success() {
            return Err(format!("{path}: {status}: {}", String::from_utf8_lossy(&body)));
        }
        serde_json::from_slice(&body).map_err(|error| format!("{path}: {error}"))
    }
}

fn bearer() -> String {
    format!("Bearer {TOKEN}")
}

async fn address(mut lines: BufReader<ChildStdout>) -> Result<String, String> {
    let mut line = String::new();
    loop {
        line.clear();
        match lines.read_line(&mut line).await {
            Ok(0) | Err(_) => return Err("the server ended before it listened".to_owned()),
            Ok(_) => {}
        }
        if let Some(address) = line.strip_prefix("listening on ") {
            return Ok(address.trim().to_owned());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(files: &[&str]) -> Result<(String, usize), String> {
        let folder = tempfile::tempdir().expect("a folder");
        for file in files {
            std::fs::write(folder.path().join(file), "").expect("a file");
        }
        let program = Program::at(None, folder.path())?;
        let name = program.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Ok((name, program.words.len()))
    }

    #[test]
    fn the_command_line_comes_before_the_old_server() {
        assert_eq!(found(&["plancard"]), Ok(("plancard".into(), 1)));
        assert_eq!(found(&["plancard-serve"]), Ok(("plancard-serve".into(), 0)));
        // There `plancard` is the window.
        assert_eq!(found(&["plancard", "plancard-serve"]), Ok(("plancard-serve".into(), 0)));
        let all = ["plancard", "plancard-serve", "plancard-window"];
        assert_eq!(found(&all), Ok(("plancard".into(), 1)));
        assert!(found(&[]).is_err());
    }
}
