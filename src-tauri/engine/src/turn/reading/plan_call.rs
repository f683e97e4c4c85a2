//! The tools for plans: `plan` with its actions, and the simple ones that are one action each.

use super::fields::{Fields, plain, text};
use super::unknown_fields::{self, says_nothing};
use super::{Misread, Scene, changes, report, steps, unwrapped};
use plan::{Advance, AfterFailure, Draft, DraftStep, Edit, Origin, RunMode, StepRef, Venue};
use serde_json::{Map, Value};

/// The longest goal that is taken from a message, in characters.
const GOAL_CHARS: usize = 2_000;
/// The names that the steps of a plan go by.
const STEPS: [&str; 6] = ["plan", "tasks", "todo", "todos", "plan_steps", "nodes"];
/// What a call may repeat of its plan without changing anything of it.
const REPEATED: [&str; 7] =
    ["goal", "objective", "mode", "advance", "venue", "plan_id", "revision"];
/// What only other actions take says nothing of a plan that is written.
const OTHERS: [&str; 5] = ["step", "result", "error", "next", "edits"];

/// What an agent wants of its plan.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Wish {
    Write(Draft),
    Run,
    /// A step is done; without one where it was handed to whoever calls.
    StepDone {
        step: Option<StepRef>,
        result: String,
    },
    StepFailed {
        step: Option<StepRef>,
        error: String,
        next: AfterFailure,
    },
    Revise {
        edits: Vec<Edit>,
        reason: Option<String>,
    },
    Status,
    Cancel {
        reason: String,
    },
}

/// A call of a tool for plans, as it was understood.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct PlanCall {
    pub(crate) wish: Wish,
    pub(crate) origin: Origin,
    pub(crate) warnings: Vec<String>,
}

/// What an action is called; the rest are other words for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Action {
    Write,
    Run,
    StepDone,
    StepFailed,
    Revise,
    Status,
    Cancel,
}

impl Action {
    fn named(word: &str) -> Option<Self> {
        Some(match word {
            "write" | "create" | "add" | "new" | "make" | "plan" | "write_plan" | "create_plan"
            | "make_plan" => Self::Write,
            "run" | "start" | "begin" | "execute" | "run_plan" | "start_plan" => Self::Run,
            "step_done" | "done" | "complete" | "completed" | "finish" | "finished"
            | "mark_done" | "mark_complete" | "mark_completed" | "complete_step"
            | "finish_step" | "step_complete" | "step_completed" => Self::StepDone,
            "step_failed" | "fail" | "failed" | "error" | "mark_failed" | "fail_step"
            | "step_fail" => Self::StepFailed,
            "revise" | "update" | "edit" | "change" | "modify" | "revise_plan" | "update_plan" => {
                Self::Revise
            }
            "status" | "show" | "get" | "list" | "view" | "check" => Self::Status,
            "cancel" | "stop" | "abort" => Self::Cancel,
            _ => return None,
        })
    }

    /// The action in its own word.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Write => "write",
            Self::Run => "run",
            Self::StepDone => "step_done",
            Self::StepFailed => "step_failed",
            Self::Revise => "revise",
            Self::Status => "status",
            Self::Cancel => "cancel",
        }
    }
}

/// Whether a call writes or changes a plan, whatever else is wrong with it.
pub(crate) fn writes(tool: &str, arguments: &str) -> bool {
    match tool {
        "write_plan" | "submit_plan" => true,
        "plan" => {
            let fields = unwrapped::parsed(arguments).map(|value| fields(tool, value));
            let Some(Ok(mut fields)) = fields else { return false };
            matches!(action(tool, &mut fields), Ok(Action::Write | Action::Revise))
        }
        _ => false,
    }
}

/// The action that a call names, as far as that can be told.
pub(super) fn action_of(tool: &str, value: &Value) -> Option<Action> {
    action(tool, &mut fields(tool, value.clone()).ok()?).ok()
}

/// Reads a call of `plan`, `write_plan`, `submit_plan`, `step_done` or `step_failed`.
pub(crate) fn read(tool: &str, value: Value, scene: &Scene<'_>) -> Result<PlanCall, Misread> {
    let mut fields = fields(tool, value)?;
    let mut warnings = Vec::new();
    let gives_up = gives_up(tool, &fields);
    let mut wish = match action(tool, &mut fields)? {
        Action::Write => Wish::Write(draft(tool, &mut fields, scene, &mut warnings)?),
        Action::Run => Wish::Run,
        Action::StepDone => report::done(&mut fields, scene, &mut warnings)?,
        Action::StepFailed => report::failed(&mut fields, scene, AfterFailure::Retry)?,
        Action::Cancel if gives_up => report::failed(&mut fields, scene, AfterFailure::Abort)?,
        Action::Revise => {
            let Some(edits) = fields.take("edits", &["changes"])? else {
                return Err(Misread::missing("edits"));
            };
            let (edits, more) = changes::read(edits, scene)?;
            warnings.extend(more);
            let reason = said(&mut fields, "reason", &["rationale"])?;
            Wish::Revise { edits, reason: Some(reason).filter(|reason| !reason.is_empty()) }
        }
        Action::Status => Wish::Status,
        Action::Cancel => {
            Wish::Cancel { reason: said(&mut fields, "reason", &["error", "message"])? }
        }
    };
    match &mut wish {
        // It only looks.
        Wish::Status => {}
        Wish::Write(draft) => beyond_steps(draft, fields.rest(), &mut warnings),
        Wish::Run
        | Wish::StepDone { .. }
        | Wish::StepFailed { .. }
        | Wish::Revise { .. }
        | Wish::Cancel { .. } => refuse_more(tool, fields.rest())?,
    }
    let origin = if tool == "submit_plan" { Origin::Submitted } else { Origin::Chat };
    Ok(PlanCall { wish, origin, warnings })
}

/// Models that follow the schema fill in what they leave out.
fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.trim().is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        Value::Bool(_) | Value::Number(_) => false,
    }
}

/// What was not looked at and says something.
fn more(tool: &str, rest: Vec<(String, Value)>) -> Vec<(String, Value)> {
    let is_more = |(key, value): &(String, Value)| {
        !is_empty(value)
            && !REPEATED.contains(&plain(key).as_str())
            && !says_nothing(tool, key, value)
    };
    rest.into_iter().filter(is_more).collect()
}

/// A report or a change of a plan with a field that there is not may mean less than it says.
fn refuse_more(tool: &str, rest: Vec<(String, Value)>) -> Result<(), Misread> {
    let keys: Vec<String> = more(tool, rest).into_iter().map(|(key, _)| key).collect();
    match keys.first() {
        None => Ok(()),
        Some(first) => {
            let problem = format!(
                "it has no {} for this, so nothing was done",
                unknown_fields::quoted(&keys)
            );
            Err(Misread::of(first, problem))
        }
    }
}

/// What a plan says beside its steps and no plan has may limit what each of them allows.
fn beyond_steps(draft: &mut Draft, rest: Vec<(String, Value)>, warnings: &mut Vec<String>) {
    let told: Vec<String> = rest.iter().map(|(key, _)| key.clone()).collect();
    let mut limits = more("plan", rest);
    limits.retain(|(key, _)| !OTHERS.contains(&plain(key).as_str()) && !steps::is_kept_here(key));
    if !told.is_empty() {
        let told = unknown_fields::quoted(&told);
        warnings.push(format!("a plan has no {told}, so it was left out"));
    }
    for (at, step) in draft.steps.iter_mut().enumerate() {
        if let DraftStep::Full(step) = step
            && let Some(warning) = steps::in_words(step, &limits)
        {
            warnings.push(format!("step {}: {warning}", at + 1));
        }
    }
}

/// The fields, out of whatever they are wrapped in. A list alone is the list of steps.
fn fields(tool: &str, value: Value) -> Result<Fields, Misread> {
    let value = match value {
        Value::String(text) => unwrapped::parsed(&text).unwrap_or(Value::String(text)),
        value @ (Value::Null
        | Value::Bool(_)
        | Value::Number(_)
        | Value::Array(_)
        | Value::Object(_)) => value,
    };
    if let Value::Array(steps) = value {
        // The whole call in a list.
        if let [Value::Object(one)] = &steps[..]
            && one.keys().any(|key| is_steps(key))
        {
            return fields(tool, Value::Object(one.clone()));
        }
        let steps = [("steps".to_owned(), Value::Array(steps))];
        return Ok(Fields::of(steps.into_iter().collect()));
    }
    let mut object = unwrapped::fields(tool, value)?;
    // `{"plan": {"steps": …}}`, perhaps with the action beside it.
    if let Some(Value::Object(inner)) = object.get("plan") {
        let beside = object.keys().all(|key| matches!(key.as_str(), "plan" | "action"));
        if beside && inner.keys().any(|key| is_steps(key)) {
            let inner: Map<String, Value> = inner.clone();
            object.remove("plan");
            object.extend(inner);
        }
    }
    Ok(Fields::of(object))
}

fn is_steps(key: &str) -> bool {
    let key = plain(key);
    key == "steps" || STEPS.contains(&key.as_str())
}

/// The action: by the tool, by its word, or by fields that leave no doubt.
fn action(tool: &str, fields: &mut Fields) -> Result<Action, Misread> {
    let own = match tool {
        "write_plan" | "submit_plan" => Some(Action::Write),
        "step_done" => Some(Action::StepDone),
        "step_failed" => Some(Action::StepFailed),
        _ => None,
    };
    let said = fields.take("action", &[])?;
    let known = "write, run, step_done, step_failed, revise, status or cancel";
    let said = match said {
        None => None,
        Some(Value::String(word)) => {
            let action = Action::named(&plain(&word)).ok_or_else(|| {
                Misread::of("action", format!("`action` has to be {known}, not `{word}`"))
            })?;
            Some(action)
        }
        Some(_) => return Err(Misread::of("action", format!("`action` has to be one of {known}"))),
    };
    if let Some(own) = own {
        return match said.filter(|said| *said != own) {
            Some(_) => Err(Misread::of("action", format!("{tool} has no `action`"))),
            None => Ok(own),
        };
    }
    let has_steps = fields.has(&["steps"]) || fields.has(&STEPS);
    let reported = reported(fields);
    match said {
        // `{"action": "update", "step": 2, "status": "completed"}` is a report.
        Some(Action::Revise) if !fields.has(&["edits", "changes"]) && !has_steps => {
            Ok(reported.unwrap_or(Action::Revise))
        }
        Some(action) => Ok(action),
        None if has_steps => Ok(Action::Write),
        None if fields.has(&["edits"]) => Ok(Action::Revise),
        None if reported.is_some() => Ok(reported.unwrap_or(Action::StepDone)),
        None if fields.has(&["step", "step_id"]) && fields.has(&["error"]) => {
            Ok(Action::StepFailed)
        }
        None if fields.has(&["step", "step_id"]) && fields.has(&["result"]) => Ok(Action::StepDone),
        None => Err(Misread::of("action", format!("`action` is missing; it is {known}"))),
    }
}

/// Whether `stop` is meant for a step that can't be done: it says which, and what went wrong.
fn gives_up(tool: &str, fields: &Fields) -> bool {
    let word = fields.get("action").and_then(Value::as_str).map(plain);
    let stops = matches!(word.as_deref(), Some("stop" | "abort"));
    tool == "plan" && stops && fields.has(&["step", "step_id"]) && fields.has(&["error"])
}

/// The end of a step, where its status says it.
fn reported(fields: &Fields) -> Option<Action> {
    if !fields.has(&["step", "step_id", "id"]) {
        return None;
    }
    match fields.get("status").and_then(Value::as_str).map(plain)?.as_str() {
        "done" | "complete" | "completed" => Some(Action::StepDone),
        "failed" => Some(Action::StepFailed),
        _ => None,
    }
}

fn draft(
    tool: &str,
    fields: &mut Fields,
    scene: &Scene<'_>,
    warnings: &mut Vec<String>,
) -> Result<Draft, Misread> {
    let written = fields.take("steps", &STEPS)?.ok_or_else(|| Misread::missing("steps"))?;
    let (steps, more) = steps::read(written, scene)?;
    warnings.extend(more);
    let goal = said(fields, "goal", &["objective"])?;
    let title = said(fields, "title", &[])?;
    let title = Some(title).filter(|title| !title.trim().is_empty());
    let message = scene.message.as_deref().map(beginning);
    let goal = Some(goal).filter(|goal| !goal.trim().is_empty());
    // A title says less than the person did; only `submit_plan` has no goal beside it.
    let goal = match tool {
        "submit_plan" => goal.or_else(|| title.clone()).or(message),
        _ => goal.or(message).or_else(|| title.clone()),
    };
    let rationale = said(fields, "rationale", &["reason", "explanation"])?;
    Ok(Draft {
        goal: goal.ok_or_else(|| Misread::missing("goal"))?,
        title,
        rationale: Some(rationale).filter(|rationale| !rationale.trim().is_empty()),
        mode: chosen(fields, "mode", warnings, |word| match word {
            "sequential" | "sequence" | "serial" => Some(RunMode::Sequential),
            "parallel" => Some(RunMode::Parallel),
            "graph" | "dag" => Some(RunMode::Graph),
            _ => None,
        })?,
        advance: advance(fields)?,
        venue: chosen(fields, "venue", warnings, |word| match word {
            "main" => Some(Venue::Main),
            "sidekick" => Some(Venue::Sidekick),
            _ => None,
        })?
        .unwrap_or_default(),
        steps,
    })
}

/// Who starts the next step. What can't be read may have meant that a person does, so it is not
/// left out.
fn advance(fields: &mut Fields) -> Result<Advance, Misread> {
    let Some(value) = fields.take("advance", &[])? else { return Ok(Advance::default()) };
    match value.as_str().map(plain).as_deref() {
        Some("") => Ok(Advance::default()),
        Some("auto" | "automatic") => Ok(Advance::Auto),
        Some("manual") => Ok(Advance::Manual),
        Some(_) | None => {
            let problem = format!("`advance` has to be auto or manual, not `{value}`");
            Err(Misread::of("advance", problem))
        }
    }
}

/// A message as a goal.
fn beginning(message: &str) -> String {
    let message = message.trim();
    match message.char_indices().nth(GOAL_CHARS) {
        Some((end, _)) => format!("{}…", &message[..end]),
        None => message.to_owned(),
    }
}

/// One of a few words; another one is left out.
fn chosen<T>(
    fields: &mut Fields,
    name: &str,
    warnings: &mut Vec<String>,
    choose: impl Fn(&str) -> Option<T>,
) -> Result<Option<T>, Misread> {
    let Some(value) = fields.take(name, &[])? else { return Ok(None) };
    let word = value.as_str().map(plain).unwrap_or_default();
    let choice = choose(&word);
    if choice.is_none() && !word.is_empty() {
        warnings.push(format!("`{name}` can't be `{word}`, so it was left out"));
    }
    Ok(choice)
}

/// Something said; where it is no text, as JSON.
pub(super) fn said(fields: &mut Fields, name: &str, also: &[&str]) -> Result<String, Misread> {
    let value = fields.take(name, also)?;
    Ok(value.map_or_else(String::new, |value| text(&value).unwrap_or_else(|| value.to_string())))
}

#[cfg(test)]
#[path = "plan_call_tests.rs"]
mod tests;
