//! Crash dumps: a program that holds keys leaves none.

use rustix::process::{Resource, Rlimit, setrlimit};

/// From here on neither this program nor what it starts writes its memory to disk when it crashes.
pub fn leave_no_dumps() {
    let none = Rlimit { current: Some(0), maximum: Some(0) };
    if let Err(error) = setrlimit(Resource::Core, none) {
        tracing::warn!(%error, "crash dumps can't be turned off");
    }
}
