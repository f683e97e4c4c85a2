//! MCP servers at work in rooms: which tools a room has, what the gate is told
//! of a call, and carrying it out.
//!
//! Tools are listed by a process that can't write. Each is known by its hash;
//! the first one seen is pinned, and one that is different later has to be
//! allowed again. A plan that names a tool is written down with the hash, so
//! approving it approves that very tool.

mod asked;
mod ending;
mod facts;
mod installing;
mod listed;
mod listener;
mod logins;
mod naming;
mod perform;
mod pins;
mod ready;
mod servers;
mod view;

pub use view::{McpPackageView, McpServerView, McpState, McpToolView};

pub(crate) use facts::{Served, detail, facts, reading, refresh};
pub(crate) use listed::Listed;
pub(crate) use naming::{is_served, known_as, name_tools, refuse_foreign};
pub(crate) use perform::perform;
pub(crate) use ready::ready;
pub(crate) use servers::hide;

use crate::keys::Keys;
use crate::redact::Redactor;
use asked::Questions;
use ending::Which;
use logins::KeptLogins;
use pins::Pins;
use plan::RoomId;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tools::Workspaces;
use tools::mcp::{PackageSettings, Servers, Surroundings};

/// The servers, and what is known of their tools.
pub(crate) struct Mcp {
    servers: Servers,
    pins: Pins,
    /// What each server last listed, by the room's folder.
    listed: Mutex<HashMap<PathBuf, Listed>>,
    /// Rooms whose work is over: which of their servers end when nothing runs there.
    over: Mutex<HashMap<RoomId, Which>>,
    /// Which packages were asked about, in which rooms.
    questions: Questions,
    /// Whether someone looks for servers that nobody needs.
    sweeping: AtomicBool,
}

impl Mcp {
    pub(crate) fn new(
        data: &Path,
        hidden: Arc<[PathBuf]>,
        workspaces: Workspaces,
        keys: Arc<dyn Keys>,
        redactor: Redactor,
    ) -> Self {
        let around = Surroundings {
            sandbox: None,
            hidden,
            workspaces,
            scratch: data.join("mcp").join("empty"),
            packages: data.join("mcp").join("packages"),
            package_settings: PackageSettings::of_this_process(),
            secrets: Arc::new(redactor.clone()),
            logins: Arc::new(KeptLogins::new(keys, redactor)),
            http: Arc::new(models::http_client),
        };
        Self {
            servers: Servers::new(around),
            pins: Pins::read(data),
            listed: Mutex::default(),
            over: Mutex::default(),
            questions: Questions::default(),
            sweeping: AtomicBool::new(false),
        }
    }

    /// What was last listed for a folder.
    pub(crate) fn listed(&self, workspace: &str) -> Listed {
        self.all_listed().get(Path::new(workspace)).cloned().unwrap_or_default()
    }

    fn all_listed(&self) -> MutexGuard<'_, HashMap<PathBuf, Listed>> {
        self.listed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
