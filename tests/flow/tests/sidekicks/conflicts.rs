//! Two that changed the same lines: both versions are kept, and a person decides.

use super::copies::{
    copies, edit, git, parallel, release_until, shell, standing, wait_no_copies, write,
};
use super::{all, requests};
use flow::{House, Served};
use plan::{AskKind, AskView, Command, Event, StepRef};
use serde_json::json;
use support::{Reply, Script, sidekick_complete, spawn_sidekick, wait_for, wait_for_some};

const LINES: &str = "one\ntwo\nthree\n";

/// Two sidekicks changed one line; the first is merged, and the second asks.
pub(super) async fn clash() -> (House, AskView) {
    clash_in(|_| ()).await
}

/// The same, in a folder that was made ready before.
async fn clash_in(ready: impl FnOnce(&House)) -> (House, AskView) {
    let change = |word: &str| edit("src/a.txt", "two", word).hold_after(1);
    let script = Script::by_room([
        ("part 1", vec![change("first"), sidekick_complete("1")]),
        ("part 2", vec![change("second"), sidekick_complete("2").hold_after(1)]),
        ("do it", vec![parallel(json!(["part 1", "part 2"])), Reply::text("ok")]),
    ]);
    let house = House::configured(script, "", &[("src/a.txt", LINES)]).await;
    ready(&house);
    house.say("do it").await;
    wait_for(async || requests(&house, "part").len() == 2, "both at once").await;
    house.model.release();
    let read = |house: &House| house.workspace.read("src/a.txt");
    wait_for(async || read(&house).contains("first"), "the first to be merged").await;
    wait_for(async || requests(&house, "part 2").len() == 2, "the second to be done").await;
    let ask = wait_for_some(
        async || {
            house.model.release();
            house.view().asks.pop()
        },
        "a question",
    )
    .await;
    (house, ask)
}

fn detail<'a>(ask: &'a AskView, name: &str) -> &'a str {
    ask.detail.iter().find(|detail| detail.name == name).map_or("", |detail| &detail.value)
}

pub(super) async fn answer(house: &House, ask: &AskView, answer: &str) {
    let served = Served::new(house.engine()).await;
    let listed = async || {
        let inbox = served.client.get("/v1/asks").await.ok();
        inbox["items"][0]["id"] == json!(ask.id)
    };
    wait_for(listed, "the question in the inbox").await;
    let path = format!("/v1/asks/{}/answer", ask.id);
    served.client.post(&path, json!({ "answer": answer })).await.ok();
}

#[tokio::test]
async fn both_versions_are_kept_and_the_card_asks() {
    let (house, ask) = clash().await;
    let second = all(&house).into_iter().find(|one| one.task.starts_with("part 2")).unwrap();
    assert_eq!((ask.kind, ask.room_id), (AskKind::Conflict, second.id));
    let plan = house.plan();
    let of = (Some(plan.id), Some(plan.steps[1].id.clone()));
    assert_eq!((ask.plan_id, ask.step_id.clone()), of, "it says what it belongs to");
    assert_eq!(ask.answers, ["mine", "theirs", "both"]);
    assert_eq!(ask.codename.as_deref(), Some(second.codename.as_str()));
    assert_eq!(detail(&ask, "path"), "src/a.txt");
    assert_eq!(detail(&ask, "base"), "one\ntwo\nthree");
    assert_eq!(detail(&ask, "mine"), "one\nfirst\nthree");
    assert_eq!(detail(&ask, "theirs"), "one\nsecond\nthree");
    let beside = format!("src/a.txt.from-{}", second.codename);
    assert!(detail(&ask, "does_both").contains(&beside), "{ask:?}");
    assert!(ask.text.contains("src/a.txt"), "{}", ask.text);
    assert_eq!(second.state, "waiting");
    let steps = house.plan().steps;
    assert_eq!((steps[1].status.as_str(), steps[1].waiting), ("in_progress", true));
    assert_eq!(steps[0].status, "done");
    assert_eq!(house.workspace.read("src/a.txt"), "one\nfirst\nthree\n");
    let kept = house.data().join("copies").join(second.id.to_string()).join("work/src/a.txt");
    assert_eq!(std::fs::read_to_string(kept).unwrap(), "one\nsecond\nthree\n");
}

#[tokio::test]
async fn each_answer_does_what_it_says() {
    for (said, left) in [("mine", "first"), ("theirs", "second"), ("both", "first")] {
        let (house, ask) = clash().await;
        answer(&house, &ask, said).await;
        release_until(&house, "done").await;
        let path = "src/a.txt".to_owned();
        let mut files = vec![(path, format!("one\n{left}\nthree\n"))];
        if said == "both" {
            let beside = detail(&ask, "beside").to_owned();
            files.push((beside.clone(), "one\nsecond\nthree\n".to_owned()));
            assert_eq!(house.plan().steps[1].changed, [beside]);
        }
        assert_eq!(house.workspace.files(), files, "{said}");
        let changed = &house.plan().steps[1].changed;
        assert_eq!(changed.is_empty(), said == "mine", "{said}: {changed:?}");
        wait_no_copies(&house.data()).await;
        assert!(house.view().asks.is_empty());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn two_answers_in_the_same_moment_count_both() {
    for _ in 0..5 {
        let part = |word: &str| {
            let change = edit("a.txt", "two", word).and(edit("b.txt", "two", word));
            vec![change.hold_after(1), sidekick_complete(word).hold_after(1)]
        };
        let script = Script::by_room([
            ("part 1", part("first")),
            ("part 2", part("second")),
            ("do it", vec![parallel(json!(["part 1", "part 2"])), Reply::text("ok")]),
        ]);
        let house = House::configured(script, "", &[("a.txt", LINES), ("b.txt", LINES)]).await;
        house.say("do it").await;
        for count in [2, 4] {
            wait_for(async || requests(&house, "part").len() == count, "both at once").await;
            house.model.release();
        }
        wait_for(async || house.view().asks.len() == 2, "two questions").await;
        let asks = house.view().asks;
        for ask in &asks {
            let (answer, note, revision, hash) = ("theirs".to_owned(), None, None, None);
            let answer = Command::Answer { ask: ask.id, answer, note, revision, hash };
            house.engine().submit(ask.room_id, &flow::me(), answer).expect("it is answered");
        }
        release_until(&house, "done").await;
        let raised = |event: &&Event| matches!(event, Event::AskRaised { .. });
        assert_eq!(super::log(&house, asks[0].room_id).iter().filter(raised).count(), 2);
        let theirs = detail(&asks[0], "theirs");
        assert_eq!(house.workspace.read("b.txt").trim_end(), theirs);
    }
}

#[tokio::test]
async fn an_answer_holds_only_for_what_was_shown() {
    let (house, ask) = clash().await;
    house.workspace.write("src/a.txt", "one\nthe person's\nthree\n");
    answer(&house, &ask, "theirs").await;
    let again = |house: &House| house.view().asks.into_iter().find(|one| one.id != ask.id);
    let asked = wait_for_some(async || again(&house), "another question").await;
    assert_eq!(detail(&asked, "mine"), "one\nthe person's\nthree");
    assert_eq!(house.workspace.read("src/a.txt"), "one\nthe person's\nthree\n");
    answer(&house, &asked, "both").await;
    release_until(&house, "done").await;
    assert_eq!(house.workspace.read("src/a.txt"), "one\nthe person's\nthree\n");
    assert_eq!(house.workspace.read(detail(&asked, "beside")), "one\nsecond\nthree\n");
}

#[tokio::test]
async fn a_question_outlives_a_restart_and_is_merged_when_the_plan_goes_on() {
    let (mut house, ask) = clash().await;
    house.restart().await;
    assert_eq!(house.view().asks, std::slice::from_ref(&ask));
    assert_eq!(copies(&house.data()).len(), 1);
    answer(&house, &ask, "theirs").await;
    assert_eq!(house.workspace.read("src/a.txt"), "one\nfirst\nthree\n", "it is paused");
    house.person(Command::Resume).await.unwrap();
    release_until(&house, "done").await;
    assert_eq!(house.workspace.read("src/a.txt"), "one\nsecond\nthree\n");
    wait_no_copies(&house.data()).await;
}

#[tokio::test]
async fn cancelling_or_skipping_takes_the_question_back_and_changes_nothing() {
    let cancel = Command::Cancel { reason: "enough".into(), call: None };
    let skip = Command::Skip { step: StepRef::Number(2) };
    for command in [cancel, skip] {
        let (house, ask) = clash().await;
        house.person(command).await.unwrap();
        wait_for(async || house.view().asks.is_empty(), "no question").await;
        wait_no_copies(&house.data()).await;
        assert_eq!(house.workspace.read("src/a.txt"), "one\nfirst\nthree\n");
        let withdrawn =
            |event: &Event| matches!(event, Event::AskWithdrawn { ask: id, .. } if *id == ask.id);
        assert!(super::log(&house, ask.room_id).iter().any(withdrawn));
    }
}

#[tokio::test]
async fn nobody_works_on_after_a_cancel() {
    let (house, ask) = clash().await;
    wait_for(async || requests(&house, "do it").len() >= 2, "the agent's answer").await;
    house.model.release();
    let loud = |event: &Event| matches!(event, Event::Nudged { from: Some(_), quiet: false, .. });
    let loud = || house.log().iter().filter(|(_, event)| loud(event)).count();
    wait_for(async || loud() == 1, "the end of the first step to be told").await;
    house.wait_idle().await;
    let asked = house.model.requests().len();
    house.person(Command::Cancel { reason: "enough".into(), call: None }).await.unwrap();
    let told = |event: &Event| matches!(event, Event::SidekickReported);
    wait_for(async || super::log(&house, ask.room_id).iter().any(told), "its end").await;
    house.wait_idle().await;
    assert_eq!(house.model.requests().len(), asked, "the model is left in peace");
    assert_eq!(loud(), 1, "{:?}", house.log());
}

#[tokio::test]
async fn nor_after_a_stop_with_one_that_the_agent_asked_for() {
    let script = Script::by_room([
        ("below", vec![edit("a.txt", "two", "second"), sidekick_complete("changed").hold_after(1)]),
        (
            "do it",
            vec![
                spawn_sidekick("below"),
                Reply::call("list_dir", json!({})).hold_after(1),
                Reply::text("I wait.").hold_after(1),
            ],
        ),
    ]);
    let house = House::configured(script, "", &[("a.txt", LINES)]).await;
    house.say("do it").await;
    wait_for(async || requests(&house, "below").len() == 2, "the change").await;
    house.workspace.write("a.txt", "one\nfirst\nthree\n");
    house.model.release();
    let ask = wait_for_some(async || house.view().asks.pop(), "a question").await;
    wait_for(async || requests(&house, "do it").len() == 3, "a turn under way").await;
    house.person(Command::Stop { so_far: None }).await.unwrap();
    let told = |event: &Event| matches!(event, Event::SidekickReported);
    wait_for(async || super::log(&house, ask.room_id).iter().any(told), "its end").await;
    house.wait_idle().await;
    assert_eq!(requests(&house, "do it").len(), 3, "the model is left in peace");
    assert_eq!(house.workspace.read("a.txt"), "one\nfirst\nthree\n");
}

#[tokio::test]
async fn in_a_repository_all_that_git_knows_is_as_before() {
    let before = std::cell::RefCell::new(None);
    let (house, ask) = clash_in(|house| {
        let folder = house.workspace.path();
        git(&folder, &["init", "-q", "-b", "main"]);
        git(&folder, &["add", "-A"]);
        git(&folder, &["commit", "-qm", "first"]);
        house.workspace.write("src/a.txt", "put aside\n");
        git(&folder, &["stash", "-q"]);
        house.workspace.write("staged.txt", "staged\n");
        git(&folder, &["add", "staged.txt"]);
        before.replace(Some(standing(&folder)));
    })
    .await;
    let folder = house.workspace.path();
    let status = || git(&folder, &["status", "--porcelain"]);
    assert_eq!(Some(standing(&folder)), before.take(), "while it is asked");
    let before = standing(&folder);
    assert_eq!(status(), " M src/a.txt\nA  staged.txt\n");
    answer(&house, &ask, "both").await;
    release_until(&house, "done").await;
    wait_no_copies(&house.data()).await;
    assert_eq!(standing(&folder), before, "and after the answer");
    let beside = detail(&ask, "beside");
    assert_eq!(status(), format!(" M src/a.txt\nA  staged.txt\n?? {beside}\n"));
}

/// One made a file and the other a folder of that name; the first is merged, and the second asks.
async fn file_against_folder() -> (House, AskView) {
    let script = Script::by_room([
        ("part 1", vec![write("x", "a file").hold_after(1), sidekick_complete("1")]),
        (
            "part 2",
            vec![
                write("x/a.md", "in it").and(write("x/b.md", "too")).hold_after(1),
                sidekick_complete("2").hold_after(1),
            ],
        ),
        ("do it", vec![parallel(json!(["part 1", "part 2"])), Reply::text("ok")]),
    ]);
    let house = House::with(script).await;
    house.say("do it").await;
    wait_for(async || requests(&house, "part").len() == 2, "both at once").await;
    house.model.release();
    wait_for(async || house.workspace.has("x"), "the first to be merged").await;
    wait_for(async || requests(&house, "part 2").len() == 2, "the second to be done").await;
    let ask = wait_for_some(
        async || {
            house.model.release();
            house.view().asks.pop()
        },
        "a question",
    )
    .await;
    (house, ask)
}

#[tokio::test]
async fn a_file_for_one_and_a_folder_for_the_other_is_one_question() {
    for said in ["mine", "theirs", "both"] {
        let (house, ask) = file_against_folder().await;
        assert_eq!((ask.kind, detail(&ask, "path")), (AskKind::Conflict, "x"));
        assert_eq!(ask.answers, ["mine", "theirs", "both"]);
        assert_eq!(detail(&ask, "mine"), "a file");
        assert_eq!(detail(&ask, "theirs"), "(a folder with a.md, b.md)");
        assert_eq!(house.view().asks.len(), 1);
        assert_eq!(house.workspace.read("x"), "a file", "nothing is overwritten");
        answer(&house, &ask, said).await;
        release_until(&house, "done").await;
        let file = || vec![("x".to_owned(), "a file".to_owned())];
        let folder = |name: &str| {
            let inner = [("a.md", "in it"), ("b.md", "too")];
            inner.map(|(file, text)| (format!("{name}/{file}"), text.to_owned())).to_vec()
        };
        let left = match said {
            "mine" => file(),
            "theirs" => folder("x"),
            _ => [file(), folder(detail(&ask, "beside"))].concat(),
        };
        assert_eq!(house.workspace.files(), left, "{said}");
        wait_no_copies(&house.data()).await;
    }
}

#[tokio::test]
async fn a_file_that_no_commit_has_is_not_removed_by_a_change_of_branches() {
    let branches = "git checkout -qb work && git add -A && git -c user.name=t -c user.email=t@t \
                    commit -qm work && git checkout -q main";
    let looks = || Reply::call("list_dir", json!({})).hold_after(1);
    let script = Script::by_room([
        ("part 1", vec![shell(branches).hold_after(1), sidekick_complete("1")]),
        ("part 2", vec![looks(), sidekick_complete("2").hold_after(1)]),
        ("do it", vec![parallel(json!(["part 1", "part 2"])), Reply::text("ok")]),
    ]);
    let house = House::configured(script, "", &[("a.txt", "one\n")]).await;
    let folder = house.workspace.path();
    git(&folder, &["init", "-q", "-b", "main"]);
    git(&folder, &["add", "-A"]);
    git(&folder, &["commit", "-qm", "first"]);
    house.workspace.write("own.txt", "the person's\n");
    house.say("do it").await;
    wait_for(async || requests(&house, "part").len() == 2, "both at once").await;
    house.model.release();
    let ask = wait_for_some(async || house.view().asks.pop(), "a question").await;
    assert_eq!((ask.kind, detail(&ask, "path")), (AskKind::Conflict, "own.txt"));
    assert!(ask.text.contains("never committed"), "{}", ask.text);
    assert_eq!(house.workspace.read("own.txt"), "the person's\n");
    answer(&house, &ask, "mine").await;
    release_until(&house, "done").await;
    assert_eq!(house.workspace.read("own.txt"), "the person's\n");
}

#[tokio::test]
async fn uncommitted_work_that_was_put_away_and_built_over_is_asked_about() {
    const PERSONS: &str = "one\ntwo\nthree\nthe person's\n";
    let looks = || Reply::call("list_dir", json!({})).hold_after(1);
    let script = Script::by_room([
        (
            "part 1",
            vec![
                shell("git reset -q --hard").hold_after(1),
                edit("a.txt", "one", "ONE"),
                sidekick_complete("1"),
            ],
        ),
        ("part 2", vec![looks(), sidekick_complete("2").hold_after(1)]),
        ("do it", vec![parallel(json!(["part 1", "part 2"])), Reply::text("ok")]),
    ]);
    let house = House::configured(script, "", &[("a.txt", "one\ntwo\nthree\nfour\n")]).await;
    let folder = house.workspace.path();
    git(&folder, &["init", "-q", "-b", "main"]);
    git(&folder, &["add", "-A"]);
    git(&folder, &["commit", "-qm", "first"]);
    house.workspace.write("a.txt", PERSONS);
    house.say("do it").await;
    wait_for(async || requests(&house, "part").len() == 2, "both at once").await;
    house.model.release();
    let ask = wait_for_some(async || house.view().asks.pop(), "a question").await;
    assert_eq!((ask.kind, detail(&ask, "path")), (AskKind::Conflict, "a.txt"));
    assert_eq!(detail(&ask, "mine"), PERSONS.trim_end());
    assert_eq!(detail(&ask, "theirs"), "ONE\ntwo\nthree\nfour");
    assert!(ask.text.contains("was not committed"), "{}", ask.text);
    assert_eq!(house.workspace.read("a.txt"), PERSONS);
    answer(&house, &ask, "mine").await;
    release_until(&house, "done").await;
    assert_eq!(house.workspace.read("a.txt"), PERSONS);
}
