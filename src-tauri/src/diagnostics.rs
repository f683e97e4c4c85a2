//! What helps to find out why something does not work, without anything secret in it.

use crate::house::House;
use crate::problem::Problem;
use crate::{log, settings};
use plan::PauseReason;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;
use tauri::State;

/// Lines of the log that are shown.
const LINES: usize = 200;

/// The whole text, ready to be copied.
#[tauri::command]
pub async fn diagnostics(house: State<'_, Arc<House>>) -> Result<String, Problem> {
    let house = Arc::clone(&house);
    tokio::task::spawn_blocking(move || clean(&house, text(&house)))
        .await
        .map_err(|error| Problem::new("DIAGNOSTICS_FAILED", error.to_string()))
}

fn text(house: &House) -> String {
    let mut text = String::new();
    let mut line = |name: &str, value: &str| {
        let _ = writeln!(text, "{name}: {value}");
    };
    line("Plancard", env!("CARGO_PKG_VERSION"));
    line("System", &system());
    line("WebKit", &tauri::webview_version().unwrap_or_else(|error| error.to_string()));
    line("Desktop", &desktop());
    line("Sandbox", engine::no_sandbox().unwrap_or("ready"));
    line("Limits of commands", &engine::not_limited().unwrap_or("kept".to_owned()));
    line("Keyring", house.secrets.keyring().trouble().unwrap_or("ready"));
    let api = house.api.view(house.engine.config().current().config.api.enabled);
    let api = match (api.enabled, api.address, api.problem) {
        (false, _, _) => "off".to_owned(),
        (true, Some(address), _) => format!("listens on {address}"),
        (true, None, problem) => problem.unwrap_or_else(|| "does not listen".to_owned()),
    };
    line("API", &api);
    line("Rooms", &rooms(house));
    line("Data", &house.data.display().to_string());
    let problems = settings::problems(house);
    line("Configuration problems", &problems.len().to_string());
    for problem in problems {
        let at = problem.line.map_or(String::new(), |line| format!(":{line}"));
        let _ = writeln!(text, "  {:?}: {}{at} {}", problem.level, problem.file, problem.message);
    }
    text.push_str("\nLog:\n");
    match log::last_lines(&house.data, LINES) {
        Ok(lines) => lines.iter().for_each(|line| {
            let _ = writeln!(text, "{line}");
        }),
        Err(error) => {
            let _ = writeln!(text, "there is none: {error}");
        }
    }
    text
}

/// How many rooms there are, and how their plans stand.
fn rooms(house: &House) -> String {
    let overview = house.glance.now();
    let mut states: BTreeMap<String, usize> = BTreeMap::new();
    for plan in overview.rooms.iter().filter_map(|room| room.plan.as_ref()) {
        let by_person = plan.pause_reason == Some(PauseReason::Supervisor);
        let state = if by_person { "paused by you" } else { &plan.state };
        *states.entry(state.replace('_', " ")).or_default() += 1;
    }
    let states: Vec<String> =
        states.iter().map(|(state, count)| format!("{count} {state}")).collect();
    format!(
        "{}, {} questions, plans: [{}]",
        overview.rooms.len(),
        overview.asks.len(),
        states.join(", ")
    )
}

fn system() -> String {
    let release = std::fs::read_to_string("/etc/os-release").unwrap_or_default();
    let name = release.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="));
    let kernel = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let name = name.unwrap_or(std::env::consts::OS).trim_matches('"');
    format!("{name}, {} {}", kernel.trim(), std::env::consts::ARCH)
}

fn desktop() -> String {
    let var = |name: &str| std::env::var(name).unwrap_or_else(|_| "unknown".to_owned());
    format!("{}, {}", var("XDG_CURRENT_DESKTOP"), var("XDG_SESSION_TYPE"))
}

fn clean(house: &House, text: String) -> String {
    let text = house.engine.redact(text);
    match std::env::home_dir().map(|home| home.display().to_string()) {
        Some(home) if home.len() > 1 => text.replace(&home, "~"),
        Some(_) | None => text,
    }
}
