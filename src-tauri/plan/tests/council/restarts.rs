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
        ended: ReplyEnd::Whole,
    };
    hall.harness(words).expect("the model speaks");
    assert_eq!(hall.view().state, "done");
}

/// Who only calls what it may not call has called for no other attempt.
#[test]
fn a_review_that_gets_nowhere_counts_as_submit() {
    for paused in [false, true] {
        let mut hall = done_once(1);
        if paused {
            hall.person(Command::Pause).expect("can be paused");
        }
        let trouble = Command::Trouble {
            reason: PauseReason::Attempts,
            code: "STUCK".into(),
            text: "9 turns in a row failed".into(),
            until: None,
        };
        hall.harness(trouble).expect("trouble is told");
        assert_eq!(hall.view().state, if paused { "paused" } else { "done" });
    }
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

fn trouble(reason: PauseReason, code: &str, until: Option<Time>) -> Command {
    Command::Trouble { reason, code: code.into(), text: "the key was rejected".into(), until }
}

/// Nobody has judged the work where the model could not be asked, or a person stopped it.
#[test]
fn trouble_and_stop_in_the_review_let_it_stand_still_and_never_count_as_submit() {
    let stop = |hall: &mut Hall| hall.person(Command::Stop { so_far: None });
    let pause = |hall: &mut Hall| hall.person(Command::Pause);
    let key = |hall: &mut Hall| hall.harness(trouble(PauseReason::Provider, "BAD_KEY", None));
    let cap = |hall: &mut Hall| hall.harness(trouble(PauseReason::Cap, "LIMIT_REACHED", None));
    type Halts<'a> = &'a dyn Fn(&mut Hall) -> Result<Vec<Event>, Refusal>;
    let all: [(Halts<'_>, PauseReason); 4] = [
        (&stop, PauseReason::Supervisor),
        (&pause, PauseReason::Supervisor),
        (&key, PauseReason::Provider),
        (&cap, PauseReason::Cap),
    ];
    for (halt, reason) in all {
        let mut hall = done_once(1);
        assert_eq!(kinds(halt(&mut hall)), ["council_paused"]);
        let view = hall.view();
        assert_eq!((view.state.as_str(), view.pause_reason), ("paused", Some(reason)));
        assert_eq!(view.actions, [CouncilAction::Resume, CouncilAction::Cancel]);
        assert_eq!(work::next(&hall.top.room), Work::None);
        // What comes once it stands still ends nothing either.
        assert_eq!(kinds(stop(&mut hall)), [""; 0]);
        assert_eq!(kinds(key(&mut hall)), [""; 0]);
        assert_eq!(kinds(hall.person(Command::Resume)), ["council_resumed"]);
        assert_eq!(work::next(&hall.top.room), Work::Model, "it is asked again");
        assert_eq!(kinds(hall.person(Command::Resume)), [""; 0], "it goes on already");
        hall.agent(Command::SubmitCouncil { call: None }).expect("submits");
        assert_eq!(hall.view().state, "done");
    }
}

#[test]
fn a_rate_limit_in_the_review_is_waited_for() {
    let mut hall = done_once(1);
    let until = Time(hall.now + 60_000);
    hall.harness(trouble(PauseReason::Quota, "QUOTA", Some(until))).expect("trouble is told");
    assert_eq!(hall.view().pause_until, Some(until));
    assert!(hall.harness(Command::Wake).is_err(), "not yet");
    hall.now = until.0;
    assert_eq!(kinds(hall.harness(Command::Wake)), ["council_resumed"]);
    assert_eq!(work::next(&hall.top.room), Work::Model);
    assert_eq!(hall.view().pause_until, None);
}

#[test]
fn an_earlier_attempt_keeps_its_votes_rounds_and_result() {
    let mut hall = Hall::with(2, |rules| rules.max_orchestration_restarts = 1);
    hall.answer(1, "one").expect("answers");
    hall.answer(2, "two").expect("answers");
    hall.person_votes(2).expect("a person may");
    // It votes without having seen what came in meanwhile.
    let call = hall.calls(1, "vote");
    let late = hall.calls(2, "new_answer");
    hall.give(2, late, "two and more", None).expect("answers");
    assert_eq!(kinds(hall.cast(1, call, 2)), ["council_vote_dropped"]);
    hall.settle();
    hall.person_votes(2).expect("a person may");
    hall.vote(1, 2).expect("votes");
    hall.person(Command::PickWinner { member: 2 }).ok();
    hall.settle();
    let decided = hall.view().decided_at.expect("it is decided");
    hall.work_off();
    again(&mut hall).expect("restarts");
    hall.settle();
    let view = hall.view();
    assert_eq!((view.person_vote.clone(), view.dropped.len(), view.decided_at), (None, 0, None));
    let [attempt] = &view.earlier[..] else { panic!("{view:?}") };
    assert_eq!((attempt.round, attempt.decided_at), (2, Some(decided)));
    assert_eq!(attempt.person_vote.as_ref().map(|vote| vote.choice.as_str()), Some("agent2"));
    assert_eq!(attempt.dropped.len(), 1);
    assert_eq!(attempt.dropped[0].member, "agent1");
    assert!(attempt.result.contains("do two and more"), "{}", attempt.result);
    let votes: Vec<u32> = attempt.tally.iter().map(|score| score.votes).collect();
    assert_eq!(votes, [0, 2], "the person's and the first member's");
}

#[test]
fn an_attempt_that_was_stored_without_its_votes_is_read() {
    let mut hall = done_once(1);
    again(&mut hall).expect("restarts");
    let mut stored = serde_json::to_value(&hall.council().earlier[0]).expect("it is written");
    let fields = stored.as_object_mut().expect("an object");
    fields.retain(|name, _| {
        !["round", "person_vote", "dropped", "decided_at"].contains(&name.as_str())
    });
    let read: Attempt = serde_json::from_value(stored).expect("it is read");
    assert_eq!(
        (read.round, read.person_vote, read.dropped, read.decided_at),
        (0, None, vec![], None)
    );
}
