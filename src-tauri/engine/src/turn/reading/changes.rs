//! The edits of a plan that is revised.

use super::fields::{Fields, plain, text};
use super::unwrapped::parsed;
use super::{Misread, Scene, check, step_ref, steps, unknown_fields};
use plan::{Edit, FullStep, Patch, StepRef};
use serde_json::{Map, Value};

/// The names of a step's words in an edit.
const WORDS: [&str; 3] = ["description", "new_text", "title"];

/// Reads all edits, and what was left out of them.
pub(super) fn read(value: Value, scene: &Scene<'_>) -> Result<(Vec<Edit>, Vec<String>), Misread> {
    let wrong = || Misread::of("edits", "`edits` has to be a list of changes, each with its `op`");
    let items = match value {
        Value::Array(items) => items,
        Value::Object(_) => vec![value],
        Value::String(words) => match parsed(&words) {
            Some(Value::Array(items)) => items,
            Some(one @ Value::Object(_)) => vec![one],
            Some(_) | None => return Err(wrong()),
        },
        Value::Null | Value::Bool(_) | Value::Number(_) => return Err(wrong()),
    };
    let mut warnings = Vec::new();
    let mut edits = Vec::with_capacity(items.len());
    for item in items {
        let Value::Object(item) = item else { return Err(wrong()) };
        edits.push(edit(item, scene, &mut warnings)?);
    }
    if edits.is_empty() { Err(wrong()) } else { Ok((edits, warnings)) }
}

fn edit(
    item: Map<String, Value>,
    scene: &Scene<'_>,
    warnings: &mut Vec<String>,
) -> Result<Edit, Misread> {
    let mut fields = Fields::of(item);
    let op = fields.take("op", &["operation", "action", "type"])?;
    let op = op.as_ref().and_then(Value::as_str).map(plain).unwrap_or_default();
    let after = |fields: &mut Fields| -> Result<Option<StepRef>, Misread> {
        let after = fields.take("after", &["after_step"])?;
        after.map(|after| step_ref::named(&after, &scene.steps)).transpose()
    };
    match op.as_str() {
        "add" | "insert" | "append" | "new" => {
            let after = after(&mut fields)?;
            let new = match fields.take("new", &["new_step"])? {
                Some(new) => {
                    refuse_more(fields.rest())?;
                    new
                }
                // The step itself stands beside the op.
                None => Value::Object(fields.rest().into_iter().collect()),
            };
            let (new, more) = steps::one(new, scene)?;
            warnings.extend(more);
            Ok(Edit::Add { after, new })
        }
        "remove" | "delete" => {
            let step = step(&mut fields, scene)?;
            refuse_more(fields.rest())?;
            Ok(Edit::Remove { step })
        }
        "move" => {
            let (step, after) = (step(&mut fields, scene)?, after(&mut fields)?);
            refuse_more(fields.rest())?;
            Ok(Edit::Move { step, after })
        }
        "set" | "update" | "change" | "edit" => {
            let step = step(&mut fields, scene)?;
            let to = patch(fields, scene, warnings)?;
            Ok(Edit::Set { step, to })
        }
        _ => {
            let problem = format!("`op` of an edit has to be set, add, remove or move, not `{op}`");
            Err(Misread::of("op", problem))
        }
    }
}

fn step(fields: &mut Fields, scene: &Scene<'_>) -> Result<StepRef, Misread> {
    let step = fields.take("step", &["step_id", "id", "number"])?;
    let step = step.ok_or_else(|| Misread::of("step", "an edit has no `step`"))?;
    step_ref::named(&step, &scene.steps)
}

/// The parts of a step that change. What it may touch counts as written, or the edit is refused.
fn patch(
    mut fields: Fields,
    scene: &Scene<'_>,
    warnings: &mut Vec<String>,
) -> Result<Patch, Misread> {
    let words =
        |fields: &mut Fields, name: &str, also: &[&str]| -> Result<Option<String>, Misread> {
            let Some(value) = fields.take(name, also)? else { return Ok(None) };
            let wrong = || Misread::of(name, format!("`{name}` of an edit has to be text"));
            Ok(Some(text(&value).ok_or_else(wrong)?))
        };
    let mut expected_outcome = words(&mut fields, "expected_outcome", &["expected", "outcome"])?;
    let verify = match fields.take("verify", &["check"])? {
        Some(value) => {
            let (verify, told) = check::take(value, scene.is_command, &mut expected_outcome)?;
            warnings.extend(told);
            verify
        }
        None => None,
    };
    let needs = match fields.take("needs", &["depends_on"])? {
        Some(needs) => {
            let step = Value::Object(
                [("text".into(), "x".into()), ("needs".into(), needs)].into_iter().collect(),
            );
            Some(FullStep::from(steps::one(step, scene)?.0).needs)
        }
        None => None,
    };
    let patch = Patch {
        text: words(&mut fields, "text", &WORDS)?,
        tool: words(&mut fields, "tool", &[])?,
        target: words(&mut fields, "target", &[])?,
        expected_outcome,
        verify,
        needs,
        agent: words(&mut fields, "agent", &[])?,
        model: words(&mut fields, "model", &[])?,
    };
    let rest = fields.rest();
    if patch == Patch::default() {
        return Err(Misread::of("edits", "an edit changes nothing: it has no `text`, `tool`, …"));
    }
    refuse_more(rest)?;
    Ok(patch)
}

/// What an edit has and no edit takes may limit it.
fn refuse_more(mut rest: Vec<(String, Value)>) -> Result<(), Misread> {
    rest.retain(|(key, _)| !steps::is_kept_here(key));
    let keys = unknown_fields::telling("edit", &rest);
    match keys.first() {
        None => Ok(()),
        Some(_) => {
            let problem = format!("there is no {} in an edit", unknown_fields::quoted(&keys));
            Err(Misread::of("edits", problem))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn edits(value: Value) -> Result<Vec<Edit>, Misread> {
        let is_command = &|text: &str| text.starts_with("grep ");
        let scene = Scene { message: None, steps: Vec::new(), handed: false, is_command };
        read(value, &scene).map(|(edits, _)| edits)
    }

    #[test]
    fn edits_go_by_other_words() {
        let set = |text: &str| Edit::Set {
            step: StepRef::Id("s2".into()),
            to: Patch { text: Some(text.into()), ..Patch::default() },
        };
        for value in [
            json!([{ "op": "set", "step": "s2", "text": "x" }]),
            json!({ "op": "update", "id": "s2", "description": "x" }),
            json!("[{'op': 'edit', 'step': 's2', 'text': 'x'}]"),
        ] {
            assert_eq!(edits(value.clone()), Ok(vec![set("x")]), "{value}");
        }
        let add = json!([{ "op": "insert", "after": "step 1", "text": "y", "tool": "shell" }]);
        let new = FullStep { text: "y".into(), tool: Some("shell".into()), ..FullStep::default() };
        let add_edit = Edit::Add {
            after: Some(StepRef::Number(1)),
            new: plan::DraftStep::Full(Box::new(new)),
        };
        assert_eq!(edits(add), Ok(vec![add_edit]));
        let remove = json!([{ "op": "delete", "step": 3 }]);
        assert_eq!(edits(remove), Ok(vec![Edit::Remove { step: StepRef::Number(3) }]));
    }

    #[test]
    fn a_check_in_words_is_the_expected_outcome_unless_there_is_one() {
        let is_command = &|text: &str| text.starts_with("grep ");
        let scene = Scene { message: None, steps: Vec::new(), handed: false, is_command };
        for (value, expected) in [
            (json!([{ "op": "set", "step": 1, "verify": "it works" }]), "it works"),
            (
                json!([{ "op": "set", "step": 1, "check": { "description": "it works" } }]),
                "it works",
            ),
            (json!([{ "op": "set", "step": 1, "verify": "it works", "expected": "x" }]), "x"),
            (
                json!([{ "op": "set", "step": 1, "verify": { "command": "rm *", "x": 1 } }]),
                "command rm *; x 1",
            ),
        ] {
            let (edits, warnings) = read(value.clone(), &scene).unwrap();
            let [Edit::Set { to, .. }] = &edits[..] else { panic!("{edits:?}") };
            assert_eq!((to.expected_outcome.as_deref(), &to.verify), (Some(expected), &None));
            assert_eq!(warnings.len(), 1, "{value}");
        }
    }

    #[test]
    fn an_edit_that_says_too_little_is_refused() {
        for (value, field) in [
            (json!([]), "edits"),
            (json!("words"), "edits"),
            (json!([{ "step": "s1", "text": "x" }]), "op"),
            (json!([{ "op": "set", "text": "x" }]), "step"),
            (json!([{ "op": "set", "step": "s1" }]), "edits"),
            (json!([{ "op": "set", "step": "s1", "target": ["a", "b"] }]), "target"),
            (json!([{ "op": "set", "step": "s1", "verify": 1 }]), "verify"),
            (json!([{ "op": "add" }]), "text"),
            (json!([{ "op": "set", "step": 1, "target": "rm *", "cwd": "sub" }]), "edits"),
            (json!([{ "op": "remove", "step": 1, "only_if": "x" }]), "edits"),
            (json!([{ "op": "add", "new": { "text": "x" }, "cwd": "sub" }]), "edits"),
        ] {
            let misread = edits(value.clone()).unwrap_err();
            assert_eq!(misread.field.as_deref(), Some(field), "{value}");
        }
    }
}
