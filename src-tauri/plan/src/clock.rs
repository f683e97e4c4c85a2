//! How long steps were under way. A clock stands still while its plan does not run.

use crate::{Plan, Step, StepState, Time};

impl Plan {
    /// Keeps count of the time that the steps under way have taken.
    pub(crate) fn stop_clocks(&mut self, at: Time) {
        let runs = self.state.is_running();
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
