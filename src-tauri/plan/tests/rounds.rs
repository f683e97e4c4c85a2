//! Going round in circles: what is called again and again, and what is said again and again.

mod support;

use plan::*;
use support::Story;

/// Turns until it is said that the agent gets nowhere.
fn turns(story: &mut Story, turn: impl Fn(usize) -> Vec<String>) -> (usize, String) {
    for number in 0..100 {
        if let Some(why) = story.room.gets_nowhere(&story.caps) {
            return (number, why);
        }
        for line in turn(number) {
            story.tell(&line);
        }
    }
    panic!("it goes on for ever: {}", story.told);
}

fn called(line: &str) -> Vec<String> {
    ["model: calls plan", line, "call: ok"].map(str::to_owned).to_vec()
}

#[test]
fn plans_that_are_written_and_cancelled_by_turns_end_the_turn() {
    let mut story = Story::new();
    story.tell("person: say go");
    let (times, why) = turns(&mut story, |n| {
        called(if n % 2 == 0 { "agent: write a" } else { "agent: cancel not so" })
    });
    assert_eq!(times, 9, "{}", story.told);
    assert!(why.contains("round in circles"), "{why}");
    story.replay();
    story.tell("person: say go on");
    assert_eq!(story.room.gets_nowhere(&story.caps), None, "a person had a word");
}

#[test]
fn revisions_without_end_end_the_turn_and_resuming_begins_anew() {
    let mut story = Story::new();
    story.tell("person: say go");
    story.tell("agent: write a, b");
    let (times, why) = turns(&mut story, |n| called(&format!("agent: set a {}", n % 2)));
    assert_eq!(times, 9, "{}", story.told);
    assert!(why.contains("press Resume") && !why.contains("Send a message"), "{why}");
    story.tell("person: pause");
    story.tell("person: resume");
    assert_eq!(story.room.gets_nowhere(&story.caps), None);
    story.replay();
}

#[test]
fn a_step_that_ends_is_progress_the_first_time() {
    let mut story = Story::new();
    story.tell("person: say go");
    story.tell("agent: write a, b, c, d, e, f, g, h, i, j, k, l");
    for step in ["a", "b", "c", "d", "e", "f", "g"] {
        called(&format!("agent: done {step} ok")).iter().for_each(|line| story.tell(line));
        assert_eq!(story.room.gets_nowhere(&story.caps), None, "{}", story.told);
    }
}

#[test]
fn the_same_plan_and_the_same_report_again_change_nothing_and_are_no_error() {
    let mut story = Story::new();
    for line in ["agent: write a, b", "agent: done a ok"] {
        story.tell(line);
    }
    let seq = story.room.seq;
    for line in ["agent: write a, b", "agent: done a ok"] {
        story.tell(line);
    }
    assert_eq!(story.room.seq, seq, "{}", story.told);
    assert!(!story.told.contains("refused"), "{}", story.told);
    story.tell("agent: write a, c");
    story.tell("agent: done a otherwise");
    assert!(story.told.contains("PLAN_ACTIVE"), "another plan is another: {}", story.told);
    assert!(story.told.contains("STEP_NOT_RUNNING"), "{}", story.told);
}

#[test]
fn a_goal_whose_results_nobody_puts_into_words_is_done_all_the_same() {
    let mut story = Story::new();
    for line in [
        "person: goal ship it",
        "model: calls plan",
        "agent: write a, b",
        "call: ok",
        "harness: done a found",
        "harness: done b lost",
    ] {
        story.tell(line);
    }
    let (_, why) = turns(&mut story, |_| called("agent: write x"));
    assert!(story.told.contains("PLAN_OVER"), "{}", story.told);
    let trouble = Command::Trouble {
        reason: PauseReason::Attempts,
        code: "STUCK".to_owned(),
        text: why,
        until: None,
    };
    story.submit(trouble, &Actor::harness()).expect("the harness may");
    let plan = story.room.plan.as_ref().expect("a plan");
    assert_eq!(plan.state, PlanState::Done, "{}", story.told);
    let result = plan.goal.as_ref().and_then(|goal| goal.result.as_ref()).expect("words");
    assert!(result.head().contains("found") && result.head().contains("lost"));
    story.replay();
}

#[test]
fn a_task_is_given_once_however_it_is_written_and_never_to_a_sidekick_of_its_own() {
    let mut story = Story::new();
    let task = |task: &str| Command::Delegate {
        room: RoomId(uuid::Uuid::from_u128(7)),
        codename: "calm-otter".into(),
        task: task.to_owned(),
        plan: None,
    };
    story.submit(task("Count the files."), &Actor::harness()).expect("the harness may");
    assert!(matches!(story.room.may_give("count THE files"), Err(Refusal::TaskGiven)));
    for number in 0..63 {
        assert!(story.room.may_give("another").is_ok());
        story.submit(task(&format!("task {number}")), &Actor::harness()).expect("it may");
    }
    assert!(matches!(story.room.may_give("another"), Err(Refusal::TooManyTasks { given: 64 })));
    story.tell("person: say go on");
    assert!(story.room.may_give("Count the files").is_ok(), "a person's word begins anew");
    assert!(matches!(Story::sidekick().room.may_give("Do it!"), Err(Refusal::TaskGiven)));
}
