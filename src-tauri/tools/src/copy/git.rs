//! Git in the clone of a copy just made, whose settings are ours. Later they are those of whoever
//! worked there, and it is not asked any more.

use super::CopyError;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// The folder in which git is asked, until it has answered.
const ASKING: &str = "asking";

/// Git in a clone. It gets no settings but the clone's, and writes nothing there.
pub(super) struct Git<'a> {
    /// Where questions and answers are put.
    pub(super) asking: PathBuf,
    work: &'a Path,
    cancel: &'a CancellationToken,
}

impl<'a> Git<'a> {
    pub(super) fn of(
        copy: &Path,
        work: &'a Path,
        cancel: &'a CancellationToken,
    ) -> Result<Self, CopyError> {
        let asking = copy.join(ASKING);
        fs::create_dir_all(&asking).map_err(|err| CopyError::io("asking git", err))?;
        Ok(Self { asking, work, cancel })
    }

    /// The files that git tracks, with the folders they are in.
    pub(super) fn tracked(&self) -> Result<BTreeSet<String>, CopyError> {
        let mut tracked = BTreeSet::new();
        for line in self.run("ls-files", &["-z", "--stage"], "")?.split('\0') {
            // A repository inside is no file of this one.
            let Some((_, path)) = line.split_once('\t').filter(|_| !line.starts_with("160000"))
            else {
                continue;
            };
            let with_folders = Path::new(path).ancestors().filter_map(Path::to_str);
            tracked.extend(with_folders.filter(|path| !path.is_empty()).map(str::to_owned));
        }
        Ok(tracked)
    }

    pub(super) fn run(&self, what: &str, args: &[&str], input: &str) -> Result<String, CopyError> {
        let doing = |err: std::io::Error| CopyError::io("asking git", err);
        let [question, answer] = ["question", "answer"].map(|name| self.asking.join(name));
        fs::write(&question, input).map_err(doing)?;
        let mut command = Command::new("git");
        command
            .args([OsStr::new("--git-dir"), self.work.join(".git").as_os_str()])
            .args([OsStr::new("--work-tree"), self.work.as_os_str()])
            // The files are new, their times are not.
            .args(["-c", "core.checkStat=minimal", "-c", "core.trustctime=false"])
            .args(["-c", "core.fsmonitor=false"])
            .arg(what)
            .args(args)
            .current_dir(self.work)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_ATTR_NOSYSTEM", "1")
            .env("GIT_OPTIONAL_LOCKS", "0")
            .env("GIT_NO_LAZY_FETCH", "1");
        // The clone's own index stays as it is.
        if matches!(what, "read-tree" | "checkout-index") {
            command.env("GIT_INDEX_FILE", self.asking.join("index"));
        }
        let mut child = command
            .stdin(File::open(&question).map_err(doing)?)
            .stdout(File::create(&answer).map_err(doing)?)
            .stderr(Stdio::null())
            .spawn()
            .map_err(doing)?;
        let status = loop {
            if self.cancel.is_cancelled() {
                // It may have ended by itself.
                let _ = child.kill();
                let _ = child.wait();
                return Err(CopyError::Cancelled);
            }
            match child.try_wait().map_err(doing)? {
                None => std::thread::sleep(Duration::from_millis(5)),
                Some(status) => break status,
            }
        };
        if !status.success() {
            return Err(doing(std::io::Error::other(format!("it ended with {status}"))));
        }
        let said = fs::read(&answer).map_err(doing)?;
        Ok(String::from_utf8_lossy(&said).into_owned())
    }
}
