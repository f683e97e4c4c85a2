//! Has somebody look after our sandboxes when we are gone: see `leftovers`.

use crate::leftovers;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};

/// Starts the warden. It ends when this is dropped, which is when we end.
pub(super) fn start() -> Option<Warden> {
    let (Some(mark), Some(program)) =
        (leftovers::mark(), crate::program::beside_us("plancard-warden"))
    else {
        tracing::warn!("plancard-warden is missing: killed, we could leave halves of sandboxes");
        return None;
    };
    let started = Command::new(program)
        .arg(mark)
        .env_clear()
        .current_dir("/")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        // What a terminal tells us is not meant for it.
        .process_group(0)
        .spawn();
    match started {
        Ok(child) => Some(Warden { _child: child }),
        Err(error) => {
            tracing::warn!(%error, "plancard-warden can't be started");
            None
        }
    }
}

/// The warden, with the pipe by which it knows that we are there.
pub(super) struct Warden {
    _child: Child,
}
