//! What a room remembers of linked files from one command to the next.
//!
//! A walk through a large workspace takes longer than all the rest of a command. So it is done
//! before the first one; later ones go by what was found, as long as that is where it was, and the
//! next walk is done when a command has ended. A small workspace is looked at each time.

use super::Linked;
use crate::workspace::Workspace;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// A walk that takes no longer is done before each command.
const AT_ONCE: Duration = Duration::from_millis(1);
/// The others are done for at most one part of the time in so many.
const SELDOM: u32 = 20;

/// The linked files of a workspace, as they were last seen. Clones are the same.
#[derive(Clone, Default)]
pub(crate) struct Known(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    walk: Option<Walk>,
    /// Whether somebody is looking now.
    looking: bool,
}

struct Walk {
    workspace: Workspace,
    linked: Arc<Linked>,
    took: Duration,
    ended: Instant,
}

impl Known {
    /// What has to be read-only for a command that starts now.
    pub(crate) async fn now(&self, ws: &Workspace) -> Arc<Linked> {
        let known = self.last(ws);
        let holds = |(linked, took): &(Arc<Linked>, Duration)| *took > AT_ONCE && linked.holds(ws);
        if let Some((linked, _)) = known.filter(holds) {
            return linked;
        }
        let (known, ws) = (self.clone(), ws.clone());
        let looking = tokio::task::spawn_blocking(move || known.look(&ws));
        looking.await.unwrap_or_else(|_| Arc::new(Linked::everything()))
    }

    /// Looks again for the next command, beside other work, unless that was done just now.
    pub(crate) fn look_again(&self, ws: &Workspace) {
        let mut state = self.state();
        let walk = state.walk.as_ref().filter(|walk| walk.workspace.is(ws));
        let due = walk
            .is_some_and(|walk| walk.took > AT_ONCE && walk.ended.elapsed() > walk.took * SELDOM);
        if due && !state.looking {
            state.looking = true;
            drop(state);
            let (known, ws) = (self.clone(), ws.clone());
            tokio::task::spawn_blocking(move || {
                known.look(&ws);
                known.state().looking = false;
            });
        }
    }

    fn look(&self, ws: &Workspace) -> Arc<Linked> {
        let began = Instant::now();
        let linked = Arc::new(Linked::find(ws));
        let ended = Instant::now();
        let walk =
            Walk { workspace: ws.clone(), linked: Arc::clone(&linked), took: ended - began, ended };
        self.state().walk = Some(walk);
        linked
    }

    fn last(&self, ws: &Workspace) -> Option<(Arc<Linked>, Duration)> {
        let state = self.state();
        let walk = state.walk.as_ref().filter(|walk| walk.workspace.is(ws))?;
        Some((Arc::clone(&walk.linked), walk.took))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
