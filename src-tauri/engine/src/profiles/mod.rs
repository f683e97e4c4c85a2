//! What a model can do, so that it is asked in the way it does best.
//!
//! Field by field, the first that says something counts: the person's configuration, a check of
//! that model at that address, the model table, the model's name, and else a model is taken to be
//! an able one.

mod answer;
mod check;
mod first_use;
mod in_text;
mod kept;
mod local;
mod probe;
mod questions;
mod server;
mod suggestion;
mod uses;
mod view;
mod words;

use crate::config::{Abilities, Config, ModelRef, ProviderKind, named_abilities};
use crate::engine::Engine;
use kept::{KeptProfile, KeptProfiles, ModelAt};
use models::{CallForm, Profile, Protocol};
use plan::Time;
use std::collections::HashSet;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use uses::Uses;

pub(crate) use first_use::in_use;
pub use view::{CheckedModel, ModelProfile, ProfileFields};

/// What was found out about models, and who uses them now.
pub(crate) struct Profiles {
    kept: KeptProfiles,
    uses: Arc<Uses>,
    /// One check at a time: two at once would slow each other down.
    checking: tokio::sync::Mutex<()>,
    /// What is or was checked by itself since the start, whatever came of it.
    begun: Mutex<HashSet<ModelAt>>,
}

impl Profiles {
    /// What was found out before, from the data folder.
    pub(crate) fn read(data: &Path) -> Self {
        let (kept, uses) = (KeptProfiles::read(data), Arc::default());
        let checking = tokio::sync::Mutex::new(());
        Self { kept, uses, checking, begun: Mutex::default() }
    }

    /// Whether a check by itself is begun for the first time since the start.
    fn begin_once(&self, at: &ModelAt) -> bool {
        self.begun.lock().unwrap_or_else(PoisonError::into_inner).insert(at.clone())
    }
}

/// Where what is known of a model comes from: the strongest that said something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, utoipa::ToSchema, ts_rs::TS)]
#[serde(rename_all = "snake_case")]
pub enum ProfileSource {
    /// The person's configuration.
    Config,
    /// A check of this model at this address.
    Probe,
    /// The table of well-known models.
    Table,
    /// The model's name: its family, or its size.
    Name,
    /// Nothing is known.
    Default,
}

/// How a model writes plans.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Planning {
    /// In the full form.
    Full,
    /// In the form with few fields.
    Simple,
    /// In neither.
    No,
}

/// What is known of a model, and where that comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KnownProfile {
    /// What it can do.
    pub profile: Profile,
    /// How it writes plans.
    pub planning: Planning,
    /// Where that comes from.
    pub source: ProfileSource,
    /// When it was checked, if it was.
    pub checked_at: Option<Time>,
}

impl Engine {
    /// What a model can do, as far as is known now. Cheap: nothing is asked or read.
    pub fn profile(&self, model: &ModelRef) -> Profile {
        self.known_profile(model).profile
    }

    /// The same, with where it comes from.
    pub fn known_profile(&self, model: &ModelRef) -> KnownProfile {
        let config = self.config().current();
        let at = model_at(&config.config, model);
        let kept = at.and_then(|at| self.shared.profiles.kept.get(&at));
        known(&config.config, kept, model)
    }
}

/// What is known of a model by a configuration and a check.
fn known(config: &Config, kept: Option<KeptProfile>, model: &ModelRef) -> KnownProfile {
    let (said, table) = (config.said(model), config.in_table(model).unwrap_or_default());
    let named = named_abilities(&model.model);
    let guessed = table.abilities.or(named).or(by_server(config, model)).over(Profile::default());
    let found = kept.map_or(guessed, |kept| kept.profile);
    let window = said.context_window.or(found.window).or(table.context_window);
    let profile = Profile { window, ..said.abilities.over(found) };
    let layers = [
        (said.abilities.is_some(), ProfileSource::Config),
        (kept.is_some(), ProfileSource::Probe),
        (table.abilities.is_some(), ProfileSource::Table),
        (named.is_some(), ProfileSource::Name),
    ];
    let source = layers.into_iter().find(|(says, _)| *says);
    let source = source.map_or(ProfileSource::Default, |(_, source)| source);
    // What a person says of tools and forms counts more than how a plan came out once.
    let settled = said.abilities.tools.is_some() || said.abilities.simple.is_some();
    let seen = kept.filter(|_| !settled).map(|kept| kept.planning);
    let planning = seen.unwrap_or_else(|| planning_of(&profile));
    KnownProfile { profile, planning, source, checked_at: kept.map(|kept| kept.checked_at) }
}

/// How a model writes plans, where that was not seen.
fn planning_of(profile: &Profile) -> Planning {
    match (profile.calls, profile.simple) {
        (CallForm::None, _) => Planning::No,
        (CallForm::Native | CallForm::Text, true) => Planning::Simple,
        (CallForm::Native | CallForm::Text, false) => Planning::Full,
    }
}

/// Which model at which address it is; nothing for the rehearsal and for external agents.
fn model_at(config: &Config, model: &ModelRef) -> Option<ModelAt> {
    let provider = config.providers.get(&model.provider)?;
    let protocol = provider.protocol();
    if matches!(protocol, Protocol::Rehearsal | Protocol::Acp) {
        return None;
    }
    let address = provider.base_url.as_deref()?.trim_end_matches('/').to_owned();
    Some(ModelAt { model: config.name_at_provider(model).to_owned(), address, protocol })
}

/// What a server can do with every model it runs.
fn by_server(config: &Config, model: &ModelRef) -> Abilities {
    let kind = config.providers.get(&model.provider).map(|provider| &provider.kind);
    match kind {
        // Both hold the answer to a grammar, whatever the model.
        Some(ProviderKind::Ollama | ProviderKind::LmStudio) => {
            Abilities { schema: Some(true), ..Abilities::default() }
        }
        Some(
            ProviderKind::Anthropic
            | ProviderKind::OpenAi
            | ProviderKind::ChatCompletion
            | ProviderKind::Gemini
            | ProviderKind::Xai
            | ProviderKind::Rehearsal
            | ProviderKind::CommandLineAgent(_),
        )
        | None => Abilities::default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use models::CallForm;

    fn config(text: &str) -> Config {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("plancard.yaml"), text).unwrap();
        Config::load(folder.path()).unwrap().config
    }

    fn of(config: &Config, model: &str) -> KnownProfile {
        known(config, None, &config.model(model, None).unwrap())
    }

    #[test]
    fn a_model_of_the_table_is_known_by_it() {
        let config = config("");
        let opus = of(&config, "opus");
        assert_eq!(opus.source, ProfileSource::Table);
        let able = Profile {
            calls: CallForm::Native,
            simple: false,
            parallel: true,
            schema: true,
            forced_tool: false,
            thinks: true,
            window: Some(1_000_000),
        };
        assert_eq!(opus.profile, able);
        assert_eq!(of(&config, "anthropic/claude-opus"), opus);
    }

    #[test]
    fn a_local_model_is_known_by_its_name() {
        let config = config("");
        let coder = of(&config, "ollama/qwen2.5-coder:1.5b");
        assert_eq!(coder.source, ProfileSource::Name);
        assert_eq!((coder.profile.calls, coder.profile.simple), (CallForm::Text, true));
        assert!(coder.profile.schema, "the server holds it to a schema");
        assert!(!of(&config, "ollama/qwen2.5-coder:32b").profile.simple);
    }

    #[test]
    fn a_model_nothing_is_known_of_is_an_able_one() {
        let config =
            config("providers: { home: { type: openai, base_url: 'http://127.0.0.1:8080/v1' } }");
        let unknown = of(&config, "home/mine");
        assert_eq!((unknown.profile, unknown.source), (Profile::default(), ProfileSource::Default));
    }

    #[test]
    fn what_a_person_says_wins_field_by_field() {
        let config = config(
            "models:\n  \
             ollama/qwen2.5-coder:1.5b: { tools: native, simple: false, context_window: 4096 }\n  \
             opus: { tools: none }\n  \
             ollama/llama3.1:8b: { context_window: 9000 }\n",
        );
        let coder = of(&config, "ollama/qwen2.5-coder:1.5b");
        assert_eq!(coder.source, ProfileSource::Config);
        assert_eq!((coder.profile.calls, coder.profile.simple), (CallForm::Native, false));
        assert_eq!(coder.profile.window, Some(4096));
        let opus = of(&config, "opus");
        assert_eq!((opus.profile.calls, opus.source), (CallForm::None, ProfileSource::Config));
        assert!(opus.profile.schema, "what was not said comes from the table");
        let llama = of(&config, "ollama/llama3.1:8b");
        assert_eq!((llama.profile.window, llama.source), (Some(9000), ProfileSource::Name));
    }

    #[test]
    fn a_check_counts_more_than_table_and_name_and_less_than_the_person() {
        let config = config(
            "models:\n  ollama/llama3.1:8b: { simple: false }\n  \
             ollama/mistral: { context_window: 8000 }\n",
        );
        let profile = Profile {
            calls: CallForm::None,
            simple: true,
            parallel: false,
            schema: false,
            forced_tool: false,
            thinks: true,
            window: Some(4096),
        };
        let kept = KeptProfile { profile, planning: Planning::No, checked_at: Time(5) };
        let with = |name: &str| known(&config, Some(kept), &config.model(name, None).unwrap());
        for name in ["opus", "ollama/qwen3:32b", "ollama/mine"] {
            let known = with(name);
            assert_eq!((known.profile, known.source), (profile, ProfileSource::Probe), "{name}");
            assert_eq!((known.planning, known.checked_at), (Planning::No, Some(Time(5))));
        }
        let llama = with("ollama/llama3.1:8b");
        assert_eq!(llama.profile, Profile { simple: false, ..profile });
        assert_eq!(llama.source, ProfileSource::Config);
        let mistral = with("ollama/mistral");
        assert_eq!((mistral.profile.window, mistral.source), (Some(8000), ProfileSource::Probe));
    }

    #[test]
    fn a_model_is_kept_by_its_own_name_and_address() {
        let config =
            config("providers: { team: { type: anthropic, base_url: 'https://llm.example/v1/' } }");
        let of = |name: &str| model_at(&config, &config.model(name, None).unwrap());
        let opus = of("team/claude-opus").unwrap();
        let (model, address) = (opus.model.as_str(), opus.address.as_str());
        assert_eq!((model, address), ("claude-opus-5-5", "https://llm.example/v1"));
        assert_eq!(of("rehearsal/tour"), None);
    }
}
