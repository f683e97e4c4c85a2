//! `job_output`: what a command in the background has said so far.

use crate::args;
use crate::error::ToolError;
use crate::facts::{Effect, Facts};
use crate::output::Output;
use crate::shell::told;
use crate::tool::shell;
use crate::toolbox::{RunContext, ToolSpec};
use crate::workspace::Workspace;
use serde::Deserialize;
use serde_json::{Value, json};
use std::time::Duration;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Args {
    job: u32,
    #[serde(default)]
    wait_seconds: f64,
}

pub(super) fn spec() -> ToolSpec {
    ToolSpec {
        name: "job_output",
        description: "Show what a command in the background has said so far, and whether it ended.",
        schema: json!({
            "type": "object",
            "properties": {
                "job": { "type": "integer", "minimum": 1, "description": "The number that shell gave it." },
                "wait_seconds": { "type": "number", "minimum": 0, "description": "Wait this long for it to end." }
            },
            "required": ["job"],
            "additionalProperties": false
        }),
    }
}

pub(super) fn facts(spec: &ToolSpec, args: &Value) -> Result<Facts, ToolError> {
    args::read::<Args>(spec, args)?;
    Ok(Facts { effect: Effect::Read, targets: Vec::new() })
}

pub(super) async fn run(
    spec: &ToolSpec,
    args: &Value,
    ws: &Workspace,
    ctx: &RunContext,
) -> Result<Output, ToolError> {
    let args: Args = args::read(spec, args)?;
    let job = ctx.shell.jobs.get(args.job)?;
    // A little less than the call itself may take, so that there is an answer.
    let most = ctx.timeout.as_secs_f64() * 0.9;
    let patience = Duration::from_secs_f64(args.wait_seconds.clamp(0.0, most.min(1e6)));
    let ending = tokio::select! {
        ending = job.ending(patience) => ending,
        () = ctx.cancel.cancelled() => return Err(ToolError::Cancelled { so_far: None }),
    };
    let secrets = &*ctx.secrets;
    let mut said = job.said.kept(secrets);
    Ok(match ending {
        Some(ending) => {
            let mut ended = told::ended(ending.end, said, &ending.notes, secrets);
            shell::add_news(&mut ended, ws, ctx).await;
            Output { failed: false, ..ended }
        }
        None => {
            // What may be the beginning of a secret is shown when it is clear that it is none.
            said.text.truncate(secrets.clear_until(&said.text));
            let mut output = told::so_far(said, secrets);
            told::add_line(&mut output.text, &format!("(still running: {})", short(&job.command)));
            output
        }
    })
}

fn short(command: &str) -> &str {
    const MOST: usize = 80;
    let line = command.lines().next().unwrap_or_default();
    &line[..line.floor_char_boundary(MOST)]
}
