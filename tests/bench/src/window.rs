//! What the window costs beside an empty one of the same program.
//!
//! A window is shown when its page has said `ui_ready`: the app's when it has its settings and
//! is painted, the empty one's at once. So from outside, both are ready when they are on the
//! screen.

use desktop::Desktop;
use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::json;
use std::process::Stdio;
use std::time::{Duration, Instant};
use support::Reply;
use tokio::io::{AsyncBufReadExt, BufReader, Lines};
use tokio::process::{Child, ChildStdout, Command};

use crate::Outcome;
use crate::numbers::{median, quantile};
use crate::script::Script;
use crate::served::{FILE, Place, Served};
use crate::table::{Row, Table};
use crate::tree::Tree;

/// The rows.
pub const ROWS: [&str; 3] = ["window-start", "window-memory", "window-idle"];

const STARTS: usize = 15;
const LOOKS: usize = 3;
const STEPS: usize = 20;
const PATIENCE: Duration = Duration::from_secs(20);
/// How long a window is left alone before it is looked at, and for how long it is then.
const QUIET: Duration = Duration::from_secs(3);

const LEAST_START: f64 = 0.95;
const MOST_START: f64 = 1.5;
const MOST_MEMORY: f64 = 1.3;
/// Ticks of the kernel's clock that one process may work in that time.
const MOST_TICKS: u64 = 2;

/// Which window is opened.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    App,
    Empty,
}

const BOTH: [Kind; 2] = [Kind::Empty, Kind::App];

/// The app with a room whose plan is done, and the empty window, in turn.
pub async fn beside_an_empty_one(table: &mut Table) -> Outcome {
    let script = Script::plan(STEPS, &Reply::call("read_file", json!({ "path": FILE })), 1);
    let server = script.serve().await;
    let place = Place::new(&server.base_url(), "auto_steps: 1000")?;
    let served = Served::start(&place).await?;
    let room = served.rest.create_room(&place.workspace()).await?;
    served.rest.say(&room, &Script::message(0)).await?;
    script.wait_for_ended(1).await?;
    served.rest.wait_for_rest(&room).await?;
    served.stop().await?;
    let mut desktop = Desktop::start("window").await;
    desktop.tell("PLANCARD_DATA", place.data());
    desktop.tell("PLANCARD_CONFIG", place.config());
    let started = start(table, &desktop).await;
    at_rest(table, &desktop).await.and(started)
}

async fn start(table: &mut Table, desktop: &Desktop) -> Outcome {
    eprintln!("{}: {STARTS} times each", ROWS[0]);
    let (mut empty, mut app) = (Vec::new(), Vec::new());
    // The first pair warms up both.
    for pair in 0..=STARTS {
        for kind in BOTH {
            let window = Window::open(desktop, kind).await?;
            let times = if kind == Kind::App { &mut app } else { &mut empty };
            if pair > 0 {
                times.push(window.shown);
            }
            window.close().await?;
        }
    }
    let (value, beside) = (median(&app), median(&empty));
    // What else the machine does meets both of a pair alike.
    let mut ratios: Vec<f64> = app
        .iter()
        .zip(&empty)
        .map(|(app, empty)| app.as_secs_f64() / empty.as_secs_f64())
        .collect();
    let ratio = middle(&mut ratios);
    // An app that is ready before an empty page is one that shows itself too early.
    if ratio < LEAST_START {
        return Err(format!(
            "{}: shown after {value:.0} ms, an empty window after {beside:.0} ms; \
             the app does not wait for `ui_ready`",
            ROWS[0]
        ));
    }
    table.add(Row {
        name: ROWS[0],
        value,
        unit: "ms",
        ratio: Some(ratio),
        target: format!("≤ {MOST_START} × empty"),
        holds: ratio <= MOST_START,
        note: format!(
            "to ready and shown; empty {beside:.0} ms; slowest {:.0} and {:.0} ms; \
             pairs {:.2} to {:.2}",
            quantile(&app, 1.0),
            quantile(&empty, 1.0),
            ratios.first().copied().unwrap_or(f64::NAN),
            ratios.last().copied().unwrap_or(f64::NAN)
        ),
    });
    Ok(())
}

async fn at_rest(table: &mut Table, desktop: &Desktop) -> Outcome {
    eprintln!("{}: {LOOKS} times each", ROWS[1]);
    let (mut empty, mut app) = (Vec::new(), Vec::new());
    let mut work = Vec::new();
    for look in 1..=LOOKS {
        for kind in BOTH {
            let window = Window::open(desktop, kind).await?;
            tokio::time::sleep(QUIET).await;
            let tree = Tree::of(window.pid.as_raw_nonzero().get().unsigned_abs());
            let sizes = if kind == Kind::App { &mut app } else { &mut empty };
            sizes.push(tree.memory()?);
            if kind == Kind::App && look == LOOKS {
                work = tree.work(QUIET).await;
            }
            window.close().await?;
        }
    }
    let (value, beside) = (middle(&mut app), middle(&mut empty));
    table.add(Row {
        name: ROWS[1],
        value,
        unit: "MB PSS",
        ratio: Some(value / beside),
        target: format!("≤ {MOST_MEMORY} × empty"),
        holds: value <= MOST_MEMORY * beside,
        note: format!("all processes; empty {beside:.0} MB; adds {:.0} MB", value - beside),
    });
    let value = work.iter().map(|(_, ticks)| *ticks).max().unwrap_or_default();
    let each = work.iter().map(|(name, ticks)| format!("{name} {ticks}"));
    table.add(Row {
        name: ROWS[2],
        value: value as f64,
        unit: "ticks",
        ratio: None,
        target: format!("≤ {MOST_TICKS}"),
        holds: value <= MOST_TICKS,
        note: format!("in {} s: {}", QUIET.as_secs(), each.collect::<Vec<_>>().join(", ")),
    });
    Ok(())
}

fn middle(sizes: &mut [f64]) -> f64 {
    sizes.sort_by(f64::total_cmp);
    sizes.get(sizes.len() / 2).copied().unwrap_or(f64::NAN)
}

/// A running `plancard-window` with its window on the screen.
struct Window {
    process: Child,
    pid: Pid,
    /// The windows on the screen.
    windows: OnScreen,
    /// How long it took from the start to the screen.
    shown: Duration,
}

impl Window {
    async fn open(desktop: &Desktop, kind: Kind) -> Outcome<Self> {
        let mut windows = OnScreen::watch(desktop)?;
        windows.until_any(false).await?;
        let mut command = Command::from(desktop.app());
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command.kill_on_drop(true).process_group(0);
        if kind == Kind::Empty {
            command.arg("blank");
        }
        let spawned = Instant::now();
        let process = command
            .spawn()
            .map_err(|error| format!("plancard-window can't be started: {error}"))?;
        let pid = process.id().and_then(|pid| Pid::from_raw(i32::try_from(pid).ok()?));
        let pid = pid.ok_or("plancard-window ended at once")?;
        windows.until_any(true).await?;
        Ok(Self { process, pid, windows, shown: spawned.elapsed() })
    }

    /// Ends it and what it started.
    async fn close(mut self) -> Outcome {
        let tree = Tree::of(self.pid.as_raw_nonzero().get().unsigned_abs());
        for signal in [Signal::TERM, Signal::KILL] {
            // It may be gone already.
            let _ = kill_process_group(self.pid, signal);
            let begun = Instant::now();
            while begun.elapsed() < PATIENCE {
                let _ = self.process.try_wait();
                if !tree.is_alive() {
                    return self.windows.until_any(false).await;
                }
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        }
        Err("plancard-window did not end".to_owned())
    }
}

/// The list of windows that the window manager keeps, followed as it changes.
struct OnScreen {
    lines: Lines<BufReader<ChildStdout>>,
    _followed: Child,
}

impl OnScreen {
    fn watch(desktop: &Desktop) -> Outcome<Self> {
        let mut command = Command::from(desktop.command("xprop"));
        command.args(["-root", "-spy", "_NET_CLIENT_LIST"]);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).kill_on_drop(true);
        let mut process =
            command.spawn().map_err(|error| format!("xprop can't be started: {error}"))?;
        let out = process.stdout.take().ok_or("xprop has no output")?;
        Ok(Self { lines: BufReader::new(out).lines(), _followed: process })
    }

    /// Returns when there is a window, or none.
    async fn until_any(&mut self, wanted: bool) -> Outcome {
        loop {
            let line = tokio::time::timeout(PATIENCE, self.lines.next_line()).await;
            match line {
                Ok(Ok(Some(line))) if line.contains("0x") == wanted => return Ok(()),
                Ok(Ok(Some(_))) => {}
                Ok(Ok(None) | Err(_)) => return Err("xprop ended".to_owned()),
                Err(_) => return Err("the screen did not change".to_owned()),
            }
        }
    }
}
