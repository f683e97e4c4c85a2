//! How well the slots of a goal are used.

use super::{Desk, Play, graph};
use flow::{House, Served};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};
use support::{Recorded, sidekick_complete, wait_for};

const SLOTS: usize = 6;
/// A goal that comes after another.
const LATER: &str = "reach the goal, too";

/// Six diamonds, which meet in pairs, fan out again and meet at the end: for each node, those it
/// needs.
fn forty() -> Vec<Vec<usize>> {
    let mut needs: Vec<Vec<usize>> = vec![Vec::new(); 6];
    needs.extend((0..12).map(|side| vec![side / 2]));
    needs.extend((0..6).map(|end| vec![6 + 2 * end, 7 + 2 * end]));
    needs.extend((0..3).map(|pair| vec![18 + 2 * pair, 19 + 2 * pair]));
    needs.extend((0..12).map(|fan| vec![24 + fan / 4]));
    needs.push((27..39).collect());
    needs
}

/// How long the model takes for a node.
fn latency(node: usize) -> Duration {
    Duration::from_millis(400 + u64::try_from(node * 11 % 13).expect("it is small") * 60)
}

fn name(node: usize) -> String {
    format!("node {node}")
}

fn node_of(name: &str) -> usize {
    name.strip_prefix("node ").and_then(|number| number.parse().ok()).expect("it has a number")
}

/// The time that a schedule takes in which those with the least rank start first.
fn makespan(needs: &[Vec<usize>], took: &[Duration], rank: impl Fn(usize) -> Duration) -> Duration {
    let mut left: Vec<usize> = (0..needs.len()).collect();
    left.sort_by_key(|&node| rank(node));
    let (mut now, mut done) = (Duration::ZERO, vec![false; needs.len()]);
    let mut running: Vec<(Duration, usize)> = Vec::new();
    while !(left.is_empty() && running.is_empty()) {
        let mut waiting = Vec::new();
        for node in left {
            match running.len() < SLOTS && needs[node].iter().all(|&need| done[need]) {
                true => running.push((now + took[node], node)),
                false => waiting.push(node),
            }
        }
        left = waiting;
        running.sort();
        let (end, node) = running.remove(0);
        (now, done[node]) = (end, true);
    }
    now
}

/// The longest chain that begins with each node.
fn below(needs: &[Vec<usize>], took: &[Duration]) -> Vec<Duration> {
    let mut below = took.to_vec();
    for node in (0..needs.len()).rev() {
        for &need in &needs[node] {
            below[need] = below[need].max(took[need] + below[node]);
        }
    }
    below
}

/// The best schedule for the slots that is found: by the longest chain, and by many chances.
fn best(needs: &[Vec<usize>], took: &[Duration]) -> Duration {
    let below = below(needs, took);
    let by_chain = makespan(needs, took, |node| Duration::MAX - below[node]);
    let by_chance = (1..3_000_u64).map(|seed| {
        let rank = |node: usize| {
            let node = u64::try_from(node).expect("it is small") + 1;
            Duration::from_nanos((node * seed * 0x9E37_79B9).rotate_left(23) % 1_000_003)
        };
        makespan(needs, took, rank)
    });
    by_chance.fold(by_chain, Duration::min)
}

fn span(request: &Recorded) -> (Instant, Instant) {
    (request.received(), request.over().expect("it was answered"))
}

/// The most that were under way at one moment.
fn at_once(spans: &[(Instant, Instant)]) -> usize {
    let during = |at: Instant| spans.iter().filter(|(from, to)| *from <= at && at < *to).count();
    spans.iter().map(|(from, _)| during(*from)).max().unwrap_or(0)
}

#[tokio::test]
async fn forty_nodes_take_hardly_longer_than_the_best_schedule_for_six_slots() {
    // What else the machine does in between is no matter of the schedule: the best round counts.
    let mut ratios = Vec::new();
    while ratios.len() < 3 && ratios.iter().all(|ratio| *ratio > 1.15) {
        ratios.push(forty_beside_the_best().await);
    }
    assert!(ratios.iter().any(|ratio| *ratio <= 1.15), "{ratios:?}");
}

/// Runs the forty nodes; how long they took beside the best schedule.
async fn forty_beside_the_best() -> f64 {
    let needs = forty();
    let steps: Vec<Value> = needs
        .iter()
        .enumerate()
        .map(|(node, needs)| {
            let needs: Vec<String> = needs.iter().map(|need| format!("n{need}")).collect();
            json!({ "id": format!("n{node}"), "text": name(node), "needs": needs })
        })
        .collect();
    let play = Play::new(graph(json!(steps)))
        .node(|name, _| sidekick_complete("done").delay(latency(node_of(name))));
    let desk = Desk::configured(play, "", json!({ "parallelism": SLOTS })).await;
    let end = desk.wait_status("complete").await;
    assert_eq!((&end["nodeCount"], &end["failedNodes"]), (&json!(40), &json!([])));

    let nodes: BTreeMap<usize, (Instant, Instant)> =
        desk.nodes().iter().map(|(name, request)| (node_of(name), span(request))).collect();
    assert_eq!((nodes.len(), desk.nodes().len()), (40, 40), "each is asked once");
    let spans: Vec<(Instant, Instant)> = nodes.values().copied().collect();
    assert_eq!(at_once(&spans), SLOTS);
    for (node, needs) in needs.iter().enumerate() {
        for need in needs {
            assert!(spans[*need].1 <= spans[node].0, "{need} comes before {node}");
        }
    }
    // By the model's own clock, from its last word on the graph to the request for the answer.
    let took: Vec<Duration> = spans.iter().map(|(from, to)| *to - *from).collect();
    let [split, join] =
        [super::Who::Splits, super::Who::Joins].map(|part| desk.asked(part).remove(0));
    let wall = join.received() - span(&split).1;
    let best = best(&needs, &took);
    let ratio = wall.as_secs_f64() / best.as_secs_f64();
    println!("wall {wall:?}, best schedule {best:?}, ratio {ratio:.3}");
    ratio
}

#[tokio::test]
async fn fewer_at_once_where_that_is_asked_for_or_configured() {
    let steps: Vec<String> = (0..6).map(name).collect();
    for (more, options) in
        [("", json!({ "parallelism": 2 })), ("planner: { parallelism: 2 }", json!({}))]
    {
        let play = Play::new(graph(json!(steps)))
            .node(|_, _| sidekick_complete("done").delay(Duration::from_millis(50)));
        let desk = Desk::configured(play, more, options).await;
        desk.wait_nodes(2).await;
        desk.wait_status("complete").await;
        let spans: Vec<_> = desk.nodes().iter().map(|(_, request)| span(request)).collect();
        assert_eq!(at_once(&spans), 2, "{more}");
    }
}

#[tokio::test]
async fn of_twenty_with_three_slots_seventeen_are_queued_and_two_goals_share_fairly() {
    let steps: Vec<String> = (0..20).map(name).collect();
    let split = || graph(json!(steps));
    let play = Play::splitting(vec![split(), split()])
        .node(|_, _| sidekick_complete("done").hold_after(1));
    let house = House::configured(play, "caps: { sidekicks: 3 }", &[]).await;
    let desk = Desk::in_house(house, json!({})).await;
    desk.wait_nodes(3).await;
    let graph = desk.graph().await;
    let nodes = graph["nodes"].as_array().expect("it has nodes");
    let running = nodes.iter().filter(|node| node["status"] == "running").count();
    let queued = nodes.iter().filter(|node| node["queued"] == json!(true)).count();
    assert_eq!((running, queued), (3, 17));

    // Another goal comes later, and gets every other slot that is given back.
    let served = Served::new(desk.house.engine()).await;
    let body = json!({ "goal": LATER, "context": { "repoPath": desk.house.workspace.path() } });
    let other = served.client.post("/agents/plan", body).await.ok();
    let other = format!("/plans/{}", other["planId"].as_str().expect("it has an id"));
    let under_way = async |graph: &Value| {
        let nodes = graph["nodes"].as_array().expect("it has nodes");
        nodes.iter().filter(|node| node["status"] == "running" && node["queued"].is_null()).count()
    };
    let in_line = async || {
        let graph = served.client.get(&other).await.ok();
        let nodes = graph["nodes"].as_array().expect("it has nodes");
        nodes.iter().filter(|node| node["queued"] == json!(true)).count()
    };
    wait_for(async || in_line().await == 20, "the other to stand in line").await;
    let mut shared = 0;
    let mut most = 0;
    wait_for(
        async || {
            let [one, two] = [desk.graph().await, served.client.get(&other).await.ok()];
            let counts = (under_way(&one).await, under_way(&two).await);
            most = most.max(counts.0 + counts.1);
            shared += usize::from(counts.0 > 0 && counts.1 > 0);
            desk.house.model.release();
            [one, two].iter().all(|graph| graph["status"] == "complete")
        },
        "both goals",
    )
    .await;
    assert!(shared > 0, "they run side by side");
    let spans: Vec<_> = desk.nodes().iter().map(|(_, request)| span(request)).collect();
    assert_eq!((spans.len(), at_once(&spans)), (40, 3));
    // From the later goal's first step on, and as long as both have steps left, each has one of the
    // three slots at every moment (that neither has all of them is shown in `slots.rs`).
    let mut nodes = desk.nodes();
    nodes.sort_by_key(|(_, request)| request.received());
    let is_later = |request: &Recorded| request.texts("user")[0].contains(LATER);
    let later: Vec<bool> = nodes.iter().map(|(_, request)| is_later(request)).collect();
    let first = later.iter().position(|later| *later).expect("it had a step");
    let last_of = |of: bool| later.iter().rposition(|later| *later == of).expect("it had steps");
    let both = &later[first..last_of(false).min(last_of(true))];
    for of in [false, true] {
        let share = both.iter().filter(|later| **later == of).count();
        assert!(4 * share >= both.len(), "{share} of {} in {later:?}", both.len());
    }
}
