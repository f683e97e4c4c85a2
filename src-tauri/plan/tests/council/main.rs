//! Councils: a room and its members' rooms, told as stories. Each story ends by replaying its logs.

mod again;
mod bounds;
mod deciding;
mod gate;
mod hall;
mod log;
mod person;
mod restarts;
mod time;
mod voting;
mod walk;
