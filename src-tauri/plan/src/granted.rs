//! What a step is allowed, as the card and the record say it.

use crate::{SPAWN, Step, allows};

const READ_ONLY: &str = "read only";
const HANDS_ON: &str = "may hand work to sidekicks";

/// What a step is allowed, in words. Who hands work on needs to name no target for that.
pub(crate) fn words(step: &Step) -> String {
    let words = allows::words(step);
    if !hands_on(step) {
        return words;
    }
    match words.strip_prefix(READ_ONLY) {
        Some(more) => format!("{HANDS_ON}{more}"),
        None => format!("{words}; {HANDS_ON}"),
    }
}

/// Whether the step may hand work to sidekicks, and names nothing else.
pub(crate) fn hands_on(step: &Step) -> bool {
    step.spec.tool.as_deref() == Some(SPAWN) && !allows::names_something(&step.spec)
}
