//! One run: the tasks one after the other, each in folders of its own, each result kept at once.

use crate::bare;
use crate::clock::Clock;
use crate::config::Setup;
use crate::options::Options;
use crate::product;
use crate::proxy::Proxy;
use crate::report;
use crate::result::{self, Ended, TaskResult};
use crate::server::{Program, Server};
use crate::task::{Task, lay, short};
use crate::tasks::{WARM_UP, scene};
use crate::wire;
use std::path::Path;
use std::time::Duration;

/// A call that comes this often with the same arguments is going round in circles.
const CIRCLE: u64 = 4;

/// Runs every task that is not in the run's file yet, and prints the report.
pub async fn perform(options: &Options) -> Result<(), String> {
    std::fs::create_dir_all(&options.folder)
        .map_err(|error| format!("cannot make {}: {error}", options.folder.display()))?;
    let file = options.folder.join(format!("{}.jsonl", options.run));
    if options.again && file.exists() {
        std::fs::remove_file(&file)
            .map_err(|error| format!("cannot remove {}: {error}", file.display()))?;
    }
    let known = result::read(&file)?;
    let mut setup = Setup::new(options).await?;
    let proxy = Proxy::start(setup.origins.clone()).await?;
    let program = if options.bare { None } else { Some(Program::find(options.bin.as_deref())?) };
    let wanted = |task: &&Task| !known.iter().any(|result| result.task == task.name);
    if options.tasks.iter().any(|task| wanted(&task)) {
        if let Some(program) = &program {
            check(options, &mut setup, &proxy, program).await?;
        }
        warm_up(options, &setup, &proxy, program.as_ref()).await?;
    }
    for (at, task) in options.tasks.iter().enumerate() {
        let place = format!("{}/{} {}", at + 1, options.tasks.len(), task.name);
        if known.iter().any(|result| result.task == task.name) {
            println!("{place}: in the run already");
            continue;
        }
        let result = one(task, options, &setup, &proxy, program.as_ref()).await?;
        result::append(&file, &result)?;
        let done = if result.done { "done" } else { "not done" };
        println!(
            "{place}: {done} in {} s, {} turns: {}",
            result.seconds, result.turns, result.words
        );
    }
    if let Some(problem) = proxy.problem() {
        eprintln!("warning: {problem}");
    }
    println!("\n{}", report::render(&[(options.run.clone(), result::read(&file)?)]));
    println!("results: {}", file.display());
    Ok(())
}

/// Finds out what the model can do, as a person would before its first task.
async fn check(
    options: &Options,
    setup: &mut Setup,
    proxy: &Proxy,
    program: &Program,
) -> Result<(), String> {
    let record = options.record.join("check");
    std::fs::create_dir_all(&record)
        .map_err(|error| format!("cannot make {}: {error}", record.display()))?;
    proxy.begin(record.clone());
    let yaml = setup.yaml(|number| proxy.origin(number), options.window, options.limit);
    let server = Server::start(program, &yaml, &record.join("server.log")).await?;
    let checked = server.check().await;
    server.stop().await;
    match checked {
        Ok(checked) => {
            setup.abilities = abilities(&checked["profile"]);
            println!("check: {}", checked["words"]);
        }
        // An old build knows no checks.
        Err(why) => println!("check: {why}"),
    }
    Ok(())
}

/// What a check found, in the words of a configuration.
fn abilities(profile: &serde_json::Value) -> String {
    let names = ["tools", "simple", "parallel", "schema", "forced_tool", "thinks"];
    let known = names.iter().filter(|name| !profile[**name].is_null());
    known.map(|name| format!(", {name}: {}", profile[*name])).collect()
}

/// Lets the model read the instructions once: the first task would pay for all others.
async fn warm_up(
    options: &Options,
    setup: &Setup,
    proxy: &Proxy,
    program: Option<&Program>,
) -> Result<(), String> {
    let longest = Duration::from_secs(900);
    let options = Options {
        source: options.source.clone(),
        model: options.model.clone(),
        tasks: Vec::new(),
        limit: longest,
        pace: None,
        run: options.run.clone(),
        bin: options.bin.clone(),
        record: options.record.clone(),
        folder: options.folder.clone(),
        ..*options
    };
    let result = one(&WARM_UP, &options, setup, proxy, program).await?;
    println!("warm-up: {} s", result.wall_seconds);
    Ok(())
}

async fn one(
    task: &Task,
    options: &Options,
    setup: &Setup,
    proxy: &Proxy,
    program: Option<&Program>,
) -> Result<TaskResult, String> {
    let record = options.record.join(task.name);
    if record.exists() {
        // What an earlier, unfinished try left would be mixed with this one.
        std::fs::remove_dir_all(&record)
            .map_err(|error| format!("cannot remove {}: {error}", record.display()))?;
    }
    std::fs::create_dir_all(&record)
        .map_err(|error| format!("cannot make {}: {error}", record.display()))?;
    // Hidden folders are opened in the window alone.
    let workspace = tempfile::Builder::new().prefix("workspace-").tempdir();
    let workspace = workspace.map_err(|error| format!("no folder: {error}"))?;
    let folder = workspace.path().canonicalize().map_err(|error| error.to_string())?;
    task.lay_out(&folder)?;
    if (task.check)(&scene(&folder, "")).is_ok() {
        return Err(format!("the check of {} passes before it begins", task.name));
    }
    let solved = tempfile::tempdir().map_err(|error| format!("no folder: {error}"))?;
    task.lay_out(solved.path())?;
    lay(solved.path(), task.solution.files)?;
    if let Err(why) = (task.check)(&scene(solved.path(), task.solution.answer)) {
        return Err(format!("the check of {} fails when it is done: {why}", task.name));
    }
    proxy.begin(record.clone());
    let clock = Clock::start(options.limit, options.turns, options.pace);
    let mut result = match program {
        Some(program) => {
            let yaml = setup.yaml(|number| proxy.origin(number), options.window, clock.longest());
            let went =
                product::perform(task, program, &yaml, &folder, proxy, clock, &record).await?;
            of_product(task, went)
        }
        None => {
            let address = setup.bare_address(&proxy.origin(0)).ok_or("--bare needs --address")?;
            let key = setup.key_env().and_then(|name| std::env::var(name).ok());
            let place = bare::Place { address, model: setup.model.clone(), key };
            of_bare(task, bare::perform(task, &place, &folder, proxy, clock).await)
        }
    };
    result.seconds = clock.passed(proxy).as_secs();
    result.wall_seconds = clock.on_the_wall().as_secs();
    result.model = setup.model.clone();
    judge(&mut result, task, &folder);
    for exchange in proxy.exchanges() {
        let answer = wire::answer(&exchange.body);
        result.turns += 1;
        result.input_tokens += answer.input;
        result.output_tokens += answer.output;
    }
    result.looped =
        result.repeats >= CIRCLE && matches!(result.ended, Ended::Time | Ended::Stopped);
    Ok(result)
}

fn judge(result: &mut TaskResult, task: &Task, folder: &Path) {
    match (task.check)(&scene(folder, &result.answer)) {
        Ok(()) => result.done = true,
        Err(missed) => result.missed = short(&missed),
    }
    result.answer = short(&result.answer);
}

fn blank(task: &Task, bare: bool) -> TaskResult {
    TaskResult {
        task: task.name.into(),
        kind: task.kind.name().into(),
        model: String::new(),
        bare,
        done: false,
        missed: String::new(),
        ended: Ended::Broken,
        words: String::new(),
        planned: false,
        planned_right: false,
        malformed: 0,
        repaired: 0,
        calls: 0,
        turns: 0,
        input_tokens: 0,
        output_tokens: 0,
        seconds: 0,
        wall_seconds: 0,
        plan_shape: false,
        repeats: 0,
        looped: false,
        explained: false,
        answer: String::new(),
    }
}

fn of_product(task: &Task, went: product::Went) -> TaskResult {
    let counts = went.counts;
    TaskResult {
        ended: went.ended,
        explained: is_sentence(&went.words) && went.ended != Ended::Time,
        words: went.words,
        planned: counts.planned,
        planned_right: task.planned.fits(counts.planned),
        malformed: counts.malformed,
        repaired: counts.repaired,
        calls: counts.calls,
        plan_shape: went.stuck && counts.plan_misread,
        repeats: counts.repeats,
        answer: counts.answer,
        ..blank(task, false)
    }
}

fn of_bare(task: &Task, went: bare::Went) -> TaskResult {
    TaskResult {
        ended: went.ended.unwrap_or(Ended::Broken),
        explained: went.ended == Some(Ended::Rest) && is_sentence(&went.words),
        words: went.words,
        // Nobody asks it for one.
        planned_right: true,
        malformed: went.malformed,
        calls: went.calls,
        repeats: went.repeats,
        answer: went.answer,
        ..blank(task, true)
    }
}

/// Whether a person can read it: words, and no bare code or piece of JSON.
fn is_sentence(words: &str) -> bool {
    let words = words.trim();
    !words.is_empty() && !words.starts_with(['{', '[']) && words.chars().any(char::is_lowercase)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_and_json_are_no_sentences() {
        assert!(is_sentence("Stopped: 3 calls in a row failed."));
        assert!(is_sentence("42 is the answer"));
        for words in ["", "  ", "STUCK", "{\"code\":\"x\"}"] {
            assert!(!is_sentence(words), "{words}");
        }
    }
}
