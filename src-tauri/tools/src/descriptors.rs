//! Open files: what we hold stays with us.

/// Nothing that is open now is handed on to what is started later: neither what a library opened,
/// nor what whoever started us left open.
pub fn hand_none_on() {
    const FIRST_AFTER_STDERR: i32 = 3;
    close_fds::set_fds_cloexec_threadsafe(FIRST_AFTER_STDERR, &[]);
}
