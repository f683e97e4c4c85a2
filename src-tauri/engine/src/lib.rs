//! Carries decisions out: journal, rooms, turns, asks, REST and SSE.

pub mod config;
pub mod journal;
