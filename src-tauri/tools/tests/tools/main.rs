//! The tools as their callers use them: on real files, in the real sandbox.

// Helpers of tests are tests, which the lint does not see in this folder.
#![allow(clippy::unwrap_used)]

mod escape;
mod files;
mod git;
mod sandbox;
mod shell;
mod support;
