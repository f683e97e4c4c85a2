//! What is wrong with a configuration, and where: words for a person.

use std::fmt;
use std::path::{Path, PathBuf};

/// Something to put right in a configuration file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The file it is in.
    pub file: PathBuf,
    /// The line, from 1; none when it concerns the whole file.
    pub line: Option<u32>,
    /// The column, from 1.
    pub column: Option<u32>,
    /// The path of the key, such as `agents.default.model`; empty for the whole file.
    pub path: String,
    /// What is wrong and what is allowed, as a sentence that names the path.
    pub message: String,
}

/// A problem that does not stop the configuration from being used.
pub type Warning = Problem;

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.file.file_name().unwrap_or(self.file.as_os_str());
        write!(f, "{}", Path::new(name).display())?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        write!(f, ": {}", self.message)
    }
}

/// All that is wrong with a configuration, each kind in the order of the files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Problems {
    /// What keeps it from being used.
    pub errors: Vec<Problem>,
    /// What was not understood.
    pub warnings: Vec<Warning>,
}

/// Every error of a configuration, in the order of the files; never empty.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", lines(.0))]
pub struct ConfigErrors(pub Vec<Problem>);

fn lines(problems: &[Problem]) -> String {
    let lines: Vec<String> = problems.iter().map(Problem::to_string).collect();
    lines.join("\n")
}
