//! The program is killed in every part of a goal's life: it goes on when a person says so.

use super::{GOAL, Play, Who, graph, who};
use flow::{Client, Place, Serve};
use serde_json::{Value, json};
use support::{Reply, Script, ScriptedModel, TempWorkspace, sidekick_complete, wait_for};

/// The replies of one kind are held until they are released.
fn play(part: &'static str) -> Script {
    let held =
        move |reply: Reply, kind: &str| if kind == part { reply.hold_after(1) } else { reply };
    let steps = json!([{ "id": "a", "text": "one" }, { "id": "b", "text": "two" }]);
    let split = held(graph(steps), "split");
    Play::splitting(vec![split.clone(), split])
        .node(move |name, _| held(sidekick_complete(&format!("{name} is done")), name))
        .join(held(Reply::text("Together."), "join"))
        .into()
}

async fn graph_of(client: &Client, plan: &str) -> Value {
    client.get(&format!("/plans/{plan}")).await.ok()
}

/// Kills the program when a request of this kind is there, and lets the goal go on after that.
async fn killed_in(part: &'static str, is_there: fn(&Who) -> bool) -> (ScriptedModel, Value) {
    killed(play(part), part, is_there).await
}

async fn killed(
    script: Script,
    part: &'static str,
    is_there: fn(&Who) -> bool,
) -> (ScriptedModel, Value) {
    let model = ScriptedModel::start(script).await;
    let (place, workspace) = (Place::with_model(&model, ""), TempWorkspace::new(&[]));
    let serve: Serve = place.start().await;
    let body = json!({ "goal": GOAL, "context": { "repoPath": workspace.path() } });
    let taken = serve.client.post("/agents/plan", body).await.ok();
    let id = |name: &str| taken[name].as_str().expect("it has an id");
    let (plan, room) = (id("planId"), id("roomId"));
    wait_for(
        async || model.requests().iter().any(|request| is_there(&who(request))),
        "the moment of the kill",
    )
    .await;
    // The model may be asked before the disk has all that led there; what the stream tells, it has.
    let ended = match part {
        "two" => 1,
        "join" => 2,
        _ => 0,
    };
    let mut feed = serve.client.follow(&format!("/v1/rooms/{room}/stream"), None).await;
    for _ in 0..ended {
        feed.until("a step to end", |heard| heard.name == "step_done").await;
    }
    drop(feed);
    serve.kill().await;

    let serve = place.start().await;
    let after = graph_of(&serve.client, plan).await;
    assert_eq!((&after["status"], &after["waitingFor"]), (&json!("paused"), &json!("interrupted")));
    model.release();
    serve.client.press(&format!("/v1/rooms/{room}/plan/resume")).await.ok();
    wait_for(
        async || {
            model.release();
            graph_of(&serve.client, plan).await["status"] == "complete"
        },
        "the goal to be complete",
    )
    .await;
    let end = graph_of(&serve.client, plan).await;
    assert_eq!((&end["result"], &end["failedNodes"]), (&json!("Together."), &json!([])), "{end}");
    (model, end)
}

fn count(model: &ScriptedModel, part: &Who) -> usize {
    model.requests().iter().filter(|request| who(request) == *part).count()
}

#[tokio::test]
async fn while_it_is_split() {
    let (model, _) = killed_in("split", |who| *who == Who::Splits).await;
    assert_eq!(count(&model, &Who::Splits), 2);
}

#[tokio::test]
async fn while_its_steps_are_done() {
    let (model, _) = killed_in("two", |who| *who == Who::Does("two".to_owned())).await;
    assert_eq!(count(&model, &Who::Does("one".to_owned())), 1, "what was done is not done again");
    assert_eq!(count(&model, &Who::Splits), 1);
}

#[tokio::test]
async fn while_it_is_brought_together() {
    let (model, _) = killed_in("join", |who| *who == Who::Joins).await;
    assert_eq!(count(&model, &Who::Joins), 2);
    assert_eq!(count(&model, &Who::Does("two".to_owned())), 1);
}

#[tokio::test]
async fn while_a_step_of_a_step_is_done() {
    let play = Play::new(graph(json!([{ "id": "a", "text": "big" }])))
        .node(|name, request| {
            let told = request.texts("system").join("\n");
            match name {
                "big" if request.tool_results().is_empty() => {
                    graph(json!([{ "id": "x", "text": "left half" }]))
                }
                "big" if told.contains("the plan is done") => sidekick_complete("all of it"),
                "big" => Reply::text("It works."),
                name => sidekick_complete(&format!("{name} is done")).hold_after(1),
            }
        })
        .join(Reply::text("Together."));
    let below = |who: &Who| *who == Who::Does("left half".to_owned());
    let (model, end) = killed(play.into(), "below", below).await;
    assert_eq!(end["nodes"][0]["output"], "all of it");
    assert_eq!(count(&model, &Who::Does("left half".to_owned())), 2, "it was asked once more");
}
