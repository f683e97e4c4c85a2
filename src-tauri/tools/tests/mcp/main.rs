//! MCP servers as their callers use them: real programs, in the real sandbox.

// Helpers of tests are tests, which the lint does not see in this folder.
#![allow(clippy::unwrap_used)]

mod desk;
mod ends;
mod fetch;
mod hostile;
mod http;
mod install;
mod login;
mod real;
