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
use std::fs::OpenOptions;
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

/// Options of `npx` and `uvx` that say nothing of what is fetched or from where.
const HARMLESS: [&str; 10] = [
    "--",
    "-y",
    "--yes",
    "-q",
    "--quiet",
    "-n",
    "--no-cache",
    "--isolated",
    "--refresh",
    "--offline",
];

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
        let own = |value: &str| Some(value.to_owned());
        let (mut package, mut first) = (None, None);
        while first.is_none() {
            let word = words.next()?;
            let (flag, value) = word.split_once('=').unzip();
            match (by, flag.unwrap_or(word)) {
                ("npx", "-p" | "--package") | ("uvx", "--from") => {
                    package = Some(value.map_or_else(|| words.next().cloned(), own)?);
                }
                // It runs with the Python that is there.
                ("uvx", "-p" | "--python") if value.is_none() => _ = words.next()?,
                ("uvx", "--python") => {}
                (_, flag) if HARMLESS.contains(&flag) => {}
                // It may name another registry, so nothing is fetched: see `wanted`.
                (_, flag) if flag.starts_with('-') => {
                    (package, first) = (Some(word.clone()), Some(word.clone()));
                }
                (_, _) => first = Some(word.clone()),
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
        put(&folder.join(name), text.as_bytes()).map_err(io)?;
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
        // What ran in there is over, but may have left something by this name.
        let _ = std::fs::remove_file(folder.join(STAMP));
        put(&folder.join(STAMP), &text).map_err(io)?;
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
        if package.starts_with('-') {
            return Err(format!(
                "the option {package} of {} is not understood here; registries and indexes are \
                 taken from your own settings of npm and uv",
                self.by
            ));
        }
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
            "npx" => {
                let name = self.npm_program(folder)?;
                // A package says what it is called, and that must not lead elsewhere.
                let is_name = Path::new(&name).file_name().is_some_and(|own| own == name.as_str());
                is_name.then(|| folder.join("node_modules/.bin").join(&name))?
            }
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
            serde_json::from_str(&lockfile::plain(&file).ok()?).ok()
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

/// Writes a new file, never through a link.
fn put(file: &Path, bytes: &[u8]) -> std::io::Result<()> {
    OpenOptions::new().write(true).create_new(true).mode(0o600).open(file)?.write_all(bytes)
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
        let python = of("uvx", &["--python", "3.12", "-q", "pkg", "--flag"]).unwrap();
        assert_eq!(python, ("uvx", "pkg".into(), None, vec!["--flag".into()]));
        for (by, flag) in [
            ("npx", "--registry=https://npm.corp.example/"),
            ("npx", "--registry"),
            ("uvx", "--index-url=https://pip.corp.example/simple"),
            ("uvx", "--with"),
            ("npx", "--from"),
        ] {
            let (_, package, ..) = of(by, &[flag, "-y", "pkg"]).unwrap();
            assert_eq!(package, flag, "nothing else is fetched in its place");
        }
        assert!(of("node", &["server.js"]).is_none() && of("npx", &["-y"]).is_none());
    }

    #[test]
    fn only_packages_of_a_registry_and_files_are_wanted() {
        let wanted = |by: &str, package: &str| {
            let flag = if by == "npx" { "--package" } else { "--from" };
            let server = of(by, &[flag, package, "x"]).unwrap();
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
            ("npx", "--registry=https://npm.corp.example/"),
            ("npx", "--registry"),
            ("uvx", "--with"),
            ("uvx", "git+https://git.example/a.git"),
            ("uvx", "a @ https://files.example/a.whl"),
            ("uvx", "a@git+https://git.example/a"),
            ("uvx", "./here"),
            ("uvx", "a\n--index-url=evil"),
        ] {
            assert!(wanted(by, package).is_err(), "{package}");
        }
    }

    #[test]
    fn a_package_names_no_program_of_the_persons() {
        let folder = tempfile::tempdir().unwrap();
        let tiny = folder.path().join("node_modules/tiny");
        std::fs::create_dir_all(&tiny).unwrap();
        std::fs::write(folder.path().join("package.json"), r#"{"dependencies":{"tiny":"1"}}"#)
            .unwrap();
        let (package, command) = ("tiny".to_owned(), PathBuf::from("npx"));
        let install = Install { by: "npx", package, program: None, args: Vec::new(), command };
        let (env, cwd, read) = (BTreeMap::new(), None, Vec::new());
        let reach = Reach::Program { command: "npx".into(), args: Vec::new(), env, cwd, read };
        for (name, runs) in [
            ("tiny", true),
            ("other", true),
            ("/home/me/.ssh/id_ed25519", false),
            ("../../../secret", false),
            ("..", false),
            ("", false),
        ] {
            let about = serde_json::json!({ "bin": { name: "cli.js" } }).to_string();
            std::fs::write(tiny.join("package.json"), about).unwrap();
            assert_eq!(install.reach(&reach, folder.path()).is_some(), runs, "{name}");
        }
    }
}
