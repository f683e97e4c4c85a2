//! `cargo xtask run`: from a fresh clone to a running Plancard.

use crate::command::{become_it, built, cargo, finish, program};
use crate::{Outcome, machine, ui};

/// Sets up, builds, and opens the window; without a screen, or with words for
/// it, becomes `plancard serve`.
pub fn perform(words: &[String]) -> Outcome {
    machine::set_up()?;
    ui::build()?;
    // `tools` for the small program that opens a sandbox's way to the network.
    let packages = ["--package", "plancard-window", "--package", "plancard", "--package", "tools"];
    let build: Vec<&str> = ["build"].into_iter().chain(packages).collect();
    finish(&mut cargo(&build)?)?;
    let has_screen = ["DISPLAY", "WAYLAND_DISPLAY"]
        .iter()
        .any(|name| std::env::var_os(name).is_some_and(|value| !value.is_empty()));
    let beside = |name: &str| {
        built().map(|folder| folder.join(format!("{name}{}", std::env::consts::EXE_SUFFIX)))
    };
    if has_screen && words.is_empty() {
        println!("opening the window; Ctrl-C pauses running plans and quits");
        return become_it(&mut program(beside("plancard-window")?)?);
    }
    println!("starting `plancard serve`; Ctrl-C pauses running plans and stops");
    become_it(program(beside("plancard")?)?.arg("serve").args(words))
}
