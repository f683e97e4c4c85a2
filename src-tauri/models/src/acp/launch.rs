//! How an agent's program is started: by whoever can confine it, not by this crate.

use std::path::Path;

use async_trait::async_trait;
use tokio::io::{AsyncRead, AsyncWrite};

use super::trouble::AgentTrouble;

/// Starts an agent's program.
#[async_trait]
pub trait Launch: Send + Sync {
    /// The folder the agent works in.
    fn folder(&self) -> &Path;

    /// Starts it.
    async fn launch(&self) -> Result<Launched, AgentTrouble>;
}

/// A program that was started.
pub struct Launched {
    /// What it hears.
    pub stdin: Box<dyn AsyncWrite + Send + Sync + Unpin>,
    /// What it says.
    pub stdout: Box<dyn AsyncRead + Send + Sync + Unpin>,
    /// The program itself.
    pub program: Box<dyn Program>,
}

/// A running program; dropping it ends all of its processes.
#[async_trait]
pub trait Program: Send + Sync {
    /// Ends all of its processes, and gives what it last wrote on its error output.
    async fn end(self: Box<Self>) -> String;
}
