//! Work that could not be taken over is kept until a person has said what to do.

use super::copies::{copies, git, parallel, release_until, shell, wait_no_copies, write};
use super::{all, log, requests};
use flow::{House, me};
use plan::{Ask, AskKind, AskView, Command, Event, StepRef};
use serde_json::json;
use support::{Reply, Script, sidekick_complete, wait_for, wait_for_some};

/// One of two sidekicks is done with two files, one of which may not be written any more: git takes
/// orders from its folder.
async fn in_the_way() -> (House, AskView) {
    let script = Script::by_room([
        (
            "part 1",
            vec![
                write("a.md", "a").and(write("dir/b.md", "b")).hold_after(1),
                sidekick_complete("both are there").hold_after(1),
            ],
        ),
        (
            "part 2",
            vec![
                Reply::call("list_dir", json!({})).hold_after(1),
                sidekick_complete("2").hold_after(1),
                // After a restart it is asked again.
                sidekick_complete("2"),
            ],
        ),
        ("do it", vec![parallel(json!(["part 1", "part 2"])), Reply::text("ok")]),
    ]);
    let house = House::configured(script, "", &[("dir/old.md", "old")]).await;
    git(&house.workspace.path(), &["init", "-q"]);
    house.say("do it").await;
    wait_for(async || requests(&house, "part").len() == 2, "both at once").await;
    house.model.release();
    wait_for(async || requests(&house, "part 1").len() == 2, "the first to have written").await;
    git(&house.workspace.path(), &["config", "core.hooksPath", "dir"]);
    house.model.release();
    let ask = wait_for_some(async || house.view().asks.pop(), "a question").await;
    (house, ask)
}

/// A person answers. Not over the API, whose connections outlive it and keep the engine.
fn answer(house: &House, ask: &AskView, answer: &str) {
    let (answer, note, revision, hash) = (answer.to_owned(), None, None, None);
    let answer = Command::Answer { ask: ask.id, answer, note, revision, hash };
    house.engine().submit(ask.room_id, &me(), answer).expect("it is answered");
}

fn put_back(house: &House) {
    git(&house.workspace.path(), &["config", "--unset", "core.hooksPath"]);
}

#[tokio::test]
async fn a_person_is_told_what_is_wrong_and_it_is_tried_again() {
    let (mut house, ask) = in_the_way().await;
    let first = all(&house).into_iter().find(|one| one.task.starts_with("part 1")).unwrap();
    assert_eq!((ask.kind, ask.room_id), (AskKind::Question, first.id));
    assert_eq!(
        (ask.plan_id, ask.step_id.clone().unwrap().0.as_str()),
        (Some(house.plan().id), "s1")
    );
    assert!(ask.text.contains("could not be taken over") && ask.text.contains("dir"), "{ask:?}");
    assert_eq!(first.state, "waiting");
    let steps = house.plan().steps;
    assert_eq!((steps[0].status.as_str(), steps[0].waiting), ("in_progress", true));
    let kept = house.data().join("copies").join(first.id.to_string()).join("work/dir/b.md");
    assert_eq!(std::fs::read_to_string(&kept).unwrap(), "b");

    // It is still wrong, and asked again.
    answer(&house, &ask, Ask::TRY_AGAIN);
    let again = |house: &House| house.view().asks.into_iter().find(|one| one.id != ask.id);
    let asked = wait_for_some(async || again(&house), "another question").await;

    // And all of it outlives a restart.
    house.restart().await;
    assert_eq!(copies(&house.data()), [first.id.to_string()]);
    put_back(&house);
    answer(&house, &asked, Ask::TRY_AGAIN);
    house.person(Command::Resume).await.unwrap();
    release_until(&house, "done").await;
    assert_eq!(house.workspace.read("dir/b.md"), "b");
    assert_eq!(house.workspace.read("a.md"), "a");
    assert_eq!(house.plan().steps[0].changed, ["a.md", "dir/b.md"]);
    wait_no_copies(&house.data()).await;
}

#[tokio::test]
async fn or_everything_else_is_taken_over_and_what_is_left_out_is_named() {
    let (house, ask) = in_the_way().await;
    let options = ask.detail.iter().filter(|detail| detail.name == "option");
    let options: Vec<&str> = options.map(|detail| detail.value.as_str()).collect();
    assert_eq!(options, [Ask::TRY_AGAIN, Ask::TAKE_REST, Ask::LEAVE_OUT]);
    answer(&house, &ask, Ask::TAKE_REST);
    release_until(&house, "done").await;
    assert_eq!(house.workspace.read("a.md"), "a");
    assert!(!house.workspace.path().join("dir/b.md").exists());
    let step = house.plan().steps.swap_remove(0);
    assert_eq!(step.changed, ["a.md"]);
    let result = step.result.unwrap();
    assert!(result.contains("left out") && result.contains("dir/b.md"), "{result}");
    wait_no_copies(&house.data()).await;
}

#[tokio::test]
async fn or_it_is_left_out_and_the_step_says_why() {
    let (house, ask) = in_the_way().await;
    answer(&house, &ask, Ask::LEAVE_OUT);
    release_until(&house, "failed").await;
    let result = house.plan().steps[0].result.clone().unwrap();
    assert!(result.contains("could not be taken over"), "{result}");
    wait_no_copies(&house.data()).await;
    assert!(house.view().asks.is_empty());
}

#[tokio::test]
async fn who_cancels_skips_or_stops_does_without_it() {
    for how in ["cancel", "skip", "stop"] {
        let (house, ask) = in_the_way().await;
        match how {
            "cancel" => {
                let cancel = Command::Cancel { reason: "enough".into(), call: None };
                house.person(cancel).await.unwrap();
            }
            "skip" => {
                house.person(Command::Skip { step: StepRef::Number(1) }).await.unwrap();
            }
            _ => house.engine().stop_sidekick(ask.room_id, &me()).await.unwrap(),
        }
        wait_for(async || house.view().asks.is_empty(), "no question").await;
        wait_no_copies(&house.data()).await;
        let withdrawn =
            |event: &Event| matches!(event, Event::AskWithdrawn { ask: id, .. } if *id == ask.id);
        assert!(log(&house, ask.room_id).iter().any(withdrawn), "{how}");
        if how == "stop" {
            release_until(&house, "failed").await;
            let result = house.plan().steps[0].result.clone().unwrap();
            assert!(result.contains("stopped by a person"), "{result}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_taken_over_before_a_cancel_is_written_down() {
    let many = "mkdir many; for i in $(seq 3000); do echo x > many/$i; done";
    let script = Script::by_room([
        ("part 1", vec![shell(many).hold_after(1), sidekick_complete("1")]),
        ("part 2", vec![Reply::call("list_dir", json!({})).hold_after(1); 2]),
        ("do it", vec![parallel(json!(["part 1", "part 2"])), Reply::text("ok")]),
    ]);
    let house = House::configured(script, "", &[("a.md", "a")]).await;
    house.say("do it").await;
    wait_for(async || requests(&house, "part").len() == 2, "both at once").await;
    let first = all(&house).into_iter().find(|one| one.task.starts_with("part 1")).unwrap().id;
    house.model.release();
    let taken = || {
        let files = house.workspace.files().into_iter().map(|(path, _)| path);
        files.filter(|path| path.starts_with("many/")).collect::<Vec<_>>()
    };
    let folder = house.workspace.path().join("many");
    while std::fs::read_dir(&folder).map_or(0, Iterator::count) < 10 {
        tokio::task::yield_now().await;
    }
    house.person(Command::Cancel { reason: "enough".into(), call: None }).await.unwrap();
    let told = |event: &Event| matches!(event, Event::SidekickReported);
    wait_for(async || log(&house, first).iter().any(told), "its end").await;
    house.wait_idle().await;
    let step = house.plan().steps.swap_remove(0);
    let (mut changed, mut taken) = (step.changed, taken());
    changed.retain(|path| path != "many");
    changed.sort();
    taken.sort();
    assert_eq!(changed, taken, "all that is in the folder, and nothing else");
    let log = log(&house, first);
    let merged = log.iter().position(|event| matches!(event, Event::Merged { .. }));
    assert!(merged < log.iter().position(told), "it is told when it is known");
    let text = super::wait_told(&house, "1").await;
    assert!(!text.contains("what it changed was not taken over"), "{text}");
    assert_eq!(requests(&house, "do it").len(), 2, "the model is left in peace");
}

#[tokio::test]
async fn so_is_what_was_changed_in_the_folder_itself() {
    let script = Script::by_room([
        (
            "part 1",
            vec![write("a.md", "b").hold_after(1), shell("echo x > made; sleep 30").hold_after(1)],
        ),
        ("do it", vec![parallel(json!(["part 1"])), Reply::text("ok")]),
    ]);
    let house = House::configured(script, "", &[("a.md", "a")]).await;
    house.say("do it").await;
    wait_for(async || requests(&house, "part 1").len() == 1, "the first turn").await;
    house.wait_idle().await;
    house.model.release();
    wait_for(async || requests(&house, "part 1").len() == 2, "the second turn").await;
    house.model.release();
    wait_for(async || house.workspace.has("made"), "the command to run").await;
    assert!(copies(&house.data()).is_empty(), "it works in the folder");
    house.person(Command::Cancel { reason: "enough".into(), call: None }).await.unwrap();
    wait_for(async || !house.plan().steps[0].changed.is_empty(), "what it changed").await;
    assert_eq!(house.plan().steps[0].changed, ["a.md", "made"]);
    house.wait_idle().await;
    assert_eq!(requests(&house, "do it").len(), 2, "the model is left in peace");
}
