//! Checks a model and keeps what was found out.

use super::answer::Patience;
use super::kept::KeptProfile;
use super::probe::{Probed, Subject, probe};
use super::{CheckedModel, model_at, server, view};
use crate::config::{ModelRef, ProviderConfig};
use crate::engine::Engine;
use crate::error::EngineError;
use models::{ModelError, Profile, Protocol, Usage};

impl Engine {
    /// Checks what a model can do and keeps it; without a name, the model that answers in a new
    /// room. It costs a few short requests.
    pub async fn check_profile(&self, name: Option<&str>) -> Result<CheckedModel, EngineError> {
        let name = self.model_named(name)?;
        Ok(self.checked_profile(&name).await)
    }

    /// The same for a model that is known.
    pub async fn checked_profile(&self, model: &ModelRef) -> CheckedModel {
        // A check in the background ends, and finds later that it is not needed.
        let at = model_at(&self.config().current().config, model);
        let _use = at.map(|at| self.shared.profiles.uses.begin(&at.address));
        self.find_profile(model).await
    }

    /// Checks a model, whoever else asks it.
    pub(super) async fn find_profile(&self, model: &ModelRef) -> CheckedModel {
        let config = self.config().current();
        let provider = config.config.providers.get(&model.provider);
        if let Some(Protocol::Rehearsal | Protocol::Acp) = provider.map(ProviderConfig::protocol) {
            // They do things in their own way, so there is nothing to find out.
            return view::checked(self, model, None, Usage::default(), 0);
        }
        let _one = self.shared.profiles.checking.lock().await;
        let Probed { found, usage, requests } = match self.probed(model).await {
            Ok(probed) => probed,
            Err(error) => Probed { found: Err(error), usage: Usage::default(), requests: 0 },
        };
        let trouble = found.err().map(|error| (error.code(), self.redact(error.to_string())));
        view::checked(self, model, trouble, usage, requests)
    }

    async fn probed(&self, name: &ModelRef) -> Result<Probed, ModelError> {
        let config = self.config().current();
        let model = self.shared.providers.model(&config.config, name).await?;
        let provider = config.config.providers.get(&name.provider);
        let at = model_at(&config.config, name);
        let (Some(provider), Some(at)) = (provider, at) else {
            let message = format!("the provider {} has no address", name.provider);
            return Err(ModelError::Unusable { message });
        };
        let http = self.shared.providers.http();
        let before = self.known_profile(name).profile;
        let said = server::facts(&http, provider, &at.model).await;
        let named = crate::config::named_abilities(&name.model);
        let mut probed = probe(Subject {
            model: &*model,
            name: &at.model,
            billions: said.billions,
            small: named.simple.unwrap_or(false),
            thinks: before.thinks,
            plan: crate::turn::plan_spec(),
            patience: Patience::default(),
        })
        .await;
        if let Ok(found) = &mut probed.found {
            // A server that loads a model when it is first asked knows more now.
            let window = server::facts(&http, provider, &at.model).await.window.or(said.window);
            found.profile = Profile { window, ..found.profile };
            let checked_at = self.shared.clock.now();
            let kept = KeptProfile { profile: found.profile, planning: found.planning, checked_at };
            if let Err(error) = self.shared.profiles.kept.keep(at, kept) {
                tracing::warn!(%error, "what a model can do is not kept for the next start");
            }
        }
        Ok(probed)
    }
}
