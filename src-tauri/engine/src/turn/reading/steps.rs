//! The steps of a plan: words, objects, lines of one string, JSON in a string.

mod limits;
mod lines;

use super::check;
use super::fields::{Fields, plain, text};
use super::step_ref::number;
use super::unknown_fields::{quoted, says_nothing};
use super::unwrapped::parsed;
use super::{Misread, Scene};
use crate::turn::prompt::is_placeholder;
use plan::{DraftStep, FullStep, StepId, StepRef};
use serde_json::{Map, Value};

pub(super) use limits::in_words;
use limits::is_part;

/// The names of a step's text, the best one first.
const TEXT: [&str; 9] =
    ["text", "description", "task", "title", "name", "step", "content", "details", "action"];
const NEEDS: [&str; 5] = ["depends_on", "dependencies", "requires", "depends", "dependson"];
/// Those of them that may say which part of a target is meant.
const NAMES: [&str; 3] = ["name", "content", "action"];
/// What other tools for plans put into a step; the harness keeps these itself.
const KEPT_HERE: [&str; 8] =
    ["status", "priority", "done", "completed", "number", "order", "index", "active_form"];

/// Reads all steps, and what was left out of them.
pub(crate) fn read(
    value: Value,
    scene: &Scene<'_>,
) -> Result<(Vec<DraftStep>, Vec<String>), Misread> {
    let mut warnings = Vec::new();
    let items = items(value)?;
    let ids: Vec<Option<String>> = items.iter().map(id).collect();
    let mut steps = Vec::with_capacity(items.len());
    for (index, item) in items.into_iter().enumerate() {
        let mut at = At { number: index + 1, ids: &ids, scene, warnings: &mut warnings };
        steps.push(at.step(item)?);
    }
    if steps.iter().any(is_copied) {
        let problem = "`steps` are those of the form you were shown: say what is to be done here, \
                       with the names of its files";
        return Err(Misread::of("steps", problem));
    }
    Ok((steps, warnings))
}

/// The steps in an answer that is nothing but a list of them.
pub(crate) fn listed(answer: &str) -> Option<String> {
    lines::listed(answer)
}

/// Reads one step that is added to a plan.
pub(super) fn one(value: Value, scene: &Scene<'_>) -> Result<(DraftStep, Vec<String>), Misread> {
    let mut warnings = Vec::new();
    let step = At { number: 1, ids: &[], scene, warnings: &mut warnings }.step(value)?;
    Ok((step, warnings))
}

/// The steps as a list.
fn items(value: Value) -> Result<Vec<Value>, Misread> {
    let wrong = || Misread::of("steps", "`steps` has to be a list of steps");
    let items = match value {
        Value::Array(items) => lines::without_numbers(items),
        Value::String(words) => match words.trim() {
            "" => Vec::new(),
            json if json.starts_with(['[', '{', '`']) => match parsed(json) {
                Some(value @ (Value::Array(_) | Value::Object(_))) => items(value)?,
                Some(_) | None => {
                    return Err(Misread::of(
                        "steps",
                        "`steps` is JSON in a string that can't be read",
                    ));
                }
            },
            words => lines::read(words).into_iter().map(Value::String).collect(),
        },
        Value::Object(mut object) if object.len() == 1 && object.contains_key("steps") => {
            // The whole call once more.
            items(object.remove("steps").unwrap_or_default())?
        }
        Value::Object(object) => numbered(object).ok_or_else(wrong)?,
        Value::Null | Value::Bool(_) | Value::Number(_) => return Err(wrong()),
    };
    match items.is_empty() {
        true => {
            let problem = "`steps` is empty: a plan needs one step at least";
            Err(Misread { code: "NO_STEPS", ..Misread::of("steps", problem) })
        }
        false => Ok(items),
    }
}

/// One step alone, or steps under their numbers: `{"1": "…", "step2": "…"}`.
fn numbered(object: Map<String, Value>) -> Option<Vec<Value>> {
    if object.keys().any(|key| TEXT.contains(&plain(key).as_str())) {
        return Some(vec![Value::Object(object)]);
    }
    let mut steps: Vec<(u32, Value)> = object
        .into_iter()
        .map(|(key, value)| number(&key).map(|number| (number, value)))
        .collect::<Option<_>>()?;
    steps.sort_by_key(|(number, _)| *number);
    Some(steps.into_iter().map(|(_, value)| value).collect())
}

/// The id that a model gave a step, as it wrote it.
fn id(item: &Value) -> Option<String> {
    text(item.get("id")?)
}

/// A step that is being read.
struct At<'a> {
    number: usize,
    /// The ids that the steps were given, as they were written.
    ids: &'a [Option<String>],
    scene: &'a Scene<'a>,
    warnings: &'a mut Vec<String>,
}

impl At<'_> {
    fn step(&mut self, item: Value) -> Result<DraftStep, Misread> {
        match item {
            Value::String(words) => match parsed(&words) {
                Some(Value::Object(object)) => self.full(object),
                Some(_) | None => Ok(DraftStep::Words(words)),
            },
            Value::Object(object) => self.full(object),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => {
                let problem =
                    format!("step {} has to be text, or an object with `text`", self.number);
                Err(Misread::of("steps", problem))
            }
        }
    }

    fn full(&mut self, object: Map<String, Value>) -> Result<DraftStep, Misread> {
        let mut fields = Fields::of(object);
        let mut step = FullStep {
            id: fields.take("id", &[])?.as_ref().and_then(text),
            needs: self.needs(fields.take("needs", &NEEDS)?)?,
            expected_outcome: self.words(
                &mut fields,
                "expected_outcome",
                &["expected", "outcome"],
            )?,
            agent: self.words(&mut fields, "agent", &[])?,
            model: self.words(&mut fields, "model", &[])?,
            domain: self.words(&mut fields, "domain", &[])?,
            capabilities: capabilities(fields.take("capabilities", &[])?),
            ..FullStep::default()
        };
        self.reach(&mut fields, &mut step)?;
        self.verify(fields.take("verify", &["check", "verification"])?, &mut step)?;
        let named =
            NAMES.iter().filter_map(|name| Some(((*name).to_owned(), fields.get(name)?.clone())));
        let named: Vec<(String, Value)> = named.collect();
        step.text = self.text(&mut fields)?;
        let mut unknown = fields.rest();
        unknown.retain(|(key, value)| {
            let again = value.as_str().is_some() && value.as_str() == step.target.as_deref();
            !again && !is_kept_here(key) && !says_nothing("step", key, value)
        });
        let keys: Vec<String> = unknown.iter().map(|(key, _)| key.clone()).collect();
        let parts = named.into_iter().filter(|(_, value)| is_part(value, &step.text));
        let limits: Vec<(String, Value)> = unknown.into_iter().chain(parts).collect();
        match in_words(&mut step, &limits) {
            Some(words) => self.warn(words),
            None if keys.is_empty() => {}
            None => self.warn(format!("has no {}, so it was left out", quoted(&keys))),
        }
        Ok(DraftStep::Full(Box::new(step)))
    }

    /// The first of the names that has words. Those that only number the step are its words where
    /// there are no others.
    fn text(&mut self, fields: &mut Fields) -> Result<String, Misread> {
        let (mut words, mut numbers) = (Vec::new(), Vec::new());
        for name in TEXT {
            let value = fields.take(name, &[])?;
            let Some(text) = value.as_ref().and_then(Value::as_str) else { continue };
            let found = if number(text).is_some() { &mut numbers } else { &mut words };
            if !text.trim().is_empty() {
                found.push((name, text.to_owned()));
            }
        }
        let mut found = if words.is_empty() { numbers } else { words }.into_iter();
        let (taken, text) = found
            .next()
            .ok_or_else(|| Misread::of("text", format!("step {} has no `text`", self.number)))?;
        let others = found.filter(|(_, other)| *other != text);
        let others: Vec<String> = others.map(|(name, _)| format!("`{name}`")).collect();
        if !others.is_empty() {
            let others = others.join(", ");
            self.warn(format!("`{taken}` is its text, so {others} was left out"));
        }
        Ok(text)
    }

    /// Tool and target count as written, and only where there is one of each: what several would
    /// allow together is not worked out here.
    fn reach(&mut self, fields: &mut Fields, step: &mut FullStep) -> Result<(), Misread> {
        let tool = fields.take("tool", &["tool_name"])?.filter(|tool| !is_none(tool));
        let target = fields.take("target", &["targets"])?.filter(|target| *target != "");
        let (has_tool, several) = (tool.is_some(), "has several, so none was taken");
        step.tool = match tool.map(single) {
            None => None,
            Some(Some(tool)) => Some(tool),
            Some(None) => {
                self.warn(format!("`tool` {several}"));
                None
            }
        };
        step.target = match target.map(single) {
            None => None,
            // Without its tool it would allow others.
            Some(_) if has_tool && step.tool.is_none() => None,
            Some(Some(target)) => Some(target),
            Some(None) => {
                self.warn(format!("`target` {several}; give each its own step"));
                None
            }
        };
        let runs = step.target.as_deref().filter(|_| step.tool.as_deref() == Some("shell"));
        if let Some(file) =
            runs.filter(|target| is_file(target) && !(self.scene.is_command)(target))
        {
            self.warn(format!(
                "`{file}` is no command, and shell only runs commands; a file is changed with \
                 edit_file and written with write_file"
            ));
        }
        Ok(())
    }

    fn verify(&mut self, value: Option<Value>, step: &mut FullStep) -> Result<(), Misread> {
        let Some(value) = value else { return Ok(()) };
        let number = self.number;
        let named = |wrong: Misread| Misread {
            problem: format!("step {number}: {}", wrong.problem),
            ..wrong
        };
        let outcome = &mut step.expected_outcome;
        let (verify, told) = check::take(value, self.scene.is_command, outcome).map_err(named)?;
        step.verify = verify;
        told.into_iter().for_each(|told| self.warn(told));
        Ok(())
    }

    fn needs(&self, value: Option<Value>) -> Result<Vec<StepRef>, Misread> {
        let wrong = || {
            let problem =
                format!("`needs` of step {} has to be a list of ids or numbers", self.number);
            Misread::of("needs", problem)
        };
        match value {
            None => Ok(Vec::new()),
            Some(Value::Array(items)) => {
                items.iter().map(|item| self.need(item).ok_or_else(wrong)).collect()
            }
            Some(Value::String(words)) => {
                let words = words.split([',', ';']).map(str::trim);
                let words = words.filter(|word| !matches!(*word, "" | "none" | "None" | "[]"));
                words.map(|word| self.need(&word.into()).ok_or_else(wrong)).collect()
            }
            Some(one @ Value::Number(_)) => Ok(vec![self.need(&one).ok_or_else(wrong)?]),
            Some(Value::Null | Value::Bool(_) | Value::Object(_)) => Err(wrong()),
        }
    }

    /// A step by the id that it was given here, else by its number.
    fn need(&self, value: &Value) -> Option<StepRef> {
        let said = text(value)?;
        let place = self.ids.iter().position(|id| id.as_deref() == Some(said.trim()));
        match place {
            // Ids that the plan does not take are known by their place.
            Some(place) if !StepId::is_valid(&said) => {
                Some(StepRef::Number(u32::try_from(place + 1).ok()?))
            }
            Some(_) => Some(StepRef::Id(said.trim().to_owned())),
            None => Some(number(&said).map_or_else(|| StepRef::Id(said), StepRef::Number)),
        }
    }

    fn words(
        &mut self,
        fields: &mut Fields,
        name: &str,
        also: &[&str],
    ) -> Result<Option<String>, Misread> {
        let Some(value) = fields.take(name, also)? else { return Ok(None) };
        let words = text(&value);
        if words.is_none() {
            self.warn(format!("`{name}` is no text, so it was left out"));
        }
        Ok(words.filter(|words| !words.trim().is_empty()))
    }

    fn warn(&mut self, words: String) {
        self.warnings.push(format!("step {}: {words}", self.number));
    }
}

/// Whether the harness keeps a field itself.
pub(super) fn is_kept_here(key: &str) -> bool {
    KEPT_HERE.contains(&plain(key).as_str())
}

/// Whether a step was taken over from the instructions' example.
fn is_copied(step: &DraftStep) -> bool {
    let fields = match step {
        DraftStep::Words(words) => vec![words],
        DraftStep::Full(step) => [Some(&step.text), step.tool.as_ref(), step.target.as_ref()]
            .into_iter()
            .flatten()
            .collect(),
    };
    fields.into_iter().any(|field| is_placeholder(field))
}

/// Whether a target looks like a file and not like words of a command.
fn is_file(target: &str) -> bool {
    let plain = !target.contains(|c: char| c.is_whitespace() || "*?|&;<>$`".contains(c));
    let ends = target.rsplit_once('.').is_some_and(|(name, end)| {
        !name.is_empty() && !end.is_empty() && end.chars().all(char::is_alphanumeric)
    });
    plain && ends && !target.starts_with("./")
}

/// Whether a tool is none: it is empty, or says so.
fn is_none(tool: &Value) -> bool {
    let said = tool.as_str().map(|tool| tool.trim().to_ascii_lowercase());
    matches!(said.as_deref(), Some("" | "none" | "null" | "n/a" | "-" | "no tool"))
}

/// A text, also where it is alone in a list.
fn single(value: Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text),
        Value::Array(items) => match &items[..] {
            [Value::String(text)] => Some(text.clone()),
            _ => None,
        },
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => None,
    }
}

fn capabilities(value: Option<Value>) -> Vec<String> {
    match value {
        Some(Value::Array(items)) => items.iter().filter_map(text).collect(),
        Some(Value::String(words)) => {
            let words = words.split(',').map(str::trim).filter(|word| !word.is_empty());
            words.map(str::to_owned).collect()
        }
        Some(Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_)) | None => {
            Vec::new()
        }
    }
}

#[cfg(test)]
#[path = "steps_tests.rs"]
mod tests;
