//! An answer that was held to a schema: its words are the arguments of a call, a whole call, or the
//! answer itself.

use super::answer_words::AnswerWords;
use models::{CallRequest, Force};
use serde_json::Value;
use serde_json::value::RawValue;

/// What words that were held to a schema are.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Held {
    /// A call.
    Call(CallRequest),
    /// An answer in words.
    Answer(String),
}

/// What the words of an answer are; `None` where they are words all the same, from a server that
/// does not know schemas.
pub(super) fn read(force: Option<&Force>, words: &str) -> Option<Held> {
    let words = after_thinking(words);
    // What stands in a fence was not written by a model that is held to a schema.
    if !words.trim_start().starts_with(['{', '[']) {
        return None;
    }
    match force? {
        Force::Schema { tool, .. } => {
            let (json, sent) = mended(words);
            Some(Held::Call(CallRequest { sent, ..CallRequest::new("forced_0", tool, json) }))
        }
        Force::Call(allowed) => {
            let is_allowed = |name: &str| allowed.tools.iter().any(|(tool, _)| tool == name);
            let held = one_call(words).filter(|held| match held {
                Held::Call(call) => is_allowed(&call.name),
                Held::Answer(_) => true,
            });
            held.or_else(|| off_the_schema(words, is_allowed))
        }
        Force::Tool(_) => None,
    }
}

/// One call by its name and arguments, or the answer. Nothing else is taken for a call.
fn one_call(words: &str) -> Option<Held> {
    let mut answer = AnswerWords::default();
    let said = answer.next(words);
    if answer.is_answer() {
        return Some(Held::Answer(said));
    }
    #[derive(serde::Deserialize)]
    struct Named<'a> {
        name: String,
        #[serde(borrow)]
        arguments: &'a RawValue,
    }
    let (json, _) = mended(words);
    if let Ok(Named { name, arguments }) = serde_json::from_str(&json) {
        if name == models::ANSWER {
            return Some(Held::Answer(answered(arguments)));
        }
        return Some(Held::Call(CallRequest::new("forced_0", name, arguments.get())));
    }
    // Cut off: whoever runs it says so.
    let (head, arguments) = json.split_once(r#""arguments""#)?;
    let head = format!("{}}}", head.trim_end().trim_end_matches(','));
    let name = serde_json::from_str::<serde_json::Value>(&head).ok()?;
    let arguments = arguments.trim_start().trim_start_matches(':').trim_start();
    Some(Held::Call(CallRequest::new("forced_0", name["name"].as_str()?, arguments)))
}

/// What is meant where a server holds nobody to the schema: an answer under another name, or a call
/// in another form, or half a call. That one never runs: its model hears how a call looks.
fn off_the_schema(words: &str, is_allowed: impl Fn(&str) -> bool) -> Option<Held> {
    const ANSWERS: [&str; 5] = ["answer", "response", "message", "text", "reply"];
    let (json, _) = mended(words);
    if let Ok(Value::Object(fields)) = serde_json::from_str(&json)
        && let [(key, Value::String(said))] = fields.iter().collect::<Vec<_>>()[..]
        && ANSWERS.contains(&key.as_str())
    {
        return Some(Held::Answer(said.clone()));
    }
    let name = ["\"tool\"", "\"name\"", "\"function\""].iter().find_map(|key| {
        let (_, after) = words.split_once(key)?;
        let name = after.trim_start().strip_prefix(':')?.trim_start().strip_prefix('"')?;
        name.split_once('"').map(|(name, _)| name)
    });
    // Half a call is no answer, whatever it calls.
    let half =
        words.contains("\"arguments\"") && models::repair(words, models::Whole::Yes).is_err();
    let name = name.filter(|name| half || is_allowed(name))?;
    let raw = format!("not in the form of a call: {words}");
    Some(Held::Call(CallRequest::new("forced_0", name, raw)))
}

/// The words of an answer, whatever they are called.
fn answered(arguments: &RawValue) -> String {
    match serde_json::from_str(arguments.get()) {
        Ok(Value::String(words)) => words,
        Ok(Value::Object(fields)) => {
            fields.values().find_map(Value::as_str).unwrap_or_default().to_owned()
        }
        Ok(_) | Err(_) => String::new(),
    }
}

/// JSON that can be read where that is possible, and what was sent where that is something else.
fn mended(words: &str) -> (String, Option<String>) {
    match models::repair(words, models::Whole::Unknown) {
        Ok(json) if json == words.trim() => (json, None),
        Ok(json) => (json, Some(words.to_owned())),
        Err(_) => (words.to_owned(), None),
    }
}

/// What comes after the thinking that some servers leave at the beginning of an answer. Thinking
/// without an end is left as it is, so that nothing in it is taken for the answer.
pub(super) fn after_thinking(words: &str) -> &str {
    let thinking = words.trim_start().strip_prefix("<think>");
    thinking.and_then(|rest| rest.split_once("</think>")).map_or(words, |(_, answer)| answer)
}

#[cfg(test)]
mod tests {
    use super::*;
    use models::OneCall;

    fn call(force: Option<&Force>, words: &str) -> Option<CallRequest> {
        match read(force, words)? {
            Held::Call(call) => Some(call),
            Held::Answer(_) => None,
        }
    }

    #[test]
    fn words_of_a_schema_are_a_call_and_others_stay_words() {
        let force = Force::Schema { tool: "write_plan".into(), schema: serde_json::json!({}) };
        let json = r#"{"steps": ["a"]}"#;
        let called = call(Some(&force), json).unwrap();
        assert_eq!((called.name.as_str(), called.arguments.as_str()), ("write_plan", json));
        let mended = call(Some(&force), r#"{"steps": ["a",]}"#).unwrap();
        assert_eq!(mended.arguments, r#"{"steps":["a"]}"#);
        let fenced = "```json\n{\"steps\": [\"a\"]}\n```";
        assert_eq!(call(Some(&force), fenced), None, "no schema allows a fence");
        let cut = call(Some(&force), r#"{"steps": ["a"#).unwrap();
        assert_eq!(cut.arguments, r#"{"steps": ["a"#, "whoever runs it says that it is cut");
        assert_eq!(call(Some(&force), "I would rather not."), None);
        assert_eq!(call(Some(&Force::Tool("plan".into())), json), None);
        assert_eq!(call(None, json), None);
    }

    #[test]
    fn thinking_before_the_answer_is_skipped_and_never_run() {
        let force = Force::Schema { tool: "write_plan".into(), schema: serde_json::json!({}) };
        let json = r#"{"steps": ["</think>"]}"#;
        let called =
            call(Some(&force), &format!("\n<think>\n{{\"steps\": []}}\n</think>\n\n{json}"));
        let called = called.unwrap();
        assert_eq!((called.arguments.as_str(), called.sent), (json, None));
        for words in [
            r#"<think>{"steps": ["a"]}"#,
            r#"<think>{"steps": ["a"]}</think>"#,
            r#"<think>a</think> I would rather not: {"steps": ["a"]}"#,
            r#"First <think>a</think>{"steps": ["a"]}"#,
        ] {
            assert_eq!(call(Some(&force), words), None, "{words}");
        }
    }

    #[test]
    fn a_whole_call_counts_as_it_is_written_and_an_answer_is_words() {
        let tools = ["shell", "write_file"].map(|tool| (tool.to_owned(), serde_json::json!({})));
        let force = Force::Call(OneCall { tools: tools.to_vec(), answer: true });
        let one = |words| read(Some(&force), words);
        let made = |name: &str, arguments: &str| {
            Some(Held::Call(CallRequest::new("forced_0", name, arguments)))
        };
        let words = r#"{ "name": "shell", "arguments": {"command": "ls"} }"#;
        assert_eq!(one(words), made("shell", r#"{"command": "ls"}"#));
        let answer = r#"{"name": "answer", "arguments": {"text": "It is \"42\".\nDone."}}"#;
        assert_eq!(one(answer), Some(Held::Answer("It is \"42\".\nDone.".to_owned())));
        let cut = r#"{"name": "write_file", "arguments": {"path": "a", "content": "b"#;
        assert_eq!(one(cut), made("write_file", r#"{"path": "a", "content": "b"#));
        for words in [
            r#"{"arguments": {"text": "Yes."}, "name": "answer"}"#,
            r#"{"name": "answer", "arguments": "Yes."}"#,
            r#"{"name": "answer", "arguments": {"message": "Yes."}}"#,
        ] {
            assert_eq!(one(words), Some(Held::Answer("Yes.".to_owned())), "{words}");
        }
        for (words, said) in [(r#"{"answer": "hi"}"#, "hi"), (r#"{"message": "a\nb"}"#, "a\nb")] {
            assert_eq!(one(words), Some(Held::Answer(said.to_owned())), "{words}");
        }
        for (words, tool) in [
            (r#"{"tool":"write_file","path":"x.txt","content":"v""#, "write_file"),
            (r#"{"tool":"write_file","path":"x.txt","content":"v"}"#, "write_file"),
            (r#"{"name": "edit_file", "arguments": {"path": "a", "new": "b"#, "edit_file"),
        ] {
            let Some(Held::Call(call)) = one(words) else { panic!("{words}") };
            assert_eq!(call.name, tool);
            assert!(models::repair(&call.arguments, models::Whole::Yes).is_err(), "never run");
        }
        let half = r#"{"name": "answer", "arguments": {"text": "It is"#;
        assert_eq!(one(half), Some(Held::Answer("It is".to_owned())));
        for words in [
            "It is 42.",
            r#"{"name": "TODO.txt"}"#,
            r#"{"command": "ls"}"#,
            "{",
            r#"{"name": "delete_file", "arguments": {"path": "a"}}"#,
            "```json\n{\"name\": \"shell\", \"arguments\": {\"command\": \"ls\"}}\n```",
        ] {
            assert_eq!(one(words), None, "{words}");
        }
    }
}
