//! One model turn: history and ledger out, a reply in.

use super::choosing::{self, Chosen};
use super::forced::{self, Held};
use super::offer::Offer;
use super::standing::stand_still;
use super::telling::Telling;
use super::text_calls::{self, Asking};
use super::{compact, files_here, forcing, prompt, received, refused, spending, stuck, submit, words};
use crate::chatter::Chatter;
use crate::config::{AgentConfig, Config, ModelRef, Part};
use crate::engine::Engine;
use crate::error::EngineError;
use crate::history::{Less, Reader};
use crate::live::{LiveRoom, read_history};
use crate::outputs::OutputForm;
use crate::sidekicks;
use crate::submit::rests;
use futures::StreamExt;
use models::{
    AgentTrouble, CallRequest, Force, Kept, Model, ModelError, ModelEvent, Protocol, Request, Stop,
    Thinking,
};
use plan::{Command, PauseReason, Refusal, Text, Time, Usage, Work, ledger, work};
use std::sync::Arc;
use std::time::Duration;

/// Stands for arguments that held a secret; no JSON object, so no tool takes it.
pub(super) const SECRET_ARGS: &str = "\"[redacted]\"";

/// What a model said in one turn.
#[derive(Default)]
pub(crate) struct Said {
    pub(crate) text: String,
    thinking: String,
    calls: Vec<CallRequest>,
    kept: Option<Kept>,
    usage: models::Usage,
    stop: Option<Stop>,
}

impl Said {
    pub(crate) fn usage(&self) -> &models::Usage {
        &self.usage
    }

    /// Finds the calls that came as words.
    async fn read(
        &mut self,
        engine: &Engine,
        live: &LiveRoom,
        force: Option<&Force>,
        asking: Option<Asking>,
    ) -> Result<(), EngineError> {
        if !self.calls.is_empty() {
            return Ok(());
        }
        let read = match (forced::read(force, &self.text), asking) {
            (Some(Held::Call(call)), _) => Some((String::new(), vec![call])),
            (Some(Held::Answer(words)), _) => Some((words, Vec::new())),
            (None, Some(asking)) => asking.read(engine, live, &self.text, self.stop).await?,
            (None, None) => None,
        };
        if let Some((words, calls)) = read {
            // What was kept belongs to other words.
            (self.text, self.calls, self.kept) = (words, calls, None);
        }
        Ok(())
    }
}

/// A model that can be asked, and what is known of it.
pub(crate) struct Asked {
    pub(crate) model: Arc<dyn Model>,
    pub(crate) name: ModelRef,
    pub(crate) part: Part,
    /// Whether another model plans for it.
    hands_over: bool,
    pub(crate) config: Arc<crate::config::Loaded>,
}

impl Asked {
    fn reader(&self) -> Reader {
        Reader::of(&self.config.config, self.name.clone())
    }
}

pub(crate) async fn ask_model(engine: &Engine, live: &Arc<LiveRoom>) -> Result<(), EngineError> {
    let config = engine.shared.config.current();
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
    if let Some(text) = stuck::why(live, &asked.config.config.caps) {
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
    let (mut failures, mut less, mut free) = (0, Less::default(), false);
    loop {
        // It was put away meanwhile, and is read anew.
        let Some((mut request, seen)) = request(engine, live, &asked) else { return Ok(()) };
        request.force = request.force.filter(|_| !free);
        live.chatter.send(Chatter::Thinking { after: seen });
        let force = request.force.clone();
        let asking = text_calls::Asking::of(engine, &asked, &request);
        let telling = Telling::new(&engine.shared.redactor, &live.chatter, force.as_ref());
        let heard = tokio::select! {
            heard = listen(&asked, request, Some(telling)) => heard,
            () = no_longer_wanted(engine, live, seen) => return Ok(()),
        };
        match heard {
            Ok(mut said) => {
                used.answered();
                said.read(engine, live, force.as_ref(), asking).await?;
                return reply(engine, live, &asked, said, seen).await;
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

/// What a model is asked, and the last event it is shown; nothing while the conversation is not in
/// memory.
pub(super) fn request(engine: &Engine, live: &LiveRoom, asked: &Asked) -> Option<(Request, u64)> {
    let form = OutputForm::by(asked.model.protocol());
    let outputs = crate::goals::outputs(engine, live, form);
    let profile = engine.profile(&asked.name);
    let files = forcing::can_be_led(&profile, asked.model.protocol());
    let files = files.then(|| files_here::words(engine, live)).flatten();
    let mut inner = live.lock();
    let history = inner.history.as_mut()?.shown();
    let room = &inner.room;
    let agent = asked.config.config.agent(room.speaker());
    let protocol = asked.model.protocol();
    let instructions = agent.and_then(|agent| agent.instructions.as_deref());
    let jobs = !live.shell.running().is_empty();
    let offer = Offer::of(room, &profile, jobs, instructions);
    let served = engine.shared.mcp.listed(room.folder());
    let tools = engine.shared.tool_sets.of(protocol, offer, &engine.shared.toolbox, &served);
    let note = || {
        let led = forcing::is_led(&profile, &tools);
        let small = led.then(|| prompt::next(room)).flatten();
        prompt::note(room, &asked.config.config, &profile).or(small)
    };
    let request = Request {
        model: asked.config.config.name_at_provider(&asked.name).to_owned(),
        system: prompt::system(room, protocol, &profile, instructions),
        history,
        tail: joined(files, joined(ledger(room), outputs.or_else(note))),
        force: forcing::force(room, &profile, &tools),
        tools,
        max_output: output_limit(asked),
        thinking: thinking(&asked.config.config, agent, asked.part),
    };
    Some((request, room.seq))
}

/// The most a model may write, where a protocol has to be told.
fn output_limit(asked: &Asked) -> Option<u32> {
    match asked.model.protocol() {
        Protocol::Anthropic => {
            let most = asked.config.config.facts(&asked.name).max_output?;
            u32::try_from(most).ok()
        }
        Protocol::OpenAiChat
        | Protocol::OpenAiResponses
        | Protocol::Gemini
        | Protocol::Rehearsal
        | Protocol::Acp => None,
    }
}

/// How much the model may think, by the part it has: to plan or to execute.
fn thinking(config: &Config, agent: Option<&AgentConfig>, part: Part) -> Option<Thinking> {
    match agent {
        Some(agent) => agent.thinking_in(part),
        None => config.default_agent().thinking_in(part),
    }
}

/// What is told after the conversation.
fn joined(first: Option<String>, second: Option<String>) -> Option<String> {
    match (first, second) {
        (Some(first), Some(second)) => Some(format!("{first}\n{second}")),
        (first, second) => first.or(second),
    }
}

/// Tells that the model is no longer asked, however that came about.
struct Quiet<'a>(&'a LiveRoom);

impl Drop for Quiet<'_> {
    fn drop(&mut self) {
        let after = self.0.lock().room.seq;
        self.0.chatter.send(Chatter::Quiet { after });
    }
}

/// Hears a whole reply, telling its words as they come.
pub(super) async fn listen(
    asked: &Asked,
    request: Request,
    mut telling: Option<Telling<'_>>,
) -> Result<Said, ModelError> {
    let mut stream = asked.model.stream(request).await?;
    let mut said = Said::default();
    while let Some(event) = stream.next().await {
        match event? {
            ModelEvent::Text(delta) => {
                said.text.push_str(&delta);
                if let Some(telling) = &mut telling {
                    telling.text(&delta);
                }
            }
            ModelEvent::Thinking(delta) => {
                said.thinking.push_str(&delta);
                if let Some(telling) = &mut telling {
                    telling.thought(&delta);
                }
            }
            ModelEvent::ToolCall(call) => said.calls.push(call),
            ModelEvent::Kept(kept) => said.kept = Some(kept),
            ModelEvent::Usage(usage) => said.usage = usage,
            ModelEvent::Done(stop) => {
                said.stop = Some(stop);
                telling.into_iter().for_each(Telling::end);
                return Ok(said);
            }
        }
    }
    Err(ModelError::Dropped)
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

async fn reply(
    engine: &Engine,
    live: &Arc<LiveRoom>,
    asked: &Asked,
    said: Said,
    seen: u64,
) -> Result<(), EngineError> {
    let usage = cost(asked, &said.usage);
    if asked.hands_over && choosing::wants_to_plan(engine, live, &said.calls) {
        return set_aside(engine, live, asked, usage, seen);
    }
    let mut blobs = Vec::new();
    let mut keep = |text: String| {
        let (text, blob) = Text::split(engine.shared.redactor.clean(text));
        blobs.extend(blob);
        text
    };
    let workspace = live.lock().room.folder().to_owned();
    let cut = said.stop == Some(Stop::Length);
    let calls = said.calls.into_iter();
    let calls = calls.map(|call| received::call(engine, &workspace, call, cut, &mut keep));
    let calls: Vec<plan::CallRequest> = calls.collect();
    let only_words = calls.is_empty().then(|| said.text.clone());
    let sealed = said.kept.and_then(|kept| sealed(engine, &kept)).map(&mut keep);
    let command = Command::Reply {
        model: asked.name.to_string(),
        text: keep(said.text),
        thinking: (!said.thinking.is_empty()).then(|| keep(said.thinking)),
        calls,
        kept: sealed,
        usage,
        seen,
    };
    record(engine, live, asked, command, blobs, usage)?;
    match only_words {
        Some(said) => words::heard(engine, live, asked, &said),
        None => Ok(()),
    }
}

/// Keeps nothing of a turn but its cost: the planning model is asked instead.
fn set_aside(
    engine: &Engine,
    live: &Arc<LiveRoom>,
    asked: &Asked,
    usage: Usage,
    seen: u64,
) -> Result<(), EngineError> {
    // Whoever follows the turn forgets its words.
    live.chatter.send(Chatter::Thinking { after: seen });
    let turns = {
        let inner = live.lock();
        let plan = inner.room.active_plan();
        let caps = plan.map_or(&asked.config.config.caps, |plan| &plan.frame.caps);
        caps.planning_turns
    };
    let command = Command::SetAside { model: asked.name.to_string(), usage, seen, turns };
    record(engine, live, asked, command, Vec::new(), usage)
}

/// Records a turn; of one that is no longer wanted, only the cost.
fn record(
    engine: &Engine,
    live: &Arc<LiveRoom>,
    asked: &Asked,
    command: Command,
    blobs: Vec<(String, Vec<u8>)>,
    usage: Usage,
) -> Result<(), EngineError> {
    match submit(engine, live, command, blobs) {
        Ok(_) => Ok(()),
        Err(EngineError::Refused(Refusal::Stale)) => {
            let model = asked.name.to_string();
            submit(engine, live, Command::Spend { model, usage }, Vec::new())?;
            Ok(())
        }
        Err(error) => Err(error),
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

/// What is kept for the provider, unless it holds a known secret: it is good only
/// as it came, so it can't be cleaned.
fn sealed(engine: &Engine, kept: &Kept) -> Option<String> {
    let text = serde_json::to_string(kept).ok()?;
    (!engine.shared.redactor.knows(&text)).then_some(text)
}

pub(super) fn cost(asked: &Asked, usage: &models::Usage) -> Usage {
    let prices = asked.config.config.facts(&asked.name).prices;
    let cost = prices.map_or(0, |price| price.of(usage));
    Usage {
        input: usage.input,
        output: usage.output,
        cache_read: usage.cache_read,
        cost_micros: cost,
    }
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
    let (reason, code) = (PauseReason::Quota, error.code().to_owned());
    let until = Some(later(engine.shared.clock.now(), reset));
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
