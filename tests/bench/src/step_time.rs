//! What a step costs beyond the model and the tool.

use serde_json::json;
use std::time::Duration;
use support::Reply;
use tokio::runtime::Handle;

use crate::Outcome;
use crate::numbers::quantile;
use crate::pair::{self, Amount, Beside};
use crate::script::Script;
use crate::served::FILE;
use crate::table::{Row, Table};

/// Rows of a step that reads a small file.
pub const READ: [&str; 2] = ["step-read-p50", "step-read-p95"];
/// Rows of a step that writes a small file: its intent has to be on disk first.
pub const WRITE: [&str; 2] = ["step-write-p50", "step-write-p95"];
/// Rows of a step that runs `true` in the sandbox.
pub const SHELL: [&str; 2] = ["step-shell-p50", "step-shell-p95"];

/// The same with a model that thinks, beside a loop without a sandbox.
pub const THINKING: [&str; 2] = ["step-shell-thinking-p50", "step-shell-thinking-p95"];

const THINKS: Duration = Duration::from_millis(20);
const STEPS: usize = 20;
/// Few, so that the conversation stays short and the model's side of a step small.
const PLANS: usize = 2;

/// A step that reads a small file.
pub async fn read_file(table: &mut Table, bare: &Handle) -> Outcome {
    let call = Reply::call("read_file", json!({ "path": FILE }));
    measure(table, bare, &READ, &call, 25, 3.0, Beside::default()).await
}

/// A step that writes a small file.
pub async fn write_file(table: &mut Table, bare: &Handle) -> Outcome {
    let call = Reply::call("write_file", json!({ "path": "out.txt", "content": "hello" }));
    measure(table, bare, &WRITE, &call, 10, 3.0, Beside::default()).await
}

/// A step that runs `true` in the sandbox.
pub async fn shell(table: &mut Table, bare: &Handle) -> Outcome {
    let call = Reply::call("shell", json!({ "command": "true" }));
    measure(table, bare, &SHELL, &call, 5, 2.0, Beside::default()).await
}

/// A step that runs `true`, with a model that takes 20 ms for each answer: meanwhile a sandbox is
/// prepared.
pub async fn thinking(table: &mut Table, bare: &Handle) -> Outcome {
    let call = Reply::call("shell", json!({ "command": "true" }));
    let beside = Beside { thinks: THINKS, unconfined: true };
    measure(table, bare, &THINKING, &call, 5, 1.2, beside).await
}

async fn measure(
    table: &mut Table,
    bare: &Handle,
    names: &[&'static str; 2],
    call: &Reply,
    rooms: usize,
    most: f64,
    beside: Beside,
) -> Outcome {
    let amount = Amount { rooms, plans: PLANS };
    let script = Script::plan(STEPS, call, amount.conversations());
    // ⚡ counts per plan, and pausing is not what is measured.
    let times = pair::run_beside(names[0], &script, "auto_steps: 1000", amount, bare, beside);
    let times = times.await?.times;
    // The first room warms up both.
    let warm = STEPS * PLANS;
    let (program, bare) = (&times.program[warm..], &times.bare[warm..]);
    for (name, part) in names.iter().zip([0.5, 0.95]) {
        let (value, beside) = (quantile(program, part), quantile(bare, part));
        table.add(Row {
            name,
            value,
            unit: "ms/step",
            ratio: Some(value / beside),
            target: format!("≤ {most} × bare"),
            holds: value <= most * beside,
            note: format!("bare {beside:.2} ms; adds {:.2} ms", value - beside),
        });
    }
    Ok(())
}
