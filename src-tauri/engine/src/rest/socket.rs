//! The same API on a socket in the data folder, for programs of the person's own: the command
//! line, and a window that attaches. They need no token: who may open the socket could read it.

use super::own_router;
use super::serving::{Clients, until};
use crate::engine::Engine;
use crate::local_socket;
use axum::serve::Listener;
use std::io;
use std::os::unix::net::{UnixListener as StdListener, UnixStream as StdStream};
use std::path::Path;
use tokio::net::unix::SocketAddr;
use tokio::net::{UnixListener, UnixStream};
use tokio_util::sync::CancellationToken;

const NAME: &str = "plancard.sock";

/// Reaches the engine that holds a data folder; fails where none does.
pub fn connect(data: &Path) -> io::Result<StdStream> {
    local_socket::connect(data, NAME)
}

/// Where the person's own programs come in. Whoever calls this holds the folder's lock.
pub fn listen(data: &Path) -> io::Result<StdListener> {
    local_socket::listen(data, NAME)
}

/// Serves the person's own programs until `stop`.
pub async fn serve_socket(
    engine: Engine,
    listener: StdListener,
    stop: CancellationToken,
) -> io::Result<()> {
    let door = Door::of(listener, rustix::process::geteuid().as_raw())?;
    until(door, own_router(engine), Clients::default(), stop).await
}

/// Lets in programs of one user.
struct Door {
    listener: UnixListener,
    user: u32,
}

impl Door {
    fn of(listener: StdListener, user: u32) -> io::Result<Self> {
        Ok(Self { listener: UnixListener::from_std(listener)?, user })
    }
}

impl Listener for Door {
    type Io = UnixStream;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (UnixStream, SocketAddr) {
        loop {
            let (caller, from) = Listener::accept(&mut self.listener).await;
            match caller.peer_cred() {
                Ok(peer) if peer.uid() == self.user => return (caller, from),
                Ok(peer) => tracing::warn!(user = peer.uid(), "another user was turned away"),
                Err(error) => tracing::warn!(%error, "a caller can't be told and was turned away"),
            }
        }
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::Router;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    /// What a program hears that comes to the door of this user.
    async fn heard_at(user: u32) -> String {
        let data = tempfile::tempdir().unwrap();
        let door = Door::of(listen(data.path()).unwrap(), user).unwrap();
        let stop = CancellationToken::new();
        let app = Router::new().fallback(async || "welcome");
        let serving = tokio::spawn(until(door, app, Clients::default(), stop.clone()));
        let caller = connect(data.path()).unwrap();
        caller.set_nonblocking(true).unwrap();
        let mut caller = UnixStream::from_std(caller).unwrap();
        // Whoever is turned away may not even get to say this.
        let _ = caller.write_all(b"GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n").await;
        let mut heard = Vec::new();
        let _ = caller.read_to_end(&mut heard).await;
        stop.cancel();
        serving.await.unwrap().unwrap();
        String::from_utf8(heard).unwrap()
    }

    #[tokio::test]
    async fn only_programs_of_the_same_user_are_let_in() {
        let own = rustix::process::geteuid().as_raw();
        assert!(heard_at(own).await.ends_with("welcome"));
        assert_eq!(heard_at(own + 1).await, "");
    }
}
