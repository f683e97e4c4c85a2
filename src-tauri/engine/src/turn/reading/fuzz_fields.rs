//! No field that nobody knows ever stands beside a change, a check or a right.

use super::fuzz::{Dice, reaches, steps};
use super::shapes::tests::CHANGING;
use super::table::Read;
use super::*;
use serde_json::json;

/// Names of fields that nobody has, and of those that other tools have.
const STRANGE: [&str; 24] = [
    "name",
    "files",
    "filter",
    "pattern",
    "exclude",
    "except",
    "only",
    "cwd",
    "chdir",
    "root",
    "in",
    "container",
    "args",
    "flags",
    "stdin",
    "env",
    "dry_run",
    "execute",
    "confirm",
    "max",
    "mode",
    "position",
    "read_only",
    "xyzzy",
];

/// A value for one of them.
fn strange_value(dice: &mut Dice) -> Value {
    let values = [json!("sub"), json!(true), json!(1), json!(["a"]), json!({ "a": 1 })];
    values[dice.roll(values.len())].clone()
}

/// A field under a name that may be spelled in another way or be no name at all.
fn strange_key(dice: &mut Dice) -> String {
    let key = STRANGE[dice.roll(STRANGE.len())];
    match dice.roll(4) {
        0 => format!("{key}{}", dice.roll(100)),
        1 => format!("{}_{key}", STRANGE[dice.roll(STRANGE.len())]),
        2 => key.replace('_', "-").to_uppercase(),
        _ => key.to_owned(),
    }
}

#[test]
fn no_unknown_field_ever_makes_a_changing_tool_run() {
    let (mut dice, mut refused) = (Dice(0x0dd_ba11_5eed_0001), 0);
    for _ in 0..20_000 {
        let (tool, call) = CHANGING[dice.roll(CHANGING.len())];
        let mut value: Value = serde_json::from_str(call).unwrap();
        let (key, with) = (strange_key(&mut dice), strange_value(&mut dice));
        let known = shapes::shape(tool).unwrap().fields.iter().flat_map(|field| field.names());
        let is_known = known.into_iter().any(|name| name == fields::plain(&key));
        if is_known || unknown_fields::says_nothing(tool, &key, &with) {
            continue;
        }
        value[&key] = with;
        let sent = value.to_string();
        assert!(read_fields(tool, value, &sent).is_err(), "{tool} {sent}");
        refused += 1;
    }
    assert!(refused > 10_000, "{refused}");
}

#[test]
fn no_unknown_field_ever_stands_beside_a_check_or_a_right() {
    let (mut dice, mut understood) = (Dice(0x0dd_ba11_5eed_0002), 0);
    let scene =
        Scene { message: Some("go".into()), steps: steps(), handed: false, is_command: &|_| true };
    let checks = [
        json!({ "command": "rm -f *.txt" }),
        json!({ "cmd": ["rm", "a"] }),
        json!({ "file": "a.txt", "contains": "x" }),
        json!({ "exists": "a.txt" }),
    ];
    let known = ["command", "cmd", "shell", "run", "file", "path", "contains", "text"];
    for _ in 0..20_000 {
        let (key, with) = (strange_key(&mut dice), strange_value(&mut dice));
        if known.contains(&key.as_str()) || unknown_fields::says_nothing("step", &key, &with) {
            continue;
        }
        let mut step = json!({ "text": "Sweep", "tool": "shell", "target": "rm -f *.txt" });
        let mut check = checks[dice.roll(checks.len())].clone();
        match dice.roll(3) {
            0 => {
                check[&key] = with;
                step["tool"] = Value::Null;
                step["target"] = Value::Null;
                step["verify"] = match dice.roll(3) {
                    0 => check.to_string().into(),
                    1 => json!([check]),
                    _ => check,
                };
            }
            1 => step[&key] = with,
            _ => {
                step["verify"] = check;
                step[&key] = with;
            }
        }
        let sent = match dice.roll(2) {
            0 => json!({ "action": "write", "steps": [step] }),
            _ => {
                step["op"] = ["set", "add"][dice.roll(2)].into();
                step["step"] = 1.into();
                json!({ "action": "revise", "edits": [step] })
            }
        };
        let Ok(call) = read_plan("plan", sent.clone(), &scene) else { continue };
        let reached = reaches(&Read::Plan(call));
        assert!(reached.is_empty(), "{reached:?} {sent}");
        understood += 1;
    }
    assert!(understood > 5_000, "{understood}");
}
