//! What rooms and days may use up. It is looked at before a model is asked, so
//! the turn that reaches a limit is the last one.

use super::asking::Asked;
use crate::config::Spending;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::journal::UsageOf;
use crate::live::LiveRoom;
use crate::rows::day;
use crate::sidekicks;
use plan::Usage;

/// Which limit is reached, in words; `None` while there is room.
pub(super) async fn reached(
    engine: &Engine,
    live: &LiveRoom,
    asked: &Asked,
) -> Result<Option<String>, EngineError> {
    let limits = &asked.config.config.spending;
    if *limits == Spending::default() {
        return Ok(None);
    }
    let seq = live.lock().room.seq;
    // The last turn counts, too.
    live.stored_beyond(seq - 1).await;
    if limits.room_tokens.is_some() || limits.room_cost_micros.is_some() {
        // What sidekicks use up is the room's that a person works in.
        let used = used(engine, UsageOf::Tree(sidekicks::root_of(engine, live).0))?;
        let room = over(&used, limits.room_tokens, limits.room_cost_micros, "this room");
        if room.is_some() {
            return Ok(room);
        }
    }
    if limits.day_tokens.is_none() && limits.day_cost_micros.is_none() {
        return Ok(None);
    }
    let today = day(engine.shared.clock.now());
    let used = used(engine, UsageOf::Day(&today))?;
    Ok(over(&used, limits.day_tokens, limits.day_cost_micros, "today"))
}

fn used(engine: &Engine, of: UsageOf<'_>) -> Result<Usage, EngineError> {
    let mut used = Usage::default();
    for sum in engine.shared.journal.usage(of)? {
        used.input += sum.input;
        used.output += sum.output;
        used.cost_micros += sum.cost_micros;
    }
    Ok(used)
}

fn over(used: &Usage, tokens: Option<u64>, cost: Option<u64>, of: &str) -> Option<String> {
    let is_over = |used: u64, most: Option<u64>| most.is_some_and(|most| used >= most);
    let what = match (is_over(used.tokens(), tokens), is_over(used.cost_micros, cost)) {
        (true, _) => "tokens",
        (false, true) => "money",
        (false, false) => return None,
    };
    Some(format!("the limit on {what} for {of} is reached; it can be raised in the settings"))
}
