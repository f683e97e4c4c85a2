//! Waits until the program that started it is gone, however that came about, and ends what it
//! left behind: halves of sandboxes that did not know yet that they were alone.
//!
//! Its standard input is a pipe that the program holds open and nobody else.

use std::process::ExitCode;
use tools::leftovers;

/// `MARK`
fn main() -> ExitCode {
    let Some(mark) = std::env::args().nth(1) else {
        eprintln!("this is started by Plancard and waits for its end");
        return ExitCode::from(2);
    };
    leftovers::end_of_the_dead();
    // An error means that there is nothing to wait for any more.
    let _ = std::io::copy(&mut std::io::stdin(), &mut std::io::sink());
    leftovers::end_of(&mark);
    ExitCode::SUCCESS
}
