//! Names of models: what a person writes, and which model of which provider
//! that is.

use std::fmt;

use super::Config;
use super::nearest::nearest;
use super::provider::ProviderConfig;
use super::table;

/// One model of one provider, written `provider/model`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ModelRef {
    /// The name of a configured provider.
    pub provider: String,
    /// The name the provider knows it by; it may hold slashes.
    pub model: String,
}

impl ModelRef {
    /// A model of a provider.
    pub fn new(provider: impl Into<String>, model: impl Into<String>) -> Self {
        Self { provider: provider.into(), model: model.into() }
    }
}

impl fmt::Display for ModelRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.provider, self.model)
    }
}

/// Why a name stands for no model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ModelNameError {
    /// The part before the slash names no provider.
    #[error("there is no provider {provider:?}; there are: {}", .known.join(", "))]
    UnknownProvider {
        /// What was written.
        provider: String,
        /// Every provider there is.
        known: Vec<String>,
    },
    /// A bare name that is neither an alias nor in the model table.
    #[error("no provider is known for it; write provider/model{}", hint(.nearest))]
    UnknownName {
        /// A known name that is close.
        nearest: Option<String>,
    },
    /// A bare name that stands for several models.
    #[error("it could be {}; write one of them", either(.0))]
    Ambiguous(Vec<ModelRef>),
    /// One side of the slash, or the whole name, is empty.
    #[error("a name is missing; write provider/model")]
    Empty,
    /// An alias that leads back to itself.
    #[error("the alias leads back to itself: {}", .0.join(" → "))]
    Circle(Vec<String>),
}

fn hint(nearest: &Option<String>) -> String {
    nearest.as_ref().map_or_else(String::new, |name| format!("; did you mean {name}?"))
}

fn either(candidates: &[ModelRef]) -> String {
    let names: Vec<String> = candidates.iter().map(ModelRef::to_string).collect();
    names.join(" or ")
}

/// Finds the model a name stands for. `backend` is the provider of the agent
/// that uses the name, if it says one.
pub(super) fn resolve(
    config: &Config,
    name: &str,
    backend: Option<&str>,
) -> Result<ModelRef, ModelNameError> {
    let mut seen = Vec::new();
    let mut name = name.trim();
    while !name.contains('/') {
        let Some(next) = config.models.aliases.get(name) else {
            return bare(config, name, backend);
        };
        let again = seen.contains(&name.to_owned());
        seen.push(name.to_owned());
        if again {
            return Err(ModelNameError::Circle(seen));
        }
        name = next;
    }
    let (provider, model) = name.split_once('/').unwrap_or((name, ""));
    if provider.is_empty() || model.is_empty() {
        return Err(ModelNameError::Empty);
    }
    // The built-in model has had two names.
    let is_demo = provider == "demo" && !config.providers.contains_key(provider);
    let provider = if is_demo { "rehearsal" } else { provider };
    if !config.providers.contains_key(provider) {
        return Err(ModelNameError::UnknownProvider {
            provider: provider.to_owned(),
            known: config.providers.keys().cloned().collect(),
        });
    }
    Ok(ModelRef::new(provider, model))
}

fn bare(config: &Config, name: &str, backend: Option<&str>) -> Result<ModelRef, ModelNameError> {
    if name.is_empty() {
        return Err(ModelNameError::Empty);
    }
    let mut candidates: Vec<ModelRef> = table::named(name).to_vec();
    let described = config.models.facts.keys().filter(|model| model.model == name);
    for model in described {
        if !candidates.contains(model) {
            candidates.push(model.clone());
        }
    }
    if let Some(backend) = backend {
        // A host serves models of others under their own names, so its word is
        // final; the maker of one model does not serve those of another maker.
        let provider = config.providers.get(backend);
        if let Some(own) = candidates.iter().find(|model| model.provider == backend) {
            return Ok(own.clone());
        }
        if candidates.is_empty() || provider.is_some_and(ProviderConfig::hosts_others) {
            return Ok(ModelRef::new(backend, name));
        }
        let made = provider.and_then(ProviderConfig::maker);
        if let Some(same) = candidates.iter().find(|model| Some(model.provider.as_str()) == made) {
            return Ok(ModelRef::new(backend, &same.model));
        }
        candidates.push(ModelRef::new(backend, name));
    }
    match candidates.as_slice() {
        [only] => Ok(only.clone()),
        [] => Err(unknown(config, name)),
        [_, _, ..] => Err(ModelNameError::Ambiguous(candidates)),
    }
}

fn unknown(config: &Config, name: &str) -> ModelNameError {
    let mut known: Vec<&str> = table::names().collect();
    known.extend(config.models.aliases.keys().map(String::as_str));
    ModelNameError::UnknownName { nearest: nearest(name, known).map(str::to_owned) }
}
