//! Reads `models:`, which holds short names for models and facts about them.

use std::collections::BTreeMap;

use super::Config;
use super::facts::ModelFacts;
use super::model_ref::ModelRef;
use super::read_agents::named_model;
use super::section::{Section, text_of};
use super::tree::{Node, Value};

/// What a configuration says about models.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Models {
    /// Short names, each with what it stands for: `provider/model` or another name.
    pub aliases: BTreeMap<String, String>,
    /// What is said about single models; [`Config::facts`] fills the gaps.
    pub facts: BTreeMap<ModelRef, ModelFacts>,
}

/// Reads every entry into the configuration, whose providers are read before.
pub(super) fn read(section: &Section<'_>, config: &mut Config) {
    // All names first: an alias may stand for one that is written later.
    for (name, node, path) in section.named() {
        if let Some(target) = target(section, node, &path) {
            config.models.aliases.insert(name.to_owned(), target);
        }
    }
    for (name, node, path) in section.named() {
        let inner = match &node.value {
            Value::Map(_) => Section::new(section.report, path, Some(node)),
            Value::Null | Value::Scalar { .. } | Value::List(_) => {
                check_alias(section, name, node, config);
                continue;
            }
        };
        inner.get("provider");
        inner.get("model");
        let facts = ModelFacts::read(&inner);
        inner.finish();
        let key = Node {
            at: node.at,
            value: Value::Scalar { text: name.to_owned(), plain: true, written: None },
        };
        if let Some(model) = named_model(section, name, &key, None, config) {
            let merged = config.models.facts.get(&model).copied().unwrap_or_default();
            config.models.facts.insert(model, facts.or(merged));
        }
    }
}

/// What an entry stands for: text alone, or `provider` and `model` in a map.
fn target(section: &Section<'_>, node: &Node, path: &str) -> Option<String> {
    match &node.value {
        Value::Scalar { text, .. } => Some(text.clone()),
        Value::Map(_) => {
            let inner = Section::new(section.report, path, Some(node));
            let model = inner.name("model")?;
            let provider = inner.name("provider");
            Some(provider.map_or(model.clone(), |provider| format!("{provider}/{model}")))
        }
        Value::Null => None,
        Value::List(_) => {
            section.report.error(node.at, path, "is a list; allowed: provider/model, a map");
            None
        }
    }
}

fn check_alias(section: &Section<'_>, name: &str, node: &Node, config: &Config) {
    if name.contains('/') && text_of(node).is_some() {
        let message = "is a full name; allowed: a map of facts";
        section.report.error(node.at, &section.path_of(name), message);
        return;
    }
    if text_of(node).is_some() {
        named_model(section, name, node, None, config);
    }
}
