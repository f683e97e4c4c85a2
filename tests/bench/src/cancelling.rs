//! Cancelling a plan of which six sidekicks run commands, each in its own copy of the folder.

use serde_json::json;
use std::time::{Duration, Instant};
use support::{Recorded, Reply, Script, ScriptedModel, plan_write_with};

use crate::Outcome;
use crate::numbers::{median, quantile};
use crate::served::{Place, Served};
use crate::table::{Row, Table};

/// The row.
pub const ROWS: [&str; 1] = ["sidekick-cancel"];

const SIDEKICKS: usize = 6;
const ROUNDS: usize = 5;
const MOST_MS: f64 = 1_000.0;
const PATIENCE: Duration = Duration::from_secs(30);
const PAUSE: Duration = Duration::from_millis(2);

/// From the wish to the moment when no process and no copy is left.
pub async fn six(table: &mut Table) -> Outcome {
    eprintln!("{}: {ROUNDS} times {SIDEKICKS}", ROWS[0]);
    let model = ScriptedModel::start(Script::from_fn(answer)).await;
    let place = Place::new(&model.base_url(), "sidekicks: 6, sidekicks_per_plan: 6")?;
    let served = Served::start(&place).await?;
    let copies = place.data().join("copies");
    let begun = || folders(&copies).iter().filter(|copy| copy.join("work/begun").exists()).count();
    let mut times = Vec::new();
    // The first round warms up, and brings along what stays as long as the program.
    for round in 0..=ROUNDS {
        let room = served.rest.create_room(&place.workspace()).await?;
        let before = served.tree().len() + usize::from(round == 0);
        served.rest.say(&room, "Do six things").await?;
        wait("six commands", || begun() == SIDEKICKS).await?;
        let wished = Instant::now();
        served.rest.cancel(&room).await?;
        let gone = || folders(&copies).is_empty() && served.tree().len() <= before;
        wait("nothing to be left", gone).await?;
        if round > 0 {
            times.push(wished.elapsed());
        }
    }
    served.stop().await?;
    let worst = quantile(&times, 1.0);
    table.add(Row {
        name: ROWS[0],
        value: worst,
        unit: "ms",
        ratio: None,
        target: format!("≤ {MOST_MS:.0}"),
        holds: worst <= MOST_MS,
        note: format!("slowest of {ROUNDS}; in the middle {:.0} ms", median(&times)),
    });
    Ok(())
}

fn answer(request: &Recorded) -> Reply {
    let said = request.texts("user").into_iter().next().unwrap_or_default();
    if said.starts_with("part") {
        return Reply::call("shell", json!({ "command": "touch begun; sleep 300" }));
    }
    let steps: Vec<String> = (1..=SIDEKICKS).map(|number| format!("part {number}")).collect();
    plan_write_with("Six things", json!(steps), json!({ "mode": "parallel" }))
}

fn folders(place: &std::path::Path) -> Vec<std::path::PathBuf> {
    let found = std::fs::read_dir(place).into_iter().flatten().flatten();
    found.map(|entry| entry.path()).collect()
}

async fn wait(what: &str, there: impl Fn() -> bool) -> Outcome {
    let begun = Instant::now();
    while !there() {
        if begun.elapsed() > PATIENCE {
            return Err(format!("{}: waited in vain for {what}", ROWS[0]));
        }
        tokio::time::sleep(PAUSE).await;
    }
    Ok(())
}
