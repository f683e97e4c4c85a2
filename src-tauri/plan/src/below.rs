//! Whether a glob for paths speaks of something below a folder that is taken with all in it.

use crate::{Facts, Target};
use globset::Glob;

/// What moves a folder with all that is in it.
const WITH_ALL_IN_IT: [&str; 2] = ["delete_file", "move_file"];

/// What is known of that.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Below {
    /// The glob names the folder, and goes on below it.
    Named,
    /// It could match something below it.
    Possible,
    /// It matches nothing below it.
    Nothing,
}

/// Whether a call takes a folder of which this much is known.
pub(crate) fn is_taken(pattern: &str, facts: &Facts, below: Below) -> bool {
    WITH_ALL_IN_IT.contains(&facts.tool.as_str())
        && facts.targets.iter().any(|target| match target {
            Target::Path { path, .. } => is_below(pattern, path) == below,
            Target::Command { .. } | Target::Host(_) | Target::Tool { .. } => false,
        })
}

fn is_below(pattern: &str, folder: &str) -> Below {
    let mut parts = pattern.trim_start_matches("./").split('/');
    let mut seen = Below::Named;
    for name in folder.split('/').filter(|name| *name != ".") {
        let Some(part) = parts.next() else { return Below::Nothing };
        if part == name || part == globset::escape(name) {
            continue;
        }
        // A part that is no glob is half of one with a slash in it.
        let Ok(glob) = Glob::new(part) else { return Below::Possible };
        if part.contains("**") {
            return Below::Possible;
        }
        if !glob.compile_matcher().is_match(name) {
            return Below::Nothing;
        }
        seen = Below::Possible;
    }
    if parts.next().is_some() { seen } else { Below::Nothing }
}
