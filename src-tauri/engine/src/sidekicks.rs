//! Sidekicks: rooms in which agents work in the background for another room.

mod above;
mod beginning;
mod conflicts;
mod context;
mod copying;
mod ending;
mod finished;
mod heard;
mod listing;
mod merging;
mod nested;
mod serving;
mod showing;
mod spawning;
mod spending;
mod steps;
mod taking;
mod telling;
mod timing;
mod waiting;
mod working;

pub(crate) use above::{hold_back, is_held, parent_of, root_of};
pub use beginning::{ContextMode, NewSidekick};
pub(crate) use context::of_member as member_context;
pub(crate) use copying::{Given, give_copy, may_change_files};
pub(crate) use ending::{Finished, at_work_below, settling_below};
pub(crate) use nested::refuse_vain_approval;
pub(crate) use plan::SPAWN;
pub(crate) use serving::{
    Handed, check_failed, check_of, does_step, erred, handed, repeated_itself, served_step, tried,
};
pub(crate) use spawning::perform;
pub(crate) use timing::watch;
pub(crate) use working::{may_work, put_off, rest, work_on};
