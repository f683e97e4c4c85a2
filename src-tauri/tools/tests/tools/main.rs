//! The tools as their callers use them: on real files, in the real sandbox.

// Helpers of tests are tests, which the lint does not see in this folder.
#![allow(clippy::unwrap_used)]

mod attacks;
mod background;
mod copies;
mod copy_paths;
mod crowds;
mod endless;
mod escape;
mod fetch;
mod files;
mod folder;
mod git;
mod granted;
mod hostile_repository;
mod killed;
mod large;
mod limits;
mod linked;
mod listed;
mod moving;
mod program;
mod sandbox;
mod session;
mod shared_objects;
mod shell;
mod support;
mod system_calls;
mod toolchains;
mod vanished;
mod warm;
mod web;
