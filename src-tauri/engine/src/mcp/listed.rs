//! The tools that the servers of a room last listed.

use std::collections::BTreeMap;
use std::sync::Arc;
use tools::mcp::{McpError, McpTool, Reach, wire_name};

/// What every server of a folder last said. Cheap to clone.
#[derive(Clone, Default)]
pub(crate) struct Listed {
    servers: Arc<BTreeMap<String, OfServer>>,
}

/// What one server last said.
#[derive(Clone)]
pub(super) struct OfServer {
    /// The settings under which it said so.
    pub(super) reach: Reach,
    pub(super) tools: Result<Vec<Arc<McpTool>>, McpError>,
}

impl OfServer {
    /// Whether it has not said anything yet and is no longer waited for.
    pub(super) fn is_late(&self) -> bool {
        matches!(self.tools, Err(McpError::Starting { .. }))
    }
}

impl Listed {
    /// The same with news of one server.
    pub(super) fn with(&self, server: String, said: OfServer) -> Self {
        let mut servers = BTreeMap::clone(&self.servers);
        servers.insert(server, said);
        Self { servers: Arc::new(servers) }
    }

    /// The same without servers that are no longer there.
    pub(super) fn only(&self, stays: impl Fn(&str, &Reach) -> bool) -> Self {
        let servers = self.servers.iter().filter(|(name, said)| stays(name, &said.reach));
        Self {
            servers: Arc::new(servers.map(|(name, said)| (name.clone(), said.clone())).collect()),
        }
    }

    /// The same with these tools alone.
    pub(super) fn keep(&self, stays: impl Fn(&str, &McpTool) -> bool) -> Self {
        let mut servers = BTreeMap::clone(&self.servers);
        for (name, said) in &mut servers {
            if let Ok(tools) = &mut said.tools {
                tools.retain(|tool| stays(name, tool));
            }
        }
        Self { servers: Arc::new(servers) }
    }

    pub(super) fn of(&self, server: &str) -> Option<&OfServer> {
        self.servers.get(server)
    }

    pub(super) fn tool(&self, server: &str, name: &str) -> Option<&Arc<McpTool>> {
        let tools = self.of(server)?.tools.as_ref().ok()?;
        tools.iter().find(|tool| tool.name == name)
    }

    /// Every tool by the name a model calls it by. Of two that would have the
    /// same one, the first counts.
    pub(crate) fn tools(&self) -> BTreeMap<String, &Arc<McpTool>> {
        let mut tools = BTreeMap::new();
        for tool in self.servers.values().filter_map(|said| said.tools.as_ref().ok()).flatten() {
            tools.entry(wire_name(&tool.full_name())).or_insert(tool);
        }
        tools
    }

    /// A mark that is another one when any tool is.
    pub(crate) fn mark(&self) -> Option<blake3::Hash> {
        let tools = self.tools();
        if tools.is_empty() {
            return None;
        }
        let mut hasher = blake3::Hasher::new();
        for (name, tool) in tools {
            hasher.update(name.as_bytes());
            hasher.update(tool.hash.as_bytes());
        }
        Some(hasher.finalize())
    }
}
