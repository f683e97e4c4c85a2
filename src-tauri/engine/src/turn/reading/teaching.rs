//! Errors that teach: which field, what is accepted, and the shortest call that would have done.

use super::plan_call::{Action, action_of};
use super::shapes::{Kind, Shape, shape};
use super::{Cut, KnownStep, Misread, step_ref};
use serde_json::{Value, json};

/// The longest value of a call that its example repeats, in characters.
const REPEATED: usize = 80;

/// The shortest valid call of every tool with plain fields.
const EXAMPLES: [(&str, &[(&str, &str)]); 22] = [
    ("read_file", &[("path", r#""path/to/file""#)]),
    ("list_dir", &[("path", r#""path/to/folder""#)]),
    ("glob", &[("pattern", r#""src/**/*.rs""#)]),
    ("search", &[("pattern", r#""TODO""#)]),
    ("write_file", &[("path", r#""path/to/file""#), ("content", r#""…""#)]),
    (
        "edit_file",
        &[("path", r#""path/to/file""#), ("old", r#""old text""#), ("new", r#""new text""#)],
    ),
    ("create_directory", &[("path", r#""path/to/folder""#)]),
    ("move_file", &[("from", r#""old/path""#), ("to", r#""new/path""#)]),
    ("delete_file", &[("path", r#""path/to/file""#)]),
    ("shell", &[("command", r#""ls -la""#)]),
    ("job_output", &[("job", "1")]),
    ("job_stop", &[("job", "1")]),
    ("read_output", &[("id", r#""…""#)]),
    ("fetch", &[("url", r#""https://example.com/""#)]),
    ("ask_user", &[("question", r#""…""#)]),
    ("spawn_sidekick", &[("task", r#""…""#)]),
    ("sidekick_complete", &[("summary", r#""…""#)]),
    (plan::council::ANSWER, &[("content", r#""…""#)]),
    (plan::council::VOTE, &[("agent_id", r#""agent1""#), ("reason", r#""…""#)]),
    (plan::council::SUBMIT, &[]),
    (plan::council::RESTART, &[("reason", r#""…""#), ("instructions", r#""…""#)]),
    (crate::council::START, &[("task", r#""…""#)]),
];

/// The shortest valid call of `plan` for an action.
fn plan_example(action: Action, current: &str) -> String {
    match action {
        Action::Write => r#"{"action":"write","goal":"…","steps":["…","…"]}"#.to_owned(),
        Action::StepDone => {
            format!(r#"{{"action":"step_done","step":"{current}","result":"…"}}"#)
        }
        Action::StepFailed => {
            format!(r#"{{"action":"step_failed","step":"{current}","error":"…","next":"retry"}}"#)
        }
        Action::Revise => format!(
            r#"{{"action":"revise","edits":[{{"op":"set","step":"{current}","text":"…"}}]}}"#
        ),
        Action::Run | Action::Status | Action::Cancel => {
            format!(r#"{{"action":"{}"}}"#, action.word())
        }
    }
}

/// The shortest valid call of a tool, with what the model gave rightly.
/// `wrong` is the field that was not right.
pub(crate) fn example(
    tool: &str,
    given: Option<&Value>,
    wrong: Option<&str>,
    steps: &[KnownStep],
) -> Option<String> {
    let mut in_progress = steps.iter().filter(|step| step.in_progress);
    let current = in_progress.next();
    let is_clear = steps.is_empty() || current.is_some() && in_progress.next().is_none();
    let current = current.or(steps.first()).map_or("s1", |step| step.id.as_str());
    let action = given.and_then(|given| action_of(tool, given)).unwrap_or(Action::Write);
    Some(match tool {
        "plan" => plan_example(action, current),
        "write_plan" => r#"{"steps":["…","…"]}"#.to_owned(),
        "submit_plan" => r#"{"title":"…","steps":[{"description":"…","tool":"write_file","target":"path/to/file"}]}"#.to_owned(),
        "step_done" if !is_clear => format!(r#"{{"step":"{current}","result":"…"}}"#),
        "step_failed" if !is_clear => {
            format!(r#"{{"step":"{current}","error":"…","next":"retry"}}"#)
        }
        "step_done" => r#"{"result":"…"}"#.to_owned(),
        "step_failed" => r#"{"error":"…","next":"retry"}"#.to_owned(),
        _ => {
            let (_, fields) = EXAMPLES.iter().find(|(name, _)| *name == tool)?;
            let fields: Vec<String> = fields
                .iter()
                .map(|(name, usual)| format!(r#""{name}":{}"#, repeated((tool, name), wrong, given, usual)))
                .collect();
            format!("{{{}}}", fields.join(","))
        }
    })
}

/// The value that was given, where it is a short text, else the usual one.
fn repeated(
    (tool, name): (&str, &str),
    wrong: Option<&str>,
    given: Option<&Value>,
    usual: &str,
) -> String {
    let is_text = shape(tool).is_some_and(|shape| {
        let field = shape.fields.iter().find(|field| field.name == name);
        field.is_some_and(|field| matches!(field.kind, Kind::Text | Kind::Command))
    });
    let value = given.and_then(|given| given.get(name)).and_then(Value::as_str);
    let short = |text: &&str| {
        !text.trim().is_empty()
            && text.chars().count() <= REPEATED
            && !text.contains(char::is_control)
    };
    // What was wrong is not what to send.
    match value.filter(short).filter(|_| is_text && wrong != Some(name)) {
        Some(text) => Value::from(text).to_string(),
        None => usual.to_owned(),
    }
}

/// What the model is told. `before` is how often in a row a call of this tool could not be read.
pub(crate) fn words(
    tool: &str,
    misread: &Misread,
    given: Option<&Value>,
    steps: &[KnownStep],
    before: u32,
) -> String {
    let mut words = format!("{tool}: {}.", misread.problem);
    if misread.futile {
        if before > 0 {
            words.push_str(&format!(" Calling {tool} again changes nothing."));
        }
        return words;
    }
    match misread.cut {
        Cut::No => {}
        Cut::Length => {
            words.push_str(" Nothing was done. ");
            words.push_str(less(tool));
        }
        Cut::Repetition => words.push_str(" Nothing was done. Send a short call."),
    }
    if let Some(accepted) = accepted(tool, given) {
        words.push_str(&format!(" It takes {accepted}."));
    }
    if let Some(example) = example(tool, given, misread.field.as_deref(), steps) {
        words.push_str(&format!(" Example: {tool} {example}"));
    }
    match misread.cut {
        Cut::No if before > 0 => words.push_str(&simpler(tool, given, steps)),
        Cut::No => {}
        // The fields were right, and there was too much in them.
        Cut::Length if before > 0 => words.push_str(SHORTER),
        Cut::Length | Cut::Repetition => {}
    }
    words
}

/// What is said of a call that was cut off once more.
const SHORTER: &str =
    ". It was cut off before, too: send less than half as much now, and the rest in later calls";

/// What the model is told where the tool itself could not use the arguments.
pub(crate) fn after_tool(tool: &str, why: &str, args: &Value, before: u32) -> String {
    let mut words = format!("{why}.");
    // Where it is not said what was wrong, nothing of it is repeated.
    let wrong = named(why);
    let given = wrong.as_ref().map(|_| args);
    if let Some(example) = example(tool, given, wrong.as_deref(), &[]) {
        words.push_str(&format!(" Example: {tool} {example}"));
    }
    if before > 0 {
        words.push_str(&simpler(tool, Some(args), &[]));
    }
    words
}

/// What would have been right where the plan itself refused: what is accepted, and a call. `before`
/// is how often in a row a report named a step that there is not.
pub(crate) fn after_refusal(code: &str, steps: &[KnownStep], before: u32) -> Option<String> {
    let current = steps.iter().find(|step| step.in_progress);
    Some(match code {
        "UNKNOWN_NEED" => "`needs` lists steps of this plan by number, counted from 1, or by id: \
            {\"steps\":[{\"text\":\"…\"},{\"text\":\"…\",\"needs\":[1]}]}"
            .to_owned(),
        "EMPTY_STEP" => r#"every step says what to do: {"steps":[{"text":"…"},"…"]}"#.to_owned(),
        "STEP_NOT_FOUND" | "STEP_NOT_RUNNING" if steps.is_empty() => return None,
        "STEP_NOT_FOUND" | "STEP_NOT_RUNNING" => {
            let named = step_ref::listed(steps);
            let mut told = match current {
                Some(step) => format!(
                    "`step` is {named}; the one in progress is \"{id}\": \
                     {{\"action\":\"step_done\",\"step\":\"{id}\",\"result\":\"…\"}}",
                    id = step.id
                ),
                None => format!("`step` is {named}; none is in progress now"),
            };
            match current {
                _ if before == 0 => {}
                Some(_) => {
                    told.push_str(&simpler("plan", Some(&json!({ "action": "step_done" })), steps))
                }
                None => {
                    told.push_str(AGAIN);
                    told.push_str(r#": look with plan {"action":"status"} what is done"#);
                }
            }
            told
        }
        _ => return None,
    })
}

/// The field that a tool's own words name first.
fn named(why: &str) -> Option<String> {
    Some(why.split('`').nth(1)?.to_owned())
}

/// How to send less.
fn less(tool: &str) -> &'static str {
    match tool {
        "write_file" => {
            "Send less at once: write the first part of the file, then add the rest in parts with \
             edit_file."
        }
        "edit_file" => "Send less at once: several small edits instead of one.",
        "shell" => "Send less at once: a shorter command, or several.",
        "plan" | "write_plan" | "submit_plan" => {
            "Send less at once: fewer steps, each in a few words."
        }
        _ => "Send less at once.",
    }
}

/// What a tool takes, in one line.
fn accepted(tool: &str, given: Option<&Value>) -> Option<String> {
    let steps = "`steps` (a list of texts, or of objects with `text`)";
    let action = given.and_then(|given| action_of(tool, given));
    let told = match (tool, action) {
        ("write_plan", _) => format!("{steps} and `goal`"),
        ("submit_plan", _) => format!("`title` and {steps}"),
        ("step_done", _) => "`result` (text) and `step` (id or number)".to_owned(),
        ("step_failed", _) => {
            "`error` (text), `step` (id or number) and `next` (retry, skip, revise or abort)"
                .to_owned()
        }
        ("plan", Some(Action::Write)) => format!("{steps} and `goal` with action write"),
        ("plan", Some(Action::StepDone)) => {
            "`step` (id or number) and `result` (text) with action step_done".to_owned()
        }
        ("plan", Some(Action::StepFailed)) => "`step` (id or number), `error` (text) and `next` \
            (retry, skip, revise or abort) with action step_failed"
            .to_owned(),
        ("plan", Some(Action::Revise)) => "`edits` (a list; each has `op`: set, add, remove or \
            move, and `step`) with action revise"
            .to_owned(),
        ("plan", Some(Action::Run | Action::Status | Action::Cancel) | None) => {
            "`action`: write, run, step_done, step_failed, revise, status or cancel".to_owned()
        }
        _ => listed(shape(tool)?),
    };
    Some(told)
}

fn listed(shape: &Shape) -> String {
    let fields = shape.fields.iter().map(|field| {
        let kind = match field.kind {
            Kind::Text | Kind::Content | Kind::Command | Kind::Words => "text".to_owned(),
            Kind::Any => "list of steps".to_owned(),
            Kind::Integer => "whole number".to_owned(),
            Kind::Number => "number".to_owned(),
            Kind::Flag => "true or false".to_owned(),
            Kind::Texts => "list of texts".to_owned(),
            Kind::Hosts => "list of hosts".to_owned(),
            Kind::Choice(words) => words.join(" or "),
        };
        let needed = if field.required { ", required" } else { "" };
        format!("`{}` ({kind}{needed})", field.name)
    });
    fields.collect::<Vec<_>>().join(", ")
}

/// What is said of a second failure.
pub(super) const AGAIN: &str = ". This failed before in the same way";

/// A simpler way to the same, after a second failure.
fn simpler(tool: &str, given: Option<&Value>, steps: &[KnownStep]) -> String {
    let action = given.and_then(|given| action_of(tool, given));
    let report = |tool: &str| {
        let example = example(tool, None, None, steps).unwrap_or_default();
        format!("{AGAIN}; a simpler form: {tool} {example}")
    };
    let form = match (tool, action) {
        ("plan", Some(Action::StepDone)) => return report("step_done"),
        ("plan", Some(Action::StepFailed)) => return report("step_failed"),
        ("write_plan", _) => r#"write_plan {"steps":"1. …\n2. …"}"#,
        ("plan" | "submit_plan", _) => r#"write_plan {"steps":["…","…"]}"#,
        ("edit_file", _) => r#"write_file {"path":"path/to/file","content":"the whole file"}"#,
        _ => {
            return format!("{AGAIN}: send only the fields of the example");
        }
    };
    format!("{AGAIN}; a simpler form: {form}")
}

#[cfg(test)]
mod tests {
    use super::super::{Scene, read_fields, read_plan};
    use super::*;
    use serde_json::json;

    fn steps() -> Vec<KnownStep> {
        let step = |id: &str, in_progress| KnownStep {
            id: id.to_owned(),
            text: "x".to_owned(),
            in_progress,
        };
        vec![step("s1", false), step("s2", true)]
    }

    #[test]
    fn every_example_is_a_call_that_is_understood() {
        for (tool, _) in EXAMPLES {
            let example = example(tool, None, None, &[]).unwrap();
            let value: Value = serde_json::from_str(&example).unwrap();
            let read = read_fields(tool, value.clone(), &example).unwrap();
            assert_eq!((read.args, read.warnings.len()), (value, 0), "{tool}");
        }
        assert!(
            super::super::shapes::SHAPES
                .iter()
                .all(|shape| example(shape.tool, None, None, &[]).is_some())
        );
        let scene = Scene {
            message: Some("go".to_owned()),
            steps: steps(),
            handed: false,
            is_command: &|_| false,
        };
        let actions = ["write", "run", "step_done", "step_failed", "revise", "status", "cancel"];
        let plans = actions.map(|action| ("plan", json!({ "action": action })));
        let simple = ["write_plan", "submit_plan", "step_done", "step_failed"];
        for (tool, given) in plans.into_iter().chain(simple.map(|tool| (tool, json!({})))) {
            let example = example(tool, Some(&given), None, &scene.steps).unwrap();
            let call = read_plan(tool, serde_json::from_str(&example).unwrap(), &scene);
            assert!(call.is_ok_and(|call| call.warnings.is_empty()), "{tool} {example}");
        }
    }

    #[test]
    fn an_error_names_the_field_what_is_accepted_and_this_very_call() {
        let given = json!({ "path": "notes/todo.md" });
        let misread = read_fields("write_file", given.clone(), "{}").unwrap_err();
        let told = words("write_file", &misread, Some(&given), &[], 0);
        assert_eq!(
            told,
            "write_file: `content` is missing. It takes `path` (text, required), `content` (text, \
             required). Example: write_file {\"path\":\"notes/todo.md\",\"content\":\"…\"}"
        );
        let given = json!({ "action": "step_done", "step": [] });
        let misread = Misread::of("step", "`step` has to be the id or the number of a step");
        let told = words("plan", &misread, Some(&given), &steps(), 0);
        assert!(told.ends_with(r#"Example: plan {"action":"step_done","step":"s2","result":"…"}"#));
    }

    #[test]
    fn the_second_failure_offers_a_simpler_form() {
        let misread = Misread::missing("steps");
        let given = json!({ "action": "write" });
        let first = words("plan", &misread, Some(&given), &[], 0);
        let second = words("plan", &misread, Some(&given), &[], 1);
        assert!(!first.contains("write_plan"), "{first}");
        assert!(second.ends_with(r#"write_plan {"steps":["…","…"]}"#), "{second}");
        let simple = words("write_plan", &misread, Some(&json!({})), &[], 1);
        let (_, form) = simple.split_once("a simpler form: write_plan ").unwrap();
        let scene = Scene {
            message: Some("go".to_owned()),
            steps: Vec::new(),
            handed: false,
            is_command: &|_| false,
        };
        let call = read_plan("write_plan", serde_json::from_str(form).unwrap(), &scene).unwrap();
        let two = matches!(&call.wish, super::super::Wish::Write(draft) if draft.steps.len() == 2);
        assert!(two, "not the form that failed: {form}");
    }

    #[test]
    fn a_refusal_of_the_plan_names_what_is_accepted() {
        let told = |code| after_refusal(code, &steps(), 0);
        assert!(told("UNKNOWN_NEED").is_some_and(|told| told.contains("counted from 1")));
        assert!(told("EMPTY_STEP").is_some_and(|told| told.contains(r#"{"text":"…"}"#)));
        for code in ["STEP_NOT_FOUND", "STEP_NOT_RUNNING"] {
            let told = told(code).unwrap();
            assert!(told.starts_with(r#"`step` is 1 or "s1", 2 or "s2""#), "{told}");
            assert!(told.contains(r#""step":"s2""#), "{told}");
        }
        assert_eq!(told("PLAN_OVER"), None);
        assert_eq!(after_refusal("STEP_NOT_FOUND", &[], 0), None);
        let again = after_refusal("STEP_NOT_FOUND", &steps(), 1).unwrap();
        assert!(again.ends_with(r#"a simpler form: step_done {"result":"…"}"#), "{again}");
        let mut none = steps();
        none[1].in_progress = false;
        let again = after_refusal("STEP_NOT_FOUND", &none, 1).unwrap();
        assert!(again.contains(r#"plan {"action":"status"}"#), "{again}");
    }

    #[test]
    fn a_report_without_a_plan_shows_no_call() {
        let misread = Misread { futile: true, ..Misread::of("step", "there is no plan") };
        let first = words("step_done", &misread, None, &[], 0);
        assert_eq!(first, "step_done: there is no plan.");
        assert_ne!(words("step_done", &misread, None, &[], 1), first);
        let mut none = steps();
        none[1].in_progress = false;
        let told = words("step_done", &Misread::missing("step"), None, &none, 0);
        assert!(told.ends_with(r#"step_done {"step":"s1","result":"…"}"#), "{told}");
    }

    #[test]
    fn a_cut_call_is_told_to_send_less() {
        let misread =
            super::super::json(r#"{"path": "a", "content": "one tw"#, Cut::Length).unwrap_err();
        let told = words("write_file", &misread, None, &[], 0);
        assert!(told.contains("length limit") && told.contains("edit_file"), "{told}");
        let again = words("write_file", &misread, None, &[], 1);
        assert!(again.ends_with(SHORTER) && !again.contains("only the fields"), "{again}");
    }

    #[test]
    fn an_example_never_repeats_what_was_wrong() {
        let given = json!({ "command": "echo hi\u{0}; rm my" });
        let told = after_tool("shell", "the command holds a zero byte", &given, 0);
        assert!(told.ends_with(r#"shell {"command":"ls -la"}"#), "{told}");
        let given = json!({ "path": "?bad?", "content": 3 });
        let told = after_tool("write_file", "`path` is no path", &given, 0);
        assert!(!told.contains("?bad?"), "{told}");
    }
}
