//! Decides what is true of a room and its plan, and what may happen next.

mod caps;
mod mode;

pub use caps::Caps;
pub use mode::PlanMode;
