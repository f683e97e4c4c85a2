//! `search`: lines that match a regular expression.
//!
//! The walk goes by names and skips what ignore files name; each file is then
//! opened below the workspace's descriptor without following links, so its
//! text always comes from inside.

use crate::args;
use crate::error::ToolError;
use crate::facts::Facts;
use crate::files::{self, confined};
use crate::ignored::Ignored;
use crate::output::Output;
use crate::toolbox::{RunContext, ToolSpec};
use crate::workspace::Workspace;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder, sinks};
use ignore::WalkState;
use ignore::overrides::{Override, OverrideBuilder};
use serde::Deserialize;
use serde_json::{Value, json};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// The most lines a model gets in one call, and the most that are looked for.
const SHOWN: usize = 200;
const MOST: usize = 10_000;
/// The longest part of a line that is shown.
const LINE: usize = 300;

/// A file is searched up to a longer line: within a line nothing can be stopped.
const LONGEST_LINE: usize = 1024 * 1024;
/// The most files that are named for not being searched in whole.
const NAMED: usize = 20;
/// How large a pattern may become when it is made ready. A larger one would take minutes for one
/// long line.
const LARGEST_PATTERN: usize = 1024 * 1024;

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
        .size_limit(LARGEST_PATTERN)
        .build(&args.pattern)
        .map_err(|_| {
            let why = "is no regular expression, or too large a one. Put a backslash before each \
                       of ( ) [ ] { } * + ? | . \\ that means itself, and two in JSON";
            args::bad(spec, format!("`pattern` {why}: {}", args::shown(&args.pattern)))
        })?;
    let like = args.glob.as_deref();
    let glob = only_like(ws.root(), like)
        .map_err(|_| args::bad(spec, args::no_glob("glob", like.unwrap_or_default())))?;
    let start = files::to_read(ws, args.path.as_deref().unwrap_or("."), ctx)?;
    if confined::stat(ws, &start)?.is_none() {
        return Err(ToolError::NotFound { path: files::shown(&start) });
    }
    let search = Search { ws: ws.clone(), ctx: ctx.clone(), matcher, started: Instant::now() };
    files::off_the_loop(u64::MAX, move || search.walk(&start, glob)).await
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
    started: Instant,
}

/// A file that is read no further when the search is over.
struct Stoppable<'a> {
    file: File,
    search: &'a Search,
}

impl Read for Stoppable<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        match self.search.is_over() {
            true => Err(std::io::Error::other("the search is over")),
            false => self.file.read(buffer),
        }
    }
}

/// What was found in one file.
struct Looked {
    lines: Vec<String>,
    /// Why the rest of it was not searched.
    stopped: Option<String>,
}

impl Looked {
    /// Nothing found, and why.
    fn stopped(words: &str) -> Self {
        Self { lines: Vec::new(), stopped: Some(format!("[not searched in whole: {words}]")) }
    }
}

/// What the threads have found so far, file by file.
#[derive(Default)]
struct Found {
    files: Mutex<Vec<(PathBuf, Looked)>>,
    count: AtomicUsize,
    late: AtomicBool,
}

impl Search {
    fn is_late(&self) -> bool {
        self.started.elapsed() > self.ctx.timeout
    }

    fn is_over(&self) -> bool {
        self.is_late() || self.ctx.cancel.is_cancelled()
    }

    fn walk(&self, start: &Path, glob: Override) -> Result<Output, ToolError> {
        let (place, hidden) = (self.ws.clone(), self.ctx.hidden.clone());
        let found = Found::default();
        let walk = Ignored::walk(&self.ws.root().join(start), glob, move |entry| {
            entry.file_name() != ".git" && !files::is_hidden(&place, entry.path(), &hidden)
        });
        walk.build_parallel().run(|| {
            let mut searcher = SearcherBuilder::new()
                .binary_detection(BinaryDetection::quit(0))
                .line_number(true)
                .heap_limit(Some(LONGEST_LINE))
                .build();
            let found = &found;
            Box::new(move |entry| {
                if self.is_late() {
                    found.late.store(true, Ordering::Relaxed);
                    return WalkState::Quit;
                }
                if self.ctx.cancel.is_cancelled() || found.count.load(Ordering::Relaxed) >= MOST {
                    return WalkState::Quit;
                }
                let entry = match entry {
                    Ok(entry) => entry,
                    Err(error) => {
                        if let Some((path, words)) = Ignored::passed_over(&error, self.ws.root()) {
                            found.add(&path, Looked::stopped(&words));
                        }
                        return WalkState::Continue;
                    }
                };
                if entry.file_type().is_some_and(|kind| kind.is_file())
                    && let Ok(path) = entry.path().strip_prefix(self.ws.root())
                {
                    match self.file(&mut searcher, path) {
                        Some(looked) => found.add(path, looked),
                        None => found.late.store(true, Ordering::Relaxed),
                    }
                }
                WalkState::Continue
            })
        });
        if self.ctx.cancel.is_cancelled() {
            return Err(ToolError::Cancelled { so_far: None });
        }
        let late = found.late.load(Ordering::Relaxed);
        let output = found.show();
        match late {
            true => {
                Err(ToolError::TimedOut { after: self.ctx.timeout, so_far: Some(Box::new(output)) })
            }
            false => Ok(output),
        }
    }

    /// The lines of one file that match; `None` when the search was over before the file was.
    fn file(&self, searcher: &mut Searcher, path: &Path) -> Option<Looked> {
        let mut looked = Looked { lines: Vec::new(), stopped: None };
        let name = files::name(path.as_os_str());
        let file = match confined::open_file(&self.ws, path) {
            Ok((file, _)) => file,
            Err(ToolError::Io { source, .. }) => {
                let words = format!("{name} can't be read: {}", source.kind());
                return Some(Looked::stopped(&words));
            }
            // It is gone, or something else took its place just now.
            Err(_) => return Some(looked),
        };
        let sink = sinks::Lossy(|number, line| {
            looked.lines.push(format!("{name}:{number}:{}", self.short(line.trim_end())));
            Ok(looked.lines.len() < MOST)
        });
        let file = Stoppable { file, search: self };
        match searcher.search_reader(&self.matcher, file, sink) {
            Ok(()) => {}
            // Half a file's matches would look like all of them.
            Err(_) if self.is_over() => return None,
            Err(err) => {
                let why = match err.raw_os_error() {
                    Some(_) => format!("can't be read further: {err}"),
                    None => format!("has a line of more than {} MB", LONGEST_LINE / 1_000_000),
                };
                looked.stopped = Looked::stopped(&format!("{name} {why}")).stopped;
            }
        }
        Some(looked)
    }

    /// As much of a line as is shown, and no half of a secret.
    fn short(&self, line: &str) -> String {
        if line.len() <= LINE {
            return line.to_owned();
        }
        let mut line = self.ctx.secrets.clean(line.to_owned());
        line.truncate(line.floor_char_boundary(LINE));
        line
    }
}

impl Found {
    fn add(&self, path: &Path, looked: Looked) {
        if looked.lines.is_empty() && looked.stopped.is_none() {
            return;
        }
        self.count.fetch_add(looked.lines.len(), Ordering::Relaxed);
        let mut all = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        all.push((path.to_owned(), looked));
    }

    fn show(self) -> Output {
        let mut files = self.files.into_inner().unwrap_or_else(PoisonError::into_inner);
        files.sort_by(|a, b| a.0.cmp(&b.0));
        let (mut lines, mut notes) = (Vec::new(), Vec::new());
        for (_, looked) in files {
            lines.extend(looked.lines);
            notes.extend(looked.stopped);
        }
        let unnamed = notes.len().saturating_sub(NAMED);
        notes.truncate(NAMED);
        if unnamed > 0 {
            notes.push(format!("[not searched in whole: {unnamed} more files or folders]"));
        }
        let with_notes = |mut lines: Vec<String>| {
            lines.extend_from_slice(&notes);
            lines.join("\n")
        };
        if lines.is_empty() {
            let nothing = match notes.is_empty() {
                true => "(nothing matches)",
                false => "(nothing matches in what was searched)",
            };
            return Output::said(with_notes(vec![nothing.to_owned()]));
        }
        if lines.len() <= SHOWN {
            return Output::said(with_notes(lines));
        }
        let more = if lines.len() >= MOST { "or more " } else { "" };
        let left_out = format!(
            "[… {} {more}lines left out; narrow the pattern, path or glob …]",
            lines.len() - SHOWN
        );
        let mut shown = lines[..SHOWN].to_vec();
        shown.push(left_out);
        Output { full: Some(with_notes(lines)), ..Output::said(with_notes(shown)) }
    }
}
