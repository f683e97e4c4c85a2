//! Makes replies wait for the test.

use tokio::sync::watch;

/// The switch that `hold` and `release` turn.
#[derive(Debug)]
pub(crate) struct Hold {
    state: watch::Sender<State>,
}

#[derive(Clone, Copy, Debug, Default)]
struct State {
    held: bool,
    releases: u64,
}

/// What one reply sees of the switch.
pub(crate) struct Waiting {
    state: watch::Receiver<State>,
    /// Releases there had been when the request arrived: only a later one counts for it.
    releases: u64,
}

impl Hold {
    pub fn new() -> Self {
        let state = watch::Sender::new(State::default());
        Self { state }
    }

    pub fn hold(&self) {
        self.state.send_modify(|state| state.held = true);
    }

    pub fn release(&self) {
        self.state.send_modify(|state| {
            state.held = false;
            state.releases += 1;
        });
    }

    pub fn waiting(&self) -> Waiting {
        let state = self.state.subscribe();
        let releases = state.borrow().releases;
        Waiting { state, releases }
    }
}

impl Waiting {
    /// Waits while replies are held.
    pub async fn while_held(&mut self) {
        // An error means that the model is gone, and with it whoever could release.
        let _ = self.state.wait_for(|state| !state.held).await;
    }

    /// Waits for a release that comes after the request.
    pub async fn for_release(&mut self) {
        let before = self.releases;
        let _ = self.state.wait_for(|state| state.releases > before).await;
    }
}
