//! Text that may be long: short ones stand in the event, long ones are named by hash.

use serde::{Deserialize, Serialize};

/// The longest text that stands in an event itself.
pub const INLINE_BYTES: usize = 1024;

/// A text, or the name of one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS, utoipa::ToSchema)]
#[serde(untagged)]
pub enum Text {
    /// The text itself.
    Inline(String),
    /// A text kept beside the log.
    Blob {
        /// BLAKE3 of the text, in hex.
        blob: String,
        /// Its length in bytes.
        bytes: u64,
        /// How it begins.
        head: String,
    },
}

impl Text {
    /// A text and, when it is too long for an event, the blob to keep beside it.
    pub fn split(text: String) -> (Self, Option<(String, Vec<u8>)>) {
        if text.len() <= INLINE_BYTES {
            return (Self::Inline(text), None);
        }
        let hash = blake3::hash(text.as_bytes()).to_hex().to_string();
        // Blank lines in front say nothing.
        let head = text.trim_start().chars().take(120).collect();
        let named = Self::Blob { blob: hash.clone(), bytes: text.len() as u64, head };
        (named, Some((hash, text.into_bytes())))
    }

    /// What stands in the event: the whole text, or how it begins.
    pub fn head(&self) -> &str {
        match self {
            Self::Inline(text) => text,
            Self::Blob { head, .. } => head,
        }
    }

    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        match self {
            Self::Inline(text) => text.is_empty(),
            Self::Blob { .. } => false,
        }
    }
}

/// Whether a person would see nothing: blanks, control and invisible characters only.
pub fn is_blank(text: &str) -> bool {
    text.chars().all(|c| {
        c.is_whitespace()
            || c.is_control()
            || matches!(c,
                '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
                | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}'
                | '\u{feff}' | '\u{ffa0}' | '\u{e0000}'..='\u{e0fff}')
    })
}

/// The longest result of a step or a sidekick, in characters.
const RESULT_CHARS: usize = 240;

/// The first line with words in it, cut to a sensible length.
pub(crate) fn one_line(text: &str) -> String {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or("");
    if line.chars().count() <= RESULT_CHARS {
        return line.to_owned();
    }
    let mut cut: String = line.chars().take(RESULT_CHARS - 1).collect();
    cut.push('…');
    cut
}

/// The text on one line: every run of blanks and control characters is one space.
pub fn on_one_line(text: &str) -> String {
    let blank = |c: char| c.is_whitespace() || c.is_control();
    text.split(blank).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// The beginning and the end of a text that is too long, in characters.
pub(crate) fn without_middle(text: &str, most: usize) -> String {
    let long = text.chars().count();
    if long <= most {
        return text.to_owned();
    }
    let half = most.saturating_sub(3) / 2;
    let head: String = text.chars().take(half).collect();
    let tail: String = text.chars().skip(long - half).collect();
    format!("{head}\n…\n{tail}")
}

/// Lines that go on from a line of a list: each but the first is set in, empty ones are left out.
pub(crate) fn indented(text: &str) -> String {
    let lines = text.lines().map(on_one_line).filter(|line| !line.is_empty());
    lines.collect::<Vec<_>>().join("\n   ")
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        Self::Inline(text.to_owned())
    }
}

impl From<String> for Text {
    fn from(text: String) -> Self {
        Self::Inline(text)
    }
}
