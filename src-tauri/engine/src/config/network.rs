//! Reads `network:`, what tools may reach near this computer.

use super::section::Section;

/// What tools may reach although it is near.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Network {
    /// Hosts on this computer (with a port) or its own network, as `host` or `host:port`.
    pub private_hosts: Vec<String>,
}

impl Network {
    pub(super) fn read(section: &Section<'_>) -> Self {
        let private_hosts = section.texts("private_hosts");
        let is_host = |host: &String| tools::is_host(host);
        if let (false, Some(node)) =
            (private_hosts.iter().all(is_host), section.get("private_hosts"))
        {
            let allowed = "hosts such as printer.lan, 192.168.1.20 or localhost:3000";
            section.bad("private_hosts", node, allowed);
        }
        Self { private_hosts }
    }
}
