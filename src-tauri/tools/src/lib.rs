//! Touches the computer for an agent: files, search, a shell in a sandbox, the web.
//!
//! A call is looked at twice. [`Toolbox::facts`] says what it will touch
//! before it runs, so that somebody else can decide; [`Toolbox::run`] carries
//! it out and says what changed. File tools reach the disk only through the
//! directory descriptor held by [`Workspace`]; the shell only through a
//! [`sandbox::Sandbox`].

mod args;
mod bare;
mod catalogue;
pub mod copy;
mod cut;
mod descriptors;
mod dumps;
mod error;
mod facts;
mod files;
mod find;
mod folder_walk;
mod git_exec_paths;
mod git_settings;
mod hardlinks;
mod ignored;
mod image;
pub mod leftovers;
pub mod limited;
mod limits;
mod links;
pub mod mcp;
mod network;
mod output;
mod process;
mod program;
mod read_only;
mod runs_later;
pub mod sandbox;
mod secrets;
mod shell;
mod tool;
mod toolbox;
mod workspace;
mod workspaces;

pub use catalogue::{Entry, catalogue};
pub use descriptors::{hand_none_on, open_many};
pub use dumps::leave_no_dumps;
pub use error::ToolError;
pub use facts::{Effect, Facts, SimpleCommand, Target};
pub use image::Image;
pub use limits::{Exceeded, ResourceLimits, not_limited};
pub use network::{OffLimits, off_limits};
pub use output::{Change, ChangeKind, Output, Outputs};
pub use program::{Program, ProgramStart, Started, find_program, start as start_program};
pub use read_only::ReadOnly;
pub use sandbox::Profile;
pub use secrets::Secrets;
pub use shell::{Shell, simple_commands};
pub use toolbox::{HttpBuilder, RunContext, ToolSpec, Toolbox};
pub use workspace::Workspace;
pub use workspaces::Workspaces;

/// Whether a text names a host, with or without a port.
pub fn is_host(text: &str) -> bool {
    network::Hosts::parse(&[text.to_owned()]).is_ok()
}
