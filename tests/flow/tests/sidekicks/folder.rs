//! A folder that is gone while sidekicks work in it: everything stands still and says why.

use super::conflicts::{answer, clash};
use super::{log, now, requests, spawn, wait_state};
use flow::House;
use plan::{Command, Event, PauseReason};
use serde_json::json;
use std::path::PathBuf;
use support::{Reply, Script, plan_write_with, sidekick_complete, wait_for};

const WHY: &str = "is not there. Put the folder back and resume, or cancel the plan";

/// Two steps at once; each waits with its first answer until it is let go.
async fn at_work() -> House {
    let look = || Reply::call("read_file", json!({ "path": "note.md" })).hold_after(1);
    let does = || vec![look(), sidekick_complete("done")];
    let plan = plan_write_with("g", json!(["part 1", "part 2"]), json!({ "mode": "parallel" }));
    let above = vec![plan, Reply::text("They work."), Reply::text("All done.")];
    let rooms = [("part 1", does()), ("part 2", does()), ("do it", above)];
    let house = House::configured(Script::by_room(rooms), "", &[("note.md", "hello")]).await;
    house.say("do it").await;
    let asked = || requests(&house, "part 1").len() + requests(&house, "part 2").len();
    wait_for(async || asked() == 2, "both to be asked").await;
    house
}

/// Takes the folder away; where it is now.
fn take_away(house: &House) -> (PathBuf, PathBuf) {
    let folder = house.workspace.path();
    let away = folder.with_extension("away");
    std::fs::rename(&folder, &away).expect("it can be moved");
    (away, folder)
}

async fn stands_still(house: &House) {
    house.wait_paused().await;
    let plan = house.plan();
    assert_eq!(plan.pause_reason, Some(PauseReason::Interrupted));
    let why = plan.pause_detail.expect("it says why");
    assert!(why.contains(WHY), "{why}");
}

async fn done(house: &House) {
    house.wait("end", |event| matches!(event, Event::PlanDone { .. })).await;
}

#[tokio::test]
async fn the_plan_above_pauses_and_says_what_to_do() {
    let house = at_work().await;
    let (away, folder) = take_away(&house);
    house.model.release();
    stands_still(&house).await;
    house.wait_idle().await;
    for step in house.plan().steps {
        let room = step.sidekick.expect("it was handed over");
        wait_state(&house, room, "queued").await;
        let failed = log(&house, room).iter().any(|event| event.kind() == "call_ended");
        assert!(!failed, "nothing was tried in vain");
    }
    assert_eq!(house.count("paused"), 1, "it is said once");

    // Resumed too early, it says so again.
    let before = house.view().seq;
    house.person(Command::Resume).await.unwrap();
    house.wait_after(before, "pause", |event| matches!(event, Event::Paused { .. })).await;
    stands_still(&house).await;

    std::fs::rename(&away, &folder).unwrap();
    house.person(Command::Resume).await.unwrap();
    done(&house).await;
}

#[tokio::test]
async fn what_was_done_in_a_copy_is_kept_until_the_folder_is_back() {
    let (house, ask) = clash().await;
    let (away, folder) = take_away(&house);
    answer(&house, &ask, "theirs").await;
    stands_still(&house).await;
    std::fs::rename(&away, &folder).unwrap();
    house.person(Command::Resume).await.unwrap();
    done(&house).await;
    assert_eq!(house.workspace.read("src/a.txt"), "one\nsecond\nthree\n");
}

#[tokio::test]
async fn one_that_no_plan_asked_for_ends_and_its_room_hears_why() {
    let reply = Reply::call("read_file", json!({ "path": "note.md" })).hold_after(1);
    let script = Script::by_room([("look", vec![reply]), ("", vec![Reply::text("I see.")])]);
    let house = House::configured(script, "", &[("note.md", "hello")]).await;
    let sidekick = spawn(&house, "look").await;
    house.model.request(0).await;
    take_away(&house);
    house.model.release();
    wait_state(&house, sidekick.id, "failed").await;
    let why = now(&house, sidekick.id).result.unwrap();
    assert!(why.contains("is not there. Put the folder back and say something"), "{why}");
    super::wait_told(&house, "has failed").await;
    assert_eq!(requests(&house, "look").len(), 1, "no model is asked");
}
