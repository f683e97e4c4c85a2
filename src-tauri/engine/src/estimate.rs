//! What the rest of a plan may take: a guess, and what it rests on.

use crate::config::{Config, ModelRef};
use crate::engine::Engine;
use crate::error::EngineError;
use crate::history::{History, Less, Reader};
use crate::journal::Journal;
use crate::live::{LiveRoom, decode, read_history};
use crate::turn;
use models::Protocol;
use plan::{Event, Refusal, RoomId, Usage, ledger};
use serde::Serialize;
use std::collections::BTreeSet;

/// Ended steps that are enough to go by.
const ENOUGH: usize = 20;
/// The newest rooms that are looked through, and how many events of each.
const ROOMS: usize = 20;
const EVENTS: usize = 1_000;
/// Where nothing is known: turns of a step, and what each reads and writes beside the
/// conversation and the plan, in tokens.
const TURNS: u64 = 3;
const INSTRUCTIONS: u64 = 4_000;
const WRITTEN: u64 = 400;

/// What the rest of a plan may take.
#[derive(Debug, Clone, PartialEq, Serialize, ts_rs::TS, utoipa::ToSchema)]
pub struct Estimate {
    /// The model that executes.
    pub model: String,
    /// Tokens it may read.
    pub input_tokens: u64,
    /// Tokens it may write.
    pub output_tokens: u64,
    /// What that may cost, in dollars; absent where the model has no price.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub cost: Option<f64>,
    /// What the guess rests on, in one sentence.
    pub basis: String,
}

impl Engine {
    /// What the rest of the active plan may take if this model executes it; without one, the
    /// model that will.
    pub async fn estimate(
        &self,
        room: RoomId,
        model: Option<String>,
    ) -> Result<Estimate, EngineError> {
        let live = self.live(room)?;
        let engine = self.clone();
        let work = move || engine.estimated(&live, model.as_deref());
        tokio::task::spawn_blocking(work).await.unwrap_or(Err(EngineError::Stopping))
    }

    fn estimated(&self, live: &LiveRoom, model: Option<&str>) -> Result<Estimate, EngineError> {
        let loaded = self.shared.config.current();
        let config = &loaded.config;
        let (name, steps, plan_bytes, conversation) = {
            let inner = live.lock();
            let room = &inner.room;
            let plan = room.active_plan().ok_or(Refusal::NoPlan)?;
            let open = plan.steps.iter().filter(|step| !step.state.is_terminal()).count();
            let agent = turn::agent_of(config, room);
            let name = match model.map(str::to_owned).or_else(|| turn::approved(room)) {
                Some(name) => config.model(&name, Some(&agent)).map_err(|error| {
                    EngineError::BadModel { name: name.clone(), why: error.to_string() }
                })?,
                None => agent.model,
            };
            let plan_bytes = ledger(room).map_or(0, |text| text.len());
            let tokens = inner.history.as_ref().map(History::estimated_tokens);
            (name, open as u64, plan_bytes as u64, tokens)
        };
        let journal = &*self.shared.journal;
        let past = past_steps(live.id, journal, &name.to_string())?;
        if let Some(mean) = mean(&past) {
            let count = past.len();
            let (what, were) = if count == 1 { ("step", "was") } else { ("steps", "were") };
            let basis = format!("From the {count} {what} that {were} done by {name} before.");
            return Ok(priced(config, &name, times(&mean, steps), basis));
        }
        let conversation = match conversation {
            Some(tokens) => tokens,
            None => conversation_tokens(live.id, journal, config, &name)?,
        };
        let each = conversation + plan_bytes.div_ceil(4) + INSTRUCTIONS;
        let turns = steps.saturating_mul(TURNS);
        let usage = Usage {
            input: turns.saturating_mul(each),
            output: turns.saturating_mul(WRITTEN),
            ..Usage::default()
        };
        let (what, them) = if steps == 1 { ("step", "it") } else { ("steps", "each of them") };
        let basis = format!(
            "{name} has done no step yet, so this is {steps} {what} with about {TURNS} turns for \
             {them}, in a conversation as long as it is now."
        );
        Ok(priced(config, &name, usage, basis))
    }
}

/// How long the conversation is for a model, read from the log.
fn conversation_tokens(
    id: RoomId,
    journal: &dyn Journal,
    config: &Config,
    name: &ModelRef,
) -> Result<u64, EngineError> {
    let provider = config.providers.get(&name.provider);
    let protocol = provider.map_or(Protocol::OpenAiChat, |provider| provider.protocol());
    let reader = Reader::of(config, name.clone());
    let history = read_history(id, journal, protocol, reader, Less::default())?;
    Ok(history.estimated_tokens())
}

/// What ended steps took of a model: in this room, then in the newest ones.
fn past_steps(here: RoomId, journal: &dyn Journal, model: &str) -> Result<Vec<Usage>, EngineError> {
    let mut rooms = vec![here.0];
    rooms.extend(journal.rooms(None, ROOMS)?.into_iter().map(|room| room.row.id));
    let (mut seen, mut past) = (BTreeSet::new(), Vec::new());
    for room in rooms {
        if past.len() >= ENOUGH {
            break;
        }
        if seen.insert(room) {
            past.extend(steps_of(RoomId(room), journal, model)?);
        }
    }
    Ok(past)
}

/// What each of the last steps of a room that ended took of a model.
fn steps_of(id: RoomId, journal: &dyn Journal, model: &str) -> Result<Vec<Usage>, EngineError> {
    let kinds = ["replied", "spent", "step_started", "step_done", "step_failed"];
    let mut stored = journal.read_kinds(id.0, &kinds, None, EVENTS)?;
    stored.reverse();
    let (mut steps, mut open) = (Vec::new(), None);
    for stored in &stored {
        let event = decode(stored)?;
        if let Event::StepStarted { .. } = event {
            open = Some(Usage::default());
        }
        if let Event::Replied { model: by, usage, .. } | Event::Spent { model: by, usage } = &event
            && by == model
            && let Some(open) = &mut open
        {
            *open += *usage;
        }
        if let Event::StepDone { .. } | Event::StepFailed { .. } = event {
            steps.extend(open.take().filter(|used: &Usage| used.tokens() > 0));
        }
    }
    Ok(steps)
}

fn mean(steps: &[Usage]) -> Option<Usage> {
    let count = u64::try_from(steps.len()).ok().filter(|count| *count > 0)?;
    let mut all = Usage::default();
    for step in steps {
        all += *step;
    }
    Some(Usage {
        input: all.input / count,
        output: all.output / count,
        cache_read: all.cache_read / count,
        cost_micros: 0,
    })
}

fn times(usage: &Usage, steps: u64) -> Usage {
    Usage {
        input: usage.input.saturating_mul(steps),
        output: usage.output.saturating_mul(steps),
        cache_read: usage.cache_read.saturating_mul(steps),
        cost_micros: 0,
    }
}

fn priced(config: &Config, name: &ModelRef, usage: Usage, basis: String) -> Estimate {
    let cost = config.facts(name).prices.map(|prices| {
        let micros = prices.of(&models::Usage {
            input: usage.input,
            output: usage.output,
            cache_read: usage.cache_read,
            ..models::Usage::default()
        });
        micros as f64 / 1_000_000.0
    });
    Estimate {
        model: name.to_string(),
        input_tokens: usage.input,
        output_tokens: usage.output,
        cost,
        basis,
    }
}
