//! An answer that was held to a schema: its words are the arguments of a call.

use models::{CallRequest, Force};

/// The call that the words of an answer are; `None` where they are words all the same, from a
/// server that does not know schemas.
pub(super) fn call(force: Option<&Force>, words: &str) -> Option<CallRequest> {
    let words = after_thinking(words);
    match force {
        Some(Force::Schema { tool, .. }) if words.trim_start().starts_with(['{', '[', '`']) => {
            let (json, sent) = match models::repair(words, models::Whole::Unknown) {
                Ok(json) if json == words.trim() => (json, None),
                Ok(json) => (json, Some(words.to_owned())),
                Err(_) => (words.to_owned(), None),
            };
            Some(CallRequest { sent, ..CallRequest::new("forced_0", tool, json) })
        }
        Some(Force::Schema { .. } | Force::Tool(_)) | None => None,
    }
}

/// What comes after the thinking that some servers leave at the beginning of an answer. Thinking
/// without an end is left as it is, so that nothing in it is taken for the answer.
fn after_thinking(words: &str) -> &str {
    let thinking = words.trim_start().strip_prefix("<think>");
    thinking.and_then(|rest| rest.split_once("</think>")).map_or(words, |(_, answer)| answer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_a_schema_are_a_call_and_others_stay_words() {
        let force = Force::Schema { tool: "write_plan".into(), schema: serde_json::json!({}) };
        let json = r#"{"steps": ["a"]}"#;
        let called = call(Some(&force), json).unwrap();
        assert_eq!((called.name.as_str(), called.arguments.as_str()), ("write_plan", json));
        let fenced = call(Some(&force), "```json\n{\"steps\": [\"a\"]}\n```").unwrap();
        assert_eq!(fenced.arguments, r#"{"steps":["a"]}"#);
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
}
