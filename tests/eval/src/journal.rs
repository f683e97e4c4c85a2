//! Counts calls, plans and ends in the events of a task's rooms.

use serde_json::Value;
use std::collections::HashMap;

/// Codes of a plan that could not be read or is none.
const PLAN_SHAPE: [&str; 9] = [
    "BAD_ARGUMENTS",
    "NO_STEPS",
    "EMPTY_STEP",
    "EMPTY_GOAL",
    "TOO_MANY_STEPS",
    "TOO_LONG",
    "CYCLE",
    "UNKNOWN_NEED",
    "DUPLICATE_STEP",
];
const PLAN_TOOLS: [&str; 4] = ["plan", "submit_plan", "write_plan", "make_plan"];

/// What was counted in the rooms of one task.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Counts {
    pub planned: bool,
    pub calls: u64,
    pub malformed: u64,
    pub repaired: u64,
    /// How often the most frequent call came.
    pub repeats: u64,
    /// Whether the last failed call was a plan that could not be read.
    pub plan_misread: bool,
    /// The last trouble, with its code.
    pub trouble: Option<(String, String)>,
    /// The last words of the agent.
    pub answer: String,
}

/// Counts the events of one room. Long texts must stand in them already.
pub fn count(events: &[Value]) -> Counts {
    let mut counts = Counts::default();
    let mut tools: HashMap<String, String> = HashMap::new();
    let mut seen: HashMap<(String, String), u64> = HashMap::new();
    for event in events {
        match event["type"].as_str().unwrap_or_default() {
            "said" => counts.trouble = None,
            "replied" => {
                // A trouble that was followed by an answer is no end.
                counts.trouble = None;
                let words = text(&event["text"]);
                if !words.trim().is_empty() {
                    counts.answer = words;
                }
                for call in event["calls"].as_array().into_iter().flatten() {
                    counts.calls += 1;
                    let of = |name: &str| text(&call[name]);
                    tools.insert(of("id"), of("tool"));
                    *seen.entry((of("tool"), of("args"))).or_default() += 1;
                    if !call["sent"].is_null() {
                        counts.repaired += 1;
                    }
                }
            }
            "call_ended" => ended(&mut counts, &tools, event),
            "plan_written" => counts.planned = true,
            "trouble" => {
                let trouble = (text(&event["code"]), text(&event["text"]));
                if trouble.0 == "MODEL_MALFORMED" || trouble.0 == "BROKEN_CALL" {
                    counts.malformed += 1;
                }
                counts.trouble = Some(trouble);
            }
            _ => {}
        }
    }
    counts.repeats = seen.values().copied().max().unwrap_or_default();
    counts
}

fn ended(counts: &mut Counts, tools: &HashMap<String, String>, event: &Value) {
    if event["outcome"] == "ok" {
        counts.plan_misread = false;
        return;
    }
    let tool = tools.get(&text(&event["call"])).cloned().unwrap_or_default();
    let result = text(&event["result"]);
    let code = serde_json::from_str::<Value>(&result)
        .ok()
        .and_then(|value| value["code"].as_str().map(str::to_owned))
        .unwrap_or_default();
    if matches!(code.as_str(), "BAD_ARGUMENTS" | "UNKNOWN_TOOL" | "BROKEN_CALL") {
        counts.malformed += 1;
    }
    counts.plan_misread =
        PLAN_TOOLS.contains(&tool.as_str()) && PLAN_SHAPE.contains(&code.as_str());
}

/// A text of an event; of a long one that was not fetched, how it begins.
pub fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Object(blob) => blob.get("head").map(text).unwrap_or_default(),
        Value::Null => String::new(),
        Value::Bool(_) | Value::Number(_) | Value::Array(_) => value.to_string(),
    }
}

impl Counts {
    /// Adds what was counted in the room of a sidekick.
    pub fn add(&mut self, below: &Self) {
        self.planned |= below.planned;
        self.calls += below.calls;
        self.malformed += below.malformed;
        self.repaired += below.repaired;
        self.repeats = self.repeats.max(below.repeats);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn replied(id: &str, tool: &str, args: &str) -> Value {
        json!({ "type": "replied", "text": "", "calls": [{ "id": id, "tool": tool, "args": args }] })
    }

    fn refused(id: &str, code: &str) -> Value {
        let result = json!({ "code": code, "message": "no" }).to_string();
        json!({ "type": "call_ended", "call": id, "outcome": "blocked", "result": result })
    }

    #[test]
    fn a_plan_that_nobody_can_read_is_counted() {
        let counts = count(&[
            replied("1", "plan", "{}"),
            refused("1", "BAD_ARGUMENTS"),
            replied("2", "plan", "{}"),
            refused("2", "BAD_ARGUMENTS"),
            json!({ "type": "trouble", "code": "STUCK", "text": "It goes round." }),
        ]);
        let expected = Counts {
            calls: 2,
            malformed: 2,
            repeats: 2,
            plan_misread: true,
            trouble: Some(("STUCK".into(), "It goes round.".into())),
            ..Counts::default()
        };
        assert_eq!(counts, expected);
    }

    #[test]
    fn a_call_that_was_mended_is_counted_and_a_refused_one_is_not_malformed() {
        let mut mended = replied("1", "shell", "{}");
        mended["calls"][0]["sent"] = json!("{,}");
        let counts = count(&[
            json!({ "type": "plan_written" }),
            mended,
            refused("1", "DENIED"),
            json!({ "type": "replied", "text": "I can't." }),
        ]);
        let expected = Counts {
            planned: true,
            calls: 1,
            repaired: 1,
            repeats: 1,
            answer: "I can't.".into(),
            ..Counts::default()
        };
        assert_eq!(counts, expected);
    }

    #[test]
    fn trouble_before_an_answer_is_no_end() {
        let counts = count(&[
            json!({ "type": "trouble", "code": "MODEL_DROPPED", "text": "cut" }),
            json!({ "type": "replied", "text": "Here." }),
        ]);
        assert_eq!(counts.trouble, None);
    }
}
