//! `shell`: a command in the sandbox.

use crate::error::ToolError;
use crate::facts::{Effect, Facts, Target};
use crate::output::Output;
use crate::process::{self, End, Limits};
use crate::sandbox::{Guard, Job, Profile, Sandbox};
use crate::shell::changes::Snapshot;
use crate::shell::{looking, shell_words};
use crate::toolbox::{RunContext, ToolSpec};
use crate::workspace::Workspace;
use crate::{args, cut};
use serde::Deserialize;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// The longest command; the system takes no argument above 128 KiB.
const LONGEST: usize = 100 * 1024;
/// How much output is remembered, and how much of it a model gets.
const REMEMBERED: usize = 64 * 1024;
const SHOWN: usize = 16 * 1024;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Args {
    command: String,
    timeout_seconds: Option<f64>,
    #[serde(default)]
    network: Vec<String>,
}

pub(super) fn spec() -> ToolSpec {
    ToolSpec {
        name: "shell",
        description: "Run a command with bash in the workspace, in a sandbox: it can change the \
            workspace and /tmp (which is empty at each call) and has no network. No process \
            outlives the call.",
        schema: json!({
            "type": "object",
            "properties": {
                "command": { "type": "string", "description": "What bash is given." },
                "timeout_seconds": { "type": "number", "exclusiveMinimum": 0, "description": "Stop it sooner than usual." },
                "network": {
                    "type": "array",
                    "items": { "type": "string" },
                    "description": "Hosts it has to reach; a person is asked."
                }
            },
            "required": ["command"],
            "additionalProperties": false
        }),
    }
}

pub(super) fn facts(spec: &ToolSpec, args: &Value) -> Result<Facts, ToolError> {
    let args = read(spec, args)?;
    let simple = shell_words::split(&args.command);
    let effect = match &simple {
        _ if !args.network.is_empty() => Effect::Network,
        Some(commands) if looking::only_looks(commands) => Effect::Read,
        Some(_) | None => Effect::Exec,
    };
    let mut targets = vec![Target::Command { text: args.command, simple }];
    targets.extend(args.network.into_iter().map(|host| Target::Host { host }));
    Ok(Facts { effect, targets })
}

/// The command, behind a check that it stands in the folder that was opened.
///
/// The sandbox mounts a path, and a path can be made to lead elsewhere after
/// the folder was opened; what is mounted can't be.
fn in_place(ws: &Workspace, command: &str) -> Result<String, ToolError> {
    let (device, inode) = ws.identity()?;
    Ok(format!(
        "[ \"$(stat -c %d:%i .)\" = {device}:{inode} ] || {{ echo 'The workspace was replaced by \
         another folder; nothing was run.'; exit 126; }}\n{command}"
    ))
}

pub(super) async fn run(
    spec: &ToolSpec,
    args: &Value,
    ws: &Workspace,
    ctx: &RunContext,
    sandbox: impl FnOnce() -> Result<Arc<dyn Sandbox>, ToolError>,
) -> Result<Output, ToolError> {
    let effect = facts(spec, args)?.effect;
    let args = read(spec, args)?;
    let profile = match effect {
        // Said to be only looking, so held to it.
        Effect::Read => Profile::Look,
        Effect::Exec => ctx.profile,
        Effect::Network | Effect::Write | Effect::WriteOutside => return Err(ToolError::NoNetwork),
    };
    let sandbox = sandbox()?;
    let timeout = args
        .timeout_seconds
        .map_or(ctx.timeout, |seconds| Duration::from_secs_f64(seconds).min(ctx.timeout));
    let script = in_place(ws, &args.command)?;
    let before = snapshot(ws.root(), profile).await;
    let mut guard = Guard::new(ws.root(), profile);
    let prepared = process::prepare(|report| {
        sandbox.command(&Job {
            workspace: ws.root(),
            profile,
            hidden: &ctx.hidden,
            extra_read: &ctx.extra_read,
            script: &script,
            report,
        })
    })?;
    let cancel = ctx.cancel.child_token();
    // In a task of its own, which goes on to clean up when this call is dropped.
    let _stop_when_dropped = cancel.clone().drop_guard();
    let limits = Limits { timeout, cancel, remember: REMEMBERED };
    let running = tokio::spawn(async move {
        let ended = process::run(prepared, limits).await;
        (ended, guard.check())
    });
    let (ended, notes) = running
        .await
        .map_err(|err| ToolError::io("running the command", std::io::Error::other(err)))?;
    let (end, said) = ended?;
    let mut output = show(&end, said, notes);
    if profile.may_write() {
        let after = snapshot(ws.root(), profile).await;
        match (before, after) {
            (Some(before), Some(after)) => output.changed = before.until(&after),
            (_, _) => output.changes_known = false,
        }
    }
    match end {
        End::Exit(_) | End::Killed(_) => Ok(output),
        End::NotStarted => Err(ToolError::NoSandbox { reason: output.text }),
        End::TimedOut => {
            Err(ToolError::TimedOut { after: timeout, so_far: Some(Box::new(output)) })
        }
        End::Cancelled => Err(ToolError::Cancelled { so_far: Some(Box::new(output)) }),
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
    match args.timeout_seconds {
        Some(seconds) if !(seconds > 0.0 && seconds <= 1e6) => {
            Err(args::bad(spec, "`timeout_seconds` has to be more than 0"))
        }
        Some(_) | None => Ok(args),
    }
}

async fn snapshot(root: &Path, profile: Profile) -> Option<Snapshot> {
    if !profile.may_write() {
        return None;
    }
    let root = root.to_owned();
    let taken = tokio::task::spawn_blocking(move || Snapshot::take(&root)).await;
    // A walk that broke off is as good as one that was too long.
    taken.ok().flatten()
}

fn show(end: &End, said: String, notes: Vec<String>) -> Output {
    let cut = cut::middle(&said, SHOWN, |_, left_out| {
        format!(
            "[… {} bytes left out; narrow the output with head, tail or grep …]",
            left_out.len()
        )
    });
    let (mut text, full) = match cut {
        Some(cut) => (cut, Some(said)),
        None => (said, None),
    };
    let ending = match end {
        End::Exit(0) if text.is_empty() => Some("(it succeeded and said nothing)".to_owned()),
        End::Exit(0) | End::NotStarted => None,
        End::Exit(code @ 129..=192) => {
            Some(format!("(exit code {code}: ended by {})", signal_name(code - 128)))
        }
        End::Exit(code) => Some(format!("(exit code {code})")),
        End::Killed(signal) => Some(format!("(killed from outside by {})", signal_name(*signal))),
        End::TimedOut | End::Cancelled if text.is_empty() => Some("(it said nothing)".to_owned()),
        End::TimedOut | End::Cancelled => None,
    };
    for line in ending.into_iter().chain(notes) {
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        text.push_str(&line);
    }
    Output {
        full,
        failed: *end != End::Exit(0),
        exit_code: match end {
            End::Exit(code) => Some(*code),
            End::Killed(_) | End::NotStarted | End::TimedOut | End::Cancelled => None,
        },
        ..Output::said(text)
    }
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
        other => return format!("signal {other}"),
    };
    format!("signal {signal}, {known}")
}
