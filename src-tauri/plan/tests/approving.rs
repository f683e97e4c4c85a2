//! What a person does to a plan that waits, and what stays open to them later.

mod support;

use expect_test::expect;
use plan::*;
use support::{Story, check, check_in};

fn write(story: &mut Story, steps: Vec<DraftStep>) -> Command {
    Command::Write {
        plan: PlanId(story.id()),
        ask: AskId(story.id()),
        call: None,
        draft: Draft { goal: "goal".into(), steps, ..Draft::default() },
        frame: story.frame(Origin::Chat),
    }
}

#[test]
fn comments_are_one_round_and_leave_all_other_steps_alone() {
    let mut story = Story::new();
    check_in(
        &mut story,
        "person: mode strict
         person: say go
         model: calls plan
         agent: write a, b, c
         person: comment b use less words
         model: calls plan
         agent: write a, b, c",
        expect![[r#"
            person: mode strict → mode_changed
            person: say go → said
            model: calls plan → replied
            agent: write a, b, c → plan_written, approval_requested, ask_raised
            person: comment b use less words → said, ask_answered, sent_back, call_ended Ok
            model: calls plan → replied
            agent: write a, b, c → plan_revised, approval_requested, ask_raised
            awaiting_approval r2 ⚡8 [a:pending b:pending c:pending]; next nothing
        "#]],
    );
    let steps = |story: &Story| -> Vec<String> {
        let plan = story.room.plan.as_ref().expect("a plan");
        plan.steps.iter().map(|step| step.spec.text.clone()).collect()
    };
    assert_eq!(steps(&story), ["a", "b", "c"]);
    // A step nobody spoke of is what it was, whatever the agent makes of it; the other is new.
    for line in ["person: comment b shorter", "model: calls plan"] {
        story.tell(line);
    }
    let step = |id: &str, text: &str| {
        let (id, text) = (Some(id.to_owned()), text.to_owned());
        DraftStep::Full(Box::new(FullStep { id, text, ..FullStep::default() }))
    };
    let steps_now = vec![step("a", "a, but bigger"), step("b", "b, shorter"), step("c", "c too")];
    let write = write(&mut story, steps_now);
    story.submit(write, &Actor::agent("default")).expect("it is written");
    assert_eq!(steps(&story), ["a", "b, shorter", "c"]);
}

#[test]
fn words_about_the_whole_may_change_any_step() {
    check(
        "person: mode strict
         agent: write a, b
         person: comment all make it three
         agent: write a, b, c
         person: comment all
         person: comment z what
         person: approve",
        expect![[r#"
            person: mode strict → mode_changed
            agent: write a, b → plan_written, approval_requested, ask_raised
            person: comment all make it three → said, ask_answered, sent_back
            agent: write a, b, c → plan_revised, approval_requested, ask_raised
            person: comment all → refused EMPTY_MESSAGE: the message is empty
            person: comment z what → refused STEP_NOT_FOUND: the plan has no step z
            person: approve → ask_answered, approved, started, step_started a
            running r2 ⚡8 [a:in_progress b:pending c:pending]; next model
        "#]],
    );
}

#[test]
fn only_a_plan_that_waits_is_commented_on() {
    check(
        "agent: write a, b
         person: comment a other",
        expect![[r#"
            agent: write a, b → plan_written, started, step_started a
            person: comment a other → refused PLAN_NOT_WAITING: the plan does not wait for approval; it is running
            running r1 ⚡8 [a:in_progress b:pending]; next model
        "#]],
    );
}

#[test]
fn the_hand_switch_is_a_new_revision_while_the_plan_waits() {
    check(
        "person: mode strict
         agent: write a, b
         person: let a 1
         person: approve 1
         person: unlet a 1
         person: unlet a 2
         person: let a
         person: approve
         person: unlet a
         person: let a",
        expect![[r#"
            person: mode strict → mode_changed
            agent: write a, b → plan_written, approval_requested, ask_raised
            person: let a 1 → plan_revised, step_may_change
            person: approve 1 → refused PLAN_CONFLICT: the plan has changed; revision 2 is the current one
            person: unlet a 1 → refused PLAN_CONFLICT: the plan has changed; revision 2 is the current one
            person: unlet a 2 → plan_revised, step_may_change
            person: let a → plan_revised, step_may_change
            person: approve → ask_answered, approved, started, step_started a
            person: unlet a → step_may_change
            person: let a → step_may_change
            running r4 ⚡8 [a:in_progress b:pending]; next model
        "#]],
    );
}

#[test]
fn a_plan_that_ran_before_the_mode_was_strict_can_still_be_approved() {
    check(
        "agent: write a, b
         person: mode strict
         model: calls plan
         agent: run
         person: approve
         agent: run",
        expect![[r#"
            agent: write a, b → plan_written, started, step_started a
            person: mode strict → mode_changed
            model: calls plan → replied
            agent: run → approval_requested, ask_raised
            person: approve → ask_answered, approved, started, step_started a
            agent: run → 
            running r1 ⚡8 [a:in_progress b:pending]; next 1 calls
        "#]],
    );
}

#[test]
fn the_same_call_refused_again_and_again_is_a_failed_attempt() {
    check(
        "person: say go
         agent: write a
         model: calls shell
         harness: drift
         person: answer refuse
         model: calls shell
         harness: drift
         person: answer refuse
         model: calls shell
         harness: drift
         person: answer refuse",
        expect![[r#"
            person: say go → said
            agent: write a → plan_written, started, step_started a
            model: calls shell → replied
            harness: drift → ask_raised, paused Drift
            person: answer refuse → ask_answered, resumed, call_ended Blocked, repeated
            model: calls shell → replied
            harness: drift → ask_raised, paused Drift
            person: answer refuse → ask_answered, resumed, call_ended Blocked, repeated
            model: calls shell → replied
            harness: drift → ask_raised, paused Drift
            person: answer refuse → ask_answered, resumed, call_ended Blocked, repeated, attempt_failed 1 sticky
            running r1 ⚡8 [a:in_progress]; next model
        "#]],
    );
}

#[test]
fn what_is_blank_is_not_there() {
    let mut story = Story::new();
    story.tell("person: mode strict");
    let full = FullStep {
        text: "look around".into(),
        tool: Some("edit_file".into()),
        target: Some(" ".into()),
        expected_outcome: Some(String::new()),
        ..FullStep::default()
    };
    let write = write(&mut story, vec![DraftStep::Full(Box::new(full))]);
    story.submit(write, &Actor::agent("default")).expect("it is written");
    let target = |story: &Story| {
        let plan = story.room.plan.as_ref().expect("a plan");
        plan.steps[0].spec.target.clone()
    };
    assert_eq!(target(&story), None);
    for (given, kept) in [("a.md", Some("a.md".to_owned())), ("", None)] {
        let to = Patch { target: Some(given.to_owned()), ..Patch::default() };
        let revise = Command::Revise {
            edits: vec![Edit::Set { step: StepRef::Number(1), to }],
            reason: None,
            seen: None,
            ask: AskId(story.id()),
            call: None,
        };
        let person = Actor::person("me", Surface::Window);
        story.submit(revise, &person).expect("it is changed");
        assert_eq!(target(&story), kept);
    }
}

#[test]
fn what_approving_allows_is_counted_from_the_steps() {
    let mut story = Story::new();
    story.tell("person: mode strict");
    let step = |tool: &str, target: &str, check: Option<&str>| {
        DraftStep::Full(Box::new(FullStep {
            text: "work".into(),
            tool: (!tool.is_empty()).then(|| tool.to_owned()),
            target: (!target.is_empty()).then(|| target.to_owned()),
            verify: check.map(|check| Verify::Command(check.to_owned())),
            ..FullStep::default()
        }))
    };
    let steps = vec![
        step("write_file", "a.md, b.md", None),
        step("edit_file", "./a.md", Some("make test")),
        step("", "docs/**, src/{a,b}.rs", None),
        step("shell", "make && make install", Some("make test")),
        step("fetch", "https://example.org/a, example.org, *.example.org", None),
        step("shell", "make && curl https://example.com/x", None),
        step("read_file", "a.md", None),
        step("edit_file", "/etc/hosts, ../up", None),
        step("tracker.close", "schema:1234", None),
        step("", "", None),
    ];
    let write = write(&mut story, steps);
    story.submit(write, &Actor::agent("default")).expect("it is written");
    story.tell("person: let s10");
    let plan = view(&story.room).and_then(|view| view.plan).expect("a plan");
    let expected = Allows {
        files: 2,
        patterns: 2,
        commands: 3,
        with_more: 0,
        any_folder: 0,
        as_written: 0,
        checks: 1,
        hosts: 2,
        host_patterns: 1,
        tools: 1,
        free: 1,
    };
    assert_eq!(plan.allows, expected);
}

/// A plan of one step before a person: what approving allows, and what the step is allowed.
fn of_one(tool: &str, target: &str) -> (Allows, String) {
    let mut story = Story::new();
    story.tell("person: mode strict");
    let step = FullStep {
        text: "work".into(),
        tool: (!tool.is_empty()).then(|| tool.to_owned()),
        target: Some(target.to_owned()),
        ..FullStep::default()
    };
    let write = write(&mut story, vec![DraftStep::Full(Box::new(step))]);
    story.submit(write, &Actor::agent("default")).expect("it is written");
    let plan = view(&story.room).and_then(|view| view.plan).expect("a plan");
    let warned = answer::written(&story.room)["warnings"][0].is_string();
    let grants = plan.steps[0].grants.clone();
    assert_eq!(warned, grants == "read only", "{tool} {target}");
    (plan.allows, grants)
}

/// The gate's table has the same targets, and what it lets pass of them.
#[test]
fn what_no_approval_can_allow_is_not_counted_and_not_said_to_be_allowed() {
    let nothing = (Allows::default(), "read only".to_owned());
    for tool in ["", "write_file", "edit_file", "create_directory", "move_file", "delete_file"] {
        for target in ["/", ".", "./", "//", "./.", "..", "../up", "/etc/hosts", "/, .", "a/../b"] {
            assert_eq!(of_one(tool, target), nothing, "{tool} {target}");
        }
    }
    for (tool, target) in [("nope", "a.md"), ("nope", "*"), ("tracker.close", "issue 4")] {
        assert_eq!(of_one(tool, target), nothing, "{tool} {target}");
    }
    let files = |files| Allows { files, ..Allows::default() };
    assert_eq!(of_one("edit_file", "., a.md, /etc/x"), (files(1), "edit_file a.md".to_owned()));
    assert_eq!(of_one("", "./a.md"), (files(1), "change ./a.md".to_owned()));
    assert_eq!(of_one("write_file", "docs/"), (files(1), "write_file docs/".to_owned()));
    let patterns = Allows { patterns: 1, ..Allows::default() };
    assert_eq!(of_one("", "**"), (patterns, "change **".to_owned()));
    let tools = Allows { tools: 1, ..Allows::default() };
    let grants = "tracker.close issue 4, schema:12".to_owned();
    assert_eq!(of_one("tracker.close", "issue 4, schema:12"), (tools, grants));
}

#[test]
fn a_command_with_a_pattern_is_allowed_as_it_is_written() {
    let as_written = Allows { as_written: 1, ..Allows::default() };
    for command in ["git *", "rm -r *.o", "ls a?", "make && git *", "grep a\\.b", "echo 'a"] {
        let grants = format!("shell {command}, as it is written");
        assert_eq!(of_one("shell", command), (as_written.clone(), grants), "{command}");
    }
    for command in ["git", "find . -name '*.o'", "grep \"a*\" b", "cd sub && git"] {
        let commands = Allows { commands: 1, ..Allows::default() };
        assert_eq!(of_one("shell", command), (commands, format!("shell {command}")), "{command}");
    }
    for command in ["git …", "cd sub && git ..."] {
        let more = Allows { with_more: 1, ..Allows::default() };
        assert_eq!(of_one("shell", command), (more, format!("shell {command}")), "{command}");
    }
}

#[test]
fn a_step_that_names_nothing_approval_can_allow_has_the_hand_switch() {
    let mut story = Story::new();
    story.tell("person: mode strict");
    let step = |target: &str| {
        let (tool, target) = (Some("write_file".to_owned()), Some(target.to_owned()));
        DraftStep::Full(Box::new(FullStep {
            text: "x".into(),
            tool,
            target,
            ..FullStep::default()
        }))
    };
    let write = write(&mut story, vec![step("."), step("a.md")]);
    story.submit(write, &Actor::agent("default")).expect("it is written");
    story.tell("person: let s1");
    let plan = view(&story.room).and_then(|view| view.plan).expect("a plan");
    assert_eq!(plan.steps[0].grants, "may change the workspace");
    assert_eq!(plan.allows, Allows { files: 1, free: 1, ..Allows::default() });
    story.replay();
}

#[test]
fn the_end_says_what_was_done_beyond_the_plan() {
    let mut story = Story::new();
    for line in ["person: say go", "agent: write a, b", "model: calls write_file, shell, shell"] {
        story.tell(line);
    }
    let deeds = [("a.md", How::Planned), ("b.md", How::Once), ("b.md", How::Once)];
    for (path, how) in deeds {
        let call = story.room.calls[0].request.id;
        let (effect, touches) = (Effect::Write, vec![path.to_owned()]);
        let begin = Command::BeginCall { call, effect, touches, how: Some(how) };
        story.submit(begin, &Actor::harness()).expect("it begins");
        story.tell("call: ok");
    }
    let report = |story: &Story| view(&story.room).and_then(|view| view.plan?.report);
    assert_eq!(report(&story), None);
    for line in ["agent: done a", "agent: done b"] {
        story.tell(line);
    }
    let lines = report(&story).expect("a report").lines;
    let beyond = Deed { tool: "shell".into(), touches: vec!["b.md".into()], how: How::Once };
    assert_eq!((lines[0].touched, &lines[0].beyond[..]), (true, &[beyond][..]));
    assert_eq!((lines[1].touched, lines[1].beyond.len()), (false, 0));
    story.replay();
}

#[test]
fn what_is_asked_about_a_plan_goes_when_the_plan_changes() {
    check(
        "person: mode strict
         agent: write a, b
         person: approve
         model: calls shell
         harness: drift
         person: set b other
         person: approve
         model: calls shell
         harness: drift
         person: mode off
         person: set b another",
        expect![[r#"
            person: mode strict → mode_changed
            agent: write a, b → plan_written, approval_requested, ask_raised
            person: approve → ask_answered, approved, started, step_started a
            model: calls shell → replied
            harness: drift → ask_raised, paused Drift
            person: set b other → plan_revised, ask_withdrawn, call_ended NotRun, approval_requested, ask_raised
            person: approve → ask_answered, approved, started, step_started a
            model: calls shell → replied
            harness: drift → ask_raised, paused Drift
            person: mode off → mode_changed
            person: set b another → plan_revised, ask_withdrawn, call_ended NotRun, resumed
            running r3 ⚡8 [a:in_progress b:pending]; next model
        "#]],
    );
}

#[test]
fn a_pause_takes_the_question_with_it() {
    check(
        "person: say go
         agent: write a
         model: calls shell
         harness: drift
         person: pause
         person: resume",
        expect![[r#"
            person: say go → said
            agent: write a → plan_written, started, step_started a
            model: calls shell → replied
            harness: drift → ask_raised, paused Drift
            person: pause → paused Supervisor, ask_withdrawn, call_ended NotRun
            person: resume → resumed
            running r1 ⚡8 [a:in_progress]; next model
        "#]],
    );
}

#[test]
fn what_a_step_names_is_on_one_line() {
    let mut story = Story::new();
    let parts: [fn(&mut FullStep, String); 4] = [
        |step, words| step.target = Some(words),
        |step, words| step.tool = Some(words),
        |step, words| step.model = Some(words),
        |step, words| step.verify = Some(Verify::Command(words)),
    ];
    for set in parts {
        for words in [
            "ls # \nrm -rf src",
            "ls\r",
            "a\tb",
            "ls\u{2028}rm",
            "ls \u{1b}[8mrm",
            "a\u{202e}b",
            "a\u{200b}b",
        ] {
            let mut full = FullStep { text: "look".into(), ..FullStep::default() };
            set(&mut full, words.to_owned());
            let write = write(&mut story, vec![DraftStep::Full(Box::new(full))]);
            let refused = story.submit(write, &Actor::agent("default")).expect_err(words);
            assert_eq!(refused.code(), "NOT_ONE_LINE", "{words:?}");
        }
    }
}

/// Before a person: a step that names what it changes, one that only names a tool, one that hands
/// work on, and one that names nothing.
fn named() -> Story {
    let mut story = Story::new();
    story.tell("person: mode strict");
    let step = |id: &str, tool: Option<&str>, target: Option<&str>| {
        let (tool, target) = (tool.map(str::to_owned), target.map(str::to_owned));
        let (id, text) = (Some(id.to_owned()), id.to_owned());
        DraftStep::Full(Box::new(FullStep { id, text, tool, target, ..FullStep::default() }))
    };
    let steps = vec![
        step("file", Some("write_file"), Some("a.txt")),
        step("path", None, Some("src/**")),
        step("tool", Some("write_file"), None),
        step("hand", Some("spawn_sidekick"), None),
        step("free", None, None),
    ];
    let write = write(&mut story, steps);
    story.submit(write, &Actor::agent("default")).expect("it is written");
    story
}

#[test]
fn the_hand_switch_is_only_for_steps_that_name_nothing() {
    let mut story = named();
    for (step, grants) in [("file", "write_file a.txt"), ("path", "change src/**")] {
        let before = story.room.clone();
        story.tell(&format!("person: let {step}"));
        let told =
            format!("refused PLAN_STEP_NAMES_TARGET: step {step} names what it may do ({grants})");
        assert!(story.told.contains(&told), "{}", story.told);
        assert_eq!(story.room, before);
    }
    for line in ["person: let tool", "person: let free", "person: unlet file", "person: approve"] {
        story.tell(line);
    }
    story.tell("person: let file");
    let told = story.told.lines().last().expect("it was told");
    assert!(told.contains("PLAN_STEP_NAMES_TARGET"), "also once it runs: {told}");
    story.replay();
}

#[test]
fn a_step_that_hands_work_on_says_so() {
    let mut story = named();
    let shown = |story: &Story| -> Vec<String> {
        let plan = view(&story.room).and_then(|room| room.plan).expect("a plan");
        plan.steps.into_iter().map(|step| step.grants).collect()
    };
    let (reads, hands) = ("read only", "may hand work to sidekicks");
    let all = ["write_file a.txt", "change src/**", reads, hands, reads];
    assert_eq!(shown(&story), all);
    let warned = answer::written(&story.room)["warnings"].to_string();
    assert!(warned.contains("tool, free") && !warned.contains("hand"), "{warned}");
    story.tell("person: approve");
    let approval = |story: &Story| story.room.plan.as_ref().and_then(|plan| plan.approval.clone());
    assert_eq!(approval(&story).expect("a yes").scope, all);
    story.tell("person: let hand");
    let record = approval(&story).expect("a yes");
    assert_eq!(record.scope[3], format!("may change the workspace; {hands}"));
    assert_eq!(record.amended[0].was, hands);
    story.tell("person: cancel enough");
    let report = view(&story.room).and_then(|room| room.plan?.report).expect("a report");
    assert_eq!(report.lines[3].planned, record.scope[3]);
    story.replay();
}
