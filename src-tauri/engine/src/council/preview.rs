//! What a council would be and may cost, before it begins.

use super::model_of;
use super::starting::{available, seated};
use crate::config::{AgentConfig, Config};
use crate::engine::Engine;
use crate::error::EngineError;
use crate::journal::Journal;
use crate::live::decode;
use models::Protocol;
use plan::{Event, MOST_MEMBERS, Room, RoomId, Usage};
use serde::Serialize;
use std::collections::BTreeSet;

/// Turns of a member that are counted on: an answer, a look at the others, and half a look more.
const TURNS: u64 = 3;
/// Tokens that a turn reads and writes where nothing is known.
const READ: u64 = 6_000;
const WRITTEN: u64 = 700;
/// Newest turns of the room that are gone by.
const PAST_TURNS: usize = 40;

/// Someone who could sit in a council.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ts_rs::TS, utoipa::ToSchema)]
pub struct CouncilSeat {
    /// The agent.
    pub agent: String,
    /// Its model.
    pub model: String,
    /// Tokens it may use.
    pub tokens: u64,
    /// What that may cost in millionths of a dollar; absent where its model has no price.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub cost_micros: Option<u64>,
}

/// What a council would be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ts_rs::TS, utoipa::ToSchema)]
pub struct CouncilPreview {
    /// Who could sit in it.
    pub members: Vec<CouncilSeat>,
    /// Models that more than one of them has.
    pub shared_models: Vec<String>,
    /// Why it can't begin.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub problem: Option<String>,
    /// Model turns it may take, of all members.
    pub turns: u64,
    /// Tokens it may use.
    pub tokens: u64,
    /// What that may cost in millionths of a dollar; absent where a model has no price.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub cost_micros: Option<u64>,
    /// What the guess rests on, in one sentence.
    pub basis: String,
    /// Its time limit in minutes, as configured.
    pub minutes: u32,
    /// Answers that each member may give, as configured.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub answers_each: Option<u32>,
}

impl Engine {
    /// What a council of these agents in a room, or in a new one, would be and may cost; of all
    /// who can sit in one, at most five, when nobody is named.
    pub fn preview_council(
        &self,
        room: Option<RoomId>,
        named: &[String],
    ) -> Result<CouncilPreview, EngineError> {
        let loaded = self.shared.config.current();
        let config = &loaded.config;
        let (active, past) = match room {
            Some(room) => self.past(room)?,
            None => (false, None),
        };
        let (each, basis) = past.unwrap_or_else(unknown);
        let agents = seated(config, named)?;
        let seat = |agent: &AgentConfig| CouncilSeat {
            agent: agent.name.clone(),
            model: model_of(agent).to_string(),
            tokens: each.tokens(),
            cost_micros: price(config, agent, &each),
        };
        let problem = match agents.len() {
            _ if active => Some("A plan or a council is active in this room.".to_owned()),
            0 | 1 if !named.is_empty() => {
                Some("A council needs 2 members or more. Name another.".to_owned())
            }
            0 | 1 => Some(
                "A council needs two agents or more. Add another under Settings, Agents, or \
                 under `agents:` in plancard.yaml."
                    .to_owned(),
            ),
            many if many > MOST_MEMBERS => {
                Some(format!("A council has at most {MOST_MEMBERS} members."))
            }
            _ => None,
        };
        let seats: Vec<CouncilSeat> = agents.iter().map(seat).collect();
        let mut seen = BTreeSet::new();
        let twice = seats.iter().filter(|seat| !seen.insert(seat.model.clone()));
        let shared: BTreeSet<String> = twice.map(|seat| seat.model.clone()).collect();
        let (tokens, cost_micros) = (
            seats.iter().map(|seat| seat.tokens).sum(),
            seats.iter().map(|seat| seat.cost_micros).sum(),
        );
        let turns = TURNS.saturating_mul(seats.len() as u64);
        let members = match named {
            [] => available(config).iter().map(seat).collect(),
            _ => seats,
        };
        let rules = config.council_rules();
        Ok(CouncilPreview {
            members,
            shared_models: shared.into_iter().collect(),
            problem,
            turns,
            tokens,
            cost_micros,
            basis,
            minutes: rules.orchestrator_timeout_seconds.div_ceil(60),
            answers_each: rules.max_new_answers_per_agent,
        })
    }

    /// Whether something is active in a room, and what members may use by what it did before.
    fn past(&self, room: RoomId) -> Result<(bool, Option<Record>), EngineError> {
        let (active, council) = self.with_room(room, |room| {
            let active = room.active_plan().is_some() || room.active_council().is_some();
            (active, last_council(room))
        })?;
        match council {
            Some(past) => Ok((active, Some(past))),
            None => Ok((active, last_turns(&*self.shared.journal, room)?)),
        }
    }
}

/// What a member may use, and what says so.
type Record = (Usage, String);

/// What each member used in every attempt of the room's last council.
fn last_council(room: &Room) -> Option<Record> {
    let past = room.councils.iter().rev().find(|council| !council.is_active())?;
    let attempts = past.earlier.len() + 1;
    let used = part(&past.usage(room), past.seats.len().max(1) * attempts);
    (used.tokens() > 0).then(|| (used, "From the last council in this room.".to_owned()))
}

/// What as many turns took as a member has, going by the last ones in the room.
fn last_turns(journal: &dyn Journal, room: RoomId) -> Result<Option<Record>, EngineError> {
    let (mut all, mut count) = (Usage::default(), 0);
    for stored in journal.read_kinds(room.0, &["replied"], None, PAST_TURNS)? {
        let Event::Replied { usage, .. } = decode(&stored)? else { continue };
        if usage.tokens() > 0 {
            all += usage;
            count += 1;
        }
    }
    if count == 0 {
        return Ok(None);
    }
    let turns = if count == 1 { "turn".to_owned() } else { format!("{count} turns") };
    let basis = format!("From the last {turns} in this room, {TURNS} for each member.");
    let times = |tokens: u64| tokens.saturating_mul(TURNS) / count;
    let used = Usage {
        input: times(all.input),
        output: times(all.output),
        cache_read: times(all.cache_read),
        ..Usage::default()
    };
    Ok(Some((used, basis)))
}

fn unknown() -> Record {
    let used = Usage { input: TURNS * READ, output: TURNS * WRITTEN, ..Usage::default() };
    (used, format!("A guess: {TURNS} turns for each member, and nothing to go by yet."))
}

fn part(usage: &Usage, of: usize) -> Usage {
    let of = of as u64;
    Usage {
        input: usage.input / of,
        output: usage.output / of,
        cache_read: usage.cache_read / of,
        ..Usage::default()
    }
}

/// What so much may cost with an agent's model.
fn price(config: &Config, agent: &AgentConfig, each: &Usage) -> Option<u64> {
    let used = models::Usage {
        input: each.input,
        output: each.output,
        cache_read: each.cache_read,
        ..models::Usage::default()
    };
    let model = model_of(agent);
    let provider = config.providers.get(&model.provider);
    if provider.is_some_and(|provider| provider.protocol() == Protocol::Rehearsal) {
        return Some(0);
    }
    config.facts(&model).prices.map(|prices| prices.of(&used))
}
