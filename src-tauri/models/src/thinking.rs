//! How much a model may think before it answers.

use std::fmt;

/// What a person asked for; each protocol says it in its own way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Thinking {
    /// As little as the model allows.
    Off,
    /// A little.
    Low,
    /// Some.
    Medium,
    /// A lot.
    High,
    /// About so many tokens.
    Tokens(u32),
}

impl Thinking {
    /// The fewest tokens any provider takes as a budget.
    pub const FEWEST: u32 = 1024;

    /// The budget, for models that want a number; `None` when there should be no thinking.
    pub(crate) fn tokens(self) -> Option<u32> {
        match self {
            Self::Off => None,
            Self::Low => Some(2 * Self::FEWEST),
            Self::Medium => Some(8 * Self::FEWEST),
            Self::High => Some(24 * Self::FEWEST),
            Self::Tokens(tokens) => Some(tokens.max(Self::FEWEST)),
        }
    }

    /// The effort, for models that want a word; `None` when there should be no thinking.
    pub(crate) fn effort(self) -> Option<&'static str> {
        match self {
            Self::Off => None,
            Self::Low => Some("low"),
            Self::Medium => Some("medium"),
            Self::High => Some("high"),
            Self::Tokens(tokens) if tokens <= 4 * Self::FEWEST => Some("low"),
            Self::Tokens(tokens) if tokens <= 16 * Self::FEWEST => Some("medium"),
            Self::Tokens(_) => Some("high"),
        }
    }
}

impl fmt::Display for Thinking {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Off => f.write_str("off"),
            Self::Low => f.write_str("low"),
            Self::Medium => f.write_str("medium"),
            Self::High => f.write_str("high"),
            Self::Tokens(tokens) => tokens.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_and_its_budget_mean_the_same() {
        for level in [Thinking::Low, Thinking::Medium, Thinking::High] {
            let tokens = level.tokens().unwrap();
            assert_eq!(Thinking::Tokens(tokens).effort(), level.effort());
            assert_eq!(level.effort(), Some(level.to_string().as_str()));
        }
        assert_eq!((Thinking::Off.tokens(), Thinking::Off.effort()), (None, None));
        assert_eq!(Thinking::Tokens(5).tokens(), Some(1024));
    }
}
