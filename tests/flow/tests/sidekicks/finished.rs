//! What sidekicks finished for one that is stopped by a cap is not lost: a person is asked.

use super::copies::{copies, edit, parallel, release_until, wait_no_copies, write};
use super::{all, requests, wait_state};
use flow::{House, me};
use plan::{Ask, AskKind, AskView, Command};
use serde_json::json;
use support::{Reply, Script, sidekick_complete, spawn_sidekick, wait_for, wait_for_some};

const LINES: &str = "one\ntwo\nthree\n";

fn look() -> Reply {
    Reply::call("list_dir", json!({}))
}

/// A step that writes a file of its own, sends a sidekick off and reaches the cap on turns; beside
/// it, another step is under way.
async fn capped(third: Reply, small: Vec<Reply>) -> House {
    let script = Script::by_room([
        (
            "part 1",
            vec![
                write("own.md", "half").hold_after(1),
                spawn_sidekick("the small thing"),
                third,
                look().and_text("Half of it is there.").hold_after(1),
            ],
        ),
        ("the small thing", small),
        ("part 2", vec![look().hold_after(1), sidekick_complete("2").hold_after(1)]),
        ("do it", vec![parallel(json!(["part 1", "part 2"])), Reply::text("ok")]),
    ]);
    let more = "caps: { sidekick_turns: 4 }";
    let house = House::configured(script, more, &[("a.txt", LINES)]).await;
    house.say("do it").await;
    wait_for(async || requests(&house, "part").len() == 2, "both at once").await;
    house.model.release();
    house
}

async fn wait_asked(house: &House) -> AskView {
    let asked = async || {
        house.model.release();
        house.view().asks.pop()
    };
    wait_for_some(asked, "a question").await
}

fn answer(house: &House, ask: &AskView, answer: &str) {
    let (answer, note, revision, hash) = (answer.to_owned(), None, None, None);
    let answer = Command::Answer { ask: ask.id, answer, note, revision, hash };
    house.engine().submit(ask.room_id, &me(), answer).expect("it is answered");
}

fn names(house: &House) -> Vec<String> {
    house.workspace.files().into_iter().map(|(path, _)| path).collect()
}

/// One whose sidekick has written another file and is done.
async fn capped_later() -> House {
    let small = vec![write("small.md", "small"), sidekick_complete("small is done")];
    let house = capped(Reply::text("I wait."), small).await;
    // Until then the other step is held: without it beside, there would be no copies to ask about.
    wait_for(async || requests(&house, "part 1").len() == 4, "the last turn").await;
    house
}

#[tokio::test]
async fn it_is_offered_and_taken_over_without_what_was_half_done() {
    let mut house = capped_later().await;
    let ask = wait_asked(&house).await;
    let first = all(&house).into_iter().find(|one| one.task.starts_with("part 1")).unwrap();
    assert_eq!((ask.kind, ask.room_id), (AskKind::Question, first.id));
    for words in ["the cap on turns is reached", "had finished small.md."] {
        assert!(ask.text.contains(words), "{words:?} in {}", ask.text);
    }
    assert_eq!(first.state, "waiting");
    let steps = house.plan().steps;
    assert_eq!((steps[0].status.as_str(), steps[0].waiting), ("in_progress", true));
    assert_eq!(names(&house), ["a.txt"]);

    house.restart().await;
    assert!(copies(&house.data()).contains(&first.id.to_string()));
    house.person(Command::Resume).await.unwrap();
    answer(&house, &ask, Ask::TAKE_OVER);
    release_until(&house, "failed").await;
    assert_eq!(names(&house), ["a.txt", "small.md"]);
    let step = &house.plan().steps[0];
    assert_eq!(
        (step.status.as_str(), step.changed.as_slice()),
        ("failed", &["small.md".into()][..])
    );
    assert_eq!(
        step.result.as_deref(),
        Some(
            "the cap on turns is reached; so far: Half of it is there.; what its own sidekicks \
             finished was taken over"
        )
    );
    wait_no_copies(&house.data()).await;
}

#[tokio::test]
async fn or_it_is_left_out() {
    let house = capped_later().await;
    let ask = wait_asked(&house).await;
    answer(&house, &ask, Ask::LEAVE_OUT);
    release_until(&house, "failed").await;
    assert_eq!(names(&house), ["a.txt"]);
    let result = house.plan().steps[0].result.clone().unwrap();
    assert!(result.ends_with("; what it changed was not taken over"), "{result}");
    wait_no_copies(&house.data()).await;
}

#[tokio::test]
async fn who_cancels_or_stops_is_not_asked() {
    for how in ["cancel", "stop"] {
        let house = capped_later().await;
        let ask = wait_asked(&house).await;
        match how {
            "cancel" => {
                let cancel = Command::Cancel { reason: "enough".into(), call: None };
                house.person(cancel).await.unwrap();
            }
            _ => house.engine().stop_sidekick(ask.room_id, &me()).await.unwrap(),
        }
        wait_for(async || house.view().asks.is_empty(), "no question").await;
        wait_for(async || !copies(&house.data()).contains(&ask.room_id.to_string()), "no copy")
            .await;
        assert_eq!(names(&house), ["a.txt"]);
    }
}

#[tokio::test]
async fn what_is_not_merged_yet_is_settled_first() {
    let small = vec![edit("a.txt", "two", "second"), sidekick_complete("changed").hold_after(1)];
    let house = capped(look().hold_after(1), small).await;
    wait_for(async || requests(&house, "the small").len() == 2, "the change").await;
    wait_for(async || requests(&house, "part 1").len() == 3, "the third turn").await;
    let first = all(&house).into_iter().find(|one| one.task.starts_with("part 1")).unwrap();
    let own = house.data().join("copies").join(first.id.to_string()).join("work/a.txt");
    std::fs::write(own, "one\nfirst\nthree\n").expect("it has a copy");
    house.model.release();
    let conflict = wait_for_some(async || house.view().asks.pop(), "a question").await;
    assert_eq!(conflict.kind, AskKind::Conflict);
    wait_for(async || requests(&house, "part 1").len() == 4, "the last turn").await;
    house.model.release();
    wait_state(&house, first.id, "stopped").await;
    assert_eq!(house.view().asks, std::slice::from_ref(&conflict), "it is still asked");

    answer(&house, &conflict, "theirs");
    let ask = wait_asked(&house).await;
    assert!(ask.text.contains("had finished a.txt."), "{}", ask.text);
    answer(&house, &ask, Ask::TAKE_OVER);
    release_until(&house, "failed").await;
    assert_eq!(house.workspace.read("a.txt"), "one\nsecond\nthree\n");
    assert_eq!(names(&house), ["a.txt"]);
    wait_no_copies(&house.data()).await;
}
