//! Reads `spending:`, what may be used up whatever single plans allow.

use super::section::Section;
use serde::Serialize;

/// Limits over all plans and turns. `None` means no limit.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Spending {
    /// Tokens a room may use in its life.
    pub room_tokens: Option<u64>,
    /// What a room may cost in its life, in millionths of a dollar.
    pub room_cost_micros: Option<u64>,
    /// Tokens all rooms together may use in a day.
    pub day_tokens: Option<u64>,
    /// What all rooms together may cost in a day, in millionths of a dollar.
    pub day_cost_micros: Option<u64>,
}

impl Spending {
    pub(super) fn read(section: &Section<'_>) -> Self {
        let number = |key| section.number(key, 1..=1_000_000_000_000);
        Self {
            room_tokens: number("room_tokens"),
            room_cost_micros: number("room_cost_micros"),
            day_tokens: number("day_tokens"),
            day_cost_micros: number("day_cost_micros"),
        }
    }
}
