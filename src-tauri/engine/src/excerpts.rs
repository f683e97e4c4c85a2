//! What a person is shown of a text with a question: never a secret, of a long one its beginning and
//! its end, which is said, and the whole of it kept beside the log, to be opened there.

use crate::redact::Redactor;
use plan::{Detail, Target, without_middle};

/// The longest fact shown as it is, in characters.
pub(crate) const FACT: usize = 900;
/// The longest question shown as it is.
const QUESTION: usize = 4_000;

/// The texts of one question.
pub(crate) struct Excerpts<'a> {
    redactor: &'a Redactor,
    /// What of them is kept beside the log.
    pub(crate) blobs: Vec<(String, Vec<u8>)>,
}

impl<'a> Excerpts<'a> {
    pub(crate) fn new(redactor: &'a Redactor) -> Self {
        Self { redactor, blobs: Vec::new() }
    }

    /// A named fact.
    pub(crate) fn fact(&mut self, name: &str, text: impl Into<String>) -> Detail {
        self.cut(name, text, FACT)
    }

    /// The question in words, and what is to be shown with it where that is not all of it. What it
    /// names stands in it as it is shown beside it.
    pub(crate) fn question(&mut self, text: String, names: &[Target]) -> (String, Option<Detail>) {
        let mut text = self.redactor.clean(text);
        let whole = text.clone();
        for target in names {
            let named = self.redactor.clean(target.words().to_owned());
            if let Some(shown) = without_middle(&named, FACT) {
                text = text.replace(&named, &shown);
            }
        }
        if without_middle(&text, QUESTION).is_none() {
            return (text, None);
        }
        let detail = self.cut("question", whole, QUESTION);
        (detail.value.clone(), Some(detail))
    }

    fn cut(&mut self, name: &str, text: impl Into<String>, most: usize) -> Detail {
        // Half a secret is no known one, so nothing is cut before it is blanked.
        let (detail, blob) = Detail::cut(name, self.redactor.clean(text.into()), most);
        self.blobs.extend(blob);
        detail
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    #[test]
    fn secrets_are_blanked_before_anything_is_cut() {
        let redactor = Redactor::new(vec!["s3cret-token-value".to_owned()], &Config::default());
        // Wherever the cut falls: a half of it is never shown.
        for before in FACT / 2 - 30..FACT / 2 + 5 {
            let text = format!("{}s3cret-token-value{} end", "a".repeat(before), "b".repeat(3_000));
            let mut shown = Excerpts::new(&redactor);
            let fact = shown.fact("arguments", text);
            assert!(!fact.value.contains("s3c"), "{}", fact.value);
            assert!(fact.value.contains(" characters left out … ") && fact.value.ends_with(" end"));
            let (hash, whole) = shown.blobs.pop().expect("the whole of it is kept");
            assert_eq!(fact.whole.map(|whole| whole.blob), Some(hash));
            let whole = String::from_utf8(whole).unwrap();
            assert!(whole.contains("a[redacted]b") && !whole.contains("s3c"));
        }
    }

    #[test]
    fn a_question_names_things_as_they_are_shown_beside_it() {
        let redactor = Redactor::default();
        let mut shown = Excerpts::new(&redactor);
        let long = "x".repeat(2_000);
        let target = Target::Command { text: long.clone(), simple: None };
        let named = shown.fact("target", long.as_str());
        let (text, whole) = shown.question(format!("May shell {long} run?"), &[target]);
        assert_eq!(text, format!("May shell {} run?", named.value));
        assert_eq!(whole, None);
        let (text, whole) = shown.question("y ".repeat(9_000), &[]);
        assert!(text.contains(" characters left out … ") && text.chars().count() < 4_100);
        assert_eq!(whole.and_then(|whole| whole.whole).map(|whole| whole.bytes), Some(18_000));
        assert_eq!(shown.blobs.len(), 2);
    }
}
