//! How the servers stand, for the settings screen and for reports.

use super::servers::configured;
use crate::config::{McpServer, McpTransport};
use crate::engine::Engine;
use crate::turn::effect_of;
use plan::Effect;
use std::collections::BTreeMap;
use std::fmt::Write;
use tools::mcp::{Health, Installed, McpError, McpTool, Server, State};

/// One server, as a person sees it.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, ts_rs::TS)]
pub struct McpServerView {
    /// Its name.
    pub name: String,
    /// The command line or the address.
    pub reached_by: String,
    /// Whether what it says of its tools is believed.
    pub trusted: bool,
    /// How it stands.
    pub state: McpState,
    /// What is wrong, in plain words.
    pub problem: Option<String>,
    /// Whether it wants you to log in.
    pub needs_login: bool,
    /// Whether you are logged in.
    pub logged_in: bool,
    /// The processes it has now.
    pub processes: u32,
    /// What it offers, where it was asked.
    pub tools: Vec<McpToolView>,
    /// What was installed for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub installed: Option<McpPackageView>,
}

/// The package of a server.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, ts_rs::TS)]
pub struct McpPackageView {
    /// Its name.
    pub package: String,
    /// Its version.
    pub version: String,
    /// How many packages there are with it.
    pub packages: u32,
    /// The file that names them all, with their hashes.
    pub lockfile: String,
    /// The hash of that file.
    pub hash: String,
}

/// How a server stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, ts_rs::TS)]
#[serde(rename_all = "snake_case")]
pub enum McpState {
    /// It has not been needed yet, or is needed no more.
    Resting,
    /// It is being started.
    Starting,
    /// It is up.
    Running,
    /// It does not come up; `problem` says why.
    Failed,
}

/// One tool of a server, as a person sees it.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, ts_rs::TS)]
pub struct McpToolView {
    /// `server.tool`.
    pub name: String,
    /// What it does, in the server's words.
    pub description: String,
    /// What the gate takes it to do.
    pub effect: Effect,
    /// Whether it is another one than was allowed before.
    pub changed: bool,
}

impl Engine {
    /// Every configured MCP server and how it stands.
    pub fn mcp_servers(&self) -> Vec<McpServerView> {
        let config = self.shared.config.current();
        let health = self.shared.mcp.servers.health();
        let servers = configured(&config.config, &self.shared.redactor);
        let views = servers.iter().map(|server| {
            let own: Vec<&Health> =
                health.iter().filter(|health| health.server == server.name).collect();
            let said = config.config.mcp_servers.get(&server.name);
            let problem = own.iter().find_map(|health| health.problem.clone());
            let problem = problem.or_else(|| self.lacks(&server.name));
            McpServerView {
                name: server.name.clone(),
                reached_by: self.redact(said.map(reached_by).unwrap_or_default()),
                trusted: server.trusted,
                state: state(&own),
                problem: problem.map(|problem| self.redact(problem)),
                needs_login: own.iter().any(|health| health.needs_login),
                logged_in: self.shared.mcp.servers.has_login(server),
                processes: u32::try_from(own.iter().filter(|one| is_up(one)).count()).unwrap_or(0),
                tools: self.mcp_tools(server),
                installed: self.shared.mcp.servers.installed(server).map(package),
            }
        });
        views.collect()
    }

    /// The last words of a server on its error output.
    pub fn mcp_said(&self, server: &str) -> String {
        self.redact(self.shared.mcp.servers.said(server))
    }

    /// All servers as text, for a report.
    pub fn mcp_report(&self) -> String {
        let mut text = String::new();
        for server in self.mcp_servers() {
            let problem = server.problem.map(|words| format!(", {words}")).unwrap_or_default();
            let _ = writeln!(
                text,
                "{}: {:?}, {} tools, {} processes{problem}",
                server.name,
                server.state,
                server.tools.len(),
                server.processes
            );
            for line in
                self.mcp_said(&server.name).lines().rev().take(20).collect::<Vec<_>>().iter().rev()
            {
                let _ = writeln!(text, "  {line}");
            }
        }
        text
    }

    /// What is said of a server that rooms work without for now.
    fn lacks(&self, server: &str) -> Option<String> {
        let listed = self.shared.mcp.all_listed();
        let said = listed.values().filter_map(|here| here.of(server));
        let mut errors = said.filter_map(|said| said.tools.as_ref().err());
        let lacks = |error: &&McpError| {
            matches!(error, McpError::Starting { .. } | McpError::NotInstalled { .. })
        };
        let lacks = errors.find(lacks)?;
        let refused = matches!(lacks, McpError::NotInstalled { .. })
            && self.shared.mcp.questions.is_refused(server);
        Some(match refused {
            true => format!(
                "{lacks}; you refused that, and are asked again when a message of yours names \
                 {server}"
            ),
            false => lacks.to_string(),
        })
    }

    fn mcp_tools(&self, server: &Server) -> Vec<McpToolView> {
        let listed = self.shared.mcp.all_listed();
        let said = listed.values().filter_map(|here| here.of(&server.name));
        let tools = said.filter_map(|said| said.tools.as_ref().ok()).flatten();
        let by_name: BTreeMap<String, &McpTool> =
            tools.map(|tool| (tool.full_name(), &**tool)).collect();
        let views = by_name.into_iter().map(|(name, tool)| {
            let changed = self.shared.mcp.pins.is_changed(&name, &tool.hash);
            let (effect, _) = tools::mcp::effect(server, tool, changed);
            let effect = effect_of(effect);
            McpToolView { name, description: tool.description.clone(), effect, changed }
        });
        views.collect()
    }
}

fn package(installed: Installed) -> McpPackageView {
    let Installed { package, version, packages, lockfile, hash } = installed;
    let packages = u32::try_from(packages).unwrap_or(u32::MAX);
    McpPackageView { package, version, packages, lockfile: lockfile.display().to_string(), hash }
}

fn reached_by(server: &McpServer) -> String {
    match &server.transport {
        McpTransport::Process { command, args, .. } => {
            std::iter::once(command).chain(args).map(String::as_str).collect::<Vec<_>>().join(" ")
        }
        McpTransport::Http { url, .. } => url.clone(),
    }
}

fn is_up(health: &Health) -> bool {
    health.state == State::Running
}

fn state(own: &[&Health]) -> McpState {
    let any = |state: State| own.iter().any(|health| health.state == state);
    if any(State::Running) {
        McpState::Running
    } else if any(State::Starting) {
        McpState::Starting
    } else if own.iter().any(|health| health.problem.is_some()) {
        McpState::Failed
    } else {
        McpState::Resting
    }
}
