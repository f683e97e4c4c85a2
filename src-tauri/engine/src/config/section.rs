//! Reads typed values out of one map of the tree. It knows the path and the
//! line of everything it reads, and afterwards which keys nobody asked for.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

use super::ignored_keys::IgnoredKeys;
use super::nearest::nearest;
use super::report::Report;
use super::tree::{Entry, Mark, Node, Source, Value};
use super::variables::unset_variable;

/// Where a variable that is not set leaves a value at its usual one. Elsewhere a value may be a
/// guard, and has to be there.
const FORGIVEN: [&str; 3] = ["agent", "orchestrator", "timeout_settings"];

/// One map of the configuration; a map that is not there reads as empty.
#[derive(Debug)]
pub(super) struct Section<'a> {
    pub(super) report: &'a Report,
    pub(super) path: String,
    pub(super) at: Mark,
    entries: &'a [Entry],
    asked: RefCell<BTreeSet<&'static str>>,
    ignored: Option<IgnoredKeys>,
}

impl<'a> Section<'a> {
    pub(super) fn new(report: &'a Report, path: impl Into<String>, node: Option<&'a Node>) -> Self {
        let path = path.into();
        let at = node.map_or(Mark::whole(Source::Person), |node| node.at);
        if let Some(node) = node {
            let file = if path.is_empty() { "the file " } else { "" };
            match &node.value {
                Value::Null | Value::Map(_) => {}
                // Not shown: text in the place of a map may be a key pasted there.
                Value::Scalar { .. } => {
                    report.error(at, &path, format!("{file}is text; allowed: a map"));
                }
                Value::List(_) => {
                    report.error(at, &path, format!("{file}is a list; allowed: a map"));
                }
            }
        }
        Self {
            report,
            path,
            at,
            entries: node.map_or(&[], Node::entries),
            asked: RefCell::default(),
            ignored: None,
        }
    }

    /// The same section, which may hold keys that do nothing.
    pub(super) fn ignoring(mut self, keys: IgnoredKeys) -> Self {
        self.ignored = Some(keys);
        self
    }

    /// Whether the file has such a map, and something in it.
    pub(super) fn is_written(&self) -> bool {
        !self.entries.is_empty()
    }

    /// The value of a key, unless it is absent or left empty.
    pub(super) fn get(&self, key: &'static str) -> Option<&'a Node> {
        self.asked.borrow_mut().insert(key);
        let entry = self.entries.iter().find(|entry| entry.key == key)?;
        (!entry.value.is_null()).then_some(&entry.value)
    }

    pub(super) fn section(&self, key: &'static str) -> Section<'a> {
        Section::new(self.report, self.path_of(key), self.get(key))
    }

    /// Every entry, for a map whose keys are names a person gives.
    pub(super) fn named(&self) -> impl Iterator<Item = (&'a str, &'a Node, String)> {
        self.entries
            .iter()
            .map(|entry| (entry.key.as_str(), &entry.value, self.path_of(&entry.key)))
    }

    pub(super) fn text(&self, key: &'static str) -> Option<String> {
        let node = self.get(key)?;
        let text = text_of(node);
        if text.is_none() {
            self.bad(key, node, "text");
        }
        text.map(str::to_owned)
    }

    /// Text that has to say something.
    pub(super) fn name(&self, key: &'static str) -> Option<String> {
        let text = self.text(key)?;
        if text.trim().is_empty() {
            self.bad(key, self.get(key)?, "text that is not empty");
            return None;
        }
        Some(text)
    }

    pub(super) fn flag(&self, key: &'static str) -> Option<bool> {
        let node = self.get(key)?;
        // YAML 1.1 words too: they are in files people already have.
        match text_of(node).unwrap_or_default().to_lowercase().as_str() {
            "true" | "yes" | "on" => Some(true),
            "false" | "no" | "off" => Some(false),
            _ => {
                self.bad(key, node, "true, false");
                None
            }
        }
    }

    pub(super) fn number(&self, key: &'static str, range: RangeInclusive<u64>) -> Option<u64> {
        let node = self.get(key)?;
        let number = text_of(node).and_then(|text| text.replace('_', "").parse().ok());
        match number {
            Some(number) if range.contains(&number) => Some(number),
            Some(_) | None => {
                let (least, most) = range.into_inner();
                let allowed = format!("a whole number from {least} to {most}");
                self.bad(key, node, &allowed);
                None
            }
        }
    }

    pub(super) fn choice<T: Copy>(&self, key: &'static str, choices: &[(&str, T)]) -> Option<T> {
        let node = self.get(key)?;
        let chosen = text_of(node).and_then(|text| choices.iter().find(|(word, _)| *word == text));
        if chosen.is_none() {
            let words: Vec<&str> = choices.iter().map(|(word, _)| *word).collect();
            self.bad(key, node, &words.join(", "));
        }
        chosen.map(|(_, value)| *value)
    }

    /// A list of texts; a single text is a list of one.
    pub(super) fn texts(&self, key: &'static str) -> Vec<String> {
        let Some(node) = self.get(key) else {
            return Vec::new();
        };
        let texts = texts_of(node);
        if texts.is_none() {
            self.bad(key, node, "a list of texts");
        }
        texts.unwrap_or_default().into_iter().map(str::to_owned).collect()
    }

    /// A map from names to texts; a name left empty has an empty text.
    pub(super) fn text_map(&self, key: &'static str) -> BTreeMap<String, String> {
        let inner = self.section(key);
        let mut map = BTreeMap::new();
        for (name, node, path) in inner.named() {
            match text_of(node) {
                Some(text) => drop(map.insert(name.to_owned(), text.to_owned())),
                None if node.is_null() => drop(map.insert(name.to_owned(), String::new())),
                None => self.report.error(node.at, &path, "is not text; allowed: text"),
            }
        }
        map
    }

    /// Reports a value that is not one of those allowed.
    pub(super) fn bad(&self, key: &str, node: &Node, allowed: &str) {
        let may = FORGIVEN.iter().any(|begin| self.path.starts_with(begin));
        let may = may && !self.path.contains("permissions");
        if let Some(name) = unset_variable(node).filter(|_| may) {
            let message =
                format!("names the variable {name}, which is not set; the usual value is used");
            return self.report.warning(node.at, &self.path_of(key), message);
        }
        let message = format!("is {}; allowed: {allowed}", shown(node));
        self.report.error(node.at, &self.path_of(key), message);
    }

    pub(super) fn path_of(&self, key: &str) -> String {
        if self.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.path) }
    }

    /// Warns about every key nobody asked for.
    pub(super) fn finish(self) {
        let asked = self.asked.into_inner();
        for entry in self.entries {
            if asked.contains(entry.key.as_str()) {
                continue;
            }
            if let Some(IgnoredKeys { section, keys }) = self.ignored
                && keys.contains(&entry.key.as_str())
            {
                self.report.ignored(entry.key_at, section, &entry.key);
                continue;
            }
            let path = if self.path.is_empty() {
                entry.key.clone()
            } else {
                format!("{}.{}", self.path, entry.key)
            };
            let message = match nearest(&entry.key, asked.iter().copied()) {
                Some(known) => format!("is not a known key; did you mean {known}?"),
                None => "is not a known key".to_owned(),
            };
            self.report.warning(entry.key_at, &path, message);
        }
    }
}

/// Of two keys that mean the same, the one that counts: the person's before
/// the settings'. Both in one file is an error.
pub(super) fn one_of<'s, 'a>(
    first: (&'s Section<'a>, &'static str),
    second: (&'s Section<'a>, &'static str),
) -> (&'s Section<'a>, &'static str) {
    let (Some(a), Some(b)) = (first.0.get(first.1), second.0.get(second.1)) else {
        return if first.0.get(first.1).is_some() { first } else { second };
    };
    if a.at.source == b.at.source {
        let message = format!(
            "is also set as {} on line {}; keep one of them",
            first.0.path_of(first.1),
            a.at.line
        );
        second.0.report.error(b.at, &second.0.path_of(second.1), message);
    }
    if b.at.source < a.at.source { second } else { first }
}

pub(super) fn text_of(node: &Node) -> Option<&str> {
    match &node.value {
        Value::Scalar { text, .. } => Some(text),
        Value::Null | Value::List(_) | Value::Map(_) => None,
    }
}

/// A list of texts; a single text is a list of one.
pub(super) fn texts_of(node: &Node) -> Option<Vec<&str>> {
    match &node.value {
        Value::List(items) => items.iter().map(text_of).collect(),
        Value::Scalar { text, .. } => Some(vec![text]),
        Value::Null | Value::Map(_) => None,
    }
}

/// The value in a message: numbers bare, text in quotes and cut short.
pub(super) fn shown(node: &Node) -> String {
    const MOST: usize = 40;
    match &node.value {
        // What a variable holds may be a secret.
        Value::Scalar { written: Some(written), .. } => format!("{written:?}"),
        Value::Null => "empty".to_owned(),
        Value::List(_) => "a list".to_owned(),
        Value::Map(_) => "a map".to_owned(),
        Value::Scalar { text, plain: true, .. } if text.parse::<f64>().is_ok() => text.clone(),
        Value::Scalar { text, .. } if text.chars().count() > MOST => {
            let start: String = text.chars().take(MOST).collect();
            format!("{start:?}…")
        }
        Value::Scalar { text, .. } => format!("{text:?}"),
    }
}
