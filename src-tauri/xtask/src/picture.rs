//! `cargo xtask picture`: takes the picture that the README shows, in the real window.

use crate::command::{built, cargo, finish, root};
use crate::{Outcome, machine, ui};

/// The test that takes it.
const TEST: &str = "one_click_runs_the_rehearsal";

/// Runs the test and puts its picture where the README expects it.
pub fn perform() -> Outcome {
    machine::set_up_for_tests()?;
    ui::build()?;
    finish(&mut cargo(&["test", "--workspace", "--test", "window", "--", TEST])?)?;
    let taken = built()?.join("../desktop/window.png");
    let shown = root()?.join("docs/window.png");
    std::fs::copy(&taken, &shown)
        .map_err(|error| format!("{} can't be copied: {error}", taken.display()))?;
    println!("{}", shown.display());
    Ok(())
}
