use super::*;
use engine::CouncilGlance;
use plan::{Action, CouncilAction, CouncilId, PlanMode, Time};
use uuid::Uuid;

pub fn room(state: &str, reason: Option<PauseReason>) -> RoomSummary {
    let plan = PlanGlance {
        id: PlanId(Uuid::from_u128(2)),
        goal: "Tidy\u{7} the\nshelf".to_owned(),
        state: state.to_owned(),
        pause_reason: reason,
        left: false,
        ended: 1,
        steps: 3,
        actions: if state == "paused" { vec![Action::Resume] } else { Vec::new() },
    };
    RoomSummary {
        id: RoomId(Uuid::from_u128(1)),
        title: "Shelf".to_owned(),
        workspace: "/shelf".to_owned(),
        kind: RoomSort::Chat,
        parent: None,
        codename: None,
        sidekick: None,
        plan_mode: PlanMode::Strict,
        archived: false,
        busy: false,
        asks: 0,
        active_plan: None,
        plan: Some(plan),
        council: None,
        created_at: Time(0),
        updated_at: Time(0),
        number: 1,
    }
}

/// A room with a council and no plan.
pub fn with_council(state: &str, reason: Option<PauseReason>) -> RoomSummary {
    let talks = ["answering", "voting", "decided", "paused"].contains(&state);
    let council = CouncilGlance {
        id: CouncilId(Uuid::from_u128(4)),
        task: "Pick_a\nshelf".to_owned(),
        state: state.to_owned(),
        pause_reason: reason,
        talks,
        answered: 2,
        voted: 0,
        members: 3,
        planned: false,
        end_reason: (state == "failed").then(|| "No member could answer.".to_owned()),
        actions: match state {
            "paused" => vec![CouncilAction::Resume, CouncilAction::Cancel],
            _ => Vec::new(),
        },
    };
    RoomSummary { plan: None, council: Some(council), ..room("done", None) }
}

pub fn ask(kind: AskKind) -> AskView {
    AskView {
        id: AskId(Uuid::from_u128(3)),
        kind,
        room_id: RoomId(Uuid::from_u128(1)),
        plan_id: Some(PlanId(Uuid::from_u128(2))),
        step_id: None,
        revision: None,
        hash: None,
        text: "May I?".to_owned(),
        detail: Vec::new(),
        answers: Vec::new(),
        codename: None,
        parent: None,
        created_at: Time(0),
    }
}

pub fn look(rooms: Vec<RoomSummary>, asks: Vec<AskView>) -> Overview {
    Overview { rooms, asks }
}

/// The first lines of what is told between two states of one plan.
fn told(before: (&str, Option<PauseReason>), after: (&str, Option<PauseReason>)) -> Vec<Notice> {
    let before = look(vec![room(before.0, before.1)], vec![]);
    let after = look(vec![room(after.0, after.1)], vec![]);
    between(&before, &after).new
}

#[test]
fn a_forced_pause_is_told_and_offers_resume_where_that_is_an_answer() {
    for (reason, resume) in [
        (PauseReason::AutoBudget, true),
        (PauseReason::Attempts, true),
        (PauseReason::Cap, true),
        (PauseReason::Quota, true),
        (PauseReason::Provider, true),
        (PauseReason::Revise, false),
        (PauseReason::Drift, false),
    ] {
        let told = told(("running", None), ("paused", Some(reason)));
        let [notice] = told.as_slice() else { panic!("{reason:?}") };
        assert_eq!((notice.summary, notice.resume), ("Plan paused", resume), "{reason:?}");
        assert!(notice.body.ends_with("\nTidy⟨U+0007⟩ the shelf"), "{}", notice.body);
    }
}

#[test]
fn what_the_person_wanted_is_not_told() {
    for reason in [PauseReason::Supervisor, PauseReason::Manual, PauseReason::Interrupted] {
        assert_eq!(told(("running", None), ("paused", Some(reason))), vec![]);
    }
    assert_eq!(told(("running", None), ("cancelled", None)), vec![]);
    assert_eq!(told(("draft", None), ("running", None)), vec![]);
}

#[test]
fn an_end_is_told_once() {
    let first = told(("running", None), ("done", None));
    assert_eq!((first[0].summary, first[0].stays), ("Plan done", false));
    assert_eq!(first[0].body, "Tidy⟨U+0007⟩ the shelf\n1 of 3 steps ended");
    assert_eq!(told(("done", None), ("done", None)), vec![]);
    assert_eq!(told(("running", None), ("failed", None))[0].summary, "Plan failed");
}

#[test]
fn an_answer_elsewhere_takes_the_notice_back() {
    let asks = look(vec![room("awaiting_approval", None)], vec![ask(AskKind::Approval)]);
    let raised = between(&look(vec![room("draft", None)], vec![]), &asks);
    let [notice] = raised.new.as_slice() else { panic!("{raised:?}") };
    assert_eq!(notice.summary, "A plan waits for your approval");
    assert_eq!((notice.body.as_str(), notice.resume), ("Tidy⟨U+0007⟩ the shelf", false));
    assert!(stands(&asks, &notice.about));
    let after = look(vec![room("running", None)], vec![]);
    let answered = between(&asks, &after);
    assert_eq!(answered, News { new: vec![], over: vec![notice.about.clone()] });
}

#[test]
fn a_drift_is_told_by_its_question_alone() {
    let before = look(vec![room("running", None)], vec![]);
    let after = look(vec![room("paused", Some(PauseReason::Drift))], vec![ask(AskKind::Drift)]);
    let news = between(&before, &after);
    let summaries: Vec<&str> = news.new.iter().map(|notice| notice.summary).collect();
    assert_eq!(summaries, ["The agent wants to go beyond the plan"]);
}

#[test]
fn what_stood_at_the_first_look_is_not_news() {
    let look = look(vec![room("paused", Some(PauseReason::Cap))], vec![ask(AskKind::Question)]);
    assert_eq!(between(&look, &look), News::default());
}

#[test]
fn another_reason_is_another_event() {
    let told = told(("paused", Some(PauseReason::Cap)), ("paused", Some(PauseReason::Attempts)));
    assert_eq!(told.len(), 1);
}

#[test]
fn a_plan_that_was_sent_back_and_given_up_is_told_once() {
    let mut left = room("draft", None);
    left.plan.as_mut().unwrap().left = true;
    let (before, after) = (look(vec![room("draft", None)], vec![]), look(vec![left], vec![]));
    let news = between(&before, &after);
    assert_eq!(news.new.len(), 1);
    assert_eq!(news.new[0].summary, "A plan waits for your word");
    assert_eq!(between(&after, &after), News::default());
    assert_eq!(between(&after, &before).over, [About::Left(PlanId(Uuid::from_u128(2)))]);
}

/// What is told between two states of one council.
fn council_told(before: (&str, Option<PauseReason>), after: RoomSummary) -> Vec<Notice> {
    let before = look(vec![with_council(before.0, before.1)], vec![]);
    between(&before, &look(vec![after], vec![])).new
}

#[test]
fn a_council_paused_by_a_limit_is_told_once_and_offers_resume() {
    let paused = with_council("paused", Some(PauseReason::Cap));
    let told = council_told(("voting", None), paused.clone());
    let [notice] = told.as_slice() else { panic!("{told:?}") };
    assert_eq!((notice.summary, notice.resume, notice.stays), ("Council paused", true, true));
    assert_eq!(notice.body, "A limit is reached.\nPick_a shelf");
    assert_eq!(council_told(("paused", Some(PauseReason::Cap)), paused), vec![]);
    for reason in [PauseReason::Supervisor, PauseReason::Interrupted] {
        assert_eq!(council_told(("voting", None), with_council("paused", Some(reason))), vec![]);
    }
}

#[test]
fn a_council_that_failed_is_told_once_with_the_reason() {
    let told = council_told(("answering", None), with_council("failed", None));
    let [notice] = told.as_slice() else { panic!("{told:?}") };
    assert_eq!((notice.summary, notice.stays), ("Council failed", false));
    assert_eq!(notice.body, "No member could answer.\nPick_a shelf");
    assert_eq!(council_told(("failed", None), with_council("failed", None)), vec![]);
    assert_eq!(council_told(("voting", None), with_council("cancelled", None)), vec![]);
}

#[test]
fn an_answer_that_nothing_carries_out_is_told_and_a_plan_tells_for_itself() {
    let told = council_told(("voting", None), with_council("done", None));
    assert_eq!(told[0].summary, "The council has an answer");
    for state in ["done", "failed"] {
        let mut planned = with_council(state, None);
        planned.council.as_mut().unwrap().planned = true;
        assert_eq!(council_told(("voting", None), planned), vec![], "{state}");
    }
}
