//! One small real task: what lies in the folder, what the person says, and how the end is judged.

use std::path::{Path, PathBuf};

/// What sort of work a task is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// New files.
    Make,
    /// A change to a file that is there.
    Edit,
    /// Something to find in files and tell.
    Search,
    /// A command to run.
    Shell,
    /// Several things, one after the other.
    Steps,
    /// Several files to look into, at once where that can be.
    Research,
    /// A plan that a person approves before anything changes.
    Strict,
    /// Something that fails first.
    Recovery,
    /// A question that needs no plan.
    Question,
    /// A goal that is split into nodes.
    Goal,
    /// A council of two.
    Council,
}

impl Kind {
    /// Every kind, in the order of reports.
    pub const ALL: [Self; 11] = [
        Self::Make,
        Self::Edit,
        Self::Search,
        Self::Shell,
        Self::Steps,
        Self::Research,
        Self::Strict,
        Self::Recovery,
        Self::Question,
        Self::Goal,
        Self::Council,
    ];

    /// Its name on the command line and in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Make => "make",
            Self::Edit => "edit",
            Self::Search => "search",
            Self::Shell => "shell",
            Self::Steps => "steps",
            Self::Research => "research",
            Self::Strict => "strict",
            Self::Recovery => "recovery",
            Self::Question => "question",
            Self::Goal => "goal",
            Self::Council => "council",
        }
    }
}

/// Whether a plan is expected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Planned {
    /// There should be one.
    Yes,
    /// There should be none.
    No,
    /// Both are fine.
    Either,
}

impl Planned {
    /// Whether what happened is what should have.
    pub fn fits(self, planned: bool) -> bool {
        match self {
            Self::Yes => planned,
            Self::No => !planned,
            Self::Either => true,
        }
    }
}

/// One task.
#[derive(Debug, Clone, Copy)]
pub struct Task {
    /// Its name, in words joined by dashes.
    pub name: &'static str,
    pub kind: Kind,
    /// Files that are there first: path and content.
    pub files: &'static [(&'static str, &'static str)],
    /// What the person says.
    pub say: &'static str,
    pub planned: Planned,
    /// What the person answers when asked something, in words.
    pub answer: Option<&'static str>,
    /// Whether it was done, and what is missing.
    pub check: fn(&Scene) -> Result<(), String>,
    /// Does it by hand: files to write, and the answer in words.
    pub solution: Solution,
}

/// A task done by hand, to show that its check can pass.
#[derive(Debug, Clone, Copy)]
pub struct Solution {
    pub files: &'static [(&'static str, &'static str)],
    pub answer: &'static str,
}

impl Task {
    /// The plan mode of its room.
    pub fn mode(&self) -> &'static str {
        if self.kind == Kind::Strict { "strict" } else { "off" }
    }

    /// Whether the person approves a plan that waits.
    pub fn approves(&self) -> bool {
        self.kind == Kind::Strict
    }

    /// Writes its files.
    pub fn lay_out(&self, folder: &Path) -> Result<(), String> {
        lay(folder, self.files)
    }
}

/// Writes files below a folder.
pub fn lay(folder: &Path, files: &[(&str, &str)]) -> Result<(), String> {
    for (path, content) in files {
        let whole = folder.join(path);
        let above = whole.parent().unwrap_or(folder);
        std::fs::create_dir_all(above)
            .and_then(|()| std::fs::write(&whole, content))
            .map_err(|error| format!("cannot write {path}: {error}"))?;
    }
    Ok(())
}

/// What is there when a task has ended.
pub struct Scene {
    /// The folder that was worked in.
    pub folder: PathBuf,
    /// The last words of the agent.
    pub answer: String,
}

impl Scene {
    /// The content of a file without blanks around it.
    pub fn read(&self, path: &str) -> Result<String, String> {
        let bytes = std::fs::read(self.folder.join(path))
            .map_err(|_| format!("there is no file {path}"))?;
        Ok(String::from_utf8_lossy(&bytes).trim().to_owned())
    }

    /// The file holds this text, whatever the case.
    pub fn holds(&self, path: &str, text: &str) -> Result<(), String> {
        let found = self.read(path)?;
        if found.to_lowercase().contains(&text.to_lowercase()) {
            return Ok(());
        }
        Err(format!("{path} does not hold `{text}` but `{}`", short(&found)))
    }

    /// The file does not hold this text, whatever the case.
    pub fn lacks(&self, path: &str, text: &str) -> Result<(), String> {
        if self.read(path)?.to_lowercase().contains(&text.to_lowercase()) {
            return Err(format!("{path} also holds `{text}`"));
        }
        Ok(())
    }

    /// The file holds this text where blanks do not count.
    pub fn holds_dense(&self, path: &str, text: &str) -> Result<(), String> {
        if dense(&self.read(path)?).contains(&dense(text)) {
            return Ok(());
        }
        Err(format!("{path} does not hold `{text}`"))
    }

    /// The file has exactly these lines, blanks around them aside.
    pub fn lines(&self, path: &str, lines: &[&str]) -> Result<(), String> {
        let found = self.read(path)?;
        let found: Vec<&str> =
            found.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        if found == lines {
            return Ok(());
        }
        Err(format!("{path} holds `{}`", short(&found.join(" / "))))
    }

    /// The answer has this word, standing by itself.
    pub fn says(&self, word: &str) -> Result<(), String> {
        if has_word(&self.answer, word) {
            return Ok(());
        }
        Err(format!("the answer does not say `{word}` but `{}`", short(&self.answer)))
    }

    /// The answer does not have this word.
    pub fn is_silent_about(&self, word: &str) -> Result<(), String> {
        if has_word(&self.answer, word) {
            return Err(format!("the answer also says `{word}`"));
        }
        Ok(())
    }
}

/// Whether a text has a word that no letter or digit touches, whatever the case.
fn has_word(text: &str, word: &str) -> bool {
    let (text, word) = (text.to_lowercase(), word.to_lowercase());
    text.match_indices(&word).any(|(at, found)| {
        let before = text[..at].chars().next_back();
        let after = text[at + found.len()..].chars().next();
        !before.is_some_and(char::is_alphanumeric) && !after.is_some_and(char::is_alphanumeric)
    })
}

fn dense(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

/// How a long text begins, on one line.
pub fn short(text: &str) -> String {
    let line: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= 160 {
        return line;
    }
    line.chars().take(159).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_inside_another_does_not_count() {
        assert!(has_word("It is 42.", "42"));
        assert!(!has_word("It is 142.", "42"));
        assert!(!has_word("", "42"));
    }

    #[test]
    fn long_texts_are_cut_on_one_line() {
        assert_eq!(short("a\n b"), "a b");
        assert_eq!(short(&"x".repeat(500)).chars().count(), 160);
    }
}
