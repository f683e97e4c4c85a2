//! What went well is not done again before something else has happened.

use flow::House;
use plan::{Event, Outcome};
use serde_json::json;
use support::{
    Reply, Script, plan_status, plan_write, plan_write_with, sidekick_complete, spawn_sidekick,
    step_done,
};

/// A command whose every run leaves a line.
fn count() -> Reply {
    Reply::call("shell", json!({ "command": "echo x >> count.txt" }))
}

fn read() -> Reply {
    Reply::call("read_file", json!({ "path": "note.txt" }))
}

/// What was written a moment ago can't be told from what someone changed since.
async fn settled(house: &House) {
    let note = house.workspace.path().join("note.txt");
    let age = || note.metadata().and_then(|found| found.modified()).map(|at| at.elapsed());
    let is_old = async || matches!(age(), Ok(Ok(age)) if age.as_millis() > 100);
    support::wait_for(is_old, "the file to be older than a moment").await;
}

fn lines(house: &House) -> usize {
    let text = std::fs::read_to_string(house.workspace.path().join("count.txt"));
    text.map_or(0, |text| text.lines().count())
}

fn outcomes(house: &House) -> Vec<Outcome> {
    let ended =
        |event| if let Event::CallEnded { outcome, .. } = event { Some(outcome) } else { None };
    house.log().into_iter().filter_map(|(_, event)| ended(event)).collect()
}

#[tokio::test]
async fn a_call_that_succeeded_runs_once_and_the_third_ends_the_turn_in_words() {
    let house = House::with(Script::from_fn(|_| count())).await;
    house.say("count once").await;
    let trouble =
        |event: &Event| matches!(event, Event::Trouble { text, .. } if text.contains("shell"));
    house.wait("words", trouble).await;
    house.wait_idle().await;
    assert_eq!(lines(&house), 1);
    let again = Outcome::AlreadyDone;
    assert_eq!(outcomes(&house), [Outcome::Ok, again, again]);
    let requests = house.model.requests();
    assert_eq!(requests.len(), 3, "nobody pays for a fourth");
    assert!(requests[2].tool_results()[1].contains("already done"));

    house.say("and once more").await;
    house.wait_after(house.view().seq, "words", trouble).await;
    assert_eq!(lines(&house), 2, "a person's word begins anew");
}

#[tokio::test]
async fn a_look_that_comes_again_is_not_run_again_either() {
    let house = House::configured(Script::from_fn(|_| read()), "", &[("note.txt", "hello")]).await;
    settled(&house).await;
    house.say("what does it say?").await;
    house.wait_idle().await;
    let again = Outcome::AlreadyDone;
    assert_eq!(outcomes(&house), [Outcome::Ok, again, again]);
}

#[tokio::test]
async fn another_call_in_between_lets_it_run_again() {
    let script = vec![count(), read(), count(), Reply::text("Twice.")];
    let house = House::configured(script, "", &[("note.txt", "hello")]).await;
    house.say("count twice").await;
    house.wait_idle().await;
    assert_eq!(lines(&house), 2);
}

#[tokio::test]
async fn the_same_call_twice_in_one_answer_runs_once() {
    let both = count().and(count());
    let house = House::with(vec![both, Reply::text("Once.")]).await;
    house.say("count").await;
    house.wait_idle().await;
    assert_eq!(outcomes(&house), [Outcome::Ok, Outcome::AlreadyDone]);
    assert_eq!(lines(&house), 1);
}

#[tokio::test]
async fn a_file_that_someone_changed_in_between_is_read_again() {
    let script = vec![read(), read().hold_after(0), Reply::text("It changed.")];
    let house = House::configured(script, "", &[("note.txt", "before")]).await;
    house.say("what does it say?").await;
    house.model.request(1).await;
    std::fs::write(house.workspace.path().join("note.txt"), "after").unwrap();
    house.model.release();
    house.wait_idle().await;
    let results = house.model.requests().pop().unwrap().tool_results();
    assert!(results[1].contains("after"), "{results:?}");
}

#[tokio::test]
async fn what_a_summary_replaced_is_read_again() {
    let big = "word ".repeat(4_000);
    let script = Script::from_fn(|request| {
        let summarises =
            request.texts("system").iter().any(|text| text.contains("replaced by your summary"));
        match request.number() {
            _ if summarises => Reply::text("It was read."),
            0..=2 => read(),
            _ => Reply::text("Words, words."),
        }
    });
    let more = "models:\n  test/scripted: { context_window: 5000 }\n";
    let house = House::configured(script, more, &[("note.txt", &big)]).await;
    house.say("read it").await;
    house
        .wait(
            "the end",
            |event| matches!(event, Event::Replied { text, .. } if text.head() == "Words, words."),
        )
        .await;
    house.wait_idle().await;
    assert_eq!(outcomes(&house), [Outcome::Ok, Outcome::Ok], "both ran");
    assert_eq!((house.count("compacted"), house.count("trouble")), (2, 0));
}

#[tokio::test]
async fn asking_for_the_state_over_and_over_ends_too() {
    let house = House::with(Script::from_fn(|request| match request.number() {
        0 => plan_write("the goal", &["one", "two"]),
        _ => plan_status(),
    }))
    .await;
    house.say("do it").await;
    house.wait_paused().await;
    house.wait_idle().await;
    assert_eq!(house.model.requests().len(), 4);
    let detail = house.plan().pause_detail.unwrap_or_default();
    assert!(detail.contains("plan again and again"), "{detail}");
    assert!(detail.contains("press Resume") && !detail.contains("Send a message"), "{detail}");

    house.person(plan::Command::Resume).await.unwrap();
    house.model.request(4).await;
}

#[tokio::test]
async fn the_same_report_for_two_steps_counts_for_both() {
    let done = || Reply::call("step_done", json!({ "result": "ok" }));
    let write = plan_write("the goal", &["one", "two"]);
    let script = vec![write, done(), done(), Reply::text("Done.")];
    let house = House::with(script).await;
    house.say("do it").await;
    house.wait("end", |event| matches!(event, Event::PlanDone { .. })).await;
    assert_eq!(house.plan().state, "done");
}

#[tokio::test]
async fn one_answer_ends_no_step_in_which_nothing_was_tried() {
    let done = || Reply::call("step_done", json!({ "result": "ok" }));
    let write = plan_write("the goal", &["one", "two", "three"]);
    let worked = done().and(count()).and(done()).and(done());
    let script = vec![write, worked, Reply::text("Well.").hold_after(0)];
    let house = House::with(script).await;
    house.say("do it").await;
    let told = house.model.request(2).await.tool_results();
    assert!(told[4].contains("step"), "{told:?}");
    let states: Vec<_> = house.plan().steps.iter().map(|step| step.status.to_owned()).collect();
    assert_eq!(states, ["done", "done", "in_progress"], "the third was never begun");
}

#[tokio::test]
async fn many_times_the_same_call_in_one_answer_is_heard_of_before_the_turn_ends() {
    let all = count().and(count()).and(count()).and(count());
    let house = House::with(vec![all, Reply::text("Once.")]).await;
    house.say("count").await;
    house.wait_idle().await;
    assert_eq!(house.model.requests().len(), 2, "the model hears of it");
    assert_eq!((lines(&house), house.count("trouble")), (1, 0));
}

#[tokio::test]
async fn a_plan_that_was_just_done_is_not_begun_again_before_a_person_speaks() {
    let write = || plan_write("Write a file", &["Write a.txt"]);
    let script = vec![
        write(),
        step_done("s1", "written"),
        write(),
        Reply::text("It is written."),
        write(),
        step_done("s1", "written"),
        Reply::text("Again."),
    ];
    let house = House::with(script).await;
    house.say("write it").await;
    house.wait_idle().await;
    assert_eq!(house.count("plan_written"), 1);
    let told = house.model.requests()[3].tool_results().pop().unwrap();
    assert!(told.contains("PLAN_JUST_DONE") && told.contains("in words"), "{told}");
    house.say("do it once more").await;
    house.wait_idle().await;
    assert_eq!(house.count("plan_written"), 2);
}

#[tokio::test]
async fn a_plan_with_another_check_is_another_plan() {
    let checked = json!([{ "text": "Write a.txt", "verify": { "file": "a.txt" } }]);
    let script = vec![
        plan_write("Write a file", &["Write a.txt"]),
        step_done("s1", "written"),
        plan_write_with("Write a file", checked, json!({})),
        Reply::text("Hm.").hold_after(1),
    ];
    let house = House::with(script).await;
    house.say("write it").await;
    support::wait_for(async || house.count("plan_written") == 2, "the second plan").await;
}

#[tokio::test]
async fn a_sidekick_is_not_given_the_same_task_twice_before_a_person_speaks() {
    let spawn = || spawn_sidekick("Count the files");
    let script = Script::by_room([
        ("look at it", vec![spawn(), spawn(), Reply::text("Wait."), Reply::text("Three files.")]),
        ("Count the files", vec![sidekick_complete("3 files")]),
    ]);
    let house = House::with(script).await;
    house.say("look at it").await;
    house.wait("told", |event| matches!(event, Event::Nudged { from: Some(_), .. })).await;
    house.wait_idle().await;
    assert_eq!(house.count("delegated"), 1);
}

/// How often a model that only ever does this is asked before its turn ends in words.
async fn asked(script: impl Fn(usize) -> Reply + Send + Sync + 'static) -> (usize, House) {
    let script = Script::from_fn(move |request| script(request.number()));
    let house = House::configured(script, "", &[("note.txt", "hello")]).await;
    settled(&house).await;
    house.say("do it").await;
    let ends = |event: &Event| matches!(event, Event::Trouble { .. } | Event::Paused { .. });
    house.wait("the end", ends).await;
    house.wait_idle().await;
    (house.model.requests().len(), house)
}

#[tokio::test]
async fn calls_by_turns_plans_by_turns_and_pairs_all_end_soon() {
    let list = || Reply::call("list_dir", json!({ "path": "." }));
    let (times, _) = asked(move |n| if n % 2 == 0 { read() } else { list() }).await;
    assert_eq!(times, 11, "two calls by turns");
    let (times, _) = asked(move |_| read().and(list())).await;
    assert_eq!(times, 10, "the same pair each time");
    let edit = |n: usize| {
        let edits = json!([{ "op": "set", "step": "s1", "text": format!("a{}", n % 2) }]);
        Reply::call("plan", json!({ "action": "revise", "edits": edits, "reason": "r" }))
    };
    let write = || plan_write("the goal", &["a", "b"]);
    let (times, house) = asked(move |n| if n == 0 { write() } else { edit(n) }).await;
    assert!(times < 12, "revisions: {times}");
    assert_eq!(house.plan().state, "paused");
    let cancel = || Reply::call("plan", json!({ "action": "cancel", "reason": "x" }));
    let (times, _) = asked(move |n| if n % 2 == 0 { write() } else { cancel() }).await;
    assert!(times < 12, "plans that are cancelled: {times}");
}

#[tokio::test]
async fn a_plan_or_report_that_comes_again_is_told_how_far_it_is() {
    let write = || plan_write("the goal", &["one", "two"]);
    let one = || step_done("s1", "ok");
    let script = vec![write(), write(), one(), one(), step_done("s2", "ok"), Reply::text("Done.")];
    let house = House::with(script).await;
    house.say("do it").await;
    house.wait("end", |event| matches!(event, Event::PlanDone { .. })).await;
    house.wait_idle().await;
    assert!(outcomes(&house).iter().all(|outcome| *outcome == Outcome::Ok));
    let told = house.model.requests().pop().unwrap().tool_results();
    assert!(told[1].contains("running") && told[3].contains("s2"), "{told:?}");
}
