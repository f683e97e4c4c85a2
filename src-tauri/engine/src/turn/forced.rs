//! An answer that was held to a schema: its words are the arguments of a call.

use models::{CallRequest, Force};

/// The call that the words of an answer are; `None` where they are words all the same, from a
/// server that does not know schemas.
pub(super) fn call(force: Option<&Force>, words: &str) -> Option<CallRequest> {
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
}
