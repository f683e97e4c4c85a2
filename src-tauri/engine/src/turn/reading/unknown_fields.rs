//! Fields that a call has and its tool does not. A call that changes something is made only where
//! it means the same without them: whoever wrote the others may have meant less than what is left.

use super::fields::{plain, text};
use super::names::own_name;
use super::shapes::flag;
use serde_json::Value;

/// Why a call is made, and which number it has.
const ABOUT: [&str; 20] = [
    "description",
    "explanation",
    "reason",
    "reasoning",
    "rationale",
    "justification",
    "thought",
    "thoughts",
    "thinking",
    "comment",
    "comments",
    "purpose",
    "title",
    "summary",
    "note",
    "notes",
    "id",
    "call_id",
    "tool_call_id",
    "tool_use_id",
];
/// What a flag says that is so anyway.
const SO_ANYWAY: [(&str, bool); 16] = [
    ("overwrite", true),
    ("recursive", true),
    ("execute", true),
    ("safe", true),
    ("is_safe", true),
    ("append", false),
    ("copy", false),
    ("regex", false),
    ("is_regex", false),
    ("dry_run", false),
    ("sudo", false),
    ("interactive", false),
    ("dangerous", false),
    ("is_dangerous", false),
    ("ask_first", false),
    ("requires_approval", false),
];

/// Those that change what a call means, or may.
pub(super) fn telling(tool: &str, fields: &[(String, Value)]) -> Vec<String> {
    let telling = fields.iter().filter(|(key, value)| !says_nothing(tool, key, value));
    telling.map(|(key, _)| key.clone()).collect()
}

/// Names as they are told: `a`, `b`.
pub(super) fn quoted(names: &[String]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    names.join(", ")
}

/// Whether a call means the same without a field that its tool does not have.
pub(super) fn says_nothing(tool: &str, key: &str, value: &Value) -> bool {
    let key = plain(key);
    let Some(said) = text(value) else { return value.is_null() };
    let said = said.trim();
    let word = || plain(said);
    match (tool, key.as_str()) {
        _ if said.is_empty() => true,
        (_, key) if ABOUT.contains(&key) => true,
        (_, "type" | "tool" | "tool_name" | "function") => {
            let call = matches!(word().as_str(), "function" | "function_call" | "tool_use");
            call || own_name(said, [tool].into_iter()).is_some()
        }
        (_, "encoding") => matches!(word().as_str(), "utf8" | "utf_8"),
        ("write_file", "mode") => matches!(word().as_str(), "w" | "write" | "overwrite"),
        ("shell", "language" | "lang" | "interpreter" | "shell") => {
            matches!(word().as_str(), "bash" | "sh" | "shell")
        }
        ("fetch", "method") => word() == "get",
        // What is looked for on the page.
        ("fetch", "prompt") => true,
        (_, key) => SO_ANYWAY.iter().any(|(name, so)| *name == key && flag(value) == Some(*so)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_what_says_nothing_of_what_is_done_is_left_out() {
        for (tool, key, value) in [
            ("shell", "description", json!("looks")),
            ("shell", "callId", json!(7)),
            ("shell", "cwd", json!("")),
            ("shell", "type", json!("function")),
            ("delete_file", "tool", json!("functions.delete_file")),
            ("shell", "requires_approval", json!("false")),
            ("shell", "language", json!("bash")),
            ("write_file", "encoding", json!("UTF-8")),
            ("write_file", "mode", json!("w")),
            ("delete_file", "recursive", json!(true)),
        ] {
            assert!(says_nothing(tool, key, &value), "{tool} {key} {value}");
        }
        for (tool, key, value) in [
            ("shell", "cwd", json!("sub")),
            ("shell", "description", json!({ "only": "s.txt" })),
            ("shell", "execute", json!(false)),
            ("shell", "requires_approval", json!(true)),
            ("shell", "confirm", json!(false)),
            ("shell", "confirm", json!(true)),
            ("delete_file", "files", json!([])),
            ("delete_file", "tool", json!("read_file")),
            ("delete_file", "type", json!("file")),
            ("delete_file", "recursive", json!(false)),
            ("edit_file", "mode", json!("overwrite")),
            ("write_file", "encoding", json!("base64")),
        ] {
            assert!(!says_nothing(tool, key, &value), "{tool} {key} {value}");
        }
    }
}
