//! A copy of a workspace for someone who works beside others, and how its changes come back.
//!
//! ```text
//! COPY/work       the files, with a private clone where the workspace is a repository
//! COPY/base.json  what was in it when it was made
//! COPY/base/HASH  the texts it had then, to merge by lines
//! COPY/uncommitted.json  what of it was not committed
//! ```
//! Nothing is written to the workspace when a copy is made, and no git is run in it: its objects are
//! shared by name, its index and references are copied. When a copy is done with, each path is
//! compared three ways: as it was, as it is in the copy, as it is in the workspace now. What only
//! one side changed is taken; what both changed is merged by lines; the rest a person decides, and so
//! where a copy put something back that was not committed.

mod committed;
mod compare;
mod conflict;
mod git;
mod lines;
mod make;
mod repository;
mod take;
mod tree;

pub use compare::{ByTools, Comparison, compare};
pub use conflict::{Choice, Conflict, Version, Why};
pub use make::{Made, make, remove, work};
pub use take::{Decided, Taken, take};

use crate::error::ToolError;

/// Why there is no copy, or why its changes could not be taken over.
#[derive(Debug, thiserror::Error)]
pub enum CopyError {
    /// It has too many files.
    #[error("the folder has more than {most} files")]
    TooMany {
        /// The limit.
        most: usize,
    },
    /// It has too much in them.
    #[error("the folder has more than {most} bytes")]
    TooLarge {
        /// The limit.
        most: u64,
    },
    /// There is a repository in the folder beside its own.
    #[error("`{path}` is a repository of its own")]
    Nested {
        /// Where.
        path: String,
    },
    /// The repository is of a kind that can't be cloned by its files.
    #[error("its repository can't be shared: {why}")]
    Repository {
        /// Why.
        why: String,
    },
    /// A name that is not text.
    #[error("the name of `{path}` is not text")]
    Name {
        /// As far as it can be shown.
        path: String,
    },
    /// What was compared has changed since.
    #[error("`{path}` has just changed")]
    Changed {
        /// Where.
        path: String,
    },
    /// Nobody wants it any more.
    #[error("it was stopped")]
    Cancelled,
    /// A file can't be used.
    #[error(transparent)]
    Tool(#[from] ToolError),
}

impl CopyError {
    fn io(doing: impl Into<String>, source: impl Into<std::io::Error>) -> Self {
        Self::Tool(ToolError::io(doing, source))
    }
}
