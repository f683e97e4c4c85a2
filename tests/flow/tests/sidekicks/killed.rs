//! The program is killed or stopped while sidekicks work, or while one is merged.

use super::copies::{copies, parallel, shell, wait_no_copies, write};
use flow::Place;
use plan::Ask;
use serde_json::json;
use support::{
    Recorded, Reply, Script, ScriptedModel, TempWorkspace, sidekick_complete, wait_for,
    wait_for_some,
};

#[tokio::test]
async fn killed_in_the_middle_of_a_merge_it_is_done_again_and_whole() {
    const FILES: usize = 1_500;
    let script = Script::by_room([
        (
            "part 1",
            vec![
                shell(&format!("for n in $(seq {FILES}); do echo $n > f$n; done")).hold_after(1),
                sidekick_complete("1").hold_after(1),
            ],
        ),
        (
            "part 2",
            vec![
                Reply::call("list_dir", json!({})).hold_after(1),
                Reply::call("list_dir", json!({})).hold_after(1),
                sidekick_complete("2").hold_after(1),
                sidekick_complete("2"),
            ],
        ),
        ("do it", vec![parallel(json!(["part 1", "part 2"])), Reply::text("ok")]),
    ]);
    let model = ScriptedModel::start(script).await;
    let place = Place::with_model(&model, "");
    let workspace = TempWorkspace::new(&[]);
    let serve = place.start().await;
    let room = serve.client.post("/v1/rooms", json!({ "workspace": workspace.path() })).await.ok();
    let room = format!("/v1/rooms/{}", room["id"].as_str().expect("a room has an id"));
    serve.client.post(&format!("{room}/messages"), json!({ "text": "do it" })).await.ok();
    let asked = |words: &str| {
        let fits = |request: &&Recorded| {
            request.texts("user").first().is_some_and(|text| text.starts_with(words))
        };
        model.requests().iter().filter(fits).count()
    };
    wait_for(async || asked("part") == 2, "both at once").await;
    model.release();
    wait_for(async || asked("part 1") == 2 && asked("part 2") == 2, "the files").await;
    let plan = serve.client.get(&format!("{room}/plan")).await.ok();
    let first = plan["steps"][0]["sidekick"].as_str().expect("it has a sidekick").to_owned();
    let mut feed = serve.client.follow(&format!("/v1/rooms/{first}/stream"), None).await;
    model.release();
    feed.until("the merge to begin", |heard| heard.name == "merge_began").await;
    serve.kill().await;
    let there = workspace.files().len();
    println!("killed when {there} of {FILES} files were there");

    let data = place.data();
    wait_for(async || engine::journal::FolderLock::take(&data).is_ok(), "it to be gone").await;
    let serve = place.start().await;
    let plan = serve.client.get(&format!("{room}/plan")).await.ok();
    assert_eq!(plan["state"], "paused", "{plan}");
    serve.client.press(&format!("{room}/plan/resume")).await.ok();
    wait_for(
        async || {
            model.release();
            let plans = serve.client.get(&format!("{room}/plans")).await.ok();
            plans["items"][0]["state"] == "done"
        },
        "the end",
    )
    .await;
    let files = workspace.files();
    assert_eq!(files.len(), FILES);
    assert!(files.iter().all(|(path, text)| *path == format!("f{}", text.trim_end())));
    let id = plan["id"].as_str().expect("a plan has an id");
    let plan = serve.client.get(&format!("/plans/{id}")).await.ok();
    assert_eq!(plan["status"], "complete", "{plan}");
    wait_no_copies(&place.data()).await;
}

#[tokio::test]
async fn killed_and_started_again_they_go_on_in_the_same_copies_and_nothing_else_is_left() {
    let script = Script::from_fn(|request: &Recorded| {
        let said = request.texts("user").first().cloned().unwrap_or_default();
        let number = said.strip_prefix("part ").map(|rest| rest[..1].to_owned());
        match (number, request.tool_results().len()) {
            (Some(n), 0) => write(&format!("{n}-a.md"), "x").hold_after(1),
            (Some(n), 1) => write(&format!("{n}-b.md"), "x").hold_after(1),
            (Some(_), _) => sidekick_complete("done"),
            (None, 0) => parallel(json!(["part 1", "part 2"])),
            (None, _) => Reply::text("ok"),
        }
    });
    let model = ScriptedModel::start(script).await;
    let place = Place::with_model(&model, "");
    let workspace = TempWorkspace::new(&[("a", "1")]);
    let serve = place.start().await;
    let room = serve.client.post("/v1/rooms", json!({ "workspace": workspace.path() })).await.ok();
    let room = format!("/v1/rooms/{}", room["id"].as_str().expect("a room has an id"));
    serve.client.post(&format!("{room}/messages"), json!({ "text": "do it" })).await.ok();
    let asked = |results: usize| {
        let part = |request: &Recorded| {
            request.texts("user").first().is_some_and(|text| text.starts_with("part"))
                && request.tool_results().len() == results
        };
        model.requests().into_iter().filter(part).count()
    };
    wait_for(async || asked(0) == 2, "both at once").await;
    model.release();
    wait_for(async || asked(1) == 2, "both to have written").await;
    let mut before = copies(&place.data());
    before.sort();
    assert_eq!(before.len(), 2);
    serve.kill().await;
    // What a kill in the middle of making one leaves behind, and one that nobody knows.
    let dir = place.data().join("copies");
    for stray in [format!("{}.making", before[0]), engine::fresh_id().to_string()] {
        std::fs::create_dir_all(dir.join(stray).join("work")).unwrap();
    }
    let data = place.data();
    wait_for(async || engine::journal::FolderLock::take(&data).is_ok(), "it to be gone").await;
    let serve = place.start().await;
    let now = || {
        let mut now = copies(&place.data());
        now.sort();
        now
    };
    wait_for(async || now() == before, "strays to be removed, and no others").await;
    assert_eq!(workspace.files().len(), 1, "nothing goes on by itself");
    serve.client.press(&format!("{room}/plan/resume")).await.ok();
    wait_for(
        async || {
            model.release();
            let plans = serve.client.get(&format!("{room}/plans")).await.ok();
            plans["items"][0]["state"] == "done"
        },
        "the end",
    )
    .await;
    let names: Vec<String> = workspace.files().into_iter().map(|(path, _)| path).collect();
    assert_eq!(names, ["1-a.md", "1-b.md", "2-a.md", "2-b.md", "a"]);
    wait_no_copies(&place.data()).await;
}

#[tokio::test]
async fn stopped_or_killed_one_without_a_plan_is_in_the_inbox_and_goes_on_with_an_answer() {
    for killed in [false, true] {
        let script = Script::by_room([
            (
                "look",
                vec![
                    Reply::call("list_dir", json!({})),
                    Reply::text("hm").hold_after(1),
                    sidekick_complete("done after all"),
                ],
            ),
            ("", vec![]),
        ]);
        let model = ScriptedModel::start(script).await;
        let place = Place::with_model(&model, "");
        let workspace = TempWorkspace::new(&[]);
        let serve = place.start().await;
        let room = json!({ "workspace": workspace.path() });
        let room = serve.client.post("/v1/rooms", room).await.ok();
        let room = format!("/v1/rooms/{}", room["id"].as_str().expect("a room has an id"));
        let path = format!("{room}/sidekicks");
        let made = serve.client.post(&path, json!({ "task": "look" })).await.ok();
        model.request(1).await;
        if killed {
            serve.kill().await;
            let data = place.data();
            let gone = async || engine::journal::FolderLock::take(&data).is_ok();
            wait_for(gone, "it to be gone").await;
        } else {
            assert!(serve.terminate().await.success());
        }

        let serve = place.start().await;
        // Nobody has looked at the sidekick or its room before.
        let ask = wait_for_some(
            async || {
                let inbox = serve.client.get("/v1/asks").await.ok();
                inbox["items"].as_array().and_then(|items| items.first().cloned())
            },
            "a question",
        )
        .await;
        assert_eq!((&ask["room_id"], &ask["kind"]), (&made["id"], &json!("question")), "{ask}");
        assert_eq!(model.requests().len(), 2, "nothing goes on by itself");
        let answer = format!("/v1/asks/{}/answer", ask["id"].as_str().expect("it has an id"));
        serve.client.post(&answer, json!({ "answer": Ask::GO_ON })).await.ok();
        let path = format!("{path}/{}", made["id"].as_str().expect("it has an id"));
        let done = async || serve.client.get(&path).await.ok()["state"] == "completed";
        wait_for(done, "its end").await;
    }
}
