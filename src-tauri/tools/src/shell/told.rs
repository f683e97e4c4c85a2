//! What a model is told of a command: what it said, cut to a length that can
//! be read, and how it ended.

use crate::cut::{self, Kept};
use crate::files;
use crate::limits::ResourceLimits;
use crate::output::Output;
use crate::process::{self, Controller, End, Ended};
use crate::sandbox::main_repository;
use crate::secrets::Secrets;
use std::path::{Path, PathBuf};

/// How much output is remembered, and how much of it a model gets at once.
pub(crate) const REMEMBERED: usize = 4 * 1024 * 1024;
const SHOWN: usize = 16 * 1024;

/// What is told of a command that went well without a word.
const SILENT: &str = "(it succeeded and said nothing)";
/// How many changed files are named.
const NAMED: usize = 5;

/// Says what a silent command changed: one that did nothing looks the same else.
pub(crate) fn changed_in_silence(output: &mut Output) {
    if output.text != SILENT {
        return;
    }
    let changed = &output.changed;
    let names: Vec<&str> = changed.iter().take(NAMED).map(|one| one.path.as_str()).collect();
    let more = changed.len() - names.len();
    output.text = match (names.is_empty(), more) {
        (true, _) => "(it succeeded, said nothing and changed no file)".to_owned(),
        (false, 0) => format!("(it succeeded and said nothing; it changed {})", names.join(", ")),
        (false, more) => {
            format!(
                "(it succeeded and said nothing; it changed {} and {more} more)",
                names.join(", ")
            )
        }
    };
}

/// Says which folders the list of changed files says nothing of.
pub(crate) fn not_looked_at<'a>(ignored: impl Iterator<Item = &'a PathBuf>) -> Option<String> {
    let mut names: Vec<String> = ignored.map(|path| format!("{}/", files::shown(path))).collect();
    if names.len() > NAMED {
        let more = names.split_off(NAMED).len();
        names.push(format!("{more} more"));
    }
    (!names.is_empty()).then(|| {
        format!("(not looked at for changes, because git ignores it: {})", names.join(", "))
    })
}

/// The output of a command that ended, with notes below it.
pub(crate) fn ended(end: End, said: Kept, notes: &[String], secrets: &dyn Secrets) -> Output {
    let mut output = so_far(said, secrets);
    let ending = match end {
        End::Exit(0) if output.text.is_empty() => Some(SILENT.to_owned()),
        End::Exit(0) | End::NotStarted => None,
        End::Exit(code @ 129..=192) => {
            Some(format!("(exit code {code}: ended by {})", signal_name(code - 128)))
        }
        End::Exit(code) => Some(format!("(exit code {code})")),
        End::Killed(signal) => Some(format!("(killed from outside by {})", signal_name(signal))),
        End::TimedOut | End::Cancelled | End::OverLimit(_) if output.text.is_empty() => {
            Some("(it said nothing)".to_owned())
        }
        End::TimedOut | End::Cancelled | End::OverLimit(_) => None,
    };
    for line in ending.iter().chain(notes) {
        add_line(&mut output.text, line);
    }
    output.failed = end != End::Exit(0);
    output.exit_code = match end {
        End::Exit(code) => Some(code),
        End::Killed(_) | End::NotStarted | End::OverLimit(_) | End::TimedOut | End::Cancelled => {
            None
        }
    };
    output
}

/// What to say of a command that went over a limit.
pub(crate) fn over_a_limit(ended: &Ended) -> Option<String> {
    let limit = ended.exceeded?;
    Some(match (ended.end, limit.ends()) {
        (End::OverLimit(_), _) => format!("(ended: {limit})"),
        (_, true) => format!("(a part of it was ended: {limit})"),
        (_, false) => format!("({limit})"),
    })
}

/// What to say where a command failed for memory and the kernel does not tell: without control
/// groups each process has a limit of its own, at which it is refused more.
pub(crate) fn refused_memory(said: &str) -> Option<String> {
    let is_it = said.to_lowercase().contains("memory")
        && !process::controllers().contains(&Controller::Memory);
    let most = ResourceLimits::current().memory_mb;
    is_it.then(|| {
        format!("(each process may use {most} MB of memory; the limit is `limits.memory_mb`)")
    })
}

/// What to say where a command that only looks failed because there is no lock file yet.
pub(crate) fn without_a_lock_file(said: &str) -> Option<String> {
    let is_it = said.contains("Cargo.lock") && said.contains("Read-only file system");
    is_it.then(|| {
        "(there is no Cargo.lock, and this command may only look: make one first with `cargo \
         generate-lockfile`; `cargo metadata --no-deps --offline` needs none)"
            .to_owned()
    })
}

/// What to say where a command failed at the repository of a linked work tree, which lies outside.
pub(crate) fn without_its_repository(said: &str, workspace: &Path) -> Option<String> {
    let repository = main_repository(&workspace.join(".git"))?;
    let repository = repository.to_string_lossy();
    said.contains(&*repository).then(|| {
        format!(
            "(this folder is a linked work tree: its repository is {repository}, outside the \
             workspace, and commands can only read it. So nothing can be staged or committed here; \
             the person can do it, or open a room for a clone or for the folder of the repository \
             itself)"
        )
    })
}

/// The output of a command that may say more: with its middle left out where it is long. Secrets
/// are blanked before that, for nobody knows half of one.
pub(crate) fn so_far(said: Kept, secrets: &dyn Secrets) -> Output {
    let text = secrets.clean(said.text);
    let cut = cut::middle(&text, SHOWN, |head, left_out| {
        let first = head.matches('\n').count() + 1;
        let lines = left_out.matches('\n').count().max(1);
        let (bytes, last) = (left_out.len(), first + lines - 1);
        match &said.missing {
            None => format!("[… {bytes} bytes left out: lines {first} to {last} …]"),
            // The note where they are missing is left out here, and counts as a line.
            Some(missing) => format!(
                "[… {bytes} bytes left out: lines {first} to {last} of what was kept. {missing} …]"
            ),
        }
    });
    match cut {
        Some(cut) => Output { full: Some(text), ..Output::said(cut) },
        None => Output::said(text),
    }
}

/// Adds a line of ours below what a command said.
pub(crate) fn add_line(text: &mut String, line: &str) {
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    text.push_str(line);
}

fn signal_name(signal: i32) -> String {
    let known = match signal {
        1 => "SIGHUP",
        2 => "SIGINT",
        3 => "SIGQUIT",
        4 => "SIGILL",
        6 => "SIGABRT",
        7 => "SIGBUS",
        8 => "SIGFPE",
        9 => "SIGKILL",
        11 => "SIGSEGV",
        13 => "SIGPIPE",
        15 => "SIGTERM",
        31 => "SIGSYS",
        other => return format!("signal {other}"),
    };
    format!("signal {signal}, {known}")
}
