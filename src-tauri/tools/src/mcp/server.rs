//! A server as a person configured it, and where it works.

use crate::facts::Effect;
use crate::sandbox::Profile;
use crate::workspace::Workspace;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// One MCP server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Server {
    /// The name the person gave it; it has no dots.
    pub name: String,
    /// How it is reached.
    pub reach: Reach,
    /// Whether one process serves every workspace: it touches no files.
    pub share: bool,
    /// Whether what it says of its tools is believed.
    pub trusted: bool,
    /// What the person says its tools do, by the tool's name.
    pub effects: BTreeMap<String, Effect>,
}

/// How a server is reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reach {
    /// A program that is started in the sandbox.
    Program {
        /// The program.
        command: String,
        /// Its arguments.
        args: Vec<String>,
        /// Added to its environment.
        env: BTreeMap<String, String>,
        /// The folder it starts in, below the workspace unless absolute.
        cwd: Option<PathBuf>,
        /// Folders and files outside the workspace that it may read.
        read: Vec<PathBuf>,
    },
    /// An address.
    Address {
        /// The address.
        url: String,
        /// Sent with every request.
        headers: BTreeMap<String, String>,
    },
}

/// Where a call works: the folder, and how much may be done there.
#[derive(Clone)]
pub struct Place {
    /// The folder.
    pub workspace: Workspace,
    /// How much the server may do in it.
    pub profile: Profile,
}

impl Server {
    /// Whether it has nothing to do with the workspace it is called from.
    pub(super) fn is_shared(&self) -> bool {
        match &self.reach {
            Reach::Program { .. } => self.share,
            Reach::Address { .. } => true,
        }
    }

    /// Whether calling it sends something to another computer.
    pub(super) fn is_remote(&self) -> bool {
        match &self.reach {
            Reach::Program { .. } => false,
            Reach::Address { url, .. } => !is_loopback(url),
        }
    }
}

fn is_loopback(url: &str) -> bool {
    let Ok(url) = reqwest::Url::parse(url) else { return false };
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
    let address = host.parse::<std::net::IpAddr>();
    host == "localhost" || address.is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_this_computer_is_near() {
        for near in ["http://127.0.0.1:1/mcp", "http://[::1]/", "https://localhost/x"] {
            assert!(is_loopback(near), "{near}");
        }
        for far in ["https://example.org", "http://127.0.0.1.example.org", "http://10.0.0.1"] {
            assert!(!is_loopback(far), "{far}");
        }
    }
}
