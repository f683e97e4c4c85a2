//! Carries decisions out: journal, rooms, turns, asks, REST and SSE.

mod agents;
mod catalogue;
mod chatter;
mod checkup;
mod clock;
mod codename;
pub mod config;
mod copies;
mod council;
mod doctor;
mod engine;
mod error;
mod estimate;
mod excerpts;
pub mod export;
pub mod goals;
mod guarded;
mod history;
pub mod journal;
mod keys;
mod lines;
mod live;
pub mod local_socket;
mod mcp;
mod outputs;
mod overview;
mod place;
mod plans;
mod profiles;
mod providers;
mod reach;
mod redact;
pub mod rest;
mod rooms;
mod rows;
mod sidekicks;
mod slots;
mod submit;
mod turn;
mod usage;
mod watch;
pub mod wire;
mod worked;
mod workspace;

pub use catalogue::ToolEntry;
pub use chatter::Chatter;
pub use checkup::{AgentModels, Checkup, ConfigProblem};
pub use clock::{Clock, HandClock, SystemClock};
pub use council::{CouncilPreview, CouncilSeat, StartCouncil};
pub use doctor::{LocalServer, Tested, no_sandbox, not_limited};
pub use engine::{Engine, Options, Started};
pub use error::EngineError;
pub use estimate::Estimate;
pub use goals::{NewGoal, SetGoal};
pub use keys::{Keys, NoKeys};
pub use lines::Lines;
pub use mcp::{McpPackageView, McpServerView, McpState, McpToolView};
pub use models::Unread;
pub use overview::{CouncilGlance, Overview, PlanGlance, RoomSort, RoomSummary};
pub use place::data_folder;
pub use plans::PlanSummary;
pub use profiles::{
    CheckedModel, KnownProfile, ModelProfile, Planning, ProfileFields, ProfileSource,
};
pub use rooms::RoomSize;
pub use sidekicks::{ContextMode, NewSidekick};
pub use submit::Submitted;
pub use tools::{hand_none_on, leave_no_dumps, open_many};
pub use usage::{ModelUsage, RoomUsage};
pub use watch::{Listener, Watch};
pub use workspace::{Opener, make_sample, next_sample};

/// A new id: sortable by the time it was made.
pub fn fresh_id() -> uuid::Uuid {
    uuid::Uuid::now_v7()
}
