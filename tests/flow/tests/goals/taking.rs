//! A goal is taken, or refused with words.

use super::{Desk, GOAL, Play, Who, graph, statuses};
use flow::{House, Served};
use serde_json::{Value, json};
use support::{Reply, sidekick_complete, wait_for};

/// Agents with other models, and one that has the last word.
const AGENTS: &str = "agents:
  default:
    model: test/scripted
  guard: { model: test/guarded, domains: [security] }
  tester: { model: test/tested, capabilities: [unit tests] }
  editor: { model: test/edited, instructions: You are the editor. }
planner: { synthesisAgent: editor, decompositionModel: test/splitter }";

/// A house with several agents.
async fn house(play: Play) -> House {
    let house = House::with(play).await;
    let file = house.config().join("plancard.yaml");
    let base =
        format!("providers:\n  test: {{ type: openai, base_url: \"{}\" }}", house.model.base_url());
    std::fs::write(file, format!("{base}\n{AGENTS}\n")).expect("it can be written");
    house.engine().config().reload();
    assert!(house.engine().config().errors().is_none(), "{:?}", house.engine().config().errors());
    house
}

fn model_of(desk: &Desk, name: &str) -> String {
    let nodes = desk.nodes();
    let (_, request) = nodes.iter().find(|(known, _)| known == name).expect("it was asked");
    request.model().to_owned()
}

#[tokio::test]
async fn it_is_split_assigned_done_and_brought_together() {
    let steps = json!([
        { "id": "a", "text": "find holes", "domain": "security" },
        { "id": "b", "text": "write unit tests" },
        { "id": "c", "text": "count lines" },
        { "id": "d", "text": "weigh it", "needs": ["a", "b", "c"] },
    ]);
    let play = Play::new(graph(steps).usage(70, 7).hold_after(1))
        .node(|name, _| match name {
            "find holes" => sidekick_complete("two holes\nOne in a.rs, one in b.rs."),
            name => sidekick_complete(&format!("{name} is done")),
        })
        .join(Reply::text("Two holes, and tests for both."));
    let desk = Desk::in_house(house(play).await, json!({})).await;
    let early = desk.graph().await;
    assert_eq!((&early["status"], &early["nodeCount"]), (&json!("running"), &json!(0)));
    assert_eq!(early["goal"], GOAL);
    desk.house.model.request(0).await;
    desk.house.model.release();

    let end = desk.wait_status("complete").await;
    assert_eq!(end["result"], "Two holes, and tests for both.");
    assert_eq!(statuses(&end), ["complete"; 4]);
    assert_eq!(end["failedNodes"], json!([]));
    assert_eq!(end["goal"], GOAL, "the goal is the person's words");
    let agents: Vec<&Value> =
        end["nodes"].as_array().unwrap().iter().map(|node| &node["agentId"]).collect();
    assert_eq!(agents, ["guard", "tester", "default", "default"]);

    // Each part is its own model's.
    assert_eq!(desk.asked(Who::Splits)[0].model(), "splitter");
    assert_eq!(model_of(&desk, "find holes"), "guarded");
    assert_eq!(model_of(&desk, "write unit tests"), "tested");
    assert_eq!(model_of(&desk, "weigh it"), "scripted");
    let last = desk.asked(Who::Joins);
    assert_eq!((last.len(), last[0].model()), (1, "edited"));
    let told = last[0].texts("system").join("\n");
    assert!(told.contains("You are the editor."), "{told}");
    assert!(told.contains("1. find holes (guard)\ntwo holes\nOne in a.rs, one in b.rs."), "{told}");
    // Nobody else is asked: sidekicks do the steps.
    assert_eq!(desk.house.model.requests().len(), 6);

    let split = desk.asked(Who::Splits)[0].texts("system").join("\n");
    assert!(split.contains("- guard; domains: security"), "{split}");
    assert!(split.contains("At most 60 steps"), "{split}");
    let room = desk.house.room;
    let usage = desk.served.client.get(&format!("/v1/rooms/{room}/usage")).await.ok();
    let planner =
        usage["models"].as_array().unwrap().iter().find(|model| model["model"] == "test/splitter");
    assert_eq!(planner.unwrap()["planning_turns"], 1);
    assert_eq!(planner.unwrap()["input_tokens"], 70);
    let said = desk.served.client.get(&format!("/v1/rooms/{room}/messages")).await.ok();
    assert_eq!(said["items"][0]["text"], "Two holes, and tests for both.", "{said}");
    assert_eq!(desk.house.view().title, GOAL);
}

#[tokio::test]
async fn an_agent_that_left_the_file_claims_nothing_any_more() {
    let steps = || graph(json!([{ "id": "a", "text": "find holes", "domain": "security" }]));
    let desk =
        Desk::in_house(house(Play::splitting(vec![steps(), steps()])).await, json!({})).await;
    desk.wait_status("complete").await;
    assert_eq!(model_of(&desk, "find holes"), "guarded");
    let file = desk.house.config().join("plancard.yaml");
    let text = std::fs::read_to_string(&file).unwrap();
    let without: Vec<&str> = text.lines().filter(|line| !line.contains("guard")).collect();
    std::fs::write(&file, without.join("\n")).unwrap();
    desk.house.engine().config().reload();
    let again = Desk::in_house(desk.house, json!({})).await;
    let end = again.wait_status("complete").await;
    assert_eq!(end["nodes"][0]["agentId"], "default");
}

#[tokio::test]
async fn what_can_not_be_taken_is_refused_and_leaves_no_room() {
    let house = House::configured(Play::splitting(vec![]), "", &[("a", "")]).await;
    let served = Served::new(house.engine()).await;
    let folder = house.workspace.path();
    let rooms =
        async || served.client.get("/v1/rooms").await.ok()["items"].as_array().map(Vec::len);
    let before = rooms().await;
    let send = async |body: Value| served.client.post("/agents/plan", body).await.refusal();
    let with = |options: Value| json!({ "goal": "x", "context": { "repoPath": folder }, "options": options });
    let at = |path: std::path::PathBuf| json!({ "goal": "x", "context": { "repoPath": path } });
    let refused = |code: &str| (422, code.to_owned());
    assert_eq!(send(json!({ "goal": " \n" })).await, refused("EMPTY_GOAL"));
    assert_eq!(send(json!({ "goal": "x".repeat(9_000) })).await, refused("TOO_LONG"));
    assert_eq!(send(json!({})).await, refused("BAD_BODY"));
    assert_eq!(send(json!({ "goal": "x", "steps": [] })).await, refused("BAD_BODY"));
    assert_eq!(send(at(folder.join("nowhere"))).await, refused("BAD_WORKSPACE"));
    assert_eq!(send(at(folder.join("a"))).await, refused("BAD_WORKSPACE"));
    assert_eq!(send(at(house.data())).await, refused("BAD_WORKSPACE"));
    assert_eq!(send(at(house.config())).await, refused("BAD_WORKSPACE"));
    for options in
        [json!({ "parallelism": 0 }), json!({ "parallelism": 101 }), json!({ "timeoutMs": 0 })]
    {
        assert_eq!(send(with(options)).await, refused("BAD_OPTION"));
    }
    assert_eq!(send(with(json!({ "parallelism": -1 }))).await, refused("BAD_BODY"));
    assert_eq!(rooms().await, before);
}

#[tokio::test]
async fn goals_can_be_turned_off() {
    let house =
        House::configured(Play::splitting(vec![]), "planner: { enabled: false }", &[]).await;
    let served = Served::new(house.engine()).await;
    let body = json!({ "goal": "x", "context": { "repoPath": house.workspace.path() } });
    let answer = served.client.post("/agents/plan", body).await;
    assert_eq!(answer.refusal(), (409, "GOALS_OFF".to_owned()));
}

#[tokio::test]
async fn the_same_key_makes_one_goal() {
    let play = Play::new(graph(json!([{ "id": "a", "text": "one" }])));
    let house = House::configured(play, "", &[]).await;
    let served = Served::new(house.engine()).await;
    let client = served.client.header("idempotency-key", "once");
    let body = json!({ "goal": GOAL, "context": { "repoPath": house.workspace.path() } });
    let [one, two] =
        [client.post("/agents/plan", body.clone()).await, client.post("/agents/plan", body).await];
    assert_eq!(one.status, 202);
    assert_eq!(one, two);
    let plan = format!("/plans/{}", one.ok()["planId"].as_str().unwrap());
    wait_for(async || served.client.get(&plan).await.ok()["status"] == "complete", "the goal")
        .await;
    let rooms = served.client.get("/v1/rooms").await.ok();
    let of_people =
        rooms["items"].as_array().unwrap().iter().filter(|room| room["parent"].is_null());
    assert_eq!(of_people.count(), 2, "the house's own, and one: {rooms}");
}
