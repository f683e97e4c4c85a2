//! A council as it is shown.

use super::tally::{Score, tally};
use super::{
    Answer, Council, CouncilEnd, CouncilRules, CouncilStage, DecidedBy, Dropped, Number, Seat,
    Vote, member_name,
};
use crate::{
    CouncilId, PauseReason, PlanId, PlanState, Room, RoomId, StepId, StepSpec, Text, Time, Usage,
    Verify,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// What a person may do to a council now.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS, utoipa::ToSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum CouncilAction {
    /// Let what is there decide.
    AnswerNow,
    /// Say who wins.
    Pick,
    /// Vote.
    Vote,
    /// Stop for now.
    Pause,
    /// Go on.
    Resume,
    /// End it.
    Cancel,
}

/// A vote as it is shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS, utoipa::ToSchema)]
pub struct CouncilVoteView {
    /// The member it is for.
    #[serde(rename = "for")]
    pub choice: String,
    /// The answer it is for.
    pub label: String,
    pub reason: String,
}

/// A vote that did not count, as it is shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS, utoipa::ToSchema)]
pub struct CouncilDroppedView {
    pub member: String,
    /// The member it was for.
    #[serde(rename = "for")]
    pub choice: String,
    pub reason: String,
    /// Why it did not count.
    pub why: String,
    pub at: Time,
}

/// A step of an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS, utoipa::ToSchema)]
pub struct CouncilStepView {
    pub id: StepId,
    pub text: String,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub tool: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub target: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub expected_outcome: Option<String>,
    /// How the harness checks it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub verify: Option<Verify>,
    /// Steps that come first.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub needs: Vec<StepId>,
    /// The agent and the model that shall do it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub agent: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub model: Option<String>,
}

impl CouncilStepView {
    /// A step of an answer, whole.
    pub fn of(step: &StepSpec) -> Self {
        Self {
            id: step.id.clone(),
            text: step.text.clone(),
            tool: step.tool.clone(),
            target: step.target.clone(),
            expected_outcome: step.expected_outcome.clone(),
            verify: step.verify.clone(),
            needs: step.needs.clone(),
            agent: step.agent.clone(),
            model: step.model.clone(),
        }
    }

    /// What it is beside its text, a line each.
    pub fn details(&self) -> Vec<String> {
        let needs: Vec<&str> = self.needs.iter().map(|id| id.0.as_str()).collect();
        let does = [self.tool.as_deref(), self.target.as_deref()];
        let does: Vec<&str> = does.into_iter().flatten().collect();
        let needs = Some(needs.join(", ")).filter(|needs| !needs.is_empty());
        let does = Some(does.join(" ")).filter(|does| !does.is_empty());
        let verify = self.verify.as_ref().map(ToString::to_string);
        let named = [
            ("Does", &does),
            ("Expected", &self.expected_outcome),
            ("Check", &verify),
            ("After", &needs),
            ("Agent", &self.agent),
            ("Model", &self.model),
        ];
        let lines = named.into_iter().filter_map(|(name, what)| Some((name, what.as_ref()?)));
        lines.map(|(name, what)| format!("{name}: {what}")).collect()
    }
}

/// An answer as it is shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS, utoipa::ToSchema)]
pub struct CouncilAnswerView {
    /// `agent1.1`: whose, and which.
    pub label: String,
    /// Its first line.
    pub title: String,
    #[schema(value_type = Object)]
    pub content: Text,
    pub steps: Vec<CouncilStepView>,
    /// The result of its steps in a dry run, where the council wants one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub evidence: Option<String>,
    pub at: Time,
}

/// A member as it is shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS, utoipa::ToSchema)]
pub struct CouncilMemberView {
    /// `agent1`: what members are called among themselves.
    pub id: String,
    pub agent: String,
    pub model: String,
    pub room_id: RoomId,
    /// One of: working, answered, voted, failed.
    #[ts(type = "'working' | 'answered' | 'voted' | 'failed'")]
    pub state: String,
    /// Why it is out.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub problem: Option<String>,
    pub answers: Vec<CouncilAnswerView>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub vote: Option<CouncilVoteView>,
    /// Its last vote, where a new answer cleared it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub cleared: Option<CouncilVoteView>,
    /// When it goes on, where its provider lets it wait.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub waits_until: Option<Time>,
    pub usage: Usage,
}

/// Votes for a member.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS, utoipa::ToSchema)]
pub struct CouncilScoreView {
    pub member: String,
    pub votes: u32,
}

/// An attempt that was followed by another, as it is shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS, utoipa::ToSchema)]
pub struct CouncilAttemptView {
    pub attempt: u32,
    pub members: Vec<CouncilMemberView>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub winner: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub decided_by: Option<DecidedBy>,
    pub plan_id: PlanId,
    /// Why another attempt followed.
    pub reason: String,
    /// What it was to do otherwise.
    pub instructions: String,
    /// What was left of it: results of its steps, in words.
    pub result: String,
    /// How many rounds it had; 0 where that was not kept.
    pub round: u32,
    pub tally: Vec<CouncilScoreView>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub person_vote: Option<CouncilVoteView>,
    pub dropped: Vec<CouncilDroppedView>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub decided_at: Option<Time>,
}

/// A council as it is shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS, utoipa::ToSchema)]
pub struct CouncilView {
    pub id: CouncilId,
    #[schema(value_type = Object)]
    pub task: Text,
    /// One of: answering, voting, decided, executing, done, failed, cancelled, paused.
    #[ts(
        type = "'answering' | 'voting' | 'decided' | 'executing' | 'done' | 'failed' | 'cancelled' | 'paused'"
    )]
    pub state: String,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub pause_reason: Option<PauseReason>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub pause_detail: Option<String>,
    /// The same as a code; `LIMIT_REACHED` is a limit of the room or the day, not the council's.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub pause_code: Option<String>,
    /// When it goes on by itself.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub pause_until: Option<Time>,
    /// Which attempt it is, from 1.
    pub attempt: u32,
    /// How many there may be.
    pub attempts: u32,
    pub round: u32,
    pub started_at: Time,
    /// Milliseconds it ran, as far as its clock has stood still since.
    pub ran_ms: u64,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub running_since: Option<Time>,
    /// When its time is over; absent while it stands still.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub deadline: Option<Time>,
    pub members: Vec<CouncilMemberView>,
    pub tally: Vec<CouncilScoreView>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub person_vote: Option<CouncilVoteView>,
    /// How many votes did not count.
    pub dropped_votes: u32,
    pub dropped: Vec<CouncilDroppedView>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub winner: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub decided_by: Option<DecidedBy>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub decided_at: Option<Time>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub end_reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub plan_id: Option<PlanId>,
    pub rules: CouncilRules,
    pub usage: Usage,
    /// Models that more than one member has.
    pub shared_models: Vec<String>,
    /// Attempts before this one.
    pub earlier: Vec<CouncilAttemptView>,
    pub actions: Vec<CouncilAction>,
}

/// All councils of a room, the newest first.
pub fn councils(room: &Room) -> Vec<CouncilView> {
    room.councils.iter().rev().map(|council| view(room, council)).collect()
}

/// The newest council of a room.
pub fn council_view(room: &Room) -> Option<CouncilView> {
    room.councils.last().map(|council| view(room, council))
}

fn view(room: &Room, council: &Council) -> CouncilView {
    let (state, pause) = state(room, council);
    let (pause_reason, pause_detail) = pause.unzip();
    let earlier = (1..).zip(&council.earlier).map(|(attempt, one)| CouncilAttemptView {
        attempt,
        members: members(room, &one.seats, true),
        winner: one.winner.map(|(winner, _)| member_name(winner)),
        decided_by: one.winner.map(|(_, by)| by),
        plan_id: one.plan,
        reason: one.reason.clone(),
        instructions: one.instructions.clone(),
        result: one.result.clone(),
        round: one.round,
        tally: scores(tally(&one.seats, one.person_vote.as_ref())),
        person_vote: one.person_vote.as_ref().map(vote),
        dropped: one.dropped.iter().map(dropped).collect(),
        decided_at: one.decided_at,
    });
    CouncilView {
        id: council.id,
        task: council.task.clone(),
        state: state.to_owned(),
        pause_reason,
        pause_detail: pause_detail.flatten(),
        pause_code: council.pause_code.clone(),
        pause_until: council.pause_until,
        attempt: council.attempt(),
        attempts: council.rules.max_orchestration_restarts.saturating_add(1),
        round: council.round,
        started_at: council.started_at,
        ran_ms: council.ran_ms,
        running_since: council.running_since,
        deadline: council.deadline(),
        members: members(room, &council.seats, council.stage != CouncilStage::Talking),
        tally: scores(council.tally()),
        person_vote: council.person_vote.as_ref().map(vote),
        dropped_votes: u32::try_from(council.dropped.len()).unwrap_or(u32::MAX),
        dropped: council.dropped.iter().map(dropped).collect(),
        winner: council.winner.map(|(winner, _)| member_name(winner)),
        decided_by: council.winner.map(|(_, by)| by),
        decided_at: council.decided_at,
        end_reason: council.end_reason.clone(),
        plan_id: council.handed_over.then_some(council.plan),
        rules: council.rules.clone(),
        usage: council.usage(room),
        shared_models: council.shared_models(),
        earlier: earlier.collect(),
        actions: actions(council, state),
    }
}

fn state(room: &Room, council: &Council) -> (&'static str, Option<(PauseReason, Option<String>)>) {
    if let Some((reason, detail)) = &council.paused {
        return ("paused", Some((*reason, detail.clone())));
    }
    let word = match council.stage {
        CouncilStage::Talking if council.is_voting() => "voting",
        CouncilStage::Talking => "answering",
        CouncilStage::Decided => "decided",
        CouncilStage::Executing | CouncilStage::Reviewing => {
            let plan = room.plan.as_ref().filter(|plan| plan.id == council.plan);
            match plan.map(|plan| (&plan.state, plan.pause_detail.clone())) {
                Some((PlanState::Paused { reason }, detail)) => {
                    return ("paused", Some((*reason, detail)));
                }
                // It is decided until someone has said that it may be carried out.
                Some((PlanState::AwaitingApproval | PlanState::Draft { .. }, _)) => "decided",
                _ => "executing",
            }
        }
        CouncilStage::Ended(CouncilEnd::Done) => "done",
        CouncilStage::Ended(CouncilEnd::Failed) => "failed",
        CouncilStage::Ended(CouncilEnd::Cancelled) => "cancelled",
    };
    (word, None)
}

fn actions(council: &Council, state: &str) -> Vec<CouncilAction> {
    use CouncilAction::{AnswerNow, Cancel, Pause, Pick, Resume, Vote};
    let mut all = Vec::new();
    let answered = council.seats.iter().any(|seat| seat.given() > 0);
    if council.stage == CouncilStage::Talking {
        all.extend(answered.then_some([AnswerNow, Pick]).into_iter().flatten());
        all.extend(council.is_voting().then_some(Vote));
    }
    match state {
        "paused" => all.extend([Resume, Cancel]),
        "answering" | "voting" | "executing" => all.extend([Pause, Cancel]),
        "decided" if council.stage == CouncilStage::Decided => all.extend([Pause, Cancel]),
        "decided" => all.push(Cancel),
        _ => {}
    }
    all
}

fn members(room: &Room, seats: &[Seat], over: bool) -> Vec<CouncilMemberView> {
    (1..).zip(seats).map(|(number, seat)| member(room, number, seat, over)).collect()
}

/// A member; `over` once nobody answers and votes any more.
fn member(room: &Room, number: Number, seat: &Seat, over: bool) -> CouncilMemberView {
    let (state, problem) = match seat {
        seat if !seat.lives() => ("failed", seat.out.clone()),
        seat if seat.vote.is_some() => ("voted", None),
        seat if seat.given() > 0 => ("answered", None),
        _ if over => ("failed", Some("it had not answered when the council was over".to_owned())),
        _ => ("working", None),
    };
    CouncilMemberView {
        id: member_name(number),
        agent: seat.who.agent.clone(),
        model: seat.who.model.clone(),
        room_id: seat.who.room,
        state: state.to_owned(),
        problem,
        answers: (1..).zip(&seat.answers).map(|(nth, one)| answer(number, nth, one)).collect(),
        vote: seat.vote.as_ref().map(vote),
        cleared: seat.cleared.as_ref().map(vote),
        waits_until: seat.waits.map(|(_, until)| until),
        usage: seat.usage(room),
    }
}

fn answer(number: Number, nth: u32, answer: &Answer) -> CouncilAnswerView {
    let steps = answer.plan.steps.iter().map(|step| CouncilStepView::of(step));
    CouncilAnswerView {
        label: Council::label(number, nth),
        title: answer.plan.title.clone().unwrap_or_else(|| answer.plan.goal.clone()),
        content: answer.content.clone(),
        steps: steps.collect(),
        evidence: None,
        at: answer.at,
    }
}

fn scores(tally: Vec<Score>) -> Vec<CouncilScoreView> {
    let score = |one: Score| CouncilScoreView { member: member_name(one.member), votes: one.votes };
    tally.into_iter().map(score).collect()
}

fn dropped(one: &Dropped) -> CouncilDroppedView {
    CouncilDroppedView {
        member: member_name(one.member),
        choice: member_name(one.vote.choice),
        reason: one.vote.reason.clone(),
        why: one.why.clone(),
        at: one.at,
    }
}

fn vote(vote: &Vote) -> CouncilVoteView {
    CouncilVoteView {
        choice: member_name(vote.choice),
        label: vote.label.clone(),
        reason: vote.reason.clone(),
    }
}

impl Council {
    /// Models that more than one member has.
    pub fn shared_models(&self) -> Vec<String> {
        let mut seen = BTreeSet::new();
        let twice = self.seats.iter().filter(|seat| !seen.insert(seat.who.model.clone()));
        let twice: BTreeSet<String> = twice.map(|seat| seat.who.model.clone()).collect();
        twice.into_iter().collect()
    }
}
