//! Two hundred sidekicks of one room at once, each waiting a second for every answer of its model.

use serde_json::json;
use std::time::{Duration, Instant};
use support::{Recorded, Reply, ScriptedModel, sidekick_complete};
use tokio::task::JoinSet;

use crate::Outcome;
use crate::numbers::{median, quantile};
use crate::served::{FILE, Place, Served};
use crate::table::{Row, Table};

/// The rows.
pub const ROWS: [&str; 3] = ["sidekick-step", "sidekick-memory", "sidekick-delay"];

const SIDEKICKS: usize = 200;
/// Calls before a sidekick says that it is done.
const CALLS: usize = 4;
const LATENCY: Duration = Duration::from_secs(1);
const PATIENCE: Duration = Duration::from_secs(120);
const MOST_WORK: f64 = 3.0;
const MOST_MEMORY: f64 = 0.5;
const MOST_DELAY: f64 = 250.0;

/// All of them, from the first to the last.
pub async fn at_once(table: &mut Table) -> Outcome {
    eprintln!("{}: {SIDEKICKS} at once", ROWS[0]);
    let model = ScriptedModel::start(support::Script::from_fn(answer)).await;
    let place = Place::new(&model.base_url(), "sidekicks: 1000, sidekick_seconds: 600")?;
    let served = Served::start(&place).await?;
    let room = served.rest.create_room(&place.workspace()).await?;
    // The first one warms up.
    served.rest.spawn_sidekick(&room, &task(SIDEKICKS)).await?;
    served.rest.wait_for_sidekicks(&room, 1, PATIENCE).await?;

    let (before, worked) = (served.memory()?, served.worked()?);
    let asked = spawn_all(&served, &room).await?;
    // Each waits for its second answer: all of them are there, and none has ended.
    let second = 1 + CALLS + 2 * SIDEKICKS;
    model.request(second - 1).await;
    let during = served.memory()?;
    served.rest.wait_for_sidekicks(&room, 1 + SIDEKICKS, PATIENCE).await?;
    let worked = served.worked()? - worked;
    let delays = delays(&model.requests(), &asked)?;
    served.stop().await?;

    let steps = SIDEKICKS * (CALLS + 1);
    let step = worked.as_secs_f64() * 1_000.0 / steps as f64;
    table.add(Row {
        name: ROWS[0],
        value: step,
        unit: "ms of processor",
        ratio: None,
        target: format!("≤ {MOST_WORK}"),
        holds: step <= MOST_WORK,
        note: format!("a turn with its call; {steps} of them by {SIDEKICKS} sidekicks"),
    });
    let each = (during.pss - before.pss) / SIDEKICKS as f64;
    table.add(Row {
        name: ROWS[1],
        value: each,
        unit: "MB/sidekick",
        ratio: None,
        target: format!("≤ {MOST_MEMORY}"),
        holds: each <= MOST_MEMORY,
        note: format!("PSS {:.1} → {:.1} MB while all wait", before.pss, during.pss),
    });
    let late = quantile(&delays, 0.95);
    table.add(Row {
        name: ROWS[2],
        value: late,
        unit: "ms p95",
        ratio: None,
        target: format!("≤ {MOST_DELAY}"),
        holds: late <= MOST_DELAY,
        note: format!("from asking for one to its first request; p50 {:.0} ms", median(&delays)),
    });
    Ok(())
}

fn task(number: usize) -> String {
    format!("Look into piece {number:04}.")
}

/// A sidekick reads a file a few times, then is done. The room above hears of each.
fn answer(request: &Recorded) -> Reply {
    if !request.tool_names().contains(&"sidekick_complete") {
        return Reply::text("Noted.");
    }
    let reply = match request.tool_results().len() {
        0..CALLS => Reply::call("read_file", json!({ "path": FILE })),
        _ => sidekick_complete("Looked into it."),
    };
    reply.delay(LATENCY)
}

/// Asks for all of them at once; when each was asked for.
async fn spawn_all(served: &Served, room: &str) -> Outcome<Vec<Instant>> {
    let mut asking = JoinSet::new();
    let mut asked = Vec::with_capacity(SIDEKICKS);
    for number in 0..SIDEKICKS {
        let (rest, room) = (served.rest.clone(), room.to_owned());
        asked.push(Instant::now());
        asking.spawn(async move { rest.spawn_sidekick(&room, &task(number)).await });
    }
    while let Some(ended) = asking.join_next().await {
        ended.map_err(|error| error.to_string())??;
    }
    Ok(asked)
}

/// How long each took to ask its model for the first time.
fn delays(requests: &[Recorded], asked: &[Instant]) -> Outcome<Vec<Duration>> {
    let first = |number: usize| {
        let task = task(number);
        requests.iter().find(|request| {
            request.tool_results().is_empty()
                && request.texts("user").iter().any(|text| text.contains(&task))
        })
    };
    asked
        .iter()
        .enumerate()
        .map(|(number, asked)| {
            let first = first(number).ok_or_else(|| format!("{} was never asked", task(number)))?;
            Ok(first.received() - *asked)
        })
        .collect()
}
