//! Answers, votes and news: who sees what when, and which votes count.

use crate::hall::{Hall, kinds, refused};
use plan::*;

fn open(members: usize) -> Hall {
    Hall::with(members, |rules| rules.defer_voting_until_all_answered = false)
}

#[test]
fn the_worked_example_c_votes_without_answering_and_b_wins_with_two_votes() {
    let mut hall = open(3);
    hall.answer(1, "one folder").expect("a answers");
    hall.answer(2, "folders by year").expect("b answers");
    // C was not interrupted: it hears of the answers when it is asked again.
    let dropped = kinds(hall.vote(3, 2));
    assert_eq!(dropped, ["council_vote_dropped"]);
    assert_eq!(hall.vote(3, 2).expect("c votes").len(), 1);
    assert_eq!(hall.winner(), None);
    hall.vote(1, 1).expect("a votes for itself");
    hall.vote(2, 2).expect("b votes for itself");
    assert_eq!(hall.winner(), Some((2, DecidedBy::Votes)));
    assert_eq!(hall.council().stage, CouncilStage::Executing);
    assert_eq!(hall.seat(3).given(), 0);
    let view = hall.view();
    assert_eq!((view.winner.as_deref(), view.plan_id), (Some("agent2"), Some(hall.council().plan)));
    let plan = hall.top.room.plan.as_ref().expect("the winner's plan");
    assert_eq!(plan.frame.origin, Origin::Council);
    assert_eq!(plan.content.steps[0].text, "do folders by year");
    assert_eq!(hall.top.room.winner().map(|seat| seat.who.agent.as_str()), Some("a2"));
    hall.work_off();
    assert_eq!(hall.council().stage, CouncilStage::Ended(CouncilEnd::Done));
}

#[test]
fn a_vote_cast_while_a_new_answer_comes_in_is_dropped_logged_and_asked_again() {
    let mut hall = open(3);
    for member in 1..=3 {
        hall.answer(member, &format!("plan {member}")).expect("all answer");
    }
    let call = hall.calls(3, "vote");
    hall.answer(1, "a better plan").expect("a second answer");
    let events = hall.cast(3, call, 2).expect("it is heard");
    assert!(matches!(
        &events[..],
        [Event::CouncilVoteDropped { member: 3, vote, why }]
            if vote.label == "agent2.1" && why.contains("new answer")
    ));
    assert_eq!(hall.seat(3).vote, None);
    hall.settle();
    let asked = hall.asked(3);
    assert!(asked.shows.contains(&(1, 2)) && asked.may_vote && !asked.mid);
    let view = hall.view();
    assert_eq!((view.dropped_votes, view.dropped[0].choice.as_str()), (1, "agent2"));
    hall.vote(3, 1).expect("asked again");
    assert_eq!(hall.seat(3).vote.as_ref().map(|vote| vote.label.as_str()), Some("agent1.2"));
}

#[test]
fn a_new_answer_clears_all_votes_and_begins_a_round() {
    let mut hall = open(3);
    hall.answer(1, "one").expect("answers");
    hall.answer(2, "two").expect("answers");
    hall.vote(1, 2).expect("votes");
    hall.person_votes(1).expect("the person votes, too");
    assert_eq!(hall.council().round, 1);
    hall.answer(3, "three").expect("answers");
    assert_eq!(hall.council().round, 2);
    assert_eq!(hall.council().person_vote, None);
    assert_eq!(hall.seat(1).vote, None);
    assert_eq!(hall.seat(1).cleared.as_ref().map(|vote| vote.choice), Some(2));
    // Without votes to clear, the round stays.
    hall.answer(2, "two again").expect("answers");
    assert_eq!(hall.council().round, 2);
}

#[test]
fn a_tie_goes_to_the_first_member() {
    let mut hall = Hall::of(4);
    for member in 1..=4 {
        hall.answer(member, &format!("plan {member}")).expect("all answer");
    }
    for (member, choice) in [(1, 3), (2, 2), (3, 3), (4, 2)] {
        hall.vote(member, choice).expect("all vote");
    }
    assert_eq!(hall.winner(), Some((2, DecidedBy::Votes)));
}

#[test]
fn votes_that_cannot_change_the_winner_are_not_waited_for() {
    let mut hall = Hall::of(5);
    for member in 1..=5 {
        hall.answer(member, &format!("plan {member}")).expect("all answer");
    }
    hall.vote(2, 2).expect("votes");
    hall.vote(3, 2).expect("votes");
    assert_eq!(hall.winner(), None);
    // 3 for agent2; the 2 votes still out reach nobody past it.
    hall.vote(4, 2).expect("votes");
    assert_eq!(hall.winner(), Some((2, DecidedBy::Votes)));
    assert!(hall.seat(1).vote.is_none() && hall.seat(5).vote.is_none());
}

#[test]
fn a_tie_that_registration_order_would_break_the_other_way_is_waited_for() {
    let mut hall = Hall::of(3);
    for member in 1..=3 {
        hall.answer(member, &format!("plan {member}")).expect("all answer");
    }
    hall.vote(2, 2).expect("votes");
    hall.vote(3, 1).expect("votes");
    assert_eq!(hall.winner(), None, "agent1 may vote for agent2");
    hall.vote(1, 2).expect("votes");
    assert_eq!(hall.winner(), Some((2, DecidedBy::Votes)));
}

#[test]
fn the_persons_vote_counts_can_change_and_is_never_waited_for() {
    let mut hall = Hall::of(2);
    hall.answer(1, "one").expect("answers");
    hall.answer(2, "two").expect("answers");
    hall.person_votes(1).expect("votes");
    hall.person_votes(2).expect("and thinks again");
    assert_eq!(hall.view().person_vote.map(|vote| vote.choice), Some("agent2".to_owned()));
    hall.vote(1, 1).expect("votes");
    assert_eq!(hall.winner(), None);
    hall.vote(2, 2).expect("votes");
    assert_eq!(hall.winner(), Some((2, DecidedBy::Votes)), "two to one");

    let mut hall = Hall::of(2);
    hall.answer(1, "one").expect("answers");
    hall.answer(2, "two").expect("answers");
    hall.vote(1, 2).expect("votes");
    hall.vote(2, 2).expect("votes");
    assert_eq!(hall.winner(), Some((2, DecidedBy::Votes)), "without the person");
}

#[test]
fn the_persons_vote_alone_decides_nothing_while_members_may_outvote_it() {
    let mut hall = Hall::of(2);
    hall.answer(1, "one").expect("answers");
    hall.answer(2, "two").expect("answers");
    hall.person_votes(2).expect("votes");
    assert_eq!(hall.winner(), None);
    // Two for agent2; one vote is out.
    hall.vote(1, 2).expect("votes");
    assert_eq!(hall.winner(), Some((2, DecidedBy::Votes)));
}

#[test]
fn a_member_without_an_answer_is_not_interrupted() {
    let mut hall = open(3);
    let before = hall.asked(3);
    hall.answer(1, "one").expect("answers");
    hall.answer(2, "two").expect("answers");
    assert_eq!(hall.asked(3), before);
    // One with an answer is told at its next tool boundary.
    let asked = hall.asked(1);
    hall.answer(3, "three").expect("answers");
    assert!(hall.asked(1).turn > asked.turn && hall.asked(1).mid);
}

#[test]
fn in_a_blind_start_nobody_sees_an_answer_or_votes_before_all_have_answered() {
    let mut hall = Hall::of(3);
    assert_eq!(refused(hall.vote(3, 1)), "ANSWER_FIRST");
    hall.answer(1, "one").expect("answers");
    hall.answer(2, "two").expect("answers");
    for member in 1..=3 {
        let asked = hall.asked(member);
        assert!(asked.shows.is_empty() && !asked.may_vote && asked.may_answer, "{member}");
        assert!(hall.seat(member).shown.is_empty());
    }
    assert_eq!(hall.view().state, "answering");
    assert_eq!(refused(hall.vote(3, 1)), "ANSWER_FIRST");
    hall.answer(3, "three").expect("answers");
    assert_eq!(hall.view().state, "voting");
    for member in 1..=3 {
        let mut shows = hall.asked(member).shows;
        shows.sort_unstable();
        assert_eq!(shows, [(1, 1), (2, 1), (3, 1)]);
    }
}

#[test]
fn a_blind_start_ends_when_the_last_silent_member_is_out() {
    let mut hall = Hall::of(3);
    hall.answer(1, "one").expect("answers");
    hall.answer(2, "two").expect("answers");
    hall.dies(3);
    assert!(hall.asked(1).may_vote && hall.asked(2).may_vote);
    // Who gets another chance answers blind, too.
    let room = RoomId(hall.id());
    hall.person(Command::RetryMember { member: 3, room }).expect("it is out");
    hall.settle();
    assert!(hall.asked(3).shows.is_empty() && !hall.asked(3).may_vote);
    hall.answer(3, "three").expect("answers");
    assert!(!hall.asked(3).shows.is_empty());
}

#[test]
fn answers_are_shown_in_an_order_of_each_members_own_and_always_the_same() {
    let orders = || {
        let mut hall = Hall::of(5);
        for member in 1..=5 {
            hall.answer(member, &format!("plan {member}")).expect("all answer");
        }
        (1..=5).map(|member| hall.asked(member).shows).collect::<Vec<_>>()
    };
    let shown = orders();
    assert_eq!(shown, orders());
    assert!(shown.iter().any(|order| *order != shown[0]), "{shown:?}");
}

#[test]
fn votes_for_nobody_and_for_old_answers_are_refused() {
    let mut hall = open(3);
    hall.answer(1, "one").expect("answers");
    hall.answer(2, "two").expect("answers");
    for choice in [0, 3, 4, 99] {
        let call = hall.calls(1, "vote");
        assert_eq!(refused(hall.cast(1, call, choice)), "MEMBER_NOT_FOUND", "{choice}");
    }
    let label = Some("agent2.7".to_owned());
    let forged = Command::VoteCouncil { voter: None, choice: 2, label, reason: "x".into() };
    assert!(hall.person(forged).is_err());
    let foreign =
        Command::VoteCouncil { voter: Some((9, 1)), choice: 2, label: None, reason: "x".into() };
    assert_eq!(refused(hall.harness(foreign)), "MEMBER_NOT_FOUND");
}

#[test]
fn what_was_heard_before_the_app_stopped_is_not_asked_for_twice() {
    let mut hall = open(2);
    let call = hall.calls(1, "new_answer");
    hall.give(1, call, "one", None).expect("answers");
    // The same call is looked at again, for its room had not been told.
    assert_eq!(hall.give(1, call, "one", None), Ok(vec![]));
    assert_eq!(hall.seat(1).given(), 1);
    hall.settle();
    hall.answer(2, "two").expect("answers");
    let call = hall.calls(1, "vote");
    let heard = hall.heard(1);
    hall.cast(1, call, 2).expect("votes");
    let voter = Some((1, heard));
    let again = Command::VoteCouncil { voter, choice: 2, label: None, reason: "x".into() };
    assert_eq!(hall.harness(again), Ok(vec![]));
}

#[test]
fn of_two_members_a_vote_for_the_first_decides_for_the_other_can_only_tie() {
    let mut hall = Hall::of(2);
    hall.answer(1, "one").expect("answers");
    hall.answer(2, "two").expect("answers");
    hall.vote(1, 1).expect("votes");
    assert_eq!(hall.winner(), Some((1, DecidedBy::Votes)));
}
