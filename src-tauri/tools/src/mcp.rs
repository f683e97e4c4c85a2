//! Tools that other programs bring, over the Model Context Protocol.
//!
//! A server is a program of the person's choice that runs in the sandbox, or
//! an address. What it says is data: its hints are claims, its names stand
//! behind its own (`server.tool`), and its answers are cut and bounded. One
//! process serves one workspace under one profile; [`Servers`] starts it when
//! it is needed, starts it again when it has died, and ends it without
//! leaving anything behind.

mod bounded;
mod calling;
mod calls;
mod connection;
mod effect;
mod elicit;
mod error;
mod handler;
mod install;
mod listing;
mod lockfile;
mod login;
mod measured;
mod name;
mod output;
mod package_manager;
mod package_settings;
mod packages;
mod registries;
mod resources;
mod said;
mod server;
mod servers;
mod slot;
mod start;
mod tool;

pub use calls::{Answer, Field, Limits, Listener, Progress, Question};
pub use connection::Connection;
pub use effect::{Source, effect};
pub use error::McpError;
pub use install::Install;
pub use lockfile::Installed;
pub use login::{Login, Logins};
pub use name::{split, wire_name};
pub use package_manager::InstallGrant;
pub use package_settings::PackageSettings;
pub(crate) use said::Said;
pub use server::{Place, Reach, Server};
pub use servers::{Servers, Surroundings};
pub use slot::{Health, State};
pub(crate) use start::{own_file, script};
pub use tool::{Hints, McpTool};
