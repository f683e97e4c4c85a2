//! What happened in all walks, so that none of them can pass by never getting anywhere.

use plan::*;
use std::iter::Sum;
use std::ops::Add;

/// How often something happened.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tally {
    pub(super) answered: u64,
    pub(super) voted: u64,
    pub(super) dropped: u64,
    pub(super) decided: u64,
    pub(super) executed: u64,
    pub(super) judged: u64,
    pub(super) restarted: u64,
    pub(super) paused: u64,
    pub(super) out: u64,
    pub(super) done: u64,
    pub(super) failed: u64,
    pub(super) cancelled: u64,
    /// What others wanted in a member's room, and did not get.
    pub(super) kept_out: u64,
}

impl Tally {
    #[allow(clippy::wildcard_enum_match_arm)] // the others are not counted
    pub(super) fn count(&mut self, event: &Event) {
        let counter = match event {
            Event::CouncilAnswered { .. } => &mut self.answered,
            Event::CouncilVoted { .. } => &mut self.voted,
            Event::CouncilVoteDropped { .. } => &mut self.dropped,
            Event::CouncilDecided { .. } => &mut self.decided,
            Event::StepDone { .. } => &mut self.executed,
            Event::CouncilReviewBegan => &mut self.judged,
            Event::CouncilRestarted { .. } => &mut self.restarted,
            Event::CouncilPaused { .. } => &mut self.paused,
            Event::CouncilMemberFailed { .. } => &mut self.out,
            Event::CouncilEnded { state: CouncilEnd::Done, .. } => &mut self.done,
            Event::CouncilEnded { state: CouncilEnd::Failed, .. } => &mut self.failed,
            Event::CouncilEnded { state: CouncilEnd::Cancelled, .. } => &mut self.cancelled,
            _ => return,
        };
        *counter += 1;
    }

    fn all(&self) -> [(&'static str, u64); 13] {
        [
            ("answered", self.answered),
            ("voted", self.voted),
            ("dropped", self.dropped),
            ("decided", self.decided),
            ("executed", self.executed),
            ("judged", self.judged),
            ("restarted", self.restarted),
            ("paused", self.paused),
            ("out", self.out),
            ("done", self.done),
            ("failed", self.failed),
            ("cancelled", self.cancelled),
            ("kept out", self.kept_out),
        ]
    }

    /// Each of these happens in one walk of a hundred, or the walks don't show what they claim.
    pub(super) fn went_everywhere(&self, walks: u64) {
        for (what, count) in self.all() {
            assert!(count >= walks / 100, "{what}: {count} times in {walks} walks: {self:?}");
        }
    }
}

impl Add for Tally {
    type Output = Self;

    fn add(self, more: Self) -> Self {
        Self {
            answered: self.answered + more.answered,
            voted: self.voted + more.voted,
            dropped: self.dropped + more.dropped,
            decided: self.decided + more.decided,
            executed: self.executed + more.executed,
            judged: self.judged + more.judged,
            restarted: self.restarted + more.restarted,
            paused: self.paused + more.paused,
            out: self.out + more.out,
            done: self.done + more.done,
            failed: self.failed + more.failed,
            cancelled: self.cancelled + more.cancelled,
            kept_out: self.kept_out + more.kept_out,
        }
    }
}

impl Sum for Tally {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::default(), Add::add)
    }
}
