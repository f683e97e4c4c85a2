//! `cargo xtask test`: every check there is, cheapest first, stopping at the first that fails.

use std::time::{Duration, Instant};

use crate::command::{built, cargo, exists, finish};
use crate::{Outcome, machine, python, servers, types, ui};

/// One thing that is checked.
struct Stage {
    name: &'static str,
    /// What a person types to repeat just this.
    again: String,
    check: Box<dyn Fn() -> Result<Verdict, String>>,
}

/// How a stage ended when nothing was wrong.
enum Verdict {
    Passed,
    Skipped(&'static str),
}

/// Runs all stages, or only the tests whose names contain one of the filters.
pub fn perform(filters: &[String]) -> Outcome {
    let stages = if filters.is_empty() {
        vec![
            set_up(),
            mcp_servers(),
            window(),
            cargo_stage("format", &["fmt", "--all", "--check"]),
            cargo_stage("lints", LINTS),
            tests(filters),
            wire_types(),
            dependencies(),
        ]
    } else {
        vec![set_up(), mcp_servers(), built_window(), tests(filters)]
    };
    let begun = Instant::now();
    for (index, stage) in stages.iter().enumerate() {
        let place = format!("[{}/{}]", index + 1, stages.len());
        println!("{place} {} …", stage.name);
        let since = Instant::now();
        match (stage.check)() {
            Ok(Verdict::Passed) => println!("{place} {}: ok, {}", stage.name, shown(since)),
            Ok(Verdict::Skipped(why)) => println!("{place} {}: skipped, {why}", stage.name),
            Err(sentence) => {
                println!("{place} {}: FAILED, {}", stage.name, shown(since));
                println!("to repeat just this: {}", stage.again);
                return Err(sentence);
            }
        }
    }
    println!("all {} stages done, {}", stages.len(), shown(begun));
    Ok(())
}

const BUILD: &[&str] = &["build", "--workspace", "--all-targets"];
const LINTS: &[&str] = &["clippy", "--workspace", "--all-targets", "--", "--deny", "warnings"];

// Without `--workspace` it looks at the root package alone; its trees fill screens.
const DENY: &[&str] =
    &["deny", "--workspace", "check", "--hide-inclusion-graph", "bans", "licenses", "sources"];

fn set_up() -> Stage {
    Stage {
        name: "machine",
        again: "cargo xtask test".into(),
        check: Box::new(|| {
            machine::set_up_for_tests()?;
            python::provide()?;
            Ok(Verdict::Passed)
        }),
    }
}

/// Programs of others that the tests talk to.
fn mcp_servers() -> Stage {
    Stage {
        name: "MCP servers",
        again: "cargo xtask servers".into(),
        check: Box::new(|| servers::set_up().map(|()| Verdict::Passed)),
    }
}

/// Before everything that is compiled, because its files are built into the app.
fn window() -> Stage {
    Stage {
        name: "window",
        again: "npm --prefix ui run check, test, build".into(),
        check: Box::new(|| {
            ui::check()?;
            ui::build()?;
            Ok(Verdict::Passed)
        }),
    }
}

fn built_window() -> Stage {
    Stage {
        name: "window",
        again: "npm --prefix ui run build".into(),
        check: Box::new(|| ui::build().map(|()| Verdict::Passed)),
    }
}

fn cargo_stage(name: &'static str, words: &'static [&'static str]) -> Stage {
    Stage {
        name,
        again: format!("cargo {}", words.join(" ")),
        check: Box::new(move || finish(&mut cargo(words)?).map(|()| Verdict::Passed)),
    }
}

fn tests(filters: &[String]) -> Stage {
    let mut words = vec!["test".to_string(), "--workspace".into()];
    if !filters.is_empty() {
        words.push("--".into());
        words.extend_from_slice(filters);
    }
    Stage {
        name: "tests",
        again: format!("cargo {}", words.join(" ")),
        check: Box::new(move || {
            // One build for the tests and the programs they start: by themselves the programs
            // would get other features, and most of what they need would be built again.
            finish(&mut cargo(BUILD)?)?;
            finish(cargo(&[])?.args(&words).env("PLANCARD_PROGRAMS", built()?))?;
            Ok(Verdict::Passed)
        }),
    }
}

fn wire_types() -> Stage {
    Stage {
        name: "wire types",
        again: "cargo xtask types --check".into(),
        check: Box::new(|| {
            if !types::exist()? {
                return Ok(Verdict::Skipped("none are generated yet"));
            }
            types::check().map(|()| Verdict::Passed)
        }),
    }
}

fn dependencies() -> Stage {
    Stage {
        name: "dependencies",
        again: format!("cargo {}", DENY.join(" ")),
        check: Box::new(|| {
            if !exists("cargo-deny") {
                // It takes minutes to compile, too long to be installed behind a person's back.
                return Ok(Verdict::Skipped(
                    "cargo-deny is not here (cargo install cargo-deny --locked)",
                ));
            }
            finish(&mut cargo(DENY)?).map(|()| Verdict::Passed)
        }),
    }
}

/// How long it has been since then.
pub fn shown(since: Instant) -> String {
    duration(since.elapsed())
}

fn duration(time: Duration) -> String {
    let seconds = time.as_secs();
    if seconds < 60 {
        return format!("{:.1} s", time.as_secs_f64());
    }
    format!("{} min {:02} s", seconds / 60, seconds % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_read_as_a_person_says_them() {
        assert_eq!(duration(Duration::from_millis(1_250)), "1.2 s");
        assert_eq!(duration(Duration::from_secs(125)), "2 min 05 s");
    }

    #[test]
    fn filters_are_part_of_the_command_to_repeat() {
        let stage = tests(&["gate".into(), "pause".into()]);
        assert_eq!(stage.again, "cargo test --workspace -- gate pause");
    }
}
