//! `cargo xtask bench`: measures the program people get, built as they get it.

use crate::Outcome;
use crate::command::{become_it, cargo, finish};

/// Builds the server for release, then becomes the benchmark with the rows given.
pub fn perform(rows: &[String]) -> Outcome {
    // Built by itself: beside the benchmark it would share that one's features.
    finish(&mut cargo(&["build", "--release", "--package", "plancard-serve"])?)?;
    let mut bench = cargo(&["run", "--release", "--quiet", "--package", "bench", "--"])?;
    become_it(bench.args(rows))
}
