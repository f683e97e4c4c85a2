//! What a request costs before the first word of the person: the instructions and the tools, in
//! tokens, by what the room does.
//!
//! With `PLANCARD_TOKENIZER`, the address of a llama.cpp server, the tokens are that model's own.
//! Without it they are estimated: a quarter of the bytes. A test beside `turn/offer.rs` holds every
//! stage to the same limits.

use serde_json::{Value, json};
use support::{Recorded, Reply, ScriptedModel, plan_write};

use crate::Outcome;
use crate::served::{Place, Served};
use crate::table::{Row, Table};

/// The rows: what a room does, for a model that manages much and for a small one.
pub const ROWS: [&str; 8] = [
    "overhead-talk",
    "overhead-strict",
    "overhead-step",
    "overhead-sidekick",
    "overhead-talk-small",
    "overhead-strict-small",
    "overhead-step-small",
    "overhead-sidekick-small",
];

/// What a talk cost before tools were chosen by stage, for every model.
const BEFORE: &str = "11 KB before";

/// A model that nothing is known of, one whose name says that it is small, and the most tokens for
/// each.
const MODELS: [(&str, f64); 2] = [("scripted", 3_000.0), ("scripted-1.5b", 1_500.0)];

const PLAN_IT: &str = "write two files";
const TALK: &str = "say hello";
const TASK: &str = "look around";

/// Asks each kind of model in each kind of room, and counts.
pub async fn by_phase(table: &mut Table) -> Outcome {
    eprintln!("overhead: 4 rooms, 2 models");
    for (names, (model, most)) in ROWS.chunks(4).zip(MODELS) {
        let seen = requests(model).await?;
        for (name, request) in names.iter().zip(seen) {
            let text = told(&request);
            let (value, how) = tokens(&text).await?;
            table.add(Row {
                name,
                value,
                unit: "tokens",
                ratio: None,
                target: format!("≤ {most}"),
                holds: value <= most,
                note: format!(
                    "{how}: {} tools, {} bytes ({BEFORE})",
                    request.tools().len(),
                    text.len()
                ),
            });
        }
    }
    Ok(())
}

/// The requests of a talk, of a strict room, of a step and of a sidekick.
async fn requests(model: &str) -> Outcome<[Recorded; 4]> {
    let script = support::Script::from_fn(|request| {
        let planned = request.messages().iter().any(|message| message["role"] == "tool");
        match request.texts("user").iter().any(|text| text.contains(PLAN_IT)) && !planned {
            true => plan_write("Write", &["Write a.txt", "Write b.txt"]),
            false => Reply::text("Hello."),
        }
    });
    let server = ScriptedModel::start(script).await;
    let place = Place::of_model(&server.base_url(), "idle_turns: 1", model)?;
    let served = Served::start(&place).await?;
    let mut found = Vec::new();
    for (text, mode) in [(TALK, "off"), (TALK, "strict"), (PLAN_IT, "off")] {
        let room = served.rest.create_room(&place.workspace()).await?;
        served.rest.set_mode(&room, mode).await?;
        let before = server.requests().len();
        served.rest.say(&room, text).await?;
        served.rest.wait_for_rest(&room).await?;
        let at = before + usize::from(text == PLAN_IT);
        found.push(server.request(at).await);
    }
    let room = served.rest.create_room(&place.workspace()).await?;
    let before = server.requests().len();
    served.rest.spawn_sidekick(&room, TASK).await?;
    found.push(server.request(before).await);
    served.stop().await?;
    found.try_into().map_err(|_| "a request is missing".to_owned())
}

/// What is sent beside the conversation.
fn told(request: &Recorded) -> String {
    let system = request.texts("system").into_iter().next().unwrap_or_default();
    format!("{system}{}", Value::from(request.tools()))
}

/// How many tokens a text has, and how that is known.
async fn tokens(text: &str) -> Outcome<(f64, &'static str)> {
    let Ok(address) = std::env::var("PLANCARD_TOKENIZER") else {
        return Ok((text.len() as f64 / 4.0, "estimated"));
    };
    let body = json!({ "content": text }).to_string();
    let failed = |error: reqwest::Error| format!("the tokenizer: {error}");
    let asked = models::http_client().post(format!("{address}/tokenize"));
    let asked = asked.header("content-type", "application/json").body(body);
    let answer = asked.send().await.map_err(failed)?.bytes().await.map_err(failed)?;
    let answer: Value = serde_json::from_slice(&answer).map_err(|error| error.to_string())?;
    let list = answer["tokens"].as_array().ok_or("the tokenizer did not answer with tokens")?;
    Ok((list.len() as f64, "the model's own"))
}
