//! The programs people get, built as they get them.

use crate::command::{cargo, finish};
use crate::{Outcome, ui};

/// Builds the window's files, then `plancard` with them inside, `plancard-serve`, and the small
/// program of `tools`.
///
/// All in one go, so that what is measured is what is packed: a package built with others
/// shares their features.
pub fn build() -> Outcome {
    ui::build()?;
    println!("building for release, which takes some minutes the first time …");
    let packages = ["--package", "plancard", "--package", "plancard-serve", "--package", "tools"];
    let words: Vec<&str> = ["build", "--release"].into_iter().chain(packages).collect();
    finish(&mut cargo(&words)?)
}
