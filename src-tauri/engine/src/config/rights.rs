//! Reads what the token of the API may do.

use super::section::{Section, texts_of};

const ALLOWED: &str = "read, supervise, run, approve";

/// What a token may do. Reading comes with every token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rights {
    /// Pause, resume, cancel, skip, retry, answer questions.
    pub supervise: bool,
    /// Make rooms, send messages.
    pub run: bool,
    /// Approve and reject plans, answer permissions, change the plan mode.
    pub approve: bool,
}

impl Default for Rights {
    /// Whoever finds the token approves nothing with it, unless a person gave it that right.
    fn default() -> Self {
        Self { approve: false, ..Self::ALL }
    }
}

impl Rights {
    /// Everything.
    pub const ALL: Self = Self { supervise: true, run: true, approve: true };

    /// The rights that these words name; else what is wrong with them.
    pub fn from_words<'a>(words: impl IntoIterator<Item = &'a str>) -> Result<Self, String> {
        let (mut read, mut rights) = (false, Self { supervise: false, run: false, approve: false });
        for word in words {
            match word.trim() {
                "read" => read = true,
                "supervise" => rights.supervise = true,
                "run" => rights.run = true,
                "approve" => rights.approve = true,
                other => return Err(format!("has {other:?}; allowed: {ALLOWED}")),
            }
        }
        if read {
            return Ok(rights);
        }
        Err(format!("has no read, which comes with every token; allowed: {ALLOWED}"))
    }

    /// The words for them in a file.
    pub fn words(self) -> Vec<&'static str> {
        let more = [("supervise", self.supervise), ("run", self.run), ("approve", self.approve)];
        let more = more.into_iter().filter_map(|(word, has)| has.then_some(word));
        std::iter::once("read").chain(more).collect()
    }

    pub(super) fn read(section: &Section<'_>, key: &'static str) -> Option<Self> {
        let node = section.get(key)?;
        let Some(words) = texts_of(node) else {
            section.bad(key, node, "a list of read, supervise, run, approve");
            return None;
        };
        let read = Self::from_words(words);
        read.map_err(|wrong| section.report.error(node.at, &section.path_of(key), wrong)).ok()
    }
}
