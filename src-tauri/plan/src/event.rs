//! What happened in a room. An event is never edited; a changed meaning is a new type.

use crate::usage::is_zero;
use crate::{
    Actor, Approval, Ask, AskId, CallId, CallRequest, Change, Content, CouncilEnd, CouncilId,
    CouncilRules, DecidedBy, Deed, Effect, Frame, GiveUp, Hash, Held, How, Limits, MessageId,
    Number, Outcome, PauseReason, Picture, PlanId, PlanMode, Question, RoomId, RoomKind,
    SidekickEnd, Sitting, SkipCause, StepId, Text, Time, Told, Usage, Vote,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The format version stored beside each event.
pub const EVENT_VERSION: u16 = 1;

/// One thing that happened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Event {
    /// The room came to be.
    RoomCreated {
        room: RoomId,
        title: String,
        /// Whether the name is only the folder's, until the person has said what it is about.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        unnamed: bool,
        workspace: String,
        kind: RoomKind,
        mode: PlanMode,
        agent: String,
    },
    /// The room has another name.
    RoomRenamed { title: String },
    /// The room works in another folder.
    RoomMoved { workspace: String },
    /// The room was put away, or taken out again.
    RoomArchived { archived: bool },
    /// The plan mode changed.
    ModeChanged { mode: PlanMode, by: Actor },
    /// A person said something.
    Said { message: MessageId, text: Text, by: Actor },
    /// The harness said something to the model.
    Nudged {
        text: String,
        /// The end of a sidekick that it tells of.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        from: Option<Told>,
        /// Whether it is only heard with what comes next: nobody has to answer it.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        quiet: bool,
    },
    /// A sidekick was told what to do.
    Briefed {
        task: Text,
        /// Whether it was shown what was said in the room that asked.
        full: bool,
        by: Actor,
        /// What was said there.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        context: Option<Text>,
        /// The model that was chosen for it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        model: Option<String>,
        /// The number of the step above that it does.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        number: Option<u32>,
        limits: Limits,
    },
    /// A sidekick waits until others have ended.
    SidekickQueued {
        /// When it last worked, where the app stopped then.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        since: Option<Time>,
    },
    /// A sidekick may work.
    SidekickStarted,
    /// A sidekick is over.
    SidekickEnded {
        end: SidekickEnd,
        /// In one line.
        result: String,
        /// In full, where that is more.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        summary: Option<Text>,
        /// Whether the room that asked ended it, and so knows.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        told: bool,
        /// Whether the check of its step passed.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        checked: bool,
        /// Whether not even what its own sidekicks finished is wanted any more.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        given_up: bool,
        /// What it wants the plan to do, where it could not do its step.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        next: Option<GiveUp>,
    },
    /// The room that asked for a sidekick knows what came of it.
    SidekickReported,
    /// A sidekick works in a copy of the workspace from here on.
    CopyMade {
        folder: String,
        /// A folder that commands read beside it: the objects of the repository.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        shares: Option<String>,
        /// Ignored folders that are not in it.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        left_out: Vec<String>,
    },
    /// What a sidekick changed in its copy is being taken over: these paths, and no others.
    MergeBegan { paths: Vec<String> },
    /// What a sidekick changed in its copy is in the workspace.
    Merged {
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        changed: Vec<Change>,
        /// Whether it is only a part: the rest could not be taken over, or nobody wanted it any
        /// more.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        partly: bool,
        /// A few of the files that were not taken over, for git ignores them.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        #[ts(skip)]
        left: Vec<String>,
        /// What was not taken over, for git takes it for a repository of its own.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        #[ts(skip)]
        repositories: Vec<String>,
    },
    /// A sidekick's copy is gone with what was changed in it.
    CopyDropped {
        /// Why its changes could not be taken over, where they should have been.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        problem: Option<String>,
    },
    /// The model answered.
    Replied {
        model: String,
        #[serde(default = "empty", skip_serializing_if = "Text::is_empty")]
        text: Text,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        thinking: Option<Text>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        calls: Vec<CallRequest>,
        /// What only this model's provider understands, to be shown to it again.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(skip)]
        kept: Option<Text>,
        usage: Usage,
        /// The last event the model had been shown.
        seen: u64,
        /// Whether it was one of the planning model's turns.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        planning: bool,
        /// Whether it repeated itself without end and was cut off.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        #[ts(skip)]
        repeats: bool,
    },
    /// A turn was set aside; only its cost is kept.
    Spent { model: String, usage: Usage },
    /// The planning model has the turns from here on: so many, until it must write the plan or
    /// answer.
    PlanningBegan { turns: u32 },
    /// The conversation before `upto` was replaced by a summary.
    Compacted { summary: Text, upto: u64 },
    /// The model could not be reached, outside any plan.
    Trouble {
        code: String,
        text: String,
        /// When a sidekick goes on by itself.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        until: Option<Time>,
    },
    /// Work was handed to a sidekick.
    Delegated {
        room: RoomId,
        codename: String,
        task: String,
        /// The plan that it is part of.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        plan: Option<PlanId>,
        /// Its whole task, as a mark to know it by.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(skip)]
        mark: Option<String>,
    },
    /// What a sidekick that does no step used, or one below it.
    UsedBelow { room: RoomId, usage: Usage },
    /// A council began.
    CouncilStarted {
        council: CouncilId,
        task: Text,
        members: Vec<Sitting>,
        rules: CouncilRules,
        frame: Arc<Frame>,
        /// The plan that the winner's answer becomes.
        plan: PlanId,
        /// The question whether that may run.
        ask: AskId,
        by: Actor,
    },
    /// A member is asked.
    CouncilAsked { member: Number, asked: Question },
    /// A member answered.
    CouncilAnswered {
        member: Number,
        label: String,
        content: Text,
        /// The plan that it would be.
        plan: Arc<Content>,
    },
    /// An answer was refused as not new: its member may only vote.
    CouncilNotNew {
        member: Number,
        /// How much it was like an earlier one, in hundredths.
        overlap: u64,
    },
    /// A member voted, or the person.
    CouncilVoted {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        member: Option<Number>,
        vote: Vote,
    },
    /// A vote did not count.
    CouncilVoteDropped { member: Number, vote: Vote, why: String },
    /// A member waits for its provider, or no longer.
    CouncilMemberWaits {
        member: Number,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        until: Option<Time>,
    },
    /// A member is out.
    CouncilMemberFailed { member: Number, reason: String },
    /// A person gives a member that is out another chance.
    CouncilMemberRetried { member: Number, who: Sitting, by: Actor },
    /// The council stands still.
    CouncilPaused {
        reason: PauseReason,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        detail: Option<String>,
        /// What it was, as a code.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        code: Option<String>,
        /// When it goes on by itself, where a provider lets it wait.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        until: Option<Time>,
        /// When it last worked, where the app stopped then.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        since: Option<Time>,
    },
    /// The council goes on.
    CouncilResumed { by: Actor },
    /// A winner is found.
    CouncilDecided { winner: Number, by: DecidedBy },
    /// The winner takes over, with what it knows.
    CouncilHandedOver { text: Text },
    /// The winner's plan is done, and it says whether that is all.
    CouncilReviewBegan,
    /// The council begins again.
    CouncilRestarted {
        reason: String,
        instructions: String,
        /// What came of the last attempt.
        result: String,
        members: Vec<Sitting>,
        plan: PlanId,
        ask: AskId,
    },
    /// The council is over.
    CouncilEnded {
        state: CouncilEnd,
        #[serde(default, skip_serializing_if = "String::is_empty")]
        reason: String,
    },
    /// A council member was told what it is asked.
    MemberTold {
        turn: u32,
        text: Text,
        may_look: bool,
        /// How many of the person's words it has been told with it.
        #[serde(default)]
        words: u32,
        /// Whether it is the winner, who writes one plan from all answers and votes no more.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        last_word: bool,
    },
    /// A council member's turn is over.
    MemberRested { turn: u32 },
    /// A council member can't go on.
    MemberFailed { reason: String },
    /// A call begins: what it will touch.
    CallBegan {
        call: CallId,
        effect: Effect,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        touches: Vec<String>,
        /// How it stands to the plan, where it changes something.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        how: Option<How>,
    },
    /// A call ended: what came of it and what it changed.
    CallEnded {
        call: CallId,
        outcome: Outcome,
        result: Text,
        /// Harness words that stand below the result.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        nudge: Option<String>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        changed: Vec<Change>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        images: Vec<Picture>,
        #[serde(default, skip_serializing_if = "is_zero")]
        ms: u64,
    },
    /// The gate let a call pass with a warning.
    Warned { call: CallId, text: String },
    /// A person is asked something.
    AskRaised { ask: Ask },
    /// A person answered.
    AskAnswered {
        ask: AskId,
        answer: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        note: Option<String>,
        by: Actor,
    },
    /// A question no longer matters.
    AskWithdrawn { ask: AskId, reason: String },
    /// A person keeps a rule.
    RuleKept { rule: crate::Rule, by: Actor },
    /// A person keeps a rule that a sidekick asked for, in the room at the top.
    RuleRaised { rule: crate::Rule, by: Actor },
    /// A person took a kept rule back.
    RuleForgotten { rule: crate::Rule, by: Actor },
    /// A plan was written.
    PlanWritten {
        plan: PlanId,
        hash: Hash,
        content: Arc<Content>,
        frame: Arc<Frame>,
        by: Actor,
        /// The model that wrote it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        model: Option<String>,
    },
    /// The plan was written anew.
    PlanRevised {
        revision: u32,
        hash: Hash,
        content: Arc<Content>,
        /// Its frame, where that is another one now.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        frame: Option<Arc<Frame>>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
        by: Actor,
        /// The model that wrote it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        model: Option<String>,
    },
    /// The plan waits for a person.
    ApprovalRequested,
    /// A person said yes to it.
    Approved { approval: Approval },
    /// A person sent it back.
    SentBack {
        reason: String,
        rejected: bool,
        /// The steps that the reason is about; none: all of them.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        about: Vec<StepId>,
        by: Actor,
    },
    /// The plan began to run.
    Started,
    /// A step began.
    StepStarted { step: StepId },
    /// A step is a sidekick's to do.
    StepHanded { step: StepId, room: RoomId },
    /// A step is done anew when no other is under way.
    StepPutBack { step: StepId, reason: String },
    /// What a sidekick used and did for a step.
    StepUsed {
        step: StepId,
        usage: Usage,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        changed: Vec<String>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        deeds: Vec<Deed>,
    },
    /// A step ended well.
    StepDone {
        step: StepId,
        result: String,
        /// Whether it had ended before, and the agent of the room put its result better.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        refined: bool,
        /// All that was said of it, where that is more.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(skip)]
        summary: Option<Text>,
    },
    /// A step ended badly.
    StepFailed { step: StepId, error: String },
    /// A step will not be done.
    StepSkipped { step: StepId, cause: SkipCause, reason: String },
    /// An ended step is to be done again.
    StepReopened { step: StepId, by: Actor },
    /// A person lets a step change the workspace although it names nothing, or no longer.
    StepMayChange {
        step: StepId,
        #[serde(default = "yes", skip_serializing_if = "is_yes")]
        on: bool,
        by: Actor,
    },
    /// A person added a call to what was approved.
    Granted {
        /// The plan, where it is one of a room above.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        plan: Option<PlanId>,
        step: StepId,
        grant: String,
        by: Actor,
    },
    /// The check of a step did not pass.
    CheckFailed { step: StepId, detail: String },
    /// The agent said what went wrong with a step that is not given up.
    ErrorReported { step: StepId, error: String },
    /// A person stopped a step in the middle; it is done again when the plan goes on.
    StepStopped { step: StepId, by: Actor },
    /// An attempt at a step failed. A sticky one is not taken back by a good turn.
    AttemptFailed {
        step: StepId,
        attempt: u32,
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        sticky: bool,
    },
    /// A good turn took the failed attempts back.
    AttemptsReset { step: StepId },
    /// A call failed or was blocked in the same way again.
    Repeated { step: StepId, fingerprint: String },
    /// A person wants the plan to stop when the steps under way have ended, or no longer.
    PauseAfterStep { on: bool, by: Actor },
    /// The plan stopped for now.
    Paused {
        reason: PauseReason,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        detail: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        until: Option<Time>,
        /// When it last worked, where the app stopped then.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        since: Option<Time>,
    },
    /// The plan goes on.
    Resumed { by: Actor },
    /// A person spoke where the plan is carried out: ⚡ is full again.
    Refilled { by: Actor },
    /// Everything under way waits, or no longer does.
    PlanHeld {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        held: Option<Held>,
        /// The steps that wait for a person, and leave their place to others.
        #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
        waiting: BTreeSet<StepId>,
    },
    /// The steps that were written for a goal could not be used.
    SplitRefused { reason: String },
    /// Every step of a goal ended; its results are brought together.
    SynthesisBegan,
    /// 80 % of a cap is used.
    CapWarned { cap: String },
    /// Every step ended.
    PlanDone {
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        failed_steps: Vec<StepId>,
        /// The results, brought together.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        result: Option<Text>,
    },
    /// The plan did not reach its goal.
    PlanFailed { reason: String },
    /// Someone ended the plan.
    PlanCancelled {
        reason: String,
        by: Actor,
        /// Sidekicks that are no part of it, of which the room still hears.
        #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
        #[ts(skip)]
        beside: BTreeSet<RoomId>,
    },
}

fn empty() -> Text {
    Text::Inline(String::new())
}

fn yes() -> bool {
    true
}

fn is_yes(on: &bool) -> bool {
    *on
}

impl Event {
    /// Whether the same call may mean something else after it.
    pub(crate) fn moves_on(&self) -> bool {
        matches!(
            self,
            Self::RoomMoved { .. }
                | Self::ModeChanged { .. }
                | Self::Nudged { from: Some(_), .. }
                | Self::CopyMade { .. }
                | Self::Merged { .. }
                | Self::CopyDropped { .. }
                | Self::RuleKept { .. }
                | Self::PlanWritten { .. }
                | Self::PlanRevised { .. }
                | Self::Approved { .. }
                | Self::Started
                | Self::StepStarted { .. }
                | Self::StepDone { .. }
                | Self::StepFailed { .. }
                | Self::StepSkipped { .. }
                | Self::StepReopened { .. }
                | Self::Resumed { .. }
                | Self::MemberTold { .. }
        )
    }

    /// Leaves a long output beside the log: gives what has to be kept there.
    pub fn put_beside(&mut self) -> Option<(String, Vec<u8>)> {
        let (Self::SidekickEnded { summary, .. } | Self::StepDone { summary, .. }) = self else {
            return None;
        };
        let Some(Text::Inline(text)) = summary.as_mut() else { return None };
        let (named, blob) = Text::output(std::mem::take(text));
        *summary = Some(named);
        blob
    }

    /// The output that it names, kept beside the log.
    pub fn names_output(&self) -> Option<&str> {
        let (Self::SidekickEnded { summary, .. } | Self::StepDone { summary, .. }) = self else {
            return None;
        };
        match summary.as_ref()? {
            Text::Blob { blob, .. } => Some(blob),
            Text::Inline(_) => None,
        }
    }

    /// The stored name of its type.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::RoomCreated { .. } => "room_created",
            Self::RoomRenamed { .. } => "room_renamed",
            Self::RoomMoved { .. } => "room_moved",
            Self::RoomArchived { .. } => "room_archived",
            Self::ModeChanged { .. } => "mode_changed",
            Self::Said { .. } => "said",
            Self::Nudged { .. } => "nudged",
            Self::Briefed { .. } => "briefed",
            Self::SidekickQueued { .. } => "sidekick_queued",
            Self::SidekickStarted => "sidekick_started",
            Self::SidekickEnded { .. } => "sidekick_ended",
            Self::SidekickReported => "sidekick_reported",
            Self::CopyMade { .. } => "copy_made",
            Self::MergeBegan { .. } => "merge_began",
            Self::Merged { .. } => "merged",
            Self::CopyDropped { .. } => "copy_dropped",
            Self::Replied { .. } => "replied",
            Self::Spent { .. } => "spent",
            Self::PlanningBegan { .. } => "planning_began",
            Self::Compacted { .. } => "compacted",
            Self::Trouble { .. } => "trouble",
            Self::Delegated { .. } => "delegated",
            Self::UsedBelow { .. } => "used_below",
            Self::CouncilStarted { .. } => "council_started",
            Self::CouncilAsked { .. } => "council_asked",
            Self::CouncilAnswered { .. } => "council_answered",
            Self::CouncilNotNew { .. } => "council_not_new",
            Self::CouncilVoted { .. } => "council_voted",
            Self::CouncilVoteDropped { .. } => "council_vote_dropped",
            Self::CouncilMemberWaits { .. } => "council_member_waits",
            Self::CouncilMemberFailed { .. } => "council_member_failed",
            Self::CouncilMemberRetried { .. } => "council_member_retried",
            Self::CouncilPaused { .. } => "council_paused",
            Self::CouncilResumed { .. } => "council_resumed",
            Self::CouncilDecided { .. } => "council_decided",
            Self::CouncilHandedOver { .. } => "council_handed_over",
            Self::CouncilReviewBegan => "council_review_began",
            Self::CouncilRestarted { .. } => "council_restarted",
            Self::CouncilEnded { .. } => "council_ended",
            Self::MemberTold { .. } => "member_told",
            Self::MemberRested { .. } => "member_rested",
            Self::MemberFailed { .. } => "member_failed",
            Self::CallBegan { .. } => "call_began",
            Self::CallEnded { .. } => "call_ended",
            Self::Warned { .. } => "warned",
            Self::AskRaised { .. } => "ask_raised",
            Self::AskAnswered { .. } => "ask_answered",
            Self::AskWithdrawn { .. } => "ask_withdrawn",
            Self::RuleKept { .. } => "rule_kept",
            Self::RuleRaised { .. } => "rule_raised",
            Self::RuleForgotten { .. } => "rule_forgotten",
            Self::PlanWritten { .. } => "plan_written",
            Self::PlanRevised { .. } => "plan_revised",
            Self::ApprovalRequested => "approval_requested",
            Self::Approved { .. } => "approved",
            Self::SentBack { .. } => "sent_back",
            Self::Started => "started",
            Self::StepStarted { .. } => "step_started",
            Self::StepHanded { .. } => "step_handed",
            Self::StepPutBack { .. } => "step_put_back",
            Self::StepUsed { .. } => "step_used",
            Self::StepDone { .. } => "step_done",
            Self::StepFailed { .. } => "step_failed",
            Self::StepSkipped { .. } => "step_skipped",
            Self::StepReopened { .. } => "step_reopened",
            Self::StepMayChange { .. } => "step_may_change",
            Self::CheckFailed { .. } => "check_failed",
            Self::ErrorReported { .. } => "error_reported",
            Self::StepStopped { .. } => "step_stopped",
            Self::Granted { .. } => "granted",
            Self::AttemptFailed { .. } => "attempt_failed",
            Self::AttemptsReset { .. } => "attempts_reset",
            Self::Repeated { .. } => "repeated",
            Self::PauseAfterStep { .. } => "pause_after_step",
            Self::Paused { .. } => "paused",
            Self::Resumed { .. } => "resumed",
            Self::Refilled { .. } => "refilled",
            Self::PlanHeld { .. } => "plan_held",
            Self::SplitRefused { .. } => "split_refused",
            Self::SynthesisBegan => "synthesis_began",
            Self::CapWarned { .. } => "cap_warned",
            Self::PlanDone { .. } => "plan_done",
            Self::PlanFailed { .. } => "plan_failed",
            Self::PlanCancelled { .. } => "plan_cancelled",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Event;

    #[test]
    fn a_call_that_ended_before_there_were_pictures_is_read_and_written_as_it_was() {
        let stored = r#"{"type":"call_ended","call":"00000000-0000-0000-0000-000000000000","outcome":"ok","result":"x"}"#;
        let event: Event = serde_json::from_str(stored).unwrap();
        assert!(matches!(&event, Event::CallEnded { images, .. } if images.is_empty()));
        assert_eq!(serde_json::to_string(&event).unwrap(), stored);
    }

    #[test]
    fn a_plan_that_was_written_before_its_model_was_told_is_read_and_written_as_it_was() {
        let stored = r#"{"type":"plan_revised","revision":2,"hash":"00","content":{"goal":"g","mode":"sequential","advance":"auto","venue":"main","workspace":"/ws","steps":[]},"by":{"kind":"agent","principal":"default","surface":"turn"}}"#;
        let event: Event = serde_json::from_str(stored).unwrap();
        assert!(matches!(&event, Event::PlanRevised { model: None, .. }));
        assert_eq!(serde_json::to_string(&event).unwrap(), stored);
    }
}
