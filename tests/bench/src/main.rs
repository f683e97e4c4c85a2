//! Measures the program people get: a scripted model on loopback, the real `plancard serve`,
//! and beside it a bare loop with the same client and the same tools, but no plan and no log.
//!
//! A step is the model's tool call, its effect, and `step_done`: two model requests. It lasts
//! from the arrival of the request that opens it to the arrival of the one that opens the next,
//! seen from the model's side, for the program and for the bare loop alike.
//!
//! Nothing fails on a time. The exit code says whether everything ran to its end.

mod bare;
mod cancelling;
mod council;
mod graph;
mod log_size;
mod long_room;
mod machine;
mod many_rooms;
mod many_sidekicks;
mod numbers;
mod overhead;
mod paced_model;
mod page;
mod pair;
mod rest;
mod sample;
mod sandbox_time;
mod script;
mod served;
mod start_up;
mod step_time;
mod table;
mod tree;
mod window;

use std::process::ExitCode;
use table::Table;

/// What a measurement answers: nothing, or a sentence about what did not run to its end.
type Outcome<T = ()> = Result<T, String>;

#[tokio::main]
async fn main() -> ExitCode {
    let mut table = Table::new(std::env::args().skip(1).collect());
    match measure(&mut table).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(sentence) => {
            eprintln!("error: {sentence}");
            ExitCode::FAILURE
        }
    }
}

async fn measure(table: &mut Table) -> Outcome {
    table.check_names()?;
    let bare = bare::runtime()?;
    let before = machine::load();
    let measured = rows(table, bare.handle()).await;
    bare.shutdown_background();
    println!("{}", machine::facts(&before));
    table.print();
    measured
}

/// Every measurement of which a row is wanted; one that fails keeps none of the others back.
async fn rows(table: &mut Table, bare: &tokio::runtime::Handle) -> Outcome {
    let mut failures = Vec::new();
    let mut keep = |outcome: Outcome| failures.extend(outcome.err());
    if table.wants(&step_time::READ) {
        keep(step_time::read_file(table, bare).await);
    }
    if table.wants(&step_time::WRITE) {
        keep(step_time::write_file(table, bare).await);
    }
    if table.wants(&step_time::SHELL) {
        keep(step_time::shell(table, bare).await);
    }
    if table.wants(&step_time::THINKING) {
        keep(step_time::thinking(table, bare).await);
    }
    if table.wants(&overhead::ROWS) {
        keep(overhead::by_phase(table).await);
    }
    if table.wants(&long_room::PLANS) {
        keep(long_room::many_plans(table, bare).await);
    }
    if table.wants(&long_room::BIG) {
        keep(long_room::big_plans(table, bare).await);
    }
    if table.wants(&many_rooms::ROWS) {
        keep(many_rooms::at_once(table, bare).await);
    }
    if table.wants(&many_sidekicks::ROWS) {
        keep(many_sidekicks::at_once(table).await);
    }
    if table.wants(&cancelling::ROWS) {
        keep(cancelling::six(table).await);
    }
    if table.wants(&council::ROWS) {
        keep(council::of_three(table).await);
    }
    if table.wants(&sandbox_time::SANDBOX) {
        keep(sandbox_time::sandbox(table).await);
    }
    if table.wants(&sandbox_time::LARGE) {
        keep(sandbox_time::large(table).await);
    }
    if table.wants(&sandbox_time::TREE) {
        keep(sandbox_time::tree(table).await);
    }
    if table.wants(&start_up::ROWS) {
        keep(start_up::first_request(table).await);
    }
    if table.wants(&window::ROWS) {
        keep(window::beside_an_empty_one(table).await);
    }
    if table.wants(&page::WORDS) {
        keep(page::words(table).await);
    }
    if table.wants(&page::ROOMS) {
        keep(page::long_room(table).await);
    }
    if table.wants(&graph::ROWS) {
        keep(graph::while_it_runs(table).await);
    }
    if failures.is_empty() { Ok(()) } else { Err(failures.join("\nerror: ")) }
}
