//! `cargo xtask bench`: measures the program people get, built as they get it.

use crate::command::{become_it, cargo};
use crate::{Outcome, machine, release};

/// Builds for release, then becomes the benchmark with the rows given.
pub fn perform(rows: &[String]) -> Outcome {
    // The window is measured on a screen of its own.
    machine::set_up_for_tests()?;
    // Built by themselves: beside the benchmark they would share that one's features.
    release::build()?;
    let mut bench = cargo(&["run", "--release", "--quiet", "--package", "bench", "--"])?;
    become_it(bench.args(rows))
}
