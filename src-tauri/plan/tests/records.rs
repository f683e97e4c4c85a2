//! What is kept of a plan: what was allowed, what was really changed, how long it took.

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

/// A person named like this, at the window.
fn person(name: &str) -> Actor {
    Actor::person(name, Surface::Window)
}

#[test]
fn the_record_of_an_approval_says_what_the_hand_switch_allowed_since() {
    let mut story =
        told(&["person: mode strict", "agent: write a, b", "person: approve", "person: let b"]);
    let approval = plan(&story).approval.expect("it stands: the hand needs no second yes");
    assert_eq!(approval.revision, 1);
    assert_eq!(approval.scope, ["read only", "may change the workspace"]);
    let [amended] = &approval.amended[..] else { panic!("{:?}", approval.amended) };
    assert_eq!((amended.step.0.as_str(), amended.was.as_str()), ("b", "read only"));
    assert_eq!(amended.now, "may change the workspace");
    assert_eq!((&amended.by, amended.at > approval.at), (&person("me"), true));

    // Taken back it is in the record, too; what changes nothing is not.
    let unlet = |seen| Command::LetChange { step: StepRef::Number(2), on: false, seen };
    story.submit(unlet(Some(1)), &person("you")).expect("it is taken back");
    story.submit(unlet(Some(1)), &person("you")).expect("it is answered the same");
    let approval = plan(&story).approval.expect("it stands");
    assert_eq!(approval.scope, ["read only", "read only"]);
    let who: Vec<&str> = approval.amended.iter().map(|one| one.by.principal.as_str()).collect();
    assert_eq!(who, ["me", "you"]);
    story.replay();

    for line in ["agent: done a", "agent: done b"] {
        story.tell(line);
    }
    let lines = plan(&story).report.expect("a report").lines;
    assert_eq!(lines[0].amended, []);
    assert_eq!(lines[1].amended, approval.amended);
}

#[test]
fn what_is_added_to_a_plan_is_in_the_record() {
    let mut story =
        told(&["person: mode strict", "agent: write a", "person: approve", "model: calls shell"]);
    let call = story.room.calls[0].request.id;
    let ask = Ask {
        id: AskId(story.id()),
        kind: AskKind::Drift,
        plan_id: None,
        step_id: Some(StepId("a".to_owned())),
        call_id: Some(call),
        text: "May it?".into(),
        detail: vec![Detail::new("grant", "shell(make)")],
        created_at: Time(0),
    };
    story.submit(Command::RaiseAsk { ask }, &Actor::harness()).expect("it is asked");
    story.tell("person: answer add");
    let approval = plan(&story).approval.expect("it stands");
    assert_eq!(approval.scope, ["read only; also shell(make)"]);
    assert_eq!(approval.amended.len(), 1);
}

#[test]
fn an_approval_that_was_stored_before_there_were_amendments_is_read_and_written_as_it_was() {
    let stored = r#"{"plan":"00000000-0000-0000-0000-000000000000","revision":1,"hash":"00","by":{"kind":"person","principal":"me","surface":"window"},"at":1,"scope":["read only"],"fresh_context":false}"#;
    let approval: Approval = serde_json::from_str(stored).expect("it is read");
    assert_eq!(serde_json::to_string(&approval).expect("it is written"), stored);
}

/// Begins the first open call as a planned change of `a.md`, and ends it so.
fn call(story: &mut Story, outcome: Outcome, changed: &[&str]) {
    let call = story.room.calls[0].request.id;
    let (effect, how) = (Effect::Write, Some(How::Planned));
    let begin = Command::BeginCall { call, effect, touches: vec!["a.md".to_owned()], how };
    story.submit(begin, &Actor::harness()).expect("it begins");
    let changed = changed.iter().map(|path| Change {
        path: (*path).to_owned(),
        kind: ChangeKind::Modified,
        before: None,
        after: None,
    });
    let end = Command::EndCall {
        call,
        outcome,
        result: Text::from(""),
        nudge: None,
        changed: changed.collect(),
        images: vec![],
        ms: 1,
    };
    story.submit(end, &Actor::harness()).expect("it ends");
}

/// The report's only line after one call.
fn line_after(tool: &str, outcome: Outcome, changed: &[&str]) -> (bool, Vec<Vec<String>>) {
    let mut story = told(&["agent: write a", &format!("model: calls {tool}")]);
    call(&mut story, outcome, changed);
    let deeds = story.room.plan.as_ref().expect("a plan").steps[0].deeds.clone();
    story.tell("person: cancel enough");
    story.replay();
    let line = plan(&story).report.expect("a report").lines.remove(0);
    (line.touched, deeds.into_iter().map(|deed| deed.touches).collect())
}

#[test]
fn only_what_was_really_changed_counts_as_touched() {
    let named = vec![vec!["a.md".to_owned()]];
    assert_eq!(line_after("edit_file", Outcome::Ok, &["a.md"]), (true, named.clone()));
    // A command that went well did what it was named for, whether files show it or not.
    assert_eq!(line_after("shell", Outcome::Ok, &[]), (true, named));
    for tool in ["write_file", "edit_file", "move_file", "delete_file", "shell"] {
        assert_eq!(line_after(tool, Outcome::Failed, &[]), (false, vec![]), "{tool}");
    }
    assert_eq!(line_after("shell", Outcome::Cancelled, &[]), (false, vec![]));
}

#[test]
fn what_a_command_changed_before_it_failed_counts() {
    let seen = vec![vec!["half.md".to_owned()]];
    assert_eq!(line_after("shell", Outcome::Failed, &["half.md"]), (true, seen.clone()));
    assert_eq!(line_after("shell", Outcome::Cancelled, &["half.md"]), (true, seen));
}

#[test]
fn after_a_crash_a_change_counts_when_the_person_says_that_it_happened() {
    for (answer, touched) in [("happened", true), ("not", false), ("look", false)] {
        let mut story = told(&["agent: write a", "model: calls write_file"]);
        let call = story.room.calls[0].request.id;
        let (effect, how) = (Effect::Write, Some(How::Planned));
        let begin = Command::BeginCall { call, effect, touches: vec!["a.md".to_owned()], how };
        story.submit(begin, &Actor::harness()).expect("it begins");
        story.tell("harness: interrupt");
        story.tell(&format!("person: answer {answer}"));
        story.tell("person: cancel enough");
        let line = plan(&story).report.expect("a report").lines.remove(0);
        assert_eq!(line.touched, touched, "{answer}");
    }
}

#[test]
fn the_time_of_a_step_does_not_count_pauses() {
    // Each line is a second.
    let story = told(&[
        "agent: write a, b",
        "harness: tick",
        "person: pause",
        "harness: tick",
        "harness: tick",
        "harness: tick",
        "person: resume",
        "agent: done a",
    ]);
    story.replay();
    assert_eq!(plan(&story).steps[0].took_ms, 3_000);
    // What ends while the plan stands still ends with what it had.
    for end in ["person: override b", "person: skip b", "person: cancel enough"] {
        let mut story = told(&["agent: write b, c", "harness: tick", "person: pause"]);
        for line in ["harness: tick", "harness: tick", end] {
            story.tell(line);
        }
        assert_eq!(plan(&story).steps[0].took_ms, 2_000, "{end}");
        story.replay();
    }
}

#[test]
fn a_clock_stands_still_while_the_plan_waits_for_a_person() {
    // Each line is a second, and the fifth is the question.
    let mut story = told(&[
        "person: say go",
        "agent: write a",
        "harness: tick",
        "model: calls shell",
        "harness: ask",
    ]);
    let shown = |story: &Story| {
        let plan = plan(story);
        (plan.ran_ms, plan.running_since.map(|since| story.now - since.0), plan.steps[0].took_ms)
    };
    assert_eq!(shown(&story), (3_000, None, 3_000));
    (0..9).for_each(|_| story.tell("harness: tick"));
    assert_eq!(shown(&story), (3_000, None, 3_000), "nothing runs");
    story.tell("person: answer allow");
    // What a card shows is the time it ran and the time since; nothing jumps.
    let (ran, since, took) = shown(&story);
    assert_eq!((ran + since.unwrap().unsigned_abs(), took), (3_000, 3_000));
    story.tell("harness: tick");
    let (ran, since, _) = shown(&story);
    assert_eq!(ran + since.unwrap().unsigned_abs(), 4_000);
    story.tell("person: pause");
    assert_eq!(shown(&story), (5_000, None, 5_000));
    story.replay();
}

#[test]
fn what_was_cut_off_is_asked_in_plain_words_before_the_plan_is_resumed() {
    let mut story = told(&["agent: write a", "model: calls shell"]);
    let call = story.room.calls[0].request.id;
    let touches = vec!["make\ninstall".to_owned()];
    let begin = Command::BeginCall { call, effect: Effect::Exec, touches, how: None };
    story.submit(begin, &Actor::harness()).expect("it begins");
    story.tell("harness: interrupt");
    let asked = view(&story.room).expect("a room").asks.remove(0);
    let words = "The app stopped while this ran: shell make install. Did it happen?";
    assert_eq!(asked.text, words);
    let detail = [Detail::new("tool", "shell"), Detail::new("target", "make\ninstall")];
    assert_eq!(asked.detail, detail);
    assert_eq!(plan(&story).actions, [Action::Change, Action::Skip, Action::Cancel]);
    story.tell("person: answer look");
    assert!(plan(&story).actions.contains(&Action::Resume), "{:?}", plan(&story).actions);
    story.replay();
}

#[test]
fn a_step_whose_check_failed_may_be_taken_as_done() {
    let mut story = told(&["agent: write a, b", "harness: check_failed a no such file"]);
    let may = |story: &Story| plan(story).actions.contains(&Action::Override);
    assert!(may(&story));
    assert_eq!(plan(&story).actions.last(), Some(&Action::Cancel));
    story.tell("person: pause");
    assert!(may(&story));
    story.tell("person: override a");
    assert!(!may(&story), "{:?}", plan(&story).actions);
    story.replay();
}

#[test]
fn a_plan_whose_stuck_step_was_skipped_only_waits_for_a_word() {
    let paused = |story: &Story| (plan(story).pause_reason, plan(story).pause_detail);
    let stuck = || {
        let mut story = told(&["agent: write a, b, c"]);
        for _ in 0..3 {
            let turn = ["model: calls shell", "call: begin exec", "call: fail no"];
            turn.iter().for_each(|line| story.tell(line));
        }
        let why = Some("step 1 failed 3 times".to_owned());
        assert_eq!(paused(&story), (Some(PauseReason::Attempts), why));
        story
    };
    let mut story = stuck();
    story.tell("person: skip a");
    let why = Some("step 1, where it was stuck, was skipped".to_owned());
    assert_eq!(paused(&story), (Some(PauseReason::Manual), why));
    story.tell("person: resume");
    assert_eq!((plan(&story).state.as_str(), paused(&story)), ("running", (None, None)));
    story.replay();

    // Another step is not what it is stuck on.
    let mut story = stuck();
    story.tell("person: skip b");
    assert_eq!(paused(&story).0, Some(PauseReason::Attempts));
    // Nor is there anything to wait for after the last.
    for line in ["person: skip c", "person: skip a"] {
        story.tell(line);
    }
    assert_eq!((plan(&story).state.as_str(), paused(&story)), ("done", (None, None)));
    story.replay();
}

#[test]
fn a_tool_of_a_server_is_told_by_its_arguments() {
    let mut story = told(&["agent: write a", "model: calls desk.send"]);
    let call = story.room.calls[0].request.id;
    let touches = vec!["schema:0123".to_owned()];
    let begin = Command::BeginCall { call, effect: Effect::WriteOutside, touches, how: None };
    story.submit(begin, &Actor::harness()).expect("it begins");
    story.tell("harness: interrupt");
    let asked = view(&story.room).expect("a room").asks.remove(0);
    assert_eq!(asked.text, "The app stopped while this ran: desk.send. Did it happen?");
    assert_eq!(asked.detail, [Detail::new("tool", "desk.send"), Detail::new("arguments", "{}")]);
}

#[test]
fn the_time_between_a_crash_and_the_next_start_is_nobodys() {
    let mut story = told(&["agent: write a", "harness: tick"]);
    story.tell("model: calls shell");
    (0..9).for_each(|_| story.tell("harness: tick"));
    story.tell("harness: interrupt");
    assert_eq!(plan(&story).state, "paused");
    // From the start of the step to the last thing that happened.
    assert_eq!((plan(&story).steps[0].took_ms, plan(&story).ran_ms), (2_000, 2_000));
    story.replay();
}

#[test]
fn nor_is_it_where_a_person_is_asked_what_became_of_a_call() {
    let mut story = told(&["agent: write a", "harness: tick", "model: calls shell"]);
    story.tell("call: begin exec");
    (0..9).for_each(|_| story.tell("harness: tick"));
    story.tell("harness: interrupt");
    assert_eq!(story.room.asks.len(), 1, "whether it happened");
    let shown = |story: &Story| (plan(story).steps[0].took_ms, plan(story).ran_ms);
    assert_eq!(shown(&story), (3_000, 3_000));
    // Nor does the time count in which nobody answers.
    for line in ["harness: tick", "person: answer happened", "harness: tick", "person: resume"] {
        story.tell(line);
    }
    assert_eq!(shown(&story), (3_000, 3_000));
    story.tell("harness: tick");
    story.tell("person: pause");
    assert_eq!(shown(&story), (5_000, 5_000));
    story.replay();
}

/// What runs is what the revision says that was approved, and not how the first one would have.
#[test]
fn a_revision_says_anew_who_does_the_steps_and_how_many_at_once() {
    for (first, then) in [((1, false), (3, true)), ((3, true), (1, false))] {
        let mut story = told(&["person: mode strict"]);
        for (written, (lanes, delegated)) in [("a, b", first), ("a, b, c", then)] {
            let frame = Frame { lanes, delegated, ..story.frame(Origin::Chat) };
            let (plan, ask) = (PlanId(story.id()), AskId(story.id()));
            let draft = support::draft(written);
            let write = Command::Write { plan, ask, call: None, draft, frame };
            story.submit(write, &Actor::agent("default")).expect("it is written");
            story.replay();
        }
        let plan = story.room.plan.as_ref().expect("a plan");
        assert_eq!((plan.revision, plan.frame.lanes, plan.frame.delegated), (2, then.0, then.1));
    }
    // A log from before says nothing of that, and the frame stays.
    let story =
        told(&["person: mode strict", "agent: write a", "person: reject no", "agent: write b"]);
    let revised = story.log.iter().find(|(event, _)| event.kind() == "plan_revised");
    let stored = serde_json::to_value(&revised.expect("a revision").0).expect("it is stored");
    assert_eq!(stored.get("frame"), None);
}

#[test]
fn the_very_plan_that_was_rejected_is_not_asked_about_again() {
    let mut story = told(&[
        "agent: submit a, b",
        "person: reject no",
        "agent: submit a, b",
        "agent: write a, b",
    ]);
    assert_eq!(story.told.matches("refused PLAN_UNCHANGED").count(), 2, "{}", story.told);
    assert_eq!((plan(&story).revision, plan(&story).state.as_str()), (1, "draft"));
    assert!(story.room.asks.is_empty());
    story.tell("agent: submit a, c");
    assert_eq!((plan(&story).revision, plan(&story).state.as_str()), (2, "awaiting_approval"));
    // Who only asked something gets it again as it is.
    story.tell("person: say what is c for?");
    story.tell("agent: submit a, c");
    assert_eq!((plan(&story).revision, plan(&story).state.as_str()), (3, "awaiting_approval"));
    story.replay();
}

/// `submit_plan` is answered as it was promised, whoever wrote the draft first.
#[test]
fn a_call_is_told_of_the_yes_in_its_own_words() {
    for (tool, keys) in [
        ("submit_plan", vec!["approved", "plan_id"]),
        ("plan", vec!["approved", "plan_id", "revision", "state", "steps", "warnings"]),
    ] {
        let calls = format!("model: calls {tool}");
        let story = told(&[
            "person: mode strict",
            "person: say go",
            "agent: write a",
            "person: reject no",
            &calls,
            "agent: submit b",
            "person: approve",
        ]);
        let told = story.log.iter().rev().find_map(|(event, _)| {
            let Event::CallEnded { result, .. } = event else { return None };
            Some(result.head().to_owned())
        });
        let told: serde_json::Value =
            serde_json::from_str(&told.expect("an answer")).expect("JSON");
        let found: Vec<&String> = told.as_object().expect("an object").keys().collect();
        assert_eq!(found, keys, "{tool}");
    }
}

/// What approving a plan of one such step allows.
fn allows(tool: &str, target: Option<&str>) -> Allows {
    let mut story = told(&["person: mode strict"]);
    let (tool, target) = (Some(tool.to_owned()), target.map(str::to_owned));
    let step = FullStep { text: "a".into(), tool, target, ..FullStep::default() };
    let steps = vec![DraftStep::Full(Box::new(step))];
    let draft = Draft { goal: "g".into(), steps, ..Draft::default() };
    let (of, ask, frame) = (PlanId(story.id()), AskId(story.id()), story.frame(Origin::Chat));
    let write = Command::Write { plan: of, ask, call: None, draft, frame };
    story.submit(write, &Actor::agent("default")).expect("it is written");
    plan(&story).allows
}

#[test]
fn what_approving_allows_is_counted_as_the_gate_reads_it() {
    let tools = |tools| Allows { tools, ..Allows::default() };
    assert_eq!(allows(SPAWN, None), tools(1), "who hands work on does not only read");
    assert_eq!(allows("read_file", Some("a.md")), tools(0));
    let hosts = Allows { hosts: 2, host_patterns: 1, ..Allows::default() };
    assert_eq!(allows("fetch", Some("a.org b.org, *.c.org")), hosts);
}

/// A word with a blank in it is one word, in what a person allows and adds, too.
#[test]
fn what_is_allowed_of_a_command_is_its_words() {
    let command = |argv: &[&str]| Facts {
        tool: "shell".into(),
        also: Vec::new(),
        known: true,
        effect: Effect::Exec,
        source: Source::Catalogue,
        targets: vec![Target::Command {
            text: "as written".into(),
            simple: Some(vec![SimpleCommand {
                folder: Some(String::new()),
                argv: argv.iter().map(|&word| word.to_owned()).collect(),
                literal: true,
            }]),
        }],
        sandbox: true,
        allowed: false,
    };
    let rule = Rule::exactly(RuleAction::Allow, &command(&["rm", "a b"])).expect("a rule");
    assert_eq!(rule.to_string(), "shell(cd . && rm 'a b')");
    assert!(rule.matches(&command(&["rm", "a b"])));
    for other in [["rm", "a", "b"].as_slice(), &["rm", "'a", "b'"], &["rm", "'a b'"]] {
        assert!(!rule.matches(&command(other)), "{other:?}");
    }
    let plain = Rule::parse(RuleAction::Allow, "shell(git commit -m *)").expect("a rule");
    assert!(plain.matches(&command(&["git", "commit", "-m", "two words"])));
}
