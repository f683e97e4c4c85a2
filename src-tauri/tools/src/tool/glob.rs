//! `glob`: files by a pattern of their names.

use crate::args;
use crate::error::ToolError;
use crate::facts::Facts;
use crate::files::{self, confined};
use crate::ignored::Ignored;
use crate::output::Output;
use crate::toolbox::{RunContext, ToolSpec};
use crate::workspace::Workspace;
use globset::{GlobBuilder, GlobMatcher};
use ignore::overrides::Override;
use serde::Deserialize;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// The most names a model gets in one call, and the most that are kept.
const SHOWN: usize = 500;
const MOST: usize = 50_000;
/// The most folders that are named for not being looked at.
const NAMED: usize = 20;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Args {
    pattern: String,
    path: Option<String>,
}

pub(super) fn spec() -> ToolSpec {
    ToolSpec {
        name: "glob",
        description: "Find files of the workspace by a pattern such as src/**/*.rs; a pattern \
            without a slash is looked for in every folder. Files named by ignore files are skipped.",
        schema: json!({
            "type": "object",
            "properties": {
                "pattern": { "type": "string", "description": "A pattern with *, ?, [ab], {a,b} and ** for any folders." },
                "path": { "type": "string", "description": "The folder to look in, relative to the workspace." }
            },
            "required": ["pattern"],
            "additionalProperties": false
        }),
    }
}

pub(super) fn facts(spec: &ToolSpec, args: &Value, ws: &Workspace) -> Result<Facts, ToolError> {
    let args: Args = args::read(spec, args)?;
    files::reads(ws, args.path.as_deref().unwrap_or("."))
}

pub(super) async fn run(
    spec: &ToolSpec,
    args: &Value,
    ws: &Workspace,
    ctx: &RunContext,
) -> Result<Output, ToolError> {
    let args: Args = args::read(spec, args)?;
    let pattern = args.pattern.trim_start_matches("./");
    let pattern = match pattern.contains('/') {
        true => pattern.to_owned(),
        false => format!("**/{pattern}"),
    };
    let matcher = GlobBuilder::new(&pattern)
        .literal_separator(true)
        .build()
        .map_err(|_| args::bad(spec, args::no_glob("pattern", &args.pattern)))?
        .compile_matcher();
    let start = files::to_read(ws, args.path.as_deref().unwrap_or("."), ctx)?;
    confined::open_folder(ws, &start)?;
    let (ws, ctx) = (ws.clone(), ctx.clone());
    files::off_the_loop(u64::MAX, move || find(&ws, &ctx, &start, &matcher)).await
}

fn find(
    ws: &Workspace,
    ctx: &RunContext,
    start: &Path,
    matcher: &GlobMatcher,
) -> Result<Output, ToolError> {
    let started = Instant::now();
    let top: PathBuf = ws.root().join(start);
    let (place, hidden) = (ws.clone(), ctx.hidden.clone());
    let walk = Ignored::walk(&top, Override::empty(), move |entry| {
        entry.file_name() != ".git" && !files::is_hidden(&place, entry.path(), &hidden)
    });
    let (mut found, mut missed) = (Vec::new(), Vec::new());
    for entry in walk.build() {
        if ctx.cancel.is_cancelled() {
            return Err(ToolError::Cancelled { so_far: None });
        }
        if started.elapsed() > ctx.timeout {
            let so_far = Some(Box::new(show(found, missed)));
            return Err(ToolError::TimedOut { after: ctx.timeout, so_far });
        }
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) => {
                missed.extend(Ignored::passed_over(&error, ws.root()).map(|(_, words)| words));
                continue;
            }
        };
        let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
        let below = entry.path().strip_prefix(&top).ok();
        if is_folder || !below.is_some_and(|path| matcher.is_match(path)) {
            continue;
        }
        if let Ok(path) = entry.path().strip_prefix(ws.root()) {
            found.push(files::name(path.as_os_str()));
        }
        if found.len() == MOST {
            break;
        }
    }
    found.sort_unstable();
    Ok(show(found, missed))
}

/// What was found, and the first of what could not be looked at.
fn show(names: Vec<String>, missed: Vec<String>) -> Output {
    let unnamed = missed.len().saturating_sub(NAMED);
    let mut notes: String =
        missed.iter().take(NAMED).map(|words| format!("\n[not looked at: {words}]")).collect();
    if unnamed > 0 {
        notes += &format!("\n[not looked at: {unnamed} more folders]");
    }
    if names.is_empty() {
        let nothing = match missed.is_empty() {
            true => "(nothing matches)",
            false => "(nothing matches in what was looked at)",
        };
        return Output::said(format!("{nothing}{notes}"));
    }
    let whole = names.join("\n") + &notes;
    let Some(left_out) = names.len().checked_sub(SHOWN).filter(|more| *more > 0) else {
        return Output::said(whole);
    };
    let text = format!(
        "{}\n[… {left_out} more left out; narrow the pattern …]{notes}",
        names[..SHOWN].join("\n")
    );
    Output { full: Some(whole), ..Output::said(text) }
}
