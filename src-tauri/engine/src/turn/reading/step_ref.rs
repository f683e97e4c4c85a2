//! Which step is meant: by its id, its number, its words, or because only one is in progress.

use super::fields::Fields;
use super::shapes::integer;
use super::{KnownStep, Misread, Scene};
use plan::StepRef;
use serde_json::Value;

/// The names that a step goes by.
const ALSO: [&str; 5] = ["step_id", "id", "step_number", "number", "task"];

/// The step that a report is about. `None` where whoever was handed a step names none.
pub(super) fn take(fields: &mut Fields, scene: &Scene<'_>) -> Result<Option<StepRef>, Misread> {
    if let Some(value) = fields.take("step", &ALSO)?.filter(|value| *value != "") {
        return named(&value, &scene.steps).map(Some);
    }
    let mut current = scene.steps.iter().filter(|step| step.in_progress);
    match (current.next(), current.next()) {
        (Some(step), None) => Ok(Some(StepRef::Id(step.id.clone()))),
        (None, _) if scene.handed => Ok(None),
        (Some(_), Some(_)) => {
            Err(Misread::of("step", "several steps are in progress: say which `step` you mean"))
        }
        // No call of this kind would do.
        (None, _) if scene.steps.is_empty() => {
            let problem = "no step is in progress: there is no plan, or it is done. Say in words \
                           what you did";
            Err(Misread { futile: true, ..Misread::of("step", problem) })
        }
        (None, _) => {
            let problem = "`step` is missing, and no step is in progress";
            Err(Misread::of("step", format!("{problem}: it is {}", listed(&scene.steps))))
        }
    }
}

/// As many steps are named as a model can use.
const MOST: usize = 12;

/// The steps by their names, to choose from.
pub(super) fn listed(steps: &[KnownStep]) -> String {
    let name = |(at, step): (usize, &KnownStep)| format!("{} or \"{}\"", at + 1, step.id);
    let names: Vec<String> = steps.iter().enumerate().map(name).take(MOST).collect();
    names.join(", ")
}

/// A step by what a model calls it. One that is not found is named as it was written.
pub(super) fn named(value: &Value, steps: &[KnownStep]) -> Result<StepRef, Misread> {
    let wrong = || Misread::of("step", "`step` has to be the id or the number of a step");
    match value {
        Value::Number(_) => {
            let number = integer(value).and_then(|number| u32::try_from(number).ok());
            number.map(StepRef::Number).ok_or_else(wrong)
        }
        Value::String(text) => Ok(spelled(text.trim(), steps)),
        Value::Array(list) if let [one @ (Value::Number(_) | Value::String(_))] = &list[..] => {
            named(one, steps)
        }
        Value::Object(object) => match object.get("id").or_else(|| object.get("number")) {
            Some(one @ (Value::Number(_) | Value::String(_))) => named(one, steps),
            Some(_) | None => Err(wrong()),
        },
        Value::Null | Value::Bool(_) | Value::Array(_) => Err(wrong()),
    }
}

fn spelled(text: &str, steps: &[KnownStep]) -> StepRef {
    if steps.iter().any(|step| step.id == text) {
        return StepRef::Id(text.to_owned());
    }
    if let Some(number) = number(text) {
        return StepRef::Number(number);
    }
    let same = |step: &&KnownStep| step.text.trim().eq_ignore_ascii_case(text);
    let mut found = steps.iter().filter(same);
    match (found.next(), found.next()) {
        (Some(step), None) => StepRef::Id(step.id.clone()),
        (Some(_), Some(_)) | (None, _) => StepRef::Id(text.to_owned()),
    }
}

/// `2`, `2.`, `#2`, `step 2`, `Step 2:`.
pub(super) fn number(text: &str) -> Option<u32> {
    let text = text.trim().to_ascii_lowercase();
    let text = text.strip_prefix("step").unwrap_or(&text);
    let text = text.trim_start_matches([' ', '_', '-', '#']);
    text.trim_end_matches(['.', ':', ')', ' ']).parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn steps() -> Vec<KnownStep> {
        let step = |id: &str, text: &str, in_progress| KnownStep {
            id: id.to_owned(),
            text: text.to_owned(),
            in_progress,
        };
        vec![step("s1", "Look", false), step("sweep", "Sweep", true), step("s3", "Look", false)]
    }

    #[test]
    fn without_a_step_in_progress_the_steps_are_named_or_there_is_nothing_to_report() {
        let mut steps = steps();
        steps[1].in_progress = false;
        let mut scene = Scene { message: None, steps, handed: false, is_command: &|_| false };
        let misread = |scene: &Scene<'_>| take(&mut Fields::default(), scene).unwrap_err();
        let named = misread(&scene);
        assert!(!named.futile && named.problem.contains(r#"2 or "sweep""#), "{}", named.problem);
        scene.steps.clear();
        let none = misread(&scene);
        assert!(none.futile && none.problem.contains("in words"), "{}", none.problem);
    }

    #[test]
    fn a_step_goes_by_id_number_or_words() {
        let id = |id: &str| StepRef::Id(id.to_owned());
        for (value, expected) in [
            (json!("s1"), id("s1")),
            (json!(2), StepRef::Number(2)),
            (json!("2"), StepRef::Number(2)),
            (json!("2."), StepRef::Number(2)),
            (json!("step 2"), StepRef::Number(2)),
            (json!("Step 2:"), StepRef::Number(2)),
            (json!("sweep"), id("sweep")),
            (json!(" Sweep "), id("sweep")),
            (json!("look"), id("look")),
            (json!(2.0), StepRef::Number(2)),
            (json!(["s1"]), id("s1")),
            (json!({ "number": 1 }), StepRef::Number(1)),
            (json!({ "id": "sweep", "text": "Sweep" }), id("sweep")),
        ] {
            assert_eq!(named(&value, &steps()), Ok(expected), "{value}");
        }
        for wrong in [json!({ "text": "Look" }), json!([1, 2]), json!(-1), json!(1.5), json!(true)]
        {
            assert!(named(&wrong, &steps()).is_err(), "{wrong}");
        }
    }
}
