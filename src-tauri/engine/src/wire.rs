//! What the window gets that no other surface does.

use plan::Event;

/// One stored event, as the window gets it.
#[derive(Debug, Clone, serde::Serialize, ts_rs::TS)]
pub struct Stored {
    /// Its place in the room's log.
    pub seq: u64,
    /// When it happened.
    pub at: plan::Time,
    /// What happened.
    pub event: Event,
}
