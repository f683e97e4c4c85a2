//! `read_output`: lines of an output that was too long to be told whole.

use crate::args;
use crate::error::ToolError;
use crate::facts::{Effect, Facts};
use crate::output::Output;
use crate::tool::read_file::{self, Lines};
use crate::toolbox::{RunContext, ToolSpec};
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Args {
    id: String,
    start_line: Option<usize>,
    line_count: Option<usize>,
    start_byte: Option<usize>,
}

pub(super) fn spec() -> ToolSpec {
    ToolSpec {
        name: "read_output",
        description: "Read lines of an output that was cut because it was too long. \
            Lines and bytes are counted in what was kept of it.",
        schema: json!({
            "type": "object",
            "properties": {
                "id": { "type": "string", "description": "The id told with the output." },
                "start_line": { "type": "integer", "minimum": 1, "description": "First line to read, from 1." },
                "line_count": { "type": "integer", "minimum": 1, "description": "How many lines to read." },
                "start_byte": { "type": "integer", "minimum": 0, "description": "Read from this byte instead, where a line is too long." }
            },
            "required": ["id"],
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
    ctx: &RunContext,
) -> Result<Output, ToolError> {
    let args: Args = args::read(spec, args)?;
    let lines = Lines::new(spec, args.start_line, args.line_count, args.start_byte)?;
    match ctx.outputs.text(&args.id) {
        Some(text) => Ok(read_file::show(&text, lines)),
        None => Err(ToolError::NotKept { id: args.id }),
    }
}
