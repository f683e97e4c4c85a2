//! Starts an agent's program in the sandbox.

use super::hint::not_installed;
use crate::config::AgentProgram;
use async_trait::async_trait;
use models::{AgentTrouble, Launch, Launched, Program};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tools::{Profile, ProgramStart, ToolError, Workspace, Workspaces};

/// A program that is to be started.
pub(super) struct Launching {
    pub(super) provider: String,
    pub(super) program: AgentProgram,
    pub(super) workspace: Workspace,
    pub(super) shared: Vec<PathBuf>,
    pub(super) workspaces: Workspaces,
    pub(super) profile: Profile,
    pub(super) private_hosts: Arc<[String]>,
    pub(super) hidden: Arc<[PathBuf]>,
}

#[async_trait]
impl Launch for Launching {
    fn folder(&self) -> &Path {
        self.workspace.root()
    }

    async fn launch(&self) -> Result<Launched, AgentTrouble> {
        if let Some(trouble) = not_installed(&self.provider, &self.program) {
            return Err(trouble);
        }
        let mut words = self.program.command.iter().cloned();
        let start = ProgramStart {
            workspace: self.workspace.clone(),
            profile: self.profile,
            command: words.next().unwrap_or_default(),
            args: words.collect(),
            env: self.program.env.clone(),
            cwd: None,
            read: self.program.read.clone(),
            workspaces: self.workspaces.clone(),
            shared: self.shared.clone(),
            hosts: self.program.hosts.clone(),
            private_hosts: Arc::clone(&self.private_hosts),
            hidden: Arc::clone(&self.hidden),
        };
        let started = tools::start_program(start).await.map_err(|error| {
            let agent = self.provider.clone();
            if let ToolError::NoSandbox { reason } = error {
                return AgentTrouble::NotConfined { agent, reason };
            }
            AgentTrouble::NotStarted { agent, why: error.to_string() }
        })?;
        Ok(Launched {
            stdin: Box::new(started.stdin),
            stdout: Box::new(started.stdout),
            program: Box::new(Confined(started.program)),
        })
    }
}

struct Confined(tools::Program);

#[async_trait]
impl Program for Confined {
    async fn end(self: Box<Self>) -> String {
        self.0.end().await
    }
}
