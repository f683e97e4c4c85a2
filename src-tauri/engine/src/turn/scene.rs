//! What a call of a tool for plans is read in: the person's words, the steps, the programs there are.

use super::effects;
use super::reading::{KnownStep, Scene};
use crate::engine::Engine;
use crate::error::EngineError;
use crate::history::whole;
use crate::live::{JournalBlobs, LiveRoom, decode};
use plan::Event;
use serde_json::Value;

/// How many messages are looked at for one by a person.
const LOOKED_AT: usize = 20;

/// Whether a text is a command that can be run in a room.
pub(super) fn is_command(engine: &Engine, live: &LiveRoom) -> impl Fn(&str) -> bool {
    let (toolbox, workspace) = (engine.shared.toolbox.clone(), effects::workspace(live).ok());
    move |text| workspace.as_ref().is_some_and(|workspace| toolbox.is_command(text, workspace))
}

/// The scene of a room now.
pub(super) fn of<'a>(
    live: &LiveRoom,
    message: Option<String>,
    is_command: &'a dyn Fn(&str) -> bool,
) -> Scene<'a> {
    let inner = live.lock();
    let plan = inner.room.active_plan();
    let handed = inner.room.sidekick.is_some() && plan.is_none();
    Scene { message, steps: steps(&inner.room), handed, is_command }
}

/// The steps of the plan under way.
pub(super) fn steps(room: &plan::Room) -> Vec<KnownStep> {
    let steps = room.active_plan().into_iter().flat_map(|plan| &plan.steps);
    let known = steps.map(|step| KnownStep {
        id: step.spec.id.0.clone(),
        text: step.spec.text.clone(),
        in_progress: step.is_in_progress(),
    });
    known.collect()
}

/// The person's last message; in a sidekick its task. The words are in the log only, so they are
/// looked up where a call has no goal of its own.
pub(super) async fn message(
    engine: &Engine,
    live: &LiveRoom,
    args: &Value,
) -> Result<Option<String>, EngineError> {
    let goal = args.get("goal").and_then(Value::as_str);
    if goal.is_some_and(|goal| !goal.trim().is_empty()) {
        return Ok(None);
    }
    let (seq, seen, kinds) = {
        let room = &live.lock().room;
        let kind = if room.sidekick.is_some() { "briefed" } else { "said" };
        (room.said_seq.max(1), room.seen_seq, [kind])
    };
    if !live.stored_beyond(seq - 1).await {
        return Ok(None);
    }
    let blobs = JournalBlobs(&*engine.shared.journal);
    for stored in engine.shared.journal.read_kinds(live.id.0, &kinds, None, LOOKED_AT)? {
        // What came while it was answering, it has not read.
        if stored.seq > seen {
            continue;
        }
        let event = decode(&stored)?;
        if let Event::Briefed { task, .. } = &event {
            return Ok(Some(whole(task, &blobs)));
        }
        if let Event::Said { text, by, .. } = &event
            && by.is_person()
        {
            return Ok(Some(whole(text, &blobs)));
        }
    }
    Ok(None)
}
