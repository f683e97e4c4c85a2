//! Many that begin and end in the same moment, on threads that really run at once.

use super::{all, release_until, requests};
use flow::House;
use plan::{Command, Event, StepId};
use serde_json::json;
use std::collections::BTreeMap;
use support::{Recorded, Reply, Script, plan_write_with, sidekick_complete, wait_for};

const COUNT: usize = 40;
const MORE: &str = "caps: { steps: 40, auto_steps: 99, sidekicks: 12, sidekicks_per_plan: 12 }\n";

/// Many steps; each one's only reply is held until all are let go.
fn many() -> Script {
    let steps: Vec<String> = (1..=COUNT).map(|n| format!("part {n}")).collect();
    Script::from_fn(move |request: &Recorded| {
        let said = request.texts("user").first().cloned().unwrap_or_default();
        match said.starts_with("part") {
            true => sidekick_complete("done").hold_after(1),
            false if request.tool_results().is_empty() => {
                plan_write_with("many", json!(steps), json!({ "mode": "parallel" }))
            }
            false => Reply::text("ok"),
        }
    })
}

/// How often each step was handed over.
fn handed(house: &House) -> BTreeMap<StepId, usize> {
    let mut handed = BTreeMap::new();
    for (_, event) in house.log() {
        if let Event::StepHanded { step, .. } = event {
            *handed.entry(step).or_default() += 1;
        }
    }
    handed
}

#[tokio::test(flavor = "multi_thread", worker_threads = 6)]
async fn when_many_end_at_once_each_step_has_one_sidekick() {
    for _ in 0..3 {
        let house = House::configured(many(), MORE, &[]).await;
        house.say("do it").await;
        wait_for(async || requests(&house, "part").len() == 12, "twelve at once").await;
        release_until(&house, "done").await;
        house.wait_idle().await;
        let handed = handed(&house);
        assert!(handed.values().all(|count| *count == 1), "{handed:?}");
        assert_eq!((handed.len(), all(&house).len()), (COUNT, COUNT));
        assert_eq!(requests(&house, "part").len(), COUNT, "nothing is done twice");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 6)]
async fn a_cancel_ends_also_those_that_are_just_being_made() {
    for _ in 0..3 {
        let house = House::configured(many(), MORE, &[]).await;
        house.say("do it").await;
        wait_for(async || requests(&house, "part").len() == 12, "twelve at once").await;
        house.model.release();
        house.wait("first end", |event| matches!(event, Event::StepDone { .. })).await;
        house.person(Command::Cancel { reason: "enough".into(), call: None }).await.unwrap();
        let over = |state: &str| ["completed", "stopped"].contains(&state);
        wait_for(async || all(&house).iter().all(|one| over(&one.state)), "none to be left").await;
        house.wait_idle().await;
        assert_eq!(house.plan().state, "cancelled");
    }
}
