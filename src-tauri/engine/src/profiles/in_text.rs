//! Whether a model wrote a call of a tool in its words, and with which arguments.
//!
//! Only to find out which form it uses: nothing that is found here is ever run.

use serde_json::{Map, Value};

/// As much of an answer is looked at.
const MOST: usize = 16 * 1024;
/// What the name of the tool is called, and what its arguments are.
const NAMES: [&str; 4] = ["name", "function", "tool", "tool_name"];
const ARGUMENTS: [&str; 4] = ["arguments", "parameters", "args", "input"];

/// The arguments of every call of this tool in a text.
pub(super) fn calls(text: &str, tool: &str) -> Vec<Value> {
    let text = text.get(..text.floor_char_boundary(MOST)).unwrap_or(text);
    let mut found = as_json(text, tool);
    if found.is_empty() {
        found = as_tags(text, tool);
    }
    if found.is_empty() {
        found = as_function(text, tool);
    }
    found
}

/// `{"name": "note", "arguments": {…}}`, whatever stands around it: tags, fences or a list.
fn as_json(text: &str, tool: &str) -> Vec<Value> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(brace) = text[at..].find('{') {
        at += brace;
        let mut values = serde_json::Deserializer::from_str(&text[at..]).into_iter::<Value>();
        match values.next() {
            Some(Ok(value)) if let Some(arguments) = call_of(&value, tool) => {
                found.push(arguments);
                at += values.byte_offset();
            }
            // What is inside may be one.
            Some(Ok(_) | Err(_)) | None => at += 1,
        }
    }
    found
}

fn call_of(value: &Value, tool: &str) -> Option<Value> {
    let map = value.as_object()?;
    let named = NAMES.iter().any(|key| map.get(*key).and_then(Value::as_str) == Some(tool));
    if !named {
        return None;
    }
    let arguments = ARGUMENTS.iter().find_map(|key| map.get(*key))?;
    match arguments {
        Value::Object(_) => Some(arguments.clone()),
        Value::String(text) => serde_json::from_str(text).ok().filter(Value::is_object),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => None,
    }
}

/// `<function=note><parameter=text>ready</parameter></function>`.
fn as_tags(text: &str, tool: &str) -> Vec<Value> {
    let open = format!("<function={tool}>");
    let calls = text.split(open.as_str()).skip(1);
    let arguments = calls.map(|call| {
        let call = call.split_once("</function>").map_or(call, |(call, _)| call);
        let parameters = call.split("<parameter=").skip(1).filter_map(|parameter| {
            let (name, value) = parameter.split_once('>')?;
            let value = value.split_once("</parameter>").map_or(value, |(value, _)| value).trim();
            let value = serde_json::from_str(value).unwrap_or_else(|_| Value::from(value));
            Some((name.to_owned(), value))
        });
        Value::Object(parameters.collect())
    });
    arguments.collect()
}

/// `note(text="ready")`: each argument has its name, so that words about a function are no call.
fn as_function(text: &str, tool: &str) -> Vec<Value> {
    let open = format!("{tool}(");
    let calls = text.match_indices(open.as_str()).filter(|(at, _)| {
        let before = text[..*at].chars().next_back();
        !before.is_some_and(|letter| letter.is_alphanumeric() || letter == '_' || letter == '.')
    });
    calls.filter_map(|(at, open)| named_arguments(&text[at + open.len()..])).collect()
}

fn named_arguments(mut rest: &str) -> Option<Value> {
    let mut arguments = Map::new();
    loop {
        let (name, value) = rest.split_once('=')?;
        let name = name.trim().trim_start_matches(',').trim();
        if name.is_empty() || !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        {
            return None;
        }
        let (value, length) = literal(value)?;
        let skipped = rest.find('=')? + 1 + length;
        arguments.insert(name.to_owned(), value);
        rest = rest[skipped..].trim_start();
        if rest.starts_with(')') {
            return Some(Value::Object(arguments));
        }
        if !rest.starts_with(',') {
            return None;
        }
    }
}

/// A value at the start of a text, and how long it is; in single quotes, too.
fn literal(text: &str) -> Option<(Value, usize)> {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<Value>();
    if let Some(Ok(value)) = values.next() {
        return Some((value, values.byte_offset()));
    }
    let begins = text.len() - text.trim_start().len();
    let inner = text[begins..].strip_prefix('\'')?;
    let end = inner.find('\'')?;
    Some((Value::from(&inner[..end]), begins + end + 2))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn calls_are_found_in_the_forms_that_models_write() {
        let ready = json!({ "text": "ready" });
        for text in [
            r#"<tool_call>{"name": "note", "arguments": {"text": "ready"}}</tool_call>"#,
            "```json\n{\"name\": \"note\", \"arguments\": {\"text\": \"ready\"}}\n```",
            r#"<|python_tag|>{"name": "note", "parameters": {"text": "ready"}}"#,
            r#"[TOOL_CALLS][{"name": "note", "arguments": {"text": "ready"}}]"#,
            r#"{"type": "function", "function": {"name": "note", "arguments": "{\"text\": \"ready\"}"}}"#,
            r#"Sure! {"tool": "note", "args": {"text": "ready"}}"#,
            "<function=note>\n<parameter=text>\nready\n</parameter>\n</function>",
            r#"[note(text="ready")]"#,
            "note( text = 'ready' )",
        ] {
            assert_eq!(calls(text, "note"), std::slice::from_ref(&ready), "{text}");
        }
    }

    #[test]
    fn each_call_of_several_is_found() {
        let two = "{\"name\":\"read_file\",\"arguments\":{\"path\":\"a\"}}\n\
                   {\"name\":\"read_file\",\"arguments\":{\"path\":\"b\"}}";
        assert_eq!(calls(two, "read_file"), [json!({ "path": "a" }), json!({ "path": "b" })]);
        let plan = r#"write_plan(steps=["one", "two"])"#;
        assert_eq!(calls(plan, "write_plan"), [json!({ "steps": ["one", "two"] })]);
    }

    #[test]
    fn words_about_a_tool_are_no_call() {
        for text in [
            "",
            "I would call note with the text ready.",
            "Use note(\"ready\") to do so.",
            "denote(text=\"ready\")",
            r#"{"name": "other", "arguments": {"text": "ready"}}"#,
            r#"{"name": "note"}"#,
            r#"{"name": "note", "arguments": "ready"}"#,
            "note(text=",
            "note(=)",
            "{{{{",
        ] {
            assert_eq!(calls(text, "note"), [] as [Value; 0], "{text}");
        }
    }

    #[test]
    fn a_long_answer_of_odd_letters_does_no_harm() {
        let long = "é{".repeat(MOST);
        assert_eq!(calls(&long, "note"), [] as [Value; 0]);
    }
}
