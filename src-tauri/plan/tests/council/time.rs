//! Time: the council's own, each turn's, and what a provider's limits do to it.

use crate::hall::{Hall, refused};
use plan::council::next_time;
use plan::*;

#[test]
fn without_votes_the_latest_answer_wins_when_the_time_is_over() {
    let mut hall = Hall::of(3);
    hall.answer(2, "two").expect("answers");
    hall.pass(10);
    hall.answer(1, "one").expect("answers");
    hall.pass(1_780);
    assert_eq!(hall.winner(), None);
    hall.pass(20);
    assert_eq!(hall.winner(), Some((1, DecidedBy::Timeout)));
}

#[test]
fn the_votes_so_far_decide_when_the_time_is_over() {
    let mut hall = Hall::of(3);
    for member in 1..=3 {
        hall.answer(member, &format!("plan {member}")).expect("all answer");
    }
    hall.vote(3, 1).expect("votes");
    hall.pass(1_801);
    assert_eq!(hall.winner(), Some((1, DecidedBy::Timeout)));
}

#[test]
fn a_council_in_which_nobody_answered_fails_and_says_so() {
    let mut hall = Hall::of(2);
    hall.pass(1_801);
    let view = hall.view();
    assert_eq!(view.state, "failed");
    assert!(view.end_reason.is_some_and(|why| why.contains("before any member had answered")));

    let mut hall = Hall::of(2);
    hall.dies(1);
    hall.dies(2);
    let why = hall.view().end_reason.unwrap_or_default();
    assert!(hall.view().state == "failed" && why.contains("the key was rejected"), "{why}");
    assert!(why.ends_with("rejected."), "{why}");
}

#[test]
fn a_member_whose_rate_limit_resets_after_the_deadline_is_out_at_once() {
    let mut hall = Hall::of(3);
    hall.rate_limited(2, 1_000_000);
    assert!(!hall.is_out(2), "before the deadline it waits");
    assert_eq!(hall.view().members[1].waits_until, Some(Time(1_000_000)));
    hall.rate_limited(3, 1_900_000);
    assert!(hall.is_out(3));
    hall.answer(1, "one").expect("the others go on");
}

#[test]
fn a_killed_member_does_not_sink_the_council() {
    let mut hall = Hall::of(3);
    hall.dies(2);
    hall.answer(1, "one").expect("answers");
    hall.answer(3, "three").expect("answers");
    hall.vote(1, 3).expect("votes");
    hall.vote(3, 3).expect("votes");
    assert_eq!(hall.winner(), Some((3, DecidedBy::Votes)));
}

#[test]
fn one_living_member_wins_with_its_answer() {
    let mut hall = Hall::of(3);
    hall.dies(1);
    hall.dies(3);
    assert_eq!(hall.winner(), None, "it has not answered yet");
    hall.answer(2, "two").expect("answers");
    assert_eq!(hall.winner(), Some((2, DecidedBy::LastMember)));
}

#[test]
fn the_answers_of_members_that_are_out_still_count() {
    let mut hall = Hall::of(2);
    hall.answer(1, "one").expect("answers");
    hall.dies(2);
    assert_eq!(hall.winner(), Some((1, DecidedBy::LastMember)));
    let mut hall = Hall::of(3);
    for member in 1..=3 {
        hall.answer(member, &format!("plan {member}")).expect("all answer");
    }
    hall.vote(3, 1).expect("votes");
    let out = Command::MemberOut { member: 3, reason: "gone".into() };
    hall.harness(out).expect("it can be out");
    assert_eq!(hall.view().tally[0].votes, 1, "what it voted stands");
}

fn timed(members: usize) -> Hall {
    Hall::with(members, |rules| {
        rules.initial_round_timeout_seconds = Some(600);
        rules.subsequent_round_timeout_seconds = Some(300);
    })
}

#[test]
fn a_turn_runs_low_then_out_of_time() {
    let mut hall = timed(2);
    assert!(hall.asked(1).may_look);
    hall.pass(600);
    let asked = hall.asked(1);
    assert!(asked.mid && !asked.may_look && asked.may_answer);
    assert!(hall.member_room(1).and_then(|room| room.member.as_ref()).is_some_and(|m| !m.may_look));
    // What was under way when it was told counts.
    hall.answer(1, "one").expect("answers in the grace");
    hall.pass(119);
    assert!(!hall.is_out(2));
    hall.pass(1);
    assert!(hall.is_out(2));
    assert_eq!(hall.winner(), Some((1, DecidedBy::LastMember)));
}

#[test]
fn a_vote_under_way_when_the_time_runs_low_counts() {
    let mut hall = timed(2);
    hall.answer(1, "one").expect("answers");
    hall.answer(2, "two").expect("answers");
    let call = hall.calls(1, "vote");
    hall.pass(300);
    assert!(!hall.asked(1).may_look);
    assert!(matches!(hall.cast(1, call, 2).expect("heard")[0], Event::CouncilVoted { .. }));
}

#[test]
fn later_turns_have_their_own_time() {
    let mut hall = timed(2);
    hall.pass(500);
    hall.answer(1, "one").expect("answers");
    hall.answer(2, "two").expect("answers");
    hall.pass(299);
    assert!(hall.asked(1).may_look);
    hall.pass(1);
    assert!(!hall.asked(1).may_look);
}

#[test]
fn a_rate_limit_does_not_count_against_the_turn() {
    let mut hall = timed(2);
    hall.pass(500);
    hall.rate_limited(1, hall.now + 700_000);
    hall.answer(2, "two").expect("answers");
    hall.pass(699);
    assert!(hall.asked(1).may_look && !hall.is_out(1));
    hall.pass(1);
    assert_eq!(hall.member_room(1).map(work::next), Some(Work::Model), "it goes on by itself");
    hall.pass(90);
    assert!(hall.asked(1).may_look, "590 of 600 seconds are used");
    hall.pass(20);
    assert!(!hall.asked(1).may_look);
}

#[test]
fn news_do_not_wake_a_member_that_waits_for_its_provider() {
    let mut hall = Hall::of(3);
    for member in 1..=3 {
        hall.answer(member, &format!("plan {member}")).expect("all answer");
    }
    hall.rate_limited(3, hall.now + 60_000);
    hall.answer(1, "news").expect("answers");
    assert_eq!(hall.member_room(3).map(work::next), Some(Work::None));
    hall.pass(60);
    assert!(hall.asked(3).shows.contains(&(1, 2)));
    assert_eq!(hall.member_room(3).map(work::next), Some(Work::Model));
}

#[test]
fn the_clock_stops_only_while_the_council_is_paused() {
    let mut hall = Hall::of(2);
    hall.answer(1, "one").expect("answers");
    hall.pass(1_000);
    hall.person(Command::Pause).expect("pauses");
    assert_eq!(hall.view().deadline, None);
    hall.pass(100_000);
    assert_eq!(hall.winner(), None);
    hall.person(Command::Resume).expect("goes on");
    hall.rate_limited(2, hall.now + 500_000);
    hall.pass(790);
    assert_eq!(hall.winner(), None);
    hall.pass(11);
    assert_eq!(hall.winner(), Some((1, DecidedBy::Timeout)));
}

#[test]
fn the_next_time_is_always_to_come() {
    let mut hall = Hall::with(2, |rules| rules.final_answer_strategy = FinalAnswer::Synthesize);
    hall.answer(1, "one").expect("answers");
    hall.pass(1_801);
    assert_eq!(hall.council().stage, CouncilStage::Decided);
    let next = next_time(&hall.top.room, hall.time()).expect("the winner has a while");
    assert!(next > hall.time());
    assert_eq!(
        refused(hall.harness(Command::HandOver { text: Text::from("") })),
        "COUNCIL_NOT_FOUND"
    );
    hall.pass(121);
    assert_eq!(hall.council().stage, CouncilStage::Executing, "its own answer is the plan");
}
