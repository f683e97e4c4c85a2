//! A sidekick's call beyond the plan: the step waits, and the plan stands still once nothing else
//! can go on.

use super::copies::write;
use super::{all, now, wait_state};
use flow::{House, me};
use plan::{AskKind, AskView, Command, Event, Held, PauseReason, PlanMode, StepRef};
use serde_json::{Value, json};
use std::time::Duration;
use support::{Reply, Script, ask_user, plan_write_with, sidekick_complete, wait_for};

const A_MINUTE: &str = "caps:\n  seconds: 60\n";

/// A plan in a strict room, approved; sidekicks do its steps.
async fn approved_with(plan: Reply, steps: Vec<(&str, Vec<Reply>)>) -> House {
    let above = vec![plan, Reply::text("They work."), Reply::text("All done.")];
    let mut rooms = steps;
    rooms.push(("do it", above));
    let house = House::configured(Script::by_room(rooms), A_MINUTE, &[]).await;
    house.mode(PlanMode::Strict).await;
    house.say("do it").await;
    house.wait("question", |event| matches!(event, Event::AskRaised { .. })).await;
    let plan = house.plan();
    let (revision, hash, model) = (plan.revision, plan.hash, None);
    let approve = Command::Approve { revision, hash, model, fresh_context: false };
    house.person(approve).await.expect("it is approved");
    house
}

fn step(text: &str, target: &str) -> Value {
    json!({ "text": text, "tool": "write_file", "target": target })
}

/// Two steps at once, each allowed one file.
async fn approved(one: Vec<Reply>, two: Vec<Reply>) -> House {
    let steps = json!([step("part 1", "a.md"), step("part 2", "b.md")]);
    let plan = plan_write_with("g", steps, json!({ "mode": "parallel" }));
    approved_with(plan, vec![("part 1", one), ("part 2", two)]).await
}

/// Goes beyond its step, and is done.
fn drifts(path: &str) -> Vec<Reply> {
    vec![write(path, "x"), sidekick_complete("done")]
}

/// The open questions about calls beyond the plan.
fn asked(house: &House) -> Vec<AskView> {
    let asks = house.view().asks.into_iter();
    asks.filter(|ask| ask.kind == AskKind::Drift).collect()
}

async fn wait_asked(house: &House, count: usize) -> Vec<AskView> {
    wait_for(async || asked(house).len() == count, "what is beyond the plan").await;
    asked(house)
}

async fn answer(house: &House, ask: &AskView, answer: &str) {
    let (revision, hash, note) = (None, None, None);
    let answer = Command::Answer { ask: ask.id, answer: answer.into(), note, revision, hash };
    let answered = house.engine().submit(ask.room_id, &me(), answer).expect("the room is there");
    answered.stored().await.expect("the answer is taken");
}

fn state(house: &House) -> (String, Option<PauseReason>) {
    let plan = house.plan();
    (plan.state, plan.pause_reason)
}

async fn wait_plan(house: &House, word: &str, reason: Option<PauseReason>) {
    let wanted = (word.to_owned(), reason);
    wait_for(async || state(house) == wanted, &format!("the plan to be {wanted:?}")).await;
}

async fn stands_still(house: &House) {
    wait_plan(house, "paused", Some(PauseReason::Drift)).await;
}

async fn done(house: &House) {
    house.wait("end", |event| matches!(event, Event::PlanDone { .. })).await;
    house.wait_idle().await;
}

#[tokio::test]
async fn the_plan_stands_still_once_the_others_have_ended_and_goes_on_with_the_answer() {
    let one = vec![write("a.md", "x").hold_after(1), sidekick_complete("one")];
    let house = approved(one, drifts("beyond.md")).await;
    let ask = wait_asked(&house, 1).await.remove(0);
    assert_eq!(state(&house).0, "running", "the other step goes on");
    house.model.release();
    stands_still(&house).await;
    let plan = house.plan();
    let step = &plan.steps[1];
    assert!(step.waiting && step.status == "in_progress" && plan.steps[0].status == "done");
    assert_eq!(house.person(Command::Resume).await, Err("PLAN_NOT_RESUMABLE"));
    // A person may take all the time in the world.
    house.clock.advance(Duration::from_secs(10_000));

    answer(&house, &ask, "once").await;
    done(&house).await;
    assert!(house.workspace.has("beyond.md"));
    let kinds = house.kinds();
    let count = |kind: &str| kinds.iter().filter(|one| *one == kind).count();
    assert_eq!((count("paused"), count("resumed")), (1, 1), "{kinds:?}");
    assert!(house.plan().ran_ms < 60_000, "{}", house.plan().ran_ms);
    // What is new for the room's own model is told in its own line each time.
    let above = super::requests(&house, "do it");
    let news = |request: &support::Recorded| {
        request.texts("system").iter().filter(|text| text.starts_with("Plan harness: ")).count()
    };
    let news: Vec<usize> = above.iter().skip(1).map(news).collect();
    assert!(news.is_sorted_by(|one, next| one < next), "it was asked nothing by that: {news:?}");
}

#[tokio::test]
async fn of_two_that_wait_the_one_that_was_answered_goes_on() {
    let house = approved(drifts("x.md"), drifts("y.md")).await;
    let asks = wait_asked(&house, 2).await;
    stands_still(&house).await;
    let [x, y] = ["x.md", "y.md"].map(|file| {
        asks.iter().find(|ask| ask.text.contains(file)).cloned().expect("both are asked")
    });
    answer(&house, &x, "once").await;
    house.wait("one step", |event| matches!(event, Event::StepDone { .. })).await;
    stands_still(&house).await;
    assert!(house.workspace.has("x.md") && !house.workspace.has("y.md"));
    answer(&house, &y, "refuse").await;
    done(&house).await;
    assert!(!house.workspace.has("y.md"));
}

/// What is added is in the plan above: it is not asked again, and the record says so.
#[tokio::test]
async fn adding_to_the_plan_adds_to_the_step_that_the_sidekick_does() {
    for venue in ["main", "sidekick"] {
        let two = vec![write("beyond.md", "x"), write("beyond.md", "y"), sidekick_complete("two")];
        let steps = json!([step("part 1", "a.md"), step("part 2", "b.md")]);
        let mode = if venue == "main" { "parallel" } else { "sequential" };
        let plan = plan_write_with("g", steps, json!({ "mode": mode, "venue": venue }));
        let mut rooms = vec![("part 1", vec![sidekick_complete("one")]), ("part 2", two.clone())];
        if venue == "sidekick" {
            rooms = vec![("part 1", [vec![sidekick_complete("one")], two].concat())];
        }
        let house = approved_with(plan, rooms).await;
        let ask = wait_asked(&house, 1).await.remove(0);
        let plan = house.plan();
        let about = (ask.plan_id, ask.step_id.clone());
        assert_eq!(about, (Some(plan.id), Some(plan.steps[1].id.clone())), "{venue}");
        answer(&house, &ask, "add").await;
        done(&house).await;
        assert_eq!(house.workspace.read("beyond.md"), "y");
        let asked = log_of(&house, ask.room_id, "ask_raised");
        assert_eq!(asked, 1, "the same call passes from then on");
        let plan = house.plan();
        let amended = plan.approval.expect("it was approved").amended;
        assert_eq!(amended.len(), 1, "{amended:?}");
        assert_eq!(amended[0].step, plan.steps[1].id);
        assert!(amended[0].now.contains("beyond.md") && amended[0].by.is_person());
        assert_eq!(plan.steps[1].added, ["write_file(beyond.md)"]);
        assert!(plan.steps[0].added.is_empty());
    }
}

fn log_of(house: &House, room: plan::RoomId, kind: &str) -> usize {
    super::log(house, room).iter().filter(|event| event.kind() == kind).count()
}

#[tokio::test]
async fn it_stands_still_over_a_restart_and_goes_on_with_the_answer() {
    let one = vec![sidekick_complete("one")];
    let mut house = approved(one, drifts("beyond.md")).await;
    wait_asked(&house, 1).await;
    stands_still(&house).await;
    house.restart().await;
    let ask = wait_asked(&house, 1).await.remove(0);
    assert_eq!(state(&house), ("paused".to_owned(), Some(PauseReason::Drift)));
    answer(&house, &ask, "once").await;
    done(&house).await;
    assert!(house.workspace.has("beyond.md"));
}

#[tokio::test]
async fn who_is_stopped_or_skipped_holds_nothing_up() {
    for skips in [false, true] {
        let house = approved(vec![sidekick_complete("one")], drifts("beyond.md")).await;
        let ask = wait_asked(&house, 1).await.remove(0);
        stands_still(&house).await;
        let end = match skips {
            true => {
                house.person(Command::Skip { step: StepRef::Number(2) }).await.unwrap();
                "plan_done"
            }
            false => {
                house.engine().stop_sidekick(ask.room_id, &me()).await.unwrap();
                "plan_failed"
            }
        };
        house.wait("end", |event| event.kind() == end).await;
        assert!(asked(&house).is_empty() && !house.workspace.has("beyond.md"));
        assert_eq!(now(&house, ask.room_id).state, "stopped");
    }
}

#[tokio::test]
async fn refusing_and_stopping_pauses_the_plan_above() {
    let house = approved(vec![sidekick_complete("one")], drifts("beyond.md")).await;
    let ask = wait_asked(&house, 1).await.remove(0);
    stands_still(&house).await;
    answer(&house, &ask, "refuse_stop").await;
    wait_plan(&house, "paused", Some(PauseReason::Supervisor)).await;
    assert_eq!(super::requests(&house, "part 2").len(), 1, "nothing goes on");
    house.person(Command::Resume).await.unwrap();
    done(&house).await;
    assert!(!house.workspace.has("beyond.md"));
}

/// Only what is beyond the plan pauses it; the time of any other question does not count either.
#[tokio::test]
async fn a_question_holds_the_plan_and_costs_no_time() {
    let two = vec![ask_user("which one?", &[]), sidekick_complete("that one")];
    let house = approved(vec![sidekick_complete("one")], two).await;
    wait_for(async || house.plan().held == Some(Held::Answer), "the plan to wait").await;
    assert_eq!(state(&house), ("running".to_owned(), None));
    house.clock.advance(Duration::from_secs(10_000));
    let ask = house.view().asks.remove(0);
    answer(&house, &ask, "the blue one").await;
    done(&house).await;
    assert!(house.plan().ran_ms < 60_000, "{}", house.plan().ran_ms);
}

#[tokio::test]
async fn one_that_does_a_whole_plan_lets_it_stand_still_too() {
    let steps = json!([step("part 1", "a.md")]);
    let plan = plan_write_with("g", steps, json!({ "venue": "sidekick" }));
    let house = approved_with(plan, vec![("part 1", drifts("beyond.md"))]).await;
    let ask = wait_asked(&house, 1).await.remove(0);
    stands_still(&house).await;
    wait_state(&house, all(&house)[0].id, "waiting").await;
    answer(&house, &ask, "once").await;
    done(&house).await;
    assert!(house.workspace.has("beyond.md"));
}
