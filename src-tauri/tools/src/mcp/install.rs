//! Servers that are written as `npx package` or `uvx package`: fetched once,
//! when a person allows it, and then run from a folder of ours without network.
//!
//! Fetching runs nothing of the package: install scripts are off, and Python
//! packages are taken only where they need no building.

use super::error::McpError;
use super::server::{Reach, Server};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;
use tokio::process::Command;

/// How long fetching may take.
const PATIENCE: Duration = Duration::from_secs(600);
/// Says what a folder holds; written last, so that a broken one is made again.
const STAMP: &str = "installed";
/// What a fetching program may know of our environment.
const PASSED: [&str; 14] = [
    "PATH",
    "HOME",
    "LANG",
    "TMPDIR",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "REQUESTS_CA_BUNDLE",
    "CURL_CA_BUNDLE",
    "NODE_EXTRA_CA_CERTS",
    "NODE_USE_SYSTEM_CA",
];
const PASSED_PREFIXES: [&str; 4] = ["npm_config_", "NPM_CONFIG_", "PIP_", "UV_"];

/// A package that has to be fetched before its server can run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Install {
    /// `npx` or `uvx`.
    pub by: &'static str,
    /// The package.
    pub package: String,
    /// The program in it, where that is written.
    program: Option<String>,
    /// The program's arguments.
    args: Vec<String>,
}

impl Install {
    /// What a server's command line asks to be fetched.
    pub fn of(server: &Server) -> Option<Self> {
        let Reach::Program { command, args, .. } = &server.reach else { return None };
        let by = match Path::new(command).file_name()?.to_str()? {
            "npx" => "npx",
            "uvx" => "uvx",
            _ => return None,
        };
        let mut words = args.iter();
        let (mut package, mut first) = (None, None);
        while first.is_none() {
            let word = words.next()?;
            match word.as_str() {
                "-p" | "--package" | "--from" => package = Some(words.next()?.clone()),
                flag if flag.starts_with('-') => {
                    let value = flag.split_once('=');
                    let named = value.filter(|(name, _)| ["--package", "--from"].contains(name));
                    package = named.map(|(_, value)| value.to_owned()).or(package);
                }
                _ => first = Some(word.clone()),
            }
        }
        // Without a package by itself, the program's name is the package's.
        let program = package.as_ref().and(first.clone());
        Some(Self { by, package: package.or(first)?, program, args: words.cloned().collect() })
    }

    /// Fetches it into a folder of its own.
    pub(super) async fn fetch(&self, server: &str, folder: &Path) -> Result<(), McpError> {
        let failed = |why: String| McpError::NotStarted { server: server.to_owned(), why };
        let io = |error: std::io::Error| failed(format!("it can't be installed: {error}"));
        if folder.exists() {
            std::fs::remove_dir_all(folder).map_err(io)?;
        }
        std::fs::create_dir_all(folder).map_err(io)?;
        let package = self.package.as_str();
        let steps: Vec<(&str, Vec<&str>)> = match self.by {
            "npx" => vec![(
                "npm",
                vec![
                    "install",
                    "--no-audit",
                    "--no-fund",
                    "--ignore-scripts",
                    "--prefix",
                    ".",
                    package,
                ],
            )],
            _ => vec![
                ("uv", vec!["venv", "--quiet", "venv"]),
                (
                    "uv",
                    vec![
                        "pip",
                        "install",
                        "--quiet",
                        "--python",
                        "venv/bin/python",
                        "--only-binary",
                        ":all:",
                        package,
                    ],
                ),
            ],
        };
        for (program, args) in steps {
            run(program, &args, folder).await.map_err(failed)?;
        }
        std::fs::write(folder.join(STAMP), self.stamp()).map_err(io)
    }

    /// Whether it was fetched.
    pub(super) fn is_there(&self, folder: &Path) -> bool {
        std::fs::read_to_string(folder.join(STAMP)).is_ok_and(|found| found == self.stamp())
    }

    /// How the server is reached once its package is there.
    pub(super) fn reach(&self, reach: &Reach, folder: &Path) -> Option<Reach> {
        let Reach::Program { env, cwd, read, .. } = reach else { return None };
        let command = match self.by {
            "npx" => folder.join("node_modules/.bin").join(self.npm_program(folder)?),
            _ => {
                let named = self.program.as_deref().unwrap_or(&self.package);
                folder.join("venv/bin").join(named.split(['=', '@', '[', '<', '>']).next()?)
            }
        };
        let mut read: Vec<PathBuf> = read.clone();
        read.push(folder.to_owned());
        let (env, cwd): (BTreeMap<_, _>, _) = (env.clone(), cwd.clone());
        let command = command.to_string_lossy().into_owned();
        Some(Reach::Program { command, args: self.args.clone(), env, cwd, read })
    }

    /// The program that a package brings: the only one, or the one with its name.
    fn npm_program(&self, folder: &Path) -> Option<String> {
        if let Some(named) = &self.program {
            return Some(named.clone());
        }
        let read = |file: PathBuf| -> Option<Value> {
            serde_json::from_slice(&std::fs::read(file).ok()?).ok()
        };
        let own = read(folder.join("package.json"))?;
        let package = own["dependencies"].as_object()?.keys().next()?.clone();
        let about = read(folder.join("node_modules").join(&package).join("package.json"))?;
        let short = package.rsplit('/').next()?.to_owned();
        let programs = &about["bin"];
        if programs.is_string() {
            return Some(short);
        }
        let programs = programs.as_object()?;
        match programs.len() {
            1 => programs.keys().next().cloned(),
            _ => programs.contains_key(&short).then_some(short),
        }
    }

    fn stamp(&self) -> String {
        format!("{} {}", self.by, self.package)
    }
}

async fn run(program: &str, args: &[&str], folder: &Path) -> Result<(), String> {
    let known = std::env::vars_os().filter(|(name, _)| is_passed(&name.to_string_lossy()));
    let mut command = Command::new(program);
    command.args(args).current_dir(folder).env_clear().envs(known).stdin(Stdio::null());
    let output = tokio::time::timeout(PATIENCE, command.kill_on_drop(true).output()).await;
    match output {
        Err(_) => Err(format!("{program} took more than {} s", PATIENCE.as_secs())),
        Ok(Err(error)) => Err(format!("{program} can't be started: {error}")),
        Ok(Ok(output)) if output.status.success() => Ok(()),
        Ok(Ok(output)) => {
            let said = String::from_utf8_lossy(&output.stderr);
            let said = said.trim_end();
            Err(format!(
                "{program} failed: {}",
                &said[said.ceil_char_boundary(said.len().saturating_sub(600))..]
            ))
        }
    }
}

/// Whether a fetching program may know this variable, in capitals or not.
fn is_passed(name: &str) -> bool {
    let prefixed = PASSED_PREFIXES.iter().any(|prefix| name.starts_with(prefix));
    prefixed || PASSED.iter().any(|passed| name.eq_ignore_ascii_case(passed))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(
        command: &str,
        args: &[&str],
    ) -> Option<(&'static str, String, Option<String>, Vec<String>)> {
        let server = Server {
            name: "s".to_owned(),
            reach: Reach::Program {
                command: command.to_owned(),
                args: args.iter().map(ToString::to_string).collect(),
                env: BTreeMap::new(),
                cwd: None,
                read: Vec::new(),
            },
            share: false,
            trusted: false,
            effects: BTreeMap::new(),
        };
        Install::of(&server).map(|found| (found.by, found.package, found.program, found.args))
    }

    #[test]
    #[rustfmt::skip]
    fn a_fetching_program_knows_the_way_out_and_whom_to_trust_there() {
        for name in [
            "http_proxy", "HTTPS_PROXY", "https_proxy", "no_proxy", "all_proxy", "SSL_CERT_FILE",
            "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "NODE_EXTRA_CA_CERTS",
            "NODE_USE_SYSTEM_CA", "NPM_CONFIG_CAFILE", "npm_config_cafile", "PIP_CERT",
            "UV_NATIVE_TLS", "UV_SYSTEM_CERTS",
        ] {
            assert!(is_passed(name), "{name}");
        }
        for name in ["OPENAI_API_KEY", "NODE_OPTIONS", "LD_PRELOAD", "SSH_AUTH_SOCK"] {
            assert!(!is_passed(name), "{name}");
        }
    }

    #[test]
    fn what_is_to_be_fetched_is_read_from_the_command_line() {
        let plain = of("npx", &["-y", "@a/server", "--flag", "."]).unwrap();
        assert_eq!(plain, ("npx", "@a/server".into(), None, vec!["--flag".into(), ".".into()]));
        let named = of("/usr/bin/npx", &["--package=pkg", "prog"]).unwrap();
        assert_eq!(named, ("npx", "pkg".into(), Some("prog".into()), vec![]));
        let from = of("uvx", &["--from", "pkg==1", "prog", "x"]).unwrap();
        assert_eq!(from, ("uvx", "pkg==1".into(), Some("prog".into()), vec!["x".into()]));
        assert!(of("node", &["server.js"]).is_none() && of("npx", &["-y"]).is_none());
    }
}
