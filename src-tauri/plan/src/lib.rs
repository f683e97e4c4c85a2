//! Decides what is true of a room and its plan, and what may happen next.
//!
//! `decide` turns a command into events or refuses it; `Room::apply` takes
//! events in and is the only thing that changes a room; `gate` judges tool
//! calls; `schedule` says which steps may start; `work` says what the room
//! needs done; `view` is what anyone sees. No async, clock, randomness or IO.

mod actor;
mod allows;
pub mod answer;
mod apply;
mod approval;
mod ask;
mod below;
mod call;
mod caps;
mod chain;
mod clash;
mod clock;
mod command;
mod command_pattern;
mod content;
mod copy;
pub mod council;
mod decide;
mod draft;
mod event;
mod facts;
mod gate;
mod goal;
mod granted;
mod ids;
mod ledger;
mod misread;
mod mode;
mod plain_programs;
mod plan;
mod refusal;
mod repeat;
mod report;
mod rights;
mod room;
mod rule;
pub mod schedule;
pub mod scope;
mod sidekick;
mod step;
mod stuck;
mod text;
mod usage;
mod view;
pub mod visible;
pub mod work;

pub use actor::{Actor, ActorKind, Surface};
pub use allows::Allows;
pub use approval::{Amendment, Approval};
pub use ask::{Ask, AskKind, Detail, Whole};
pub use call::{Call, CallRequest, CallState, Change, ChangeKind, Outcome, Picture, Sent};
pub use caps::Caps;
pub use command::{
    AfterFailure, Check, Command, Edit, Patch, ReplyEnd, SoFar, StepComment, Tried, UnderWay, Used,
};
pub use command_pattern::{CommandPattern, Words};
pub use content::{Advance, Content, Hash, RunMode, StepSpec, Venue, Verify};
pub use copy::{Chosen, OwnCopy};
pub use council::{
    ANSWER_BYTES, Answer, Attempt, Council, CouncilAction, CouncilAnswerView, CouncilAttemptView,
    CouncilDroppedView, CouncilEnd, CouncilMemberView, CouncilRules, CouncilStage, CouncilStepView,
    CouncilView, CouncilVoteView, Crossing, DecidedBy, Evidence, FinalAnswer, MOST_MEMBERS, Member,
    Novelty, Number, Question, Score, Seat, Sensitivity, Sitting, Vote, council_view, councils,
    member_name,
};
pub use decide::{NewAnswer, NewAttempt, NewCouncil, SIDEKICK_CAP, decide};
pub use draft::{Draft, DraftStep, FullStep, check_goal};
pub use event::{EVENT_VERSION, Event};
pub use facts::{Effect, Facts, SimpleCommand, Source, Target};
pub use gate::{Profile, Standing, Verdict, describe, gate, how, how_for};
pub use goal::{Goal, Held, Phase};
pub use ids::{AskId, CallId, CouncilId, MessageId, PlanId, RoomId, StepId, StepRef, Time};
pub use ledger::ledger;
pub use misread::{BAD_ARGUMENTS, Misread, STEP_DONE};
pub use mode::PlanMode;
pub use plan::{Frame, OnPartial, Origin, ParentStep, PauseReason, Plan, PlanState};
pub use refusal::Refusal;
pub use repeat::Repeat;
pub use report::{Deed, How, Report, ReportLine};
pub use room::{Planning, Room, RoomKind, Turn};
pub use rule::{Rule, RuleAction, glob_matches};
pub use sidekick::{
    Ended, GiveUp, Limits, SPAWN, Sidekick, SidekickEnd, SidekickView, Told, WaitsFor,
    sidekick_view,
};
pub use step::{SkipCause, Step, StepState};
pub use stuck::Stuck;
pub use text::{INLINE_BYTES, OUTPUT_CHARS, Text, on_one_line, without_middle};
pub use usage::Usage;
pub use view::{
    Action, AskView, PlanView, RoomView, StepView, actions, ask_view, asks, plan_view, view,
};
pub use work::Work;
