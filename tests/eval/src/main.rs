//! Gives a real model small real tasks, in Plancard or in a bare loop, and counts what comes of
//! them. Everything that goes to the model and back is recorded as raw bytes, without keys.

mod bare;
mod clock;
mod config;
mod fixtures;
mod http;
mod journal;
mod options;
mod product;
mod proxy;
mod recording;
mod report;
mod result;
mod run;
mod server;
mod task;
mod tasks;
mod wire;

use options::Wanted;
use std::process::ExitCode;
use tokio::signal::unix::{SignalKind, signal};

#[tokio::main]
async fn main() -> ExitCode {
    let performed = tokio::select! {
        performed = perform() => performed,
        // What was started ends with what is dropped here.
        () = stopped() => Err("stopped; the same words go on with the task under way".to_owned()),
    };
    match performed {
        Ok(()) => ExitCode::SUCCESS,
        Err(sentence) => {
            eprintln!("error: {sentence}");
            ExitCode::FAILURE
        }
    }
}

/// Returns when somebody wants this program to end.
async fn stopped() {
    match signal(SignalKind::terminate()) {
        Ok(mut term) => {
            tokio::select! {
                _ = term.recv() => {}
                _ = tokio::signal::ctrl_c() => {}
            }
        }
        Err(_) => std::future::pending().await,
    }
}

async fn perform() -> Result<(), String> {
    match options::read(std::env::args_os().skip(1))? {
        Wanted::Run(options) => run::perform(&options).await,
        Wanted::Report { folder, runs } => {
            let mut read = Vec::new();
            for name in runs {
                let results = result::read(&folder.join(format!("{name}.jsonl")))?;
                if results.is_empty() {
                    return Err(format!("there is no run `{name}` in {}", folder.display()));
                }
                read.push((name, results));
            }
            print!("{}", report::render(&read));
            Ok(())
        }
        Wanted::Keep { folder, run, to } => {
            let kept = fixtures::keep(&folder.join("recordings").join(&run), &to)?;
            println!("{kept} recordings kept in {}", to.display());
            Ok(())
        }
        Wanted::List => {
            for task in tasks::TASKS {
                println!("{:18} {:9} {}", task.name, task.kind.name(), task.say);
            }
            Ok(())
        }
        Wanted::Help => {
            println!("{}", options::usage());
            Ok(())
        }
    }
}
