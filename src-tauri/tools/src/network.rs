//! The way out: which hosts may be reached, and where their names lead.
//!
//! Nothing here reaches this computer or its neighbours unless a person listed
//! the very host. A name is resolved once, its addresses are looked at, and the
//! connection goes to one of those addresses, so a name that answers
//! differently the next time gains nothing.

mod address;
mod body;
mod hosts;
mod ours;
pub(crate) mod proxy;

pub(crate) use hosts::{Host, Hosts, Way};
pub use ours::{OffLimits, off_limits};

use crate::error::ToolError;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

/// The addresses of a host that may be connected to.
pub(crate) async fn resolve(
    host: &Host,
    private: &Arc<[String]>,
) -> Result<Vec<SocketAddr>, ToolError> {
    let found = match host.name.parse::<IpAddr>() {
        Ok(address) => vec![SocketAddr::new(address, host.port)],
        Err(_) => match tokio::net::lookup_host((host.name.as_str(), host.port)).await {
            Ok(found) => found.collect(),
            Err(source) => return Err(ToolError::io(format!("looking up {host}"), source)),
        },
    };
    if found.iter().any(ours::is_ours) {
        return Err(ToolError::OwnApi { host: host.to_string() });
    }
    let may = |address: &SocketAddr| {
        let ip = address.ip();
        let public = address::is_public(ip) && !hosts::is_own(ip);
        public || private.iter().any(|listed| host.is_listed(listed, ip))
    };
    let allowed: Vec<SocketAddr> = found.into_iter().filter(may).collect();
    if allowed.is_empty() {
        return Err(ToolError::PrivateHost { host: host.to_string() });
    }
    Ok(allowed)
}
