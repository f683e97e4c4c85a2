//! Keeps known secrets out of what tools give back: before model, journal, stream and export.

mod forms;
mod pieces;
mod plain;

pub(crate) use pieces::Pieces;

use crate::config::{Config, ConfigStore, Pattern};
use plain::{Payload, Plain};
use regex::NoExpand;
use serde_json::Value;
use std::fmt;
use std::ops::Range;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};

/// Shorter values are not secrets but accidents waiting to blank out common words.
const SHORTEST: usize = 8;

/// What stands for a secret.
const BLANK: &str = "[redacted]";

/// Replaces known secrets in texts. Clones know the same secrets.
#[derive(Clone, Default)]
pub(crate) struct Redactor {
    /// In every form in which they are written.
    secrets: Arc<RwLock<Vec<String>>>,
    patterns: Patterns,
}

/// Patterns of secrets that a person listed.
#[derive(Clone, Default)]
enum Patterns {
    #[default]
    None,
    /// As they are in the configuration in use.
    Of(ConfigStore),
}

impl Redactor {
    /// Knows these secrets, and the keys that the configuration takes from the environment.
    pub(crate) fn new(secrets: Vec<String>, config: &Config) -> Self {
        let redactor = Self::default();
        let keys = config.providers.values().filter_map(|provider| provider.key_env.as_ref());
        for secret in keys.filter_map(|name| std::env::var(name).ok()).chain(secrets) {
            redactor.learn(&secret);
        }
        redactor
    }

    /// Also blanks out what the person's patterns fit, as they are when a text comes.
    pub(crate) fn with_patterns_of(mut self, config: ConfigStore) -> Self {
        self.patterns = Patterns::Of(config);
        self
    }

    fn patterns(&self) -> Arc<[Pattern]> {
        match &self.patterns {
            Patterns::None => Arc::default(),
            Patterns::Of(config) => Arc::clone(&config.current().config.redact),
        }
    }

    /// Knows one more secret from now on.
    pub(crate) fn learn(&self, secret: &str) {
        // A file or a variable may end with a line end that nobody means.
        let secret = secret.trim();
        let mut secrets = self.secrets.write().unwrap_or_else(PoisonError::into_inner);
        if secret.len() < SHORTEST || secrets.iter().any(|known| known == secret) {
            return;
        }
        secrets.extend(forms::of(secret));
        // The longest first: a secret may contain another.
        secrets.sort_by(|one, other| other.len().cmp(&one.len()).then_with(|| one.cmp(other)));
        secrets.dedup();
    }

    /// Whether the text holds a known secret, also where colours or letters that show nothing stand
    /// in it.
    pub(crate) fn knows(&self, text: &str) -> bool {
        self.holds(text) || Plain::each(text, Payload::Out).any(|plain| self.holds(&plain.text))
    }

    fn holds(&self, text: &str) -> bool {
        self.known().iter().any(|secret| text.contains(secret))
            || self.patterns().iter().any(|pattern| pattern.0.is_match(text))
    }

    /// The text with every known secret blanked out.
    pub(crate) fn clean(&self, text: String) -> String {
        if !self.knows(&text) {
            return text;
        }
        let secrets = self.known();
        let blank = |text: String, secret: &String| text.replace(secret, BLANK);
        let text = secrets.iter().fold(text, blank);
        let blank =
            |text: String, pattern: &Pattern| pattern.0.replace_all(&text, NoExpand(BLANK)).into();
        let text = self.patterns().iter().fold(text, blank);
        [Payload::Out, Payload::Read].into_iter().fold(text, |text, payload| {
            match Plain::of(&text, payload) {
                Some(plain) => without(&text, self.places(&secrets, &plain)),
                None => text,
            }
        })
    }

    /// Where secrets stand that are seen only in the plain text.
    fn places(&self, secrets: &[String], plain: &Plain) -> Vec<Range<usize>> {
        let text = &plain.text;
        let known = secrets.iter().flat_map(|secret| {
            text.match_indices(secret.as_str()).map(|(at, secret)| at..at + secret.len())
        });
        let mut found: Vec<Range<usize>> = known.collect();
        for pattern in self.patterns().iter() {
            found.extend(pattern.0.find_iter(text).map(|one| one.range()));
        }
        found.retain(|one| !one.is_empty());
        found.into_iter().map(|one| plain.part(one)).collect()
    }

    /// The same for every text in a value.
    pub(crate) fn clean_value(&self, value: Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.clean(text)),
            Value::Array(items) => {
                Value::Array(items.into_iter().map(|item| self.clean_value(item)).collect())
            }
            Value::Object(map) => {
                let clean = |(name, value)| (self.clean(name), self.clean_value(value));
                Value::Object(map.into_iter().map(clean).collect())
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => value,
        }
    }

    fn known(&self) -> RwLockReadGuard<'_, Vec<String>> {
        self.secrets.read().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The text with these parts of it blanked out.
fn without(text: &str, mut parts: Vec<Range<usize>>) -> String {
    parts.sort_by_key(|part| part.start);
    let (mut blanked, mut from) = (String::with_capacity(text.len()), 0);
    for part in parts {
        // One that overlaps with the last is blanked with it.
        if part.start >= from {
            blanked.push_str(&text[from..part.start]);
            blanked.push_str(BLANK);
        }
        from = from.max(part.end);
    }
    blanked.push_str(&text[from..]);
    blanked
}

/// The text as a person sees it.
pub(crate) fn seen(text: &str) -> String {
    Plain::of(text, Payload::Out).map_or_else(|| text.to_owned(), |plain| plain.text)
}

impl tools::Secrets for Redactor {
    fn clean(&self, text: String) -> String {
        Self::clean(self, text)
    }

    fn clear_until(&self, text: &str) -> usize {
        Self::clear_until(self, text)
    }
}

impl fmt::Debug for Redactor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Redactor")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_secrets_are_blanked_and_short_ones_left() {
        let secrets =
            vec!["s3cret-token".to_owned(), "s3cret-token-long".to_owned(), "ab".to_owned()];
        let redactor = Redactor::new(secrets, &Config::default());
        let text = "ab s3cret-token-long s3cret-token".to_owned();
        assert_eq!(redactor.clean(text), "ab [redacted] [redacted]");
        redactor.clone().learn("learnt-later\n");
        assert_eq!(redactor.clean("learnt-later".to_owned()), "[redacted]");
    }

    /// A secret with something between its letters that nobody sees.
    fn disguised() -> [(&'static str, String); 8] {
        let between =
            |what: &str| "s3cret-token".chars().map(String::from).collect::<Vec<_>>().join(what);
        [
            ("colours", between("\u{1b}[31m")),
            ("a colour in the middle", "s3cret\u{1b}[0;1m-token".to_owned()),
            ("letters without width", between("\u{200b}")),
            ("marks of direction", between("\u{2060}\u{202e}")),
            ("control characters", between("\u{0}\r\u{8}")),
            ("a link", between("\u{1b}]8;;https://x.example\u{1b}\\")),
            ("other control characters", between("\u{9b}1m\u{ad}")),
            ("inside a link", "\u{1b}]8;;s3cret\u{200b}-token\u{7}".to_owned()),
        ]
    }

    #[test]
    fn colours_and_letters_that_show_nothing_hide_no_secret() {
        let redactor = Redactor::new(vec!["s3cret-token".to_owned()], &Config::default());
        for (how, text) in disguised() {
            let clean = redactor.clean(format!("<{text}> \u{1b}[1mé\u{1b}[0m"));
            assert!(clean.contains("[redacted]") && !redactor.knows(&clean), "{how}: {clean:?}");
            assert!(clean.starts_with('<') && clean.ends_with("> \u{1b}[1mé\u{1b}[0m"), "{how}");
            // Nor when it comes in pieces.
            for size in 1..=text.len() {
                let letters: Vec<char> = format!("é{text} and on").chars().collect();
                let mut pieces = Pieces::default();
                let mut told = String::new();
                for piece in letters.chunks(size) {
                    told += &redactor.next(&mut pieces, &piece.iter().collect::<String>());
                }
                told += &redactor.rest(&mut pieces);
                assert!(!redactor.knows(&told), "{how} in pieces of {size}: {told:?}");
                assert!(told.starts_with('é') && told.ends_with(" and on"), "{how}: {told:?}");
            }
        }
        let coloured = "\u{1b}[32mall well\u{1b}[0m".to_owned();
        assert_eq!(redactor.clean(coloured.clone()), coloured, "what holds none stays as it is");
    }
}
