//! Runs as Markdown tables: every task, and the sums side by side.

use crate::result::{Ended, TaskResult};
use std::fmt::Write;

/// Several runs, each with its name.
pub fn render(runs: &[(String, Vec<TaskResult>)]) -> String {
    let mut out = String::new();
    sums(&mut out, runs);
    tasks(&mut out, runs);
    for (name, results) in runs {
        each(&mut out, name, results);
    }
    out
}

type Row = (&'static str, fn(&[TaskResult]) -> String);

const ROWS: &[Row] = &[
    ("model", |results| {
        let mut names: Vec<&str> = results.iter().map(|result| result.model.as_str()).collect();
        names.dedup();
        names.join(", ")
    }),
    ("done", |results| of(results, |result| result.done)),
    ("planned as it should", |results| of(results, |result| result.planned_right)),
    ("malformed calls", |results| sum(results, |result| result.malformed)),
    ("repaired calls", |results| sum(results, |result| result.repaired)),
    ("calls", |results| sum(results, |result| result.calls)),
    ("turns", |results| sum(results, |result| result.turns)),
    ("tokens in", |results| sum(results, |result| result.input_tokens)),
    ("tokens out", |results| sum(results, |result| result.output_tokens)),
    ("minutes", |results| {
        let seconds: u64 = results.iter().map(|result| result.seconds).sum();
        format!("{:.1}", seconds as f64 / 60.0)
    }),
    ("stopped for the shape of a plan", |results| count(results, |result| result.plan_shape)),
    ("loops", |results| count(results, |result| result.looped)),
    ("out of time", |results| count(results, |result| result.ended == Ended::Time)),
    ("waits for a person", |results| count(results, |result| result.ended == Ended::Waits)),
    ("stopped", |results| count(results, |result| result.ended == Ended::Stopped)),
    ("broken", |results| count(results, |result| result.ended == Ended::Broken)),
    ("end explained", |results| of(results, |result| result.explained)),
];

fn sums(out: &mut String, runs: &[(String, Vec<TaskResult>)]) {
    let names: Vec<&str> = runs.iter().map(|(name, _)| name.as_str()).collect();
    line(out, "| |", &names);
    rule(out, runs.len());
    for (name, cell) in ROWS {
        let cells: Vec<String> = runs.iter().map(|(_, results)| cell(results)).collect();
        line(out, &format!("| {name} |"), &cells);
    }
    out.push('\n');
}

/// Which tasks were done in which run.
fn tasks(out: &mut String, runs: &[(String, Vec<TaskResult>)]) {
    let mut names: Vec<(&str, &str)> = Vec::new();
    for result in runs.iter().flat_map(|(_, results)| results) {
        let name = (result.task.as_str(), result.kind.as_str());
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let columns: Vec<&str> = runs.iter().map(|(name, _)| name.as_str()).collect();
    line(out, "| task |", &columns);
    rule(out, runs.len());
    for (task, kind) in names {
        let cells: Vec<&str> = runs
            .iter()
            .map(|(_, results)| match results.iter().find(|result| result.task == task) {
                Some(result) if result.done => "done",
                Some(_) => "—",
                None => "",
            })
            .collect();
        line(out, &format!("| {task} ({kind}) |"), &cells);
    }
    out.push('\n');
}

fn each(out: &mut String, name: &str, results: &[TaskResult]) {
    let _ = writeln!(out, "### {name}\n");
    let columns = [
        "done",
        "plan",
        "malformed",
        "repaired",
        "turns",
        "tokens",
        "s",
        "repeats",
        "end",
        "in words",
    ];
    line(out, "| task |", &columns);
    rule(out, columns.len());
    for result in results {
        let plan = match (result.planned, result.planned_right) {
            (true, true) => "yes",
            (true, false) => "yes, should not",
            (false, true) => "no",
            (false, false) => "no, should",
        };
        let cells = [
            if result.done { "yes" } else { "no" }.to_owned(),
            plan.to_owned(),
            result.malformed.to_string(),
            result.repaired.to_string(),
            result.turns.to_string(),
            (result.input_tokens + result.output_tokens).to_string(),
            result.seconds.to_string(),
            result.repeats.to_string(),
            end(result).to_owned(),
            words(result),
        ];
        line(out, &format!("| {} |", result.task), &cells);
    }
    out.push('\n');
}

fn end(result: &TaskResult) -> &'static str {
    match result.ended {
        Ended::Rest => "rest",
        Ended::Stopped => "stopped",
        Ended::Waits => "waits for a person",
        Ended::Time => "time",
        Ended::Broken => "broken",
    }
}

fn words(result: &TaskResult) -> String {
    let words = match (result.done, result.missed.is_empty()) {
        (false, false) => format!("{} [{}]", result.words, result.missed),
        (true | false, _) => result.words.clone(),
    };
    words.replace('|', "/").replace('\n', " ")
}

fn of(results: &[TaskResult], fits: fn(&TaskResult) -> bool) -> String {
    format!("{} of {}", results.iter().filter(|result| fits(result)).count(), results.len())
}

fn count(results: &[TaskResult], fits: fn(&TaskResult) -> bool) -> String {
    results.iter().filter(|result| fits(result)).count().to_string()
}

fn sum(results: &[TaskResult], number: fn(&TaskResult) -> u64) -> String {
    results.iter().map(number).sum::<u64>().to_string()
}

fn line<S: AsRef<str>>(out: &mut String, first: &str, cells: &[S]) {
    out.push_str(first);
    for cell in cells {
        let _ = write!(out, " {} |", cell.as_ref());
    }
    out.push('\n');
}

fn rule(out: &mut String, columns: usize) {
    out.push_str("| --- |");
    out.push_str(&" --- |".repeat(columns));
    out.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(task: &str, done: bool) -> TaskResult {
        TaskResult {
            task: task.into(),
            kind: "make".into(),
            model: "small".into(),
            bare: false,
            done,
            missed: if done { String::new() } else { "there is no file a | b".into() },
            ended: if done { Ended::Rest } else { Ended::Time },
            words: "Done.".into(),
            planned: done,
            planned_right: done,
            malformed: 2,
            repaired: 1,
            calls: 3,
            turns: 4,
            input_tokens: 100,
            output_tokens: 10,
            seconds: 30,
            wall_seconds: 60,
            plan_shape: false,
            repeats: 2,
            looped: !done,
            explained: done,
            answer: "Done.".into(),
        }
    }

    #[test]
    fn runs_stand_side_by_side() {
        let runs = [
            ("before".to_owned(), vec![result("a", false), result("b", true)]),
            ("after".to_owned(), vec![result("a", true)]),
        ];
        let report = render(&runs);
        for expected in [
            "| | before | after |",
            "| done | 1 of 2 | 1 of 1 |",
            "| malformed calls | 4 | 2 |",
            "| minutes | 1.0 | 0.5 |",
            "| loops | 1 | 0 |",
            "| a (make) | — | done |",
            "| b (make) | done |  |",
            "| a | no | no, should | 2 | 1 | 4 | 110 | 30 | 2 | time | Done. [there is no file a / b] |",
        ] {
            assert!(report.lines().any(|line| line == expected), "{expected}\n{report}");
        }
    }
}
