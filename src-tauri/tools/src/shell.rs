//! What is known about a shell command before and after it runs.

pub(crate) mod changes;
pub(crate) mod looking;
pub(crate) mod shell_words;
