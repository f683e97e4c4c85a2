//! Servers that are written as `npx package` or `uvx package`: fetched once, when a person allows
//! it, and then run from a folder of ours without network.
//!
//! Fetching happens in the sandbox, too, and runs nothing of the package: what is needed is worked
//! out first and written to a lockfile, that is checked, and then exactly that is unpacked. Install
//! scripts are off, Python packages are taken only where they need no building, and nothing comes
//! from git or an address.

use super::error::McpError;
use super::lockfile::{self, Installed};
use super::package_manager::{InstallGrant, PackageManager, Unfetched};
use super::package_settings::PackageSettings;
use super::registries::Registries;
use super::server::{Reach, Server};
use super::servers::Surroundings;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// Says what a folder holds; written last, so that a broken one is made again.
const STAMP: &str = "installed";
/// The settings file that npm is given; it may log in, so it goes when npm is done.
const NPMRC: &str = "npmrc";
const CACHE: &str = "cache";
const NPM_LOCK: &str = "package-lock.json";
const PYTHON_LOCK: &str = "requirements.txt";
/// Nothing of a package runs, nothing comes from git, and no other settings count.
const NPM: [&str; 17] = [
    "--ignore-scripts",
    "--allow-git=none",
    "--allow-directory=none",
    "--allow-file=root",
    "--git=/nonexistent",
    "--no-audit",
    "--no-fund",
    "--no-update-notifier",
    "--fetch-retries=1",
    "--lockfile-version=3",
    "--userconfig",
    NPMRC,
    "--globalconfig",
    "/dev/null",
    "--prefix",
    ".",
    "--cache=cache",
];
const ONLY_WHEELS: [&str; 5] = ["--quiet", "--only-binary", ":all:", "--python", "venv/bin/python"];

/// What the stamp says.
#[derive(Serialize, Deserialize)]
struct Stamp {
    asked: String,
    installed: Installed,
}

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
    /// `npx` or `uvx` as the person wrote it.
    command: PathBuf,
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
        let (args, command) = (words.cloned().collect(), command.into());
        Some(Self { by, package: package.or(first)?, program, args, command })
    }

    /// The hosts it has to reach, by the person's own settings.
    pub(super) fn hosts(&self, settings: &PackageSettings) -> Vec<String> {
        self.registries(settings).hosts
    }

    fn registries(&self, settings: &PackageSettings) -> Registries {
        match self.by {
            "npx" => Registries::npm(settings),
            _ => Registries::python(settings),
        }
    }

    /// Fetches it into a folder of its own.
    pub(super) async fn fetch(
        &self,
        server: &str,
        folder: &Path,
        around: &Surroundings,
        grant: &InstallGrant,
    ) -> Result<Installed, McpError> {
        let server = server.to_owned();
        match self.fetched(folder, around, grant).await {
            Ok(installed) => Ok(installed),
            Err(Unfetched::Host(host)) => Err(McpError::NeedsHost { server, host }),
            Err(Unfetched::Failed(why)) => Err(McpError::NotStarted { server, why }),
        }
    }

    async fn fetched(
        &self,
        folder: &Path,
        around: &Surroundings,
        grant: &InstallGrant,
    ) -> Result<Installed, Unfetched> {
        let wanted = self.wanted()?;
        let io = |error: std::io::Error| format!("it can't be installed: {error}");
        if folder.exists() {
            std::fs::remove_dir_all(folder).map_err(io)?;
        }
        std::fs::create_dir_all(folder).map_err(io)?;
        let folder = &folder.canonicalize().map_err(io)?;
        let registries = self.registries(&around.package_settings);
        let text = [registries.npmrc.as_str(), &wanted][usize::from(self.by == "uvx")];
        let name = [NPMRC, "requirements.in"][usize::from(self.by == "uvx")];
        let mut open = std::fs::OpenOptions::new();
        let file = open.write(true).create_new(true).mode(0o600).open(folder.join(name));
        file.and_then(|mut file| file.write_all(text.as_bytes())).map_err(io)?;
        let variables = [
            ("UV_CACHE_DIR", folder.join(CACHE).display().to_string()),
            ("UV_PYTHON_DOWNLOADS", "never".to_owned()),
            ("UV_KEYRING_PROVIDER", "disabled".to_owned()),
            ("UV_HTTP_RETRIES", "1".to_owned()),
        ];
        let manager = PackageManager {
            beside: Some(self.command.as_path()).filter(|command| command.is_absolute()),
            folder,
            around,
            grant,
            registries: &registries,
            file: self.file(),
            variables: variables.into(),
        };
        let installed = match self.by {
            "npx" => self.fetch_npm(&manager, &wanted).await,
            _ => self.fetch_python(&manager).await,
        };
        let _ = std::fs::remove_file(folder.join(NPMRC));
        let _ = std::fs::remove_dir_all(folder.join(CACHE));
        let installed = installed?;
        let stamp = Stamp { asked: self.stamp(), installed };
        let text = serde_json::to_vec(&stamp).map_err(|error| io(error.into()))?;
        std::fs::write(folder.join(STAMP), text).map_err(io)?;
        Ok(stamp.installed)
    }

    async fn fetch_npm(
        &self,
        npm: &PackageManager<'_>,
        wanted: &str,
    ) -> Result<Installed, Unfetched> {
        let resolve = ["install", "--package-lock-only"];
        npm.run("npm", &[&resolve[..], &NPM, &[wanted]].concat()).await?;
        let lockfile = npm.folder.join(NPM_LOCK);
        let installed = lockfile::npm(&lockfile, &npm.grant.hosts, self.file().is_some())?;
        npm.run("npm", &[&["ci"][..], &NPM].concat()).await?;
        Ok(installed)
    }

    async fn fetch_python(&self, uv: &PackageManager<'_>) -> Result<Installed, Unfetched> {
        uv.run("uv", &["venv", "--quiet", "venv"]).await?;
        let plain = ["--generate-hashes", "--no-header", "--no-annotate", "--output-file"];
        let files = [PYTHON_LOCK, "requirements.in"];
        let resolve = [&["pip", "compile"][..], &ONLY_WHEELS, &plain, &files].concat();
        uv.run("uv", &resolve).await?;
        let (lockfile, name) = (uv.folder.join(PYTHON_LOCK), python_name(&self.package));
        let installed = lockfile::python(&lockfile, name, self.file().is_some())?;
        let unpack = ["--require-hashes", PYTHON_LOCK];
        uv.run("uv", &[&["pip", "sync"][..], &ONLY_WHEELS, &unpack].concat()).await?;
        Ok(installed)
    }

    /// What to ask for; an error for what is of no registry.
    fn wanted(&self) -> Result<String, String> {
        let package = self.package.as_str();
        if self.file().is_some() {
            return Ok(package.to_owned());
        }
        let scope = |rest: &str| rest.split_once('/').map(|(_, name)| name.to_owned());
        let name = match (self.by, package.strip_prefix('@')) {
            ("npx", Some(rest)) => scope(rest),
            _ => Some(package.to_owned()),
        };
        if name.is_none_or(|name| name.contains(['/', ':', '\\', '\n'])) {
            return Err(format!(
                "{package} is not a package of a registry. Packages from git, folders or addresses \
                 are not installed."
            ));
        }
        Ok(match (self.by, package.split_once('@')) {
            // As uvx reads it, and as uv's `pip` does not.
            ("uvx", Some((name, "latest"))) => name.to_owned(),
            ("uvx", Some((name, version))) => format!("{name}=={version}"),
            _ => package.to_owned(),
        })
    }

    /// The package where it is a file of the person's.
    fn file(&self) -> Option<&Path> {
        Some(Path::new(&self.package)).filter(|path| path.is_absolute())
    }

    /// What was fetched, if it was.
    pub(super) fn installed(&self, folder: &Path) -> Option<Installed> {
        let text = std::fs::read(folder.join(STAMP)).ok()?;
        let stamp: Stamp = serde_json::from_slice(&text).ok()?;
        (stamp.asked == self.stamp()).then_some(stamp.installed)
    }

    /// How the server is reached once its package is there.
    pub(super) fn reach(&self, reach: &Reach, folder: &Path) -> Option<Reach> {
        let Reach::Program { env, cwd, read, .. } = reach else { return None };
        let command = match self.by {
            "npx" => folder.join("node_modules/.bin").join(self.npm_program(folder)?),
            _ => {
                let named = self.program.as_deref().unwrap_or(&self.package);
                folder.join("venv/bin").join(python_name(named))
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

/// The name of a package of Python without what is wanted of it.
fn python_name(wanted: &str) -> &str {
    let end = wanted.find(|c: char| "=@[<>!~; ".contains(c));
    &wanted[..end.unwrap_or(wanted.len())]
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
    fn what_is_to_be_fetched_is_read_from_the_command_line() {
        let plain = of("npx", &["-y", "@a/server", "--flag", "."]).unwrap();
        assert_eq!(plain, ("npx", "@a/server".into(), None, vec!["--flag".into(), ".".into()]));
        let named = of("/usr/bin/npx", &["--package=pkg", "prog"]).unwrap();
        assert_eq!(named, ("npx", "pkg".into(), Some("prog".into()), vec![]));
        let from = of("uvx", &["--from", "pkg==1", "prog", "x"]).unwrap();
        assert_eq!(from, ("uvx", "pkg==1".into(), Some("prog".into()), vec!["x".into()]));
        assert!(of("node", &["server.js"]).is_none() && of("npx", &["-y"]).is_none());
    }

    #[test]
    fn only_packages_of_a_registry_and_files_are_wanted() {
        let wanted = |by: &str, package: &str| {
            let server = of(by, &["--package", package, "x"]).unwrap();
            let (by, package) = (server.0, server.1);
            let (program, args, command) = (None, Vec::new(), by.into());
            Install { by, package, program, args, command }.wanted()
        };
        for (by, package, asked) in [
            ("npx", "server", "server"),
            ("npx", "@a/server@1.2", "@a/server@1.2"),
            ("npx", "/home/me/server.tgz", "/home/me/server.tgz"),
            ("uvx", "server", "server"),
            ("uvx", "server@latest", "server"),
            ("uvx", "server@1.2", "server==1.2"),
            ("uvx", "server[x]>=1,<2", "server[x]>=1,<2"),
        ] {
            assert_eq!(wanted(by, package).as_deref(), Ok(asked));
        }
        for (by, package) in [
            ("npx", "some/one"),
            ("npx", "github:some/one"),
            ("npx", "git+https://git.example/a.git"),
            ("npx", "https://files.example/a.tgz"),
            ("npx", "@a"),
            ("npx", "@a/b@https://files.example/b.tgz"),
            ("npx", "./here"),
            ("uvx", "git+https://git.example/a.git"),
            ("uvx", "a @ https://files.example/a.whl"),
            ("uvx", "a@git+https://git.example/a"),
            ("uvx", "./here"),
            ("uvx", "a\n--index-url=evil"),
        ] {
            assert!(wanted(by, package).is_err(), "{package}");
        }
    }
}
