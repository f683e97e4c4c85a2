//! The scopes of stopping: after the call, after the step, the step itself.

mod support;

use plan::*;
use support::Story;

fn told(lines: &[&str]) -> Story {
    let mut story = Story::new();
    lines.iter().for_each(|line| story.tell(line));
    story
}

fn plan(story: &Story) -> PlanView {
    view(&story.room).and_then(|view| view.plan).expect("a plan")
}

fn standing(story: &Story) -> (String, Option<PauseReason>, bool, Vec<String>) {
    let plan = plan(story);
    let steps = plan.steps.into_iter().map(|step| step.status).collect();
    (plan.state, plan.pause_reason, plan.pauses_after, steps)
}

fn steps(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

#[test]
fn pausing_after_a_step_lets_it_end_and_starts_no_other() {
    let mut story = told(&["agent: write a, b", "person: pause_after"]);
    let running = ("running".to_owned(), None, true, steps(&["in_progress", "pending"]));
    assert_eq!(standing(&story), running);
    assert_eq!(work::next(&story.room), Work::Model, "the step goes on");
    story.tell("agent: done a ok");
    let by_you = Some(PauseReason::Supervisor);
    let paused = ("paused".to_owned(), by_you, false, steps(&["done", "pending"]));
    assert_eq!(standing(&story), paused, "the wish is over with the pause");
    story.tell("person: resume");
    story.tell("agent: done b ok");
    assert_eq!(plan(&story).state, "done");
    story.replay();
}

#[test]
fn the_wish_to_pause_after_a_step_can_be_taken_back() {
    let lines =
        ["agent: write a, b", "person: pause_after", "person: pause_not", "agent: done a ok"];
    let story = told(&lines);
    let running = ("running".to_owned(), None, false, steps(&["done", "in_progress"]));
    assert_eq!(standing(&story), running);
    story.replay();
}

#[test]
fn after_the_last_step_there_is_nothing_to_pause() {
    let story = told(&["agent: write a", "person: pause_after", "agent: done a ok"]);
    assert_eq!(plan(&story).state, "done");
}

#[test]
fn steps_side_by_side_all_end_before_the_pause() {
    let mut story = told(&["agent: write a, b |parallel"]);
    let lanes = story.room.plan.as_ref().map(|plan| plan.in_progress().count());
    story.tell("person: pause_after");
    for step in ["a", "b"].into_iter().take(lanes.unwrap_or(1)) {
        assert_eq!(plan(&story).state, "running", "before {step}");
        story.tell(&format!("agent: done {step} ok"));
    }
    assert_ne!(plan(&story).state, "running");
}

#[test]
fn stopping_a_step_dooms_its_call_and_it_is_done_again() {
    let mut story = told(&["agent: write a, b", "model: calls shell", "call: begin"]);
    let call = story.room.calls[0].request.id;
    assert!(!story.room.is_doomed(call));
    story.tell("person: stop_step");
    assert!(story.room.is_doomed(call), "what runs for it is stopped");
    let by_you = Some(PauseReason::Supervisor);
    let paused = ("paused".to_owned(), by_you, false, steps(&["in_progress", "pending"]));
    assert_eq!(standing(&story), paused);
    story.tell("call: fail stopped");
    story.tell("person: resume");
    assert_eq!(plan(&story).steps[0].attempts, 0, "a stop is no failure of the agent's");
    story.tell("model: calls shell");
    story.tell("call: begin");
    let call = story.room.calls[0].request.id;
    assert!(!story.room.is_doomed(call), "the next one runs");
    story.replay();
}

#[test]
fn only_a_person_stops_and_only_what_runs() {
    for line in ["pause_after", "stop_step", "override a"] {
        let mut story = told(&["agent: write a, b"]);
        let before = story.room.seq;
        story.tell(&format!("agent: {line}"));
        assert_eq!(story.room.seq, before, "agent: {line}");
        assert!(story.told.contains("PERSON_ONLY"), "{}", story.told);
    }
    for line in ["pause_after", "stop_step"] {
        let mut story = told(&["person: mode strict", "agent: write a, b"]);
        story.told.clear();
        story.tell(&format!("person: {line}"));
        assert!(story.told.contains("PLAN_NOT_PAUSABLE"), "{}", story.told);
    }
}

#[test]
fn what_a_check_found_is_shown_until_the_step_is_tried_afresh_and_a_person_may_pass_over_it() {
    let mut story = told(&["agent: write a, b", "harness: check_failed a no such file"]);
    let found = |story: &Story| plan(story).steps[0].check_failed.clone();
    assert_eq!(found(&story).as_deref(), Some("no such file"));
    story.tell("person: pause");
    assert_eq!(found(&story).as_deref(), Some("no such file"), "to be read");
    story.tell("person: resume");
    assert_eq!(found(&story), None);

    story.tell("harness: check_failed a still none");
    story.tell("person: override a");
    assert_eq!(found(&story), None);
    let first = &plan(&story).steps[0];
    assert_eq!(first.status, "done");
    assert_eq!(first.result.as_deref(), Some("a person marked it as done"));
    story.replay();
}

#[test]
fn a_change_under_way_ends_when_the_room_becomes_strict_and_looking_goes_on() {
    for (begin, doomed) in [("call: begin", true), ("call: begin read", false)] {
        let mut story = told(&["person: say do it", "model: calls shell", begin]);
        let call = story.room.calls[0].request.id;
        assert!(!story.room.is_doomed(call));
        story.tell("person: mode strict");
        assert_eq!(story.room.is_doomed(call), doomed, "{begin}");
    }
}

#[test]
fn stopping_reaches_whoever_writes_a_plan_anew() {
    let mut story = told(&["agent: submit a", "person: say other"]);
    assert_eq!(work::next(&story.room), Work::Model, "it is written anew");
    stop(&mut story);
    assert_eq!(work::next(&story.room), Work::None);
    assert_eq!(plan(&story).state, "draft");
    story.tell("person: say go on");
    assert_eq!(work::next(&story.room), Work::Model);
    story.replay();

    let mut story = told(&["person: say go", "agent: write a", "agent: failed a revise"]);
    assert_eq!(work::next(&story.room), Work::Model, "it is revised");
    stop(&mut story);
    assert_eq!(work::next(&story.room), Work::None);
    assert_eq!(plan(&story).pause_reason, Some(PauseReason::Supervisor));
    story.tell("person: resume");
    assert_eq!(work::next(&story.room), Work::Model);
    story.replay();
}

fn stop(story: &mut Story) {
    let me = Actor::person("me", Surface::Window);
    story.submit(Command::Stop { so_far: None }, &me).expect("it is stopped");
}

#[test]
fn a_word_about_one_call_does_not_hide_how_others_fail() {
    let failing = ["person: say go", "model: calls shell", "call: begin", "call: fail"];
    let planned = [&["agent: write a"][..], &failing[1..]].concat();
    for (before, asked, answer, kept) in [
        (&failing[..], "harness: ask", "person: answer allow", true),
        (&planned[..], "harness: drift", "person: answer once", true),
        (&failing[..], "harness: ask", "person: say once more", false),
    ] {
        let mut story = told(before);
        assert_eq!(story.room.stuck.turns, 1);
        ["model: calls fetch", asked, answer].iter().for_each(|line| story.tell(line));
        assert_eq!(story.room.stuck.turns == 1, kept, "{}", story.told);
        story.replay();
    }
}
