//! What a model's work costs.

use serde::{Deserialize, Serialize};

/// Tokens and money.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS, utoipa::ToSchema,
)]
#[serde(default)]
pub struct Usage {
    /// Tokens read, cached ones included.
    #[serde(skip_serializing_if = "is_zero")]
    pub input: u64,
    /// Tokens written.
    #[serde(skip_serializing_if = "is_zero")]
    pub output: u64,
    /// Tokens read from a cache.
    #[serde(skip_serializing_if = "is_zero")]
    pub cache_read: u64,
    /// Money, in millionths of a dollar.
    #[serde(skip_serializing_if = "is_zero")]
    pub cost_micros: u64,
}

pub(crate) fn is_zero(n: &u64) -> bool {
    *n == 0
}

impl Usage {
    /// All tokens.
    pub fn tokens(&self) -> u64 {
        self.input.saturating_add(self.output)
    }

    /// What was added since `base`.
    pub fn since(&self, base: &Usage) -> Usage {
        Usage {
            input: self.input.saturating_sub(base.input),
            output: self.output.saturating_sub(base.output),
            cache_read: self.cache_read.saturating_sub(base.cache_read),
            cost_micros: self.cost_micros.saturating_sub(base.cost_micros),
        }
    }
}

impl std::ops::AddAssign for Usage {
    fn add_assign(&mut self, more: Usage) {
        self.input = self.input.saturating_add(more.input);
        self.output = self.output.saturating_add(more.output);
        self.cache_read = self.cache_read.saturating_add(more.cache_read);
        self.cost_micros = self.cost_micros.saturating_add(more.cost_micros);
    }
}
