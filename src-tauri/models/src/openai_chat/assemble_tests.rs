use std::collections::VecDeque;

use super::*;

/// Feeds the chunks, one JSON text a line, and ends the turn.
fn read(lines: &str) -> Result<Vec<ModelEvent>, ModelError> {
    let mut turn = Chat::default();
    let mut out = VecDeque::new();
    for line in lines.lines() {
        turn.take(line.as_bytes(), &mut out)?;
    }
    let mut all = Vec::from(out);
    all.extend(turn.finish()?);
    Ok(all)
}

fn call(id: &str, name: &str, arguments: &str) -> ModelEvent {
    ModelEvent::ToolCall(CallRequest::new(id, name, arguments))
}

#[test]
fn interleaved_calls_are_put_together_by_index() {
    let events = read(
        r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"read","arguments":"{\"p"}}]}}]}
{"choices":[{"delta":{"tool_calls":[{"index":1,"id":"b","function":{"name":"list","arguments":""}}]}}]}
{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"\":1}"}},{"index":1,"function":{"arguments":"{}"}}]}}]}
{"choices":[{"delta":{},"finish_reason":"tool_calls"}]}"#,
    );
    let expected = vec![
        call("a", "read", r#"{"p":1}"#),
        call("b", "list", "{}"),
        ModelEvent::Done(Stop::ToolCalls),
    ];
    assert_eq!(events, Ok(expected));
}

#[test]
fn whole_calls_without_ids_or_index_get_ids_and_stay_apart() {
    let events = read(
        r#"{"choices":[{"delta":{"tool_calls":[{"function":{"name":"read","arguments":{"p":1}}},{"function":{"name":"list","arguments":null}}]}}],"usage":null}"#,
    );
    let expected = vec![
        call("call_0", "read", r#"{"p":1}"#),
        call("call_1", "list", "{}"),
        ModelEvent::Done(Stop::ToolCalls),
    ];
    assert_eq!(events, Ok(expected));
}

#[test]
fn calls_that_share_an_index_are_told_apart_by_id() {
    let events = read(
        r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"read","arguments":"{}"}}]}}]}
{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"b","function":{"name":"read","arguments":"{}"}}]},"finish_reason":"stop"}]}"#,
    );
    let expected =
        vec![call("a", "read", "{}"), call("b", "read", "{}"), ModelEvent::Done(Stop::ToolCalls)];
    assert_eq!(events, Ok(expected));
}

#[test]
fn the_older_field_is_one_call_where_the_newer_one_is_missing() {
    let events = read(
        r#"{"choices":[{"delta":{"function_call":{"name":"read","arguments":"{\"p\":"}}}]}
{"choices":[{"delta":{"function_call":{"arguments":"1}"}}}]}
{"choices":[{"delta":{"function_call":{"name":"","arguments":""}},"finish_reason":"function_call"}]}"#,
    );
    let one = vec![call("call_0", "read", r#"{"p":1}"#), ModelEvent::Done(Stop::ToolCalls)];
    assert_eq!(events, Ok(one));
    let both = read(
        r#"{"choices":[{"delta":{"function_call":{"name":"read","arguments":"{}"},"tool_calls":[{"index":0,"id":"a","function":{"name":"read","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}"#,
    );
    assert_eq!(both, Ok(vec![call("a", "read", "{}"), ModelEvent::Done(Stop::ToolCalls)]));
    let empty = read(
        r#"{"choices":[{"delta":{"content":"yes","function_call":{"name":"","arguments":null}},"finish_reason":"stop"}]}"#,
    );
    assert_eq!(empty, Ok(vec![ModelEvent::Text("yes".into()), ModelEvent::Done(Stop::End)]));
}

#[test]
fn reasoning_is_thinking_and_the_last_usage_holds() {
    let events = read(
        r#"{"choices":[{"delta":{"role":"assistant","content":null,"reasoning_content":"hm","reasoning":"hm"}}],"usage":{"prompt_tokens":9,"completion_tokens":1}}
{"choices":[{"delta":{"content":"","reasoning":"so"}}]}
{"choices":[{"delta":{"content":"yes"},"finish_reason":"length"}]}
{"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":4,"prompt_tokens_details":{"cached_tokens":8}}}"#,
    );
    let expected = vec![
        ModelEvent::Thinking("hm".into()),
        ModelEvent::Thinking("so".into()),
        ModelEvent::Text("yes".into()),
        ModelEvent::Usage(Usage { input: 9, output: 4, cache_read: 8, cache_write: 0 }),
        ModelEvent::Done(Stop::Length),
    ];
    assert_eq!(events, Ok(expected));
}

#[test]
fn reasoning_counts_once_whether_it_is_within_the_answer_or_beside_it() {
    for total in [14, 17] {
        let line = format!(
            r#"{{"choices":[{{"delta":{{"content":"yes"}}}}],"usage":{{"prompt_tokens":9,"completion_tokens":5,"total_tokens":{total},"completion_tokens_details":{{"reasoning_tokens":3}}}}}}"#
        );
        let output = if total == 14 { 5 } else { 8 };
        let usage = Usage { input: 9, output, cache_read: 0, cache_write: 0 };
        let said = ModelEvent::Text("yes".into());
        let expected = vec![said, ModelEvent::Usage(usage), ModelEvent::Done(Stop::End)];
        assert_eq!(read(&line), Ok(expected));
    }
}

#[test]
fn content_may_be_a_list_of_words_thoughts_and_what_is_skipped() {
    let events = read(
        r#"{"choices":[{"delta":{"content":[{"type":"thinking","thinking":[{"type":"text","text":"h"},{"type":"reference"},{"text":"m"}]},{"type":"thinking","thinking":"so"}]}}]}
{"choices":[{"delta":{"content":[{"type":"reference","text":"no"},7,{"type":"text","text":"yes"},{"type":"text","text":""}]},"finish_reason":"stop"}]}"#,
    );
    let expected = vec![
        ModelEvent::Thinking("hm".into()),
        ModelEvent::Thinking("so".into()),
        ModelEvent::Text("yes".into()),
        ModelEvent::Done(Stop::End),
    ];
    assert_eq!(events, Ok(expected));
    let number = read(r#"{"choices":[{"delta":{"content":7}}]}"#);
    assert!(matches!(number, Err(ModelError::Malformed { .. })), "{number:?}");
}

#[test]
fn arguments_that_are_not_whole_come_as_they_were_sent_and_count() {
    let events = read(
        r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"read","arguments":"{\"p\":"}}]},"finish_reason":"length"}],"usage":{"prompt_tokens":9,"completion_tokens":4}}"#,
    );
    let usage = Usage { input: 9, output: 4, ..Usage::default() };
    let expected = vec![
        call("a", "read", "{\"p\":"),
        ModelEvent::Usage(usage),
        ModelEvent::Done(Stop::Length),
    ];
    assert_eq!(events, Ok(expected));
}

#[test]
fn a_bracket_is_closed_only_for_a_reason_that_is_known_to_be_good() {
    let cut = r#"{"p":1"#;
    for (reason, arguments) in [
        ("tool_calls", r#"{"p":1}"#),
        ("function_call", r#"{"p":1}"#),
        ("eos", r#"{"p":1}"#),
        ("tool_use", r#"{"p":1}"#),
        ("length", cut),
        ("model_length", cut),
        ("time_limit", cut),
        ("Stop", cut),
    ] {
        let line = serde_json::json!({ "choices": [{
            "delta": { "tool_calls": [{ "function": { "name": "read", "arguments": cut } }] },
            "finish_reason": reason,
        }] });
        let events = read(&line.to_string()).unwrap();
        let ModelEvent::ToolCall(call) = &events[0] else { panic!("{reason}: {events:?}") };
        assert_eq!(call.arguments, arguments, "{reason}");
    }
}

#[test]
fn a_reason_that_names_calls_needs_a_call_or_words() {
    for reason in ["tool_calls", "function_call"] {
        let line = |words: &str| {
            let delta = serde_json::json!({ "content": words, "reasoning": "hm" });
            let choice = serde_json::json!({ "delta": delta, "finish_reason": reason });
            serde_json::json!({ "choices": [choice] }).to_string()
        };
        let message = "it names calls, and none came".into();
        assert_eq!(read(&line("")), Err(ModelError::Malformed { message }));
        assert_eq!(read(&line("yes")).unwrap().last(), Some(&ModelEvent::Done(Stop::End)));
    }
}

#[test]
fn a_server_without_room_is_overloaded_and_delivers_no_call() {
    let events = read(
        r#"{"choices":[{"delta":{"tool_calls":[{"function":{"name":"read","arguments":"{}"}}]},"finish_reason":"insufficient_system_resource"}]}"#,
    );
    assert_eq!(events, Err(ModelError::Overloaded { retry_after: None }));
}

#[test]
fn more_tokens_than_can_be_counted_are_the_most() {
    let most = u64::MAX;
    let line = format!(
        r#"{{"choices":[{{"delta":{{"content":"yes"}}}}],"usage":{{"prompt_tokens":{most},"completion_tokens":{most},"total_tokens":{most},"completion_tokens_details":{{"reasoning_tokens":{most}}}}}}}"#
    );
    let usage = Usage { input: most, output: most, cache_read: 0, cache_write: 0 };
    let said = ModelEvent::Text("yes".into());
    assert_eq!(read(&line), Ok(vec![said, ModelEvent::Usage(usage), ModelEvent::Done(Stop::End)]));
}
