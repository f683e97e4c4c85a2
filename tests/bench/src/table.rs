//! The one table: a value, how it compares with the bare loop, its target, and whether it holds.

use crate::{
    Outcome, cancelling, council, graph, long_room, many_rooms, many_sidekicks, overhead, page,
    sandbox_time, start_up, step_time, window,
};

/// The rows that are wanted, and those that are there.
pub struct Table {
    wanted: Vec<String>,
    rows: Vec<Row>,
}

/// One measured row.
pub struct Row {
    /// Its name, by which it can be asked for.
    pub name: &'static str,
    /// What was measured.
    pub value: f64,
    /// The unit of the value.
    pub unit: &'static str,
    /// How many times the bare loop's value it is.
    pub ratio: Option<f64>,
    /// The target in words.
    pub target: String,
    /// Whether the target is met.
    pub holds: bool,
    /// What else is worth knowing.
    pub note: String,
}

impl Table {
    /// An empty table for these rows, or for all.
    pub fn new(wanted: Vec<String>) -> Self {
        Self { wanted, rows: Vec::new() }
    }

    /// Refuses words that name no row.
    pub fn check_names(&self) -> Outcome {
        let names = all_names();
        match self.wanted.iter().find(|word| !names.iter().any(|name| name.contains(*word))) {
            None => Ok(()),
            Some(word) => {
                Err(format!("no row is called `{word}`; there are:\n  {}", names.join("\n  ")))
            }
        }
    }

    /// Whether one of these rows is wanted.
    pub fn wants(&self, names: &[&str]) -> bool {
        names.iter().any(|name| self.is_wanted(name))
    }

    /// Adds a row, if it is wanted.
    pub fn add(&mut self, row: Row) {
        if self.is_wanted(row.name) {
            self.rows.push(row);
        }
    }

    /// Shows what was measured.
    pub fn print(&self) {
        let head = ["row", "value", "unit", "× bare", "target", "", "note"].map(str::to_owned);
        let mut lines = vec![head];
        lines.extend(self.rows.iter().map(|row| {
            [
                row.name.to_owned(),
                short(row.value),
                row.unit.to_owned(),
                row.ratio.map_or_else(|| "–".to_owned(), |ratio| format!("{ratio:.2}")),
                row.target.clone(),
                if row.holds { "ok" } else { "over" }.to_owned(),
                row.note.clone(),
            ]
        }));
        let width = |column: usize| {
            lines.iter().map(|line| line[column].chars().count()).max().unwrap_or_default()
        };
        let widths: Vec<usize> = (0..7).map(width).collect();
        for line in &lines {
            let cells: Vec<String> = line
                .iter()
                .zip(&widths)
                .enumerate()
                .map(|(column, (cell, width))| match column {
                    1 | 3 => format!("{cell:>width$}"),
                    _ => format!("{cell:<width$}"),
                })
                .collect();
            println!("{}", cells.join("  ").trim_end());
        }
    }

    fn is_wanted(&self, name: &str) -> bool {
        self.wanted.is_empty() || self.wanted.iter().any(|word| name.contains(word.as_str()))
    }
}

fn all_names() -> Vec<&'static str> {
    let groups: [&[&str]; 19] = [
        &step_time::READ,
        &step_time::WRITE,
        &step_time::SHELL,
        &step_time::THINKING,
        &overhead::ROWS,
        &long_room::PLANS,
        &long_room::BIG,
        &many_rooms::ROWS,
        &many_sidekicks::ROWS,
        &cancelling::ROWS,
        &council::ROWS,
        &sandbox_time::SANDBOX,
        &sandbox_time::LARGE,
        &sandbox_time::TREE,
        &start_up::ROWS,
        &window::ROWS,
        &page::WORDS,
        &page::ROOMS,
        &graph::ROWS,
    ];
    groups.concat()
}

/// Three digits are as many as a measurement is good for.
fn short(value: f64) -> String {
    if value >= 100.0 {
        format!("{value:.0}")
    } else if value >= 10.0 {
        format!("{value:.1}")
    } else {
        format!("{value:.2}")
    }
}
