//! Text that may be long: short ones stand in the event, long ones are named by hash.

use serde::{Deserialize, Serialize};

/// The longest text that stands in an event itself.
pub const INLINE_BYTES: usize = 1024;

/// How much of an output is told to those who need it, in characters; the rest is read on demand.
pub const OUTPUT_CHARS: usize = 4_000;

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

    /// What came of some work. A long one is kept beside the log, with so much of its beginning that
    /// who needs it seldom has to ask for the rest.
    pub fn output(text: String) -> (Self, Option<(String, Vec<u8>)>) {
        let (named, blob) = Self::split(text);
        let Self::Blob { blob: hash, bytes, .. } = named else { return (named, None) };
        let text = blob.as_ref().map(|(_, text)| String::from_utf8_lossy(text));
        let head = text.map(|text| text.chars().take(OUTPUT_CHARS).collect()).unwrap_or_default();
        (Self::Blob { blob: hash, bytes, head }, blob)
    }

    /// The text as a model is told it: all of it, or, of one with more characters than this, its
    /// beginning, its length and how to read on.
    pub fn told(&self, most: usize) -> String {
        let named = match self {
            Self::Inline(text) if text.chars().count() <= most => return text.clone(),
            Self::Inline(text) => Self::output(text.clone()).0,
            Self::Blob { .. } => self.clone(),
        };
        let Self::Blob { blob, bytes, head } = named else { return self.head().to_owned() };
        let shown: String = head.chars().take(most).collect();
        if shown.len() as u64 == bytes {
            return shown;
        }
        let from = shown.len();
        format!(
            "{shown}\n[This is the beginning: {from} of {bytes} bytes. To read on, call read_output \
             with id \"{blob}\" and start_byte {from}.]"
        )
    }

    /// What stands in the event: the whole text, or how it begins.
    pub fn head(&self) -> &str {
        match self {
            Self::Inline(text) => text,
            Self::Blob { head, .. } => head,
        }
    }

    /// How long the whole text is, in bytes.
    pub fn bytes(&self) -> usize {
        match self {
            Self::Inline(text) => text.len(),
            Self::Blob { bytes, .. } => usize::try_from(*bytes).unwrap_or(usize::MAX),
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

/// A text of more characters than this without its middle, which is marked; `None` for a shorter
/// one.
pub fn without_middle(text: &str, most: usize) -> Option<String> {
    let count = text.chars().count();
    if count <= most {
        return None;
    }
    let half = most / 2;
    let head: String = text.chars().take(half).collect();
    let tail: String = text.chars().skip(count - half).collect();
    let left = grouped((count - 2 * half) as u64);
    Some(format!("{head} … {left} characters left out … {tail}"))
}

/// A number with commas between thousands.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_shown_without_its_middle_and_says_so() {
        assert_eq!(without_middle("short", 5), None);
        let long = format!("{}{}{}", "a".repeat(10), "é".repeat(4_213), "z".repeat(10));
        let cut = without_middle(&long, 20).unwrap();
        assert_eq!(cut, "aaaaaaaaaa … 4,213 characters left out … zzzzzzzzzz");
        for (number, text) in [(0, "0"), (999, "999"), (1_000, "1,000"), (1_234_567, "1,234,567")] {
            assert_eq!(grouped(number), text);
        }
    }

    #[test]
    fn a_long_output_is_told_with_its_length_and_how_to_read_on() {
        let short = "a line\nand another".to_owned();
        let (text, blob) = Text::output(short.clone());
        assert_eq!((text.told(OUTPUT_CHARS), blob), (short, None));

        let fits = "é".repeat(OUTPUT_CHARS);
        let (text, blob) = Text::output(fits.clone());
        assert_eq!(text.told(OUTPUT_CHARS), fits, "all of it");
        assert_eq!(blob.map(|(_, bytes)| bytes.len()), Some(2 * OUTPUT_CHARS));

        let long = "é".repeat(OUTPUT_CHARS + 1);
        let (text, blob) = Text::output(long.clone());
        let (hash, kept) = blob.expect("it is kept beside the log");
        assert_eq!(kept, long.clone().into_bytes());
        let told = text.told(OUTPUT_CHARS);
        assert!(told.starts_with(&"é".repeat(OUTPUT_CHARS)), "{told}");
        assert!(told.contains("8000 of 8002 bytes"), "{told}");
        assert!(told.contains(&format!("id \"{hash}\" and start_byte 8000")), "{told}");
        assert_eq!(Text::Inline(long).told(OUTPUT_CHARS), told, "the same before it is stored");
    }
}
