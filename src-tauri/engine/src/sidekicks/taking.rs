//! A step that a person takes as done while its sidekick works in a copy: what is in the copy is
//! taken over as if the sidekick had said that it is done, and the step is done with that.

use crate::engine::Engine;
use crate::error::EngineError;
use crate::live::LiveRoom;
use crate::submit::Submitted;
use crate::turn;
use plan::{Command, SidekickEnd, StepRef};
use std::sync::Arc;

impl Engine {
    /// The sidekick of a step under way that has a copy with work in it.
    pub(crate) fn copy_for(&self, live: &LiveRoom, step: &StepRef) -> Option<Arc<LiveRoom>> {
        let sidekick = {
            let inner = live.lock();
            let step = inner.room.active_plan()?.find(step)?;
            step.sidekick.filter(|_| step.is_in_progress())?
        };
        let child = self.live(sidekick).ok()?;
        let has_work = {
            let room = &child.lock().room;
            let open = room.sidekick.as_ref().is_some_and(|own| own.ended.is_none());
            room.copy.is_some() && (open || room.has_work_to_settle())
        };
        has_work.then_some(child)
    }

    /// Ends a sidekick as done, on a person's word. Nothing follows where it is done already.
    pub(crate) fn take_as_done(&self, child: &Arc<LiveRoom>) -> Result<Submitted, EngineError> {
        let mut result = "a person marked it as done".to_owned();
        if let Some(own) = child.lock().room.sidekick.as_ref().filter(|own| !own.said.is_empty()) {
            result += &format!("; so far: {}", own.said);
        }
        let done = Command::EndSidekick {
            end: SidekickEnd::Completed,
            result,
            told: false,
            checked: true,
            given_up: false,
            next: None,
            call: None,
        };
        turn::submit(self, child, done, Vec::new())
    }
}
