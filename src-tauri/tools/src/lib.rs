//! Touches the computer for an agent: files, search, and a shell in a sandbox.
//!
//! A call is looked at twice. [`Toolbox::facts`] says what it will touch
//! before it runs, so that somebody else can decide; [`Toolbox::run`] carries
//! it out and says what changed. File tools reach the disk only through the
//! directory descriptor held by [`Workspace`]; the shell only through a
//! [`sandbox::Sandbox`].

mod args;
mod cut;
mod error;
mod facts;
mod files;
mod find;
pub mod mcp;
mod output;
mod process;
pub mod sandbox;
mod shell;
mod tool;
mod toolbox;
mod workspace;

pub use error::ToolError;
pub use facts::{Effect, Facts, Target};
pub use output::{Change, ChangeKind, Output};
pub use sandbox::Profile;
pub use toolbox::{RunContext, ToolSpec, Toolbox};
pub use workspace::Workspace;
