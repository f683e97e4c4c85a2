//! What git's settings say in a folder, as git itself lists them.
//!
//! One `git config --list`, in a sandbox that shows what the person's git sees, and in which
//! nothing can be written and no network reached. It is asked again when a file changed that an
//! answer came from or could come from. Without an answer nothing is known, and whoever asks takes
//! that for the worst.

use crate::sandbox;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use std::collections::{BTreeSet, HashMap};
use std::io::ErrorKind::{NotADirectory, NotFound};
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

/// How long git may take, and how much it may say.
const PATIENCE: Duration = Duration::from_secs(3);
const LONGEST: u64 = 4 * 1024 * 1024;
/// Folders whose settings are remembered.
const FOLDERS: usize = 64;
/// A file that changed so shortly ago may change again within the same tick of the clock.
const TICK: Duration = Duration::from_millis(20);

/// Where the repository is, then the settings with the file that each stands in.
const ASK: &str = "g() { git --no-pager -c safe.directory='*' -c core.fsmonitor=false \
    -c core.hooksPath=/dev/null \"$@\"; }; \
    printf '%s\\0%s\\0' \"$(g rev-parse --absolute-git-dir 2>/dev/null)\" \
    \"$(g rev-parse --git-common-dir 2>/dev/null)\"; g config --list -z --show-origin";
/// The same for single files, which are nobody's repository.
const LIST: &str = "git --no-pager config --list -z --show-origin";
const NOWHERE: &str = "printf '\\0\\0'; ";
/// How deep files are followed that are included under a condition, and how many of them at once.
const ROUNDS: usize = 4;
const INCLUDED: usize = 32;
/// What the person may have set for their own git.
const OF_THE_PERSON: [&str; 4] =
    ["GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM", "XDG_CONFIG_HOME"];

/// Keys whose value is run in one section or another, or names what is.
const RUN: &str = " fsmonitor sshcommand pager editor askpass gitproxy alternaterefscommand clean \
    smudge process external command textconv driver program helper difffilter cmd update \
    packobjectshook recentobjectshook uploadpack receivepack path browser tunnel defaultkeycommand httpd ";
/// Sections in which every value may be run.
const ALL_RUN: [&str; 3] = ["alias", "pager", "sendemail"];

/// The settings that hold in a folder.
#[derive(Debug, Default)]
pub(crate) struct GitSettings {
    /// Whether git gave an answer that could be read.
    pub(crate) known: bool,
    /// The folder of the repository, and the one that it shares with others.
    pub(crate) git_dir: Option<PathBuf>,
    pub(crate) common_dir: Option<PathBuf>,
    /// Where programs are started that settings name without a whole path.
    pub(crate) top: Option<PathBuf>,
    pub(crate) all: Vec<GitSetting>,
    /// Those in files that are included under a condition that doesn't hold now, and may later.
    pub(crate) dormant: Vec<GitSetting>,
}

/// One setting; section and key are in lower case.
#[derive(Debug)]
pub(crate) struct GitSetting {
    /// The file it stands in.
    pub(crate) file: PathBuf,
    pub(crate) section: String,
    /// The section's own name, where it has one.
    pub(crate) name: String,
    pub(crate) key: String,
    pub(crate) value: String,
}

impl GitSetting {
    /// The file that it includes.
    pub(crate) fn included(&self) -> Option<PathBuf> {
        let includes = matches!(self.section.as_str(), "include" | "includeif");
        let beside = self.file.parent()?;
        (includes && self.key == "path").then(|| beside.join(expanded(&self.value)))
    }

    /// Whether git runs the value, some time.
    pub(crate) fn runs(&self) -> bool {
        ALL_RUN.contains(&self.section.as_str()) || RUN.contains(&format!(" {} ", self.key))
    }
}

impl GitSettings {
    /// Those of a folder, given by its real path.
    pub(crate) fn of(folder: &Path) -> Arc<Self> {
        static KNOWN: Mutex<Option<HashMap<PathBuf, Known>>> = Mutex::new(None);
        let lock = || KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = lock().get_or_insert_default().get(folder)
            && known.files.iter().all(|(file, was)| State::of(file).is_some_and(|now| now == *was))
        {
            return Arc::clone(&known.settings);
        }
        let repositories: Vec<PathBuf> = folder
            .ancestors()
            .map(|above| above.join(".git"))
            .filter(|git| git.symlink_metadata().is_ok())
            .collect();
        let top = repositories.first().and_then(|git| git.parent());
        let before: Vec<_> =
            usual(folder).into_iter().map(|file| (State::of(&file), file)).collect();
        let answer = ask(folder, top, &repositories, ASK).and_then(|said| read(&said, top));
        let answer = answer.and_then(|answer| answer.with_dormant(folder, &repositories));
        let settings = Arc::new(answer.unwrap_or_default());
        let origins = settings.both().map(|one| one.file.clone());
        let included = settings.both().filter_map(GitSetting::included);
        let named: BTreeSet<PathBuf> = origins.chain(included).collect();
        let after = named.into_iter().map(|file| (State::of(&file), file));
        let files = before.into_iter().chain(after);
        // What changed while git was asked may be what it was asked about, or not.
        let still = |file: &Path, state: &State| {
            state.is_settled() && State::of(file).is_some_and(|now| now == *state)
        };
        let files = files.map(|(state, file)| {
            let state = state.filter(|state| still(&file, state))?;
            Some((file, state))
        });
        let files: Option<Vec<_>> = files.collect();
        let mut known = lock();
        let known = known.get_or_insert_default();
        known.remove(folder);
        if let Some(files) = files.filter(|_| settings.known && settings.is_of(top)) {
            if known.len() >= FOLDERS {
                known.clear();
            }
            known.insert(folder.to_owned(), Known { settings: Arc::clone(&settings), files });
        }
        settings
    }

    /// Those of a folder that is a repository itself, without a `.git`; nothing where git takes it
    /// for none. It may have its parts anywhere in the workspace.
    pub(crate) fn of_bare(folder: &Path, workspace: &Path) -> Option<Self> {
        let said = ask(folder, Some(folder), &[workspace.to_owned()], ASK);
        let settings = said.and_then(|said| read(&said, Some(folder))).unwrap_or_default();
        (!settings.known || settings.git_dir.as_deref() == Some(folder)).then_some(settings)
    }

    /// All of them, whether they hold now or may later.
    pub(crate) fn both(&self) -> impl Iterator<Item = &GitSetting> {
        self.all.iter().chain(&self.dormant)
    }

    /// Reads what is included under conditions, too; nothing where that has no end.
    fn with_dormant(mut self, folder: &Path, repositories: &[PathBuf]) -> Option<Self> {
        // A file has many names, but is read beside where its name lies.
        let known =
            |file: &Path| Some((file.parent()?.canonicalize().ok()?, file.canonicalize().ok()?));
        let mut seen: BTreeSet<_> = self.all.iter().filter_map(|one| known(&one.file)).collect();
        for _ in 0..ROUNDS {
            let files = self.both().filter_map(GitSetting::included);
            let files = files.filter(|file| file.is_file());
            let new = files.filter(|file| known(file).is_some_and(|file| seen.insert(file)));
            let files: Vec<PathBuf> = new.collect();
            if files.is_empty() {
                return Some(self);
            }
            if files.len() > INCLUDED {
                return None;
            }
            let script: Option<String> = files
                .iter()
                .map(|file| {
                    let quoted = file.to_str()?.replace('\'', "'\\''");
                    // One elsewhere may be out of sight.
                    let or = if file.starts_with(folder) { "|| exit 1" } else { "|| true" };
                    Some(format!("{LIST} --includes --file '{quoted}' {or}\n"))
                })
                .collect();
            let top = self.top.clone();
            let said = ask(folder, top.as_deref(), repositories, &format!("{NOWHERE}{}", script?))?;
            self.dormant.extend(read(&said, top.as_deref())?.all);
        }
        None
    }

    /// Whether this is an answer about the repository that is there: for a moment, it may have been
    /// another one, or out of git's sight.
    fn is_of(&self, top: Option<&Path>) -> bool {
        let Some(own) = top.map(|top| top.join(".git")) else { return true };
        match own.is_dir() {
            true => self.git_dir.is_some() && self.git_dir == own.canonicalize().ok(),
            false => self.git_dir.is_some(),
        }
    }

    /// The value of a setting whose section has no name.
    pub(crate) fn value(&self, section: &str, key: &str) -> Option<&str> {
        self.last(section, key, &|_| true)
    }

    fn last(&self, section: &str, key: &str, counts: &dyn Fn(&Path) -> bool) -> Option<&str> {
        let is_it = |one: &&GitSetting| {
            let named = one.section == section && one.key == key && one.name.is_empty();
            named && counts(&one.file)
        };
        self.all.iter().rev().find(is_it).map(|one| one.value.as_str())
    }

    /// Settings that say who commits and nothing else, if that is known. What the repository says
    /// itself is seen in the sandbox anyway.
    pub(crate) fn identity(&self) -> Option<String> {
        let own = [&self.git_dir, &self.common_dir].map(Option::as_deref);
        let is_own = |file: &Path| {
            let named = ["config", "config.worktree"].iter().any(|name| file.ends_with(name));
            named && own.iter().any(|folder| folder.is_some() && file.parent() == *folder)
        };
        let line = |key: &str| Some(line(key, self.last("user", key, &|file| !is_own(file))?));
        let lines: String = ["name", "email"].into_iter().filter_map(line).collect();
        (!lines.is_empty()).then(|| format!("[user]\n{lines}"))
    }

    /// The filters that programs are named for.
    pub(crate) fn filters(&self) -> BTreeSet<&str> {
        let filters = self.all.iter().filter(|one| one.section == "filter");
        filters.map(|one| one.name.as_str()).collect()
    }

    /// What git runs in the repository with this folder, in the words of its settings and hooks.
    pub(crate) fn run_in(&self, repository: &Path) -> BTreeSet<String> {
        let own = self.git_dir.as_deref().unwrap_or(repository);
        let common = self.common_dir.as_deref().unwrap_or(own);
        let is_local =
            |one: &&GitSetting| [own, common].iter().any(|folder| one.file.starts_with(folder));
        let is_set = |one: &&GitSetting| {
            let value = !matches!(one.value.as_str(), "" | "true" | "false");
            value && (one.runs() || one.key == "hookspath" || one.section.starts_with("include"))
        };
        let local = self.all.iter().filter(is_local).filter(is_set);
        let mut runs: BTreeSet<String> =
            local.map(|one| format!("{}.{}", one.section, one.key)).collect();
        if !self.known {
            runs.insert("what its settings name, which can't be read".to_owned());
        }
        let hooks = std::fs::read_dir(common.join("hooks")).into_iter().flatten().flatten();
        let names = hooks.map(|entry| entry.file_name().to_string_lossy().into_owned());
        let hooks = names.filter(|name| !name.ends_with(".sample"));
        runs.extend(hooks.map(|name| format!("hooks/{name}")));
        runs
    }
}

/// A setting as it stands in a file, without control characters.
pub(crate) fn line(key: &str, value: &str) -> String {
    let plain: String = value.chars().filter(|c| !c.is_control()).collect();
    let quoted = plain.replace('\\', "\\\\").replace('"', "\\\"");
    format!("\t{key} = \"{quoted}\"\n")
}

/// A path with the person's home for `~`.
pub(crate) fn expanded(path: &str) -> PathBuf {
    match (path.strip_prefix("~/"), std::env::home_dir()) {
        (Some(rest), Some(home)) => home.join(rest),
        (_, _) => PathBuf::from(path),
    }
}

struct Known {
    settings: Arc<GitSettings>,
    /// What the answer depends on, as it was.
    files: Vec<(PathBuf, State)>,
}

/// Enough of a file to see that it changed.
#[derive(PartialEq, Eq)]
enum State {
    /// Not there, or empty, which says the same.
    Nothing,
    Folder(u64, u64),
    File {
        size: u64,
        inode: u64,
        changed: (i64, i64),
    },
}

impl State {
    /// `None` where nobody can tell.
    fn of(file: &Path) -> Option<Self> {
        match file.metadata() {
            Ok(meta) if meta.is_dir() => Some(Self::Folder(meta.dev(), meta.ino())),
            Ok(meta) if meta.len() == 0 => Some(Self::Nothing),
            Ok(meta) => {
                let changed = (meta.ctime(), meta.ctime_nsec());
                Some(Self::File { size: meta.len(), inode: meta.ino(), changed })
            }
            Err(error) if matches!(error.kind(), NotFound | NotADirectory) => Some(Self::Nothing),
            Err(_) => None,
        }
    }

    fn is_settled(&self) -> bool {
        let Self::File { changed: (seconds, nanoseconds), .. } = self else { return true };
        let changed = Duration::new(
            u64::try_from(*seconds).unwrap_or_default(),
            u32::try_from(*nanoseconds).unwrap_or_default(),
        );
        let changed = SystemTime::UNIX_EPOCH + changed;
        changed.elapsed().is_ok_and(|ago| ago > TICK)
    }
}

/// Files that settings are read from wherever git is.
fn usual(folder: &Path) -> Vec<PathBuf> {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    let home = std::env::home_dir().unwrap_or_default();
    let xdg = set("XDG_CONFIG_HOME").map_or_else(|| home.join(".config"), PathBuf::from);
    let own = folder.ancestors().flat_map(|above| {
        [".git", ".git/HEAD", ".git/config", ".git/config.worktree"].map(|part| above.join(part))
    });
    let set = OF_THE_PERSON.iter().filter_map(|name| set(name)).map(PathBuf::from);
    let global = [home.join(".gitconfig"), xdg.join("git/config"), "/etc/gitconfig".into()];
    own.chain(global).chain(set).collect()
}

/// What git answers, if it does in time.
fn ask(
    folder: &Path,
    top: Option<&Path>,
    repositories: &[PathBuf],
    script: &str,
) -> Option<Vec<u8>> {
    let set = OF_THE_PERSON.map(|name| (name, std::env::var_os(name)));
    let set: Vec<_> = set.into_iter().filter_map(|(name, value)| Some((name, value?))).collect();
    let mut shown: Vec<PathBuf> = set.iter().map(|(_, value)| PathBuf::from(value)).collect();
    shown.extend(repositories.iter().cloned());
    shown.extend(repositories.iter().filter_map(|git| sandbox::main_repository(git)));
    shown.retain(|path| path.is_absolute() && path.exists() && !path.starts_with(folder));
    let sandbox = sandbox::of_this_computer().ok()?;
    let mut command: Command =
        sandbox.reading(folder, &shown, top.unwrap_or(folder), script).ok()?;
    command.envs(set).env("GIT_DISCOVERY_ACROSS_FILESYSTEM", "1");
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().ok()?;
    let said = child.stdout.take().and_then(|out| all_of(out, Instant::now() + PATIENCE));
    if said.is_none() {
        // An error means that it ended already.
        let _ = child.kill();
    }
    let ended = child.wait().ok()?;
    said.filter(|_| ended.success())
}

fn all_of(mut out: std::process::ChildStdout, until: Instant) -> Option<Vec<u8>> {
    let mut said = Vec::new();
    let mut piece = vec![0; 64 * 1024];
    loop {
        let left = Timespec::try_from(until.checked_duration_since(Instant::now())?).ok()?;
        let read = match poll(&mut [PollFd::new(&out, PollFlags::IN)], Some(&left)) {
            // A child of ours ended somewhere: that is no answer of git.
            Err(Errno::INTR) => continue,
            Ok(1..) => out.read(&mut piece).ok()?,
            Ok(0) | Err(_) => return None,
        };
        said.extend_from_slice(&piece[..read]);
        match read {
            0 => return Some(said),
            _ if said.len() as u64 > LONGEST => return None,
            _ => {}
        }
    }
}

fn read(said: &[u8], top: Option<&Path>) -> Option<GitSettings> {
    let said = std::str::from_utf8(said).ok()?;
    let mut parts = said.split_terminator('\0');
    let base = top.unwrap_or(Path::new("/"));
    let mut folder = || {
        let named = parts.next()?;
        Some(
            (!named.is_empty()).then(|| base.join(named)).and_then(|path| path.canonicalize().ok()),
        )
    };
    let (git_dir, common_dir) = (folder()?, folder()?);
    let mut all = Vec::new();
    while let Some(origin) = parts.next() {
        let (name, value) = parts.next().map(|one| one.split_once('\n').unwrap_or((one, "")))?;
        let (section, rest) = name.split_once('.')?;
        let (own, key) = rest.rsplit_once('.').unwrap_or(("", rest));
        // The others are those that we asked with.
        let Some(file) = origin.strip_prefix("file:") else { continue };
        all.push(GitSetting {
            file: base.join(file),
            section: section.to_owned(),
            name: own.to_owned(),
            key: key.to_owned(),
            value: value.to_owned(),
        });
    }
    let (top, dormant) = (top.map(Path::to_owned), Vec::new());
    Some(GitSettings { known: true, git_dir, common_dir, top, all, dormant })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_those_that_git_lists_however_they_are_written() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().canonicalize().unwrap();
        let init = Command::new("git").args(["init", "-q"]).arg(&folder).status();
        assert!(init.unwrap().success());
        let text = "[CORE]\n\tHooksPath = \".my hooks\" ; why\n[filter \"lint]er\"]\n  clean = \
                    python3 tools/lint.py \\\n --stdin %f\n[include]\n path = ../more\n\
                    [diff \"a\\\"b\"] textconv = \"./show\" # \"\n[user]\nname = \"A \\\"B\\\"\"\n";
        std::fs::write(folder.join(".git/config"), text).unwrap();
        std::fs::write(folder.join("more"), "[core]fsmonitor = ./watch\n[user]name=C\n").unwrap();
        let settings = GitSettings::of(&folder);
        assert!(settings.known);
        assert_eq!(settings.git_dir, Some(folder.join(".git")));
        assert_eq!(settings.value("core", "hookspath"), Some(".my hooks"));
        assert!(settings.filters().contains("lint]er"));
        assert_eq!(settings.value("user", "name"), Some("A \"B\""));
        assert!(settings.identity().unwrap().contains("name = \"C\""));
        let included = settings.all.iter().find_map(GitSetting::included).unwrap();
        assert_eq!(included.canonicalize().unwrap(), folder.join("more"));
        let runs = settings.run_in(&folder.join(".git"));
        for name in ["core.fsmonitor", "core.hookspath", "diff.textconv", "filter.clean"] {
            assert!(runs.contains(name), "{name}: {runs:?}");
        }
        // What changed is seen, and what can't be read is not known.
        std::fs::write(folder.join("more"), "[user]name=Other\n[core").unwrap();
        assert!(!GitSettings::of(&folder).known);
        std::fs::write(folder.join("more"), "[filter \"x\"]\nclean = y\n").unwrap();
        assert!(GitSettings::of(&folder).filters().contains("x"));
    }
}
