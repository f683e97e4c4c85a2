//! Keeps known secrets out of what tools give back: before model, journal, stream and export.

use crate::config::Config;

/// Shorter values are not secrets but accidents waiting to blank out common words.
const SHORTEST: usize = 8;

/// Replaces known secrets in texts.
#[derive(Default)]
pub(crate) struct Redactor {
    secrets: Vec<String>,
}

impl Redactor {
    /// Knows these secrets, and the keys that the configuration takes from the environment.
    pub(crate) fn new(mut secrets: Vec<String>, config: &Config) -> Self {
        let keys = config.providers.values().filter_map(|provider| provider.key_env.as_ref());
        secrets.extend(keys.filter_map(|name| std::env::var(name).ok()));
        secrets.retain(|secret| secret.len() >= SHORTEST);
        // The longest first: a secret may contain another.
        secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
        secrets.dedup();
        Self { secrets }
    }

    /// The text with every known secret blanked out.
    pub(crate) fn clean(&self, text: String) -> String {
        if !self.secrets.iter().any(|secret| text.contains(secret)) {
            return text;
        }
        let blank = |text: String, secret: &String| text.replace(secret, "[redacted]");
        self.secrets.iter().fold(text, blank)
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
    }
}
