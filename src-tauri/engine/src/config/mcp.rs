//! Reads `mcp_servers:`, the servers that bring more tools.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::backend::Backend;
use super::read_providers::{address, command};
use super::section::{Section, shown, text_of};
use super::tree::Node;
use super::{Config, ignored_keys};

/// One MCP server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct McpServer {
    /// How it is reached.
    pub transport: McpTransport,
    /// Whether what it says of its tools is believed.
    pub trusted: bool,
    /// Whether one process serves every workspace: it touches no files.
    pub share: bool,
    /// What its tools do, whatever it says of them.
    pub effects: BTreeMap<String, plan::Effect>,
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
        /// Folders and files outside the workspace that it may read.
        read: Vec<PathBuf>,
    },
    /// An address.
    Http {
        /// The address.
        url: String,
        /// Sent with every request.
        headers: BTreeMap<String, String>,
    },
}

/// Adds the servers of an agent's backend to those that all agents share. The same server may be
/// written for several agents.
pub(super) fn read_own(section: &Section<'_>, agent: &str, backend: &Backend, config: &mut Config) {
    let inner = section.section("mcp_servers");
    let servers = read(&inner);
    if matches!(backend, Backend::Unknown(_) | Backend::Bad) {
        return;
    }
    for (name, server) in servers {
        let known = config.mcp_servers.get(&name);
        if known.is_none_or(|known| *known == server) {
            config.mcp_servers.insert(name, server);
            continue;
        }
        let agent: String =
            agent.chars().map(|each| if each.is_alphanumeric() { each } else { '_' }).collect();
        let other = format!("{name}_{agent}");
        let at = inner.named().find(|(one, _, _)| *one == name).map_or(inner.at, |one| one.1.at);
        let message = format!("differs from another server of that name; it is {other:?} here");
        section.report.warning(at, &inner.path_of(&name), message);
        config.mcp_servers.insert(other, server);
    }
}

/// Every server by name.
pub(super) fn read(section: &Section<'_>) -> BTreeMap<String, McpServer> {
    let mut servers = BTreeMap::new();
    for (name, node, path) in section.named() {
        let inner = Section::new(section.report, path, Some(node));
        let inner = inner.ignoring(ignored_keys::MCP_SERVER);
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
    let read = readable(section);
    let (share, effects) = (section.flag("share").unwrap_or(false), effects(section));
    let transport = match transports(section) {
        (Some(_), None) => {
            let (command, args) = (command.next()?, command.collect());
            McpTransport::Process { command, args, env, cwd, read }
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
    Some(McpServer { transport, trusted, share, effects })
}

/// Folders that a program may read.
pub(super) fn readable(section: &Section<'_>) -> Vec<PathBuf> {
    folders(section, "read")
}

/// Folders of a list; one below home may be written with `~/`.
pub(super) fn folders(section: &Section<'_>, key: &'static str) -> Vec<PathBuf> {
    let mut folders = Vec::new();
    for text in section.texts(key) {
        let path = match (text.strip_prefix("~/"), std::env::home_dir()) {
            (Some(below), Some(home)) => home.join(below),
            (Some(_) | None, _) => PathBuf::from(&text),
        };
        if path.is_absolute() {
            folders.push(path);
        } else if let Some(node) = section.get(key) {
            section.bad(key, node, "absolute paths");
        }
    }
    folders
}

const EFFECTS: [(&str, plan::Effect); 5] = [
    ("read", plan::Effect::Read),
    ("write", plan::Effect::Write),
    ("write_outside", plan::Effect::WriteOutside),
    ("exec", plan::Effect::Exec),
    ("network", plan::Effect::Network),
];

/// What a person says that tools do, by the tool's name at the server.
fn effects(section: &Section<'_>) -> BTreeMap<String, plan::Effect> {
    let inner = section.section("effects");
    let mut effects = BTreeMap::new();
    for (tool, node, path) in inner.named() {
        let said = EFFECTS.iter().find(|(word, _)| Some(*word) == text_of(node));
        match said {
            Some((_, effect)) => drop(effects.insert(tool.to_owned(), *effect)),
            None => {
                let words = EFFECTS.map(|(word, _)| word).join(", ");
                let message = format!("is {}; allowed: {words}", shown(node));
                section.report.error(node.at, &path, message);
            }
        }
    }
    effects
}

/// What is written of `command` and `url`. Of one in each file, the person's counts.
fn transports<'a>(section: &Section<'a>) -> (Option<&'a Node>, Option<&'a Node>) {
    match (section.get("command"), section.get("url")) {
        (Some(command), Some(url)) if command.at.source < url.at.source => (Some(command), None),
        (Some(command), Some(url)) if url.at.source < command.at.source => (None, Some(url)),
        written => written,
    }
}
