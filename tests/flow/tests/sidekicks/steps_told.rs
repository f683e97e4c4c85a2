//! What the agent of a room hears of the steps that sidekicks do, and what it may do to them.

use super::steps::{graph, held, statuses, wait_end};
use super::{all, now, requests};
use flow::{House, me};
use plan::{Command, Event, StepRef};
use serde_json::{Value, json};
use support::{
    Recorded, Reply, Script, ask_user, sidekick_complete, step_done, wait_for, wait_for_some,
};

#[tokio::test]
async fn the_agent_of_the_room_can_not_end_a_step_of_theirs_and_a_person_can_skip_it() {
    let script = Script::by_room([
        ("part 2", vec![sidekick_complete("two")]),
        ("part 1", held("one")),
        (
            "do it",
            vec![
                graph(
                    json!([{ "id": "a", "text": "part 1" }, { "id": "b", "text": "part 2", "needs": ["a"] }]),
                ),
                step_done("a", "I say so"),
                Reply::text("ok"),
            ],
        ),
    ]);
    let house = House::with(script).await;
    house.say("do it").await;
    wait_for(async || requests(&house, "do it").len() == 3, "the answer").await;
    assert!(requests(&house, "do it")[2].tool_results()[1].contains("a sidekick does it"));
    let first = all(&house).remove(0);
    house.person(Command::Skip { step: StepRef::Id("a".into()) }).await.unwrap();
    wait_end(&house).await;
    assert_eq!(statuses(&house), ["skipped", "done"]);
    assert_eq!(now(&house, first.id).state, "stopped");
}

/// Who does the plan's steps is told by the first words of its task; all else is the room's own.
fn play(steps: Value, room: impl Fn(&Recorded) -> Reply + Send + Sync + 'static) -> Script {
    Script::from_fn(move |request| {
        let task = request.texts("user").remove(0);
        let asked = !request.tool_results().is_empty();
        match task.lines().next().unwrap_or_default() {
            "research alpha" => sidekick_complete("alpha: 11 ms\nand much more"),
            "research beta" => sidekick_complete("beta: 20 ms"),
            task if task.starts_with("ask about") && asked => sidekick_complete("30 ms"),
            task if task.starts_with("ask about") => ask_user("which one?", &[]),
            "compare" => sidekick_complete("compared"),
            _ if !asked => graph(steps.clone()),
            _ => room(request),
        }
    })
}

/// What the room was told of the steps, beside the plan itself.
fn told(request: &Recorded) -> Vec<String> {
    let news = |text: &String| text.starts_with("Plan harness: step ");
    request.texts("system").into_iter().filter(news).collect()
}

#[tokio::test]
async fn the_agent_of_the_room_hears_of_each_step_and_may_put_its_result_better() {
    let steps = json!([
        { "id": "a", "text": "research alpha" },
        { "id": "b", "text": "ask about gamma" },
        { "id": "c", "text": "compare", "needs": ["a", "b"] },
    ]);
    let script = play(steps, |request| match (told(request).len(), request.tool_results().len()) {
        (0, _) => Reply::text("They look."),
        (_, 1) => step_done("1", "alpha answers within 11 ms"),
        (_, _) => Reply::text("So far alpha."),
    });
    let house = House::with(script).await;
    house.say("do it").await;
    let refined = |event: &Event| matches!(event, Event::StepDone { refined: true, .. });
    house.wait("a better result", refined).await;
    let alpha = all(&house).into_iter().find(|one| one.task.contains("alpha")).unwrap();
    let line =
        format!("Plan harness: step 1 from {}:\n   alpha: 11 ms\n   and much more", alpha.codename);
    let heard = requests(&house, "do it").into_iter().find(|request| !told(request).is_empty());
    assert_eq!(told(&heard.expect("it was told")), [line]);
    let (state, step) = (house.plan().state, house.plan().steps.remove(0));
    assert_eq!(
        (state.as_str(), step.status.as_str(), step.result.as_deref()),
        ("running", "done", Some("alpha answers within 11 ms"))
    );

    answer(&house, "gamma").await;
    wait_end(&house).await;
    let task = requests(&house, "compare").remove(0).texts("user").remove(0);
    assert!(task.contains("- research alpha: alpha answers within 11 ms"), "{task}");
    assert_eq!(house.plan().state, "done");
}

/// A person says what the one with this task waits for.
async fn answer(house: &House, task: &str) {
    let room = wait_for_some(
        async || all(house).into_iter().find(|one| one.task.contains(task)),
        "the one that asks",
    )
    .await
    .id;
    let asks = || house.view().asks.into_iter().find(|ask| ask.room_id == room);
    let ask = wait_for_some(async || asks(), "the question").await.id;
    let (answer, note) = ("any".to_owned(), None);
    let answer = Command::Answer { ask, answer, note, revision: None, hash: None };
    house.engine().submit(room, &me(), answer).expect("it is answered");
}

#[tokio::test]
async fn steps_that_end_during_an_answer_are_told_together_in_the_next_turn() {
    let steps = json!(["ask about alpha", "ask about beta", "ask about gamma"]);
    let script = play(steps, |request| match request.texts("assistant").len() {
        1 => Reply::text("They look.").hold_after(2),
        _ => Reply::text("Two of three."),
    });
    let house = House::with(script).await;
    house.say("do it").await;
    wait_for(async || requests(&house, "do it").len() == 2, "the answer under way").await;
    answer(&house, "alpha").await;
    answer(&house, "beta").await;
    wait_for(async || house.count("step_done") == 2, "two of them to end").await;
    house.model.release();
    wait_for(async || requests(&house, "do it").len() == 3, "the next turn").await;
    let next = requests(&house, "do it").remove(2);
    assert_eq!(told(&next).len(), 2, "{:?}", told(&next));
    house.wait_idle().await;
    assert_eq!(requests(&house, "do it").len(), 3, "one turn for both");
    assert_eq!(house.plan().state, "running");
}

#[tokio::test]
async fn who_reports_after_the_end_is_told_to_answer_and_not_to_plan_again() {
    let steps = json!(["research alpha", "research beta"]);
    let script = play(steps, |request| match request.tool_results().len() {
        1 if request.texts("system").concat().contains("the plan is done") => {
            step_done("1", "better")
        }
        1 => Reply::text("They look."),
        _ => Reply::text("All done."),
    });
    let house = House::with(script).await;
    house.say("do it").await;
    let answered =
        |event: &Event| matches!(event, Event::Replied { text, .. } if text.head() == "All done.");
    house.wait("answer", answered).await;
    let last = requests(&house, "do it").pop().unwrap().tool_results().pop().unwrap();
    let last: Value = serde_json::from_str(&last).expect("a refusal is JSON");
    assert_eq!(last["code"], "PLAN_OVER");
    assert_eq!(last["fallbacks"], json!(["answer the person in words"]));
    assert!(!last.to_string().contains("write"), "{last}");
    assert_eq!(house.count("plan_written"), 1);
}

#[tokio::test]
async fn all_that_each_of_them_said_reaches_the_agent_when_the_plan_is_done() {
    let facts = "Here is what I found:\n\n- alpha costs 7\n- beta costs 14";
    let long = format!("It is long:\n{}\nthe end of it", "x".repeat(3_900));
    let script = Script::by_room([
        ("ask nobody", vec![sidekick_complete("nothing")]),
        ("ask the library", vec![sidekick_complete(&long)]),
        ("ask the shop", vec![sidekick_complete(facts)]),
        (
            "do it",
            vec![
                graph(json!([
                    { "id": "a", "text": "ask the shop" },
                    { "id": "b", "text": "ask the library", "needs": ["a"] },
                    { "id": "c", "text": "ask nobody", "needs": ["b"] },
                ])),
                Reply::text("They look."),
                Reply::text("All done."),
            ],
        ),
    ]);
    let house = House::with(script).await;
    let served = flow::Served::new(house.engine()).await;
    house.say("do it").await;
    wait_end(&house).await;
    let asked = requests(&house, "do it").pop().unwrap().texts("system").join("\n");
    let shop = "1. ask the shop — Here is what I found:\n   - alpha costs 7\n   - beta costs 14\n\
                2. ask the library — It is long:\n";
    assert!(asked.contains(shop), "{asked}");
    assert!(asked.contains("the end of it\n3. ask nobody — nothing"), "{asked}");
    let plan = house.plan();
    assert_eq!(plan.steps[0].result.as_deref(), Some("Here is what I found:"));
    let graph = served.client.get(&format!("/plans/{}", plan.id)).await.ok();
    assert_eq!(graph["nodes"][0]["output"], facts);
    assert_eq!(graph["nodes"][2]["output"], "nothing");
}

#[tokio::test]
async fn with_another_protocol_the_agent_may_put_a_result_better_too() {
    let steps = json!([
        { "id": "a", "text": "research alpha" },
        { "id": "b", "text": "ask about gamma" },
    ]);
    let script = Script::from_fn(move |request| {
        let task = request.texts("user").remove(0);
        let body = String::from_utf8_lossy(request.body()).into_owned();
        let asked = body.contains("tool_result");
        match task.lines().next().unwrap_or_default() {
            "research alpha" => sidekick_complete("alpha: 11 ms"),
            "ask about gamma" if asked => sidekick_complete("30 ms"),
            "ask about gamma" => ask_user("which one?", &[]),
            _ if !asked => graph(steps.clone()),
            _ if body.contains("Plan harness: step 1 from") && !body.contains("answers within") => {
                step_done("1", "alpha answers within 11 ms")
            }
            _ => Reply::text("So far alpha."),
        }
    });
    let mut house = House::with(script).await;
    let config = format!(
        "providers:\n  test: {{ type: anthropic, base_url: \"{}\" }}\n\
         agents:\n  default: {{ model: test/claude-opus-5-5 }}\n",
        house.model.base_url()
    );
    std::fs::write(house.config().join("plancard.yaml"), config).unwrap();
    house.restart().await;
    house.say("do it").await;
    let refined = |event: &Event| matches!(event, Event::StepDone { refined: true, .. });
    house.wait("a better result", refined).await;
    let plan = house.plan();
    assert_eq!(plan.steps[0].result.as_deref(), Some("alpha answers within 11 ms"));
    assert_eq!(plan.state, "running", "while the plan still runs");
}
