//! A sidekick's own copy: who may say what of it, and what is remembered.

mod support;

use plan::*;
use support::Story;
use uuid::Uuid;

/// A sidekick that works in a copy.
fn sidekick() -> Story {
    let mut story = Story::sidekick();
    let (folder, shares) = ("/data/copies/x/work".to_owned(), None);
    tell(&mut story, Command::MadeCopy { folder, shares, left_out: Vec::new() });
    story
}

fn tell(story: &mut Story, command: Command) -> Vec<Event> {
    story.submit(command, &Actor::harness()).expect("the harness may")
}

fn end(story: &mut Story, end: SidekickEnd) {
    let result = "it is done".to_owned();
    let (told, checked, given_up, next, call) = (false, false, false, None, None);
    tell(story, Command::EndSidekick { end, result, told, checked, given_up, next, call });
}

fn conflict(story: &mut Story, path: &str) -> AskId {
    let id = AskId(story.id());
    let detail = [("path", path), ("mine_version", "m1"), ("theirs_version", "t1")];
    let ask = Ask {
        id,
        kind: AskKind::Conflict,
        plan_id: None,
        step_id: None,
        call_id: None,
        text: "two versions".into(),
        detail: detail.map(|(name, value)| Detail::new(name, value)).to_vec(),
        created_at: Time(1),
    };
    tell(story, Command::RaiseAsk { ask });
    id
}

fn change(path: &str) -> Change {
    Change { path: path.into(), kind: ChangeKind::Created, before: None, after: None }
}

fn state(story: &Story) -> String {
    view(&story.room).and_then(|view| view.sidekick).expect("it is a sidekick's").state
}

#[test]
fn a_room_works_in_its_copy_until_that_is_merged_or_dropped() {
    let mut story = sidekick();
    assert_eq!(
        (story.room.folder(), story.room.workspace.as_str()),
        ("/data/copies/x/work", "/ws")
    );
    assert!(!story.room.has_copy_to_settle(), "it is still at work");
    end(&mut story, SidekickEnd::Completed);
    assert!(story.room.has_copy_to_settle());
    tell(&mut story, Command::BeginMerge { paths: vec!["a".into()] });
    tell(
        &mut story,
        Command::EndMerge {
            changed: vec![change("b")],
            partly: false,
            left: Vec::new(),
            repositories: Vec::new(),
        },
    );
    assert_eq!(story.room.folder(), "/ws");
    let changed: Vec<_> = story.room.sidekick.as_ref().unwrap().changed.iter().cloned().collect();
    assert_eq!(changed, ["a", "b"], "what was taken over before a crash counts, too");
    assert!(
        tell(
            &mut story,
            Command::EndMerge {
                changed: Vec::new(),
                partly: false,
                left: Vec::new(),
                repositories: Vec::new()
            }
        )
        .is_empty()
    );
    story.replay();

    let mut story = sidekick();
    end(&mut story, SidekickEnd::Stopped);
    tell(&mut story, Command::DropCopy { problem: None });
    let ended = story.room.sidekick.as_ref().unwrap().ended.as_ref().unwrap();
    assert_eq!(ended.result, "it is done; what it changed was not taken over");
    story.replay();

    let mut story = sidekick();
    end(&mut story, SidekickEnd::Completed);
    tell(&mut story, Command::DropCopy { problem: Some("the disk is full".into()) });
    let ended = story.room.sidekick.as_ref().unwrap().ended.as_ref().unwrap();
    assert_eq!(ended.end, SidekickEnd::Failed);
    assert_eq!(ended.result, "its changes could not be taken over: the disk is full");
    story.replay();
}

#[test]
fn a_part_that_was_taken_over_is_told_whatever_becomes_of_the_rest() {
    let ended = |story: &Story| story.room.sidekick.as_ref().unwrap().ended.clone().unwrap();
    let part = || Command::EndMerge {
        changed: vec![change("a")],
        partly: true,
        left: Vec::new(),
        repositories: Vec::new(),
    };

    // Given up while files were being taken over.
    let mut story = sidekick();
    end(&mut story, SidekickEnd::Completed);
    tell(&mut story, Command::DropCopy { problem: None });
    tell(&mut story, part());
    assert!(story.room.sidekick.as_ref().unwrap().changed.contains("a"));
    let result = "it is done; only a part of what it changed was taken over";
    assert_eq!(ended(&story).result, result);
    story.replay();

    // Given up later.
    let mut story = sidekick();
    end(&mut story, SidekickEnd::Completed);
    tell(&mut story, part());
    assert!(story.room.has_copy_to_settle(), "the rest is kept");
    tell(&mut story, Command::DropCopy { problem: None });
    assert_eq!(ended(&story).result, result);
    story.replay();

    // All of it was there when it was given up.
    let whole = || Command::EndMerge {
        changed: vec![change("a")],
        partly: false,
        left: Vec::new(),
        repositories: Vec::new(),
    };
    let mut story = sidekick();
    end(&mut story, SidekickEnd::Completed);
    tell(&mut story, Command::DropCopy { problem: None });
    tell(&mut story, whole());
    assert_eq!(ended(&story).result, "it is done; what it changed had been taken over");
    assert!(story.room.sidekick.as_ref().unwrap().changed.contains("a"));
    story.replay();

    // Stopped by a person meanwhile.
    let stopped = || Command::DropCopy { problem: Some("stopped".into()) };
    let said = [
        (part(), "all of its changes could not be taken over: stopped"),
        (whole(), "its changes had been taken over: stopped"),
    ];
    for (merged, result) in said {
        let mut story = sidekick();
        end(&mut story, SidekickEnd::Completed);
        tell(&mut story, stopped());
        tell(&mut story, merged);
        assert_eq!(ended(&story).result, result);
        story.replay();
    }
}

#[test]
fn what_could_not_be_taken_over_is_tried_again_or_left_out() {
    let asked = |story: &mut Story| {
        let id = AskId(story.id());
        let ask = Ask {
            id,
            kind: AskKind::Question,
            plan_id: None,
            step_id: None,
            call_id: None,
            text: "it could not be taken over".into(),
            detail: vec![Detail::new(Ask::PROBLEM, "the disk is full")],
            created_at: Time(1),
        };
        tell(story, Command::RaiseAsk { ask });
        id
    };
    let answer = |story: &mut Story, ask, answer: &str| {
        let (answer, note, revision, hash) = (answer.to_owned(), None, None, None);
        let answer = Command::Answer { ask, answer, note, revision, hash };
        story.submit(answer, &Actor::person("me", Surface::Window)).expect("a person may");
    };
    let mut story = sidekick();
    end(&mut story, SidekickEnd::Completed);
    let ask = asked(&mut story);
    assert_eq!(state(&story), "waiting");
    answer(&mut story, ask, Ask::TRY_AGAIN);
    assert!(story.room.has_copy_to_settle() && story.room.asks.is_empty());
    let ask = asked(&mut story);
    answer(&mut story, ask, Ask::LEAVE_OUT);
    assert_eq!(state(&story), "failed");
    let result = "its changes could not be taken over: the disk is full";
    assert_eq!(story.room.sidekick.as_ref().unwrap().ended.as_ref().unwrap().result, result);
    story.replay();
}

#[test]
fn an_answer_is_kept_with_the_versions_it_was_about() {
    let mut story = sidekick();
    end(&mut story, SidekickEnd::Completed);
    assert_eq!(state(&story), "running");
    let [one, other] = ["a", "b"].map(|path| conflict(&mut story, path));
    assert_eq!(state(&story), "waiting");
    let answer = |ask, answer: &str| {
        let (answer, note, revision, hash) = (answer.to_owned(), None, None, None);
        Command::Answer { ask, answer, note, revision, hash }
    };
    let person = Actor::person("me", Surface::Window);
    assert!(story.submit(answer(one, "mine"), &Actor::agent("default")).is_err());
    assert!(story.submit(answer(one, "neither"), &person).is_err());
    story.submit(answer(one, "both"), &person).expect("a person may");
    let chosen = &story.room.copy.as_ref().unwrap().chosen;
    let kept = Chosen { answer: "both".into(), mine: "m1".into(), theirs: "t1".into() };
    assert_eq!(chosen.iter().collect::<Vec<_>>(), [(&"a".to_owned(), &kept)]);
    tell(&mut story, Command::DropCopy { problem: None });
    assert!(!story.room.asks.contains_key(&other), "what is left is taken back");
    assert_eq!(state(&story), "completed");
    story.replay();
}

#[test]
fn a_conflict_is_asked_about_once() {
    let mut story = sidekick();
    end(&mut story, SidekickEnd::Completed);
    let asked = conflict(&mut story, "a");
    conflict(&mut story, "a");
    assert_eq!(story.room.asks.keys().collect::<Vec<_>>(), [&asked], "it is open");
    let (answer, note, revision, hash) = ("theirs".to_owned(), None, None, None);
    let answer = Command::Answer { ask: asked, answer, note, revision, hash };
    story.submit(answer, &Actor::person("me", Surface::Window)).expect("a person may");
    conflict(&mut story, "a");
    assert!(story.room.asks.is_empty(), "it is answered");
    conflict(&mut story, "b");
    assert_eq!(story.room.asks.len(), 1, "another is not");
    story.replay();
}

#[test]
fn only_the_harness_speaks_of_copies_and_only_at_the_right_time() {
    let mut story = sidekick();
    let (folder, shares, left_out) = ("/etc".to_owned(), None, Vec::new());
    let again = Command::MadeCopy { folder, shares, left_out };
    let begin = Command::BeginMerge { paths: Vec::new() };
    assert!(story.submit(again.clone(), &Actor::harness()).is_err(), "it has one");
    assert!(story.submit(begin.clone(), &Actor::harness()).is_err(), "it has not ended");
    let (step, room) = (StepId("s1".into()), RoomId(Uuid::nil()));
    let commands = [
        again,
        begin,
        Command::EndMerge {
            changed: Vec::new(),
            partly: false,
            left: Vec::new(),
            repositories: Vec::new(),
        },
        Command::DropCopy { problem: None },
        Command::PutBack { step, room, reason: String::new() },
    ];
    let others = [
        Actor::agent("default"),
        Actor::sidekick("calm-otter"),
        Actor::person("me", Surface::Window),
    ];
    for (command, actor) in commands.iter().flat_map(|one| others.iter().map(move |who| (one, who)))
    {
        let refused = story.submit(command.clone(), actor).expect_err("only the harness may");
        assert_eq!(refused.code(), "HARNESS_ONLY", "{command:?}");
    }
}

/// A plan of two steps that sidekicks do at once.
fn two_at_once() -> Story {
    let mut story = Story::new();
    story.lanes = 3;
    let frame = Frame { delegated: true, ..story.frame(Origin::Chat) };
    let draft = serde_json::json!({ "goal": "g", "mode": "parallel", "steps": ["a", "b"] });
    let draft: Draft = serde_json::from_value(draft).expect("a draft");
    let (plan, ask) = (PlanId(story.id()), AskId(story.id()));
    let agent = Actor::agent("default");
    story.submit(Command::Write { plan, ask, call: None, draft, frame }, &agent).expect("a plan");
    story
}

#[test]
fn a_step_is_handed_to_one_sidekick_and_to_another_only_instead_of_it() {
    let mut story = two_at_once();
    let [one, other] = [RoomId(story.id()), RoomId(story.id())];
    let hand = |room, instead_of| {
        let step = StepId("s1".into());
        Command::HandStep { step, room, instead_of }
    };
    tell(&mut story, hand(one, None));
    let refused = story.submit(hand(other, None), &Actor::harness()).expect_err("it has one");
    assert_eq!(refused.code(), "STEP_NOT_RUNNING");
    assert!(story.submit(hand(other, Some(other)), &Actor::harness()).is_err());
    tell(&mut story, hand(other, Some(one)));
    let steps = &story.room.plan.as_ref().expect("a plan").steps;
    assert_eq!(steps[0].sidekick, Some(other));
    story.replay();
}

#[test]
fn a_step_that_was_put_back_runs_by_itself() {
    let mut story = two_at_once();
    let rooms = ["s1", "s2"].map(|step| {
        let room = RoomId(story.id());
        let hand = Command::HandStep { step: StepId(step.into()), room, instead_of: None };
        tell(&mut story, hand);
        room
    });
    let status = |story: &Story| {
        let steps = &story.room.plan.as_ref().expect("a plan").steps;
        steps.iter().map(|step| step.state.word()).collect::<Vec<_>>()
    };
    assert_eq!(status(&story), ["in_progress", "in_progress"]);
    let (step, reason) = (StepId("s1".into()), "no copy".to_owned());
    let put_back = Command::PutBack { step, room: rooms[0], reason };
    tell(&mut story, put_back.clone());
    assert_eq!(status(&story), ["pending", "in_progress"], "it waits for the other");
    assert!(story.submit(put_back, &Actor::harness()).is_err(), "once is enough");
    let steps = view(&story.room).and_then(|view| view.plan).expect("a plan").steps;
    assert_eq!(
        (steps[0].warnings.as_slice(), steps[0].queued),
        (&["no copy".to_owned()][..], true)
    );
    let ended = Ended {
        end: SidekickEnd::Completed,
        result: "done".into(),
        summary: None,
        remarks: String::new(),
        seq: 1,
        told: false,
        checked: false,
        given_up: false,
        next: None,
    };
    let (step, used) = (StepId("s2".into()), Used::default());
    tell(&mut story, Command::StepOver { step, room: rooms[1], from: None, ended, used });
    assert_eq!(status(&story), ["in_progress", "done"]);
    story.replay();
}

#[test]
fn what_a_sidekick_changed_until_the_plan_was_cancelled_counts_once() {
    let mut story = two_at_once();
    let (room, step) = (RoomId(story.id()), StepId("s1".into()));
    tell(&mut story, Command::HandStep { step: step.clone(), room, instead_of: None });
    let person = Actor::person("me", Surface::Window);
    story.submit(Command::Cancel { reason: "enough".into(), call: None }, &person).unwrap();
    let over = |told: bool| {
        let ended = Ended {
            end: SidekickEnd::Stopped,
            result: "the room that asked stopped it".into(),
            summary: None,
            remarks: String::new(),
            seq: 7,
            told,
            checked: false,
            given_up: true,
            next: None,
        };
        let usage = Usage { input: 3, ..Usage::default() };
        let used = Used { usage, changed: vec!["a.txt".into()], deeds: Vec::new() };
        let (step, from) = (step.clone(), Some("calm-otter".to_owned()));
        Command::StepOver { step, room, from, ended, used }
    };
    let events = tell(&mut story, over(true));
    assert!(matches!(events.as_slice(), [Event::StepUsed { .. }]), "{events:?}");
    assert!(tell(&mut story, over(true)).is_empty());
    // Who has not been told of it hears of it, and need not answer.
    let events = tell(&mut story, over(false));
    assert!(matches!(events.as_slice(), [Event::Nudged { quiet: true, .. }]), "{events:?}");
    assert!(tell(&mut story, over(false)).is_empty());
    let step = &story.room.plan.as_ref().unwrap().steps[0];
    assert_eq!((step.state.word(), step.usage.input), ("skipped", 3));
    assert!(step.changed.contains("a.txt") && !story.room.owes);
    story.replay();
}
