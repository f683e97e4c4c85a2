//! Pictures in the results of tools, as each protocol takes them.

use expect_test::expect_file;
use models::{CallRequest, Image};
use serde_json::Value;

use super::conversation::kept_speakers;
use super::speakers::{Speaker, anthropic, chat, gemini, responses};
use super::switching::sent;
use super::*;

fn result(call: &str, text: &str, images: &[(&str, &[u8])], failed: bool) -> Message {
    let images = images
        .iter()
        .map(|(mime, bytes)| Image { mime: (*mime).to_owned(), bytes: bytes.to_vec() });
    Message::ToolResult { call: call.into(), text: text.into(), images: images.collect(), failed }
}

/// Three calls of one turn: the first shows two pictures, the second none, the third fails.
fn messages() -> Vec<Message> {
    let call = |id: &str, name: &str| CallRequest::new(id, name, "{}");
    vec![
        Message::User { text: "What is on it?".into() },
        Message::Assistant {
            text: String::new(),
            calls: vec![call("c1", "shoot"), call("c2", "list_dir"), call("c3", "shoot")],
            kept: None,
        },
        result("c1", "two", &[("image/png", b"first"), ("image/gif", b"second")], false),
        result("c2", "a b", &[], false),
        result("c3", "not all of it", &[("image/jpeg", b"third")], true),
        Message::Note { text: "Go on".into() },
    ]
}

#[tokio::test]
async fn each_protocol_is_shown_pictures_in_its_own_way() {
    let speakers = [
        chat(),
        responses(),
        anthropic(),
        gemini(),
        Speaker {
            name: "gemini-2",
            model: "gemini-2.5-pro",
            path: "/v1beta/models/gemini-2.5-pro:streamgeneratecontent?alt=sse",
            ..gemini()
        },
    ];
    for speaker in kept_speakers(speakers) {
        let body = sent(speaker, request(speaker, &messages())).await;
        let json: Value = serde_json::from_str(&body).expect("a request is valid JSON");
        let told = ["messages", "input", "contents"].iter().find_map(|field| json.get(field));
        let shown = format!("{:#}\n", told.expect("there is a conversation"));
        let expected = match speaker.name {
            "chat" => expect_file!["./pictures/chat.json"],
            "responses" => expect_file!["./pictures/responses.json"],
            "anthropic" => expect_file!["./pictures/anthropic.json"],
            "gemini" => expect_file!["./pictures/gemini.json"],
            "gemini-2" => expect_file!["./pictures/gemini-2.json"],
            other => panic!("no request is kept for {other}"),
        };
        expected.assert_eq(&shown);
    }
}
