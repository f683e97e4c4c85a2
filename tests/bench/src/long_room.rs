//! Whether step 2,000 of a room is as quick as step 10, and whether the log grows evenly.

use serde_json::json;
use std::time::Duration;
use support::Reply;
use tokio::runtime::Handle;

use crate::Outcome;
use crate::log_size::{self, Written};
use crate::numbers::median;
use crate::pair::{self, Amount, Times};
use crate::script::Script;
use crate::served::FILE;
use crate::table::{Row, Table};

/// Rows of a room with a hundred plans of twenty steps.
pub const PLANS: [&str; 4] = ["step-2000-plans", "added-2000-plans", "log-step", "log-growth"];
/// Rows of a room with two plans of a thousand steps, the most a configuration can allow.
pub const BIG: [&str; 2] = ["step-2000-big", "added-2000-big"];

/// Steps on either side of the one that is looked at.
const AROUND: usize = 10;
/// The most bytes a step may write.
const MOST_BYTES: f64 = 4_096.0;

/// A hundred plans of twenty steps.
pub async fn many_plans(table: &mut Table, bare: &Handle) -> Outcome {
    let amount = Amount { rooms: 1, plans: 100 };
    let script = Script::plan(20, &call(), amount.conversations());
    let measured = pair::run(PLANS[0], &script, "auto_steps: 1000", amount, bare).await?;
    add(table, [PLANS[0], PLANS[1]], &measured.times);
    let Written { first, last, events } = log_size::per_step(&measured.place.data())?;
    table.add(Row {
        name: PLANS[2],
        value: first,
        unit: "bytes",
        ratio: None,
        target: "≤ 4096".to_owned(),
        holds: first <= MOST_BYTES,
        note: format!("steps 1–100, plans and messages included; {events:.1} events a step"),
    });
    table.add(Row {
        name: PLANS[3],
        value: last / first,
        unit: "×",
        ratio: None,
        target: "≤ 1.05".to_owned(),
        holds: last <= 1.05 * first,
        note: format!("the last 100 steps: {last:.0} bytes each"),
    });
    Ok(())
}

/// Two plans of a thousand steps.
pub async fn big_plans(table: &mut Table, bare: &Handle) -> Outcome {
    let amount = Amount { rooms: 1, plans: 2 };
    let script = Script::plan(1_000, &call(), amount.conversations());
    let caps = "auto_steps: 1000, steps: 1000";
    let measured = pair::run(BIG[0], &script, caps, amount, bare).await?;
    add(table, BIG, &measured.times);
    Ok(())
}

fn call() -> Reply {
    Reply::call("read_file", json!({ "path": FILE }))
}

fn add(table: &mut Table, names: [&'static str; 2], times: &Times) {
    let (early, late) = (early(&times.program), late(&times.program));
    let (bare_early, bare_late) = (self::early(&times.bare), self::late(&times.bare));
    table.add(Row {
        name: names[0],
        value: late,
        unit: "ms/step",
        ratio: Some(late / bare_late),
        target: "≤ 2 × step 10".to_owned(),
        holds: late <= 2.0 * early,
        note: format!(
            "step 10: {early:.2} ms, {:.2} ×; bare {bare_early:.2} → {bare_late:.2} ms",
            late / early
        ),
    });
    let (added_early, added_late) = (early - bare_early, late - bare_late);
    table.add(Row {
        name: names[1],
        value: added_late,
        unit: "ms/step",
        ratio: None,
        target: "≤ 2 × step 10".to_owned(),
        holds: added_late <= 2.0 * added_early,
        note: format!("beyond the bare loop; at step 10: {added_early:.2} ms"),
    });
}

/// Around step 10; the first steps wait for connections.
fn early(times: &[Duration]) -> f64 {
    median(times.get(5..15).unwrap_or_default())
}

/// Around the last step.
fn late(times: &[Duration]) -> f64 {
    median(&times[times.len().saturating_sub(2 * AROUND)..])
}
