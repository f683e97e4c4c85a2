//! A model on this computer that nothing is known of is checked by itself, once it was used.
//!
//! It waits until nobody asks that server: a check would take the model's time, and what it has
//! read so far may have to be read anew. Whoever asks meanwhile ends it, and it is tried later.

use super::uses::Use;
use super::{ModelAt, ProfileSource, local, model_at, server};
use crate::clock::Clock;
use crate::config::{Config, ModelRef};
use crate::engine::{Engine, Shared};
use plan::Time;
use std::sync::{Arc, Weak};

/// How long nobody may have asked the server, in milliseconds.
const QUIET: i64 = 20_000;
/// How often a check is begun anew that others ended.
const TRIES: usize = 3;

/// A model that is asked in a room, for as long as it is.
pub(crate) struct InUse {
    engine: Engine,
    model: ModelRef,
    answered: bool,
    _use: Option<Use>,
}

/// A model is asked in a room.
pub(crate) fn in_use(engine: &Engine, model: &ModelRef) -> InUse {
    let at = model_at(&engine.config().current().config, model);
    let begun = at.map(|at| engine.shared.profiles.uses.begin(&at.address));
    InUse { engine: engine.clone(), model: model.clone(), answered: false, _use: begun }
}

impl InUse {
    /// It answered, so it can be checked.
    pub(crate) fn answered(&mut self) {
        self.answered = true;
    }
}

impl Drop for InUse {
    fn drop(&mut self) {
        if self.answered {
            begin(&self.engine, &self.model);
        }
    }
}

fn begin(engine: &Engine, model: &ModelRef) {
    let Shared { profiles, tasks, runtime, stopping, clock, .. } = &*engine.shared;
    let config = engine.config().current();
    let Some(at) = model_at(&config.config, model) else { return };
    if !is_wanted(engine, &config.config, model) || !profiles.begin_once(&at) {
        return;
    }
    // An engine that nobody else holds any more must not live on for this.
    let later = Later { shared: Arc::downgrade(&engine.shared), clock: Arc::clone(clock) };
    let check = later.check(Arc::clone(&profiles.uses), model.clone(), at);
    tasks.spawn_on(stopping.clone().run_until_cancelled_owned(check), runtime);
}

/// Whether nobody knows what it can do, and nothing is paid for finding out.
fn is_wanted(engine: &Engine, config: &Config, model: &ModelRef) -> bool {
    let unknown = match engine.known_profile(model).source {
        ProfileSource::Config | ProfileSource::Probe | ProfileSource::Table => false,
        ProfileSource::Name | ProfileSource::Default => true,
    };
    unknown && local::is_free(config, model)
}

struct Later {
    shared: Weak<Shared>,
    clock: Arc<dyn Clock>,
}

impl Later {
    async fn check(self, uses: Arc<super::Uses>, model: ModelRef, at: ModelAt) {
        for _ in 0..TRIES {
            self.quiet(&uses, &at.address).await;
            let Some(shared) = self.shared.upgrade() else { return };
            let engine = Engine { shared };
            let config = engine.config().current();
            let provider = config.config.providers.get(&model.provider);
            let Some(provider) = provider.filter(|_| is_wanted(&engine, &config.config, &model))
            else {
                return;
            };
            let work = async {
                let http = engine.shared.providers.http();
                let said = server::facts(&http, provider, &at.model).await;
                // What can't be told from a door to a paid model is left alone.
                if said.runs_models && !said.hands_on {
                    let checked = engine.find_profile(&model).await;
                    tracing::info!(model = %model, ok = checked.ok, "checked what it can do");
                }
            };
            tokio::select! {
                () = work => return,
                () = uses.busy(&at.address) => {}
            }
        }
    }

    /// Returns when nobody has asked the address for a while.
    async fn quiet(&self, uses: &super::Uses, address: &str) {
        loop {
            uses.idle(address).await;
            let until = Time(self.clock.now().0.saturating_add(QUIET));
            tokio::select! {
                () = self.clock.until(until) => return,
                () = uses.busy(address) => {}
            }
        }
    }
}
