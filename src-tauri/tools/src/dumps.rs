//! What is in the memory of a program that holds keys stays there.

use rustix::process::{DumpableBehavior, Resource, Rlimit, set_dumpable_behavior, setrlimit};

/// From here on neither this program nor what it starts writes its memory to disk when it crashes,
/// and no other program of the same user reads this one's memory, environment or open files. What
/// it starts is no longer kept from that; the sandbox is.
pub fn leave_no_dumps() {
    let none = Rlimit { current: Some(0), maximum: Some(0) };
    if let Err(error) = setrlimit(Resource::Core, none) {
        tracing::warn!(%error, "crash dumps can't be turned off");
    }
    if let Err(error) = set_dumpable_behavior(DumpableBehavior::NotDumpable) {
        tracing::warn!(%error, "others can read this program's memory");
    }
}
