//! Secrets in a text that comes in pieces. A piece that ends in what may be the beginning of a
//! secret keeps that back until it is clear; all else goes on at once.

use super::Redactor;
use super::plain::{Payload, Plain};

/// The longest line that is held back as a whole.
const LONGEST_LINE: usize = 4096;

/// One text on its way.
#[derive(Default)]
pub(crate) struct Pieces {
    held: String,
}

impl Redactor {
    /// What may be shown once this piece has come.
    pub(crate) fn next(&self, pieces: &mut Pieces, piece: &str) -> String {
        pieces.held.push_str(piece);
        let rest = pieces.held.split_off(self.clear_until(&pieces.held));
        self.clean(std::mem::replace(&mut pieces.held, rest))
    }

    /// What was held back, at the end.
    pub(crate) fn rest(&self, pieces: &mut Pieces) -> String {
        self.clean(std::mem::take(&mut pieces.held))
    }

    /// Up to where nothing that comes can make a secret of the text.
    pub(super) fn clear_until(&self, text: &str) -> usize {
        let secrets = self.known();
        let patterns = self.patterns();
        let mut until = may_begin(&secrets, text).unwrap_or(text.len());
        // Of each text that hides another one, the seen one counts as well.
        let mut whole = Vec::new();
        for plain in Plain::each(text, Payload::OutOpen) {
            if let Some(at) = may_begin(&secrets, &plain.text) {
                until = until.min(plain.before(at));
            }
            whole.extend(self.places(&secrets, &plain));
        }
        if !patterns.is_empty() {
            until = until.min(whole_lines(text));
        }
        for one in secrets.iter() {
            whole.extend(text.match_indices(one.as_str()).map(|(at, one)| at..at + one.len()));
        }
        for pattern in patterns.iter() {
            whole.extend(pattern.0.find_iter(text).map(|one| one.range()));
        }
        // A secret that is whole is not cut in two.
        while let Some(one) = whole.iter().find(|one| one.start < until && until < one.end) {
            until = one.start;
        }
        until
    }
}

/// Where the end of a text may be the beginning of a secret.
fn may_begin(secrets: &[String], text: &str) -> Option<usize> {
    let longest = secrets.iter().map(String::len).max().unwrap_or(0);
    let from = text.len().saturating_sub(longest.saturating_sub(1));
    let begins = |at: &usize| {
        let end = &text.as_bytes()[*at..];
        secrets.iter().any(|one| one.len() > end.len() && one.as_bytes().starts_with(end))
    };
    (from..text.len()).filter(|at| text.is_char_boundary(*at)).find(begins)
}

/// Nobody knows how what fits a pattern begins, so a line is held back until it is whole, unless it
/// is very long.
fn whole_lines(text: &str) -> usize {
    let line = text.rfind('\n').map_or(0, |end| end + 1);
    text.floor_char_boundary(line.max(text.len().saturating_sub(LONGEST_LINE)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Config, ConfigPlace, ConfigStore};

    fn redactor(secrets: &[&str]) -> Redactor {
        let secrets = secrets.iter().map(|one| (*one).to_owned()).collect();
        Redactor::new(secrets, &Config::default())
    }

    fn told(redactor: &Redactor, text: &str, size: usize) -> Vec<String> {
        let letters: Vec<char> = text.chars().collect();
        let mut pieces = Pieces::default();
        let mut told: Vec<String> = letters
            .chunks(size)
            .map(|piece| redactor.next(&mut pieces, &piece.iter().collect::<String>()))
            .collect();
        told.push(redactor.rest(&mut pieces));
        told
    }

    #[test]
    fn a_secret_in_pieces_of_any_size_is_blanked() {
        let redactor =
            redactor(&["s3cret-token", "s3cret-token-long", "gesägt-und-genäht", "ken-longer"]);
        let text = "ä s3cret-token-long, s3cret-token; s3cret-tok gesägt-und-genäht s3cret-token";
        let whole = redactor.clean(text.to_owned());
        for size in 1..=text.len() {
            assert_eq!(told(&redactor, text, size).concat(), whole, "in pieces of {size}");
        }
    }

    #[test]
    fn secrets_that_overlap_show_neither() {
        let redactor = redactor(&["abcdefgh12", "h12xxxxx"]);
        for text in ["abcdefgh12xxxxx", "abcdefgh12", "abcdefgh12h12xxxxx"] {
            for size in 1..=text.len() {
                let told = told(&redactor, text, size).concat();
                assert!(!redactor.knows(&told), "{told}");
            }
        }
    }

    #[test]
    fn what_fits_a_pattern_is_blanked_in_pieces_of_any_size() {
        let folder = tempfile::tempdir().unwrap();
        let text = "redact: ['card \\d{4}', 'ghp_\\w+']\n";
        std::fs::write(folder.path().join("plancard.yaml"), text).unwrap();
        let store = ConfigStore::open(ConfigPlace::Folder(folder.path().to_owned()));
        assert!(store.errors().is_none());
        let redactor = redactor(&["s3cret-token"]).with_patterns_of(store.clone());
        let text = "pay by card 1234 or s3cret-token\n$1 ghp_abc and card 12\n34";
        let whole = redactor.clean(text.to_owned());
        assert_eq!(whole, "pay by [redacted] or [redacted]\n$1 [redacted] and card 12\n34");
        for size in 1..=text.len() {
            assert_eq!(told(&redactor, text, size).concat(), whole, "in pieces of {size}");
        }
        assert!(redactor.knows("ghp_x"));
        // As soon as the file says otherwise.
        std::fs::write(folder.path().join("plancard.yaml"), "").unwrap();
        store.reload();
        assert!(!redactor.knows("ghp_x"));
    }

    #[test]
    fn ordinary_words_are_told_at_once() {
        let redactor = redactor(&["s3cret-token"]);
        let mut pieces = Pieces::default();
        for word in ["All ", "that ", "is ", "said ", "aloud. "] {
            assert_eq!(redactor.next(&mut pieces, word), word);
        }
        // Only what begins like one waits, and no longer than that.
        assert_eq!(redactor.next(&mut pieces, "his"), "hi");
        assert_eq!(redactor.next(&mut pieces, " own"), "s own");
        assert_eq!(redactor.rest(&mut pieces), "");
    }
}
