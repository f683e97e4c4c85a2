//! How long a provider is waited for.

use std::time::Duration;

/// How long a server may be silent: a large local model can think this long before its first word.
pub const SILENCE: Duration = Duration::from_secs(300);

/// How long nothing but signs of life may come: who thinks in secret says nothing else meanwhile.
const STALL: Duration = Duration::from_secs(600);

/// How long the same may come again and again: an answer that comes fast does no harm, whatever it
/// says.
const REPETITION: Duration = Duration::from_secs(5);

/// When a provider is given up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patience {
    /// How long it may say nothing at all.
    pub silence: Duration,
    /// How long what it says may be no part of an answer.
    pub stall: Duration,
    /// How long it may say the same again and again.
    pub repetition: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self { silence: SILENCE, stall: STALL, repetition: REPETITION }
    }
}
