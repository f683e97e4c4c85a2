//! What a provider says of its trouble is shown to people: on one short line, with nothing in it
//! that steers a terminal, turns text around or hides, and never with the key.

use super::server::{Answer, Server, Then, chunked, plain};
use super::speakers::{Speaker, protocols};
use super::*;

/// As it stands in JSON.
fn hostile() -> String {
    let steering = r"\u001b[2J\u001b]0;title\u0007\u0000\u009b31m\u202etxt.exe\u2066\u200b\ufeff";
    let key = KEY.replace("very", r"v\u200bery");
    format!("{steering} {key} {}words {}", r"\n".repeat(3000), "and on ".repeat(2000))
}

/// Everything in which words of the provider, or of the model, come to a person.
fn troubles(speaker: &Speaker) -> Vec<(&'static str, Vec<u8>)> {
    let said = format!(r#"{{"error":{{"message":"{}"}}}}"#, hostile());
    let at_the_end = format!(r#"{{"error":{{"message":"{}{KEY}"}}}}"#, "x".repeat(290));
    let mut rows = vec![
        ("500", plain("500 Internal Server Error", "", &said)),
        ("403", plain("403 Forbidden", "", &said)),
        ("400", plain("400 Bad Request", "", &said)),
        ("a key where the words are cut", plain("400 Bad Request", "", &at_the_end)),
    ];
    let in_stream: &[(&str, &str)] = match speaker.protocol {
        Protocol::OpenAiChat => &[
            ("error", r#"{"error":{"message":"HOSTILE"}}"#),
            ("reason", r#"{"choices":[{"delta":{},"finish_reason":"content_filter HOSTILE"}]}"#),
            ("type", r#"{"choices":"HOSTILE"}"#),
        ],
        Protocol::OpenAiResponses => &[
            ("error", r#"{"type":"error","error":{"message":"HOSTILE"}}"#),
            ("failed", r#"{"type":"response.failed","response":{"error":{"message":"HOSTILE"}}}"#),
            ("type", r#"{"type":"response.completed","response":"HOSTILE"}"#),
        ],
        Protocol::Anthropic => &[
            ("error", r#"{"type":"error","error":{"message":"HOSTILE"}}"#),
            ("type", r#"{"type":"message_start","message":"HOSTILE"}"#),
        ],
        Protocol::Gemini => &[
            ("error", r#"{"error":{"code":400,"message":"HOSTILE"}}"#),
            ("reason", r#"{"candidates":[{"content":{},"finishReason":"HOSTILE"}]}"#),
            ("block", r#"{"promptFeedback":{"blockReason":"HOSTILE"}}"#),
            ("type", r#"{"candidates":"HOSTILE"}"#),
        ],
        Protocol::Rehearsal | Protocol::Acp => panic!("it has no address"),
    };
    rows.extend(in_stream.iter().map(|(what, line)| {
        let line = line.replace("HOSTILE", &hostile());
        (*what, chunked(&[&line]))
    }));
    rows
}

fn is_hidden(letter: char) -> bool {
    letter.is_control()
        || matches!(letter, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}')
        || matches!(letter, '\u{2060}'..='\u{206f}' | '\u{feff}')
}

#[tokio::test]
async fn words_of_others_are_plain_and_short() {
    for speaker in protocols() {
        for (what, bytes) in troubles(&speaker) {
            let answer = move |_| Answer { bytes: bytes.clone(), then: Then::Close };
            let server = Server::start(answer).await;
            let client = speaker.client(&server.base_url(&speaker));
            let error = turn(&*client, hello(&speaker)).await.1.expect("this must fail");
            let (shown, place) = (error.to_string(), format!("{what} of {}", speaker.name));
            assert!(!shown.contains(is_hidden), "{place}: {shown:?}");
            assert!(!shown.contains("  "), "{place}: {shown:?}");
            assert!(shown.chars().count() < 500, "{place}: {} letters", shown.len());
            let debug = format!("{shown} {error:?}");
            assert!(!debug.contains("sk-v"), "{place}: {shown:?}");
        }
    }
}
