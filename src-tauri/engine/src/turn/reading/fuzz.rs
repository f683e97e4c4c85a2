//! No malformed call is ever understood as more than it says: every tool, path, command and host
//! stands in its text, to the letter and between its own quotes.

use super::table::{Desk, Read};
use super::*;
use crate::turn::forced::{self, Held};
use models::Stop;
use models::{Force, OneCall};
use plan::{DraftStep, Edit, FullStep, Patch, Verify};
use serde_json::json;

/// Good calls; everything else is made from them.
const GOOD: [(&str, &str); 16] = [
    ("write_file", r#"{"path": "notes/todo.md", "content": "- milk\n- \"bread\""}"#),
    ("read_file", r#"{"path": "src/main.rs", "start_line": 3, "line_count": 20}"#),
    ("edit_file", r#"{"path": "a.txt", "old": "x", "new": "y", "all": true}"#),
    ("delete_file", r#"{"path": "build/cache/old.log"}"#),
    ("move_file", r#"{"from": "a/b.txt", "to": "c/d.txt"}"#),
    ("shell", r#"{"command": "rm -r build/cache && echo 'it''s done'", "folder": "sub"}"#),
    (
        "shell",
        r#"{"command": ["grep", "-rn", "two words", "$HOME; ls"], "network": ["a.example"]}"#,
    ),
    ("fetch", r#"{"url": "https://docs.example/a?b=c"}"#),
    ("search", r#"{"pattern": "fn \\w+\\(", "path": "src", "glob": "*.rs"}"#),
    (
        "plan",
        r#"{"action": "write", "goal": "Tidy", "steps": [{"text": "Write it", "tool": "write_file", "target": "notes/todo.md", "verify": {"command": "test -f notes/todo.md"}}, {"text": "Tell", "needs": ["s1"], "tool": "shell", "target": "git push origin"}]}"#,
    ),
    ("plan", r#"{"action": "step_done", "step": "s2", "result": "done"}"#),
    ("write_plan", r#"{"steps": "1. Write a.txt\n2. Delete b.txt"}"#),
    (
        "submit_plan",
        r#"{"title": "Tidy", "steps": [{"description": "Sweep", "tool": "delete_file", "target": "build/**", "verify": {"file": "a.txt", "contains": "x"}}]}"#,
    ),
    (
        "plan",
        r#"{"action": "revise", "edits": [{"op": "set", "step": "s2", "tool": "shell", "target": "git push origin", "verify": ["test", "-f", "a b"], "agent": "tester"}]}"#,
    ),
    (
        "plan",
        r#"{"action": "revise", "edits": [{"op": "add", "after": 1, "text": "Sweep", "tool": "delete_file", "target": "build/**", "verify": {"file": "a.txt"}}, {"op": "remove", "step": 1}], "reason": "more"}"#,
    ),
    ("spawn_sidekick", r#"{"task": "Count the words of a.txt", "context_mode": "full"}"#),
];

/// Pieces that make or break JSON.
const PIECES: [&str; 34] = [
    "\"",
    "'",
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\\",
    "\n",
    " ",
    "```",
    "```json\n",
    "//",
    "/*",
    "*/",
    "#",
    "True",
    "None",
    "null",
    "\\n",
    "\\\"",
    "\\u0041",
    "path",
    "\"path\":",
    "\"command\":",
    "file_path",
    "/",
    "..",
    "*",
    "</tool_call>",
    "<tool_call>",
    "ä",
    "\u{202e}",
];

/// Numbers that look random and are the same every time.
pub(super) struct Dice(pub(super) u64);

impl Dice {
    pub(super) fn roll(&mut self, below: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 16).unwrap_or(0) % below.max(1)
    }

    /// A place between two characters.
    pub(super) fn place(&mut self, text: &str) -> usize {
        text.floor_char_boundary(self.roll(text.len() + 1))
    }

    fn mutate(&mut self, text: &str) -> String {
        let mut text = text.to_owned();
        for _ in 0..=self.roll(4) {
            let (a, b) = (self.place(&text), self.place(&text));
            let (from, to) = (a.min(b), a.max(b));
            let short = text.floor_char_boundary((from + 1 + self.roll(4)).min(text.len()));
            match self.roll(12) {
                0 | 1 => text.replace_range(from..short.max(from), ""),
                2..=4 => text.insert_str(from, PIECES[self.roll(PIECES.len())]),
                5 => text.truncate(from),
                6 => text = text.replace('"', "'"),
                7 => {
                    let part = text[from..to].to_owned();
                    text.insert_str(to, &part);
                }
                8 => text.replace_range(from..to, ""),
                9 => text = serde_json::Value::from(text).to_string(),
                10 => text = format!("```json\n{text}\n```"),
                _ => text.replace_range(from..short.max(from), PIECES[self.roll(PIECES.len())]),
            }
        }
        text
    }
}

/// A text as it is, and with its escapes taken off once, twice and so on.
fn literally(raw: &str) -> Vec<String> {
    let mut forms = vec![raw.to_owned()];
    for _ in 0..6 {
        let next = unescaped(forms.last().map_or("", String::as_str));
        if forms.last() == Some(&next) {
            break;
        }
        forms.push(next);
    }
    forms
}

fn unescaped(text: &str) -> String {
    let mut out = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.next() {
            Some('n') => out.push('\n'),
            Some('t') => out.push('\t'),
            Some('r') => out.push('\r'),
            Some('b') => out.push('\u{8}'),
            Some('f') => out.push('\u{c}'),
            Some('u') => {
                let digits: String = chars.clone().take(4).collect();
                match u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32) {
                    Some(c) if digits.len() == 4 => {
                        out.push(c);
                        chars.by_ref().take(4).for_each(drop);
                    }
                    Some(_) | None => out.push_str("\\u"),
                }
            }
            Some(c) => out.push(c),
            None => out.push('\\'),
        }
    }
    out
}

/// Whether a value stands in a text between two quotes or two tags.
fn stands(value: &str, forms: &[String]) -> bool {
    let within = [("\"", "\""), ("'", "'"), (">", "<"), (">\n", "\n<")];
    forms.iter().any(|form| {
        within.iter().any(|(open, close)| form.contains(&format!("{open}{value}{close}")))
    })
}

/// The words of a command that was put together from a list.
fn unquoted(command: &str) -> Vec<String> {
    let (mut words, mut word, mut quoted, mut any) = (Vec::new(), String::new(), false, false);
    let mut chars = command.chars();
    while let Some(c) = chars.next() {
        match c {
            '\'' => {
                quoted = !quoted;
                any = true;
            }
            '\\' if !quoted => word.extend(chars.next()),
            ' ' if !quoted => {
                words.push(std::mem::take(&mut word));
                any = false;
            }
            _ => word.push(c),
        }
    }
    if any || !word.is_empty() {
        words.push(word);
    }
    words
}

/// Everything in what was understood that a right hangs on.
pub(super) fn reaches(read: &Read) -> Vec<(&'static str, String)> {
    let mut found = Vec::new();
    match read {
        Read::Call { tool, args } => {
            for name in ["path", "from", "to", "pattern", "glob", "url", "folder", "id", "model"] {
                found.extend(args[name].as_str().map(|value| (name, value.to_owned())));
            }
            found.extend(args["command"].as_str().map(|value| ("command", value.to_owned())));
            let hosts = args["network"].as_array().into_iter().flatten();
            found.extend(hosts.filter_map(Value::as_str).map(|host| ("host", host.to_owned())));
            found.push(("tool", tool.clone()));
        }
        Read::Plan(call) => {
            for step in steps_of(&call.wish) {
                let plain = [
                    ("step's tool", step.tool),
                    ("step's target", step.target),
                    ("step's agent", step.agent),
                    ("step's model", step.model),
                ];
                found.extend(plain.into_iter().filter_map(|(name, value)| Some((name, value?))));
                match step.verify {
                    Some(Verify::Command(command)) => found.push(("check", command)),
                    Some(Verify::File { file, .. }) => found.push(("checked file", file)),
                    None => {}
                }
            }
        }
        Read::Error(_) | Read::Words => {}
    }
    found
}

/// The steps that a call writes, adds or changes.
fn steps_of(wish: &Wish) -> Vec<FullStep> {
    let changed = |to: &Patch| FullStep {
        tool: to.tool.clone(),
        target: to.target.clone(),
        agent: to.agent.clone(),
        model: to.model.clone(),
        verify: to.verify.clone(),
        ..FullStep::default()
    };
    let full = |step: &DraftStep| FullStep::from(step.clone());
    match wish {
        Wish::Write(draft) => draft.steps.iter().map(full).collect(),
        Wish::Revise { edits, .. } => {
            let step = |edit: &Edit| match edit {
                Edit::Add { new, .. } => Some(full(new)),
                Edit::Set { to, .. } => Some(changed(to)),
                Edit::Remove { .. } | Edit::Move { .. } => None,
            };
            edits.iter().filter_map(step).collect()
        }
        Wish::Run
        | Wish::StepDone { .. }
        | Wish::StepFailed { .. }
        | Wish::Status
        | Wish::Cancel { .. } => Vec::new(),
    }
}

/// Fails where something was understood that the text does not say.
fn check(read: &Read, called: &str, raw: &str, in_words: bool) {
    let forms = literally(raw);
    for (what, value) in reaches(read) {
        let literal = match what {
            "tool" if in_words => raw.contains(&value),
            "tool" => {
                let plain = |name: &str| name.replace(['_', '-'], "").to_lowercase();
                // Quotes and brackets around a name are no part of it.
                let called = called.trim_end_matches("()").trim_matches(['"', '\'', '`']);
                plain(called).ends_with(&plain(&value))
            }
            "command" | "check" => {
                stands(&value, &forms) || unquoted(&value).iter().all(|word| stands(word, &forms))
            }
            _ => stands(&value, &forms),
        };
        assert!(literal, "{what} {value:?} is not in {called} {raw:?}");
    }
}

pub(super) fn steps() -> Vec<KnownStep> {
    let step =
        |n: u32| KnownStep { id: format!("s{n}"), text: format!("Step {n}"), in_progress: n == 2 };
    (1..=2).map(step).collect()
}

#[test]
fn no_malformed_call_yields_more_than_its_literal_text() {
    let (desk, mut dice) = (Desk::new(), Dice(0x9e37_79b9_7f4a_7c15));
    let (mut understood, mut refused) = (0, 0);
    for _ in 0..20_000 {
        let (tool, good) = GOOD[dice.roll(GOOD.len())];
        let arguments = dice.mutate(good);
        let name = match dice.roll(8) {
            0 => format!("functions.{tool}"),
            1 => dice.mutate(tool),
            _ => tool.to_owned(),
        };
        let stop = [Some(Stop::ToolCalls), Some(Stop::Length), None][dice.roll(3)];
        let read = desk.read(&name, &arguments, stop, Some("go".to_owned()), steps());
        check(&read, &name, &arguments, false);
        match read {
            Read::Error(_) | Read::Words => refused += 1,
            Read::Call { .. } | Read::Plan(_) => understood += 1,
        }
    }
    assert!(understood > 1_000 && refused > 1_000, "{understood} and {refused}");
}

#[test]
fn no_words_yield_more_than_they_say() {
    let (desk, mut dice) = (Desk::new(), Dice(0x2545_f491_4f6c_dd1d));
    let mut understood = 0;
    for _ in 0..20_000 {
        let (tool, good) = GOOD[dice.roll(GOOD.len())];
        let text = match dice.roll(6) {
            0 => format!(
                "<tool_call>\n{{\"name\": \"{tool}\", \"arguments\": {good}}}\n</tool_call>"
            ),
            1 => format!("Look.\n{{\"name\": \"{tool}\", \"parameters\": {good}}}"),
            2 => format!("[TOOL_CALLS]{tool}[ARGS]{good}"),
            3 => format!("[TOOL_CALLS] [{{\"name\": \"{tool}\", \"arguments\": {good}}}]"),
            4 => format!("```json\n{{\"name\": \"{tool}\", \"arguments\": {good}}}\n```"),
            _ => format!("[{tool}(path=\"a/b.txt\", command='ls -la')]"),
        };
        let text = if dice.roll(10) == 0 { text } else { dice.mutate(&text) };
        for read in desk.read_text(&text, None) {
            check(&read, "", &text, true);
            understood += usize::from(matches!(read, Read::Call { .. } | Read::Plan(_)));
        }
    }
    assert!(understood > 1_000, "{understood}");
}

#[test]
fn nothing_that_is_no_call_makes_a_reader_fall_over() {
    let (desk, mut dice) = (Desk::new(), Dice(0xda94_2042_e4dd_58b5));
    let tools: Vec<String> = desk.tools().into_iter().map(str::to_owned).collect();
    for _ in 0..5_000 {
        let bytes: Vec<u8> = (0..dice.roll(80)).map(|_| dice.roll(256) as u8).collect();
        let noise: String = (0..dice.roll(30)).map(|_| PIECES[dice.roll(PIECES.len())]).collect();
        for text in [String::from_utf8_lossy(&bytes).into_owned(), noise] {
            let tool = &tools[dice.roll(tools.len())];
            let read = desk.read(tool, &text, None, None, Vec::new());
            check(&read, tool, &text, false);
            desk.read_text(&text, None).iter().for_each(|read| check(read, "", &text, true));
        }
    }
}

#[test]
fn no_held_answer_yields_more_than_it_says() {
    let (desk, mut dice) = (Desk::new(), Dice(0x1234_5678_9abc_def1));
    let offered = ["write_file", "shell", "plan"];
    let schema = |name: &&str| ((*name).to_owned(), json!({}));
    let tools = offered.iter().map(schema).collect();
    let one = Force::Call(OneCall { tools, answer: true });
    let mut understood = 0;
    for _ in 0..20_000 {
        let (tool, good) = GOOD[dice.roll(GOOD.len())];
        let (force, text) = match dice.roll(2) {
            0 => (&one, format!(r#"{{"name": "{tool}", "arguments": {good}}}"#)),
            _ => {
                let (tool, schema) = (tool.to_owned(), json!({}));
                (&Force::Schema { tool, schema }, good.to_owned())
            }
        };
        let text = if dice.roll(4) == 0 { text } else { dice.mutate(&text) };
        let Some(Held::Call(call)) = forced::read(Some(force), &text) else { continue };
        let (name, in_words) = match force {
            Force::Schema { tool, .. } => (tool.as_str(), false),
            Force::Call(_) | Force::Tool(_) => ("", true),
        };
        let can_run = models::repair(&call.arguments, models::Whole::Yes).is_ok();
        let is_offered = offered.contains(&call.name.as_str());
        assert!(!in_words || is_offered || !can_run, "{}: {text}", call.name);
        assert!(!text.trim_start().starts_with('`'), "{text}");
        let read = desk.read(&call.name, &call.arguments, None, Some("go".to_owned()), steps());
        check(&read, name, &text, in_words);
        understood += usize::from(matches!(read, Read::Call { .. } | Read::Plan(_)));
    }
    assert!(understood > 1_000, "{understood}");
}
