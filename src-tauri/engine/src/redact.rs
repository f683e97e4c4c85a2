//! Keeps known secrets out of what tools give back: before model, journal, stream and export.

mod forms;
mod pieces;

pub(crate) use pieces::Pieces;

use crate::config::{Config, ConfigStore, Pattern};
use regex::NoExpand;
use serde_json::Value;
use std::fmt;
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

    /// Whether the text holds a known secret.
    pub(crate) fn knows(&self, text: &str) -> bool {
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
        self.patterns().iter().fold(text, blank)
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
}
