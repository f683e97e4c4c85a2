//! The planning model at work: when its turns begin and end, and what it may do in them.

mod support;

use expect_test::expect;
use plan::*;
use support::{Story, check, check_in};

/// A room in which the executing model wanted to plan.
fn planning(mode: &str) -> Story {
    let mut story = Story::new();
    story.tell(&format!("person: mode {mode}"));
    story.tell("person: say do it");
    story.tell("model: aside");
    story
}

fn facts(tool: &str, effect: Effect) -> Facts {
    Facts {
        tool: tool.to_owned(),
        also: Vec::new(),
        known: true,
        effect,
        source: Source::Catalogue,
        targets: Vec::new(),
        sandbox: true,
        allowed: false,
    }
}

fn code(story: &Story, tool: &str, effect: Effect) -> &'static str {
    let standing = Standing { room: &story.room, rules: &[], step: None };
    match gate(&[standing], &facts(tool, effect)) {
        Verdict::Allow { .. } | Verdict::Warn { .. } => "allow",
        Verdict::Ask { .. } => "ask",
        Verdict::Block { code, .. } => code,
    }
}

#[test]
fn a_turn_that_is_set_aside_costs_and_leaves_nothing_else() {
    let mut story = planning("off");
    assert_eq!(story.room.usage.tokens(), 11);
    assert_eq!((story.room.planning, story.room.calls.len()), (Some(turns(0)), 0));
    assert_eq!(work::next(&story.room), Work::Model);
    story.tell("model: words");
    assert_eq!(story.room.planning, None, "words are an answer");
    story.replay();
}

fn turns(turns: u32) -> Planning {
    Planning { turns, most: 12 }
}

#[test]
fn who_plans_looks_around_and_ends_by_writing() {
    check(
        "
        person: say do it
        model: aside
        model: calls read_file
        call: begin read
        call: ok found
        model: calls plan, write_file
        agent: write a, b
        call: ok
        model: calls write_file
        ",
        expect![[r#"
            person: say do it → said
            model: aside → spent, planning_began
            model: calls read_file → replied
            call: begin read → call_began
            call: ok found → call_ended Ok
            model: calls plan, write_file → replied
            agent: write a, b → plan_written, started, step_started a, call_ended NotRun
            call: ok → call_ended Ok
            model: calls write_file → replied
            running r1 ⚡8 [a:in_progress b:pending]; next 1 calls
        "#]],
    );
}

#[test]
fn a_refused_plan_does_not_end_it_and_a_persons_edit_neither() {
    let mut story = planning("strict");
    story.tell("model: calls plan");
    story.tell("agent: write a needs b, b needs a");
    assert_eq!(story.room.planning, Some(turns(1)));
    story.tell("agent: write a, b");
    assert_eq!(story.room.planning, None);
    story.tell("person: reject not so");
    story.tell("model: aside");
    story.tell("person: set a something else");
    assert_eq!(story.room.planning, Some(turns(0)), "{}", story.told);
    story.tell("model: calls plan");
    story.tell("agent: set a another thing");
    assert_eq!(story.room.planning, None, "{}", story.told);
    story.replay();
}

#[test]
fn the_plan_says_which_model_wrote_it() {
    let mut story = planning("strict");
    let by = |story: &Story| story.room.plan.as_ref().and_then(|plan| plan.planned_by.clone());
    story.tell("model: calls plan");
    story.tell("agent: write a, b");
    assert_eq!(by(&story), Some("m".to_owned()));
    story.tell("person: set a something else");
    assert_eq!(by(&story), Some("m".to_owned()), "an edit by hand does not change that");
    let view = view(&story.room).and_then(|room| room.plan).expect("a plan");
    assert_eq!((view.planned_by, view.revision), (Some("m".to_owned()), 2));
    story.replay();
}

#[test]
fn planning_ends_with_trouble_a_stop_a_cancel_and_the_last_attempt() {
    for end in ["trouble", "stop"] {
        let mut story = planning("off");
        let (command, actor) = match end {
            "stop" => (Command::Stop { so_far: None }, Actor::person("me", Surface::Window)),
            _ => (trouble(PauseReason::Provider), Actor::harness()),
        };
        story.submit(command, &actor).expect("it ends");
        assert_eq!(story.room.planning, None, "{end}");
        story.replay();
    }
    let running = || {
        let mut story = Story::new();
        for line in ["person: say do it", "agent: write a, b", "model: aside"] {
            story.tell(line);
        }
        assert_eq!(story.room.planning, Some(turns(0)), "{}", story.told);
        story
    };
    let mut story = running();
    story.tell("person: cancel enough");
    assert_eq!(story.room.planning, None);
    for (reason, goes_on) in [(PauseReason::Attempts, false), (PauseReason::Quota, true)] {
        let mut story = running();
        story.submit(trouble(reason), &Actor::harness()).expect("it pauses");
        assert_eq!(story.room.planning.is_some(), goes_on, "{reason:?}");
        story.tell("person: resume");
        assert_eq!(story.room.planning.is_some(), goes_on, "{reason:?}");
        story.replay();
    }
}

fn trouble(reason: PauseReason) -> Command {
    Command::Trouble { reason, code: "X".into(), text: "x".into(), until: None }
}

#[test]
fn words_of_a_turn_that_was_set_aside_are_not_kept_by_a_stop() {
    let mut story = planning("off");
    let seen = story.room.seq - 2;
    let so_far = Some(SoFar { model: "m".into(), text: "I will".into(), seen });
    let person = Actor::person("me", Surface::Window);
    let events = story.submit(Command::Stop { so_far }, &person).expect("it stops");
    assert!(!events.iter().any(|event| matches!(event, Event::Replied { .. })), "{events:?}");
    story.replay();
}

#[test]
fn an_answer_that_is_no_longer_wanted_is_not_set_aside() {
    check(
        "
        model: aside
        person: say do it
        agent: write a
        person: pause
        model: aside
        agent: write b
        ",
        expect![[r#"
            model: aside → refused STALE: this reply is no longer wanted
            person: say do it → said
            agent: write a → plan_written, started, step_started a
            person: pause → paused Supervisor
            model: aside → refused STALE: this reply is no longer wanted
            agent: write b → refused PLAN_ACTIVE: this room has an active plan; finish, revise or cancel it first
            paused(Supervisor) r1 ⚡8 [a:in_progress]; next nothing
        "#]],
    );
    let mut story = Story::new();
    story.tell("person: say do it");
    let aside = Command::SetAside {
        model: "m".into(),
        usage: Usage::default(),
        seen: story.room.seq,
        turns: 12,
    };
    assert!(story.submit(aside.clone(), &Actor::agent("default")).is_err(), "the harness alone");
    story.submit(aside.clone(), &Actor::harness()).expect("it is set aside");
    let again = story.submit(aside, &Actor::harness());
    assert_eq!(again.err().map(|refusal| refusal.code()), Some("STALE"), "once");
}

#[test]
fn looking_around_for_another_plan_is_no_progress() {
    let mut story = Story::new();
    story.caps.idle_turns = 2;
    check_in(
        &mut story,
        "
        person: say do it
        agent: write a
        model: aside
        model: calls read_file
        call: ok found
        model: words
        model: aside
        model: calls read_file
        call: ok found
        model: words
        ",
        expect![[r#"
            person: say do it → said
            agent: write a → plan_written, started, step_started a
            model: aside → spent, planning_began
            model: calls read_file → replied
            call: ok found → call_ended Ok
            model: words → replied, nudged
            model: aside → spent, planning_began
            model: calls read_file → replied
            call: ok found → call_ended Ok
            model: words → replied, paused Attempts
            paused(Attempts) r1 ⚡8 [a:in_progress]; next nothing
        "#]],
    );
}

#[test]
fn what_fails_in_planning_is_no_attempt_at_the_step() {
    let mut story = Story::new();
    for line in ["person: say do it", "agent: write a", "model: aside"] {
        story.tell(line);
    }
    for _ in 0..4 {
        story.tell("model: calls read_file");
        story.tell("call: fail no such file");
    }
    assert!(!story.told.contains("attempt_failed") && !story.told.contains("repeated"));
    assert!(story.room.running_plan().is_some(), "{}", story.told);
}

#[test]
fn who_plans_only_looks_in_every_mode() {
    let all = [
        Effect::Read,
        Effect::Control,
        Effect::Write,
        Effect::WriteOutside,
        Effect::Exec,
        Effect::Network,
        Effect::Delegate,
    ];
    for mode in ["off", "soft", "strict"] {
        let mut story = planning(mode);
        story.tell("model: calls any");
        for effect in all {
            let expected = if effect.changes_things() { "PLANNING" } else { "allow" };
            assert_eq!(code(&story, "any", effect), expected, "{mode} {effect:?}");
        }
        let call = story.room.calls[0].request.id;
        let begin = Command::BeginCall { call, effect: Effect::Write, touches: vec![], how: None };
        let begun = story.submit(begin, &Actor::harness());
        assert_eq!(begun.err().map(|refusal| refusal.code()), Some("NOT_APPROVED"), "{mode}");
    }
}

#[test]
fn who_plans_reads_while_the_plan_is_paused_for_it_and_only_then() {
    for (pause, expected) in [("agent: failed a revise", "allow"), ("person: pause", "PAUSED")] {
        let mut story = Story::new();
        story.tell("person: say do it");
        story.tell("agent: write a");
        if expected == "allow" {
            story.tell(pause);
            assert_eq!(code(&story, "read_file", Effect::Read), "PAUSED", "the other model");
            story.tell("model: aside");
        } else {
            story.tell("model: aside");
            story.tell(pause);
        }
        assert!(story.room.planning.is_some(), "{}", story.told);
        assert_eq!(code(&story, "read_file", Effect::Read), expected, "{}", story.told);
        assert_eq!(code(&story, "write_file", Effect::Write), "PLANNING");
        if expected == "allow" {
            story.tell("model: calls read_file");
            story.tell("call: begin read");
            assert!(story.told.ends_with("call_began\n"), "{}", story.told);
        }
    }
}

#[test]
fn after_its_turns_it_writes_or_answers() {
    let mut story = Story::new();
    story.caps.planning_turns = 2;
    story.tell("person: say do it");
    story.tell("model: aside");
    for turn in 1..=4 {
        let planning = story.room.planning.expect("it plans");
        assert_eq!(planning.must_decide_next(), turn > 2, "before turn {turn}");
        assert!(!planning.is_given_up(), "before turn {turn}");
        story.tell("model: calls read_file");
        let late = if turn > 2 { "PLAN_NOW" } else { "allow" };
        assert_eq!(code(&story, "read_file", Effect::Read), late, "turn {turn}");
        assert_eq!(code(&story, "ask_user", Effect::Control), late, "turn {turn}");
        assert_eq!(code(&story, "plan", Effect::Control), "allow", "turn {turn}");
        assert_eq!(code(&story, "submit_plan", Effect::Control), "allow", "turn {turn}");
        story.tell("call: ok");
    }
    story.tell("model: calls read_file");
    assert!(story.room.planning.is_some_and(|planning| planning.is_given_up()));
}

#[test]
fn after_a_restart_planning_goes_on_when_a_person_does() {
    let mut story = planning("off");
    story.tell("harness: interrupt");
    assert_eq!(work::next(&story.room), Work::None, "nobody is asked by itself");
    story.tell("person: say go on");
    assert_eq!(story.room.planning, Some(turns(0)));
    assert_eq!(work::next(&story.room), Work::Model);
    story.replay();
    let mut story = Story::new();
    for line in ["person: say do it", "agent: write a", "model: aside", "harness: interrupt"] {
        story.tell(line);
    }
    assert!(story.room.is_paused_for(PauseReason::Interrupted));
    story.tell("person: resume");
    assert_eq!(story.room.planning, Some(turns(0)));
    story.replay();
}

#[test]
fn the_ledger_tells_all_that_a_fresh_reader_needs() {
    let mut story = Story::new();
    let step = |text: &str| FullStep { text: text.into(), ..FullStep::default() };
    let named = FullStep {
        tool: Some("write_file".into()),
        target: Some("docs/notes.md".into()),
        expected_outcome: Some("the notes are there".into()),
        verify: Some(Verify::Command("test -s docs/notes.md".into())),
        ..step("write the notes")
    };
    let steps = [step("look"), named].map(|step| DraftStep::Full(Box::new(step)));
    let draft = Draft {
        goal: "notes for the team".into(),
        title: Some("Notes".into()),
        rationale: Some("They asked\nfor them.".into()),
        steps: steps.into(),
        ..Draft::default()
    };
    let write = Command::Write {
        plan: PlanId(story.id()),
        ask: AskId(story.id()),
        call: None,
        draft,
        frame: story.frame(Origin::Chat),
    };
    story.submit(write, &Actor::agent("default")).expect("it is written");
    expect![[r#"
        Plan (revision 1): notes for the team
        Title: Notes
        Why: They asked for them.
        State: running. Work on step 1 now; when it is done, report step_done.
        ▶ 1. [s1] look
        ○ 2. [s2] write the notes (uses write_file docs/notes.md) (expected: the notes are there) (done when `test -s docs/notes.md` exits with 0)
    "#]].assert_eq(&ledger(&story.room).unwrap_or_default());
}

#[test]
fn who_plans_ends_no_step_and_no_plan() {
    let attacks =
        ["done a ok", "failed a skip", "failed a abort", "failed a revise", "cancel no", "run"];
    for attack in attacks {
        let mut story = Story::new();
        for line in ["person: say do it", "agent: write a, b", "model: aside", "model: calls plan"]
        {
            story.tell(line);
        }
        let before = story.room.clone();
        story.tell(&format!("agent: {attack}"));
        assert!(
            story.told.contains("refused PLANNING: this turn is for planning"),
            "{}",
            story.told
        );
        assert_eq!(story.room, before, "{attack}");
        story.tell("agent: set b otherwise");
        assert_eq!(story.room.planning, None, "{}", story.told);
        story.tell("agent: done a ok");
        assert!(story.told.ends_with("step_done a, step_started b\n"), "{}", story.told);
        story.replay();
    }
}

#[test]
fn a_person_ends_what_is_being_planned_for() {
    for line in ["person: cancel no", "person: skip a"] {
        let mut story = Story::new();
        for line in ["person: say do it", "agent: write a, b", "model: aside", line] {
            story.tell(line);
        }
        assert!(!story.told.contains("refused"), "{}", story.told);
    }
}
