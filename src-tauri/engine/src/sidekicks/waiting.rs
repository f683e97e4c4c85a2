//! A sidekick that can't go on by itself, and that no plan lets go on: a person is asked what becomes
//! of it, in the inbox and in the room that asked.

use super::merging::about;
use super::serving::step_of;
use super::{handed, parent_of};
use crate::engine::Engine;
use crate::error::EngineError;
use crate::live::LiveRoom;
use crate::submit::Submitted;
use crate::turn;
use plan::{Ask, Command, Detail, RoomKind, Sidekick, without_middle};
use std::sync::Arc;

/// The longest words that may become a result, in characters.
const MOST_SAID: usize = 4_000;

impl Engine {
    /// A sidekick that was in the middle of its task when the app stopped waits, where no plan takes
    /// it up when that is resumed.
    pub(crate) fn ask_if_interrupted(
        &self,
        live: &Arc<LiveRoom>,
    ) -> Result<Option<Submitted>, EngineError> {
        match goes_on_with_a_plan(self, live) {
            true => Ok(None),
            false => self.ask_to_go_on(live, "it was interrupted"),
        }
    }

    /// A sidekick whose turn a person stopped waits, where no plan is paused that takes it up when
    /// it is resumed.
    pub(super) fn ask_if_stopped(&self, live: &Arc<LiveRoom>) {
        if is_taken_up(self, live) {
            return;
        }
        if let Err(error) = self.ask_to_go_on(live, "its turn was stopped") {
            tracing::error!(room = %live.id, %error, "nobody could be asked about a sidekick");
        }
    }

    fn ask_to_go_on(
        &self,
        live: &Arc<LiveRoom>,
        why: &str,
    ) -> Result<Option<Submitted>, EngineError> {
        let Some((codename, task)) = left_alone(live) else { return Ok(None) };
        let text = format!(
            "{codename} stopped in the middle of its task and waits for you: {task}. Let it go on, \
             or stop it."
        );
        let why = Detail::new(Ask::WAITS, why);
        ask(self, live, text, &[Ask::GO_ON, Ask::STOP], vec![why]).map(Some)
    }

    /// A sidekick answered in words again and again and never said that it is done.
    pub(crate) fn ask_about_words(
        &self,
        live: &Arc<LiveRoom>,
        times: u32,
        words: &str,
    ) -> Result<(), EngineError> {
        let (codename, said) = {
            let inner = live.lock();
            let RoomKind::Sidekick { codename, .. } = &inner.room.kind else { return Ok(()) };
            let said = inner.room.sidekick.as_ref().map(|own| own.said.clone()).unwrap_or_default();
            (codename.clone(), said)
        };
        let text = format!(
            "{codename} answered {times} times in words and did not say that it is done. Take what \
             it said as its result, let it go on, or stop it. It said: {said}"
        );
        let words = self.shared.redactor.clean(words.to_owned());
        let words = without_middle(&words, MOST_SAID).unwrap_or(words);
        let detail =
            vec![Detail::new(Ask::WAITS, "it answered in words"), Detail::new(Ask::SAID, words)];
        ask(self, live, text, &[Ask::TAKE_WORDS, Ask::GO_ON, Ask::STOP], detail)?;
        Ok(())
    }
}

/// The name and task of a sidekick that nothing moves any more.
fn left_alone(live: &LiveRoom) -> Option<(String, String)> {
    let inner = live.lock();
    let room = &inner.room;
    let RoomKind::Sidekick { codename, .. } = &room.kind else { return None };
    let open = |sidekick: &&Sidekick| sidekick.ended.is_none() && sidekick.until.is_none();
    let sidekick = room.sidekick.as_ref().filter(open)?;
    let moves = room.owes
        || room.archived
        || !room.calls.is_empty()
        || !room.asks.is_empty()
        || !room.below.is_empty()
        || room.active_plan().is_some_and(|plan| !plan.state.is_draft());
    (!moves).then(|| (codename.clone(), sidekick.task.clone()))
}

/// Whether the plan whose step a sidekick does is paused, and lets it go on afterwards.
fn is_taken_up(engine: &Engine, live: &LiveRoom) -> bool {
    let Some(above) = parent_of(live).and_then(|room| engine.live(room).ok()) else { return false };
    step_of(&above, live.id).is_some() && above.lock().room.running_plan().is_none()
}

/// Whether a plan above lets a sidekick go on when a person resumes it.
fn goes_on_with_a_plan(engine: &Engine, live: &LiveRoom) -> bool {
    if handed(engine, live).is_some() {
        return true;
    }
    let Some(above) = parent_of(live).and_then(|room| engine.live(room).ok()) else { return false };
    let part =
        above.lock().room.active_plan().is_some_and(|plan| plan.sidekicks.contains(&live.id));
    part || goes_on_with_a_plan(engine, &above)
}

fn ask(
    engine: &Engine,
    live: &Arc<LiveRoom>,
    text: String,
    answers: &[&str],
    detail: Vec<Detail>,
) -> Result<Submitted, EngineError> {
    let ask = about(engine, live, text, answers, detail);
    let asked = turn::submit(engine, live, Command::AwaitPerson { ask }, Vec::new())?;
    crate::goals::note(engine, live);
    Ok(asked)
}
