//! What a model can do, so that it is asked in the way it does best.
//!
//! Field by field, the first that says something counts: the person's configuration, the model
//! table, the model's name, and else a model is taken to be an able one.

use crate::config::{Abilities, Config, ModelRef, ProviderKind, named_abilities};
use crate::engine::Engine;
use models::Profile;

/// Where what is known of a model comes from: the strongest that said something.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    serde::Serialize,
    serde::Deserialize,
    utoipa::ToSchema,
    ts_rs::TS,
)]
#[serde(rename_all = "snake_case")]
pub enum ProfileSource {
    /// The person's configuration.
    Config,
    /// The table of well-known models.
    Table,
    /// The model's name: its family, or its size.
    Name,
    /// Nothing is known.
    Default,
}

/// What is known of a model, and where that comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KnownProfile {
    /// What it can do.
    pub profile: Profile,
    /// Where that comes from.
    pub source: ProfileSource,
}

impl Engine {
    /// What a model can do, as far as is known now. Cheap: nothing is asked or read.
    pub fn profile(&self, model: &ModelRef) -> Profile {
        self.known_profile(model).profile
    }

    /// The same, with where it comes from.
    pub fn known_profile(&self, model: &ModelRef) -> KnownProfile {
        known(&self.config().current().config, model)
    }
}

/// What is known of a model by a configuration.
fn known(config: &Config, model: &ModelRef) -> KnownProfile {
    let (said, table) = (config.said(model), config.in_table(model).unwrap_or_default());
    let named = named_abilities(&model.model);
    let abilities = said.abilities.or(table.abilities).or(named).or(by_server(config, model));
    let window = said.context_window.or(table.context_window);
    let profile = Profile { window, ..abilities.over(Profile::default()) };
    let layers = [
        (said.abilities, ProfileSource::Config),
        (table.abilities, ProfileSource::Table),
        (named, ProfileSource::Name),
    ];
    let source = layers.into_iter().find(|(abilities, _)| abilities.is_some());
    KnownProfile { profile, source: source.map_or(ProfileSource::Default, |(_, source)| source) }
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
        known(config, &config.model(model, None).unwrap())
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
}
