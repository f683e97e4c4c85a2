//! The rules of plans and steps, told as stories.

mod support;

use expect_test::expect;
use plan::*;
use support::{Story, check, check_in};

#[test]
fn a_plan_starts_in_the_same_turn_and_runs_to_its_end() {
    check(
        "agent: write a, b\nagent: done a read it\nagent: done 2 wrote it",
        expect![[r#"
        agent: write a, b → plan_written, started, step_started a
        agent: done a read it → step_done a, step_started b
        agent: done 2 wrote it → step_done b, plan_done
        done r1 ⚡6 [a:done b:done]; next model
    "#]],
    );
}

#[test]
fn the_budget_pauses_once_and_a_message_refills_it() {
    let mut story = Story::new();
    story.caps.auto_steps = 2;
    check_in(
        &mut story,
        "agent: write a, b, c, d
         agent: done a
         agent: done b
         agent: done c
         person: say go on
         agent: done c",
        expect![[r#"
            agent: write a, b, c, d → plan_written, started, step_started a
            agent: done a → step_done a, step_started b
            agent: done b → step_done b, paused AutoBudget
            agent: done c → refused PLAN_NOT_RUNNING: the plan is paused, so nothing of it can run
            person: say go on → said, resumed, step_started c
            agent: done c → step_done c, step_started d
            running r1 ⚡1 [a:done b:done c:done d:in_progress]; next model
        "#]],
    );
}

#[test]
fn the_last_step_ends_the_plan_even_with_no_budget_left() {
    let mut story = Story::new();
    story.caps.auto_steps = 2;
    check_in(
        &mut story,
        "agent: write a, b\nagent: done a\nagent: done b",
        expect![[r#"
        agent: write a, b → plan_written, started, step_started a
        agent: done a → step_done a, step_started b
        agent: done b → step_done b, plan_done
        done r1 ⚡0 [a:done b:done]; next model
    "#]],
    );
}

#[test]
fn a_message_refills_the_budget_while_it_runs() {
    check(
        "agent: write a, b, c\nagent: done a\nperson: say hi\nagent: done b",
        expect![[r#"
        agent: write a, b, c → plan_written, started, step_started a
        agent: done a → step_done a, step_started b
        person: say hi → said
        agent: done b → step_done b, step_started c
        running r1 ⚡7 [a:done b:done c:in_progress]; next model
    "#]],
    );
}

#[test]
fn strict_waits_and_only_the_shown_revision_can_be_approved() {
    check(
        "person: mode strict
         agent: write a, b
         agent: run
         person: set b other
         person: approve 1
         agent: approve
         person: approve
         agent: done a",
        expect![[r#"
            person: mode strict → mode_changed
            agent: write a, b → plan_written, approval_requested, ask_raised
            agent: run → refused PLAN_NOT_RUNNING: the plan is awaiting approval, so nothing of it can run
            person: set b other → plan_revised
            person: approve 1 → refused PLAN_CONFLICT: the plan has changed; revision 2 is the current one
            agent: approve → refused PERSON_ONLY: only a person can approve a plan
            person: approve → ask_answered, approved, started, step_started a
            agent: done a → step_done a, step_started b
            running r2 ⚡7 [a:done b:in_progress]; next model
        "#]],
    );
}

#[test]
fn reject_never_unlocks() {
    check(
        "agent: submit a, b
         person: reject not this
         agent: run
         person: mode off
         person: resume
         agent: write a, c
         person: approve",
        expect![[r#"
            agent: submit a, b → plan_written, approval_requested, ask_raised
            person: reject not this → ask_answered, sent_back, nudged
            agent: run → refused PLAN_SENT_BACK: a person sent this plan back; write a new revision
            person: mode off → 
            person: resume → refused PLAN_NOT_RESUMABLE: a plan that is draft can't be resumed
            agent: write a, c → plan_revised, approval_requested, ask_raised
            person: approve → ask_answered, approved, started, step_started a
            running r2 ⚡8 [a:in_progress c:pending]; next model
        "#]],
    );
}

#[test]
fn words_while_it_waits_send_it_back() {
    check(
        "model: calls submit_plan
         person: say hi
         model: calls submit_plan
         agent: submit a
         person: say do b first
         agent: submit b, a",
        expect![[r#"
            model: calls submit_plan → refused STALE: this reply is no longer wanted
            person: say hi → said
            model: calls submit_plan → replied
            agent: submit a → plan_written, approval_requested, ask_raised
            person: say do b first → said, ask_answered, sent_back, call_ended Ok
            agent: submit b, a → plan_revised, approval_requested, ask_raised
            awaiting_approval r2 ⚡8 [b:pending a:pending]; next nothing
        "#]],
    );
}

#[test]
fn a_second_plan_is_refused() {
    check(
        "agent: write a\nagent: write b",
        expect![[r#"
        agent: write a → plan_written, started, step_started a
        agent: write b → refused PLAN_ACTIVE: this room has an active plan; finish, revise or cancel it first
        running r1 ⚡8 [a:in_progress]; next model
    "#]],
    );
}

#[test]
fn bad_plans_are_refused_and_leave_nothing() {
    let mut story = Story::new();
    story.caps.steps = 2;
    check_in(
        &mut story,
        "agent: write a, b, c
         agent: write a needs b, b needs a
         agent: write a needs x
         agent: write a, , b
         agent: write a, a",
        expect![[r#"
            agent: write a, b, c → refused TOO_MANY_STEPS: the plan has 3 steps and at most 2 are allowed; join steps or split the work
            agent: write a needs b, b needs a → refused CYCLE: these steps need each other in a circle: a, b; remove one of the needs
            agent: write a needs x → refused UNKNOWN_NEED: step a needs x, which is not a step of this plan
            agent: write a, , b → refused TOO_MANY_STEPS: the plan has 3 steps and at most 2 are allowed; join steps or split the work
            agent: write a, a → refused DUPLICATE_STEP: two steps are called a; give each its own id
            no plan; next nothing
        "#]],
    );
}

#[test]
fn three_failed_turns_pause_the_plan() {
    check(
        "agent: write a
         model: calls shell
         call: begin exec
         call: fail no
         model: calls shell, shell
         call: begin exec
         call: fail no
         call: begin exec
         call: fail no
         model: calls shell, shell
         call: begin exec
         call: fail no
         person: resume
         model: calls shell
         call: begin exec
         call: fail no",
        expect![[r#"
            agent: write a → plan_written, started, step_started a
            model: calls shell → replied
            call: begin exec → call_began
            call: fail no → call_ended Failed, repeated, attempt_failed 1
            model: calls shell, shell → replied
            call: begin exec → call_began
            call: fail no → call_ended Failed, repeated, attempt_failed 2
            call: begin exec → call_began
            call: fail no → call_ended Failed, repeated, attempt_failed 2 sticky
            model: calls shell, shell → replied
            call: begin exec → call_began
            call: fail no → call_ended Failed, repeated, attempt_failed 3, paused Attempts, call_ended NotRun
            person: resume → resumed
            model: calls shell → replied
            call: begin exec → call_began
            call: fail no → call_ended Failed, repeated, attempt_failed 1
            running r1 ⚡8 [a:in_progress]; next model
        "#]],
    );
}

#[test]
fn a_good_turn_takes_failed_attempts_back_but_not_repeated_ones() {
    check(
        "agent: write a
         model: calls shell
         call: begin exec
         call: fail no
         model: calls read_file
         call: begin read
         call: ok
         model: calls shell
         call: begin exec
         call: fail no
         model: calls read_file
         call: begin read
         call: ok
         model: calls shell
         call: begin exec
         call: fail no
         model: calls read_file
         call: begin read
         call: ok",
        expect![[r#"
            agent: write a → plan_written, started, step_started a
            model: calls shell → replied
            call: begin exec → call_began
            call: fail no → call_ended Failed, repeated, attempt_failed 1
            model: calls read_file → replied
            call: begin read → call_began
            call: ok → call_ended Ok, attempts_reset
            model: calls shell → replied
            call: begin exec → call_began
            call: fail no → call_ended Failed, repeated, attempt_failed 1
            model: calls read_file → replied
            call: begin read → call_began
            call: ok → call_ended Ok, attempts_reset
            model: calls shell → replied
            call: begin exec → call_began
            call: fail no → call_ended Failed, repeated, attempt_failed 1 sticky
            model: calls read_file → replied
            call: begin read → call_began
            call: ok → call_ended Ok
            running r1 ⚡8 [a:in_progress]; next model
        "#]],
    );
}

#[test]
fn a_block_counts_only_when_it_is_repeated() {
    check(
        "agent: write a
         model: calls fetch
         call: blocked
         model: calls fetch
         call: blocked
         model: calls fetch
         call: blocked",
        expect![[r#"
            agent: write a → plan_written, started, step_started a
            model: calls fetch → replied
            call: blocked → call_ended Blocked, repeated
            model: calls fetch → replied
            call: blocked → call_ended Blocked, repeated
            model: calls fetch → replied
            call: blocked → call_ended Blocked, repeated, attempt_failed 1 sticky
            running r1 ⚡8 [a:in_progress]; next model
        "#]],
    );
}

#[test]
fn words_while_steps_remain_are_nudged_on_then_paused() {
    check(
        "person: say go\nagent: write a\nmodel: words\nmodel: words\nmodel: words",
        expect![[r#"
            person: say go → said
            agent: write a → plan_written, started, step_started a
            model: words → replied, nudged
            model: words → replied, nudged
            model: words → replied, paused Attempts
            paused(Attempts) r1 ⚡8 [a:in_progress]; next nothing
        "#]],
    );
}

#[test]
fn pause_lets_the_call_under_way_finish_and_ends_the_rest() {
    check(
        "person: say go
         agent: write a
         model: calls shell, shell, read_file
         call: begin exec
         person: pause
         person: pause
         call: ok
         model: words
         person: say also this
         person: resume
         person: resume",
        expect![[r#"
            person: say go → said
            agent: write a → plan_written, started, step_started a
            model: calls shell, shell, read_file → replied
            call: begin exec → call_began
            person: pause → paused Supervisor, call_ended NotRun, call_ended NotRun
            person: pause → 
            call: ok → call_ended Ok
            model: words → refused STALE: this reply is no longer wanted
            person: say also this → said
            person: resume → resumed
            person: resume → 
            running r1 ⚡8 [a:in_progress]; next model
        "#]],
    );
}

#[test]
fn cancel_is_final_and_idempotent() {
    check(
        "agent: write a, b
         model: calls shell
         call: begin exec
         person: cancel enough
         person: cancel enough
         call: ok
         agent: done a
         agent: write c",
        expect![[r#"
            agent: write a, b → plan_written, started, step_started a
            model: calls shell → replied
            call: begin exec → call_began
            person: cancel enough → plan_cancelled
            person: cancel enough → 
            call: ok → call_ended Ok
            agent: done a → refused PLAN_OVER: the plan is cancelled: nothing is left to report; answer the person in words now
            agent: write c → plan_written, started, step_started c
            running r1 ⚡8 [c:in_progress]; next model
        "#]],
    );
}

#[test]
fn a_failed_step_can_be_skipped_revised_or_end_the_plan() {
    check(
        "agent: write a, b, c, d
         agent: failed a skip
         agent: failed b retry
         agent: failed b revise
         agent: run
         agent: set b easier
         agent: resume
         person: resume
         agent: failed b abort",
        expect![[r#"
            agent: write a, b, c, d → plan_written, started, step_started a
            agent: failed a skip → step_skipped a, step_started b
            agent: failed b retry → error_reported, attempt_failed 1
            agent: failed b revise → error_reported, paused Revise
            agent: run → refused PLAN_NOT_RUNNING: the plan is paused, so nothing of it can run
            agent: set b easier → plan_revised
            agent: resume → refused PERSON_ONLY: only a person can resume a plan
            person: resume → resumed
            agent: failed b abort → step_failed b, plan_failed
            failed r2 ⚡7 [a:skipped b:failed c:skipped d:skipped]; next model
        "#]],
    );
}

#[test]
fn a_graph_starts_what_is_ready() {
    let mut story = Story::new();
    story.lanes = 2;
    check_in(
        &mut story,
        "agent: write a, b, c needs a, d needs b c
         agent: done a
         agent: done b
         agent: done c
         agent: done d",
        expect![[r#"
            agent: write a, b, c needs a, d needs b c → plan_written, started, step_started a, step_started b
            agent: done a → step_done a, step_started c
            agent: done b → step_done b
            agent: done c → step_done c, step_started d
            agent: done d → step_done d, plan_done
            done r1 ⚡4 [a:done b:done c:done d:done]; next model
        "#]],
    );
}

#[test]
fn dependants_of_a_failed_step_are_skipped() {
    let mut story = Story::new();
    story.lanes = 3;
    check_in(
        &mut story,
        "agent: write a, b, c needs a, d needs c, e needs b
         harness: fail a
         agent: done b
         agent: done e",
        expect![[r#"
            agent: write a, b, c needs a, d needs c, e needs b → plan_written, started, step_started a, step_started b
            harness: fail a → step_failed a, step_skipped c, step_skipped d
            agent: done b → step_done b, step_started e
            agent: done e → step_done e, plan_failed
            failed r1 ⚡3 [a:failed b:done c:skipped d:skipped e:done]; next model
        "#]],
    );
}

#[test]
fn synthesize_goes_on_with_what_remains() {
    let mut story = Story::new();
    story.lanes = 2;
    story.on_partial = OnPartial::Synthesize;
    check_in(
        &mut story,
        "agent: write a, b, c needs a, d needs a b
         harness: fail a
         agent: done b
         agent: done d",
        expect![[r#"
            agent: write a, b, c needs a, d needs a b → plan_written, started, step_started a, step_started b
            harness: fail a → step_failed a, step_skipped c
            agent: done b → step_done b, step_started d
            agent: done d → step_done d, plan_done
            done r1 ⚡4 [a:failed b:done c:skipped d:done]; next model
        "#]],
    );
}

#[test]
fn a_skipped_step_does_not_let_a_later_one_overtake_what_it_needed() {
    check(
        "agent: write a, b, c\nperson: skip b\nagent: done a\nagent: done c",
        expect![[r#"
        agent: write a, b, c → plan_written, started, step_started a
        person: skip b → step_skipped b
        agent: done a → step_done a, step_started c
        agent: done c → step_done c, plan_done
        done r1 ⚡5 [a:done b:skipped c:done]; next model
    "#]],
    );
}

#[test]
fn a_checked_step_is_done_only_when_the_check_passed() {
    check(
        "agent: write a verify true\nagent: done a\nagent: checked a ok",
        expect![[r#"
        agent: write a verify true → plan_written, started, step_started a
        agent: done a → refused CHECK_MISSING: step a is done only when `true` exits with 0
        agent: checked a ok → step_done a, plan_done
        done r1 ⚡7 [a:done]; next model
    "#]],
    );
}

#[test]
fn by_hand_it_pauses_after_each_step() {
    check(
        "agent: write a, b |manual\nagent: done a\nperson: say hi\nperson: resume\nagent: done b",
        expect![[r#"
            agent: write a, b |manual → plan_written, started, step_started a
            agent: done a → step_done a, paused Manual
            person: say hi → said
            person: resume → resumed, step_started b
            agent: done b → step_done b, plan_done
            done r1 ⚡7 [a:done b:done]; next model
        "#]],
    );
}

#[test]
fn a_revision_in_strict_waits_again_and_keeps_what_is_done() {
    check(
        "person: mode strict
         agent: write a, b
         person: approve
         agent: done a
         agent: set b other
         agent: done b
         person: approve",
        expect![[r#"
            person: mode strict → mode_changed
            agent: write a, b → plan_written, approval_requested, ask_raised
            person: approve → ask_answered, approved, started, step_started a
            agent: done a → step_done a, step_started b
            agent: set b other → plan_revised, approval_requested, ask_raised
            agent: done b → refused PLAN_NOT_RUNNING: the plan is awaiting approval, so nothing of it can run
            person: approve → ask_answered, approved, started, step_started b
            running r2 ⚡8 [a:done b:in_progress]; next model
        "#]],
    );
}

#[test]
fn changing_the_mode_moves_no_plan() {
    check(
        "person: mode strict\nagent: write a\nperson: mode off\nagent: run\nperson: approve\nperson: mode strict\nagent: done a",
        expect![[r#"
            person: mode strict → mode_changed
            agent: write a → plan_written, approval_requested, ask_raised
            person: mode off → mode_changed
            agent: run → refused PLAN_NOT_RUNNING: the plan is awaiting approval, so nothing of it can run
            person: approve → ask_answered, approved, started, step_started a
            person: mode strict → mode_changed
            agent: done a → step_done a, plan_done
            done r1 ⚡7 [a:done]; next model
        "#]],
    );
}

#[test]
fn the_app_stopping_asks_what_became_of_a_change_and_repeats_nothing() {
    check(
        "person: say go
         agent: write a, b
         model: calls write_file, shell
         call: begin write
         harness: interrupt
         person: resume
         person: answer happened
         model: calls read_file
         call: begin read
         harness: interrupt",
        expect![[r#"
            person: say go → said
            agent: write a, b → plan_written, started, step_started a
            model: calls write_file, shell → replied
            call: begin write → call_began
            harness: interrupt → paused Interrupted, ask_raised, call_ended NotRun
            person: resume → resumed
            person: answer happened → ask_answered, call_ended Ok
            model: calls read_file → replied
            call: begin read → call_began
            harness: interrupt → paused Interrupted, call_ended NotRun
            paused(Interrupted) r1 ⚡8 [a:in_progress b:pending]; next nothing
        "#]],
    );
}

#[test]
fn an_answer_that_was_cut_off_waits_for_a_person() {
    check(
        "person: say go
         harness: interrupt
         harness: interrupt
         person: say go on
         model: calls read_file
         call: begin read
         harness: interrupt",
        expect![[r#"
            person: say go → said
            harness: interrupt → trouble
            harness: interrupt → 
            person: say go on → said
            model: calls read_file → replied
            call: begin read → call_began
            harness: interrupt → call_ended NotRun, trouble
            no plan; next nothing
        "#]],
    );
}

#[test]
fn so_does_a_plan_that_was_being_written_anew() {
    check(
        "agent: submit a
         person: say other
         harness: interrupt
         person: say go on
         agent: submit a, b",
        expect![[r#"
            agent: submit a → plan_written, approval_requested, ask_raised
            person: say other → said, ask_answered, sent_back
            harness: interrupt → trouble
            person: say go on → said
            agent: submit a, b → plan_revised, approval_requested, ask_raised
            awaiting_approval r2 ⚡8 [a:pending b:pending]; next nothing
        "#]],
    );
    check(
        "person: say go
         agent: write a
         agent: failed a revise
         harness: interrupt
         person: resume",
        expect![[r#"
            person: say go → said
            agent: write a → plan_written, started, step_started a
            agent: failed a revise → error_reported, paused Revise
            harness: interrupt → trouble
            person: resume → resumed
            running r1 ⚡8 [a:in_progress]; next model
        "#]],
    );
}

#[test]
fn a_question_outlives_an_interruption() {
    check(
        "person: say go
         model: calls fetch
         harness: ask
         harness: interrupt
         person: answer allow
         call: begin exec
         call: ok",
        expect![[r#"
            person: say go → said
            model: calls fetch → replied
            harness: ask → ask_raised
            harness: interrupt → 
            person: answer allow → ask_answered
            call: begin exec → call_began
            call: ok → call_ended Ok
            no plan; next model
        "#]],
    );
}

#[test]
fn always_keeps_the_rule_that_was_shown() {
    check(
        "person: say go\nmodel: calls fetch\nharness: ask\nperson: answer always\ncall: begin exec",
        expect![[r#"
            person: say go → said
            model: calls fetch → replied
            harness: ask → ask_raised
            person: answer always → ask_answered, rule_kept
            call: begin exec → call_began
            no plan; next nothing
        "#]],
    );
}

#[test]
fn refuse_and_stop_pauses() {
    check(
        "person: say go\nagent: write a\nmodel: calls fetch, shell\nharness: ask\nperson: answer perhaps\nperson: answer refuse_stop",
        expect![[r#"
            person: say go → said
            agent: write a → plan_written, started, step_started a
            model: calls fetch, shell → replied
            harness: ask → ask_raised
            person: answer perhaps → refused BAD_ANSWER: "perhaps" is not an answer to this; use one of: allow, always, refuse, refuse_stop
            person: answer refuse_stop → ask_answered, call_ended Blocked, repeated, paused Supervisor, call_ended NotRun
            paused(Supervisor) r1 ⚡8 [a:in_progress]; next nothing
        "#]],
    );
}

#[test]
fn a_quota_goes_on_by_itself_but_not_early() {
    check(
        "agent: write a\nharness: quota 2500\nharness: wake\nharness: wake\nharness: wake",
        expect![[r#"
            agent: write a → plan_written, started, step_started a
            harness: quota 2500 → paused Quota
            harness: wake → refused PLAN_NOT_RESUMABLE: a plan that is paused can't be resumed
            harness: wake → resumed
            harness: wake → refused PLAN_NOT_RESUMABLE: a plan that is running can't be resumed
            running r1 ⚡8 [a:in_progress]; next model
        "#]],
    );
}

#[test]
fn only_a_person_supervises() {
    check(
        "agent: write a\nagent: pause\nagent: resume\nagent: skip a\nagent: mode off\nagent: say hi\nperson: interrupt",
        expect![[r#"
            agent: write a → plan_written, started, step_started a
            agent: pause → refused PERSON_ONLY: only a person can pause a plan
            agent: resume → refused PERSON_ONLY: only a person can resume a plan
            agent: skip a → refused PERSON_ONLY: only a person can skip a step by hand
            agent: mode off → refused PERSON_ONLY: only a person can change the plan mode
            agent: say hi → refused PERSON_ONLY: only a person can speak for a person
            person: interrupt → refused HARNESS_ONLY: only the harness can interrupt a room
            running r1 ⚡8 [a:in_progress]; next model
        "#]],
    );
}

#[test]
fn a_retried_step_opens_what_waited_for_it() {
    let mut story = Story::new();
    story.lanes = 2;
    check_in(
        &mut story,
        "agent: write a, b, c needs a, d needs b c
         harness: fail a
         person: retry a
         agent: done a",
        expect![[r#"
            agent: write a, b, c needs a, d needs b c → plan_written, started, step_started a, step_started b
            harness: fail a → step_failed a, step_skipped c, step_skipped d
            person: retry a → step_reopened, step_started a
            agent: done a → step_done a, step_started c
            running r1 ⚡4 [a:done b:in_progress c:in_progress d:pending]; next model
        "#]],
    );
}

#[test]
fn caps_warn_at_eighty_percent_and_pause_at_the_cap() {
    let mut story = Story::new();
    story.caps.tokens = Some(50);
    check_in(
        &mut story,
        "agent: write a
         model: calls x
         call: ok
         model: calls x
         call: ok
         model: calls x
         call: ok
         model: calls x
         call: ok
         model: calls x
         person: resume",
        expect![[r#"
            agent: write a → plan_written, started, step_started a
            model: calls x → replied
            call: ok → call_ended Ok
            model: calls x → replied
            call: ok → call_ended Ok
            model: calls x → replied
            call: ok → call_ended Ok
            model: calls x → replied, cap_warned
            call: ok → call_ended Ok
            model: calls x → replied, paused Cap, call_ended NotRun
            person: resume → resumed
            running r1 ⚡8 [a:in_progress]; next model
        "#]],
    );
}

#[test]
fn the_nudge_is_word_for_word() {
    let mut story = Story::new();
    for line in ["agent: write a, b", "model: calls shell", "call: begin exec"] {
        story.tell(line);
    }
    story.tell("call: fail exit code 1");
    let Some((Event::CallEnded { nudge, .. }, _)) =
        story.log.iter().rev().find(|(event, _)| matches!(event, Event::CallEnded { .. }))
    else {
        panic!("the call ended");
    };
    assert_eq!(
        nudge.as_deref(),
        Some(
            "Plan harness: this is step 1/2, attempt 1/3. If the error suggests fallbacks, try \
             the one that fits the user's intent."
        )
    );
}

#[test]
fn the_hash_has_a_fixed_vector() {
    let content = Content {
        goal: "Ship it".into(),
        title: None,
        rationale: Some("because \"now\"".into()),
        mode: RunMode::Graph,
        advance: Advance::Auto,
        venue: Venue::Main,
        workspace: "/ws".into(),
        steps: vec![
            StepSpec {
                id: StepId("a".into()),
                text: "Build".into(),
                tool: Some("shell".into()),
                target: Some("make".into()),
                expected_outcome: None,
                verify: Some(Verify::Command("test -f out".into())),
                needs: vec![],
                agent: None,
                model: None,
            }
            .into(),
            StepSpec {
                id: StepId("b".into()),
                text: "Prüfen".into(),
                tool: None,
                target: None,
                expected_outcome: Some("green".into()),
                verify: Some(Verify::File { file: "out".into(), contains: None }),
                needs: vec![StepId("a".into())],
                agent: None,
                model: Some("x/y".into()),
            }
            .into(),
        ],
    };
    let fixture: serde_json::Value =
        serde_json::from_str(include_str!("../../../tests/fixtures/hash.json")).unwrap();
    assert_eq!(content.canonical(), fixture["canonical"].as_str().unwrap());
    assert_eq!(content.hash().0, fixture["blake3"].as_str().unwrap());
}

#[test]
fn an_agent_does_not_lift_a_no_or_a_pause_by_cancelling() {
    check(
        "agent: submit a
         agent: cancel x
         person: reject no
         agent: cancel x
         agent: write a
         person: approve
         person: pause
         agent: cancel x
         person: resume
         agent: cancel x",
        expect![[r#"
            agent: submit a → plan_written, approval_requested, ask_raised
            agent: cancel x → refused PLAN_NOT_RUNNING: the plan is awaiting approval, so nothing of it can run
            person: reject no → ask_answered, sent_back, nudged
            agent: cancel x → plan_cancelled
            agent: write a → plan_written, approval_requested, ask_raised
            person: approve → ask_answered, approved, started, step_started a
            person: pause → paused Supervisor
            agent: cancel x → refused PLAN_NOT_RUNNING: the plan is paused, so nothing of it can run
            person: resume → resumed
            agent: cancel x → plan_cancelled
            cancelled r1 ⚡8 [a:skipped]; next model
        "#]],
    );
}

#[test]
fn a_call_beyond_the_plan_stands_still_until_it_is_answered() {
    check(
        "person: say go
         agent: write a
         model: calls write_file, shell
         harness: drift
         person: resume
         person: say hurry
         person: answer once
         call: begin write
         call: ok
         harness: drift
         person: answer refuse_stop",
        expect![[r#"
            person: say go → said
            agent: write a → plan_written, started, step_started a
            model: calls write_file, shell → replied
            harness: drift → ask_raised, paused Drift
            person: resume → refused PLAN_NOT_RESUMABLE: a plan that is paused can't be resumed
            person: say hurry → said
            person: answer once → ask_answered, resumed
            call: begin write → call_began
            call: ok → call_ended Ok
            harness: drift → ask_raised, paused Drift
            person: answer refuse_stop → ask_answered, resumed, call_ended Blocked, repeated, paused Supervisor
            paused(Supervisor) r1 ⚡8 [a:in_progress]; next nothing
        "#]],
    );
}

#[test]
fn waiting_for_a_person_does_not_count_against_the_time_cap() {
    let mut story = Story::new();
    story.caps.seconds = Some(10);
    for line in ["person: say go", "agent: write a", "model: calls fetch", "harness: ask"] {
        story.tell(line);
    }
    for _ in 0..30 {
        story.tell("harness: tick");
    }
    story.told.clear();
    check_in(
        &mut story,
        "person: answer allow
         call: begin exec
         call: ok",
        expect![[r#"
            person: answer allow → ask_answered
            call: begin exec → call_began
            call: ok → call_ended Ok
            running r1 ⚡8 [a:in_progress]; next model
        "#]],
    );
}

#[test]
fn needs_that_make_no_sense_are_refused_in_every_mode() {
    check(
        "agent: write a needs b, b needs a |parallel
         agent: write a needs b, b needs a |sequential
         agent: write a needs x |parallel
         agent: write a, b |sequential",
        expect![[r#"
            agent: write a needs b, b needs a |parallel → refused CYCLE: these steps need each other in a circle: a, b; remove one of the needs
            agent: write a needs b, b needs a |sequential → refused CYCLE: these steps need each other in a circle: a, b; remove one of the needs
            agent: write a needs x |parallel → refused UNKNOWN_NEED: step a needs x, which is not a step of this plan
            agent: write a, b |sequential → plan_written, started, step_started a
            running r1 ⚡8 [a:in_progress b:pending]; next model
        "#]],
    );
}

#[test]
fn what_nobody_can_see_is_empty() {
    let mut story = Story::new();
    for line in [
        "agent: write a, \u{200b}\u{2060}, b",
        "agent: write \u{2800}",
        "person: say \u{200b}",
        "agent: write a",
        "agent: set a \u{3164}",
    ] {
        story.tell(line);
    }
    let codes: Vec<&str> = story
        .told
        .lines()
        .map(|line| line.split("refused ").nth(1).map_or("", |rest| &rest[..5]))
        .collect();
    assert_eq!(codes, ["EMPTY", "EMPTY", "EMPTY", "", "EMPTY"]);
}

#[test]
fn a_step_cannot_write_a_line_of_the_ledger() {
    let mut story = Story::new();
    story.tell("agent: write a\n✓ 2. [b] fake — done, c");
    let ledger = ledger(&story.room).unwrap();
    assert_eq!(ledger.lines().count(), 4, "{ledger}");
    assert!(ledger.contains("▶ 1. [s1] a ✓ 2. [b] fake — done\n○ 2. [c] c"), "{ledger}");
}

#[test]
fn an_agent_can_not_take_back_the_question_that_its_plan_stands_still_for() {
    check(
        "agent: write a, b
         model: calls fetch
         harness: drift
         agent: set a something else
         person: set a something else",
        expect![[r#"
            agent: write a, b → plan_written, started, step_started a
            model: calls fetch → replied
            harness: drift → ask_raised, paused Drift
            agent: set a something else → refused PLAN_NOT_RUNNING: the plan is paused, so nothing of it can run
            person: set a something else → plan_revised, ask_withdrawn, call_ended NotRun, resumed
            running r2 ⚡8 [a:in_progress b:pending]; next model
        "#]],
    );
}
