//! A model that has lost its way says the same few characters without end. Its answer is cut off
//! there, not when the context is full.
//!
//! Only answers that come a token at a time are watched: that is how small local models come, where
//! nothing else ends them soon. What comes in long pieces was written by something that knows its
//! end, and what comes fast ends soon.

/// The longest part that is looked for, in bytes.
const LONGEST_PART: usize = 128;
/// How often a part stands in a row, at least: a person may ask for a hundred lines of the same.
const TIMES: usize = 160;
/// How long the row is, at least, in bytes: longer than any line drawn with one character.
const ROW: usize = 2_000;
/// The longest piece that may be a single token, in bytes.
const TOKEN: usize = 64;
/// The answer is looked at once in so many bytes.
const EVERY: usize = 256;
/// How many of the parts in a row are kept.
const KEPT: usize = 3;

/// Watches the end of an answer as it comes.
#[derive(Debug, Default)]
pub(crate) struct Runaway {
    end: Vec<u8>,
    unseen: usize,
    /// Whether it repeated itself when it was last looked at.
    repeats: bool,
    /// How long the text was that it last followed.
    followed: usize,
}

impl Runaway {
    /// Takes in the next words; whether the answer repeats itself.
    pub(crate) fn hears(&mut self, words: &[u8]) -> bool {
        if words.len() > TOKEN {
            self.end.clear();
            self.repeats = false;
            return false;
        }
        self.end.extend_from_slice(words);
        self.unseen += words.len();
        if self.unseen < EVERY {
            return self.repeats;
        }
        self.unseen = 0;
        self.end.drain(..self.end.len().saturating_sub(LONGEST_PART * TIMES));
        self.repeats = part(&self.end).is_some();
        self.repeats
    }

    /// Looks at a text that grows, or at the next one; whether it repeats itself.
    pub(crate) fn follows(&mut self, text: &str) -> bool {
        if text.len() < self.followed {
            *self = Self::default();
        }
        let new = &text.as_bytes()[self.followed..];
        self.followed = text.len();
        self.hears(new)
    }
}

/// A text whose end repeats itself, with a few of the repetitions and a sign for the rest; any
/// other text as it is.
pub fn without_repetition(text: &str) -> String {
    let bytes = text.as_bytes();
    let Some(part) = part(bytes) else { return text.to_owned() };
    let row = (part..bytes.len()).rev().take_while(|at| bytes[*at] == bytes[at - part]).count();
    let start = bytes.len() - row - part;
    let end = text.floor_char_boundary(start + KEPT * part);
    format!("{}…", &text[..end])
}

/// The length of the part that the end is made of, again and again.
fn part(bytes: &[u8]) -> Option<usize> {
    (1..=LONGEST_PART).find(|part| {
        let start = bytes.len().checked_sub(ROW.max(part * TIMES));
        start.is_some_and(|start| {
            let row = &bytes[start..];
            row[*part..] == row[..row.len() - part]
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether the words run away when they come in pieces of this many characters.
    fn runs_away(words: &str, size: usize) -> bool {
        let mut runaway = Runaway::default();
        let letters: Vec<char> = words.chars().collect();
        letters.chunks(size).any(|piece| runaway.hears(piece.iter().collect::<String>().as_bytes()))
    }

    const PARTS: [&str; 4] =
        ["\\n", "a", "The person asked for what the person asked for. ", "né → "];

    #[test]
    fn a_few_characters_without_end_are_noticed_in_tokens_of_any_size() {
        for part in PARTS {
            let words = format!("At first it makes sense. {}", part.repeat(2_500));
            for size in [1, 3, 7, 16] {
                assert!(runs_away(&words, size), "{part:?} in pieces of {size}");
            }
        }
    }

    #[test]
    fn what_people_write_is_not() {
        let table = "| 0 | 0 | 0 |\n".repeat(100);
        let rows: String = (0..900).map(|row| format!("| {row} | 0 | 0 |\n")).collect();
        let line = format!("{}\n", "=".repeat(400)).repeat(2);
        let lines = "I will not talk in class.\n".repeat(100);
        for words in [table, rows, line, lines, "ha ".repeat(60), "x".repeat(1_500)] {
            assert!(!runs_away(&words, 5), "{}", &words[..40]);
        }
    }

    #[test]
    fn long_pieces_were_not_written_a_token_at_a_time() {
        assert!(!runs_away(&"x".repeat(100_000), 100));
        assert!(!runs_away(&"x".repeat(100_000), 100_000));
    }

    #[test]
    fn a_call_is_followed_as_it_grows_and_the_next_one_from_its_beginning() {
        let mut runaway = Runaway::default();
        let first = format!("{{\"content\": \"{}", "\\n".repeat(990));
        let mut whole = (1..=first.len()).map(|end| &first[..end]);
        assert!(!whole.any(|text| runaway.follows(text)));
        assert!(!runaway.follows("{\"a"));
        let second = format!("{{\"a{}", "\\n".repeat(1_200));
        assert!((4..second.len()).any(|end| runaway.follows(&second[..end])));
    }

    #[test]
    fn a_few_of_the_repetitions_are_kept() {
        for part in PARTS {
            let words = without_repetition(&format!("It is so: {}", part.repeat(2_500)));
            let begins = format!("It is so: {}", part.repeat(KEPT - 1));
            assert!(words.starts_with(&begins) && words.ends_with('…'), "{words}");
            assert!(words.len() < begins.len() + 2 * part.len() + 4, "{words}");
        }
        assert_eq!(without_repetition("It is so."), "It is so.");
    }
}
