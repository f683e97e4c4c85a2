//! What a council would be and may cost, before it begins.

use super::model_of;
use super::starting::{available, seated};
use crate::config::{AgentConfig, Config};
use crate::engine::Engine;
use crate::error::EngineError;
use plan::{MOST_MEMBERS, Room, RoomId};
use serde::Serialize;
use std::collections::BTreeSet;

/// Turns of a member that are counted on: an answer, a look at the others, and half a look more.
const TURNS: u64 = 3;
/// Tokens that a turn reads and writes where nothing is known.
const READ: u64 = 6_000;
const WRITTEN: u64 = 700;
/// What a guess rests on where there was a council before.
const PAST: &str = "From the last council in this room.";

/// Someone who could sit in a council.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ts_rs::TS, utoipa::ToSchema)]
pub struct CouncilSeat {
    /// The agent.
    pub agent: String,
    /// Its model.
    pub model: String,
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
}

impl Engine {
    /// What a council of these agents in a room would be and may cost; of all who can sit in one,
    /// at most five, when nobody is named.
    pub fn preview_council(
        &self,
        room: RoomId,
        named: &[String],
    ) -> Result<CouncilPreview, EngineError> {
        let loaded = self.shared.config.current();
        let config = &loaded.config;
        let (active, past) = self.with_room(room, |room| {
            let active = room.active_plan().is_some() || room.active_council().is_some();
            (active, record(room))
        })?;
        let agents = seated(config, named)?;
        let seat = |agent: &AgentConfig| CouncilSeat {
            agent: agent.name.clone(),
            model: model_of(agent).to_string(),
        };
        let problem = match agents.len() {
            _ if active => Some("A plan or a council is active in this room.".to_owned()),
            0 | 1 => Some(
                "A council needs two agents or more. Add another under Settings, Agents."
                    .to_owned(),
            ),
            many if many > MOST_MEMBERS => {
                Some(format!("A council has at most {MOST_MEMBERS} members."))
            }
            _ => None,
        };
        let count = u64::try_from(agents.len()).unwrap_or(u64::MAX).max(2);
        let turns = count.saturating_mul(TURNS);
        let (tokens, basis) = match past {
            Some(each) => (each.tokens.saturating_mul(count), PAST.to_owned()),
            None => (
                turns.saturating_mul(READ + WRITTEN),
                format!("A guess: {TURNS} turns for each member, and nothing to go by yet."),
            ),
        };
        let known = past.and_then(|each| each.cost_micros);
        let cost_micros = match known {
            Some(each) => Some(each.saturating_mul(count)),
            None => agents.iter().map(|agent| price(config, agent)).sum(),
        };
        let seats: Vec<CouncilSeat> = agents.iter().map(seat).collect();
        let mut seen = BTreeSet::new();
        let twice = seats.iter().filter(|seat| !seen.insert(seat.model.clone()));
        let shared: BTreeSet<String> = twice.map(|seat| seat.model.clone()).collect();
        let members = match named {
            [] => available(config).iter().map(seat).collect(),
            _ => seats,
        };
        let shared_models = shared.into_iter().collect();
        Ok(CouncilPreview { members, shared_models, problem, turns, tokens, cost_micros, basis })
    }
}

/// What one member of a council took.
#[derive(Clone, Copy)]
struct Each {
    tokens: u64,
    cost_micros: Option<u64>,
}

/// What a member of the room's last council took.
fn record(room: &Room) -> Option<Each> {
    let past = room.councils.iter().rev().find(|council| !council.is_active())?;
    let seats = u64::try_from(past.seats.len()).unwrap_or(1).max(1);
    let used = past.usage(room);
    let cost_micros = (used.cost_micros > 0).then_some(used.cost_micros / seats);
    (used.tokens() > 0).then_some(Each { tokens: used.tokens() / seats, cost_micros })
}

/// What the usual turns of a member may cost.
fn price(config: &Config, agent: &AgentConfig) -> Option<u64> {
    let (input, output) = (TURNS * READ, TURNS * WRITTEN);
    let used = models::Usage { input, output, ..models::Usage::default() };
    config.facts(&model_of(agent)).prices.map(|prices| prices.of(&used))
}
