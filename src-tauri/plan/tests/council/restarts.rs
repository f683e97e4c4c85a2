//! Another attempt: who may want one, how often, and what it begins with.

use crate::hall::{Hall, kinds, refused};
use plan::*;

pub(crate) fn again(hall: &mut Hall) -> Result<Vec<Event>, Refusal> {
    let rooms = hall.council().seats.len();
    let next = NewAttempt {
        reason: "the photos are missing".into(),
        instructions: "look into every folder".into(),
        rooms: (0..rooms).map(|_| RoomId(hall.id())).collect(),
        plan: PlanId(hall.id()),
        ask: AskId(hall.id()),
    };
    hall.agent(Command::RestartCouncil { again: Box::new(next), call: None })
}

fn done_once(restarts: u32) -> Hall {
    let mut hall = Hall::with(2, |rules| rules.max_orchestration_restarts = restarts);
    hall.answer(1, "one").expect("answers");
    hall.person(Command::PickWinner { member: 1 }).expect("picks");
    hall.settle();
    hall.work_off();
    hall
}

#[test]
fn without_restarts_a_done_plan_ends_the_council() {
    let mut hall = done_once(0);
    assert_eq!(hall.view().state, "done");
    assert_eq!(refused(again(&mut hall)), "NO_REVIEW");
    assert_eq!(refused(hall.agent(Command::SubmitCouncil { call: None })), "NO_REVIEW");
}

#[test]
fn one_restart_carries_reason_and_instructions_and_a_second_is_refused() {
    let mut hall = done_once(1);
    assert_eq!(hall.council().stage, CouncilStage::Reviewing);
    let (first, rooms) = (hall.council().plan, hall.rooms.len());
    assert_eq!(kinds(again(&mut hall)), ["council_restarted"]);
    hall.settle();
    let view = hall.view();
    assert_eq!((view.attempt, view.attempts, view.round), (2, 2, 1));
    assert_eq!((view.winner, view.plan_id), (None, None));
    assert_eq!(hall.rooms.len(), rooms + 2, "members begin afresh");
    let attempt = &hall.council().earlier[0];
    assert_eq!(attempt.reason, "the photos are missing");
    assert_eq!(attempt.instructions, "look into every folder");
    assert!(attempt.result.contains("do one"), "{}", attempt.result);
    assert_eq!((attempt.plan, attempt.winner), (first, Some((1, DecidedBy::Person))));
    assert!(hall.asked(1).shows.is_empty() && hall.asked(1).turn == 1);
    // The second attempt is a new plan with a new approval.
    hall.person(Command::SetMode { mode: PlanMode::Strict }).expect("the mode changes");
    hall.answer(2, "two").expect("answers");
    hall.person(Command::PickWinner { member: 2 }).expect("picks");
    hall.settle();
    let plan = hall.top.room.plan.as_ref().expect("a plan");
    assert_eq!(plan.state, PlanState::AwaitingApproval);
    assert_ne!(plan.id, first);
    let (revision, hash) = (plan.revision, plan.hash.clone());
    let approve = Command::Approve { revision, hash, model: None, fresh_context: false };
    hall.person(approve).expect("a person approves");
    hall.work_off();
    assert_eq!(hall.view().state, "done", "no restart is left");
    assert_eq!(refused(again(&mut hall)), "NO_REVIEW");
    assert_eq!(hall.view().earlier.len(), 1, "every attempt is kept");
}

#[test]
fn the_review_offers_two_calls_and_no_call_counts_as_submit() {
    let mut hall = done_once(1);
    assert_eq!(work::next(&hall.top.room), Work::Model);
    hall.agent(Command::SubmitCouncil { call: None }).expect("submits");
    assert_eq!(hall.view().state, "done");

    let mut hall = done_once(1);
    let words = Command::Reply {
        model: "m".into(),
        text: Text::from("all is well"),
        thinking: None,
        calls: vec![],
        kept: None,
        usage: Usage::default(),
        seen: hall.top.room.seq,
        repeats: false,
    };
    hall.harness(words).expect("the model speaks");
    assert_eq!(hall.view().state, "done");
}

#[test]
fn a_restart_needs_a_reason_and_a_room_for_every_member() {
    let mut hall = done_once(1);
    let next = |reason: &str, rooms: Vec<RoomId>| Command::RestartCouncil {
        again: Box::new(NewAttempt {
            reason: reason.into(),
            instructions: String::new(),
            rooms,
            plan: PlanId(uuid::Uuid::from_u128(901)),
            ask: AskId(uuid::Uuid::from_u128(902)),
        }),
        call: None,
    };
    let rooms = vec![RoomId(hall.id()), RoomId(hall.id())];
    assert_eq!(refused(hall.agent(next(" ", rooms.clone()))), "NO_REASON");
    assert_eq!(refused(hall.agent(next("more", rooms[1..].to_vec()))), "COUNCIL_SIZE");
    hall.agent(next("more", rooms)).expect("restarts");
}

#[test]
fn while_the_work_is_judged_no_other_plan_is_written() {
    let mut hall = done_once(1);
    let write = Command::Write {
        plan: PlanId(hall.id()),
        ask: AskId(hall.id()),
        call: None,
        draft: Draft {
            goal: "g".into(),
            steps: vec![DraftStep::Words("a".into())],
            ..Draft::default()
        },
        frame: hall.frame(Origin::Submitted),
    };
    assert_eq!(refused(hall.person(write)), "PLAN_ACTIVE");
}
