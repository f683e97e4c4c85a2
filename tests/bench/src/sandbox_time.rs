//! What the sandbox adds to a command, and what the tools need in a large tree.

use serde_json::{Value, json};
use std::cell::Cell;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};
use tools::{Profile, RunContext, Toolbox, Workspace};

use crate::Outcome;
use crate::numbers::{median, quantile};
use crate::table::{Row, Table};

/// Rows of `true` in the sandbox: where it may look, in one made for it and in one made before;
/// where it may write, and where it may write in a repository, whose files are looked at before and
/// after.
pub const SANDBOX: [&str; 4] =
    ["sandbox-true-cold", "sandbox-true-warm", "sandbox-work", "sandbox-repository"];
/// Rows of `true` in a large workspace with many repositories: the first command, later ones, and
/// those with a sandbox made before, beside the same in an empty workspace.
pub const LARGE: [&str; 3] = ["large-first", "large-cold", "large-warm"];
/// Rows of searching and reading in a large tree.
pub const TREE: [&str; 2] = ["tree-search", "tree-read"];

const RUNS: usize = 200;

/// Runs `true` in the sandbox and beside it, by turns: the same line in the same shell. In the
/// repository git looks for changes twice as well, as the tool has to.
pub async fn sandbox(table: &mut Table) -> Outcome {
    let plain = tempfile::tempdir().map_err(|error| error.to_string())?;
    let repository = tempfile::tempdir().map_err(|error| error.to_string())?;
    found(repository.path()).await?;
    // What is not understood as looking runs where it may write.
    let writes = "x=1; true";
    let ways = [
        (&plain, "true", 0, false, 7.0),
        (&plain, "true", 0, true, 2.0),
        (&plain, writes, 0, false, 10.0),
        (&repository, writes, 2, false, 10.0),
    ];
    for (name, (place, command, looks, is_warm, most)) in SANDBOX.into_iter().zip(ways) {
        let desk = if is_warm { Desk::warm(place.path())? } else { Desk::new(place.path())? };
        eprintln!("{name}: {RUNS} times");
        let (mut inside, mut bare, mut program) = (Vec::new(), Vec::new(), Vec::new());
        for run in 0..RUNS + 10 {
            let took = desk.time(command).await?;
            let begun = Instant::now();
            for _ in 0..looks {
                run_bare(place.path(), "git", &["status", "--porcelain"]).await?;
            }
            run_bare(place.path(), "bash", &["-c", command]).await?;
            let shell = begun.elapsed();
            let begun = Instant::now();
            run_bare(place.path(), "true", &[]).await?;
            // The first few warm up all.
            if run >= 10 {
                inside.push(took);
                bare.push(shell);
                program.push(begun.elapsed());
            }
        }
        let value = median(&inside) - median(&bare);
        let beside = if looks == 0 { "a bare shell" } else { "git status twice and a bare shell" };
        table.add(Row {
            name,
            value,
            unit: "ms",
            ratio: Some(median(&inside) / median(&bare)),
            target: format!("≤ {most} more than bare"),
            holds: value <= most,
            note: format!(
                "{beside} {:.2} ms, without a shell {:.2} ms; sandboxed {:.2} ms, slowest \
                 twentieth {:.2} ms",
                median(&bare),
                median(&program),
                median(&inside),
                quantile(&inside, 0.95)
            ),
        });
    }
    Ok(())
}

const REPOSITORIES: usize = 100;
const ENTRIES: usize = 200_000;
const LATER: usize = 30;

/// Runs `true` where it may write, in a workspace of 200,000 entries with 100 repositories.
pub async fn large(table: &mut Table) -> Outcome {
    let (large, empty) = (tempfile::tempdir(), tempfile::tempdir());
    let (large, empty) = (large.map_err(|e| e.to_string())?, empty.map_err(|e| e.to_string())?);
    eprintln!("{}: making {ENTRIES} entries", LARGE[0]);
    grow(large.path()).map_err(|error| error.to_string())?;
    let writes = "x=1; true";
    let cold = Desk::new(large.path())?;
    let first = cold.time(writes).await?.as_secs_f64() * 1e3;
    let desks = [cold, Desk::warm(large.path())?, Desk::warm(empty.path())?];
    let mut times = [const { Vec::new() }; 3];
    for run in 0..=LATER {
        for (desk, times) in desks.iter().zip(&mut times) {
            let took = desk.time(writes).await?;
            // The first one of each is cold and looks at everything.
            times.extend((run > 0).then_some(took));
        }
    }
    let [cold, warm, beside] = times.each_ref().map(|times| median(times));
    let row = |name, value, target: String, most: f64, note| Row {
        name,
        value,
        unit: "ms",
        ratio: None,
        target,
        holds: value <= most,
        note,
    };
    table.add(row(LARGE[0], first, "≤ 2000".into(), 2_000.0, String::new()));
    let slowest = format!("slowest twentieth {:.1} ms", quantile(&times[0], 0.95));
    table.add(row(LARGE[1], cold, "≤ 100".into(), 100.0, slowest));
    let note = format!("in an empty workspace {beside:.2} ms");
    let target = format!("≤ {LIKE_EMPTY} × empty");
    let warm = row(LARGE[2], warm, target, LIKE_EMPTY * beside, note);
    table.add(Row { ratio: Some(warm.value / beside), ..warm });
    Ok(())
}

/// How much more than in an empty workspace is as good as in one.
const LIKE_EMPTY: f64 = 1.5;

/// Makes a workspace of many folders, each of them a repository with its files.
fn grow(place: &Path) -> std::io::Result<()> {
    for repository in 0..REPOSITORIES {
        let top = place.join(format!("repository-{repository:03}"));
        for folder in [".git/objects", ".git/refs/heads", ".git/hooks", ".git/info"] {
            std::fs::create_dir_all(top.join(folder))?;
        }
        std::fs::write(top.join(".git/HEAD"), "ref: refs/heads/main\n")?;
        std::fs::write(top.join(".git/config"), "[core]\n\tbare = false\n")?;
        // With the folders for them and what is in `.git`.
        for file in 0..ENTRIES / REPOSITORIES - 30 {
            if file % FILES == 0 {
                std::fs::create_dir(top.join(format!("part-{}", file / FILES)))?;
            }
            std::fs::write(top.join(format!("part-{}/{file}", file / FILES)), "")?;
        }
    }
    Ok(())
}

async fn run_bare(place: &Path, program: &str, words: &[&str]) -> Outcome {
    let mut child = tokio::process::Command::new(program);
    child.args(words).current_dir(place).stdin(Stdio::null()).stdout(Stdio::null());
    child.status().await.map(drop).map_err(|error| format!("{program}: {error}"))
}

/// Makes a repository of two thousand files.
async fn found(place: &Path) -> Outcome {
    for number in 0..2_000 {
        let path = place.join(format!("part-{:02}/file-{:02}.txt", number / 50, number % 50));
        let folder = path.parent().unwrap_or(place);
        let made = std::fs::create_dir_all(folder).and_then(|()| std::fs::write(&path, "words\n"));
        made.map_err(|error| error.to_string())?;
    }
    let name = ["-c", "user.name=me", "-c", "user.email=me@example.org"];
    for words in [&["init", "-q"][..], &["add", "."], &["commit", "-qm", "All"]] {
        let mut git = tokio::process::Command::new("git");
        let status = git.args(name).args(words).current_dir(place).status().await;
        let status = status.map_err(|error| format!("git: {error}"))?;
        if !status.success() {
            return Err(format!("git {words:?} ended with {status}"));
        }
    }
    Ok(())
}

const FOLDERS: usize = 500;
const FILES: usize = 100;
const SEARCHES: usize = 15;
/// There is one in every thousandth file.
const NEEDLE: &str = "needle_in_the_tree";

/// Searches and reads in a tree of 50,000 files.
pub async fn tree(table: &mut Table) -> Outcome {
    let place = tempfile::tempdir().map_err(|error| error.to_string())?;
    eprintln!("{}: making {} files", TREE[0], FOLDERS * FILES);
    plant(place.path()).map_err(|error| error.to_string())?;
    let desk = Desk::new(place.path())?;
    search(table, &desk, place.path()).await?;
    read(table, &desk, place.path()).await
}

async fn search(table: &mut Table, desk: &Desk, place: &Path) -> Outcome {
    let (program, words) = ("rg", ["--line-number", "--hidden", NEEDLE, "."]);
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for run in 0..=SEARCHES {
        let begun = Instant::now();
        let found = desk.run("search", json!({ "pattern": NEEDLE })).await?;
        let took = begun.elapsed();
        if found.lines().count() != FOLDERS * FILES / 1000 {
            return Err(format!("search found {} lines", found.lines().count()));
        }
        let begun = Instant::now();
        let output = tokio::process::Command::new(program).args(words).current_dir(place).output();
        let output = output.await.map_err(|error| error.to_string())?;
        if output.stdout.iter().filter(|byte| **byte == b'\n').count() != FOLDERS * FILES / 1000 {
            return Err(format!("{program} found something else"));
        }
        if run > 0 {
            ours.push(took);
            theirs.push(begun.elapsed());
        }
    }
    let (value, beside) = (median(&ours), median(&theirs));
    table.add(Row {
        name: TREE[0],
        value,
        unit: "ms",
        ratio: Some(value / beside),
        target: format!("≤ 2 × {program}"),
        holds: value <= 2.0 * beside,
        note: format!("{program} {beside:.1} ms, over {} files", FOLDERS * FILES),
    });
    Ok(())
}

/// Reads every file of the tree, beside `rg` printing every line of it with its number.
async fn read(table: &mut Table, desk: &Desk, place: &Path) -> Outcome {
    let (mut ours, mut bare) = (Vec::new(), Vec::new());
    for number in 0..FOLDERS * FILES {
        let path = name(number);
        let begun = Instant::now();
        desk.run("read_file", json!({ "path": path })).await?;
        ours.push(begun.elapsed());
        let begun = Instant::now();
        let text = std::fs::read_to_string(place.join(&path));
        bare.push(begun.elapsed());
        text.map_err(|error| error.to_string())?;
    }
    let begun = Instant::now();
    // Into a pipe, for it does less where nobody reads.
    let words = ["--line-number", "--hidden", "", "."];
    let output = tokio::process::Command::new("rg").args(words).current_dir(place).output();
    output.await.map_err(|error| error.to_string())?;
    let theirs = begun.elapsed();
    let (value, all) = (median(&ours), ours.iter().sum::<Duration>());
    table.add(Row {
        name: TREE[1],
        value,
        unit: "ms/file",
        ratio: Some(all.as_secs_f64() / theirs.as_secs_f64()),
        target: "≤ 0.1".to_owned(),
        holds: value <= 0.1,
        note: format!(
            "all of it {:.0} ms, one file after the other; rg {:.0} ms; bare {:.4} ms a file; \
             slowest hundredth {:.3} ms",
            all.as_secs_f64() * 1e3,
            theirs.as_secs_f64() * 1e3,
            median(&bare),
            quantile(&ours, 0.99)
        ),
    });
    Ok(())
}

fn name(number: usize) -> String {
    format!("part-{:03}/file-{:02}.txt", number / FILES, number % FILES)
}

fn plant(place: &Path) -> std::io::Result<()> {
    let filler = "some words that nobody looks for, and a few more of them\n".repeat(30);
    for number in 0..FOLDERS * FILES {
        let path = place.join(name(number));
        if number % FILES == 0
            && let Some(folder) = path.parent()
        {
            std::fs::create_dir(folder)?;
        }
        let needle = if number % 1000 == 0 { NEEDLE } else { "nothing" };
        std::fs::write(path, format!("{filler}{needle}\n{filler}"))?;
    }
    Ok(())
}

/// The tools on a folder, without an engine around them.
struct Desk {
    toolbox: Toolbox,
    workspace: Workspace,
    context: RunContext,
    /// Whether sandboxes are made before their commands.
    is_warm: bool,
    /// Whether a command has run, after which the next sandbox is made.
    has_run: Cell<bool>,
}

impl Desk {
    fn new(place: &Path) -> Outcome<Self> {
        Ok(Self {
            toolbox: Toolbox::builtin(),
            workspace: Workspace::open(place).map_err(|error| error.to_string())?,
            context: RunContext::new(Profile::Work, Duration::from_secs(60)),
            is_warm: false,
            has_run: Cell::new(false),
        })
    }

    /// One whose next sandbox is made before its command.
    fn warm(place: &Path) -> Outcome<Self> {
        let desk = Self::new(place)?;
        Ok(Self { toolbox: desk.toolbox.with_warm_sandboxes(), is_warm: true, ..desk })
    }

    /// How long a command takes, once a sandbox waits for it where there is to be one.
    async fn time(&self, command: &str) -> Outcome<Duration> {
        let begun = Instant::now();
        while self.is_warm
            && self.has_run.get()
            && self.context.shell.prepared() == 0
            && begun.elapsed() < Duration::from_secs(5)
        {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        let begun = Instant::now();
        self.run("shell", json!({ "command": command })).await?;
        self.has_run.set(true);
        Ok(begun.elapsed())
    }

    async fn run(&self, tool: &str, args: Value) -> Outcome<String> {
        match self.toolbox.run(tool, &args, &self.workspace, &self.context).await {
            Ok(output) if !output.failed => Ok(output.text),
            Ok(output) => Err(format!("{tool} failed: {}", output.text)),
            Err(error) => Err(error.to_string()),
        }
    }
}
