//! The doors by which this very program is supervised. No tool reaches them, whatever a person
//! lists: who comes in there may approve.

use std::net::SocketAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Ports this program serves its API on. They are the program's, not one toolbox's.
static PORTS: Mutex<Vec<u16>> = Mutex::new(Vec::new());

/// Keeps tools away from a port of this computer for as long as it is held.
#[must_use]
#[derive(Debug)]
pub struct OffLimits(u16);

/// Puts a port of this computer out of every tool's reach.
pub fn off_limits(port: u16) -> OffLimits {
    ports().push(port);
    OffLimits(port)
}

impl Drop for OffLimits {
    fn drop(&mut self) {
        let mut ports = ports();
        if let Some(at) = ports.iter().position(|port| *port == self.0) {
            ports.swap_remove(at);
        }
    }
}

/// Whether an address leads to this program itself.
pub(super) fn is_ours(address: &SocketAddr) -> bool {
    ports().contains(&address.port()) && super::hosts::is_own(address.ip())
}

fn ports() -> MutexGuard<'static, Vec<u16>> {
    PORTS.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::off_limits;
    use crate::error::ToolError;
    use crate::network::{Host, resolve};
    use std::sync::Arc;

    #[tokio::test]
    async fn a_port_of_ours_is_out_of_reach_although_a_person_listed_it() {
        let names = ["127.0.0.1:48123", "localhost:48123", "[::1]:48123", "127.0.0.2:48123"];
        let listed: Arc<[String]> = names.map(str::to_owned).into();
        let reach = async |name: &str| resolve(&Host::parse(name, 80).unwrap(), &listed).await;
        let held = off_limits(48123);
        for name in names {
            let said = reach(name).await;
            assert!(matches!(said, Err(ToolError::OwnApi { .. })), "{name}: {said:?}");
        }
        drop(held);
        assert!(reach("127.0.0.1:48123").await.is_ok());
    }
}
