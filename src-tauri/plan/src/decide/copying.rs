//! A sidekick's own copy: made, merged, dropped, and what follows where there can be none.

use super::Deciding;
use crate::{AskKind, Change, Event, Refusal, RoomId, StepId};

impl Deciding<'_> {
    pub(super) fn made_copy(
        &mut self,
        folder: String,
        shares: Option<String>,
        left_out: Vec<String>,
    ) -> Result<(), Refusal> {
        if self.room.open_sidekick().is_none() || self.room.copy.is_some() {
            return Err(Refusal::NoSidekick);
        }
        self.emit(Event::CopyMade { folder, shares, left_out });
        Ok(())
    }

    pub(super) fn begin_merge(&mut self, paths: Vec<String>) -> Result<(), Refusal> {
        if !self.room.has_copy_to_settle() {
            return Err(Refusal::NoSidekick);
        }
        if !paths.is_empty() {
            self.emit(Event::MergeBegan { paths });
        }
        Ok(())
    }

    pub(super) fn end_merge(&mut self, changed: Vec<Change>) {
        if self.room.copy.is_some() {
            self.withdraw_conflicts("its changes were taken over");
            self.emit(Event::Merged { changed });
        }
    }

    pub(super) fn drop_copy(&mut self, problem: Option<String>) {
        if self.room.copy.is_some() {
            self.withdraw_conflicts("the sidekick ended");
            self.emit(Event::CopyDropped { problem });
        }
    }

    fn withdraw_conflicts(&mut self, reason: &str) {
        let asks = self.room.asks.values();
        let asks = asks.filter(|ask| ask.kind == AskKind::Conflict).map(|ask| ask.id);
        for ask in asks.collect::<Vec<_>>() {
            self.emit(Event::AskWithdrawn { ask, reason: reason.to_owned() });
        }
    }

    /// A step whose sidekick can have no copy starts anew when no other is under way.
    pub(super) fn put_back(
        &mut self,
        id: StepId,
        room: RoomId,
        reason: String,
    ) -> Result<(), Refusal> {
        let plan = self.active()?;
        if !plan.state.is_running() {
            return Err(Refusal::NotRunning { state: plan.state.clone() });
        }
        let step = plan.step(&id).filter(|step| step.sidekick == Some(room));
        if !step.is_some_and(|step| step.is_in_progress()) {
            return Err(Refusal::NoSuchStep { step: id.to_string() });
        }
        self.emit(Event::StepPutBack { step: id, reason });
        self.advance();
        Ok(())
    }
}
