//! Reads `redact:`, patterns of secrets that nobody else knows of.

use super::section::{Section, text_of};
use super::tree::Value;
use regex::{Regex, RegexBuilder};

/// The most patterns, the longest, and how large one may become.
const MOST: usize = 50;
const LONGEST: usize = 500;
const SIZE: usize = 1024 * 1024;

/// A pattern of secrets.
#[derive(Debug, Clone)]
pub struct Pattern(pub Regex);

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.0.as_str() == other.0.as_str()
    }
}

/// The patterns, each checked on its own line.
pub(super) fn read(top: &Section<'_>) -> Vec<Pattern> {
    let Some(node) = top.get("redact") else { return Vec::new() };
    let Value::List(items) = &node.value else {
        top.bad("redact", node, "a list of regular expressions");
        return Vec::new();
    };
    if items.len() > MOST {
        let message = format!("has {} patterns; allowed: at most {MOST}", items.len());
        top.report.error(node.at, "redact", message);
        return Vec::new();
    }
    let mut patterns = Vec::new();
    for (index, item) in items.iter().enumerate() {
        match text_of(item).map_or_else(|| Err("is not text".to_owned()), pattern) {
            Ok(pattern) => patterns.push(pattern),
            Err(problem) => {
                let message = format!("{problem}; allowed: a regular expression in Rust's syntax");
                top.report.error(item.at, &format!("redact[{index}]"), message);
            }
        }
    }
    patterns
}

fn pattern(text: &str) -> Result<Pattern, String> {
    if text.len() > LONGEST {
        return Err(format!("is longer than {LONGEST} characters"));
    }
    let regex = RegexBuilder::new(text).size_limit(SIZE).dfa_size_limit(SIZE).build();
    let regex = regex.map_err(|error| {
        let words = error.to_string();
        format!("can't be read ({})", words.lines().last().unwrap_or_default().trim())
    })?;
    match regex.is_match("") {
        true => Err("fits an empty text, so it would fit everywhere".to_owned()),
        false => Ok(Pattern(regex)),
    }
}
