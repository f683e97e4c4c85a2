//! What a call gives back.

use crate::files::replace::Replaced;
use crate::image::Image;

/// How a file changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangeKind {
    /// It was not there before.
    Created,
    /// It was there and is different now.
    Modified,
    /// It was there and is gone.
    Deleted,
}

/// One file or folder that a call changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Relative to the workspace, with `/`.
    pub path: String,
    /// How it changed.
    pub kind: ChangeKind,
    /// BLAKE3 of the old content as hex, where it is known.
    pub before: Option<String>,
    /// BLAKE3 of the new content as hex, where it is known.
    pub after: Option<String>,
}

impl Change {
    /// A change whose contents nobody looked at.
    pub(crate) fn unread(path: String, kind: ChangeKind) -> Self {
        Self { path, kind, before: None, after: None }
    }
}

/// The result of a call that ran.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// For the model, cut to a length it can read.
    pub text: String,
    /// The longer text when `text` was cut.
    pub full: Option<String>,
    /// Whether it ran and went wrong, such as an exit code that is not 0.
    pub failed: bool,
    /// The exit code of a command.
    pub exit_code: Option<i32>,
    /// What the call changed.
    pub changed: Vec<Change>,
    /// False when the workspace was too large to look for changes.
    pub changes_known: bool,
    /// Texts whose hashes the changes name, so that the difference can be shown.
    pub contents: Vec<String>,
    /// Pictures for the model, which the text tells of.
    pub images: Vec<Image>,
}

impl Output {
    /// A success that changed nothing.
    pub(crate) fn said(text: String) -> Self {
        Self {
            text,
            full: None,
            failed: false,
            exit_code: None,
            changed: Vec::new(),
            changes_known: true,
            contents: Vec::new(),
            images: Vec::new(),
        }
    }

    /// A success that made one change.
    pub(crate) fn changed(text: String, change: Change) -> Self {
        Self { changed: vec![change], ..Self::said(text) }
    }

    /// A success that gave one file new content.
    pub(crate) fn replaced(text: String, replaced: Replaced) -> Self {
        Self { contents: replaced.contents, ..Self::changed(text, replaced.change) }
    }
}

/// Where outputs that were cut are kept whole, by an id that was told with them.
pub trait Outputs: Send + Sync + std::fmt::Debug {
    /// The whole text, while it is kept.
    fn text(&self, id: &str) -> Option<String>;
}

/// Keeps nothing.
#[derive(Debug)]
pub(crate) struct NoOutputs;

impl Outputs for NoOutputs {
    fn text(&self, _: &str) -> Option<String> {
        None
    }
}
