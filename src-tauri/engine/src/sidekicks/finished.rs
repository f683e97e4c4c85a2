//! What sidekicks finished for one that was stopped before it was done itself: it is in the copy of
//! that one, and a person says what becomes of it.

use super::Finished;
use super::merging::question;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::live::LiveRoom;
use plan::{Ask, Detail, Ended, OwnCopy, SidekickEnd};
use std::collections::BTreeSet;
use std::sync::Arc;

/// As many files are named.
const MOST_NAMED: usize = 20;

/// Ends those below one that has ended, where a crash came in between.
pub(super) fn end_below(engine: &Engine, live: &LiveRoom) {
    for child in engine.children(live.id) {
        let begun = child.lock().room.sidekick.as_ref().is_some_and(|own| own.ended.is_none());
        if begun {
            engine.end_for_room(&child, Finished::Kept);
        }
    }
}

/// Whether changes of a sidekick below are still to go into the copy of this one.
pub(super) fn is_settling(engine: &Engine, live: &LiveRoom) -> bool {
    let below = engine.children(live.id);
    below.iter().any(|child| child.lock().room.copy.is_some() || is_settling(engine, child))
}

/// The files that sidekicks below one changed and were done with.
pub(super) fn below(engine: &Engine, live: &LiveRoom) -> BTreeSet<String> {
    let mut paths = BTreeSet::new();
    for child in engine.children(live.id) {
        paths.extend(below(engine, &child));
        let inner = child.lock();
        let Some(sidekick) = &inner.room.sidekick else { continue };
        let done = |ended: &Ended| ended.end == SidekickEnd::Completed;
        if sidekick.ended.as_ref().is_some_and(done) {
            paths.extend(sidekick.changed.iter().cloned());
        }
    }
    paths
}

/// Asks what is to become of it: it is kept until then.
pub(super) fn offer(
    engine: &Engine,
    live: &Arc<LiveRoom>,
    own: &OwnCopy,
    ended: &Ended,
    who: &str,
    paths: &[&str],
) -> Result<(), EngineError> {
    let named = paths.iter().take(MOST_NAMED).copied().collect::<Vec<_>>().join(", ");
    let mut named = engine.shared.redactor.clean(named);
    if paths.len() > MOST_NAMED {
        named += &format!(" and {} more", paths.len() - MOST_NAMED);
    }
    let text = format!(
        "{who} ended before it was done: {}. Its own sidekicks had finished {named}. Take that \
         over, or leave it out. It is kept in {} until then.",
        ended.result, own.folder
    );
    let about = Detail::new(Ask::FINISHED, named);
    question(engine, live, text, &[Ask::TAKE_OVER, Ask::LEAVE_OUT], vec![about])
}
