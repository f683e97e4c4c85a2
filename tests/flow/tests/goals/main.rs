//! Goals: split by a model, done by sidekicks, brought together by an agent.

mod attempts;
mod cancelling;
mod ending;
mod nesting;
mod outputs;
mod restart;
mod schedule;
mod small;
mod splitting;
mod stock_client;
mod strict;
mod taking;
mod time;

use flow::{House, Served};
use plan::{Event, RoomId};
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::sync::Mutex;
use support::{Recorded, Reply, Script, plan_write_with, sidekick_complete, wait_for};

/// What every test wants to reach.
const GOAL: &str = "reach the goal";

/// What the sidekick of a step answers, by the first line of its task.
type Node = Box<dyn Fn(&str, &Recorded) -> Reply + Send + Sync>;

/// Who answers what: the goal's own room while it is split, each step, and the last word.
struct Play {
    split: Mutex<VecDeque<Reply>>,
    node: Node,
    join: Reply,
}

impl Play {
    fn new(split: Reply) -> Self {
        Self::splitting(vec![split])
    }

    fn splitting(split: Vec<Reply>) -> Self {
        Self {
            split: Mutex::new(split.into()),
            node: Box::new(|name, _| sidekick_complete(&format!("{name} is done"))),
            join: Reply::text("All of it together."),
        }
    }

    /// What the sidekick of a step answers, by the first line of its task.
    fn node(mut self, reply: impl Fn(&str, &Recorded) -> Reply + Send + Sync + 'static) -> Self {
        self.node = Box::new(reply);
        self
    }

    fn join(mut self, reply: Reply) -> Self {
        self.join = reply;
        self
    }
}

impl From<Play> for Script {
    fn from(play: Play) -> Self {
        Self::from_fn(move |request| match who(request) {
            Who::Splits => {
                let mut left = play.split.lock().expect("no reply panics");
                left.pop_front().unwrap_or_else(|| Reply::text("nothing more"))
            }
            Who::Does(name) => (play.node)(&name, request),
            Who::Joins => play.join.clone(),
        })
    }
}

/// Who asks.
#[derive(Debug, PartialEq)]
enum Who {
    Splits,
    Does(String),
    Joins,
}

fn who(request: &Recorded) -> Who {
    let said = request.texts("user").into_iter().next().unwrap_or_default();
    let first = said.lines().next().unwrap_or_default();
    if !first.starts_with(GOAL) {
        return Who::Does(first.to_owned());
    }
    let told = request.texts("system").join("\n");
    if told.contains("every step of this goal has ended") { Who::Joins } else { Who::Splits }
}

/// The steps of a goal.
fn graph(steps: Value) -> Reply {
    plan_write_with("in the model's words", steps, json!({ "mode": "graph" }))
}

/// A goal that was handed in over the API.
struct Desk {
    house: House,
    served: Served,
    plan: String,
}

impl Desk {
    async fn with(play: Play) -> Self {
        Self::configured(play, "", json!({})).await
    }

    /// With more configuration, and options for the goal.
    async fn configured(play: Play, more: &str, options: Value) -> Self {
        Self::in_house(House::configured(play, more, &[]).await, options).await
    }

    async fn in_house(mut house: House, options: Value) -> Self {
        let served = Served::new(house.engine()).await;
        let body = json!({
            "goal": GOAL, "context": { "repoPath": house.workspace.path() }, "options": options,
        });
        let taken = served.client.post("/agents/plan", body).await;
        assert_eq!(taken.status, 202, "{taken:?}");
        let taken = taken.ok();
        house.room = room_of(&taken);
        Self { house, served, plan: taken["planId"].as_str().expect("it has an id").to_owned() }
    }

    /// The goal as the API shows it.
    async fn graph(&self) -> Value {
        self.served.client.get(&format!("/plans/{}", self.plan)).await.ok()
    }

    async fn wait_status(&self, status: &str) -> Value {
        let what = format!("the goal to be {status}");
        wait_for(async || self.graph().await["status"] == status, &what).await;
        self.graph().await
    }

    /// The requests that came for steps.
    fn nodes(&self) -> Vec<(String, Recorded)> {
        let node = |request: Recorded| match who(&request) {
            Who::Does(name) => Some((name, request)),
            Who::Splits | Who::Joins => None,
        };
        self.house.model.requests().into_iter().filter_map(node).collect()
    }

    /// Waits until so many steps are being worked on or were.
    async fn wait_nodes(&self, count: usize) {
        wait_for(async || self.nodes().len() >= count, &format!("{count} steps to be asked")).await;
    }

    /// The requests of the goal's own room in one part of its life.
    fn asked(&self, part: Who) -> Vec<Recorded> {
        self.house.model.requests().into_iter().filter(|request| who(request) == part).collect()
    }

    async fn wait_over(&self) {
        let over = |event: &Event| {
            matches!(
                event,
                Event::PlanDone { .. } | Event::PlanFailed { .. } | Event::PlanCancelled { .. }
            )
        };
        self.house.wait("end of the goal", over).await;
    }
}

fn room_of(taken: &Value) -> RoomId {
    serde_json::from_value(taken["roomId"].clone()).expect("it has a room")
}

/// The status of each node.
fn statuses(graph: &Value) -> Vec<&str> {
    let nodes = graph["nodes"].as_array().expect("a graph has nodes");
    nodes.iter().filter_map(|node| node["status"].as_str()).collect()
}
