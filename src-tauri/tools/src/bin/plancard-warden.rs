//! Looks after what Plancard starts, in two ways.
//!
//! `MARK`: waits until the program that started it is gone, however that came about, and ends what
//! it left behind: commands that make processes faster than they end, and halves of sandboxes that
//! did not know yet that they were alone. Its standard input is a pipe that the program holds open
//! and nobody else.
//!
//! `run PROGRAM…`: takes the limits of a command on and becomes the program, see `limited`.

use std::process::ExitCode;
use tools::{leftovers, limited};

/// The most urgent there is.
const FIRST: i32 = -20;

fn main() -> ExitCode {
    let mut words = std::env::args_os().skip(1);
    let mark = match words.next() {
        Some(word) if word == "run" => return limited::run(words),
        Some(mark) => mark.to_string_lossy().into_owned(),
        None => {
            eprintln!("this is started by Plancard and waits for its end");
            return ExitCode::from(2);
        }
    };
    // Only root may. Among thousands of processes it would wait long for its turn.
    let _ = rustix::process::setpriority_process(None, FIRST);
    leftovers::end_of_the_dead();
    // An error means that there is nothing to wait for any more.
    let _ = std::io::copy(&mut std::io::stdin(), &mut std::io::sink());
    leftovers::end_of(&mark);
    ExitCode::SUCCESS
}
