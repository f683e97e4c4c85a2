//! `cargo xtask run`: from a fresh clone to a running Plancard.

use crate::command::{become_it, built, cargo, finish, program};
use crate::{Outcome, machine};

/// Sets up, builds, and becomes `plancard serve` with the words given.
pub fn perform(words: &[String]) -> Outcome {
    machine::set_up()?;
    finish(&mut cargo(&["build", "--package", "plancard", "--package", "plancard-serve"])?)?;
    println!("starting `plancard serve`; Ctrl-C pauses running plans and stops");
    let plancard = built()?.join(format!("plancard{}", std::env::consts::EXE_SUFFIX));
    become_it(program(plancard)?.arg("serve").args(words))
}
