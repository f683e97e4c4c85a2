//! Two hundred rooms at once: how fast they are together, and what each one occupies.

use serde_json::json;
use std::sync::Arc;
use std::time::{Duration, Instant};
use support::{FastModel, Reply};
use tokio::runtime::Handle;
use tokio::task::JoinSet;

use crate::Outcome;
use crate::bare::Bare;
use crate::sample::Sample;
use crate::script::Script;
use crate::served::{FILE, Memory, Place, Served};
use crate::table::{Row, Table};

/// The rows.
pub const ROWS: [&str; 4] = ["memory-rest", "memory-plan", "memory-room", "rooms-200"];

const ROOMS: usize = 200;
const STEPS: usize = 20;
const MOST_AT_REST: f64 = 40.0;
const MOST_PER_ROOM: f64 = 0.3;
const LEAST_SPEED: f64 = 500.0;

/// Conversation 0 is the first small plan, then come the rooms, then the bare loops.
const FIRST_BARE: usize = 1 + ROOMS;

/// How long the program is left alone before its memory is looked at.
const QUIET: Duration = Duration::from_millis(300);

/// Two hundred rooms, each with a plan of twenty steps.
pub async fn at_once(table: &mut Table, bare: &Handle) -> Outcome {
    let what = ROWS[3];
    let call = Reply::call("read_file", json!({ "path": FILE }));
    let script = Script::plan(STEPS, &call, FIRST_BARE + ROOMS);
    let server = script.serve().await;
    let place = Place::new(&server.base_url(), "auto_steps: 1000")?;
    let served = Served::start(&place).await?;
    add_rest(table, ROWS[0], "after the start", &rest(&served).await?);

    eprintln!("{what}: a first plan");
    let room = served.rest.create_room(&place.workspace()).await?;
    served.rest.say(&room, &Script::message(0)).await?;
    script.wait_for_ended(1).await?;
    served.rest.wait_for_rest(&room).await?;
    let before = rest(&served).await?;
    add_rest(table, ROWS[1], "after a plan of 20 steps", &before);

    eprintln!("{what}: {ROOMS} rooms");
    let ran = rooms(&served, &place, &script).await.map_err(|why| format!("{what}: {why}"))?;
    let after = rest(&served).await?;
    let per_room = (after.pss - before.pss) / ROOMS as f64;
    table.add(Row {
        name: ROWS[2],
        value: per_room,
        unit: "MB/room",
        ratio: None,
        target: format!("≤ {MOST_PER_ROOM}"),
        holds: per_room <= MOST_PER_ROOM,
        note: format!("PSS {:.1} → {:.1} MB over {ROOMS} rooms", before.pss, after.pss),
    });
    served.stop().await?;

    eprintln!("{what}: {ROOMS} bare loops");
    let beside = bare_loops(&server, &script, &place, bare).await?;
    table.add(Row {
        name: what,
        value: ran.speed,
        unit: "steps/s",
        ratio: Some(ran.speed / beside),
        target: format!("≥ {LEAST_SPEED}"),
        holds: ran.speed >= LEAST_SPEED,
        note: format!(
            "all {ROOMS} plans done, {:.2} ms of processor a step; bare {beside:.0} steps/s",
            ran.worked_ms
        ),
    });
    Ok(())
}

/// How fast all rooms were together.
struct Ran {
    /// Steps a second, from the first word to the last turn.
    speed: f64,
    /// Milliseconds of work for each step, on any core.
    worked_ms: f64,
}

/// Makes the rooms, then starts all plans.
async fn rooms(served: &Served, place: &Place, script: &Arc<Script>) -> Outcome<Ran> {
    let mut ids = Vec::with_capacity(ROOMS);
    for _ in 0..ROOMS {
        ids.push(served.rest.create_room(&place.workspace()).await?);
    }
    let (begun, worked) = (Instant::now(), served.worked()?);
    let mut saying = JoinSet::new();
    for (index, room) in ids.iter().enumerate() {
        let (rest, room) = (served.rest.clone(), room.clone());
        saying.spawn(async move { rest.say(&room, &Script::message(1 + index)).await });
    }
    all(saying).await?;
    let ended = script.wait_for_ended(1 + ROOMS).await;
    let took = begun.elapsed();
    let worked = (served.worked()? - worked).as_secs_f64();
    for room in &ids {
        served.rest.wait_for_rest(room).await?;
        served.rest.wait_for_done(room, 1).await?;
    }
    ended?;
    let steps = (ROOMS * STEPS) as f64;
    Ok(Ran { speed: steps / took.as_secs_f64(), worked_ms: worked * 1_000.0 / steps })
}

async fn bare_loops(
    server: &FastModel,
    script: &Arc<Script>,
    place: &Place,
    threads: &Handle,
) -> Outcome<f64> {
    let sample = script.sample().ok_or("the program never came to the middle of a plan")?;
    let sample = Sample::read(&sample)?;
    let mut loops = Vec::with_capacity(ROOMS);
    for _ in 0..ROOMS {
        loops.push(Bare::new(&server.base_url(), sample.clone(), &place.workspace())?);
    }
    let begun = Instant::now();
    let mut running = JoinSet::new();
    for (index, mut bare) in loops.into_iter().enumerate() {
        let message = Script::message(FIRST_BARE + index);
        running.spawn_on(async move { bare.message(message).await }, threads);
    }
    all(running).await?;
    Ok((ROOMS * STEPS) as f64 / begun.elapsed().as_secs_f64())
}

async fn all(mut tasks: JoinSet<Outcome>) -> Outcome {
    while let Some(ended) = tasks.join_next().await {
        ended.map_err(|error| error.to_string())??;
    }
    Ok(())
}

async fn rest(served: &Served) -> Outcome<Memory> {
    tokio::time::sleep(QUIET).await;
    served.memory()
}

fn add_rest(table: &mut Table, name: &'static str, when: &str, memory: &Memory) {
    table.add(Row {
        name,
        value: memory.pss,
        unit: "MB PSS",
        ratio: None,
        target: format!("< {MOST_AT_REST}"),
        holds: memory.pss < MOST_AT_REST && memory.rss < MOST_AT_REST,
        note: format!("{when}; RSS {:.1} MB", memory.rss),
    });
}
