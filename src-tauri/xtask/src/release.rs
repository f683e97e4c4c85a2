//! The programs people get, built as they get them.

use crate::command::{cargo, finish};
use crate::{Outcome, ui};

/// Builds the window's files, then `plancard` with them inside and `plancard-serve`.
///
/// Both in one go, so that what is measured is what is packed: a package built with others
/// shares their features.
pub fn build() -> Outcome {
    ui::build()?;
    println!("building for release, which takes some minutes the first time …");
    let words = ["build", "--release", "--package", "plancard", "--package", "plancard-serve"];
    finish(&mut cargo(&words)?)
}
