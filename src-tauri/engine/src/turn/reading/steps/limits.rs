//! What a step has that no step has: it may mean less than its tool and target allow.

use super::super::fields::text;
use super::super::step_ref::number;
use super::super::unknown_fields::quoted;
use plan::{FullStep, Verify};
use serde_json::Value;

/// The longest value of a field that there is not, in the words of its step, in characters.
const SHOWN: usize = 200;

/// What a step would allow becomes words beside what it does not say in our fields, which may mean
/// less. Gives what is told of it; nothing where it allows nothing or there is nothing beside it.
pub(in super::super) fn in_words(
    step: &mut FullStep,
    limits: &[(String, Value)],
) -> Option<String> {
    let allows = step.tool.is_some() || step.target.is_some() || step.verify.is_some();
    if limits.is_empty() || !allows {
        return None;
    }
    let (tool, target) = (step.tool.take(), step.target.take());
    let named: Vec<String> = tool.into_iter().chain(target).collect();
    let mut words = vec![named.join(" ")];
    words.extend(limits.iter().map(|(key, value)| {
        let value = text(value).unwrap_or_else(|| value.to_string());
        format!("{key}: {}", shortened(&value))
    }));
    words.retain(|words| !words.is_empty());
    step.text = format!("{} ({})", step.text.trim_end(), words.join("; "));
    let check = step.verify.take().map(|check| match check {
        Verify::Command(command) => command,
        Verify::File { file, contains: None } => format!("{file} is there"),
        Verify::File { file, contains: Some(text) } => format!("{file} contains {text}"),
    });
    step.expected_outcome = step.expected_outcome.take().or(check);
    let keys: Vec<String> = limits.iter().map(|(key, _)| key.clone()).collect();
    Some(format!(
        "there is no {}, and without it the step would allow more than it says, so it allows \
         nothing and its text says it all; a step that needs a right has it in `tool` and `target` \
         alone",
        quoted(&keys)
    ))
}

/// Whether what a step has beside its text, or as its text, may be the part of a target that is
/// meant.
pub(super) fn is_part(value: &Value, its_text: &str) -> bool {
    match value.as_str() {
        Some(words) if words == its_text => {
            !words.contains(char::is_whitespace) && words.contains(['.', '/', '*'])
        }
        Some(words) => !words.trim().is_empty() && number(words).is_none(),
        None => true,
    }
}

/// A value that fits into the text of a step.
fn shortened(value: &str) -> String {
    match value.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &value[..end]),
        None => value.to_owned(),
    }
}
