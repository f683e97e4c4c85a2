//! From the decision on: the winner's plan, other ways to present it, and what its end means.

use crate::hall::{Hall, kinds, refused};
use plan::*;

fn decided(mode: PlanMode, change: impl FnOnce(&mut CouncilRules)) -> Hall {
    let mut hall = Hall::with(2, change);
    hall.answer(1, "one").expect("answers");
    hall.answer(2, "two").expect("answers");
    hall.person(Command::SetMode { mode }).expect("the mode changes");
    hall.vote(1, 2).expect("votes");
    hall.vote(2, 2).expect("votes");
    hall
}

fn plan(hall: &Hall) -> &Plan {
    hall.top.room.plan.as_ref().expect("the winner's plan")
}

fn approve(hall: &mut Hall) {
    let (revision, hash) = (plan(hall).revision, plan(hall).hash.clone());
    let approve = Command::Approve { revision, hash, model: None, fresh_context: false };
    hall.person(approve).expect("a person approves");
}

#[test]
fn a_mode_that_changed_meanwhile_counts_at_the_decision() {
    let mut hall = decided(PlanMode::Strict, |_| {});
    assert_eq!(plan(&hall).state, PlanState::AwaitingApproval);
    assert_eq!(hall.view().state, "decided");
    assert_eq!(hall.top.room.asks.len(), 1);
    approve(&mut hall);
    assert_eq!(hall.view().state, "executing");
    let hall = decided(PlanMode::Off, |_| {});
    assert!(plan(&hall).state.is_running());
}

#[test]
fn winner_reuse_shows_the_answer_and_runs_nothing() {
    let hall =
        decided(PlanMode::Off, |rules| rules.final_answer_strategy = FinalAnswer::WinnerReuse);
    assert_eq!(hall.council().stage, CouncilStage::Ended(CouncilEnd::Done));
    assert_eq!(hall.top.room.plan, None);
    assert_eq!((hall.view().winner.as_deref(), hall.view().plan_id), (Some("agent2"), None));
}

#[test]
fn synthesize_lets_the_winner_write_one_plan_from_all_answers_first() {
    let mut hall =
        decided(PlanMode::Off, |rules| rules.final_answer_strategy = FinalAnswer::Synthesize);
    assert_eq!(hall.council().stage, CouncilStage::Decided);
    let asked = hall.asked(2);
    assert!(asked.last_word && asked.may_answer && !asked.may_vote);
    assert_eq!(asked.shows.len(), 2);
    // Nobody else is asked any more.
    assert!(!hall.council().is_at_work(1) && hall.council().is_at_work(2));
    hall.answer(2, "the best of both").expect("the last word");
    assert_eq!(hall.council().stage, CouncilStage::Executing);
    assert_eq!(plan(&hall).content.steps[0].text, "do the best of both");
}

#[test]
fn an_answer_from_before_the_decision_is_not_taken_for_the_last_word() {
    let mut hall = Hall::with(3, |rules| rules.final_answer_strategy = FinalAnswer::Synthesize);
    for member in 1..=3 {
        hall.answer(member, &format!("plan {member}")).expect("all answer");
    }
    let (own, other) = (hall.calls(2, "new_answer"), hall.calls(3, "new_answer"));
    hall.person(Command::PickWinner { member: 2 }).expect("a person picks");
    assert_eq!(refused(hall.give(3, other, "too late", None)), "NOT_ASKED");
    hall.settle();
    assert_eq!(refused(hall.give(2, own, "too early", None)), "NOT_ASKED");
    hall.answer(2, "all in one").expect("asked for it");
    assert_eq!(plan(&hall).content.steps[0].text, "do all in one");
}

#[test]
fn a_winner_that_dies_before_its_last_word_wins_with_its_answer() {
    let mut hall =
        decided(PlanMode::Off, |rules| rules.final_answer_strategy = FinalAnswer::Synthesize);
    hall.dies(2);
    assert_eq!(plan(&hall).content.steps[0].text, "do two");
}

#[test]
fn pause_and_resume_of_council_and_plan_are_one_from_the_decision_on() {
    let mut hall = decided(PlanMode::Off, |_| {});
    assert_eq!(kinds(hall.person(Command::Pause)), ["paused"]);
    assert_eq!(hall.view().state, "paused");
    assert_eq!(hall.view().pause_reason, Some(PauseReason::Supervisor));
    hall.person(Command::Resume).expect("goes on");
    assert!(plan(&hall).state.is_running());
    assert_eq!(hall.view().state, "executing");
}

#[test]
fn a_plan_that_is_cancelled_ends_the_council_so() {
    for mode in [PlanMode::Off, PlanMode::Strict] {
        let mut hall = decided(mode, |_| {});
        hall.person(Command::Cancel { reason: "enough".into(), call: None }).expect("cancels");
        assert_eq!(plan(&hall).state, PlanState::Cancelled);
        assert_eq!(hall.view().state, "cancelled");
        assert_eq!(hall.view().end_reason.as_deref(), Some("enough"));
    }
}

#[test]
fn a_plan_that_fails_ends_the_council_so() {
    let mut hall = decided(PlanMode::Off, |_| {});
    let failed = Command::StepFailed {
        step: StepRef::Number(1),
        error: "no".into(),
        next: AfterFailure::Abort,
        call: None,
    };
    hall.agent(failed).expect("it can fail");
    assert_eq!(hall.view().state, "failed");
    // Another council may follow, and the room shows both.
    hall.start(2, |_| {}).expect("the room is free");
    assert_eq!(councils(&hall.top.room).len(), 2);
    assert_eq!(councils(&hall.top.room)[1].plan_id, Some(plan(&hall).id));
}

#[test]
fn a_council_is_refused_while_a_plan_is_active_or_another_council_runs() {
    let mut hall = Hall::of(2);
    assert_eq!(refused(hall.start(2, |_| {})), "PLAN_ACTIVE");
    let write = |hall: &mut Hall| Command::Write {
        plan: PlanId(hall.id()),
        ask: AskId(hall.id()),
        call: None,
        draft: Draft {
            goal: "g".into(),
            steps: vec![DraftStep::Words("a".into())],
            ..Draft::default()
        },
        frame: hall.frame(Origin::Chat),
    };
    let plan = write(&mut hall);
    assert_eq!(refused(hall.agent(plan.clone())), "PLAN_ACTIVE");
    assert_eq!(refused(hall.person(plan)), "PLAN_ACTIVE");
    let goal = Command::SetGoal {
        plan: PlanId(hall.id()),
        message: MessageId(hall.id()),
        text: Text::from("g"),
        goal: "g".into(),
        frame: hall.frame(Origin::Goal),
    };
    assert_eq!(refused(hall.person(goal)), "PLAN_ACTIVE");

    let mut hall = Hall::empty();
    let plan = write(&mut hall);
    hall.agent(plan).expect("a plan");
    assert_eq!(refused(hall.start(2, |_| {})), "PLAN_ACTIVE");
}

#[test]
fn sidekicks_and_members_start_no_council() {
    let mut hall = Hall::empty();
    let start = hall.new_council(2, CouncilRules::default());
    assert_eq!(refused(hall.by(&Actor::sidekick("calm-otter"), start)), "COUNCIL_NOT_HERE");
    let mut hall = Hall::of(2);
    let start = hall.new_council(2, CouncilRules::default());
    for actor in [Actor::harness(), Actor::agent("a1"), crate::hall::person()] {
        assert!(hall.below(1, &actor, start.clone()).is_err(), "{actor:?}");
    }
}

#[test]
fn an_agent_calls_a_council_only_for_what_a_person_has_said() {
    let mut hall = Hall::empty();
    let Command::StartCouncil { new, .. } = hall.new_council(2, CouncilRules::default()) else {
        panic!("it is to begin");
    };
    let start = Command::StartCouncil { new, call: Some(CallId(hall.id())) };
    assert_eq!(refused(hall.agent(start)), "COUNCIL_HELD");
}

#[test]
fn the_approval_says_how_the_vote_went_and_who_objected() {
    let mut hall = Hall::of(3);
    hall.person(Command::SetMode { mode: PlanMode::Strict }).expect("the mode changes");
    for number in 1..=3 {
        hall.answer(number, "one").expect("answers");
    }
    hall.vote(3, 3).expect("votes");
    hall.vote(1, 2).expect("votes");
    hall.vote(2, 2).expect("votes");
    let asks = view(&hall.top.room).expect("the room is there").asks;
    let detail: Vec<(&str, &str)> =
        asks[0].detail.iter().map(|one| (one.name.as_str(), one.value.as_str())).collect();
    assert_eq!(detail[0], ("vote", "agent2 (a2) won with 2 of 3 votes"));
    let dissent = "agent3 (a3) voted for agent3.1: agent3 is best";
    assert_eq!(detail[1], ("dissent", dissent));
    assert_eq!(detail[2].0, "step");
}
