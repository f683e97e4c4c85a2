//! Waits until the program that started it is gone, however that came about, and ends what it
//! left behind: commands that make processes faster than they end, and halves of sandboxes that did
//! not know yet that they were alone.
//!
//! Its standard input is a pipe that the program holds open and nobody else.

use std::process::ExitCode;
use tools::leftovers;

/// The most urgent there is.
const FIRST: i32 = -20;

/// `MARK`
fn main() -> ExitCode {
    let Some(mark) = std::env::args().nth(1) else {
        eprintln!("this is started by Plancard and waits for its end");
        return ExitCode::from(2);
    };
    // Only root may. Among thousands of processes it would wait long for its turn.
    let _ = rustix::process::setpriority_process(None, FIRST);
    leftovers::end_of_the_dead();
    // An error means that there is nothing to wait for any more.
    let _ = std::io::copy(&mut std::io::stdin(), &mut std::io::sink());
    leftovers::end_of(&mark);
    ExitCode::SUCCESS
}
