//! An answer that does not end is cut off, and nothing of it is run.

use models::{LONGEST_ANSWER, ModelError, ModelEvent, Stop, retry_after};

use super::server::{Answer, Server, Then, chunked, until_close};
use super::speakers::{Speaker, protocols};
use super::*;

const PIECE: usize = 1024 * 1024;
/// No answer has more parts than this.
const PARTS: usize = 4096;

/// Something a provider can go on with for ever; `LONG` stands for a long text.
struct Endless {
    what: &'static str,
    begin: &'static [&'static str],
    piece: &'static str,
    /// Whether each piece is another part: then they are many, and else they are long.
    parts: bool,
}

const fn long(what: &'static str, piece: &'static str) -> Endless {
    Endless { what, begin: &[], piece, parts: false }
}

const fn many(what: &'static str, piece: &'static str) -> Endless {
    Endless { what, begin: &[], piece, parts: true }
}

const CHAT: &[Endless] = &[
    long("words", r#"{"choices":[{"delta":{"content":"LONG"}}]}"#),
    long("refusals", r#"{"choices":[{"delta":{"refusal":"LONG"}}]}"#),
    long("thoughts", r#"{"choices":[{"delta":{"reasoning_content":"LONG"}}]}"#),
    long("other thoughts", r#"{"choices":[{"delta":{"reasoning":"LONG"}}]}"#),
    long(
        "arguments",
        r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"read_file","arguments":"LONG"}}]}}]}"#,
    ),
    many(
        "calls",
        r#"{"choices":[{"delta":{"tool_calls":[{"index":NUMBER,"function":{"name":""}}]}}]}"#,
    ),
    many(
        "calls without a number",
        r#"{"choices":[{"delta":{"tool_calls":[{"function":{"name":"read_file"}}]}}]}"#,
    ),
];

const RESPONSES: &[Endless] = &[
    long("words", r#"{"type":"response.output_text.delta","delta":"LONG"}"#),
    long("refusals", r#"{"type":"response.refusal.delta","delta":"LONG"}"#),
    long("thoughts", r#"{"type":"response.reasoning_summary_text.delta","delta":"LONG"}"#),
    long("other thoughts", r#"{"type":"response.reasoning_text.delta","delta":"LONG"}"#),
    long("arguments", r#"{"type":"response.function_call_arguments.delta","delta":"LONG"}"#),
    long("other arguments", r#"{"type":"response.custom_tool_call_input.delta","delta":"LONG"}"#),
    long("third arguments", r#"{"type":"response.mcp_call_arguments.delta","delta":"LONG"}"#),
    Endless {
        what: "arguments after a sealed thought",
        begin: &[
            r#"{"type":"response.output_item.done","item":{"type":"reasoning","encrypted_content":"sealed"}}"#,
        ],
        piece: r#"{"type":"response.function_call_arguments.delta","delta":"LONG"}"#,
        parts: false,
    },
    long(
        "long calls",
        r#"{"type":"response.output_item.done","item":{"type":"function_call","call_id":"a","name":"read_file","arguments":"\"LONG\""}}"#,
    ),
    long(
        "sealed thoughts",
        r#"{"type":"response.output_item.done","item":{"type":"reasoning","encrypted_content":"LONG"}}"#,
    ),
    long(
        "marks",
        r#"{"type":"response.output_item.done","item":{"type":"message","phase":"LONG","content":[]}}"#,
    ),
    many(
        "calls",
        r#"{"type":"response.output_item.done","item":{"type":"function_call","name":"read_file"}}"#,
    ),
    many("messages", r#"{"type":"response.output_item.done","item":{"type":"message"}}"#),
];

const MESSAGES: &[Endless] = &[
    Endless {
        what: "words",
        begin: &[
            r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}"#,
        ],
        piece: r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"LONG"}}"#,
        parts: false,
    },
    Endless {
        what: "thoughts",
        begin: &[
            r#"{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":""}}"#,
        ],
        piece: r#"{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"LONG"}}"#,
        parts: false,
    },
    Endless {
        what: "signatures",
        begin: &[
            r#"{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":""}}"#,
        ],
        piece: r#"{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"LONG"}}"#,
        parts: false,
    },
    Endless {
        what: "arguments",
        begin: &[
            r#"{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"a","name":"read_file","input":{}}}"#,
        ],
        piece: r#"{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"LONG"}}"#,
        parts: false,
    },
    long(
        "signed thoughts",
        r#"{"type":"content_block_start","index":0,"content_block":{"type":"thinking","signature":"LONG"}}"#,
    ),
    long(
        "sealed thoughts",
        r#"{"type":"content_block_start","index":0,"content_block":{"type":"redacted_thinking","data":"LONG"}}"#,
    ),
    many(
        "calls",
        r#"{"type":"content_block_start","index":NUMBER,"content_block":{"type":"tool_use","id":"","name":""}}"#,
    ),
    many(
        "blocks",
        r#"{"type":"content_block_start","index":NUMBER,"content_block":{"type":"text"}}"#,
    ),
];

const GEMINI: &[Endless] = &[
    long("words", r#"{"candidates":[{"content":{"parts":[{"text":"LONG"}]}}]}"#),
    long("thoughts", r#"{"candidates":[{"content":{"parts":[{"text":"LONG","thought":true}]}}]}"#),
    long("marks", r#"{"candidates":[{"content":{"parts":[{"thoughtSignature":"LONG"}]}}]}"#),
    long(
        "marks of thoughts",
        r#"{"candidates":[{"content":{"parts":[{"thought":true,"thoughtSignature":"LONG"}]}}]}"#,
    ),
    long(
        "arguments",
        r#"{"candidates":[{"content":{"parts":[{"functionCall":{"name":"read_file","args":{"path":"LONG"}}}]}}]}"#,
    ),
    many("calls", r#"{"candidates":[{"content":{"parts":[{"functionCall":{}}]}}]}"#),
];

/// What is no part of an answer in any protocol.
const UNKNOWN: Endless = long("unknown events", r#"{"type":"response.new","text":"LONG"}"#);
/// What was told before.
const AGAIN: Endless = long(
    "messages again",
    r#"{"type":"response.output_item.done","item":{"type":"message","content":[{"type":"output_text","text":"LONG"}]}}"#,
);

fn of(speaker: &Speaker) -> &'static [Endless] {
    match speaker.protocol {
        Protocol::OpenAiChat => CHAT,
        Protocol::OpenAiResponses => RESPONSES,
        Protocol::Anthropic => MESSAGES,
        Protocol::Gemini => GEMINI,
        Protocol::Rehearsal | Protocol::Acp => panic!("it has no address"),
    }
}

fn pieces(endless: &Endless, most: usize) -> Vec<String> {
    let begin = endless.begin.iter().map(|line| (*line).to_owned());
    let text = endless.piece.replace("LONG", &"a".repeat(PIECE));
    let count = if endless.parts { PARTS } else { most / PIECE };
    let more = (0..=count).map(|number| text.replace("NUMBER", &number.to_string()));
    begin.chain(more).collect()
}

/// What a turn of these lines gives: the bytes of its words, its last event and its error.
async fn heard(
    speaker: &Speaker,
    lines: &[String],
) -> (usize, Option<ModelEvent>, Option<ModelError>) {
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    heard_bytes(speaker, chunked(&lines)).await
}

async fn heard_bytes(
    speaker: &Speaker,
    bytes: Vec<u8>,
) -> (usize, Option<ModelEvent>, Option<ModelError>) {
    let server = Server::start(move |_| Answer { bytes: bytes.clone(), then: Then::Close }).await;
    let client = speaker.client(&server.base_url(speaker));
    let (mut events, error) = turn(&*client, hello(speaker)).await;
    let length = |event: &ModelEvent| match event {
        ModelEvent::Text(words) | ModelEvent::Thinking(words) => words.len(),
        ModelEvent::ToolCall(_) => panic!("a call of an answer that was cut off"),
        ModelEvent::Kept(_) | ModelEvent::Usage(_) | ModelEvent::Done(_) => 0,
    };
    (events.iter().map(length).sum(), events.pop(), error)
}

fn is_cut_off(speaker: &Speaker, what: &str, error: Option<ModelError>, said: &str) {
    let error = error.expect("it was cut off");
    let said = format!("the model's answer can't be read: it was cut off, since {said}");
    assert_eq!(error.to_string(), said, "{what} of {}", speaker.name);
    assert_eq!(retry_after(&error, 3, 0.0), None, "it is not asked for again for ever");
}

#[tokio::test]
async fn an_answer_without_an_end_is_cut_off_and_none_of_its_calls_run() {
    for speaker in protocols() {
        for endless in of(&speaker) {
            let (told, _, error) = heard(&speaker, &pieces(endless, LONGEST_ANSWER)).await;
            is_cut_off(&speaker, endless.what, error, "it grew beyond 4 MiB");
            assert!(told <= LONGEST_ANSWER);
        }
    }
}

#[tokio::test]
async fn words_and_calls_count_together() {
    for speaker in protocols() {
        let [words, arguments] = ["words", "arguments"].map(|what| {
            let found = of(&speaker).iter().find(|endless| endless.what == what).unwrap();
            pieces(found, LONGEST_ANSWER / 2)
        });
        let both: Vec<String> = words.into_iter().chain(arguments).collect();
        let (told, _, error) = heard(&speaker, &both).await;
        is_cut_off(&speaker, "both", error, "it grew beyond 4 MiB");
        assert!(told < LONGEST_ANSWER);
    }
}

#[tokio::test]
async fn what_is_no_answer_and_has_no_end_is_cut_off_as_well() {
    let most = 16 * LONGEST_ANSWER;
    let said = "more than 64 MiB came that belong to no answer";
    for speaker in protocols() {
        let (_, _, error) = heard(&speaker, &pieces(&UNKNOWN, most)).await;
        is_cut_off(&speaker, UNKNOWN.what, error, said);
        if speaker.protocol == Protocol::OpenAiResponses {
            let (_, _, error) = heard(&speaker, &pieces(&AGAIN, most)).await;
            is_cut_off(&speaker, AGAIN.what, error, said);
            let comments = format!(": {}\n", "a".repeat(PIECE)).repeat(most / PIECE + 2);
            let bytes = [until_close(&[]), comments.into_bytes()].concat();
            let (_, _, error) = heard_bytes(&speaker, bytes).await;
            is_cut_off(&speaker, "comments", error, said);
        }
    }
}

#[tokio::test]
async fn a_long_answer_is_heard_to_its_end() {
    for speaker in protocols() {
        let end = match speaker.protocol {
            Protocol::OpenAiChat => r#"{"choices":[{"delta":{},"finish_reason":"stop"}]}"#,
            Protocol::OpenAiResponses => r#"{"type":"response.completed","response":{}}"#,
            Protocol::Anthropic => r#"{"type":"message_stop"}"#,
            Protocol::Gemini => {
                r#"{"candidates":[{"content":{},"finishReason":"STOP"}],"usageMetadata":{}}"#
            }
            Protocol::Rehearsal | Protocol::Acp => panic!("it has no address"),
        };
        let words = pieces(&of(&speaker)[0], 2 * PIECE);
        let lines: Vec<String> = words.into_iter().chain([end.to_owned()]).collect();
        let (told, last, error) = heard(&speaker, &lines).await;
        assert_eq!((told, error), (3 * PIECE, None), "{}", speaker.name);
        assert_eq!(last, Some(ModelEvent::Done(Stop::End)));
    }
}
