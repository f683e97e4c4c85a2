//! What is known of a model: how much it can hold, what it can do, and what it costs.

use super::abilities::Abilities;
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
    /// Whether it can be shown pictures; it can where nothing is said.
    pub vision: Option<bool>,
    /// What it can do.
    pub abilities: Abilities,
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
    /// Tokens sent that the provider keeps for a while; as `input` where not listed.
    pub cache_write: u64,
}

impl Prices {
    /// What a turn cost, in millionths of a dollar.
    pub fn of(&self, usage: &models::Usage) -> u64 {
        let cached = usage.cache_read.saturating_add(usage.cache_write);
        let fresh = usage.input.saturating_sub(cached);
        let total: u128 = [
            (fresh, self.input),
            (usage.output, self.output),
            (usage.cache_read, self.cache_read),
            (usage.cache_write, self.cache_write),
        ]
        .into_iter()
        .map(|(tokens, price)| u128::from(tokens) * u128::from(price))
        .sum();
        u64::try_from(total / 1_000_000).unwrap_or(u64::MAX)
    }
}

impl ModelFacts {
    pub(super) fn read(section: &Section<'_>) -> Self {
        Self {
            context_window: section.number("context_window", 1..=MOST_TOKENS),
            max_output: section.number("max_output", 1..=MOST_TOKENS),
            vision: section.flag("vision"),
            abilities: Abilities::read(section),
            prices: prices(section),
        }
    }

    /// These facts, with the gaps filled from others.
    pub(super) fn or(self, others: Self) -> Self {
        Self {
            context_window: self.context_window.or(others.context_window),
            max_output: self.max_output.or(others.max_output),
            vision: self.vision.or(others.vision),
            abilities: self.abilities.or(others.abilities),
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
    let cache_write = dollars(&prices, "cache_write");
    let (at, path) = (prices.at, prices.path.clone());
    let complete = prices.get("input").is_some() && prices.get("output").is_some();
    prices.finish();
    if !complete {
        section.report.error(at, &path, "needs both input and output");
    }
    let input = input?;
    Some(Prices {
        input,
        output: output?,
        cache_read: cache_read.unwrap_or(input),
        cache_write: cache_write.unwrap_or(input),
    })
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_from_a_cache_or_goes_into_it_has_its_own_price() {
        let prices = Prices {
            input: 4_000_000,
            output: 20_000_000,
            cache_read: 200_000,
            cache_write: 5_000_000,
        };
        let usage = models::Usage { input: 1_000, output: 10, cache_read: 700, cache_write: 200 };
        assert_eq!(prices.of(&usage), 400 + 200 + 140 + 1_000);
        let odd = models::Usage { input: 5, output: 0, cache_read: 10, cache_write: 10 };
        assert_eq!(prices.of(&odd), 2 + 50, "counts that do not fit each other cost what they say");
    }
}
