//! `cargo xtask eval`: gives a real model small real tasks in the program people get.

use crate::command::{become_it, cargo, finish, program, released};
use crate::{Outcome, machine};

/// Words that need no server.
const LOOKING: [&str; 6] = ["--report", "--keep-fixtures", "--list", "--help", "-h", "--bare"];

/// Builds for release what is measured and what measures, then becomes the evaluation.
pub fn perform(words: &[String]) -> Outcome {
    machine::set_up()?;
    let own_server = !words.iter().any(|word| LOOKING.contains(&word.as_str()) || word == "--bin");
    if own_server {
        // `tools` for the small programs that a sandbox needs beside the server.
        let packages = ["--package", "plancard", "--package", "tools"];
        let build: Vec<&str> = ["build", "--release"].into_iter().chain(packages).collect();
        finish(&mut cargo(&build)?)?;
    }
    // By itself: beside the server it would share that one's features.
    finish(&mut cargo(&["build", "--release", "--package", "eval"])?)?;
    let eval = released()?.join(format!("eval{}", std::env::consts::EXE_SUFFIX));
    become_it(program(eval)?.args(words))
}
