//! How long a plan ran and its steps were under way. Clocks stand still while the plan does not run,
//! and while it waits for a person.

use crate::{Plan, PlanState, Step, StepState, Time};

impl Plan {
    /// Whether its clock runs.
    pub(crate) fn clock_runs(&self) -> bool {
        self.state.is_running() && self.waiting_since.is_none()
    }

    /// From when its clock runs, if it does: that much later than the run began as it has waited.
    pub(crate) fn clock_since(&self) -> Option<Time> {
        match self.state {
            PlanState::Running { since } if self.clock_runs() => Some(since.after(self.waited_ms)),
            PlanState::Running { .. }
            | PlanState::Draft { .. }
            | PlanState::AwaitingApproval
            | PlanState::Paused { .. }
            | PlanState::Done
            | PlanState::Failed
            | PlanState::Cancelled => None,
        }
    }

    /// It waits for a person from here.
    pub(crate) fn begin_waiting(&mut self, at: Time) {
        if self.waiting_since.is_none() {
            self.stop_clocks(at);
            self.waiting_since = Some(at);
        }
    }

    /// It has waited long enough.
    pub(crate) fn end_waiting(&mut self, at: Time) {
        if let Some(since) = self.waiting_since.take() {
            self.waited_ms += at.since(since);
            self.start_clocks(at);
        }
    }

    /// Keeps count of the time that the steps under way have taken.
    pub(crate) fn stop_clocks(&mut self, at: Time) {
        let runs = self.clock_runs();
        self.steps.iter_mut().for_each(|step| step.stop_clock(at, runs));
    }

    /// The clocks of the steps under way go on from here.
    pub(crate) fn start_clocks(&mut self, at: Time) {
        for step in &mut self.steps {
            if let StepState::InProgress { since } = &mut step.state {
                *since = at;
            }
        }
    }
}

impl Step {
    /// Adds what its clock shows, unless it stands still.
    pub(crate) fn stop_clock(&mut self, at: Time, runs: bool) {
        if let StepState::InProgress { since } = &mut self.state
            && runs
        {
            self.took_ms += at.since(*since);
            *since = at;
        }
    }
}
