//! A text as it is seen: without colours, movements of the cursor and letters that show nothing.
//! Whoever reads it reads a secret all the same.

use std::ops::Range;

/// Where a title or a link that a terminal is told must have ended, in bytes.
const LONGEST_PAYLOAD: usize = 4_096;

/// What becomes of the words of a sequence that has words in it, such as the address of a link.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Payload {
    /// They are left out where they have an end.
    Out,
    /// They are left out also where their end has not come yet.
    OutOpen,
    /// They are read like all else.
    Read,
}

/// The text, and where each of its bytes stood before.
pub(super) struct Plain {
    pub(super) text: String,
    at: Vec<usize>,
}

impl Plain {
    /// The text as it is seen; `None` where all of it is seen.
    pub(super) fn of(text: &str, payload: Payload) -> Option<Self> {
        if !text.chars().any(shows_nothing) {
            return None;
        }
        let mut plain = Self { text: String::with_capacity(text.len()), at: Vec::new() };
        let mut from = 0;
        while let Some(letter) = text[from..].chars().next() {
            match unseen(&text[from..], letter, payload) {
                0 => {
                    plain.text.push(letter);
                    plain.at.extend(from..from + letter.len_utf8());
                    from += letter.len_utf8();
                }
                length => from += length,
            }
        }
        Some(plain)
    }

    /// In every way in which it may be meant.
    pub(super) fn each(text: &str, payload: Payload) -> impl Iterator<Item = Self> {
        [payload, Payload::Read].into_iter().filter_map(|payload| Self::of(text, payload))
    }

    /// Where a byte of it stood.
    pub(super) fn before(&self, at: usize) -> usize {
        self.at[at]
    }

    /// Where a part of it that is not empty stood.
    pub(super) fn part(&self, part: Range<usize>) -> Range<usize> {
        self.at[part.start]..self.at[part.end - 1] + 1
    }
}

/// How many bytes of what begins here are not seen.
fn unseen(text: &str, letter: char, payload: Payload) -> usize {
    let bytes = text.as_bytes();
    let words = |from: usize| match payload {
        Payload::Read => 0,
        Payload::Out | Payload::OutOpen => words(&text[from..], payload == Payload::OutOpen),
    };
    match letter {
        '\u{1b}' => match bytes.get(1) {
            Some(b'[') => 2 + numbers(&bytes[2..]),
            Some(b']' | b'P' | b'X' | b'^' | b'_') => 2 + words(2),
            Some(0x20..=0x2f) => {
                let more = run(&bytes[1..], 0x20..=0x2f);
                let ends = bytes.get(1 + more).is_some_and(|byte| (0x30..=0x7e).contains(byte));
                1 + more + usize::from(ends)
            }
            Some(0x30..=0x7e) => 2,
            _ => 1,
        },
        '\u{9b}' => 2 + numbers(&bytes[2..]),
        '\u{90}' | '\u{98}' | '\u{9d}' | '\u{9e}' | '\u{9f}' => 2 + words(2),
        _ if shows_nothing(letter) => letter.len_utf8(),
        _ => 0,
    }
}

/// The numbers of a sequence and the letter that ends it.
fn numbers(bytes: &[u8]) -> usize {
    let first = run(bytes, 0x30..=0x3f);
    let all = first + run(&bytes[first..], 0x20..=0x2f);
    all + usize::from(bytes.get(all).is_some_and(|byte| (0x40..=0x7e).contains(byte)))
}

fn run(bytes: &[u8], of: std::ops::RangeInclusive<u8>) -> usize {
    bytes.iter().take_while(|byte| of.contains(byte)).count()
}

/// The words of a sequence with their end; none where something else comes first.
fn words(text: &str, may_be_open: bool) -> usize {
    let near = &text[..text.floor_char_boundary(LONGEST_PAYLOAD)];
    let Some(at) = near.find(|letter: char| letter.is_control()) else {
        return if may_be_open && near.len() == text.len() { near.len() } else { 0 };
    };
    let rest = &near[at..];
    match rest.chars().next() {
        Some('\u{7}') => at + 1,
        Some('\u{9c}') => at + 2,
        Some('\u{1b}') if rest.as_bytes().get(1) == Some(&b'\\') => at + 2,
        Some('\u{1b}') if may_be_open && text.len() == at + 1 => at + 1,
        _ => 0,
    }
}

/// Whether a letter by itself shows nothing: line ends and tabs do.
fn shows_nothing(letter: char) -> bool {
    (letter.is_control() && !matches!(letter, '\n' | '\t'))
        || matches!(letter,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
            | '\u{ffa0}' | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_seen_is_left() {
        for (text, seen) in [
            ("\u{1b}[31mred\u{1b}[0m", "red"),
            ("\u{1b}[38;2;1;2;3mred\u{9b}0m", "red"),
            ("a\u{1b}]8;;https://x\u{7}link\u{1b}]8;;\u{1b}\\b", "alinkb"),
            ("a\u{1b}]no end\nb", "ano end\nb"),
            ("a\u{1b}(Bb\u{1b}7c\u{1b}", "abc"),
            ("a\u{200b}b\u{ad}c\u{8}d\re\0", "abcde"),
            ("a\u{1b}[3", "a"),
        ] {
            assert_eq!(Plain::of(text, Payload::Out).unwrap().text, seen, "{text:?}");
        }
        assert!(Plain::of("plain\n\ttext é", Payload::Out).is_none());
        let plain = Plain::of("xé\u{1b}[0mz", Payload::Out).unwrap();
        assert_eq!((plain.part(1..4), plain.before(3)), (1..8, 7));
    }
}
