//! The sandbox for Linux: bubblewrap with namespaces of its own.
//!
//! The command sees an empty root into which only these are mounted: the
//! system's programs, toolchains, folders the person lists (all read-only),
//! the workspace, a private home and a private `/tmp`. It has its own
//! process, network and IPC namespaces and no capabilities. So the
//! session bus, the display, `/run`, other processes, loopback and abstract
//! sockets are out of reach because they are not there. System calls that would
//! go round all this are refused by a filter (see `seccomp`).
//!
//! Everything that does not depend on the call is worked out once.

use super::ingredients::file_of;
use super::seccomp::Filter;
use super::shell::{Meant, Shell};
use super::{Confined, Job, Sandbox, environment, git, home, listed, placeholders, system};
use crate::error::ToolError;
use crate::leftovers;
use crate::limited;
use crate::process;
use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, Stat, fstat, openat2, stat};
use rustix::io::Errno;
use std::ffi::{OsStr, OsString};
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

/// Confines commands with bubblewrap.
#[derive(Debug)]
pub struct Bubblewrap {
    program: PathBuf,
    shell: Shell,
    home: PathBuf,
    base: Mounts,
    environment: Vec<(OsString, OsString)>,
    path: Vec<PathBuf>,
    filter: Filter,
    /// What is shown of the system and must not be read.
    secrets: Arc<[PathBuf]>,
    /// Whether whoever starts a command covers these for all of them.
    are_covered: bool,
}

/// Arguments that mount things, and what they make visible.
#[derive(Debug, Default, Clone)]
pub(super) struct Mounts {
    pub(super) args: Vec<OsString>,
    pub(super) visible: Vec<PathBuf>,
    /// What was mounted by a path that a command could lead elsewhere.
    pub(super) meant: Vec<Meant>,
    /// Empty folders to make read-only at the end, when all mount points in
    /// them are made.
    sealed: Vec<PathBuf>,
}

impl Mounts {
    pub(super) fn push(&mut self, args: &[&dyn AsRef<OsStr>]) {
        self.args.extend(args.iter().map(|arg| arg.as_ref().to_owned()));
    }

    /// Shows a folder or file, which cannot be changed through it.
    pub(super) fn show(&mut self, source: &Path) {
        self.push(&[&"--ro-bind", &source, &source]);
        self.visible.push(source.to_owned());
    }

    /// Shows a copy where the folder is that it was made of, to be read. Where that can't be, there
    /// is an empty folder in which nothing can be written.
    fn show_copy(&mut self, job: &Job<'_>, original: &Path, whole: bool) {
        let in_copy = |shared: &Path| job.workspace.join(shared).is_dir();
        let below = job.shared.iter().filter_map(|shared| shared.strip_prefix(original).ok());
        match whole && below.into_iter().all(in_copy) {
            true => self.push(&[&"--ro-bind", &job.workspace, &original]),
            false => {
                self.push(&[&"--tmpfs", &original]);
                self.sealed.push(original.to_owned());
            }
        }
    }

    /// Shows a folder or file where others can put a link to anywhere at any moment. One that is
    /// there already is not followed, and when one comes before this is mounted, nothing is run.
    pub(super) fn share(&mut self, path: &Path, workspace: &Path) {
        let (Ok(found), Ok(workspace)) = (without_links(path), stat(workspace)) else { return };
        self.meant.push(Meant::of(path, &found, &workspace));
        self.show(path);
    }

    /// Has nothing run unless what is shown at a place is what now lies at a path without links.
    pub(super) fn mean(&mut self, place: &Path, path: &Path, workspace: &Path) {
        let meant = match (without_links(path), stat(workspace)) {
            (Ok(found), Ok(workspace)) => Meant::of(place, &found, &workspace),
            // A link took its place just now.
            _ => Meant { place: place.to_owned(), inode: 0, disk: None },
        };
        self.meant.push(meant);
    }

    /// Puts something empty over a folder or file that is really there.
    pub(super) fn hide(&mut self, path: &Path) {
        match path.is_dir() {
            true => {
                self.push(&[&"--tmpfs", &path]);
                self.sealed.push(path.to_owned());
            }
            // Devices do not work in here, so this cannot even be opened.
            false => self.push(&[&"--ro-bind", &"/dev/null", &path]),
        }
    }
}

impl Bubblewrap {
    /// Finds bubblewrap and tries it; `home` is the folder to replace by an
    /// empty one.
    pub fn new(home: &Path) -> Result<Self, String> {
        let home = &home.canonicalize().map_err(|err| format!("the home folder: {err}"))?;
        let program = system::find("bwrap")
            .ok_or("bubblewrap (bwrap) is not installed; install the package `bubblewrap`")?;
        let mut base = Mounts::default();
        base.push(NAMESPACES);
        system::mount(&mut base);
        home::mount(&mut base, home);
        let secrets = system::mount_with_secrets(&mut base);
        if try_out(&program, &base).is_err() {
            base = with_user_namespace(base);
            try_out(&program, &base).map_err(|problem| {
                format!(
                    "bubblewrap does not work here (it is older than 0.7, or a system setting \
                     forbids user namespaces): {problem}"
                )
            })?;
        }
        Ok(Self {
            filter: Filter::new()?,
            path: environment::path(&base.visible),
            environment: environment::allowed(home),
            home: home.clone(),
            program,
            shell: Shell::of_this_computer(),
            base,
            secrets: secrets.into(),
            are_covered: process::covers(),
        })
    }

    /// What every command gets, without secrets. Those that are gone can't be covered.
    fn base(&self) -> Mounts {
        let mut mounts = self.base.clone();
        let own = self.secrets.iter().filter(|secret| !self.are_covered && secret.exists());
        own.for_each(|secret| mounts.hide(secret));
        mounts
    }

    fn mounts(&self, job: &Job<'_>, files: &[Given]) -> Mounts {
        let mut mounts = self.base();
        let given = |mounts: &mut Mounts, how: &str, file: &Given| {
            mounts.push(&[&how, &file.content.as_raw_fd().to_string(), &file.path]);
        };
        let (at_home, over): (Vec<&Given>, Vec<&Given>) =
            files.iter().partition(|file| !file.replaces);
        for file in at_home {
            given(&mut mounts, "--file", file);
        }
        listed::hold_toolchains(&mut mounts, job);
        let hidden = job.hidden.iter().filter_map(|path| path.canonicalize().ok());
        let hidden: Vec<PathBuf> = hidden.collect();
        listed::mount(&mut mounts, job, &hidden);
        let (inside, outside): (Vec<&PathBuf>, Vec<&PathBuf>) = hidden
            .iter()
            .partition(|path| path.starts_with(job.workspace) && *path != job.workspace);
        for path in outside {
            // Elsewhere it is not there in the first place. Hiding wins over
            // a listed folder, and the workspace over hiding.
            if mounts.visible.iter().any(|shown| path.starts_with(shown)) {
                mounts.hide(path);
            }
        }
        if let Some(original) = job.copy_of.filter(|of| !job.workspace.starts_with(of)) {
            mounts.show_copy(job, original, inside.is_empty());
        }
        // A copy may be of another one, and those lie in a hidden folder.
        let shows_hidden = |folder: &Path| hidden.iter().any(|path| path.starts_with(folder));
        for folder in job.shared.iter().filter(|folder| !shows_hidden(folder)) {
            mounts.share(folder, job.workspace);
        }
        git::mount(&mut mounts, job.workspace, job.profile.may_write(), job.read_only, &inside);
        for file in over {
            given(&mut mounts, "--ro-bind-data", file);
        }
        for path in inside {
            mounts.hide(path);
        }
        for path in std::mem::take(&mut mounts.sealed) {
            mounts.push(&[&"--remount-ro", &path]);
        }
        if let Some(program) = job.network.then(super::way_to_the_network).flatten() {
            mounts.push(&[&"--ro-bind", &program, &WAY_TO_THE_NETWORK]);
        }
        mounts.push(&[&"--remount-ro", &"/"]);
        mounts
    }
}

/// What lies at a path, if no link is in it.
fn without_links(path: &Path) -> Result<Stat, Errno> {
    let flags = OFlags::PATH | OFlags::CLOEXEC;
    openat2(CWD, path, flags, Mode::empty(), ResolveFlags::NO_SYMLINKS).and_then(fstat)
}

/// A file that is not what is on the disk.
struct Given {
    path: PathBuf,
    content: OwnedFd,
    /// Whether it stands for another one; else it is new in the private home.
    replaces: bool,
}

impl Given {
    fn new(path: PathBuf, text: &str, replaces: bool) -> std::io::Result<Self> {
        Ok(Self { path, content: file_of(text.as_bytes())?, replaces })
    }
}

impl Bubblewrap {
    /// Of the person's settings for git, who they are and nothing else; that git must not add what
    /// only stands in for something; and for looking, no attributes.
    fn given(&self, job: &Job<'_>) -> std::io::Result<Vec<Given>> {
        let identity = job.read_only.git.settings.identity();
        let identity = identity.map(|text| (".gitconfig", text));
        let ignored = placeholders::to_ignore(job.workspace);
        let files = identity.into_iter().chain(ignored.map(|text| (".config/git/ignore", text)));
        let files = files.filter(|(_, text)| text.len() < MOST_IN_A_PIPE);
        let files = files.map(|(name, text)| Given::new(self.home.join(name), &text, false));
        let own = if job.profile.may_write() { Vec::new() } else { git::attributes(job) };
        files.chain(own.into_iter().map(|own| Given::new(own, "", true))).collect()
    }
}

impl Sandbox for Bubblewrap {
    fn command(&self, job: &Job<'_>) -> Result<Confined, ToolError> {
        let everything = ["/tmp", "/run", "/proc", "/sys", "/dev", "/usr"].map(Path::new);
        let contained = everything.into_iter().chain([self.home.as_path()]);
        if let Some(inside) = contained.into_iter().find(|path| path.starts_with(job.workspace)) {
            return Err(ToolError::NoSandbox {
                reason: format!(
                    "the workspace contains {}, which commands must not see as a whole; \
                     choose a smaller folder",
                    inside.display()
                ),
            });
        }
        let path = self.path.iter().filter(|dir| !dir.starts_with(job.workspace));
        let path = std::env::join_paths(path)
            .map_err(|err| ToolError::io("setting PATH", std::io::Error::other(err)))?;
        let filter = self
            .filter
            .pipe()
            .map_err(|err| ToolError::io("handing the filter for system calls over", err))?;
        let files =
            self.given(job).map_err(|err| ToolError::io("handing git's settings over", err))?;
        let mounts = self.mounts(job, &files);
        let mut command = limited::command(&self.program);
        command
            .env_clear()
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .env("PATH", path)
            .arg("--json-status-fd")
            .arg(job.report.to_string())
            .arg("--seccomp")
            .arg(filter.as_raw_fd().to_string())
            .args(&mounts.args)
            .arg("--chdir")
            .arg(job.workspace)
            .arg("--");
        if let Some(mark) = leftovers::mark() {
            command.env(leftovers::VARIABLE, mark);
        }
        if !job.profile.may_write() {
            command.envs(environment::looking_with_git(&job.read_only.git.settings));
        }
        if job.network {
            command.arg(WAY_TO_THE_NETWORK);
        }
        command.args([self.shell.program, "-c"]);
        command.arg(format!("{}\n{}", self.shell.first(job.inode), job.script));
        command.arg(self.shell.program).args(mounts.meant.iter().flat_map(Meant::words));
        let inherited = files.into_iter().map(|file| file.content).chain([filter]).collect();
        let covered = if self.are_covered { Arc::clone(&self.secrets) } else { Arc::default() };
        Ok(Confined { command, inherited, covered })
    }

    fn reading(
        &self,
        folder: &Path,
        shown: &[PathBuf],
        start: &Path,
        script: &str,
    ) -> Result<Command, ToolError> {
        let filter = self.filter.pipe();
        let filter =
            filter.map_err(|err| ToolError::io("handing the filter for system calls over", err))?;
        let mut mounts = self.base();
        mounts.show(&self.home);
        shown.iter().chain([&folder.to_owned()]).for_each(|path| mounts.show(path));
        mounts.push(&[&"--remount-ro", &"/"]);
        let path = self.path.iter().filter(|dir| !dir.starts_with(folder));
        let path = std::env::join_paths(path)
            .map_err(|err| ToolError::io("setting PATH", std::io::Error::other(err)))?;
        let mut command = Command::new(&self.program);
        command
            .env_clear()
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .env("PATH", path)
            .args(["--seccomp", "0"])
            .args(&mounts.args)
            .arg("--chdir")
            .arg(start)
            .args(["--", "/bin/sh", "-c", script])
            .stdin(Stdio::from(filter));
        Ok(command)
    }

    fn programs(&self) -> &[PathBuf] {
        &self.path
    }
}

/// What a pipe takes before anybody reads from it, at least.
const MOST_IN_A_PIPE: usize = 4096;
/// Where the program that opens the way to the network is found inside.
const WAY_TO_THE_NETWORK: &str = "/run/plancard-net";

/// Namespaces of its own for what could be reached otherwise, and nothing that outlives us. The
/// host's name and control groups are out of reach without capabilities, and each one takes time.
const NAMESPACES: &[&dyn AsRef<OsStr>] = &[
    &"--unshare-pid",
    &"--unshare-net",
    &"--unshare-ipc",
    &"--die-with-parent",
    &"--new-session",
    &"--cap-drop",
    &"ALL",
    // It is about the sandbox, not about what is in it.
    &"--unsetenv",
    &leftovers::VARIABLE,
];

/// Adds a user namespace where root cannot do without one, as in a container.
/// For others bubblewrap does so by itself.
fn with_user_namespace(mut base: Mounts) -> Mounts {
    base.args.insert(0, "--unshare-user".into());
    base
}

/// Runs nothing with these arguments, to see whether they work here.
fn try_out(program: &Path, base: &Mounts) -> Result<(), String> {
    let tried = Command::new(program)
        .args(&base.args)
        .args(["--", "/bin/sh", "-c", "exit 0"])
        .stdin(Stdio::null())
        .output();
    match tried {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => Err(String::from_utf8_lossy(&output.stderr).trim().to_owned()),
        Err(err) => Err(err.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A program in `/opt` may take its private file away while we run.
    #[test]
    fn a_secret_that_is_gone_keeps_no_command_from_running() {
        let home = tempfile::tempdir().unwrap();
        let mut sandbox = Bubblewrap::new(home.path()).unwrap();
        let [there, gone] = ["there", "gone"].map(|name| home.path().join(name));
        std::fs::write(&there, "secret").unwrap();
        (sandbox.secrets, sandbox.are_covered) = ([there.clone(), gone.clone()].into(), false);
        let args = sandbox.base().args;
        assert!(args.contains(&there.into_os_string()) && !args.contains(&gone.into_os_string()));
    }
}
