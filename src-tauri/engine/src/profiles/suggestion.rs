//! Which configured model would plan better for one that struggles with plans.

use super::{KnownProfile, Planning, ProfileSource, model_at};
use crate::config::{Config, ModelRef};
use crate::engine::Engine;
use models::CallForm;
use std::collections::BTreeSet;

/// A model that plans reliably, for one that does not and has agents without a `plan_model`.
pub(super) fn plan_model(engine: &Engine, config: &Config, model: &ModelRef) -> Option<ModelRef> {
    let alone =
        |agent: &&crate::config::AgentConfig| agent.model == *model && agent.plan_model.is_none();
    // The tour and external agents plan for themselves.
    model_at(config, model)?;
    if config.planner.decomposition_model.is_some() || !config.agents.iter().any(|one| alone(&one))
    {
        return None;
    }
    if engine.known_profile(model).planning == Planning::Full {
        return None;
    }
    let others = configured(config).into_iter().filter(|other| other != model);
    let others = others.filter(|other| model_at(config, other).is_some());
    let known = others.map(|other| (engine.known_profile(&other), other));
    let able = known.filter(|(known, _)| is_able(known));
    able.max_by_key(|(known, _)| (rank(known.source), known.profile.window)).map(|(_, other)| other)
}

/// Every model that the configuration names.
fn configured(config: &Config) -> BTreeSet<ModelRef> {
    let agents = config.agents.iter();
    let of_agents = agents.flat_map(|agent| std::iter::once(&agent.model).chain(&agent.plan_model));
    let aliases = config.models.aliases.keys().filter_map(|name| config.model(name, None).ok());
    of_agents.chain(config.models.facts.keys()).cloned().chain(aliases).collect()
}

/// Whether it is known to plan reliably; what nothing is known of is not suggested.
fn is_able(known: &KnownProfile) -> bool {
    rank(known.source) > 0
        && known.planning == Planning::Full
        && known.profile.calls == CallForm::Native
}

/// How well it is known.
fn rank(source: ProfileSource) -> u8 {
    match source {
        ProfileSource::Config | ProfileSource::Probe | ProfileSource::Table => 2,
        ProfileSource::Name => 1,
        ProfileSource::Default => 0,
    }
}
