//! Reads an agent's `backend:`, the way other files name a provider.

use super::Config;
use super::agent::AgentConfig;
use super::model_ref::ModelRef;
use super::nearest::nearest;
use super::provider::{
    AgentProgram, ProviderConfig, ProviderKind, kind_of, kind_words, kinds, usual,
};
use super::read_agents::named_model;
use super::read_providers::{address, api, key_env, only_for_programs, program, refuse_keys};
use super::section::{Section, shown, text_of};
use super::tree::Node;

/// What an agent's backend comes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Backend {
    /// It says none.
    Unsaid,
    /// A provider of that name.
    Provider(String),
    /// Nothing here goes by that type, so the agent is unavailable.
    Unknown(String),
    /// It is wrong, which is reported; what depends on it is left alone.
    Bad,
}

impl Backend {
    /// The provider, if it is one.
    pub(super) fn provider(&self) -> Option<&str> {
        match self {
            Self::Provider(name) => Some(name),
            Self::Unsaid | Self::Unknown(_) | Self::Bad => None,
        }
    }
}

/// The provider a backend stands for. One with an address, a key or a command
/// of its own becomes a provider with the agent's name.
pub(super) fn backend(section: &Section<'_>, agent: &str, config: &mut Config) -> Backend {
    refuse_keys(section);
    let (address, key, program) =
        (address(section, "base_url"), key_env(section), program(section));
    let chosen = section.get("api").is_some();
    let own = address.is_some() || key.is_some() || program != AgentProgram::default() || chosen;
    let Some(node) = section.get("type") else {
        if !own {
            return Backend::Unsaid;
        }
        section.report.error(section.at, &section.path, "has no type");
        return Backend::Bad;
    };
    let word = text_of(node).unwrap_or_default();
    if !own && config.providers.contains_key(word) {
        return Backend::Provider(word.to_owned());
    }
    let Some((usual_name, kind)) = kind_of(word) else {
        return unknown(section, node, word, config);
    };
    if !own && config.providers.contains_key(usual_name) {
        return Backend::Provider(usual_name.to_owned());
    }
    let mut provider = usual(kind, usual_name).with(address, key, program);
    provider.api = api(section, &provider);
    only_for_programs(section, &provider);
    if let Some(missing) = provider.missing() {
        let message =
            format!("is {}; it needs {missing} beside it, or a provider of that name", shown(node));
        section.report.error(node.at, &section.path_of("type"), message);
        return Backend::Bad;
    }
    let name = if own { agent } else { usual_name };
    if config.providers.contains_key(name) {
        let message = format!(
            "needs a provider of its own, but {name:?} is one already; name it as the type"
        );
        section.report.error(section.at, &section.path, message);
        return Backend::Bad;
    }
    config.providers.insert(name.to_owned(), provider);
    Backend::Provider(name.to_owned())
}

/// A type that only other programs know makes no error: the rest of the file can be used.
fn unknown(section: &Section<'_>, node: &Node, word: &str, config: &Config) -> Backend {
    if word.is_empty() || config.providers.contains_key(word) {
        section.bad("type", node, &format!("{}, or the name of a provider", kind_words()));
        return Backend::Bad;
    }
    // Short names of different makers are close by chance.
    let slip = nearest(word, kinds()).filter(|_| word.len() > 4);
    let meant = match slip {
        Some(known) => format!("did you mean {known}?"),
        None => format!("known: {}", kind_words()),
    };
    let message =
        format!("is {}, which is not supported; the agent is unavailable; {meant}", shown(node));
    section.report.warning(node.at, &section.path_of("type"), message);
    Backend::Unknown(word.to_owned())
}

/// A model named inside a backend is a name that backend knows: hosts have
/// names with slashes, such as `openai/gpt-oss-20b` in LM Studio.
pub(super) fn backend_model(
    section: &Section<'_>,
    node: &Node,
    backend: &Backend,
    config: &Config,
) -> Option<ModelRef> {
    let name = text_of(node).unwrap_or_default();
    let backend = match backend {
        Backend::Provider(backend) => Some(backend.as_str()),
        Backend::Unsaid => None,
        Backend::Unknown(_) | Backend::Bad => return None,
    };
    if let Some(backend) = backend
        && name.contains('/')
        && !name.starts_with(&format!("{backend}/"))
        && config.providers.get(backend).is_some_and(ProviderConfig::hosts_others)
    {
        return Some(ModelRef::new(backend, name));
    }
    named_model(section, "model", node, backend, config)
}

/// An agent may leave its model out: a program brings its own, and an agent
/// with no backend at all goes on the tour, with a warning.
pub(super) fn absent_model(
    section: &Section<'_>,
    backend: &Backend,
    config: &Config,
) -> Option<ModelRef> {
    let name = match backend {
        Backend::Provider(name) => name,
        Backend::Unknown(_) | Backend::Bad => return None,
        Backend::Unsaid => {
            let tour = AgentConfig::tour().model;
            let message = format!("names no model; it runs on {tour}");
            section.report.warning(section.at, &section.path, message);
            return Some(tour);
        }
    };
    let kind = config.providers.get(name).map(|provider| &provider.kind);
    if let Some(ProviderKind::CommandLineAgent(_)) = kind {
        return Some(ModelRef::new(name, "default"));
    }
    let message = "has a backend but names no model";
    section.report.error(section.at, &section.path, message);
    None
}
