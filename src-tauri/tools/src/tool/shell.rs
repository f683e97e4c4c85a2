//! `shell`: a command in the sandbox, waited for or in the background.

mod start;

use crate::args;
use crate::error::ToolError;
use crate::facts::{Effect, Facts, Target};
use crate::files::{self, confined};
use crate::limits::Exceeded;
use crate::network::{Host, Hosts};
use crate::output::Output;
use crate::process::{End, Ended, Limits, Said};
use crate::read_only::ReadOnly;
use crate::runs_later;
use crate::sandbox::{self, Profile};
use crate::shell::jobs::{self, Ending, Job};
use crate::shell::{bits, look, looking, parsed, told};
use crate::toolbox::{Means, RunContext, ToolSpec};
use crate::workspace::{Place, Workspace};
use rustix::fs::FileType;
use serde::Deserialize;
use serde_json::{Value, json};
use start::{Start, Started};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{oneshot, watch};
use tokio_util::sync::CancellationToken;

/// The longest command; the system takes no argument above 128 KiB.
const LONGEST: usize = 100 * 1024;
const NEXT_IN_THE_ROOT: &str = "; the next command starts in the workspace itself";

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Args {
    command: String,
    timeout_seconds: Option<f64>,
    #[serde(default)]
    network: Vec<String>,
    #[serde(default)]
    background: bool,
    folder: Option<String>,
}

pub(super) fn spec() -> ToolSpec {
    ToolSpec {
        name: "shell",
        description: "Run a command with bash, in a sandbox: it can change the workspace and /tmp \
            (which is empty at each call) and has no network unless `network` is granted. It \
            starts where the last command ended (`cd` is kept), first in the workspace. No \
            process outlives the call, unless `background` is set.",
        schema: json!({
            "type": "object",
            "properties": {
                "command": { "type": "string", "description": "What bash is given." },
                "timeout_seconds": { "type": "number", "exclusiveMinimum": 0, "description": "Stop it sooner than usual." },
                "network": {
                    "type": "array",
                    "items": { "type": "string" },
                    "description": "Hosts it has to reach over http or https, such as example.com; a person is asked."
                },
                "background": {
                    "type": "boolean",
                    "description": "Go on without waiting; job_output shows what it says, job_stop ends it."
                },
                "folder": {
                    "type": "string",
                    "description": "Start in this folder of the workspace instead, for this call only."
                }
            },
            "required": ["command"],
            "additionalProperties": false
        }),
    }
}

pub(super) fn facts(spec: &ToolSpec, args: &Value, ws: &Workspace) -> Result<Facts, ToolError> {
    let args = read(spec, args)?;
    let folder = args.folder.as_deref().map_or(Some(String::new()), |folder| inside(ws, folder));
    let text = match (&args.folder, folder.as_deref()) {
        (None, _) | (_, Some("")) => args.command.clone(),
        // What is allowed in one folder is not allowed in another.
        (Some(named), folder) => {
            let folder = folder.unwrap_or(named).replace('\'', "'\\''");
            format!("cd '{folder}'\n{}", args.command)
        }
    };
    let commands = parsed::read_in(&args.command, ws.root(), folder);
    let effect = match &commands {
        _ if !args.network.is_empty() => Effect::Network,
        Some(commands) if looking::only_looks(commands) => Effect::Read,
        Some(_) | None => Effect::Exec,
    };
    let command = Target::Command { text, simple: commands.map(parsed::simple) };
    let hosts = args.network.iter().map(|host| Target::Host { host: as_granted(host) });
    Ok(Facts { effect, targets: [command].into_iter().chain(hosts).collect() })
}

/// The folder of the workspace that a call names; `None` where it is none.
fn inside(ws: &Workspace, folder: &str) -> Option<String> {
    match ws.locate(folder) {
        Ok(Place::Inside(folder)) => folder.to_str().map(str::to_owned),
        Ok(Place::Outside(_)) | Err(_) => None,
    }
}

/// A host as grants name it: without a port where that is one of the web's.
fn as_granted(host: &str) -> String {
    Host::parse(host, 443).map_or_else(|| host.to_owned(), |host| host.to_string())
}

pub(super) async fn run(
    spec: &ToolSpec,
    args: &Value,
    ws: &Workspace,
    ctx: &RunContext,
    means: &Means,
) -> Result<Output, ToolError> {
    let effect = facts(spec, args, ws)?.effect;
    let args = read(spec, args)?;
    ws.in_place()?;
    let profile = match effect {
        // Said to be only looking, so held to it.
        Effect::Read => Profile::Look,
        Effect::Exec | Effect::Network | Effect::Write | Effect::WriteOutside => ctx.profile,
    };
    let (standing, turn) = ctx.shell.begin();
    let folder = match &args.folder {
        Some(folder) => files::found(ws, folder, &ctx.hidden)?,
        None => standing,
    };
    if !is_there(ws, &folder)? {
        let folder = files::shown(&folder);
        return Err(match args.folder {
            Some(_) => ToolError::NoFolder { folder, next: "" },
            None => {
                ctx.shell.moved(turn, Path::new(""));
                ToolError::NoFolder { folder, next: NEXT_IN_THE_ROOT }
            }
        });
    }
    if args.background {
        let start = Start { ws, ctx, profile, folder: &folder, args: &args };
        let read_only = start.read_only().await?;
        let started = start.prepare(means, read_only)?;
        return background(ws, ctx, &args.command, started).await;
    }
    let start = Start { ws, ctx, profile, folder: &folder, args: &args };
    let (started, before) = start.looked_at(means).await?;
    let timeout = args
        .timeout_seconds
        .map_or(ctx.timeout, |seconds| Duration::from_secs_f64(seconds).min(ctx.timeout));
    let cancel = ctx.cancel.child_token();
    // In a task of its own, which goes on to clean up when this call is dropped.
    let _stop_when_dropped = cancel.clone().drop_guard();
    let said = Said::new(told::REMEMBERED);
    let limits = Limits { timeout: Some(timeout), cancel };
    let read_only = Arc::clone(&started.read_only);
    let own = sandbox::stand_ins(ws.root());
    let ended = tokio::spawn(started.finish(limits, said.clone(), None))
        .await
        .map_err(|err| ToolError::io("running the command", std::io::Error::other(err)))?;
    let ended = ended?;
    // The error says it, too.
    let limit = told::over_a_limit(&ended).filter(|_| !matches!(ended.end, End::OverLimit(_)));
    let mut notes: Vec<String> = limit.into_iter().chain(read_only.news()).collect();
    let Ended { end, folder: last, exceeded } = ended;
    if args.folder.is_none() {
        let moved = last.and_then(|last| moved(ws, ctx, &folder, &last));
        if let Some(Moved { folder, note }) = moved {
            ctx.shell.moved(turn, &folder);
            notes.push(note);
        }
    }
    let said = said.kept(&*ctx.secrets);
    if !profile.may_write() && end != End::Exit(0) {
        notes.extend(told::without_a_lock_file(&said.text));
    }
    if end != End::Exit(0) {
        notes.extend(why(&read_only, ws.root(), &said.text));
    }
    let mut output = told::ended(end, said, &notes, &*ctx.secrets);
    if profile.may_write() {
        let (after, now) = look::everything(ws.root(), &ctx.cancel).await.unzip();
        // Where it was stopped, the next command tells.
        let news = now.map(|now| ctx.shell.told_of(ws.root(), now));
        for line in news.into_iter().flatten() {
            told::add_line(&mut output.text, &line);
        }
        match (before, after.flatten()) {
            (Some(before), Some(after)) => {
                output.changed = before.until(&after);
                output
                    .changed
                    .retain(|change| !own.iter().any(|path| *path == Path::new(&change.path)));
                told::changed_in_silence(&mut output);
                let later = runs_later::told(output.changed.iter().map(|change| &*change.path));
                let unseen = told::not_looked_at(after.not_looked_at());
                let bits = bits::take_away(ws, &before, &after);
                for line in bits.into_iter().chain(later).chain(unseen) {
                    told::add_line(&mut output.text, &line);
                }
            }
            (_, _) => output.changes_known = false,
        }
    }
    if matches!(end, End::Exit(_)) && args.network.is_empty() {
        prepare_the_next(ws, ctx, profile, means);
    }
    match end {
        End::Exit(_) | End::Killed(_) => Ok(output),
        End::NotStarted if let Some(Exceeded::AllProcesses(most)) = exceeded => {
            Err(ToolError::NoRoom { most })
        }
        End::NotStarted if !ws.is_in_place() => Err(ws.gone()),
        End::NotStarted => Err(ToolError::NoSandbox { reason: output.text }),
        End::TimedOut => {
            Err(ToolError::TimedOut { after: timeout, so_far: Some(Box::new(output)) })
        }
        End::OverLimit(limit) => {
            Err(ToolError::OverLimit { limit, so_far: Some(Box::new(output)) })
        }
        End::Cancelled => Err(ToolError::Cancelled { so_far: Some(Box::new(output)) }),
    }
}

/// Has a sandbox ready for the next command like this one.
fn prepare_the_next(ws: &Workspace, ctx: &RunContext, profile: Profile, means: &Means) {
    let Some(all) = means.warm.as_ref().filter(|_| profile != Profile::Open) else { return };
    let Some(place) = ctx.shell.warm.place(all, profile) else { return };
    let (ws, ctx, means) = (ws.clone(), ctx.clone(), means.clone());
    tokio::spawn(async move {
        let args = Args::default();
        let start = Start { ws: &ws, ctx: &ctx, profile, folder: Path::new(""), args: &args };
        start.wait(&means, place).await
    });
}

/// Why a command may have failed that could not know it.
fn why(read_only: &ReadOnly, root: &Path, said: &str) -> Vec<String> {
    let memory = told::refused_memory(said);
    let of_git = told::without_its_repository(said, root);
    read_only.told(said).into_iter().chain(of_git).chain(memory).collect()
}

/// Starts a command that goes on by itself.
async fn background(
    ws: &Workspace,
    ctx: &RunContext,
    command: &str,
    started: Started,
) -> Result<Output, ToolError> {
    if !ctx.shell.jobs.has_room() {
        return Err(ToolError::TooManyJobs { most: jobs::MOST });
    }
    let said = Said::new(told::REMEMBERED);
    let cancel = CancellationToken::new();
    let limits = Limits { timeout: None, cancel: cancel.clone() };
    let (begun, begins) = oneshot::channel();
    let (tell, ended) = watch::channel(None);
    let (read_only, secrets) = (Arc::clone(&started.read_only), Arc::clone(&ctx.secrets));
    let ws = ws.clone();
    let (running, says) = (started.finish(limits, said.clone(), Some(begun)), said.clone());
    tokio::spawn(async move {
        let (end, notes) = match running.await {
            Ok(ended) => {
                let limit = told::over_a_limit(&ended);
                let mut notes: Vec<String> = limit.into_iter().chain(read_only.news()).collect();
                if ended.end == End::NotStarted && !ws.is_in_place() {
                    notes.push(ws.gone().to_string());
                }
                if ended.end != End::Exit(0) {
                    notes.extend(why(&read_only, ws.root(), &says.kept(&*secrets).text));
                }
                (ended.end, notes)
            }
            Err(error) => (End::NotStarted, vec![error.to_string()]),
        };
        tell.send_replace(Some(Ending { end, notes }));
    });
    let job = Job { command: command.to_owned(), said, cancel, ended };
    let number = ctx.shell.jobs.add(job);
    // Only to have begun; an error is told by job_output.
    let _ = begins.await;
    let text = format!(
        "job {number} runs in the background; job_output shows what it says, job_stop ends it"
    );
    Ok(Output { changes_known: false, ..Output::said(text) })
}

/// Whether the folder to begin in is one. What was allowed in a folder is never run in another.
fn is_there(ws: &Workspace, folder: &Path) -> Result<bool, ToolError> {
    if folder.as_os_str().is_empty() {
        return Ok(true);
    }
    let found = confined::stat(ws, folder)?;
    Ok(found.is_some_and(|stat| confined::kind(&stat) == FileType::Directory))
}

struct Moved {
    folder: PathBuf,
    note: String,
}

/// Where the next command begins, if that is elsewhere.
fn moved(ws: &Workspace, ctx: &RunContext, before: &Path, last: &str) -> Option<Moved> {
    let folder = match ws.locate(last) {
        Ok(Place::Inside(folder))
            if !files::is_hidden(ws, &ws.root().join(&folder), &ctx.hidden)
                && matches!(is_there(ws, &folder), Ok(true)) =>
        {
            folder
        }
        Ok(Place::Inside(_) | Place::Outside(_)) | Err(_) => {
            let note = format!("[the next command starts in {} again]", named(before));
            return Some(Moved { folder: before.to_owned(), note });
        }
    };
    let note = format!("[the next command starts in {}]", named(&folder));
    (folder != before).then_some(Moved { folder, note })
}

fn named(folder: &Path) -> String {
    match folder.as_os_str().is_empty() {
        true => "the workspace itself".to_owned(),
        false => format!("{}/", files::shown(folder)),
    }
}

fn read(spec: &ToolSpec, args: &Value) -> Result<Args, ToolError> {
    let args: Args = args::read(spec, args)?;
    if args.command.trim().is_empty() {
        return Err(args::bad(spec, "`command` is empty"));
    }
    if args.command.contains('\0') {
        return Err(args::bad(spec, "`command` contains a zero byte"));
    }
    if args.command.len() > LONGEST {
        return Err(args::bad(
            spec,
            "`command` is too long; write a script with write_file and run that",
        ));
    }
    Hosts::parse(&args.network).map_err(|problem| args::bad(spec, problem))?;
    match args.timeout_seconds {
        Some(seconds) if !(seconds > 0.0 && seconds <= 1e6) => {
            Err(args::bad(spec, "`timeout_seconds` has to be more than 0 and at most 1000000"))
        }
        Some(_) | None => Ok(args),
    }
}

/// Adds what is to be said of repositories once a job has ended.
pub(super) async fn add_news(output: &mut Output, ws: &Workspace, ctx: &RunContext) {
    let Some((_, now)) = look::everything(ws.root(), &ctx.cancel).await else { return };
    for line in ctx.shell.told_of(ws.root(), now) {
        told::add_line(&mut output.text, &line);
    }
}
