//! `search`: lines that match a regular expression.
//!
//! The walk goes by names and skips what ignore files name; each file is then
//! opened below the workspace's descriptor without following links, so its
//! text always comes from inside.

use crate::args;
use crate::error::ToolError;
use crate::facts::Facts;
use crate::files::{self, confined};
use crate::output::Output;
use crate::toolbox::{RunContext, ToolSpec};
use crate::workspace::Workspace;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder, sinks};
use ignore::WalkBuilder;
use ignore::overrides::{Override, OverrideBuilder};
use serde::Deserialize;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// The most lines a model gets in one call.
const SHOWN: usize = 200;
/// The longest part of a line that is shown.
const LINE: usize = 300;

/// Files with longer lines are passed over.
const LONGEST_LINE: usize = 64 * 1024 * 1024;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Args {
    pattern: String,
    path: Option<String>,
    glob: Option<String>,
}

pub(super) fn spec() -> ToolSpec {
    ToolSpec {
        name: "search",
        description: "Find lines that match a regular expression in the files of the workspace. \
            Files named by ignore files and binary files are skipped.",
        schema: json!({
            "type": "object",
            "properties": {
                "pattern": { "type": "string", "description": "A regular expression in Rust's syntax." },
                "path": { "type": "string", "description": "A file or folder to search, relative to the workspace." },
                "glob": { "type": "string", "description": "Only files like this, such as *.rs or !*.lock." }
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
    let matcher = RegexMatcherBuilder::new()
        .line_terminator(Some(b'\n'))
        .build(&args.pattern)
        .map_err(|err| args::bad(spec, format!("`pattern` is no regular expression: {err}")))?;
    let glob = only_like(ws.root(), args.glob.as_deref())
        .map_err(|err| args::bad(spec, format!("`glob` is no glob: {err}")))?;
    let start = files::to_read(ws, args.path.as_deref().unwrap_or("."), &ctx.hidden)?;
    if confined::stat(ws, &start)?.is_none() {
        return Err(ToolError::NotFound { path: files::shown(&start) });
    }
    let mut search =
        Search { ws: ws.clone(), ctx: ctx.clone(), matcher, found: Vec::new(), more: false };
    files::off_the_loop(u64::MAX, move || {
        search.walk(&start, glob)?;
        Ok(search.show())
    })
    .await
}

fn only_like(root: &Path, glob: Option<&str>) -> Result<Override, ignore::Error> {
    let mut builder = OverrideBuilder::new(root);
    if let Some(glob) = glob {
        builder.add(glob)?;
    }
    builder.build()
}

struct Search {
    ws: Workspace,
    ctx: RunContext,
    matcher: RegexMatcher,
    found: Vec<String>,
    more: bool,
}

impl Search {
    fn walk(&mut self, start: &Path, glob: Override) -> Result<(), ToolError> {
        let started = Instant::now();
        let hidden = self.ctx.hidden.clone();
        let walk = WalkBuilder::new(self.ws.root().join(start))
            .hidden(false)
            .require_git(false)
            .overrides(glob)
            .filter_entry(move |entry| {
                entry.file_name() != ".git" && !files::is_hidden(entry.path(), &hidden)
            })
            .sort_by_file_name(|a, b| a.cmp(b))
            .build();
        let mut searcher = SearcherBuilder::new()
            .binary_detection(BinaryDetection::quit(0))
            .line_number(true)
            .heap_limit(Some(LONGEST_LINE))
            .build();
        for entry in walk {
            if self.ctx.cancel.is_cancelled() {
                return Err(ToolError::Cancelled { so_far: None });
            }
            if started.elapsed() > self.ctx.timeout {
                return Err(ToolError::TimedOut {
                    after: self.ctx.timeout,
                    so_far: Some(Box::new(self.show())),
                });
            }
            // What cannot be read is passed over, as any search does.
            let Ok(entry) = entry else { continue };
            if !entry.file_type().is_some_and(|kind| kind.is_file()) {
                continue;
            }
            if let Ok(path) = entry.path().strip_prefix(self.ws.root()) {
                self.file(&mut searcher, path.to_path_buf());
            }
            if self.more {
                break;
            }
        }
        Ok(())
    }

    fn file(&mut self, searcher: &mut Searcher, path: PathBuf) {
        let Ok((file, _)) = confined::open_file(&self.ws, &path) else {
            return;
        };
        let (found, more) = (&mut self.found, &mut self.more);
        let name = files::shown(&path);
        let before = found.len();
        let sink = sinks::Lossy(|number, line| {
            *more = found.len() >= SHOWN;
            if !*more {
                found.push(format!("{name}:{number}:{}", short(line.trim_end())));
            }
            Ok(!*more)
        });
        if searcher.search_file(&self.matcher, &file, sink).is_err() {
            // Half a file's matches would look like all of them.
            self.found.truncate(before);
        }
    }

    fn show(&self) -> Output {
        if self.found.is_empty() {
            return Output::said("(nothing matches)".into());
        }
        let mut text = self.found.join("\n");
        if self.more {
            text += &format!("\n[stopped after {SHOWN} lines; narrow the pattern, path or glob]");
        }
        Output::said(text)
    }
}

fn short(line: &str) -> &str {
    &line[..line.floor_char_boundary(LINE)]
}
