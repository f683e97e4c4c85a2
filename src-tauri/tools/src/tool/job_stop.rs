//! `job_stop`: ends a command in the background.
//!
//! It counts as looking: all it changes is a process the agent itself started.

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

/// How long the system may take to end what was killed.
const PATIENCE: Duration = Duration::from_secs(10);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Args {
    job: u32,
}

pub(super) fn spec() -> ToolSpec {
    ToolSpec {
        name: "job_stop",
        description: "End a command in the background, with everything it started.",
        schema: json!({
            "type": "object",
            "properties": {
                "job": { "type": "integer", "minimum": 1, "description": "The number that shell gave it." }
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
    job.cancel.cancel();
    let ended = job.ending(PATIENCE).await;
    let mut output = told::so_far(job.said.kept(&*ctx.secrets), &*ctx.secrets);
    let line = match ended {
        Some(_) => format!("(job {} has ended)", args.job),
        None => format!("(job {} was told to end)", args.job),
    };
    told::add_line(&mut output.text, &line);
    shell::add_news(&mut output, ws, ctx).await;
    Ok(output)
}
