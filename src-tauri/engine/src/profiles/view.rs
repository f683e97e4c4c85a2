//! What is known of models, as people and programs see it.

use super::{KnownProfile, ProfileSource, model_at, suggestion, words};
use crate::config::{ModelRef, form_word};
use crate::engine::Engine;
use models::{Profile, Usage};
use plan::Time;
use serde::Serialize;

/// What one model can do, and how that is known.
#[derive(Debug, Clone, PartialEq, Serialize, ts_rs::TS, utoipa::ToSchema)]
pub struct ModelProfile {
    /// The model, as `provider/model`.
    pub model: String,
    /// Where it is; absent for the rehearsal and for external agents, which can't be checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub address: Option<String>,
    /// The agents that execute with it.
    pub agents: Vec<String>,
    /// The agents that plan with it.
    pub plans_for: Vec<String>,
    /// Where what is known comes from.
    pub source: ProfileSource,
    /// When it was checked, if it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    #[schema(value_type = Option<i64>)]
    pub checked_at: Option<Time>,
    /// What that means, in short sentences.
    pub words: Vec<String>,
    /// The fields, as a configuration names them.
    pub profile: ProfileFields,
    /// A configured model that would plan better for those of its agents that have no
    /// `plan_model`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub plan_model: Option<String>,
}

/// What a model can do, in the words of a configuration.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ts_rs::TS, utoipa::ToSchema)]
pub struct ProfileFields {
    /// How its tool calls arrive: `native`, `text` or `none`.
    pub tools: &'static str,
    /// Whether it gets few tools with few fields.
    pub simple: bool,
    /// Whether it makes several calls in one answer.
    pub parallel: bool,
    /// Whether its answer can be held to a JSON schema.
    pub schema: bool,
    /// Whether a tool can be forced on it.
    pub forced_tool: bool,
    /// Whether it thinks before it answers.
    pub thinks: bool,
    /// Tokens it can hold at once, where known.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub context_window: Option<u64>,
}

/// What came of a check.
#[derive(Debug, Clone, PartialEq, Serialize, ts_rs::TS, utoipa::ToSchema)]
pub struct CheckedModel {
    /// The model that was asked, as `provider/model`.
    pub model: String,
    /// It could be checked.
    pub ok: bool,
    /// A stable code where it could not.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub code: Option<&'static str>,
    /// What it can do, or why that was not found out, in short sentences.
    pub words: Vec<String>,
    /// What is known of it now.
    pub profile: ProfileFields,
    /// How many requests the check took.
    pub requests: u32,
    /// Tokens the model read.
    pub input_tokens: u64,
    /// Tokens it wrote.
    pub output_tokens: u64,
    /// What that cost, in dollars; absent where the model has no price.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub cost: Option<f64>,
}

impl From<&Profile> for ProfileFields {
    fn from(profile: &Profile) -> Self {
        Self {
            tools: form_word(profile.calls),
            simple: profile.simple,
            parallel: profile.parallel,
            schema: profile.schema,
            forced_tool: profile.forced_tool,
            thinks: profile.thinks,
            context_window: profile.window,
        }
    }
}

impl Engine {
    /// What is known of every model that an agent uses, in the order of the agents.
    pub fn model_profiles(&self) -> Vec<ModelProfile> {
        let config = self.config().current();
        let mut agents = config.config.agents.clone();
        if agents.is_empty() {
            agents.push(config.config.default_agent());
        }
        let mut models: Vec<ModelRef> = Vec::new();
        for agent in &agents {
            for model in std::iter::once(&agent.model).chain(&agent.plan_model) {
                if !models.contains(model) {
                    models.push(model.clone());
                }
            }
        }
        models.iter().map(|model| self.model_profile(model)).collect()
    }

    fn model_profile(&self, model: &ModelRef) -> ModelProfile {
        let config = self.config().current();
        let named = |agents: Vec<&str>| agents.into_iter().map(str::to_owned).collect();
        let agents = config.config.agents.iter();
        let executes = agents.clone().filter(|agent| agent.model == *model);
        let plans = agents.filter(|agent| agent.plan_model.as_ref() == Some(model));
        let known = self.known_profile(model);
        let better = suggestion::plan_model(self, &config.config, model);
        let better = better.map(|better| better.to_string());
        let at = model_at(&config.config, model);
        ModelProfile {
            model: model.to_string(),
            words: self.words(model, &known, better.as_deref()),
            address: at.map(|at| at.address),
            agents: named(executes.map(|agent| agent.name.as_str()).collect()),
            plans_for: named(plans.map(|agent| agent.name.as_str()).collect()),
            source: known.source,
            checked_at: known.checked_at,
            profile: ProfileFields::from(&known.profile),
            plan_model: better,
        }
    }

    fn words(&self, model: &ModelRef, known: &KnownProfile, better: Option<&str>) -> Vec<String> {
        let config = self.config().current();
        let provider = config.config.providers.get(&model.provider);
        words::of(provider.map(|provider| provider.protocol()), known, better)
    }
}

/// What came of a check; `trouble` is a code and words where there was no answer.
pub(super) fn checked(
    engine: &Engine,
    model: &ModelRef,
    trouble: Option<(&'static str, String)>,
    usage: Usage,
    requests: u32,
) -> CheckedModel {
    let config = engine.config().current();
    let known = engine.known_profile(model);
    let better = suggestion::plan_model(engine, &config.config, model);
    let (code, words) = match trouble {
        Some((code, why)) => (Some(code), vec![words::not_checked(model, &why)]),
        None => (None, engine.words(model, &known, better.map(|one| one.to_string()).as_deref())),
    };
    let prices = config.config.facts(model).prices;
    CheckedModel {
        model: model.to_string(),
        ok: code.is_none(),
        code,
        words,
        profile: ProfileFields::from(&known.profile),
        requests,
        input_tokens: usage.input,
        output_tokens: usage.output,
        cost: prices.map(|prices| prices.of(&usage) as f64 / 1_000_000.0),
    }
}
