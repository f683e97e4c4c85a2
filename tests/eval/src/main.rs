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

#[tokio::main]
async fn main() -> ExitCode {
    match perform().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(sentence) => {
            eprintln!("error: {sentence}");
            ExitCode::FAILURE
        }
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
