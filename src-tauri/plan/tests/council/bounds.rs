//! What a member is held to: how many answers, how new, how long, and how a turn ends.

use crate::hall::{Hall, kinds, refused};
use plan::*;

#[test]
fn at_its_bound_a_member_may_only_vote() {
    let mut hall = Hall::with(2, |rules| rules.fairness_lead_cap_answers = None);
    hall.answer(1, "one").expect("answers");
    hall.answer(2, "two").expect("answers");
    hall.answer(1, "one again").expect("its second");
    assert!(!hall.asked(1).may_answer && hall.asked(1).may_vote);
    assert_eq!(refused(hall.answer(1, "a third")), "ONLY_VOTE");
    hall.vote(1, 2).expect("votes");
}

#[test]
fn all_members_together_are_bound_and_the_rest_votes() {
    let mut hall = Hall::with(3, |rules| rules.max_new_answers_global = Some(1));
    hall.answer(2, "the only one").expect("answers");
    // The others were in their turn; an answer of theirs comes too late.
    assert_eq!(refused(hall.answer(1, "late")), "ONLY_VOTE");
    assert_eq!(kinds(hall.vote(1, 2)), ["council_vote_dropped"]);
    assert!(!hall.asked(1).may_answer);
    hall.vote(1, 2).expect("votes");
    hall.vote(3, 2).expect("is heard");
    hall.vote(3, 2).expect("votes");
    assert_eq!(hall.winner(), Some((2, DecidedBy::Votes)));
}

#[test]
fn nobody_gets_further_ahead_of_the_slowest_than_the_lead_cap() {
    let mut hall = Hall::with(2, |rules| {
        rules.defer_voting_until_all_answered = false;
        rules.max_new_answers_per_agent = None;
        rules.fairness_lead_cap_answers = Some(1);
    });
    hall.answer(1, "one").expect("one ahead");
    assert!(!hall.council().may_answer(1) && hall.council().may_answer(2));
    hall.answer(2, "two").expect("answers");
    hall.answer(1, "one b").expect("one ahead again");
    assert_eq!(refused(hall.answer(1, "one c")), "ONLY_VOTE");
    hall.dies(2);
    assert_eq!(hall.winner(), Some((1, DecidedBy::LastMember)));
}

#[test]
fn an_answer_that_is_not_new_is_refused_and_its_member_only_votes() {
    for (novelty, most) in [(Novelty::Balanced, 70), (Novelty::Strict, 50)] {
        let mut hall = Hall::with(2, |rules| rules.answer_novelty_requirement = novelty);
        hall.answer(1, "one").expect("answers");
        // Who answers blind repeats nobody.
        let call = hall.calls(2, "new_answer");
        assert_eq!(kinds(hall.give(2, call, "one", Some(100))), ["council_answered"]);
        hall.settle();
        let call = hall.calls(1, "new_answer");
        assert_eq!(kinds(hall.give(1, call, "a bit new", Some(most))), ["council_answered"]);
        hall.settle();
        let call = hall.calls(2, "new_answer");
        assert_eq!(kinds(hall.give(2, call, "the same", Some(most + 1))), ["council_not_new"]);
        hall.settle();
        assert_eq!(refused(hall.answer(2, "really new")), "ONLY_VOTE");
        hall.vote(2, 1).expect("votes in the same turn");
    }
}

#[test]
fn lenient_takes_any_answer() {
    let mut hall = Hall::of(2);
    hall.answer(1, "one").expect("answers");
    hall.answer(2, "one").expect("answers");
    let call = hall.calls(1, "new_answer");
    assert_eq!(kinds(hall.give(1, call, "one", Some(100))), ["council_answered"]);
}

#[test]
fn news_interrupt_a_turn_only_so_often_in_a_round() {
    let mut hall = Hall::with(3, |rules| {
        rules.max_new_answers_per_agent = None;
        rules.fairness_lead_cap_answers = None;
        rules.max_midstream_injections_per_round = 1;
    });
    for member in 1..=3 {
        hall.answer(member, &format!("plan {member}")).expect("all answer");
    }
    let first = hall.asked(3).turn;
    hall.answer(1, "news").expect("answers");
    assert_eq!(hall.asked(3).turn, first + 1);
    hall.answer(2, "more news").expect("answers");
    assert_eq!(hall.asked(3).turn, first + 1, "not a second time in the round");
    assert_eq!(kinds(hall.vote(3, 1)), ["council_vote_dropped"]);
    assert!(hall.asked(3).shows.contains(&(2, 2)));
    hall.vote(3, 1).expect("it has seen all now");
    // The next round begins when votes are cleared.
    hall.answer(1, "third").expect("answers");
    assert_eq!(hall.seat(3).injected, 0);
}

#[test]
fn an_answer_of_more_than_64_kb_is_refused() {
    let mut hall = Hall::of(2);
    let long = "x".repeat(ANSWER_BYTES + 1);
    assert_eq!(refused(hall.answer(1, &long)), "TOO_LONG");
    let (content, _) = Text::split("x".repeat(5_000_000));
    let new = NewAnswer { member: 1, heard: 1, content, draft: Draft::default(), overlap: None };
    assert_eq!(refused(hall.harness(Command::AnswerCouncil { new: Box::new(new) })), "TOO_LONG");
    hall.answer(1, &long[1..]).expect("64 KB fit");
}

#[test]
fn a_turn_that_ends_in_words_is_told_so_three_times_then_the_member_is_out() {
    let mut hall = Hall::of(3);
    for _ in 0..3 {
        hall.words(2);
        assert!(!hall.is_out(2));
    }
    let nudges = |hall: &Hall| {
        let log = &hall.rooms[&hall.seat(2).who.room].events;
        log.iter().filter(|event| matches!(event, Event::Nudged { .. })).count()
    };
    assert_eq!(nudges(&hall), 3);
    hall.words(2);
    assert!(hall.is_out(2));
    assert_eq!(hall.view().members[1].state, "failed");
    hall.answer(1, "one").expect("the others go on");
    hall.answer(3, "three").expect("the others go on");
    assert!(hall.asked(1).may_vote);
}

#[test]
fn a_council_has_two_to_eight_members() {
    let mut hall = Hall::empty();
    for members in [0, 1, 9] {
        assert_eq!(refused(hall.start(members, |_| {})), "COUNCIL_SIZE");
    }
    hall.start(8, |_| {}).expect("eight may sit");
    hall.settle();
}

#[test]
fn a_bound_of_no_answers_still_lets_everyone_answer_once() {
    let mut hall = Hall::with(2, |rules| {
        rules.max_new_answers_per_agent = Some(0);
        rules.fairness_lead_cap_answers = Some(0);
    });
    hall.answer(1, "one").expect("answers");
    hall.answer(2, "two").expect("answers");
    assert!(!hall.asked(1).may_answer && hall.asked(1).may_vote);
}
