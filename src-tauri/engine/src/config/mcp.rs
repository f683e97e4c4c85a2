//! Reads `mcp_servers:`, the servers that bring more tools.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::read_providers::{address, command};
use super::section::Section;
use super::tree::Node;

/// One MCP server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct McpServer {
    /// How it is reached.
    pub transport: McpTransport,
    /// Whether what it says of its tools is believed.
    pub trusted: bool,
}

/// How an MCP server is reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum McpTransport {
    /// A program that is started.
    Process {
        /// The program.
        command: String,
        /// Its arguments.
        args: Vec<String>,
        /// Added to its environment.
        env: BTreeMap<String, String>,
        /// The folder it starts in.
        cwd: Option<PathBuf>,
    },
    /// An address.
    Http {
        /// The address.
        url: String,
        /// Sent with every request.
        headers: BTreeMap<String, String>,
    },
}

/// Every server by name.
pub(super) fn read(section: &Section<'_>) -> BTreeMap<String, McpServer> {
    let mut servers = BTreeMap::new();
    for (name, node, path) in section.named() {
        let inner = Section::new(section.report, path, Some(node));
        if name.is_empty() || name.contains('.') {
            // Tools are named `server.tool`: a dot would let one server stand for another.
            let message = "is not a name for a server; allowed: a name without dots";
            section.report.error(inner.at, &inner.path, message);
        }
        if let Some(server) = one(&inner) {
            servers.insert(name.to_owned(), server);
        }
        inner.finish();
    }
    servers
}

fn one(section: &Section<'_>) -> Option<McpServer> {
    let trusted = section.flag("trusted").unwrap_or(false);
    let transport_words = [("stdio", ()), ("http", ()), ("streamable-http", ())];
    section.choice("type", &transport_words);
    let url = address(section, "url");
    let headers = section.text_map("headers");
    let mut command = command(section).into_iter();
    let env = section.text_map("env");
    let cwd = section.name("cwd").map(PathBuf::from);
    let transport = match transports(section) {
        (Some(_), None) => {
            McpTransport::Process { command: command.next()?, args: command.collect(), env, cwd }
        }
        (None, Some(_)) => McpTransport::Http { url: url?, headers },
        (Some(_), Some(_)) => {
            let message = "has both command and url; allowed: one of them";
            section.report.error(section.at, &section.path, message);
            return None;
        }
        (None, None) => {
            let message = "has neither command nor url; allowed: one of them";
            section.report.error(section.at, &section.path, message);
            return None;
        }
    };
    Some(McpServer { transport, trusted })
}

/// What is written of `command` and `url`. Of one in each file, the person's counts.
fn transports<'a>(section: &Section<'a>) -> (Option<&'a Node>, Option<&'a Node>) {
    match (section.get("command"), section.get("url")) {
        (Some(command), Some(url)) if command.at.source < url.at.source => (Some(command), None),
        (Some(command), Some(url)) if url.at.source < command.at.source => (None, Some(url)),
        written => written,
    }
}
