//! Calls as models really make them, from `tests/fixtures/calls`: each row goes through the same
//! functions as a call that arrives.

use super::*;
use crate::turn::harness_tools;
use models::{CallRequest, Shown, Stop, delivered, text_calls};
use plan::{DraftStep, Edit, FullStep, StepRef};
use serde::Deserialize;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tools::sandbox::{Confined, Job, Sandbox};
use tools::{ToolError, Toolbox, Workspace};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    about: String,
    source: String,
    #[serde(default)]
    given: Given,
    sent: Sent,
    expect: Value,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct Given {
    message: Option<String>,
    #[serde(default)]
    steps: Vec<String>,
    in_progress: Option<String>,
}

#[derive(Deserialize)]
#[serde(untagged, deny_unknown_fields)]
enum Sent {
    Call { tool: String, arguments: String, stop: Option<String> },
    Text { text: String },
}

/// What a call was understood as.
#[derive(Debug, PartialEq)]
pub(super) enum Read {
    Call {
        tool: String,
        args: Value,
    },
    Plan(PlanCall),
    Error(String),
    /// No call at all.
    Words,
}

/// A sandbox that runs nothing and knows where programs are.
struct Programs(Vec<PathBuf>);

impl Sandbox for Programs {
    fn command(&self, _: &Job<'_>) -> Result<Confined, ToolError> {
        Err(ToolError::Cancelled { so_far: None })
    }

    fn programs(&self) -> &[PathBuf] {
        &self.0
    }
}

/// The tools there are, and a folder to read calls in.
pub(super) struct Desk {
    toolbox: Toolbox,
    workspace: Workspace,
    _folder: tempfile::TempDir,
}

impl Desk {
    pub(super) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let programs = ["/usr/bin", "/bin"].map(PathBuf::from).to_vec();
        Self {
            toolbox: Toolbox::with_sandbox(Arc::new(Programs(programs))),
            workspace: Workspace::open(folder.path()).unwrap(),
            _folder: folder,
        }
    }

    pub(super) fn tools(&self) -> Vec<&str> {
        let built_in = self.toolbox.specs().iter().map(|spec| spec.name);
        let own = harness_tools::NAMES.into_iter().chain([crate::sidekicks::SPAWN]);
        own.chain(built_in).collect()
    }

    /// Reads one call as it arrives.
    pub(super) fn read(
        &self,
        tool: &str,
        arguments: &str,
        stop: Option<Stop>,
        message: Option<String>,
        steps: Vec<KnownStep>,
    ) -> Read {
        let call = delivered(vec![CallRequest::new("1", tool, arguments)], stop).remove(0);
        let Some(tool) = own_name(&call.name, self.tools().into_iter()) else {
            return Read::Error(unknown(&call.name, &self.tools(), 0));
        };
        let is_command = |text: &str| self.toolbox.is_command(text, &self.workspace);
        let scene = Scene { message, steps, handed: false, is_command: &is_command };
        let mut given = None;
        let mut read = || {
            let value = json(&call.arguments, cut(stop))?;
            given = Some(value.clone());
            Ok(match harness_tools::is_plan(tool) {
                true => checked(read_plan(tool, value, &scene)?),
                false => {
                    let args = read_fields(tool, value, &call.arguments)?.args;
                    Read::Call { tool: tool.to_owned(), args }
                }
            })
        };
        read().unwrap_or_else(|misread: Misread| {
            Read::Error(words(tool, &misread, given.as_ref(), &scene.steps, 0))
        })
    }

    /// Reads a whole answer in words.
    pub(super) fn read_text(&self, text: &str, message: Option<&str>) -> Vec<Read> {
        let offered: Vec<String> = self.tools().into_iter().map(str::to_owned).collect();
        let mut shown = Shown::default();
        message.into_iter().for_each(|message| shown.add(message));
        match text_calls(text, &offered, Whole::Yes).filter(|read| !shown.holds(read)) {
            None => vec![Read::Words],
            Some(read) => {
                let calls = read.calls.into_iter();
                let message = message.map(str::to_owned);
                calls
                    .map(|call| {
                        let stop = Some(Stop::End);
                        self.read(&call.name, &call.arguments, stop, message.clone(), Vec::new())
                    })
                    .collect()
            }
        }
    }
}

/// A step without words is refused by the rules, in theirs.
fn checked(call: PlanCall) -> Read {
    let Wish::Write(draft) = &call.wish else { return Read::Plan(call) };
    let blank = |step: &DraftStep| FullStep::from(step.clone()).text.trim().is_empty();
    match draft.steps.iter().position(blank) {
        Some(index) => Read::Error(plan::Refusal::EmptyStep { number: index + 1 }.to_string()),
        None => Read::Plan(call),
    }
}

fn steps(given: &Given) -> Vec<KnownStep> {
    let step = |(index, text): (usize, &String)| {
        let id = format!("s{}", index + 1);
        KnownStep { in_progress: given.in_progress.as_ref() == Some(&id), id, text: text.clone() }
    };
    given.steps.iter().enumerate().map(step).collect()
}

/// What was understood, in the words of a row.
fn told(read: &Read, steps: usize) -> Value {
    let id = |step: &Option<StepRef>| match step {
        Some(StepRef::Number(number)) if *number as usize <= steps => json!(format!("s{number}")),
        Some(StepRef::Number(number)) => json!(number),
        Some(StepRef::Id(id)) => json!(id),
        None => Value::Null,
    };
    match read {
        Read::Call { tool, args } => json!({ "call": { "tool": tool, "args": args } }),
        Read::Error(words) => json!({ "error": words }),
        Read::Words => json!({ "words": true }),
        Read::Plan(call) => match &call.wish {
            Wish::Write(draft) => {
                let steps: Vec<Value> = draft.steps.iter().map(step).collect();
                json!({ "plan": { "goal": draft.goal, "steps": steps } })
            }
            Wish::StepDone { step, result } => {
                json!({ "step_done": { "step": id(step), "result": result } })
            }
            Wish::StepFailed { step, error, next } => {
                json!({ "step_failed": { "step": id(step), "error": error, "next": next } })
            }
            Wish::Revise { edits, reason } => {
                let edits: Vec<Value> = edits.iter().map(|one| edit(one, &id)).collect();
                json!({ "revise": { "edits": edits, "reason": reason } })
            }
            Wish::Cancel { reason } => json!({ "cancel": { "reason": reason } }),
            Wish::Run => json!({ "run": true }),
            Wish::Status => json!({ "status": true }),
        },
    }
}

/// An edit of a plan; of a step that changes, only what is said of it.
fn edit(edit: &Edit, id: &dyn Fn(&Option<StepRef>) -> Value) -> Value {
    let id = |step: &StepRef| id(&Some(step.clone()));
    match edit {
        Edit::Set { step, to } => {
            let mut to = json!(to);
            if let Some(fields) = to.as_object_mut() {
                fields.retain(|_, value| !value.is_null());
            }
            json!({ "set": id(step), "to": to })
        }
        Edit::Add { after, new } => json!({ "add": step(new), "after": after.as_ref().map(id) }),
        Edit::Remove { step } => json!({ "remove": id(step) }),
        Edit::Move { step, after } => json!({ "move": id(step), "after": after.as_ref().map(id) }),
    }
}

fn step(step: &DraftStep) -> Value {
    let step = FullStep::from(step.clone());
    let mut told = json!({ "text": step.text });
    let more = [
        ("tool", json!(step.tool)),
        ("target", json!(step.target)),
        ("expected_outcome", json!(step.expected_outcome)),
        ("verify", json!(step.verify)),
    ];
    for (name, value) in more {
        if !value.is_null() {
            told[name] = value;
        }
    }
    told
}

/// How a call was cut off, by why its answer ended.
fn cut(stop: Option<Stop>) -> Cut {
    match stop {
        Some(Stop::Length) => Cut::Length,
        Some(Stop::Repetition) => Cut::Repetition,
        Some(Stop::End | Stop::ToolCalls | Stop::Paused) | None => Cut::No,
    }
}

/// What is wrong with a row, if anything.
fn problem(row: &Row, desk: &Desk) -> Option<String> {
    let stop = |stop: &Option<String>| match stop.as_deref() {
        Some("length") => Some(Stop::Length),
        Some(_) | None => Some(Stop::ToolCalls),
    };
    let read = match &row.sent {
        Sent::Call { tool, arguments, stop: why } => vec![desk.read(
            tool,
            arguments,
            stop(why),
            row.given.message.clone(),
            steps(&row.given),
        )],
        Sent::Text { text } => desk.read_text(text, row.given.message.as_deref()),
    };
    let [read] = &read[..] else { return Some(format!("{} calls", read.len())) };
    let told = told(read, row.given.steps.len());
    let Some(error) = row.expect.get("error") else {
        return (told != row.expect).then(|| format!("{told}\n  not {}", row.expect));
    };
    let Some(words) = told["error"].as_str() else { return Some(format!("no error: {told}")) };
    let leaks = [
        "missing field",
        "unknown field",
        "unknown variant",
        "untagged",
        "at line",
        "expected value",
        "expected struct",
        "expected a map",
        "invalid type",
        "invalid value",
        "EOF while",
    ];
    if let Some(leak) = leaks.iter().find(|leak| words.contains(*leak)) {
        return Some(format!("it says {leak}: {words}"));
    }
    let says = error["says"].as_array().into_iter().flatten().chain(error.get("field"));
    let mut missing = says.filter_map(Value::as_str).filter(|part| !words.contains(part));
    missing.next().map(|part| format!("it does not say {part}: {words}"))
}

/// Every row of every file.
fn rows() -> Vec<(String, Row)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/calls");
    let mut rows = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "json") {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            let text = std::fs::read_to_string(&path).unwrap();
            let read: Vec<Row> =
                serde_json::from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
            rows.extend(read.into_iter().map(|row| (name.clone(), row)));
        }
    }
    rows
}

#[test]
fn calls_as_models_make_them_are_understood_or_taught() {
    let (desk, rows) = (Desk::new(), rows());
    assert!(rows.len() >= 120, "{} rows", rows.len());
    let wrong: Vec<String> = rows
        .iter()
        .filter_map(|(file, row)| {
            let problem = problem(row, &desk)?;
            Some(format!("{file}: {}\n  {problem}", row.about))
        })
        .collect();
    assert!(wrong.is_empty(), "{} of {}\n{}", wrong.len(), rows.len(), wrong.join("\n"));
    assert!(rows.iter().all(|(_, row)| !row.source.is_empty()));
}
