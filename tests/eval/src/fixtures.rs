//! Chosen recordings as fixtures: the raw answer, and beside it what it is.

use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// Longer answers are left out: a repository keeps them for ever.
const MOST: u64 = 64 * 1024;

/// Copies every whole recording of a run to a folder, as `TASK-NNN.sse` and `TASK-NNN.json`.
/// What is there already stays. Gives how many were copied.
pub fn keep(run: &Path, to: &Path) -> Result<usize, String> {
    std::fs::create_dir_all(to)
        .map_err(|error| format!("cannot make {}: {error}", to.display()))?;
    let mut kept = 0;
    for task in sorted(run)? {
        let name = task.file_name().unwrap_or_default().to_string_lossy().into_owned();
        for about in sorted(&task)? {
            if about.extension().is_none_or(|ext| ext != "json") {
                continue;
            }
            kept += usize::from(keep_one(&name, &about, to)?);
        }
    }
    Ok(kept)
}

fn keep_one(task: &str, about: &Path, to: &Path) -> Result<bool, String> {
    let failed = |error: std::io::Error| format!("{}: {error}", about.display());
    let text = std::fs::read_to_string(about).map_err(failed)?;
    let known: Value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
    let body = about.with_extension("sse");
    let length = std::fs::metadata(&body).map_err(failed)?.len();
    if known["protocol"].is_null() || known["whole"] != true || length > MOST {
        return Ok(false);
    }
    let number = about.file_stem().unwrap_or_default().to_string_lossy();
    let name = format!("{task}-{number}");
    let target = to.join(format!("{name}.sse"));
    if target.exists() {
        return Ok(false);
    }
    let model = known["request"]["model"].as_str().unwrap_or("a model");
    let fixture = json!({
        "protocol": known["protocol"],
        "status": known["status"],
        "about": format!("{model} in the task {task}, turn {}.", known["number"]),
        "source": "recorded by cargo xtask eval",
    });
    let text = serde_json::to_string_pretty(&fixture).map_err(|error| error.to_string())?;
    std::fs::copy(&body, &target).map_err(failed)?;
    std::fs::write(to.join(format!("{name}.json")), text + "\n").map_err(failed)?;
    Ok(true)
}

fn sorted(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = std::fs::read_dir(folder)
        .map_err(|error| format!("cannot read {}: {error}", folder.display()))?;
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    Ok(paths)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recording::Exchange;

    #[test]
    fn whole_answers_are_kept_once_and_cut_ones_are_not() {
        let folder = tempfile::tempdir().expect("a folder");
        let (run, to) = (folder.path().join("run"), folder.path().join("to"));
        for (number, whole) in [(1, true), (2, false)] {
            let exchange = Exchange {
                number,
                path: "/v1/messages".into(),
                request: br#"{"model":"small"}"#.to_vec(),
                status: 200,
                body: b"data: {}\n\n".to_vec(),
                whole,
                ..Exchange::default()
            };
            exchange.write(&run.join("capital")).expect("it is written");
        }
        assert_eq!(keep(&run, &to), Ok(1));
        assert_eq!(keep(&run, &to), Ok(0));
        let about = std::fs::read_to_string(to.join("capital-001.json")).expect("it is there");
        let about: Value = serde_json::from_str(&about).expect("it is JSON");
        assert_eq!(about["protocol"], "anthropic");
        assert_eq!(about["about"], "small in the task capital, turn 1.");
        assert!(to.join("capital-001.sse").is_file());
        assert!(!to.join("capital-002.sse").exists());
    }
}
