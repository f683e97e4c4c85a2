//! A council of three beside a bare loop that sends the same requests.
//!
//! ```text
//! 3 answers, 3 votes, then the winner: the report of its one step, and its last words: 8 requests
//! ```

use bytes::Bytes;
use models::{CallRequest, Message, Protocol, Request, ToolSet, Transcript};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use support::{Reply, sse_body, start_fast, step_done};

use crate::Outcome;
use crate::bare::{bare_model, turn};
use crate::numbers::median;
use crate::rest::News;
use crate::sample::tool_specs;
use crate::served::{FILE, Place, Served};
use crate::table::{Row, Table};

/// The rows.
pub const ROWS: [&str; 2] = ["council-work", "council-wall"];

const ROUNDS: usize = 20;
const REQUESTS: usize = 8;
const MOST_WORK: f64 = 0.08;
const MOST_WALL: f64 = 3.0;

/// Councils one after the other, and what the program did for each.
pub async fn of_three(table: &mut Table) -> Outcome {
    eprintln!("{}: {ROUNDS} councils of 3", ROWS[0]);
    let bodies: Arc<Mutex<Vec<Vec<u8>>>> = Arc::default();
    let kept = Arc::clone(&bodies);
    let server = start_fast(move |_, body| {
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.push(body.to_vec());
        answer(body)
    })
    .await;
    let place = Place::with_agents(&server.base_url(), &["anna", "bert", "cleo"])?;
    let served = Served::start(&place).await?;
    let room = served.rest.create_room(&place.workspace()).await?;
    // The first one warms up.
    let mut news = served.rest.news(&room).await?;
    council(&served, &mut news, &room).await?;
    bodies.lock().unwrap_or_else(PoisonError::into_inner).clear();
    let worked = served.worked()?;
    let mut walls = Vec::with_capacity(ROUNDS);
    for _ in 0..ROUNDS {
        let begun = Instant::now();
        council(&served, &mut news, &room).await?;
        walls.push(begun.elapsed());
    }
    let worked = (served.worked()? - worked).as_secs_f64() / ROUNDS as f64;
    let sent = std::mem::take(&mut *bodies.lock().unwrap_or_else(PoisonError::into_inner));
    served.stop().await?;
    if sent.len() != ROUNDS * REQUESTS {
        return Err(format!(
            "{}: {} requests instead of {}",
            ROWS[0],
            sent.len(),
            ROUNDS * REQUESTS
        ));
    }
    let bare = bare(&server.base_url(), &sent).await?;
    table.add(Row {
        name: ROWS[0],
        value: worked,
        unit: "s of processor",
        ratio: None,
        target: format!("≤ {MOST_WORK}"),
        holds: worked <= MOST_WORK,
        note: format!("a council of 3 with {REQUESTS} requests, zero latency"),
    });
    let (wall, bare) = (median(&walls), median(&bare));
    table.add(Row {
        name: ROWS[1],
        value: wall,
        unit: "ms",
        ratio: Some(wall / bare),
        target: format!("≤ {MOST_WALL} ×"),
        holds: wall <= MOST_WALL * bare,
        note: format!("from the wish to the end; the same requests in a bare loop {bare:.1} ms"),
    });
    Ok(())
}

/// One council from the wish to the news of its end.
async fn council(served: &Served, news: &mut News, room: &str) -> Outcome {
    served.rest.start_council(room, "Say what is in the notes").await?;
    news.wait_for("council_ended").await
}

/// What a model says to this request: which part it plays stands in it. Each member votes for
/// itself, so that every vote is waited for.
fn answer(body: &[u8]) -> Bytes {
    let text = String::from_utf8_lossy(body);
    let member = text.split_once("You are agent").map(|(_, rest)| &rest[..1]);
    let reply = match member.filter(|_| text.contains("\"name\":\"new_answer\"")) {
        Some(member) if text.contains("newest answers") => {
            let own = format!("agent{member}");
            Reply::call("vote", json!({ "agent_id": own, "reason": "It is short." }))
        }
        Some(_) => {
            let step = json!({ "text": "Read the notes", "tool": "read_file", "target": FILE });
            Reply::call("new_answer", json!({ "content": "Read them", "steps": [step] }))
        }
        None if ends_with_result(body) => Reply::text("It is done."),
        None => step_done("s1", "read"),
    };
    sse_body(&reply.usage(1_000, 50))
}

/// Whether the newest message of a conversation is a tool's result.
fn ends_with_result(body: &[u8]) -> bool {
    let body: Value = serde_json::from_slice(body).unwrap_or_default();
    let messages = body["messages"].as_array().map(Vec::as_slice).unwrap_or_default();
    let last = messages.iter().rev().find(|one| one["role"] == "tool" || one["role"] == "user");
    last.is_some_and(|last| last["role"] == "tool")
}

/// The same requests by the same client in a bare loop, which reads each answer as calls and words.
async fn bare(base_url: &str, sent: &[Vec<u8>]) -> Outcome<Vec<Duration>> {
    let model = bare_model(base_url);
    let requests = sent.iter().map(|body| request(body)).collect::<Outcome<Vec<_>>>()?;
    let mut times = Vec::new();
    for council in requests.chunks(REQUESTS) {
        let begun = Instant::now();
        for request in council {
            turn(&model, request.clone()).await?;
        }
        times.push(begun.elapsed());
    }
    Ok(times)
}

/// A recorded request as the client takes it.
fn request(body: &[u8]) -> Outcome<Request> {
    let unread = |error| format!("{}: a recorded request: {error}", ROWS[1]);
    let body: Value = serde_json::from_slice(body).map_err(unread)?;
    let messages = body["messages"].as_array().map(Vec::as_slice).unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let mut history = Transcript::new(Protocol::OpenAiChat);
    for message in messages.iter().skip(1) {
        let words = text(&message["content"]);
        history.push(&match message["role"].as_str() {
            Some("assistant") => {
                let calls = message["tool_calls"].as_array().map(Vec::as_slice).unwrap_or_default();
                let calls = calls.iter().map(|call| {
                    let function = &call["function"];
                    let (name, arguments) = (text(&function["name"]), text(&function["arguments"]));
                    CallRequest::new(text(&call["id"]), name, arguments)
                });
                Message::Assistant { text: words, calls: calls.collect(), kept: None }
            }
            Some("tool") => Message::ToolResult {
                call: text(&message["tool_call_id"]),
                text: words,
                images: Vec::new(),
                failed: false,
            },
            Some("user") => Message::User { text: words },
            _ => Message::Note { text: words },
        });
    }
    Ok(Request {
        model: text(&body["model"]),
        system: Arc::from(
            messages.first().map(|first| text(&first["content"])).unwrap_or_default(),
        ),
        history: history.snapshot(),
        tail: None,
        tools: ToolSet::new(Protocol::OpenAiChat, &tool_specs(&body["tools"])),
        max_output: None,
        thinking: None,
        force: None,
    })
}
