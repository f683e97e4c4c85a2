//! A refusal is an answer, not an error: a stable code and words that say what to do.

use crate::{Hash, PlanState, StepId, Verify};

/// Why a command changes nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The plan has no goal.
    #[error("the plan has no goal; say in `goal` what it is for")]
    EmptyGoal,
    /// The plan has no steps.
    #[error("the plan has no steps; write at least one")]
    NoSteps,
    /// A step has no text.
    #[error("step {number} has no text; say what it does, or leave it out")]
    EmptyStep {
        /// Its position from 1.
        number: usize,
    },
    /// What a step names would not be seen as it is.
    #[error(
        "step {number}: `{part}` must be on one line and without control or hidden characters; \
         join commands with &&"
    )]
    NotOneLine {
        /// Its position from 1.
        number: usize,
        /// Which part of it.
        part: &'static str,
    },
    /// A step names a server's tool by a hash that is not the tool's.
    #[error(
        "step {step} names {tool} by a hash that is not its own; leave `schema:` out of `target`, \
         the right one is put there"
    )]
    ForeignTool {
        /// The step.
        step: StepId,
        /// The tool.
        tool: String,
    },
    /// The plan is too long.
    #[error(
        "the plan has {got} steps and at most {most} are allowed; join steps or split the work"
    )]
    TooManySteps {
        /// How many it has.
        got: usize,
        /// How many it may have.
        most: u32,
    },
    /// A text is too long.
    #[error("{what} is too long; at most {most} characters are allowed")]
    TooLong {
        /// Which text.
        what: String,
        /// How many characters it may have.
        most: usize,
    },
    /// An answer of a council member is too long.
    #[error("the answer is too long; at most {most} bytes are allowed")]
    AnswerTooLong {
        /// How many bytes it may have.
        most: usize,
    },
    /// Steps need each other in a circle.
    #[error("these steps need each other in a circle: {}; remove one of the needs", join(steps))]
    Cycle {
        /// The steps in it, and those that wait for them.
        steps: Vec<StepId>,
    },
    /// A step needs one that is not there.
    #[error("step {step} needs {need}, which is not a step of this plan")]
    UnknownNeed {
        /// The step.
        step: StepId,
        /// What it names.
        need: String,
    },
    /// Only a graph has needs.
    #[error("needs count only in a plan with mode graph; this plan's order is its steps' order")]
    NoGraph,
    /// Two steps have one id.
    #[error("two steps are called {id}; give each its own id")]
    DuplicateStep {
        /// The id.
        id: StepId,
    },
    /// The room has an active plan already.
    #[error("this room has an active plan; finish, revise or cancel it first")]
    PlanActive,
    /// Every step of a goal has ended, and only words are left to say.
    #[error(
        "every step has ended; nothing is left to plan. Bring the results together in words now"
    )]
    StepsOver,
    /// There is no plan to act on.
    #[error("this room has no active plan")]
    NoPlan,
    /// An agent reports on a plan that has ended.
    #[error("the plan is {state}: nothing is left to report; answer the person in words now")]
    PlanOver {
        /// How it ended.
        state: PlanState,
    },
    /// The plan can't be paused now.
    #[error("a plan that is {state} can't be paused")]
    NotPausable {
        /// Its state.
        state: PlanState,
    },
    /// The plan can't be resumed now.
    #[error("a plan that is {state} can't be resumed")]
    NotResumable {
        /// Its state.
        state: PlanState,
    },
    /// The plan does not wait for approval.
    #[error("the plan does not wait for approval; it is {state}")]
    NotWaiting {
        /// Its state.
        state: PlanState,
    },
    /// What was approved is not what the plan is now.
    #[error("the plan has changed; revision {revision} is the current one")]
    Conflict {
        /// The current revision.
        revision: u32,
        /// The current hash.
        hash: Hash,
    },
    /// What was approved is not what this revision says.
    #[error("this hash is not that of revision {revision}")]
    OtherHash {
        /// The current revision, which was named.
        revision: u32,
    },
    /// The plan that was just done, word for word.
    #[error(
        "this very plan was just done; do not write it again. Tell the person in words what was \
         done"
    )]
    JustDone,
    /// A sidekick has this task already.
    #[error(
        "this very task is given already: to a sidekick, of whose end you are told, or to you. Do \
         other work, or answer the person in words"
    )]
    TaskGiven,
    /// Sidekicks were given many tasks, and no person has spoken.
    #[error(
        "{given} tasks were given to sidekicks since the person last spoke, and that is the most; \
         wait for them, do the rest yourself, or answer the person in words"
    )]
    TooManyTasks {
        /// How many.
        given: usize,
    },
    /// The draft was sent back.
    #[error("a person sent this plan back; write a new revision")]
    SentBack,
    /// The plan that was rejected, word for word.
    #[error(
        "a person rejected this very plan; change what they said no to, or cancel it, and do not \
         ask the same again"
    )]
    SameAgain,
    /// A person spoke of single steps, and others were changed.
    #[error(
        "the person spoke of step {} only; every other step stays as it is, with its id and in \
         this order: {}. Change what was spoken of; a new step stands next to it",
        join(about),
        steps.join(", ")
    )]
    StepsStay {
        /// The steps that were spoken of.
        about: Vec<StepId>,
        /// The steps that stay, with their words.
        steps: Vec<String>,
    },
    /// The plan does not run.
    #[error("the plan is {state}, so nothing of it can run")]
    NotRunning {
        /// Its state.
        state: PlanState,
    },
    /// Strict mode, and no plan is approved.
    #[error("no plan is approved, so nothing may be changed")]
    NotApproved,
    /// A sidekick's plan could be approved, but that would allow nothing.
    #[error(
        "a person's yes could not count here: the room above has no approved plan with a step \
         that covers this, so nothing may be changed for it; look around, then say with \
         sidekick_complete what has to be changed and which step that plan needs"
    )]
    NotApprovedAbove,
    /// Only a person may do that.
    #[error("only a person can {what}")]
    PersonOnly {
        /// What.
        what: &'static str,
    },
    /// Who plans may not do that.
    #[error(
        "this turn is for planning, and only who carries the plan out can {what}; look around, \
         then write or revise the plan, or answer in words"
    )]
    Planning {
        /// What.
        what: &'static str,
    },
    /// Only the harness may do that.
    #[error("only the harness can {what}")]
    HarnessOnly {
        /// What.
        what: &'static str,
    },
    /// No such step.
    #[error("the plan has no step {step}")]
    NoSuchStep {
        /// How it was named.
        step: String,
    },
    /// The step is not the one under way.
    #[error("step {step} is {status}; {hint}")]
    StepNotRunning {
        /// The step.
        step: StepId,
        /// Its status.
        status: &'static str,
        /// What to do.
        hint: String,
    },
    /// The hand switch is for steps that name nothing.
    #[error(
        "step {step} names what it may do ({grants}), and the switch is only for steps that name \
         nothing; edit the step to let it do more"
    )]
    StepNames {
        /// The step.
        step: StepId,
        /// What it is allowed, in words.
        grants: String,
    },
    /// The step has a check that has not been made.
    #[error("step {step} is done only when {verify}")]
    CheckMissing {
        /// The step.
        step: StepId,
        /// The check.
        verify: Verify,
    },
    /// The step's check did not pass.
    #[error("step {step} is not done: {detail}")]
    CheckFailed {
        /// The step.
        step: StepId,
        /// What was seen.
        detail: String,
    },
    /// A call of the same turn failed.
    #[error("a call of this turn failed; read its result before you report step {step}")]
    CallFailed {
        /// The step.
        step: StepId,
    },
    /// No such open call.
    #[error("there is no such open call")]
    NoSuchCall,
    /// No such kept rule.
    #[error("this room keeps no such rule")]
    NoSuchRule,
    /// No such open question.
    #[error("there is no such open question")]
    NoSuchAsk,
    /// The answer is not one of those offered.
    #[error("{answer:?} is not an answer to this; use one of: {allowed}")]
    BadAnswer {
        /// What was answered.
        answer: String,
        /// What may be answered.
        allowed: String,
    },
    /// The model's reply came too late to count.
    #[error("this reply is no longer wanted")]
    Stale,
    /// The room is no sidekick's, or has its task already.
    #[error("this room is not a sidekick's")]
    NoSidekick,
    /// A sidekick says nothing of what came of it.
    #[error("say in `summary` what came of it")]
    NoResult,
    /// Sidekicks of sidekicks of sidekicks.
    #[error("sidekicks may be {most} deep and no more; do this yourself")]
    TooDeep {
        /// How deep.
        most: u32,
    },
    /// A council is running.
    #[error("a council is running in this room; wait for it, or cancel it first")]
    CouncilActive,
    /// A council below, or in a member's room.
    #[error("a council needs a chat; start it in the room above")]
    NoCouncilHere,
    /// What the person said last has had its council.
    #[error(
        "a council has been held about what the person said last; answer in words, and wait for \
         what they say next"
    )]
    CouncilHeld,
    /// The council has decided.
    #[error("the council has decided, so no vote counts any more")]
    VoteOver,
    /// There is no council to act on.
    #[error("no council is talking in this room")]
    NoCouncil,
    /// A council needs several members, and not too many.
    #[error("a council needs 2 to {most} members, and there are {members}")]
    CouncilSize {
        /// How many there are.
        members: usize,
        /// How many there may be.
        most: usize,
    },
    /// Nobody of that name, or without an answer.
    #[error("{named} is nobody who can be chosen here; {}", one_of(.members))]
    NoSuchMember {
        /// Who was named.
        named: String,
        /// Who can be.
        members: String,
    },
    /// Not the newest answer.
    #[error("{label} is not there or no longer counts; the newest answer is {newest}")]
    NoSuchAnswer {
        /// What was named.
        label: String,
        /// What counts.
        newest: String,
    },
    /// The member was not asked.
    #[error("the council does not wait for you now")]
    NotAsked,
    /// The member may give no more answers.
    #[error("you may give no more answers; vote for one of: {members}")]
    OnlyVote {
        /// Who has answered.
        members: String,
    },
    /// A person votes before members do.
    #[error(
        "nobody votes before every member has answered or is out; wait for the others, or pick a winner"
    )]
    NotVoting,
    /// There is nothing to vote for yet.
    #[error("nobody votes before every member has answered; give your own answer with new_answer")]
    AnswerFirst,
    /// There is nothing that could win.
    #[error(
        "no member has answered yet, so there is nothing to decide; wait, or cancel the council"
    )]
    NoAnswerYet,
    /// The member takes part.
    #[error("{member} is not out, so there is nothing to retry")]
    NotOut {
        /// Which one.
        member: String,
    },
    /// The council's work is not being looked at.
    #[error("there is no finished work of a council to judge here")]
    NoReview,
    /// There were enough attempts.
    #[error("the council may not begin again; submit what there is")]
    NoMoreAttempts,
    /// Another attempt needs a reason.
    #[error("say in `reason` what is missing")]
    NoReason,
    /// A member's room is the council's alone.
    #[error("this is a council member's room; say what you want to say in the council's room")]
    MemberRoom,
    /// The room is not there yet.
    #[error("there is no such room")]
    NoRoom,
    /// The room is there already.
    #[error("this room exists already")]
    RoomExists,
    /// The room can't change its folder now.
    #[error("this room is at work; stop it, or cancel its plan, before it moves to another folder")]
    RoomAtWork,
    /// A sidekick can't be put away now.
    #[error("this sidekick has not ended; stop it before it is put away")]
    SidekickAtWork,
    /// A room needs a name.
    #[error("the room has no name; give it one that can be read")]
    EmptyTitle,
    /// Nothing to say.
    #[error("the message is empty")]
    EmptyMessage,
}

impl Refusal {
    /// The stable code that programs read.
    pub fn code(&self) -> &'static str {
        match self {
            Self::EmptyGoal => "EMPTY_GOAL",
            Self::NoSteps => "NO_STEPS",
            Self::EmptyStep { .. } => "EMPTY_STEP",
            Self::NotOneLine { .. } => "NOT_ONE_LINE",
            Self::ForeignTool { .. } => "FOREIGN_TOOL",
            Self::TooManySteps { .. } => "TOO_MANY_STEPS",
            Self::TooLong { .. } | Self::AnswerTooLong { .. } => "TOO_LONG",
            Self::Cycle { .. } => "CYCLE",
            Self::UnknownNeed { .. } => "UNKNOWN_NEED",
            Self::NoGraph => "NO_GRAPH",
            Self::DuplicateStep { .. } => "DUPLICATE_STEP",
            Self::PlanActive => "PLAN_ACTIVE",
            Self::StepsOver => "PLAN_OVER",
            Self::NoPlan => "PLAN_NOT_FOUND",
            Self::PlanOver { .. } => "PLAN_OVER",
            Self::NotPausable { .. } => "PLAN_NOT_PAUSABLE",
            Self::NotResumable { .. } => "PLAN_NOT_RESUMABLE",
            Self::NotWaiting { .. } => "PLAN_NOT_WAITING",
            Self::Conflict { .. } | Self::OtherHash { .. } => "PLAN_CONFLICT",
            Self::SentBack => "PLAN_SENT_BACK",
            Self::SameAgain => "PLAN_UNCHANGED",
            Self::JustDone => "PLAN_JUST_DONE",
            Self::TaskGiven => "TASK_GIVEN",
            Self::TooManyTasks { .. } => "TOO_MANY_SIDEKICKS",
            Self::StepsStay { .. } => "PLAN_STEPS_STAY",
            Self::NotRunning { .. } => "PLAN_NOT_RUNNING",
            Self::NotApproved => "NOT_APPROVED",
            Self::NotApprovedAbove => "PLAN_NOT_APPROVED_ABOVE",
            Self::PersonOnly { .. } => "PERSON_ONLY",
            Self::Planning { .. } => "PLANNING",
            Self::HarnessOnly { .. } => "HARNESS_ONLY",
            Self::NoSuchStep { .. } => "STEP_NOT_FOUND",
            Self::StepNotRunning { .. } => "STEP_NOT_RUNNING",
            Self::StepNames { .. } => "PLAN_STEP_NAMES_TARGET",
            Self::CheckMissing { .. } => "CHECK_MISSING",
            Self::CheckFailed { .. } => "CHECK_FAILED",
            Self::CallFailed { .. } => "CALL_FAILED",
            Self::NoSuchCall => "CALL_NOT_FOUND",
            Self::NoSuchRule => "RULE_NOT_FOUND",
            Self::NoSuchAsk => "ASK_NOT_FOUND",
            Self::BadAnswer { .. } => "BAD_ANSWER",
            Self::Stale => "STALE",
            Self::NoSidekick => "SIDEKICK_NOT_FOUND",
            Self::NoResult => "NO_RESULT",
            Self::TooDeep { .. } => "TOO_DEEP",
            Self::CouncilActive => "PLAN_ACTIVE",
            Self::NoCouncilHere => "COUNCIL_NOT_HERE",
            Self::CouncilHeld => "COUNCIL_HELD",
            Self::VoteOver => "VOTE_OVER",
            Self::NoCouncil => "COUNCIL_NOT_FOUND",
            Self::CouncilSize { .. } => "COUNCIL_SIZE",
            Self::NoSuchMember { .. } => "MEMBER_NOT_FOUND",
            Self::NoSuchAnswer { .. } => "ANSWER_NOT_FOUND",
            Self::NotAsked => "NOT_ASKED",
            Self::OnlyVote { .. } => "ONLY_VOTE",
            Self::NotVoting | Self::AnswerFirst => "ANSWER_FIRST",
            Self::NoAnswerYet => "NO_ANSWER_YET",
            Self::NotOut { .. } => "MEMBER_NOT_OUT",
            Self::NoReview => "NO_REVIEW",
            Self::NoMoreAttempts => "NO_MORE_ATTEMPTS",
            Self::NoReason => "NO_REASON",
            Self::MemberRoom => "MEMBER_ROOM",
            Self::NoRoom => "ROOM_NOT_FOUND",
            Self::RoomExists => "ROOM_EXISTS",
            Self::RoomAtWork => "ROOM_AT_WORK",
            Self::SidekickAtWork => "SIDEKICK_AT_WORK",
            Self::EmptyTitle => "EMPTY_TITLE",
            Self::EmptyMessage => "EMPTY_MESSAGE",
        }
    }
}

fn join(steps: &[StepId]) -> String {
    steps.iter().map(|id| id.0.as_str()).collect::<Vec<_>>().join(", ")
}

fn one_of(members: &str) -> String {
    match members.is_empty() {
        true => "nobody has answered yet".to_owned(),
        false => format!("choose one of: {members}"),
    }
}
