//! Strict mode on the real `plancard serve`: what is tried without an approval, and what an
//! approval is good for.

// Helpers of tests are tests, which the lint does not see in this folder.
#![allow(clippy::unwrap_used)]

mod approving;
mod attacks;
mod checks;
mod commands;
mod drift;
mod ending;
mod hand;
mod reading;
mod rejecting;
mod scene;
mod soft;
mod tree;

pub use scene::{Scene, code, outcome};
