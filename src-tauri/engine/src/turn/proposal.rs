//! What a council member proposes, read as the plan that it would be.

use super::{reading, scene};
use crate::engine::Engine;
use crate::live::LiveRoom;
use plan::council::ANSWER;
use plan::{Draft, DraftStep};
use serde_json::Value;

/// The longest title and text of a step that are made of an answer's first line, in characters.
const TITLE_CHARS: usize = 120;

/// How much of a long task the plan names as its goal, in characters.
const GOAL_CHARS: usize = 2_000;

/// Reads an answer. An answer without steps is one step. What is wrong with it is said to the model.
pub(crate) fn read(
    engine: &Engine,
    live: &LiveRoom,
    content: &str,
    args: &Value,
    task: &str,
) -> Result<(Draft, Vec<String>), String> {
    let is_command = scene::is_command(engine, live);
    let scene = scene::of(live, None, &is_command);
    let given = args.get("steps").filter(|steps| !steps.is_null()).cloned();
    let read =
        given.map_or(Ok((Vec::new(), Vec::new())), |steps| reading::read_steps(steps, &scene));
    let (mut steps, warnings) = read.map_err(|misread| {
        let before = live.lock().room.stuck.misread.of(ANSWER);
        reading::words(ANSWER, &misread, Some(args), &[], before)
    })?;
    let title = title(content);
    if steps.is_empty() {
        steps.push(DraftStep::Words(title.clone()));
    }
    let goal = task.chars().take(GOAL_CHARS).collect();
    let draft = Draft { goal, title: Some(title), steps, ..Draft::default() };
    Ok((draft, warnings))
}

/// The first line with words in it, without the marks of a heading.
fn title(content: &str) -> String {
    let plain = |line: &str| {
        line.trim_matches(|c: char| c.is_whitespace() || "#*_`".contains(c)).to_owned()
    };
    let line = content.lines().map(plain).find(|line| !line.is_empty()).unwrap_or_default();
    match line.chars().count() > TITLE_CHARS {
        true => line.chars().take(TITLE_CHARS - 1).chain(['…']).collect(),
        false => line,
    }
}

#[cfg(test)]
mod tests {
    use super::title;

    #[test]
    fn an_answers_title_is_its_first_line_with_words() {
        assert_eq!(title("\n## **Plain folders**\nI would"), "Plain folders");
        assert_eq!(title(&"x".repeat(500)).chars().count(), 120);
    }
}
