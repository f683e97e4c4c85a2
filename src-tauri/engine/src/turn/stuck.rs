//! Whether an agent gets nowhere. It is looked at before a model is asked, so that nobody pays for
//! the same failure without end.

use crate::live::LiveRoom;
use plan::Caps;

/// Why the agent is not asked again, in words; `None` while it may go on.
pub(super) fn why(live: &LiveRoom, usual: &Caps) -> Option<String> {
    let inner = live.lock();
    let room = &inner.room;
    // Who plans has turns of its own to lose.
    if room.planning.is_some() {
        return None;
    }
    if let Some(why) = room.repeat.why() {
        return Some(why);
    }
    let plan = room.running_plan();
    let caps = plan.map_or(usual, |plan| &plan.frame.caps);
    room.stuck.why(caps, plan.is_some() || room.serves_step())
}
