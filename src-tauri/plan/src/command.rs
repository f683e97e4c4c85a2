//! What someone wants to happen in a room.

use crate::{
    Actor, Ask, AskId, CallId, CallRequest, Change, Deed, Draft, DraftStep, Effect, Ended, Frame,
    FullStep, GiveUp, Hash, Held, How, Limits, MessageId, NewAnswer, NewAttempt, NewCouncil,
    Number, Outcome, PauseReason, Picture, PlanId, PlanMode, RoomId, RoomKind, Rule, SidekickEnd,
    StepId, StepRef, Text, Time, Told, Usage,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// How an answer of a model ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReplyEnd {
    Whole,
    /// At the limit of its length.
    Cut,
    /// It repeated itself without end and was cut off.
    Repeating,
}

/// A wish. `decide` turns it into events or refuses it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    /// Make the room.
    CreateRoom {
        room: RoomId,
        title: String,
        /// Whether the name is only the folder's, until the person has said what it is about.
        unnamed: bool,
        workspace: String,
        kind: RoomKind,
        mode: PlanMode,
        agent: String,
    },
    /// Give the room another name.
    Rename { title: String },
    /// Let the room work in another folder.
    Move { workspace: String },
    /// Put the room away, or take it out again.
    Archive { archived: bool },
    /// Change the plan mode.
    SetMode { mode: PlanMode },
    /// Say something to the agent.
    Say { message: MessageId, text: Text },
    /// Tell a sidekick what to do, with what was said in the room that asks, or without.
    Brief {
        task: Text,
        context: Option<Text>,
        model: Option<String>,
        /// The number of the step above that it does.
        number: Option<u32>,
        limits: Limits,
    },
    /// End a sidekick. `told`: the room that asked ends it, and need not hear of it.
    EndSidekick {
        end: SidekickEnd,
        result: String,
        told: bool,
        /// Whether the check of its step passed.
        checked: bool,
        /// Whether not even what its own sidekicks finished is wanted any more.
        given_up: bool,
        /// What it wants the plan to do, where it could not do its step.
        next: Option<GiveUp>,
        call: Option<CallId>,
    },
    /// Begin nothing more in a sidekick's room: a plan above is paused.
    HoldBack,
    /// Let a sidekick wait until others have ended.
    QueueSidekick,
    /// Let a sidekick work.
    StartSidekick,
    /// The room that asked for a sidekick knows what came of it.
    SidekickReported,
    /// Work was handed to a sidekick.
    Delegate {
        room: RoomId,
        codename: String,
        task: String,
        /// The plan that it is part of.
        plan: Option<PlanId>,
    },
    /// A step is a sidekick's to do: nobody's before, or that of a sidekick which is no more.
    HandStep { step: StepId, room: RoomId, instead_of: Option<RoomId> },
    /// What came of the sidekick that a step was handed to.
    StepOver {
        step: StepId,
        room: RoomId,
        /// Its codename, where there was one at all.
        from: Option<String>,
        ended: Ended,
        used: Used,
    },
    /// A call of the sidekick that does a step has ended.
    StepTried { step: StepId, room: RoomId, tried: Tried },
    /// What the sidekick of a step and those below it have used so far, while it works.
    StepSpent { step: StepId, room: RoomId, usage: Usage },
    /// What another sidekick and those below it have used so far.
    SpentBelow { room: RoomId, usage: Usage },
    /// A sidekick has a copy of the workspace to work in.
    MadeCopy { folder: String, shares: Option<String>, left_out: Vec<String> },
    /// What a sidekick changed in its copy is about to be taken over.
    BeginMerge { paths: Vec<String> },
    /// It was taken over, or only this part of it.
    EndMerge { changed: Vec<Change>, partly: bool, left: Vec<String>, repositories: Vec<String> },
    /// A sidekick's copy is not wanted any more, or its changes could not be taken over.
    DropCopy { problem: Option<String> },
    /// A step's sidekick needs a copy and can have none: it starts anew when it is alone.
    PutBack { step: StepId, room: RoomId, reason: String },
    /// Let a sidekick go on that was interrupted: who let the plan above go on.
    GoOn { by: Actor },
    /// Tell the agent what came of a sidekick.
    Tell { from: Told, text: String, quiet: bool },

    /// Let several agents propose and vote; `call` where the room's agent wants it.
    StartCouncil { new: Box<NewCouncil>, call: Option<CallId> },
    /// Ask a member the next question; `low` when it has no more time to look around.
    AskMember { member: Number, low: bool },
    /// A member answers.
    AnswerCouncil { new: Box<NewAnswer> },
    /// A member votes, who had been told this question last; without one, the person does.
    VoteCouncil {
        voter: Option<(Number, u32)>,
        choice: Number,
        label: Option<String>,
        reason: String,
    },
    /// A member can't go on.
    MemberOut { member: Number, reason: String },
    /// A member waits for its provider, or no longer.
    MemberWaits { member: Number, until: Option<Time> },
    /// Give a member that is out another chance, in this room.
    RetryMember { member: Number, room: RoomId },
    /// The time of a council is over.
    CouncilTimeUp,
    /// Let what is there decide.
    AnswerNow,
    /// Say who wins.
    PickWinner { member: Number },
    /// The winner's answer becomes the room's plan; what it is told with it.
    HandOver { text: Text },
    /// The winner says that the work is done.
    SubmitCouncil { call: Option<CallId> },
    /// The winner wants all of it done again.
    RestartCouncil { again: Box<NewAttempt>, call: Option<CallId> },
    /// Tell a council member what it is asked.
    TellMember { turn: u32, text: Text, may_look: bool, words: u32, last_word: bool },
    /// A council member's answer or vote was heard.
    EndMemberTurn { call: CallId, words: String },
    /// Let a council member go on in the middle of its turn.
    NudgeMember,

    /// Let a goal be split, carried out and brought together.
    SetGoal { plan: PlanId, message: MessageId, text: Text, goal: String, frame: Frame },
    /// The steps that were written for a goal can't be used.
    RefuseSplit { why: String },
    /// Which steps wait for a person; whether everything that is under way waits, and what for;
    /// `drift` when nothing of it goes on before a person has answered about a call beyond the
    /// plan.
    Hold { held: Option<Held>, drift: bool, waiting: BTreeSet<StepId> },
    /// Write a plan, or its next revision.
    Write { plan: PlanId, ask: AskId, call: Option<CallId>, draft: Draft, frame: Frame },
    /// Start a draft, or ask for its approval.
    Run { ask: AskId, call: Option<CallId> },
    /// Report a step as done. `check` is what the harness saw of its `verify`.
    StepDone { step: StepRef, result: String, check: Option<Check>, call: Option<CallId> },
    /// Report a step as failed.
    StepFailed { step: StepRef, error: String, next: AfterFailure, call: Option<CallId> },
    /// Change steps that have not ended. A person says which revision they saw.
    Revise {
        edits: Vec<Edit>,
        reason: Option<String>,
        seen: Option<u32>,
        ask: AskId,
        call: Option<CallId>,
    },
    /// End the plan.
    Cancel { reason: String, call: Option<CallId> },

    /// Stop the turn under way where no plan is.
    Stop { so_far: Option<SoFar> },
    /// Stop for now.
    Pause,
    /// Stop for now when the steps under way have ended, or no longer.
    PauseAfterStep { on: bool },
    /// Stop the step under way with its call, and the plan for now.
    StopStep,
    /// Go on.
    Resume,
    /// A person spoke where a sidekick carries the plan out: ⚡ is full again.
    Refill,
    /// Say yes to what was shown.
    Approve { revision: u32, hash: Hash, model: Option<String>, fresh_context: bool },
    /// Say no.
    Reject { reason: String },
    /// Leave a step out.
    Skip { step: StepRef },
    /// Do an ended step again.
    Retry { step: StepRef },
    /// Record what the check of a step found.
    CheckFailed { step: StepId, detail: String },
    /// The sidekick of a step said what went wrong, and tries again.
    ReportError { step: StepId, error: String },
    /// Count a step as done although its check did not pass.
    Override { step: StepRef },
    /// Let a step that names nothing change the workspace, or no longer. A person says which
    /// revision they saw.
    LetChange { step: StepRef, on: bool, seen: Option<u32> },
    /// Ask for changes to the revision that was shown: to single steps, or in words.
    Comment { message: MessageId, seen: u32, on: Vec<StepComment>, text: String },
    /// Keep a rule that a sidekick asked for.
    KeepRule { rule: Rule },
    /// Add what a sidekick asked for to the step of the plan that it went beyond.
    Grant { plan: PlanId, step: StepId, grant: String },
    /// Take back a rule that was kept for this room, as it reads.
    ForgetRule { rule: String },
    /// Answer a question.
    Answer {
        ask: AskId,
        answer: String,
        note: Option<String>,
        revision: Option<u32>,
        hash: Option<Hash>,
    },

    /// The model answered.
    Reply {
        model: String,
        text: Text,
        thinking: Option<Text>,
        calls: Vec<CallRequest>,
        kept: Option<Text>,
        usage: Usage,
        seen: u64,
        ended: ReplyEnd,
    },
    /// A turn was set aside.
    Spend { model: String, usage: Usage },
    /// A turn in which the executing model wanted to plan: the planning model has so many turns
    /// for it.
    SetAside { model: String, usage: Usage, seen: u64, turns: u32 },
    /// The conversation before `upto` is replaced by a summary.
    Compact { summary: Text, upto: u64 },
    /// A call is about to begin.
    BeginCall { call: CallId, effect: Effect, touches: Vec<String>, how: Option<How> },
    /// A call ended; `nudge` is what the plan above says to it, where it was part of a step there.
    EndCall {
        call: CallId,
        outcome: Outcome,
        result: Text,
        nudge: Option<String>,
        changed: Vec<Change>,
        images: Vec<Picture>,
        ms: u64,
    },
    /// The gate let a call pass with a warning.
    Warn { call: CallId, text: String },
    /// A person has to be asked.
    RaiseAsk { ask: Ask },
    /// A sidekick can't go on before a person has said what becomes of it.
    AwaitPerson { ask: Ask },
    /// The model can't be reached for now, or at all.
    Trouble { reason: PauseReason, code: String, text: String, until: Option<Time> },
    /// The time a pause was to end has come.
    Wake,
    /// A step failed where it ran.
    FailStep { step: StepId, error: String },
    /// Time has passed; caps on it may be reached.
    Tick {
        /// What the model has said so far in the turn under way.
        so_far: Option<String>,
        /// How far the sidekicks are that do steps of the room's plan.
        below: Vec<UnderWay>,
    },
    /// What a plan above may use is nearly used up.
    RunLow,
    /// The app stops now, or has just started after it stopped.
    Interrupt {
        /// Calls that were cut off in order, in words.
        cut: Vec<String>,
    },
}

/// How far the sidekick of a step is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnderWay {
    /// The step.
    pub step: StepId,
    /// What it has said so far.
    pub so_far: Option<String>,
    /// Whether it is done, and only its changes are still to be taken over.
    pub settles: bool,
}

/// How a call of a sidekick ended, for the attempts of the step that it does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tried {
    /// How it ended.
    pub outcome: Outcome,
    /// What was called, with which arguments.
    pub fingerprint: String,
    /// Whether its turn counts as a failed attempt already.
    pub counted: bool,
    /// Whether it is the last one of a turn in which nothing failed before.
    pub last: bool,
}

/// What a sidekick used and did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Used {
    /// What it has cost so far, with those below it.
    pub usage: Usage,
    /// Files it changed.
    pub changed: Vec<String>,
    /// Changes it made or tried to.
    pub deeds: Vec<Deed>,
}

/// What a model had said when its turn was stopped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SoFar {
    /// The model.
    pub model: String,
    /// Its words.
    pub text: Text,
    /// The last event it had been shown.
    pub seen: u64,
}

/// What a person says of one step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS, utoipa::ToSchema)]
pub struct StepComment {
    /// The step.
    pub step: StepId,
    /// What they say.
    pub text: String,
}

/// What the harness saw when it checked a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    /// Whether it passed.
    pub passed: bool,
    /// What was seen.
    pub detail: String,
}

/// What the agent wants after a failed step.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS, utoipa::ToSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum AfterFailure {
    /// Try again.
    Retry,
    /// Leave it out and go on.
    Skip,
    /// Change the plan.
    Revise,
    /// Give up.
    Abort,
}

/// One change to the steps.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS, utoipa::ToSchema)]
#[serde(tag = "op", rename_all = "snake_case")]
pub enum Edit {
    /// Say something else in a step; what is absent stays.
    Set {
        /// Which step.
        step: StepRef,
        /// What changes.
        #[serde(flatten)]
        to: Patch,
    },
    /// Put a new step after another, or first.
    Add {
        /// The step before it; absent: at the front.
        #[serde(default)]
        after: Option<StepRef>,
        /// What it says.
        new: DraftStep,
    },
    /// Take a step out.
    Remove {
        /// Which step.
        step: StepRef,
    },
    /// Put a step after another, or first.
    Move {
        /// Which step.
        step: StepRef,
        /// The step before it; absent: at the front.
        #[serde(default)]
        after: Option<StepRef>,
    },
}

/// The parts of a step that an edit gives.
#[derive(
    Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS, utoipa::ToSchema,
)]
#[serde(default)]
pub struct Patch {
    /// What is to be done.
    pub text: Option<String>,
    /// The tool it means to use.
    pub tool: Option<String>,
    /// What it means to touch.
    pub target: Option<String>,
    /// What will be true afterwards.
    pub expected_outcome: Option<String>,
    /// How the harness checks it.
    pub verify: Option<crate::Verify>,
    /// Steps that come first.
    pub needs: Option<Vec<StepRef>>,
    /// The agent that shall do it.
    pub agent: Option<String>,
    /// The model that shall do it.
    pub model: Option<String>,
}

impl From<FullStep> for Patch {
    fn from(step: FullStep) -> Self {
        Self {
            text: Some(step.text),
            tool: step.tool,
            target: step.target,
            expected_outcome: step.expected_outcome,
            verify: step.verify,
            needs: Some(step.needs),
            agent: step.agent,
            model: step.model,
        }
    }
}
