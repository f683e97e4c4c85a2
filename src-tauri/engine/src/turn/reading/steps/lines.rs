//! Steps as lines of one string, with numbers or signs before them.

use serde_json::Value;

/// The steps in a string. A line with a number or a sign begins one; without any, each line is one.
pub(super) fn read(text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    if let [line] = lines[..] {
        return on_one_line(line.trim());
    }
    if !lines.iter().any(|line| item(line).is_some()) {
        return lines.iter().map(|line| line.trim().to_owned()).collect();
    }
    let mut steps: Vec<String> = Vec::new();
    let margin = lines.iter().filter(|line| item(line).is_some()).map(|line| indent(line)).min();
    for line in lines {
        match (item(line), steps.last_mut()) {
            // A part of the step above it.
            (Some(words), Some(last)) if Some(indent(line)) > margin.map(|least| least + 1) => {
                last.push_str(if last.ends_with([':', ';']) { " " } else { "; " });
                last.push_str(words);
            }
            (Some(words), _) => steps.push(words.to_owned()),
            // More of the same step.
            (None, Some(last)) => {
                last.push(' ');
                last.push_str(line.trim());
            }
            // A heading.
            (None, None) if line.trim_end().ends_with(':') => {}
            (None, None) => steps.push(line.trim().to_owned()),
        }
    }
    steps.retain(|step| !step.is_empty());
    steps
}

/// The steps in an answer that is a list of them: JSON, in a fence or not, or at least two lines
/// with numbers.
pub(super) fn listed(answer: &str) -> Option<String> {
    let answer = answer.trim();
    let fenced = answer.split("```").nth(1).map(|block| block.trim_start_matches("json").trim());
    let json = |text: &&str| text.starts_with(['[', '{']);
    if let Some(json) = Some(answer).filter(json).or(fenced.filter(json)) {
        return Some(json.to_owned());
    }
    let numbered = |line: &&str| {
        let line = line.trim_start_matches([' ', '*', '(']);
        line.starts_with(|c: char| c.is_ascii_digit()) && item(line).is_some()
    };
    let from = answer.lines().position(|line| numbered(&line))?;
    let lines: Vec<&str> = answer.lines().skip(from).collect();
    (lines.iter().filter(|line| numbered(line)).count() >= 2).then(|| lines.join("\n"))
}

/// How far a line begins from the margin.
fn indent(line: &str) -> usize {
    line.chars().take_while(|c| c.is_whitespace()).map(|c| if c == '\t' { 4 } else { 1 }).sum()
}

/// `1. look 2. sweep` on one line.
fn on_one_line(line: &str) -> Vec<String> {
    let mut steps = Vec::new();
    let Some(mut rest) = after_number(line, 1) else {
        return vec![item(line).unwrap_or(line).to_owned()];
    };
    for next in 2.. {
        let marks = [format!(" {next}. "), format!(" {next}) ")];
        let at = marks.iter().filter_map(|mark| rest.find(mark.as_str())).min();
        let Some(at) = at else { break };
        steps.push(rest[..at].trim().trim_end_matches([',', ';']).to_owned());
        rest = rest[at..].trim_start().split_once(' ').map_or("", |(_, rest)| rest);
    }
    steps.push(rest.trim().to_owned());
    steps.retain(|step| !step.is_empty());
    steps
}

/// What a line says after its number, sign or box; `None` where it has none.
fn item(line: &str) -> Option<&str> {
    let line = line.trim();
    let signed = ["- ", "* ", "+ ", "• "].iter().find_map(|sign| line.strip_prefix(sign));
    let words = signed.or_else(|| {
        let line = line.trim_start_matches(['*', '(']);
        let words = line.strip_prefix("Step ").or(line.strip_prefix("step ")).unwrap_or(line);
        let digits =
            words.find(|c: char| !c.is_ascii_digit()).filter(|end| (1..=3).contains(end))?;
        after_mark(&words[digits..])
    })?;
    let words = words.trim_start();
    let boxed = ["[ ]", "[x]", "[X]", "[]"].iter().find_map(|sign| words.strip_prefix(sign));
    Some(boxed.unwrap_or(words).trim())
}

/// What stands after the sign behind a number: `.`, `)`, `:` or a dash, perhaps in bold.
fn after_mark(words: &str) -> Option<&str> {
    let dash = [" - ", " – ", " — "].iter().find_map(|dash| words.strip_prefix(dash));
    dash.or_else(|| {
        let words = words.trim_start_matches('*').strip_prefix(['.', ')', ':'])?;
        Some(words.trim_start_matches('*')).filter(|words| words.starts_with(' '))
    })
}

fn after_number(line: &str, number: usize) -> Option<&str> {
    let line = line.strip_prefix("Step ").or(line.strip_prefix("step ")).unwrap_or(line);
    let rest = line.strip_prefix(&number.to_string())?;
    rest.strip_prefix(['.', ')', ':']).filter(|rest| rest.starts_with(' '))
}

/// The items of a list without their own numbers, where each begins with its own.
pub(super) fn without_numbers(items: Vec<Value>) -> Vec<Value> {
    let plain: Option<Vec<Value>> = items
        .iter()
        .enumerate()
        .map(|(index, item)| {
            let words = after_number(item.as_str()?.trim(), index + 1)?;
            Some(Value::from(words.trim()))
        })
        .collect();
    plain.unwrap_or(items)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn lines_are_steps_with_or_without_numbers() {
        let both = ["Look around", "Sweep 2. floor"];
        for text in [
            "1. Look around\n2. Sweep 2. floor",
            "1) Look around\n\n2) Sweep 2. floor\n",
            "- Look around\n- Sweep 2. floor",
            "* [ ] Look around\n* [x] Sweep 2. floor",
            "Steps:\n1. Look around\n2. Sweep\n   2. floor".replace("\n   2.", " 2.").as_str(),
            "Step 1: Look around\nStep 2: Sweep 2. floor",
            "Look around\nSweep 2. floor",
            "1. Look\n   around\n2. Sweep 2. floor",
            "(1) Look around\n(2) Sweep 2. floor",
            "1 - Look around\n2 - Sweep 2. floor",
            "**1.** Look around\n**2**. Sweep 2. floor",
            "**Step 1:** Look around\n**Step 2:** Sweep 2. floor",
        ] {
            assert_eq!(read(text), both, "{text}");
        }
        assert_eq!(read("1. look 2. sweep 3. tell 3.5 of it"), ["look", "sweep", "tell 3.5 of it"]);
        let parts = "1. Look:\n   - left\n   - right\n2. Sweep\n\t- the floor";
        assert_eq!(read(parts), ["Look: left; right", "Sweep; the floor"]);
        assert_eq!(read("  1. Look\n  2. Sweep"), ["Look", "Sweep"]);
        assert_eq!(read("Sweep the floor"), ["Sweep the floor"]);
        assert_eq!(read("2024 is over"), ["2024 is over"]);
    }

    #[test]
    fn an_answer_is_a_list_only_where_it_looks_like_one() {
        let list = "1. Look\n2. Sweep";
        assert_eq!(listed(&format!("Here is the plan:\n\n{list}")).as_deref(), Some(list));
        let json = r#"[{"text": "Look"}]"#;
        assert_eq!(listed(json).as_deref(), Some(json));
        let fenced = format!("The steps:\n```json\n{json}\n```\nThat is all.");
        assert_eq!(listed(&fenced).as_deref(), Some(json));
        for words in ["I would rather not.", "1. is the loneliest number", "- no\n- never", ""] {
            assert_eq!(listed(words), None, "{words}");
        }
    }

    #[test]
    fn numbers_of_a_list_go_only_where_each_item_has_its_own() {
        assert_eq!(without_numbers(vec![json!("1. a"), json!("2. b")]), [json!("a"), json!("b")]);
        let mixed = vec![json!("1. a"), json!("b")];
        assert_eq!(without_numbers(mixed.clone()), mixed);
    }
}
