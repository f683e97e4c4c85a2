//! The programs people get, built as they get them.

use crate::command::{cargo, finish};
use crate::{Outcome, ui};

/// Builds the window's files, then `plancard-window` with them inside, `plancard`, and the
/// small programs of `tools`.
///
/// All in one go, so that what is measured is what is packed: a package built with others
/// shares their features.
pub fn build() -> Outcome {
    ui::build()?;
    println!("building for release, which takes some minutes the first time …");
    let packages = ["--package", "plancard-window", "--package", "plancard", "--package", "tools"];
    let words: Vec<&str> = ["build", "--release"].into_iter().chain(packages).collect();
    finish(&mut cargo(&words)?)
}
