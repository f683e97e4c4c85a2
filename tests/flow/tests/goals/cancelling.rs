//! A goal is cancelled in every part of its life: nothing goes on.

use super::{Desk, Play, Who, graph};
use plan::Command;
use serde_json::{Value, json};
use support::{Reply, sidekick_complete, wait_for};

async fn cancel(desk: &Desk) -> Value {
    let room = desk.house.room;
    desk.served.client.press(&format!("/v1/rooms/{room}/plan/cancel")).await.ok();
    let end = desk.graph().await;
    assert_eq!(end["status"], "cancelled");
    let asked = desk.house.model.requests().len();
    wait_for(
        async || desk.house.model.requests().iter().all(|request| request.over().is_some()),
        "every request to end",
    )
    .await;
    desk.house.wait_idle().await;
    assert_eq!(desk.house.model.requests().len(), asked, "nobody is asked after that");
    end
}

#[tokio::test]
async fn while_it_is_split() {
    let desk = Desk::with(Play::new(Reply::text("hm").hold_after(1))).await;
    desk.house.model.request(0).await;
    cancel(&desk).await;
}

#[tokio::test]
async fn while_six_work() {
    let steps: Vec<String> = (0..9).map(|n| format!("part {n}")).collect();
    let split = vec![graph(json!(steps)), graph(json!(steps))];
    let play = Play::splitting(split).node(|_, _| sidekick_complete("x").hold_after(1));
    let desk = Desk::with(play).await;
    desk.wait_nodes(6).await;
    cancel(&desk).await;
    let sidekicks = desk.house.engine().sidekicks(desk.house.room).expect("the room is there");
    assert!(sidekicks.iter().all(|one| one.state == "stopped"), "{sidekicks:?}");
    assert_eq!(desk.house.model.disconnects(), 6);
    // Their slots are free for others.
    let folder = desk.house.workspace.path();
    let again = json!({ "goal": super::GOAL, "context": { "repoPath": folder } });
    desk.served.client.post("/agents/plan", again).await.ok();
    desk.wait_nodes(12).await;
}

#[tokio::test]
async fn while_it_is_brought_together() {
    let steps = json!([{ "id": "a", "text": "one" }]);
    let play = Play::new(graph(steps)).join(Reply::text("so far so good").hold_after(2));
    let desk = Desk::with(play).await;
    wait_for(async || desk.asked(Who::Joins).len() == 1, "the last word to be asked for").await;
    let end = cancel(&desk).await;
    assert!(end.get("result").is_none());
    let twice = desk.house.person(Command::Cancel { reason: String::new(), call: None }).await;
    assert_eq!(twice.map(|events| events.len()), Ok(0), "it is answered the same");
}
