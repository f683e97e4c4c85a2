//! Several agents at once: a goal as a graph, sidekicks to open and to stop, and two who changed
//! the same lines.

use desktop::{Desktop, Window};
use serde_json::json;
use support::{
    Recorded, Reply, Script, ScriptedModel, TempWorkspace, plan_write_with, sidekick_complete,
    wait_for,
};

const GOAL: &str = "Compare two shops";

/// A goal with two lookups and a comparison. Both lookups wait until they are let go on.
fn shops(request: &Recorded) -> Reply {
    let said = request.texts("user").into_iter().next().unwrap_or_default();
    let told = request.texts("system").join("\n");
    match said.lines().next().unwrap_or_default() {
        first if first.starts_with("Look at") => {
            sidekick_complete(&format!("{first}: cheap")).hold_after(1)
        }
        "Compare them" => sidekick_complete("Both are cheap"),
        _ if told.contains("every step of this goal has ended") => {
            Reply::text("Take either of the shops.")
        }
        _ => plan_write_with(
            GOAL,
            json!([
                { "id": "a", "text": "Look at the first shop" },
                { "id": "b", "text": "Look at the second shop" },
                { "id": "c", "text": "Compare them", "needs": ["a", "b"] },
            ]),
            json!({ "mode": "graph" }),
        ),
    }
}

#[tokio::test]
async fn a_goal_is_drawn_while_sidekicks_work_and_comes_back_as_one_answer() {
    let model = ScriptedModel::start(Script::from_fn(shops)).await;
    let folder = TempWorkspace::new(&[("README.md", "Shops.\n")]);
    let desktop = Desktop::start("goal").await;
    desktop.home.use_model(&model.base_url(), "");
    let window = desktop.open(&[]).await;
    window.room("Shopping", &folder.path()).await;

    window.say(&format!("/goal {GOAL}")).await;
    let card = window.wait_for_card(|card| card.glyphs == "▶▶○", "two steps at once").await;
    assert_eq!(card.goal, GOAL);
    window.click_on("Graph", "label").await;
    let nodes =
        "return document.querySelectorAll('[aria-label=\"Task graph\"] [data-node]').length === 3";
    window.wait(nodes, "the graph").await;
    // Sidekicks bring the inspector along.
    window.wait(&open_buttons(2), "both sidekicks in the panel").await;
    window.picture(&desktop, "goal-graph").await;
    window.resize(1024, 700).await;
    window.picture(&desktop, "goal-graph-narrow").await;
    window.resize(1360, 860).await;

    let requests = || model.requests().len();
    model.request(2).await;
    let before = requests();
    model.release();
    wait_for(async || requests() >= before + 2, "the comparison and the last word").await;
    let card = window.wait_for_state("done").await;
    assert_eq!(card.count('✓'), 3);
    window.wait_for_text("Take either of the shops.").await;
    window.picture(&desktop, "goal-done").await;
}

#[tokio::test]
async fn a_sidekick_can_be_opened_and_stopped_with_the_keyboard() {
    let model = ScriptedModel::start(Script::from_fn(|request| {
        match request.tool_names().contains(&"sidekick_complete") {
            true => Reply::text("One moment please.").hold_after(1),
            false => Reply::text("It is noted."),
        }
    }))
    .await;
    let folder = TempWorkspace::new(&[]);
    let desktop = Desktop::start("sidekick").await;
    desktop.home.use_model(&model.base_url(), "");
    let window = desktop.open(&[]).await;
    let room = window.room("Work", &folder.path()).await;

    window.say("/sidekick Find out who wrote it").await;
    model.request(0).await;
    window.wait(&open_buttons(1), "the sidekick in the panel").await;
    let name = codename(&window, &room).await;
    window.tab_to(&format!("Open {name}"), false).await;
    window.picture(&desktop, "sidekick-panel").await;
    window.press(desktop::Key::Enter).await;
    window.wait_for_text("Find out who wrote it").await;
    window.picture(&desktop, "sidekick-room").await;

    window.enter("Work").await;
    window.tab_to(&format!("Stop {name}"), false).await;
    window.press(desktop::Key::Enter).await;
    window.wait_for_text("stopped").await;
    wait_for(async || model.disconnects() == 1, "the model to be let go").await;
}

#[tokio::test]
async fn two_that_changed_one_line_are_shown_side_by_side_and_a_person_chooses() {
    let change = |word: &str| {
        let edit = json!({ "path": "a.txt", "old": "two", "new": word });
        Reply::call("edit_file", edit).hold_after(1)
    };
    let parts = plan_write_with("Both", json!(["part 1", "part 2"]), json!({ "mode": "parallel" }));
    let model = ScriptedModel::start(Script::by_room([
        ("part 1", vec![change("first"), sidekick_complete("1")]),
        ("part 2", vec![change("second"), sidekick_complete("2").hold_after(1)]),
        ("do it", vec![parts, Reply::text("Both are done.")]),
    ]))
    .await;
    let folder = TempWorkspace::new(&[("a.txt", "one\ntwo\nthree\n")]);
    let desktop = Desktop::start("conflict").await;
    desktop.home.use_model(&model.base_url(), "");
    let window = desktop.open(&[]).await;
    window.room("Both", &folder.path()).await;

    window.say("do it").await;
    let is_part = |request: &Recorded| request.texts("user")[0].starts_with("part");
    let parts = || model.requests().iter().filter(|one| is_part(one)).count();
    wait_for(async || parts() == 2, "both at once").await;
    model.release();
    wait_for(async || folder.read("a.txt").contains("first"), "the first to be merged").await;
    wait_for(async || parts() == 4, "the second to be done").await;
    model.release();
    // Its button names the sidekick.
    let named = "return [...document.querySelectorAll('button')].map((button) => button.textContent.trim()).find((name) => name.startsWith('Take ')) ?? null";
    let take = window.wait(named, "the question").await;
    let take = take.as_str().expect("a button has a name");
    let text = window.text().await;
    assert!(text.contains("In the folder now") && text.contains("From "), "{text}");
    assert_eq!(folder.read("a.txt"), "one\nfirst\nthree\n", "nothing is overwritten");
    window.picture(&desktop, "conflict").await;
    window.resize(1024, 700).await;
    let beside = "const [row, list] = ['[data-step].now', '[aria-label=Steps]']\
         .map((css) => document.querySelector(css).getBoundingClientRect()); \
         return row.top > list.top - 1 && row.bottom < list.bottom + 1";
    window.wait(beside, "the step that is asked about").await;
    window.picture(&desktop, "conflict-narrow").await;
    window.resize(1360, 860).await;

    // What one has had no time to read can't be answered.
    let ready = "return [...document.querySelectorAll('button')].some((button) => button.textContent.includes('Take ') && button.ariaDisabled !== 'true')";
    window.wait(ready, "the question to be read").await;
    window.click(take).await;
    window.wait_for_state("done").await;
    assert_eq!(folder.read("a.txt"), "one\nsecond\nthree\n");
    window.wait_for_text("Both are done.").await;
}

/// Whether so many sidekicks can be opened.
fn open_buttons(count: usize) -> String {
    format!(
        "return document.querySelectorAll('section[aria-label=\"Sidekicks\"] \
         button[aria-label^=\"Open \"]').length === {count}"
    )
}

/// The name of the one sidekick of a room.
async fn codename(window: &Window, room: &str) -> String {
    let listed = window.invoke("sidekicks", json!({ "room": room })).await.expect("they are told");
    listed[0]["codename"].as_str().expect("it has a name").to_owned()
}
