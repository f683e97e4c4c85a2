//! Git in the clone of a copy just made, whose settings are ours. Later they are those of whoever
//! worked there, and it is not asked any more.
//!
//! What it reads is somebody else's, so it runs in the sandbox as commands do: it sees the copy and
//! the objects that this shares, reaches nothing, and can write to one folder. What lies there
//! afterwards is trusted no more than what a command left.

use super::CopyError;
use crate::error::ToolError;
use crate::mcp::script;
use crate::process::{self, End, Limits, Prepared, Said};
use crate::read_only::ReadOnly;
use crate::sandbox::{self, Job, Profile};
use crate::workspace::Workspace;
use crate::workspaces::Workspaces;
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use tokio::runtime::Handle;
use tokio_util::sync::CancellationToken;

/// The folder in which git is asked, until it has answered.
const ASKING: &str = "asking";
/// The folder in `written` for what was committed.
pub(super) const COMMITTED: &str = "committed";

/// Git in a clone. It gets no settings but the clone's, and writes nothing there.
pub(super) struct Git<'a> {
    /// Where questions and answers are put.
    pub(super) asking: PathBuf,
    /// The folder in there that git can write to.
    pub(super) written: Workspace,
    work: &'a Path,
    /// Folders with objects that the clone reads.
    objects: Vec<PathBuf>,
    cancel: &'a CancellationToken,
}

impl<'a> Git<'a> {
    pub(super) fn of(
        copy: &Path,
        work: &'a Path,
        objects: Vec<PathBuf>,
        cancel: &'a CancellationToken,
    ) -> Result<Self, CopyError> {
        let asking = copy.join(ASKING);
        let written = asking.join("written");
        fs::create_dir_all(written.join(COMMITTED))
            .map_err(|err| CopyError::io("asking git", err))?;
        let written = Workspace::open(written)?;
        Ok(Self { asking, written, work, objects, cancel })
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

    /// What git says. This waits for it, so it is for threads that may.
    pub(super) fn run(&self, what: &str, args: &[&str], input: &str) -> Result<String, CopyError> {
        let doing = |err: std::io::Error| CopyError::io("asking git", err);
        // Beside what git can write to, so that they are what we take them for.
        let [question, answer] = ["question", "answer"].map(|name| self.asking.join(name));
        fs::write(&question, input).map_err(doing)?;
        let question = File::open(&question).map_err(doing)?;
        let told = File::create(&answer).map_err(doing)?;
        let prepared = self.prepare(what, args, question, told)?;
        let limits = Limits { timeout: None, cancel: self.cancel.clone() };
        let ended = Handle::current().block_on(async {
            process::start(prepared).await?.finish(limits, Said::new(0)).await
        })?;
        let why = match ended.end {
            End::Exit(0) => {
                let said = fs::read(&answer).map_err(doing)?;
                return Ok(String::from_utf8_lossy(&said).into_owned());
            }
            End::Cancelled => return Err(CopyError::Cancelled),
            End::Exit(code) => format!("it ended with {code}"),
            End::Killed(signal) => format!("signal {signal} ended it"),
            End::OverLimit(limit) => limit.why(),
            End::NotStarted => "it could not be confined".to_owned(),
            End::TimedOut => "it took too long".to_owned(),
        };
        Err(doing(std::io::Error::other(why)))
    }

    fn prepare(
        &self,
        what: &str,
        args: &[&str],
        question: File,
        answer: File,
    ) -> Result<Prepared, ToolError> {
        let sandbox = sandbox::of_this_computer()?;
        let written = self.written.root();
        let inode = self.written.inode()?;
        // The files are new, their times are not.
        let settings = ["core.checkStat=minimal", "core.trustctime=false", "core.fsmonitor=false"];
        let settings = settings.iter().flat_map(|setting| ["-c", setting]);
        let words = settings.chain([what]).chain(args.iter().copied()).map(str::to_owned);
        let git = script(None, "git", &words.collect::<Vec<_>>());
        let told = answer.as_raw_fd();
        process::prepare(Some(question.into()), |ends| {
            let mut confined = sandbox.command(&Job {
                workspace: written,
                inode,
                profile: Profile::Work,
                hidden: &[],
                extra_read: &[self.work.to_owned()],
                workspaces: &Workspaces::default(),
                shared: &self.objects,
                copy_of: None,
                read_only: &ReadOnly::default(),
                network: false,
                script: &format!("{git} >&{told} {told}>&-"),
                report: ends.report,
            })?;
            confined.inherited.push(answer.into());
            confined
                .command
                .env("GIT_DIR", self.work.join(".git"))
                .env("GIT_WORK_TREE", self.work)
                .env("GIT_CONFIG_NOSYSTEM", "1")
                .env("GIT_CONFIG_GLOBAL", "/dev/null")
                .env("GIT_ATTR_NOSYSTEM", "1")
                .env("GIT_OPTIONAL_LOCKS", "0")
                .env("GIT_NO_LAZY_FETCH", "1");
            // The clone's own index stays as it is.
            if matches!(what, "read-tree" | "checkout-index") {
                confined.command.env("GIT_INDEX_FILE", written.join("index"));
            }
            Ok(confined)
        })
    }
}
