//! The thinking that some servers leave in the words of an answer, between tags at its beginning.

const OPEN: &str = "<think>";
const CLOSE: &str = "</think>";

/// Parts an answer into thinking and words, piece by piece.
#[derive(Debug, Default)]
pub(super) struct ThinkTags {
    /// What may still become a tag.
    held: String,
    place: Place,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Place {
    #[default]
    Beginning,
    Thinking,
    /// Behind thinking, before the first word.
    Behind,
    Words,
}

/// What a piece brings.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Parted {
    pub(super) thinking: String,
    pub(super) words: String,
}

impl ThinkTags {
    /// Takes the next piece in.
    pub(super) fn next(&mut self, piece: &str) -> Parted {
        self.held.push_str(piece);
        let mut parted = Parted::default();
        loop {
            match self.place {
                Place::Beginning | Place::Behind => {
                    let words = self.held.trim_start();
                    if let Some(thinking) = words.strip_prefix(OPEN) {
                        (self.held, self.place) = (thinking.to_owned(), Place::Thinking);
                        continue;
                    }
                    if OPEN.starts_with(words) {
                        return parted;
                    }
                    if self.place == Place::Behind {
                        self.held = words.to_owned();
                    }
                    self.place = Place::Words;
                }
                Place::Thinking => {
                    if let Some((thinking, words)) = self.held.split_once(CLOSE) {
                        parted.thinking.push_str(thinking);
                        (self.held, self.place) = (words.to_owned(), Place::Behind);
                        continue;
                    }
                    let begun = self.held.len() - beginning_of_tag(&self.held);
                    parted.thinking.extend(self.held.drain(..begun));
                    return parted;
                }
                Place::Words => {
                    parted.words.push_str(&std::mem::take(&mut self.held));
                    return parted;
                }
            }
        }
    }

    /// What is left when the answer is over.
    pub(super) fn end(self) -> Parted {
        match self.place {
            Place::Thinking => Parted { thinking: self.held, ..Parted::default() },
            Place::Behind if self.held.trim().is_empty() => Parted::default(),
            Place::Beginning | Place::Behind | Place::Words => {
                Parted { words: self.held, ..Parted::default() }
            }
        }
    }
}

/// How many bytes at the end of a text may be the beginning of the closing tag.
fn beginning_of_tag(text: &str) -> usize {
    (1..CLOSE.len()).rev().find(|length| text.ends_with(&CLOSE[..*length])).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parted(pieces: &[&str]) -> (String, String) {
        let (mut tags, mut all) = (ThinkTags::default(), Parted::default());
        let mut take = |part: Parted| {
            all.thinking.push_str(&part.thinking);
            all.words.push_str(&part.words);
        };
        pieces.iter().for_each(|piece| take(tags.next(piece)));
        take(tags.end());
        (all.thinking, all.words)
    }

    #[test]
    fn tags_part_an_answer_however_it_is_cut() {
        for (answer, thinking, words) in [
            ("Hello <think>x</think>", "", "Hello <think>x</think>"),
            ("  Hello", "", "  Hello"),
            ("<think>\n\n</think>\n\nHällo", "\n\n", "Hällo"),
            ("\n<think>a < b</think>c</think>", "a < b", "c</think>"),
            ("<think>a</think><think>b</think>c", "ab", "c"),
            ("<think>only", "only", ""),
            ("<think>only</think>\n", "only", ""),
            ("<thin", "", "<thin"),
            ("", "", ""),
        ] {
            let expected = (thinking.to_owned(), words.to_owned());
            for at in answer.char_indices().map(|(at, _)| at).chain([answer.len()]) {
                assert_eq!(parted(&[&answer[..at], &answer[at..]]), expected, "{answer:?} at {at}");
            }
            let letters: Vec<String> = answer.chars().map(String::from).collect();
            let letters: Vec<&str> = letters.iter().map(String::as_str).collect();
            assert_eq!(parted(&letters), expected, "{answer:?} by letters");
        }
    }
}
