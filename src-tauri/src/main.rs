//! `plancard-window`: the window. All that needs none is in `plancard`.

use std::process::ExitCode;

fn main() -> ExitCode {
    let word = std::env::args_os().nth(1);
    match word.as_deref().and_then(|word| word.to_str()) {
        Some("blank") => plancard_lib::blank(),
        Some("--help" | "-h") => say(HELP),
        Some("--version" | "-V") => say(concat!("plancard-window ", env!("CARGO_PKG_VERSION"))),
        Some(_) | None => plancard_lib::run(),
    }
}

const HELP: &str = "\
plancard-window          opens the window
plancard-window LINK     opens it at a plancard:// link

`plancard help` lists the commands that need no window.";

fn say(words: &str) -> ExitCode {
    println!("{words}");
    ExitCode::SUCCESS
}
