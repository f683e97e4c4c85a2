//! What is known of a model: how much it can hold, and what it costs.

use super::section::{Section, text_of};
use super::tree::Node;

/// The most tokens a window or an answer is believed to have.
const MOST_TOKENS: u64 = 100_000_000;

/// What is known of one model; `None` where nothing is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ModelFacts {
    /// Tokens the model can hold at once.
    pub context_window: Option<u64>,
    /// Tokens it can answer with at most.
    pub max_output: Option<u64>,
    /// What it costs.
    pub prices: Option<Prices>,
}

/// What a million tokens cost, in millionths of a dollar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Prices {
    /// Tokens sent.
    pub input: u64,
    /// Tokens answered.
    pub output: u64,
    /// Tokens sent that the provider still had; as `input` where not listed.
    pub cache_read: u64,
}

impl ModelFacts {
    pub(super) fn read(section: &Section<'_>) -> Self {
        Self {
            context_window: section.number("context_window", 1..=MOST_TOKENS),
            max_output: section.number("max_output", 1..=MOST_TOKENS),
            prices: prices(section),
        }
    }

    /// These facts, with the gaps filled from others.
    pub(super) fn or(self, others: Self) -> Self {
        Self {
            context_window: self.context_window.or(others.context_window),
            max_output: self.max_output.or(others.max_output),
            prices: self.prices.or(others.prices),
        }
    }
}

fn prices(section: &Section<'_>) -> Option<Prices> {
    section.get("prices")?;
    let prices = section.section("prices");
    let input = dollars(&prices, "input");
    let output = dollars(&prices, "output");
    let cache_read = dollars(&prices, "cache_read");
    let (at, path) = (prices.at, prices.path.clone());
    let complete = prices.get("input").is_some() && prices.get("output").is_some();
    prices.finish();
    if !complete {
        section.report.error(at, &path, "needs both input and output");
    }
    let input = input?;
    Some(Prices { input, output: output?, cache_read: cache_read.unwrap_or(input) })
}

fn dollars(section: &Section<'_>, key: &'static str) -> Option<u64> {
    let node = section.get(key)?;
    let micros = micros(node);
    if micros.is_none() {
        section.bad(key, node, "dollars per million tokens, from 0 to 1000000");
    }
    micros
}

/// Dollars as millionths, digit by digit: money is not rounded through floats.
fn micros(node: &Node) -> Option<u64> {
    let text = text_of(node)?;
    let (whole, part) = text.split_once('.').unwrap_or((text, "0"));
    if part.is_empty() || part.len() > 6 || !part.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let whole: u64 = whole.parse().ok().filter(|whole| *whole <= 1_000_000)?;
    let part: u64 = format!("{part:0<6}").parse().ok()?;
    Some(whole * 1_000_000 + part)
}
