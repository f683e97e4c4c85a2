//! What a person does to a council, and what the app's end does.

use crate::hall::{Hall, kinds, person, refused};
use plan::*;

#[test]
fn a_paused_council_does_nothing_until_a_person_resumes_it() {
    let mut hall = Hall::of(2);
    hall.answer(1, "one").expect("answers");
    assert_eq!(kinds(hall.person(Command::Pause)), ["council_paused"]);
    assert!(hall.due().is_empty());
    assert!(!hall.council().is_at_work(2));
    for actor in [Actor::agent("default"), Actor::harness(), Actor::sidekick("x")] {
        assert!(hall.by(&actor, Command::Resume).is_err());
    }
    // What was said a moment before is kept.
    hall.answer(2, "two").expect("it was under way");
    assert!(hall.due().is_empty());
    assert_eq!(kinds(hall.person(Command::Resume)), ["council_resumed"]);
    hall.settle();
    assert!(hall.asked(1).may_vote);
}

#[test]
fn votes_that_came_in_while_paused_decide_on_resume() {
    let mut hall = Hall::of(2);
    hall.answer(1, "one").expect("answers");
    hall.answer(2, "two").expect("answers");
    hall.vote(1, 2).expect("votes");
    hall.person(Command::Pause).expect("pauses");
    hall.vote(2, 2).expect("it was under way");
    assert_eq!(hall.winner(), None);
    hall.person(Command::Resume).expect("goes on");
    assert_eq!(hall.winner(), Some((2, DecidedBy::Votes)));
}

#[test]
fn cancel_ends_a_council_in_every_stage() {
    for stage in 0..4 {
        let mut hall = Hall::with(2, |rules| {
            rules.max_orchestration_restarts = 1;
            if stage == 1 {
                rules.final_answer_strategy = FinalAnswer::Synthesize;
            }
        });
        if stage > 0 {
            hall.answer(1, "one").expect("answers");
            hall.person(Command::PickWinner { member: 1 }).expect("picks");
            hall.settle();
        }
        if stage == 3 {
            hall.work_off();
            assert_eq!(hall.council().stage, CouncilStage::Reviewing);
        }
        if stage % 2 == 0 {
            hall.person(Command::Pause).expect("can be paused");
        }
        let cancel = Command::Cancel { reason: "enough".into(), call: None };
        hall.person(cancel).expect("can be cancelled");
        assert_eq!(hall.view().state, "cancelled", "stage {stage}");
        hall.settle();
        assert!(hall.person(Command::AnswerNow).is_err());
        assert!(hall.person(Command::Resume).is_err());
        assert_eq!(work::next(&hall.top.room), Work::None);
    }
}

#[test]
fn answer_now_lets_votes_or_else_the_latest_answer_decide() {
    let mut hall = Hall::of(3);
    hall.answer(3, "three").expect("answers");
    hall.answer(1, "one").expect("answers");
    hall.person(Command::AnswerNow).expect("there are answers");
    assert_eq!(hall.winner(), Some((1, DecidedBy::Person)));

    let mut hall = Hall::of(2);
    hall.answer(1, "one").expect("answers");
    hall.answer(2, "two").expect("answers");
    hall.person_votes(1).expect("votes");
    hall.person(Command::Pause).expect("pauses");
    hall.person(Command::AnswerNow).expect("also while paused");
    assert_eq!(hall.winner(), Some((1, DecidedBy::Person)));
    hall.settle();
    assert_eq!(hall.council().stage, CouncilStage::Executing);
}

#[test]
fn answer_now_without_answers_fails_with_words() {
    let mut hall = Hall::of(2);
    hall.person(Command::AnswerNow).expect("a person may");
    assert_eq!(hall.view().state, "failed");
    assert!(hall.view().end_reason.is_some_and(|why| why.contains("no member had answered")));
}

#[test]
fn a_person_picks_a_winner_that_has_answered() {
    let mut hall = Hall::of(3);
    assert_eq!(refused(hall.person(Command::PickWinner { member: 1 })), "MEMBER_NOT_FOUND");
    hall.answer(2, "two").expect("answers");
    assert_eq!(refused(hall.person(Command::PickWinner { member: 7 })), "MEMBER_NOT_FOUND");
    assert_eq!(refused(hall.agent(Command::PickWinner { member: 2 })), "PERSON_ONLY");
    hall.person(Command::PickWinner { member: 2 }).expect("picks");
    assert_eq!(hall.winner(), Some((2, DecidedBy::Person)));
    assert_eq!(refused(hall.person(Command::PickWinner { member: 2 })), "COUNCIL_NOT_FOUND");
    assert_eq!(refused(hall.person_votes(2)), "VOTE_OVER");
}

#[test]
fn a_member_that_is_out_gets_another_chance_in_a_new_room_and_its_cost_stays() {
    let mut hall = Hall::of(3);
    let call = hall.calls(2, "new_answer");
    hall.give(2, call, "two", None).expect("answers");
    let (old, used) = (hall.seat(2).who.room, hall.view().usage);
    let room = RoomId(hall.id());
    let retry = Command::RetryMember { member: 2, room };
    assert_eq!(refused(hall.person(retry.clone())), "MEMBER_NOT_OUT");
    hall.harness(Command::MemberOut { member: 2, reason: "gone".into() }).expect("out");
    assert_eq!(refused(hall.agent(retry.clone())), "PERSON_ONLY");
    hall.person(retry).expect("another chance");
    hall.settle();
    assert_ne!(hall.seat(2).who.room, old);
    assert_eq!(hall.seat(2).given(), 1, "what it said stands");
    assert_eq!(hall.view().usage, used);
    assert_eq!(hall.view().members[1].usage, used);
}

#[test]
fn words_reach_each_member_before_its_next_turn_and_clear_no_vote() {
    let mut hall = Hall::of(2);
    hall.answer(1, "one").expect("answers");
    hall.answer(2, "two").expect("answers");
    hall.vote(1, 2).expect("votes");
    let (message, text) = (MessageId(hall.id()), Text::from("mind the photos"));
    hall.person(Command::Say { message, text: text.clone() }).expect("says");
    hall.settle();
    assert!(hall.seat(1).vote.is_some());
    assert_eq!(hall.council().words, [text]);
    assert_eq!(hall.asked(2).words, 0, "not in the middle of a turn");
    assert_eq!(work::next(&hall.top.room), Work::None, "the room's agent rests");
    hall.answer(2, "two again").expect("answers");
    assert_eq!(hall.asked(1).words, 1);
    let heard =
        |hall: &Hall| hall.member_room(1).and_then(|room| room.member.as_ref()?.words.into());
    assert_eq!(heard(&hall), Some(1));
}

fn say(hall: &mut Hall, words: &str) {
    let message = MessageId(hall.id());
    hall.person(Command::Say { message, text: Text::from(words) }).expect("says");
}

/// Who stood still is asked again with what was said meanwhile before its turn goes on.
#[test]
fn words_said_while_paused_reach_members_before_they_go_on() {
    for (answered, killed) in [(false, false), (false, true), (true, false), (true, true)] {
        let mut hall = Hall::of(3);
        if answered {
            for number in 1..=3 {
                hall.answer(number, "one").expect("answers");
            }
            hall.vote(1, 2).expect("votes");
        }
        let before = hall.asked(2).turn;
        match killed {
            true => hall.restart_app(),
            false => drop(hall.person(Command::Pause).expect("pauses")),
        }
        say(&mut hall, "mind the photos");
        hall.settle();
        assert_eq!(hall.asked(2).turn, before, "a paused council asks nobody");
        hall.person(Command::Resume).expect("goes on");
        assert!(hall.seat(2).lacks_words());
        hall.settle();
        for number in [2, 3] {
            let asked = hall.asked(number);
            assert_eq!((asked.turn, asked.words, asked.mid), (before + 1, 1, true));
            let room = hall.member_room(number).expect("its room");
            assert_eq!(room.member.as_ref().map(|member| member.words), Some(1));
            assert_eq!(work::next(room), Work::Model);
        }
        assert_eq!(hall.seat(1).vote.is_some(), answered, "no vote is cleared");
        assert_eq!(hall.view().round, 1);
        // Words that come now wait for the next turn again.
        say(&mut hall, "and the films");
        hall.settle();
        assert_eq!(hall.asked(2).turn, before + 1);
        if answered {
            hall.vote(2, 2).expect("votes");
            assert_eq!(hall.winner(), Some((2, DecidedBy::Votes)));
        } else {
            hall.answer(2, "two").expect("answers");
        }
    }
}

#[test]
fn who_waited_for_its_provider_hears_first_what_was_said() {
    let mut hall = Hall::of(2);
    let until = hall.now + 60_000;
    hall.rate_limited(2, until);
    say(&mut hall, "mind the photos");
    hall.settle();
    assert_eq!(hall.asked(2).words, 0, "it waits");
    hall.pass(61);
    assert_eq!((hall.asked(2).words, hall.asked(1).words), (1, 0));
}

/// An answer that was called for before the words came is not asked for again.
#[test]
fn what_was_handed_in_before_the_words_counts() {
    let mut hall = Hall::of(2);
    let call = hall.calls(1, "new_answer");
    hall.restart_app();
    say(&mut hall, "mind the photos");
    hall.person(Command::Resume).expect("goes on");
    hall.settle();
    assert_eq!(hall.asked(1).words, 0);
    hall.give(1, call, "one", None).expect("its model is not asked again");
    hall.settle();
    hall.answer(2, "two").expect("answers");
    assert_eq!(hall.asked(1).words, 1, "it hears them in its next turn");
}

/// What a council was about, and what the person said to it, is nobody's to do afterwards.
#[test]
fn after_an_end_without_execution_the_rooms_agent_rests() {
    for end in ["failed", "cancelled", "done"] {
        let mut hall = Hall::with(2, |rules| {
            rules.final_answer_strategy = FinalAnswer::WinnerReuse;
        });
        say(&mut hall, "hurry");
        match end {
            "done" => {
                hall.answer(1, "one").expect("answers");
                hall.person(Command::PickWinner { member: 1 }).expect("picks");
            }
            "failed" => drop(hall.person(Command::AnswerNow).expect("a person may")),
            _ => {
                let cancel = Command::Cancel { reason: String::new(), call: None };
                hall.person(cancel).expect("can be cancelled");
            }
        }
        hall.settle();
        assert_eq!(hall.view().state, end);
        assert_eq!(work::next(&hall.top.room), Work::None, "{end}");
        say(&mut hall, "thanks");
        assert_eq!(work::next(&hall.top.room), Work::Model, "{end}");
    }
}

#[test]
fn a_person_votes_once_voting_is_open() {
    let mut hall = Hall::of(3);
    hall.answer(1, "one").expect("answers");
    assert_eq!(refused(hall.person_votes(1)), "ANSWER_FIRST");
    assert!(!hall.view().actions.contains(&CouncilAction::Vote));
    assert!(hall.view().actions.contains(&CouncilAction::Pick));
    hall.answer(2, "two").expect("answers");
    hall.harness(Command::MemberOut { member: 3, reason: "gone".into() }).expect("out");
    assert!(hall.view().actions.contains(&CouncilAction::Vote));
    hall.person_votes(1).expect("voting is open");
}

#[test]
fn a_council_that_is_over_shows_nobody_at_work() {
    for cancelled in [true, false] {
        let mut hall = Hall::of(3);
        hall.answer(1, "one").expect("answers");
        let end = match cancelled {
            true => Command::Cancel { reason: String::new(), call: None },
            false => Command::AnswerNow,
        };
        hall.person(end).expect("a person may");
        let view = hall.view();
        let states: Vec<&str> = view.members.iter().map(|one| one.state.as_str()).collect();
        assert_eq!(states, ["answered", "failed", "failed"]);
        assert!(view.members[1].problem.as_ref().is_some_and(|why| why.contains("not answered")));
    }
}

#[test]
fn a_cap_pauses_the_council_and_resume_lets_it_use_as_much_again() {
    for money in [true, false] {
        let mut hall = Hall::with(2, |rules| match money {
            true => rules.cost_micros = Some(8),
            false => rules.tokens = Some(20),
        });
        hall.answer(1, "one").expect("answers");
        assert_eq!(hall.view().state, "answering");
        let call = hall.calls(2, "new_answer");
        assert_eq!(hall.view().pause_reason, Some(PauseReason::Cap));
        assert!(hall.view().pause_detail.is_some());
        hall.give(2, call, "two", None).expect("what was paid for is kept");
        hall.settle();
        hall.person(Command::Resume).expect("goes on");
        hall.settle();
        hall.vote(1, 2).expect("votes");
        assert_eq!(hall.view().state, "voting");
    }
}

#[test]
fn a_members_room_belongs_to_the_council() {
    let mut hall = Hall::of(2);
    let say = Command::Say { message: MessageId(hall.id()), text: Text::from("psst") };
    for command in [say, Command::SetMode { mode: PlanMode::Off }, Command::Pause] {
        assert_eq!(refused(hall.below(1, &person(), command)), "MEMBER_ROOM");
    }
}

/// A council in one of its stages, with restarts left.
fn at(stage: &str) -> Hall {
    let mut hall = Hall::with(2, |rules| {
        rules.max_orchestration_restarts = 1;
        if stage == "decided" {
            rules.final_answer_strategy = FinalAnswer::Synthesize;
        }
    });
    hall.answer(1, "one").expect("answers");
    if stage == "answering" {
        return hall;
    }
    hall.answer(2, "two").expect("answers");
    hall.vote(1, 2).expect("votes");
    if stage == "voting" {
        return hall;
    }
    hall.vote(2, 2).expect("votes");
    if matches!(stage, "decided" | "executing") {
        return hall;
    }
    hall.work_off();
    if stage == "reviewing" {
        return hall;
    }
    crate::restarts::again(&mut hall).expect("one restart is left");
    hall.settle();
    hall
}

#[test]
fn after_the_app_stopped_a_council_stands_paused_with_everything_in_every_stage() {
    for stage in ["answering", "voting", "decided", "executing", "reviewing", "restarting"] {
        let mut hall = at(stage);
        let before = hall.view();
        hall.now += 3_600_000;
        hall.restart_app();
        let view = hall.view();
        assert_eq!(
            (view.state.as_str(), view.pause_reason),
            ("paused", Some(PauseReason::Interrupted)),
            "{stage}"
        );
        assert_eq!(
            (&view.members, &view.tally, view.round),
            (&before.members, &before.tally, before.round)
        );
        assert!(view.ran_ms < 60_000, "{stage}: the time it was away does not count");
        assert!(hall.due().is_empty() && work::next(&hall.top.room) == Work::None, "{stage}");
        assert!(hall.by(&Actor::harness(), Command::Resume).is_err());
        hall.restart_app();
        hall.person(Command::Resume).expect("a person resumes");
        hall.settle();
        assert_eq!(hall.view().state, before.state, "{stage}");
        assert_eq!(hall.view().pause_reason, None);
        if matches!(stage, "executing" | "reviewing") {
            assert_eq!(hall.view().deadline, None, "the talk's clock stays off");
        }
    }
}

#[test]
fn a_call_that_was_not_looked_at_outlives_the_app() {
    let mut hall = Hall::of(2);
    let call = hall.calls(1, "new_answer");
    hall.restart_app();
    assert!(hall.member_room(1).is_some_and(|room| room.call(call).is_some()));
    hall.person(Command::Resume).expect("a person resumes");
    hall.settle();
    hall.give(1, call, "one", None).expect("its model is not asked again");
    assert_eq!(hall.seat(1).given(), 1);
}
