//! What a room used, model by model: a fold of its log.

use crate::config::Config;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::live::decode;
use plan::{Event, RoomId, Usage};
use serde::Serialize;
use std::collections::BTreeMap;

/// Turns read from the log at once.
const PAGE: usize = 512;

/// What a room used.
#[derive(Debug, Clone, PartialEq, Serialize, ts_rs::TS, utoipa::ToSchema)]
pub struct RoomUsage {
    /// Model by model, in the order of their names.
    pub models: Vec<ModelUsage>,
}

/// What one model used.
#[derive(Debug, Clone, PartialEq, Serialize, ts_rs::TS, utoipa::ToSchema)]
pub struct ModelUsage {
    /// The model, as `provider/model`.
    pub model: String,
    /// Turns it took, those that were set aside included.
    pub turns: u64,
    /// Those of them in which it planned.
    #[serde(skip_serializing_if = "is_zero", default)]
    pub planning_turns: u64,
    /// Tokens it read.
    pub input_tokens: u64,
    /// Tokens it wrote.
    pub output_tokens: u64,
    /// What that cost, in dollars; absent where the model has no price.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub cost: Option<f64>,
}

impl Engine {
    /// What a room used so far.
    pub async fn usage(&self, room: RoomId) -> Result<RoomUsage, EngineError> {
        let live = self.live(room)?;
        let seq = live.lock().room.seq;
        // The last turn counts, too.
        live.stored_beyond(seq.saturating_sub(1)).await;
        let engine = self.clone();
        let work = move || engine.used(room);
        tokio::task::spawn_blocking(work).await.unwrap_or(Err(EngineError::Stopping))
    }

    fn used(&self, room: RoomId) -> Result<RoomUsage, EngineError> {
        let mut models: BTreeMap<String, Counted> = BTreeMap::new();
        let mut before = None;
        loop {
            let page =
                self.shared.journal.read_kinds(room.0, &["replied", "spent"], before, PAGE)?;
            for stored in &page {
                let event = decode(stored)?;
                let plans = matches!(event, Event::Replied { planning: true, .. });
                if let Event::Replied { model, usage, .. } | Event::Spent { model, usage } = event {
                    let counted = models.entry(model).or_default();
                    counted.turns += 1;
                    counted.planning += u64::from(plans);
                    counted.used += usage;
                }
            }
            match page.last() {
                Some(oldest) if page.len() == PAGE => before = Some(oldest.seq),
                Some(_) | None => break,
            }
        }
        let loaded = self.shared.config.current();
        let models = models.into_iter();
        let models = models.map(|(model, counted)| shown(&loaded.config, model, &counted));
        Ok(RoomUsage { models: models.collect() })
    }
}

/// What was counted for one model.
#[derive(Default)]
struct Counted {
    turns: u64,
    planning: u64,
    used: Usage,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

fn shown(config: &Config, model: String, counted: &Counted) -> ModelUsage {
    let Counted { turns, planning, used } = *counted;
    let has_price =
        || config.model(&model, None).is_ok_and(|name| config.facts(&name).prices.is_some());
    let cost = (used.cost_micros > 0 || has_price()).then(|| used.cost_micros as f64 / 1_000_000.0);
    ModelUsage {
        model,
        turns,
        planning_turns: planning,
        input_tokens: used.input,
        output_tokens: used.output,
        cost,
    }
}
