//! No field that a right hangs on ever gets the value of another one, however a call is malformed.

use super::fuzz::{Dice, reaches, steps};
use super::table::{Desk, Read};
use std::collections::BTreeSet;

/// Calls whose every value says which field it is of.
const MARKED: [(&str, &str); 12] = [
    ("write_file", r#"{"path": "@path@", "content": "@content@"}"#),
    ("write_file", r#"{"contents": "@content@", "file_path": "@path@", "note": "@note@"}"#),
    ("edit_file", r#"{"path": "@path@", "old": "@old@", "new": "@new@", "all": true}"#),
    ("move_file", r#"{"from": "@from@", "to": "@to@"}"#),
    ("shell", r#"{"command": "@command@", "folder": "@folder@", "description": "@note@"}"#),
    ("shell", r#"{"cmd": ["@command@", "-x"], "network": ["@host@"], "cwd": "@folder@"}"#),
    ("search", r#"{"pattern": "@pattern@", "path": "@path@", "glob": "@glob@"}"#),
    ("fetch", r#"{"url": "@url@", "prompt": "@note@"}"#),
    (
        "plan",
        r#"{"action": "write", "goal": "@goal@", "steps": [{"text": "@text@", "tool": "@step's tool@", "target": "@step's target@", "expected_outcome": "@outcome@", "verify": {"command": "@check@"}}, {"title": "@title@", "target": "@step's target@", "agent": "@step's agent@", "verify": "@words@"}]}"#,
    ),
    (
        "plan",
        r#"{"action": "revise", "edits": [{"op": "set", "step": "s2", "text": "@text@", "tool": "@step's tool@", "target": "@step's target@", "verify": {"file": "@checked file@", "contains": "@content@"}}], "reason": "@reason@"}"#,
    ),
    (
        "plan",
        r#"{"action": "revise", "edits": [{"op": "add", "new": {"text": "@text@", "target": "@step's target@", "expected": "@outcome@", "model": "@step's model@"}}]}"#,
    ),
    (
        "submit_plan",
        r#"{"title": "@title@", "steps": [{"description": "@text@", "tool": "@step's tool@", "target": "@step's target@"}]}"#,
    ),
];

/// A few slips of the pen: signs too many or too few, but no words of another field.
fn slips(dice: &mut Dice, text: &str) -> String {
    const SIGNS: [char; 10] = ['"', '\'', ',', ':', '{', '}', '[', ']', '\\', '\n'];
    let mut text = text.to_owned();
    for _ in 0..dice.roll(4) {
        match dice.roll(3) {
            0 => {
                let places: Vec<usize> = text.match_indices(SIGNS).map(|(at, _)| at).collect();
                let at = places[dice.roll(places.len())];
                text.remove(at);
            }
            _ => {
                let at = dice.place(&text);
                text.insert(at, SIGNS[dice.roll(SIGNS.len())]);
            }
        }
    }
    match dice.roll(6) {
        0 => text.replace('"', "'"),
        1 => serde_json::Value::from(text).to_string(),
        2 => format!("```json\n{text}\n```"),
        3 => format!(r#"{{"arguments": {text}}}"#),
        _ => text,
    }
}

#[test]
fn what_a_right_hangs_on_never_holds_the_value_of_another_field() {
    let (desk, mut dice) = (Desk::new(), Dice(0x0bad_cafe_dead_beef));
    let letters = |text: &str| text.replace(|c: char| !c.is_ascii_alphabetic(), "");
    let marks = MARKED.iter().flat_map(|(_, good)| good.split('@').skip(1).step_by(2));
    let fields: BTreeSet<String> = marks.map(letters).collect();
    let mut understood = 0;
    for _ in 0..20_000 {
        let (tool, good) = MARKED[dice.roll(MARKED.len())];
        let sent = slips(&mut dice, good);
        let read = desk.read(tool, &sent, None, Some("go".to_owned()), steps());
        for (what, value) in reaches(&read) {
            for mark in value.split('@').map(letters) {
                let is_other = fields.contains(&mark) && mark != letters(what);
                assert!(!is_other, "{what} {value:?} of {tool} {sent}");
            }
        }
        understood += usize::from(matches!(read, Read::Call { .. } | Read::Plan(_)));
    }
    assert!(understood > 1_000, "{understood}");
}
