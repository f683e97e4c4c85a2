//! What a council would be and may cost, before it begins.

use super::model_of;
use super::starting::available;
use crate::engine::Engine;
use crate::error::EngineError;
use plan::{MOST_MEMBERS, RoomId};
use serde::Serialize;
use std::collections::BTreeSet;

/// Turns of a member that are counted on: an answer, a look at the others, and half a look more.
const TURNS: u64 = 3;
/// Tokens that a turn reads and writes where nothing is known.
const READ: u64 = 6_000;
const WRITTEN: u64 = 700;

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
    /// What a council in a room would be and may cost.
    pub fn preview_council(&self, room: RoomId) -> Result<CouncilPreview, EngineError> {
        let loaded = self.shared.config.current();
        let config = &loaded.config;
        let agents = available(config);
        let (active, mean) = self.with_room(room, |room| {
            let active = room.active_plan().is_some() || room.active_council().is_some();
            let past = room.councils.iter().rev().find(|council| !council.is_active());
            let mean = past.map(|council| {
                let seats = u64::try_from(council.seats.len()).unwrap_or(1).max(1);
                (council.usage(room).tokens() / seats, seats)
            });
            (active, mean.filter(|(tokens, _)| *tokens > 0))
        })?;
        let members: Vec<CouncilSeat> = agents
            .iter()
            .map(|agent| CouncilSeat {
                agent: agent.name.clone(),
                model: model_of(config, agent).to_string(),
            })
            .collect();
        let problem = match agents.len() {
            _ if active => Some("A plan or a council is active in this room.".to_owned()),
            0 | 1 => Some(
                "A council needs two agents or more. Add another under Settings, Agents."
                    .to_owned(),
            ),
            _ => None,
        };
        let seated = members.len().clamp(2, MOST_MEMBERS).min(5) as u64;
        let turns = seated * TURNS;
        let tokens = match mean {
            Some((each, _)) => each * seated,
            None => turns * (READ + WRITTEN),
        };
        let basis = match mean {
            Some(_) => "From the last council in this room.".to_owned(),
            None => format!("A guess: {TURNS} turns for each member, and nothing to go by yet."),
        };
        let prices = agents.iter().take(5).map(|agent| {
            let facts = config.facts(&model_of(config, agent));
            let used = models::Usage {
                input: TURNS * READ,
                output: TURNS * WRITTEN,
                ..models::Usage::default()
            };
            facts.prices.map(|prices| prices.of(&used))
        });
        let cost: Option<Vec<u64>> = prices.collect();
        let mut seen = BTreeSet::new();
        let twice = members.iter().filter(|seat| !seen.insert(seat.model.clone()));
        let shared: BTreeSet<String> = twice.map(|seat| seat.model.clone()).collect();
        Ok(CouncilPreview {
            shared_models: shared.into_iter().collect(),
            members,
            problem,
            turns,
            tokens,
            cost_micros: cost.map(|all| all.into_iter().sum()),
            basis,
        })
    }
}
