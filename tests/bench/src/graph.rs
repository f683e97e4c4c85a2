//! The graph of sixty steps while their sidekicks work: whether the page is ever held up.

use desktop::{Desktop, Window};
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use support::{
    Recorded, Reply, Script, ScriptedModel, TempWorkspace, plan_write_with, sidekick_complete,
};

use crate::Outcome;
use crate::page::{STUTTER_MS, WATCH, empty_page, longest, times};
use crate::table::{Row, Table};

/// The row.
pub const ROWS: [&str; 1] = ["window-graph"];

const NODES: usize = 60;
const WIDE: usize = 6;
/// Calls in each step, and how long the model takes for each: six steps at once begin and end
/// often enough that the graph is another one more than fifty times a second.
const CALLS: usize = 1;
const LATENCY: Duration = Duration::from_millis(70);
/// Each step begins and ends.
const CHANGES: usize = 2 * NODES;
/// How often is looked whether it is done.
const LOOK: Duration = Duration::from_millis(500);
const ROUNDS: usize = 4;
const UPDATES_A_SECOND: f64 = 50.0;
const PATIENCE: Duration = Duration::from_secs(120);
const FILE: &str = "notes.md";

/// Notes when the plan is no longer running, in milliseconds from now.
const TIME: &str = r"
    delete window.took
    const begun = performance.now()
    const card = document.querySelector('[data-region=card]')
    const look = () => {
      if (card.dataset.state === 'running') return
      window.took = performance.now() - begun
      watch.disconnect()
    }
    const watch = new MutationObserver(look)
    watch.observe(card, { attributeFilter: ['data-state'] })
    look()
";

/// One goal of sixty steps, followed in the window.
struct Round {
    took: Duration,
    stutters: Vec<Duration>,
}

/// Follows goals of sixty steps in the window, one after the other.
pub async fn while_it_runs(table: &mut Table) -> Outcome {
    eprintln!("{}: {ROUNDS} times {NODES} steps", ROWS[0]);
    let model = ScriptedModel::start(Script::from_fn(answer)).await;
    let desktop = Desktop::start("graph").await;
    let caps = format!("caps: {{ nodes: {NODES}, parallelism: {WIDE}, auto_steps: 1000 }}");
    desktop.home.use_model(&model.base_url(), &caps);
    let window = desktop.open(&[]).await;
    let folder = TempWorkspace::new(&[(FILE, "Sow the beans in May.\n")]);
    window.room("Graph", &folder.path()).await;
    let mut rounds = Vec::new();
    for number in 1..=ROUNDS {
        rounds.push(follow(&window, number).await?);
        window.enter("Graph").await;
    }
    window.kill(&desktop);
    let took: Duration = rounds.iter().map(|round| round.took).sum();
    let rate = (ROUNDS * CHANGES) as f64 / took.as_secs_f64();
    let stutters: Vec<Duration> = rounds.into_iter().flat_map(|round| round.stutters).collect();
    let beside = empty_page(took).await;
    table.add(Row {
        name: ROWS[0],
        value: stutters.len() as f64,
        unit: "times",
        ratio: None,
        target: format!("≤ empty, at ≥ {UPDATES_A_SECOND:.0} a second"),
        holds: stutters.len() <= beside.len() && rate >= UPDATES_A_SECOND,
        note: format!(
            "held up over {STUTTER_MS} ms; most {:.0} ms; {rate:.0} changes a second for \
             {:.0} s; an empty page {} times, most {:.0} ms",
            longest(&stutters),
            took.as_secs_f64(),
            beside.len(),
            longest(&beside)
        ),
    });
    Ok(())
}

async fn follow(window: &Window, number: usize) -> Outcome<Round> {
    window.say(&format!("/goal Do sixty things, round {number}")).await;
    window.wait_for_card(|card| card.glyphs.contains('▶'), "the first steps").await;
    window.click_on("Graph", "label").await;
    let drawn = format!("return document.querySelectorAll('[data-node]').length >= {NODES}");
    window.wait(&drawn, "the graph").await;
    window.run(WATCH, vec![json!(STUTTER_MS)]).await;
    window.run(TIME, vec![]).await;
    let begun = Instant::now();
    let took = loop {
        if let Some(took) = times(&json!([window.run("return window.took", vec![]).await])).pop() {
            break took;
        }
        if begun.elapsed() > PATIENCE {
            return Err(format!("{}: the goal is not done", ROWS[0]));
        }
        tokio::time::sleep(LOOK).await;
    };
    let stutters = times(&window.run("return window.stutters", vec![]).await);
    Ok(Round { took, stutters })
}

/// Splits the goal, does its steps and says the last word.
fn answer(request: &Recorded) -> Reply {
    let said = request.texts("user").into_iter().next().unwrap_or_default();
    if said.starts_with("Part ") {
        let reply = match request.tool_results().len() {
            0..CALLS => Reply::call("read_file", json!({ "path": FILE })),
            _ => sidekick_complete("Done."),
        };
        return reply.delay(LATENCY);
    }
    let told = request.texts("system").join("\n");
    match told.contains("every step of this goal has ended") {
        true => Reply::text("All sixty are done."),
        false => plan_write_with("Sixty", Value::Array(steps()), json!({ "mode": "graph" })),
    }
}

/// Rows of steps, each of which needs two of the row before.
fn steps() -> Vec<Value> {
    let step = |number: usize| {
        let (row, column) = (number / WIDE, number % WIDE);
        let above = |column: usize| format!("n{}", (row - 1) * WIDE + column % WIDE);
        let needs = if row == 0 { Vec::new() } else { vec![above(column), above(column + 1)] };
        json!({ "id": format!("n{number}"), "text": format!("Part {number}"), "needs": needs })
    };
    (0..NODES).map(step).collect()
}
