//! A sidekick's own copy: made, merged, dropped, and what follows where there can be none.

use super::Deciding;
use crate::text::on_one_line;
use crate::{Ask, AskKind, Change, Event, Refusal, RoomId, StepId};

impl Deciding<'_> {
    pub(super) fn made_copy(
        &mut self,
        folder: String,
        shares: Option<String>,
        left_out: Vec<String>,
    ) -> Result<(), Refusal> {
        let works = self.room.open_sidekick().is_some() || self.room.member.is_some();
        if !works || self.room.copy.is_some() {
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

    pub(super) fn end_merge(
        &mut self,
        changed: Vec<Change>,
        partly: bool,
        left: Vec<String>,
        repositories: Vec<String>,
    ) {
        if !partly && self.room.copy.is_some() {
            self.withdraw_merging("its changes were taken over");
            let ignored = (!left.is_empty()).then(|| {
                format!(
                    "what commands left in places that git ignores, such as {}",
                    left.join(", ")
                )
            });
            let gits = (!repositories.is_empty()).then(|| {
                format!("what git takes for a repository of its own: {}", repositories.join(", "))
            });
            self.emit(Event::Merged { changed, partly, left, repositories });
            for what in ignored.into_iter().chain(gits) {
                let text =
                    format!("Plan harness: the files you changed were taken over, but not {what}.");
                let (text, from, quiet) = (on_one_line(&text), None, true);
                self.emit(Event::Nudged { text, from, quiet });
            }
        } else if !changed.is_empty() {
            // It counts also where the copy was given up meanwhile.
            let (left, repositories) = Default::default();
            self.emit(Event::Merged { changed, partly, left, repositories });
        }
    }

    pub(super) fn drop_copy(&mut self, problem: Option<String>) {
        if self.room.copy.is_some() {
            self.withdraw_merging("the sidekick ended");
            self.emit(Event::CopyDropped { problem });
        }
    }

    /// A person who was told why changes were not taken over does without them.
    pub(super) fn leave_out(&mut self, ask: &Ask) {
        if ask.shows(Ask::FINISHED) {
            return self.drop_copy(None);
        }
        let problem = ask.told(Ask::PROBLEM).filter(|_| self.room.has_copy_to_settle());
        if let Some(problem) = problem {
            self.drop_copy(Some(problem.to_owned()));
        }
    }

    /// Takes back what was asked about the copy: no call waits for it.
    fn withdraw_merging(&mut self, reason: &str) {
        let about_it = |ask: &&Ask| match ask.kind {
            AskKind::Conflict => true,
            AskKind::Question => ask.call_id.is_none(),
            AskKind::Approval
            | AskKind::Drift
            | AskKind::Permission
            | AskKind::Outcome
            | AskKind::Elicitation => false,
        };
        let asks = self.room.asks.values().filter(about_it).map(|ask| ask.id);
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
