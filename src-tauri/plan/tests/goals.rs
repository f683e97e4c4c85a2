//! Goals: splitting, working, joining.

mod support;

use expect_test::{Expect, expect};
use plan::*;
use support::{Story, check_in};

fn story(on_partial: OnPartial) -> Story {
    let mut story = Story::new();
    story.lanes = 2;
    story.on_partial = on_partial;
    story.caps.timeout_ms = 60_000;
    story
}

fn check(on_partial: OnPartial, lines: &str, expect: Expect) {
    check_in(&mut story(on_partial), lines, expect);
}

#[test]
fn a_goal_is_split_done_and_brought_together() {
    check(
        OnPartial::Synthesize,
        "person: goal ship it
         model: calls plan
         agent: write a, b, c needs a b
         call: ok
         harness: done a
         harness: done b
         harness: done c
         model: words",
        expect![[r#"
            person: goal ship it → said, plan_written, started, planning_began
            model: calls plan → replied
            agent: write a, b, c needs a b → plan_revised, started, step_started a, step_started b
            call: ok → call_ended Ok
            harness: done a → step_done a
            harness: done b → step_done b, step_started c
            harness: done c → step_done c, synthesis_began
            model: words → replied, plan_done
            done r1 ⚡5 [a:done b:done c:done]; next nothing
        "#]],
    );
}

#[test]
fn what_was_written_is_refused_three_times_and_then_it_has_failed() {
    check(
        OnPartial::Synthesize,
        "person: goal ship it
         model: words
         model: calls plan
         call: blocked
         harness: refuse a circle
         model: words",
        expect![[r#"
            person: goal ship it → said, plan_written, started, planning_began
            model: words → replied, split_refused, nudged, planning_began
            model: calls plan → replied
            call: blocked → call_ended Blocked
            harness: refuse a circle → split_refused, nudged
            model: words → replied, split_refused, plan_failed
            failed r0 ⚡8 []; next nothing
        "#]],
    );
}

#[test]
fn a_refusal_means_nothing_once_it_is_split() {
    check(
        OnPartial::Synthesize,
        "person: goal ship it
         model: calls plan
         agent: write a
         call: ok
         harness: refuse a circle
         harness: refuse a circle",
        expect![[r#"
            person: goal ship it → said, plan_written, started, planning_began
            model: calls plan → replied
            agent: write a → plan_revised, started, step_started a
            call: ok → call_ended Ok
            harness: refuse a circle → 
            harness: refuse a circle → 
            running r1 ⚡8 [a:in_progress]; next nothing
        "#]],
    );
}

#[test]
fn only_a_person_sets_a_goal_and_one_at_a_time() {
    check(
        OnPartial::Synthesize,
        "agent: goal mine
         harness: goal ours
         person: goal  
         person: goal ship it
         person: goal another",
        expect![[r#"
            agent: goal mine → refused PERSON_ONLY: only a person can set a goal
            harness: goal ours → refused PERSON_ONLY: only a person can set a goal
            person: goal → refused EMPTY_GOAL: the plan has no goal; say in `goal` what it is for
            person: goal ship it → said, plan_written, started, planning_began
            person: goal another → refused PLAN_ACTIVE: this room has an active plan; finish, revise or cancel it first
            running r0 ⚡8 []; next model
        "#]],
    );
}

#[test]
fn a_failed_step_leaves_the_rest_or_fails_the_goal() {
    let lines = "person: goal ship it
         model: calls plan
         agent: write a, b, c needs a
         call: ok
         harness: fail a
         harness: done b";
    check(
        OnPartial::Synthesize,
        lines,
        expect![[r#"
        person: goal ship it → said, plan_written, started, planning_began
        model: calls plan → replied
        agent: write a, b, c needs a → plan_revised, started, step_started a, step_started b
        call: ok → call_ended Ok
        harness: fail a → step_failed a, step_skipped c
        harness: done b → step_done b, synthesis_began
        running r1 ⚡5 [a:failed b:done c:skipped]; next model
    "#]],
    );
    check(
        OnPartial::Fail,
        lines,
        expect![[r#"
        person: goal ship it → said, plan_written, started, planning_began
        model: calls plan → replied
        agent: write a, b, c needs a → plan_revised, started, step_started a, step_started b
        call: ok → call_ended Ok
        harness: fail a → step_failed a, step_skipped c
        harness: done b → step_done b, plan_failed
        failed r1 ⚡5 [a:failed b:done c:skipped]; next nothing
    "#]],
    );
}

#[test]
fn time_that_is_over_ends_what_is_under_way() {
    let lines = "person: goal ship it
         model: calls plan
         agent: write a, b, c needs b
         call: ok
         harness: done a
         harness: tick
         harness: tick";
    let told = |on_partial, expect| {
        let mut story = story(on_partial);
        story.caps.timeout_ms = 5_000;
        check_in(&mut story, lines, expect);
    };
    told(
        OnPartial::Synthesize,
        expect![[r#"
        person: goal ship it → said, plan_written, started, planning_began
        model: calls plan → replied
        agent: write a, b, c needs b → plan_revised, started, step_started b, step_started a
        call: ok → call_ended Ok
        harness: done a → step_done a
        harness: tick → step_failed b, step_skipped c, synthesis_began
        harness: tick → 
        running r1 ⚡5 [a:done b:failed c:skipped]; next model
    "#]],
    );
    told(
        OnPartial::Fail,
        expect![[r#"
        person: goal ship it → said, plan_written, started, planning_began
        model: calls plan → replied
        agent: write a, b, c needs b → plan_revised, started, step_started b, step_started a
        call: ok → call_ended Ok
        harness: done a → step_done a
        harness: tick → step_failed b, plan_failed
        harness: tick → 
        failed r1 ⚡6 [a:done b:failed c:skipped]; next nothing
    "#]],
    );
}

#[test]
fn time_that_is_nearly_over_is_warned_about_once() {
    let mut story = story(OnPartial::Synthesize);
    // Each line comes one second after the last.
    story.caps.timeout_ms = 10_000;
    check_in(
        &mut story,
        "person: goal ship it
         model: calls plan
         agent: write a, b
         call: ok
         harness: done a
         harness: tick
         harness: tick
         harness: tick
         harness: tick
         harness: tick
         harness: tick",
        expect![[r#"
            person: goal ship it → said, plan_written, started, planning_began
            model: calls plan → replied
            agent: write a, b → plan_revised, started, step_started a
            call: ok → call_ended Ok
            harness: done a → step_done a, step_started b
            harness: tick → 
            harness: tick → 
            harness: tick → 
            harness: tick → cap_warned
            harness: tick → 
            harness: tick → step_failed b, synthesis_began
            running r1 ⚡6 [a:done b:failed]; next model
        "#]],
    );
}

#[test]
fn what_was_said_and_what_is_done_outlives_the_time() {
    let lines = "person: goal ship it
         model: calls plan
         agent: write a, b, c needs b
         call: ok
         harness: tick
         harness: tick a settles
         harness: tick a settles
         harness: done a";
    let told = |on_partial, expect| {
        let mut story = story(on_partial);
        story.caps.timeout_ms = 5_000;
        check_in(&mut story, lines, expect);
    };
    told(
        OnPartial::Synthesize,
        expect![[r#"
            person: goal ship it → said, plan_written, started, planning_began
            model: calls plan → replied
            agent: write a, b, c needs b → plan_revised, started, step_started b, step_started a
            call: ok → call_ended Ok
            harness: tick → cap_warned
            harness: tick a settles → step_failed b, step_skipped c
            harness: tick a settles → 
            harness: done a → step_done a, synthesis_began
            running r1 ⚡5 [a:done b:failed c:skipped]; next model
        "#]],
    );
    told(
        OnPartial::Fail,
        expect![[r#"
            person: goal ship it → said, plan_written, started, planning_began
            model: calls plan → replied
            agent: write a, b, c needs b → plan_revised, started, step_started b, step_started a
            call: ok → call_ended Ok
            harness: tick → cap_warned
            harness: tick a settles → step_failed b, step_skipped c
            harness: tick a settles → 
            harness: done a → step_done a, plan_failed
            failed r1 ⚡5 [a:done b:failed c:skipped]; next nothing
        "#]],
    );

    let mut story = story(OnPartial::Synthesize);
    story.caps.timeout_ms = 5_000;
    for line in lines.lines().take(5) {
        story.tell(line.trim());
    }
    story.tell("harness: tick b half of it\n\nis here");
    let step = &story.room.plan.as_ref().unwrap().steps[1];
    let error = "5 s were over; so far: half of it is here".to_owned();
    assert_eq!(step.state, plan::StepState::Failed { error });
}

#[test]
fn time_in_which_all_waits_does_not_count() {
    let mut story = story(OnPartial::Synthesize);
    story.caps.timeout_ms = 5_000;
    check_in(
        &mut story,
        "person: goal ship it
         model: calls plan
         agent: write a, b
         call: ok
         harness: hold slot
         harness: tick
         harness: tick
         harness: tick
         harness: tick
         harness: hold slot
         harness: hold
         harness: tick",
        expect![[r#"
            person: goal ship it → said, plan_written, started, planning_began
            model: calls plan → replied
            agent: write a, b → plan_revised, started, step_started a
            call: ok → call_ended Ok
            harness: hold slot → plan_held
            harness: tick → 
            harness: tick → 
            harness: tick → 
            harness: tick → 
            harness: hold slot → 
            harness: hold → plan_held
            harness: tick → step_failed a, step_skipped b, plan_failed
            failed r1 ⚡6 [a:failed b:skipped]; next nothing
        "#]],
    );
}

#[test]
fn who_waits_for_a_person_takes_no_place_and_nothing_stands_still_while_others_can_start() {
    check(
        OnPartial::Synthesize,
        "person: goal ship it
         model: calls plan
         agent: write a, b, c, d |parallel
         call: ok
         harness: hold no a
         harness: hold no a
         harness: hold drift a b c
         harness: hold drift a b c d
         harness: hold no b c d
         harness: done a
         harness: hold answer b c d",
        expect![[r#"
            person: goal ship it → said, plan_written, started, planning_began
            model: calls plan → replied
            agent: write a, b, c, d |parallel → plan_revised, started, step_started a, step_started b
            call: ok → call_ended Ok
            harness: hold no a → plan_held, step_started c
            harness: hold no a → 
            harness: hold drift a b c → plan_held, step_started d
            harness: hold drift a b c d → paused Drift
            harness: hold no b c d → resumed
            harness: done a → step_done a
            harness: hold answer b c d → plan_held
            running r1 ⚡7 [a:done b:in_progress c:in_progress d:in_progress]; next nothing
        "#]],
    );
}

#[test]
fn strict_mode_asks_first_and_waiting_takes_no_time() {
    let mut story = story(OnPartial::Synthesize);
    story.caps.timeout_ms = 4_000;
    check_in(
        &mut story,
        "person: mode strict
         person: goal ship it
         model: calls plan
         agent: write a
         harness: tick
         harness: tick
         harness: tick
         harness: tick
         person: approve
         harness: done a
         model: words",
        expect![[r#"
            person: mode strict → mode_changed
            person: goal ship it → said, plan_written, started, planning_began
            model: calls plan → replied
            agent: write a → plan_revised, approval_requested, ask_raised
            harness: tick → 
            harness: tick → 
            harness: tick → 
            harness: tick → 
            person: approve → ask_answered, approved, started, step_started a, call_ended Ok
            harness: done a → step_done a, synthesis_began
            model: words → replied, plan_done
            done r1 ⚡7 [a:done]; next nothing
        "#]],
    );
}

#[test]
fn a_stop_of_the_app_pauses_it_wherever_it_is() {
    check(
        OnPartial::Synthesize,
        "person: goal ship it
         harness: interrupt
         person: resume
         model: calls plan
         agent: write a
         call: ok
         harness: interrupt
         person: resume
         harness: done a
         harness: interrupt
         person: resume
         model: words",
        expect![[r#"
            person: goal ship it → said, plan_written, started, planning_began
            harness: interrupt → paused Interrupted
            person: resume → resumed
            model: calls plan → replied
            agent: write a → plan_revised, started, step_started a
            call: ok → call_ended Ok
            harness: interrupt → paused Interrupted
            person: resume → resumed
            harness: done a → step_done a, synthesis_began
            harness: interrupt → paused Interrupted
            person: resume → resumed
            model: words → replied, plan_done
            done r1 ⚡8 [a:done]; next nothing
        "#]],
    );
}

#[test]
fn a_step_that_is_done_again_takes_it_back_to_work() {
    check(
        OnPartial::Synthesize,
        "person: goal ship it
         model: calls plan
         agent: write a, b |parallel
         call: ok
         harness: fail a
         harness: done b
         person: retry a
         harness: done a
         model: words",
        expect![[r#"
            person: goal ship it → said, plan_written, started, planning_began
            model: calls plan → replied
            agent: write a, b |parallel → plan_revised, started, step_started a, step_started b
            call: ok → call_ended Ok
            harness: fail a → step_failed a
            harness: done b → step_done b, synthesis_began
            person: retry a → step_reopened, step_started a
            harness: done a → step_done a, synthesis_began
            model: words → replied, plan_done
            done r1 ⚡5 [a:done b:done]; next nothing
        "#]],
    );
}

#[test]
fn an_end_that_was_stored_before_there_were_goals_is_read_as_it_was() {
    let stored = r#"{"type":"plan_done"}"#;
    let event: Event = serde_json::from_str(stored).unwrap();
    assert_eq!(event, Event::PlanDone { failed_steps: Vec::new(), result: None });
    assert_eq!(serde_json::to_string(&event).unwrap(), stored);
}

/// A call beyond the plan that a sidekick waits with: the plan stands still, and its time too.
#[test]
fn a_plan_whose_sidekicks_all_wait_for_a_drift_stands_still() {
    let mut story = story(OnPartial::Synthesize);
    story.caps.timeout_ms = 6_000;
    check_in(
        &mut story,
        "person: goal ship it
         model: calls plan
         agent: write a, b
         call: ok
         harness: hold answer
         harness: hold drift
         harness: hold drift
         harness: tick
         harness: tick
         harness: tick
         person: pause
         harness: hold
         person: resume
         harness: hold drift
         harness: hold
         harness: hold",
        expect![[r#"
            person: goal ship it → said, plan_written, started, planning_began
            model: calls plan → replied
            agent: write a, b → plan_revised, started, step_started a
            call: ok → call_ended Ok
            harness: hold answer → plan_held
            harness: hold drift → paused Drift
            harness: hold drift → 
            harness: tick → 
            harness: tick → 
            harness: tick → 
            person: pause → paused Supervisor
            harness: hold → 
            person: resume → resumed
            harness: hold drift → paused Drift
            harness: hold → resumed
            harness: hold → 
            running r1 ⚡8 [a:in_progress b:pending]; next nothing
        "#]],
    );
}
