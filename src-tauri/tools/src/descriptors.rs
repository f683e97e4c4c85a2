//! Open files: what we hold stays with us, and there is room for many.

use rustix::process::{Resource, getrlimit, setrlimit};

/// Nothing that is open now is handed on to what is started later: neither what a library opened,
/// nor what whoever started us left open.
pub fn hand_none_on() {
    const FIRST_AFTER_STDERR: i32 = 3;
    close_fds::set_fds_cloexec_threadsafe(FIRST_AFTER_STDERR, &[]);
}

/// As many as are worth it: what this program starts may look through all it could have open.
const MOST: u64 = 65_536;

/// Lets this program open as many files and connections as it may; how many that is.
pub fn open_many() -> u64 {
    let mut limit = getrlimit(Resource::Nofile);
    let most = limit.maximum.unwrap_or(MOST).min(MOST);
    let now = limit.current.unwrap_or(MOST);
    if now >= most {
        return now;
    }
    limit.current = Some(most);
    match setrlimit(Resource::Nofile, limit) {
        Ok(()) => most,
        Err(error) => {
            tracing::warn!(%error, "no more files can be open at once");
            now
        }
    }
}
