//! An agent may give up or replace a plan that was sent back; the person's no stands all the same.

mod support;

use expect_test::expect;
use plan::*;
use support::{Story, check};

#[test]
fn a_plan_that_was_sent_back_can_be_given_up_and_the_next_one_waits() {
    check(
        "agent: submit a
         person: reject no
         agent: cancel it is of no use
         agent: write b
         agent: run
         person: approve
         agent: done b
         agent: write c",
        expect![[r#"
            agent: submit a → plan_written, approval_requested, ask_raised
            person: reject no → ask_answered, sent_back, nudged
            agent: cancel it is of no use → plan_cancelled
            agent: write b → plan_written, approval_requested, ask_raised
            agent: run → refused PLAN_NOT_RUNNING: the plan is awaiting approval, so nothing of it can run
            person: approve → ask_answered, approved, started, step_started b
            agent: done b → step_done b, plan_done
            agent: write c → plan_written, started, step_started c
            running r1 ⚡7 [c:in_progress]; next model
        "#]],
    );
}

#[test]
fn a_plan_that_was_sent_back_can_be_replaced() {
    check(
        "person: mode strict
         agent: write a, b
         person: comment all not so
         agent: submit c, d
         person: approve",
        expect![[r#"
            person: mode strict → mode_changed
            agent: write a, b → plan_written, approval_requested, ask_raised
            person: comment all not so → said, ask_answered, sent_back
            agent: submit c, d → plan_revised, approval_requested, ask_raised
            person: approve → ask_answered, approved, started, step_started c
            running r2 ⚡8 [c:in_progress d:pending]; next model
        "#]],
    );
}

/// Off, where nothing else would hold it up.
fn declined() -> Story {
    let mut story = Story::new();
    for line in ["person: say go", "agent: submit a", "person: reject no"] {
        story.tell(line);
    }
    story.tell("agent: cancel then not");
    story
}

fn verdict(story: &Story, effect: Effect) -> Verdict {
    let facts = Facts {
        tool: "write_file".into(),
        also: Vec::new(),
        known: true,
        effect,
        source: Source::Catalogue,
        targets: vec![Target::Path { path: "a.md".into(), outside: false }],
        sandbox: true,
        allowed: false,
    };
    gate(&[Standing { room: &story.room, rules: &[], step: None }], &facts)
}

#[test]
fn giving_up_unlocks_nothing() {
    let mut story = declined();
    let blocked = |story: &Story| {
        matches!(verdict(story, Effect::Write), Verdict::Block { code: "NOT_APPROVED", .. })
    };
    assert!(blocked(&story));
    assert!(matches!(verdict(&story, Effect::Read), Verdict::Allow { .. }));
    // Nor does anything said since, or another mode.
    for line in
        ["person: say why?", "person: mode strict", "person: mode off", "model: calls write_file"]
    {
        story.tell(line);
        assert!(blocked(&story), "{line}");
    }
    let call = story.room.calls[0].request.id;
    let begin = Command::BeginCall { call, effect: Effect::Write, touches: vec![], how: None };
    assert_eq!(story.submit(begin, &Actor::harness()), Err(Refusal::NotApproved));
    story.replay();
    for line in ["agent: write b", "person: approve"] {
        story.tell(line);
    }
    assert!(!blocked(&story));
}

#[test]
fn the_agent_is_told_what_giving_up_means() {
    let answer = answer::short(&declined().room);
    assert_eq!(answer["state"], "cancelled");
    let message = answer["message"].as_str().expect("words");
    assert!(message.contains("until they approve another plan"), "{message}");
}

#[test]
fn who_cancels_it_by_hand_is_free_again() {
    let mut story = Story::new();
    for line in ["agent: submit a", "person: reject no", "person: cancel enough", "agent: write b"]
    {
        story.tell(line);
    }
    assert!(story.room.running_plan().is_some());
}

#[test]
fn an_answer_keeps_a_room_archived_and_words_take_it_out() {
    let mut story = Story::new();
    for line in ["person: say go", "agent: write a", "model: calls shell", "harness: drift"] {
        story.tell(line);
    }
    let archive = Command::Archive { archived: true };
    story.submit(archive, &Actor::person("me", Surface::Window)).expect("it is put away");
    story.tell("person: answer once");
    assert!(story.room.running_plan().is_some() && story.room.archived);
    let say = Command::Say { message: MessageId(story.id()), text: Text::from("go on") };
    let said = story.submit(say, &Actor::person("me", Surface::Window)).expect("it is said");
    assert!(matches!(&said[0], Event::RoomArchived { archived: false }));
    assert!(!story.room.archived);
}
