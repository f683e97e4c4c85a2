//! Asks a model for one turn, again where that helps, until it answers or nobody wants it any more.

use super::choosing::{self, Chosen};
use super::reply::Said;
use super::standing::stand_still;
use super::telling::Telling;
use super::text_calls;
use super::{compact, refused, reply, request, spending, submit};
use crate::chatter::Chatter;
use crate::config::{ModelRef, Part};
use crate::engine::Engine;
use crate::error::EngineError;
use crate::history::{Less, Reader};
use crate::live::{LiveRoom, read_history};
use crate::sidekicks;
use crate::submit::rests;
use models::{AgentTrouble, Model, ModelError, ToolSet};
use plan::{Command, PauseReason, Time, Work, work};
use std::sync::Arc;
use std::time::Duration;

/// Stands for arguments that held a secret; no JSON object, so no tool takes it.
pub(super) const SECRET_ARGS: &str = "\"[redacted]\"";

/// A model that can be asked, and what is known of it.
pub(crate) struct Asked {
    pub(crate) model: Arc<dyn Model>,
    pub(crate) name: ModelRef,
    pub(crate) part: Part,
    /// Whether another model plans for it.
    pub(super) hands_over: bool,
    pub(crate) config: Arc<crate::config::Loaded>,
}

impl Asked {
    fn reader(&self) -> Reader {
        Reader::of(&self.config.config, self.name.clone())
    }
}

pub(crate) async fn ask_model(engine: &Engine, live: &Arc<LiveRoom>) -> Result<(), EngineError> {
    let config = engine.shared.config.current();
    if let Some(error) = choosing::gone(engine, live, &config.config) {
        return trouble(engine, live, &error);
    }
    let chosen = choosing::choose(&config.config, &live.lock().room);
    let asked = match chosen {
        Ok(Chosen { name, part, hands_over }) => {
            let begun = live.lock().room.seq;
            // The keyring may have to be unlocked first, which a person may never do.
            let model = tokio::select! {
                model = choosing::model(engine, live, &config.config, &name) => model,
                () = no_longer_wanted(engine, live, begun) => return Ok(()),
            };
            match model {
                Ok(model) => Asked { model, name, part, hands_over, config },
                Err(error) => return trouble(engine, live, &error),
            }
        }
        Err(error) => return trouble(engine, live, &error),
    };
    if live.lock().room.planning.is_some_and(|planning| planning.is_given_up()) {
        return planned_nothing(engine, live, &asked);
    }
    let nowhere = live.lock().room.gets_nowhere(&asked.config.config.caps);
    if let Some(text) = nowhere {
        let (reason, code) = (PauseReason::Attempts, "STUCK".to_owned());
        submit(engine, live, Command::Trouble { reason, code, text, until: None }, Vec::new())?;
        return Ok(());
    }
    if !ready_history(engine, live, &asked).await? {
        return Ok(());
    }
    if let Some(text) = spending::reached(engine, live, &asked).await? {
        return stand_still(engine, live, PauseReason::Cap, "LIMIT_REACHED", text);
    }
    if compact::is_due(engine, live, &asked) {
        compact::compact(engine, live, &asked).await?;
        return Ok(());
    }
    let begun = live.lock().room.seq;
    tokio::select! {
        () = crate::mcp::ready(engine, live) => {}
        () = no_longer_wanted(engine, live, begun) => return Ok(()),
    }
    let _quiet = Quiet(live);
    let mut used = crate::profiles::in_use(engine, &asked.name);
    let waited = live.lock().room.member.as_ref().map_or(0, |member| member.waited);
    let (mut failures, mut less, mut free) = (waited, Less::default(), false);
    let mut bare = false;
    loop {
        // It was put away meanwhile, and is read anew.
        let Some((mut request, seen)) = request::of(engine, live, &asked) else { return Ok(()) };
        request.force = request.force.filter(|_| !free);
        if bare {
            (request.tools, request.force) = (ToolSet::new(asked.model.protocol(), &[]), None);
        }
        let offered = request.tools.clone();
        let size = request.system.len() + request.history.len() + offered.text().len();
        live.chatter.send(Chatter::Thinking { after: seen });
        let force = request.force.clone();
        let asking = text_calls::Asking::of(engine, live, &asked, &request);
        let telling = Telling::new(&engine.shared.redactor, &live.chatter, force.as_ref());
        let heard = tokio::select! {
            heard = reply::listen(&asked, request, Some(telling)) => heard,
            () = no_longer_wanted(engine, live, seen) => return Ok(()),
        };
        match heard {
            Ok(mut said) => {
                used.answered();
                said.read(engine, live, force.as_ref(), asking).await?;
                return reply::record(engine, live, &asked, said, seen).await;
            }
            // As any other call that can't be read: the model hears of it.
            Err(ModelError::UnreadCall { message, written }) => {
                used.answered();
                let said = Said::of_unread_call(offered.names(), &message, &written, size);
                return reply::record(engine, live, &asked, said, seen).await;
            }
            // It can only answer.
            Err(ModelError::BadRequest { message })
                if !offered.names().is_empty() && message.contains("does not support tools") =>
            {
                bare = true;
            }
            // A server may not know how to hold a model to an answer.
            Err(ModelError::BadRequest { .. }) if force.is_some() => free = true,
            Err(error) if let Some(still_less) = refused::after(live, &error, failures, less) => {
                less = still_less;
                if !read_anew(engine, live, &asked, less).await? {
                    return Ok(());
                }
            }
            // It may do less than when it was asked: another one is.
            Err(ModelError::Agent(AgentTrouble::Recalled { .. })) => return Ok(()),
            Err(ModelError::ContextTooLong) if compact::can_help(live) => {
                compact::compact(engine, live, &asked).await?;
                return Ok(());
            }
            Err(error) => {
                failures += 1;
                let Some(wait) = models::retry_after(&error, failures, jitter()) else {
                    if less != Less::default() {
                        // It was not that: the next time all is told again.
                        live.lock().history = None;
                    }
                    return trouble(engine, live, &error);
                };
                if is_busy(&error) && live.lock().room.member.is_some() {
                    return wait_for_provider(engine, live, &error, wait);
                }
                let in_ms = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX);
                let why = engine.shared.redactor.clean(error.to_string());
                live.chatter.send(Chatter::Retry { attempt: failures, in_ms, why });
                let until = later(engine.shared.clock.now(), wait);
                // Waiting for a provider is no work, so a sidekick's time stands still.
                sidekicks::rest(engine, live)?;
                tokio::select! {
                    () = engine.shared.clock.until(until) => {}
                    () = no_longer_wanted(engine, live, seen) => return Ok(()),
                }
                sidekicks::work_on(engine, live)?;
            }
        }
    }
}

/// Reads the conversation from the log when it is not in memory in the form this
/// model reads; whether it can be used.
async fn ready_history(
    engine: &Engine,
    live: &Arc<LiveRoom>,
    asked: &Asked,
) -> Result<bool, EngineError> {
    let (protocol, reader) = (asked.model.protocol(), asked.reader());
    let is_ready = |live: &LiveRoom| {
        let inner = live.lock();
        inner.history.as_ref().is_some_and(|history| history.serves(protocol, &reader))
    };
    if is_ready(live) {
        return Ok(true);
    }
    read_anew(engine, live, asked, Less::default()).await
}

/// Reads the conversation from the log without what is left out; whether it can be used.
async fn read_anew(
    engine: &Engine,
    live: &Arc<LiveRoom>,
    asked: &Asked,
    less: Less,
) -> Result<bool, EngineError> {
    let (protocol, reader) = (asked.model.protocol(), asked.reader());
    let seq = live.lock().room.seq;
    tokio::select! {
        stored = live.stored_beyond(seq - 1) => {
            if !stored {
                return Ok(false);
            }
        }
        () = engine.shared.stopping.cancelled() => return Ok(false),
    }
    let (journal, id) = (Arc::clone(&engine.shared.journal), live.id);
    let read = move || read_history(id, &*journal, protocol, reader, less);
    let read = tokio::task::spawn_blocking(read).await;
    let Ok(history) = read else { return Ok(false) };
    let history = history?;
    let mut inner = live.lock();
    // What came in while it was read is not in it: read again. Where nobody is asked any more it is
    // not kept.
    if inner.room.seq == seq && !rests(&inner.room) {
        inner.history = Some(history);
    }
    Ok(inner.room.seq == seq)
}

/// Tells that the model is no longer asked, however that came about.
struct Quiet<'a>(&'a LiveRoom);

impl Drop for Quiet<'_> {
    fn drop(&mut self) {
        let after = self.0.lock().room.seq;
        self.0.chatter.send(Chatter::Quiet { after });
    }
}

/// Returns when the answer to what was seen is no longer wanted: paused or cancelled since, if only
/// for a moment, or a plan above is paused, or the app stops.
pub(super) async fn no_longer_wanted(engine: &Engine, live: &LiveRoom, seen: u64) {
    let mut changed = live.changed.subscribe();
    let gone = async {
        loop {
            {
                let inner = live.lock();
                let halted = inner.room.halted_seq > seen || work::next(&inner.room) != Work::Model;
                if inner.broken || halted {
                    return;
                }
            }
            if sidekicks::is_held(engine, live) {
                return;
            }
            if changed.changed().await.is_err() {
                return;
            }
        }
    };
    tokio::select! {
        () = gone => {}
        () = engine.shared.stopping.cancelled() => {}
    }
}

/// The planning model was told often enough to come to an end.
fn planned_nothing(
    engine: &Engine,
    live: &Arc<LiveRoom>,
    asked: &Asked,
) -> Result<(), EngineError> {
    let text = format!(
        "{} was asked for a plan and neither wrote one nor answered in words; say how to go on, \
         or choose another plan_model",
        asked.name
    );
    let (reason, code) = (PauseReason::Attempts, "NO_PLAN".to_owned());
    submit(engine, live, Command::Trouble { reason, code, text, until: None }, Vec::new())?;
    Ok(())
}

/// The model can't be asked: the plan is paused and says why.
pub(super) fn trouble(
    engine: &Engine,
    live: &Arc<LiveRoom>,
    error: &ModelError,
) -> Result<(), EngineError> {
    let text = engine.shared.redactor.clean(error.to_string());
    let Some(reset) = error.renewal() else {
        return stand_still(engine, live, PauseReason::Provider, error.code(), text);
    };
    wait_for_provider(engine, live, error, reset)
}

/// Whether a provider has too much to do, or allows no more for now.
fn is_busy(error: &ModelError) -> bool {
    matches!(
        error,
        ModelError::RateLimited { .. }
            | ModelError::Overloaded { .. }
            | ModelError::Server { retry_after: Some(_), .. }
    )
}

/// Notes until when the provider lets this room wait. A council member does so even for a moment:
/// its council has to know what of its turn it can't use.
fn wait_for_provider(
    engine: &Engine,
    live: &Arc<LiveRoom>,
    error: &ModelError,
    wait: Duration,
) -> Result<(), EngineError> {
    let text = engine.shared.redactor.clean(error.to_string());
    let (reason, code) = (PauseReason::Quota, error.code().to_owned());
    let until = Some(later(engine.shared.clock.now(), wait));
    submit(engine, live, Command::Trouble { reason, code, text, until }, Vec::new())?;
    Ok(())
}

fn later(now: Time, wait: Duration) -> Time {
    Time(now.0.saturating_add(i64::try_from(wait.as_millis()).unwrap_or(i64::MAX)))
}

/// A number from 0 to 1 that differs from one try to the next.
fn jitter() -> f64 {
    let bits = crate::fresh_id().as_u128() & 0xffff_ffff;
    f64::from(u32::try_from(bits).unwrap_or(0)) / f64::from(u32::MAX)
}
