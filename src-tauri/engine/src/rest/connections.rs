//! Keeps connections that say nothing, or that nobody has a token for, from using up what the
//! program may have open.
//!
//! A connection is a stranger until a request with a good token came over it. There are few places
//! for strangers: a new one takes that of the one who was there longest. Whoever says nothing for
//! long, or never ends a request, is cut off. What the program's own socket, log and commands need
//! is left to them.

use axum::extract::connect_info::Connected;
use axum::serve::{IncomingStream, Listener};
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep_until};
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};

/// How long those that are cut off may take to end before a new one is turned away.
const MAKING_ROOM: Duration = Duration::from_secs(1);

/// How many there may be, and how long they may be silent.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    /// Connections over which no good token came yet.
    pub(super) strangers: usize,
    /// All of them.
    pub(super) all: usize,
    /// How long a stranger has for the beginning of a request.
    pub(super) head: Duration,
    /// How long anyone else may be silent between two requests.
    pub(super) idle: Duration,
}

impl Limits {
    /// At most half of what the program may have open.
    pub(super) fn usual() -> Self {
        let all = usize::try_from(tools::open_many() / 2).unwrap_or(usize::MAX).clamp(16, 8_192);
        let (head, idle) = (Duration::from_secs(10), Duration::from_secs(120));
        Self { strangers: 64.min(all / 2), all, head, idle }
    }
}

/// A listener that keeps to limits.
pub(super) struct Guarded<L> {
    listener: L,
    limits: Limits,
    /// In the order in which they came.
    open: Vec<Weak<Shared>>,
}

impl<L> Guarded<L> {
    pub(super) fn new(listener: L, limits: Limits) -> Self {
        Self { listener, limits, open: Vec::new() }
    }

    /// Takes the place of the oldest stranger where there are too many; whether there is one.
    fn has_room(&mut self) -> bool {
        self.open.retain(|one| one.strong_count() > 0);
        let there: Vec<Arc<Shared>> = self.open.iter().filter_map(Weak::upgrade).collect();
        let strangers = || there.iter().filter(|one| one.is_stranger());
        if strangers().count() >= self.limits.strangers
            && let Some(oldest) = strangers().next()
        {
            oldest.over.cancel();
        }
        there.len() < self.limits.all
    }

    fn admit(&mut self) -> Connection {
        let until = Instant::now() + self.limits.head;
        let state = Mutex::new(State { known: false, busy: 0, until });
        let shared = Shared { limits: self.limits, state, over: CancellationToken::new() };
        let connection = Connection(Arc::new(shared));
        self.open.push(Arc::downgrade(&connection.0));
        connection
    }
}

impl<L: Listener> Listener for Guarded<L> {
    type Io = Watched<L::Io>;
    type Addr = L::Addr;

    async fn accept(&mut self) -> (Self::Io, Self::Addr) {
        loop {
            let (io, from) = self.listener.accept().await;
            // Those that made room are about to end; who comes meanwhile waits in the queue.
            let patience = Instant::now() + MAKING_ROOM;
            while !self.has_room() && Instant::now() < patience {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
            if self.has_room() {
                return (Watched::new(io, self.admit()), from);
            }
        }
    }

    fn local_addr(&self) -> io::Result<Self::Addr> {
        self.listener.local_addr()
    }
}

/// One connection, as its requests know it.
#[derive(Clone)]
pub(super) struct Connection(Arc<Shared>);

struct Shared {
    limits: Limits,
    state: Mutex<State>,
    /// Another one takes its place.
    over: CancellationToken,
}

struct State {
    known: bool,
    /// Requests and streams under way.
    busy: usize,
    /// When it is cut off unless something happens before.
    until: Instant,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_stranger(&self) -> bool {
        !self.lock().known && !self.over.is_cancelled()
    }

    fn wait_anew(&self, state: &mut State) {
        let most = if state.known { self.limits.idle } else { self.limits.head };
        state.until = Instant::now() + most;
    }
}

impl Connection {
    /// A good token came over it.
    pub(super) fn is_known(&self) {
        let mut state = self.0.lock();
        state.known = true;
        self.0.wait_anew(&mut state);
    }

    /// A request is under way until this is dropped.
    pub(super) fn begin(&self) -> UnderWay {
        self.0.lock().busy += 1;
        UnderWay(self.clone())
    }
}

impl<L: Listener> Connected<IncomingStream<'_, Guarded<L>>> for Connection {
    fn connect_info(stream: IncomingStream<'_, Guarded<L>>) -> Self {
        stream.io().connection.clone()
    }
}

/// A request that is answered now.
pub(super) struct UnderWay(Connection);

impl Drop for UnderWay {
    fn drop(&mut self) {
        let shared = &self.0.0;
        let mut state = shared.lock();
        state.busy -= 1;
        shared.wait_anew(&mut state);
    }
}

/// The bytes of one connection, until its time is over.
pub(super) struct Watched<T> {
    io: T,
    connection: Connection,
    timer: Pin<Box<Sleep>>,
    over: Pin<Box<WaitForCancellationFutureOwned>>,
}

impl<T> Watched<T> {
    fn new(io: T, connection: Connection) -> Self {
        let timer = Box::pin(sleep_until(connection.0.lock().until));
        let over = Box::pin(connection.0.over.clone().cancelled_owned());
        Self { io, connection, timer, over }
    }

    fn is_over(&mut self, cx: &mut Context<'_>) -> bool {
        if self.over.as_mut().poll(cx).is_ready() {
            return true;
        }
        loop {
            let until = {
                let shared = &self.connection.0;
                let mut state = shared.lock();
                if state.busy > 0 {
                    shared.wait_anew(&mut state);
                }
                state.until
            };
            if until <= Instant::now() {
                return true;
            }
            if until < self.timer.deadline() || self.timer.is_elapsed() {
                self.timer.as_mut().reset(until);
            }
            if self.timer.as_mut().poll(cx).is_pending() {
                return false;
            }
        }
    }
}

impl<T: AsyncRead + Unpin> AsyncRead for Watched<T> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.is_over(cx) {
            return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
        }
        Pin::new(&mut self.io).poll_read(cx, buffer)
    }
}

impl<T: AsyncWrite + Unpin> AsyncWrite for Watched<T> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.io).poll_write(cx, bytes);
        match written {
            Poll::Ready(Ok(_)) => {
                // A long answer takes its time.
                let shared = &self.connection.0;
                shared.wait_anew(&mut shared.lock());
            }
            // While an answer waits to be written, nothing may be read that would tell.
            Poll::Pending if self.is_over(cx) => {
                return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
            }
            Poll::Ready(Err(_)) | Poll::Pending => {}
        }
        written
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use super::super::serving::{Clients, until_known};
    use super::*;
    use axum::Router;
    use axum::extract::ConnectInfo;
    use axum::http::HeaderMap;
    use axum::routing::get;
    use std::net::SocketAddr;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::{TcpListener, TcpStream};

    /// Who says "token" is known.
    async fn greet(ConnectInfo(from): ConnectInfo<Connection>, headers: HeaderMap) -> &'static str {
        if headers.contains_key("token") {
            from.is_known();
        }
        "welcome"
    }

    /// Sixty-four times this is more than is kept for whoever does not read it.
    const LENGTH: usize = 256 * 1024;

    async fn served(limits: Limits) -> SocketAddr {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let long = get(async || "x".repeat(LENGTH));
        let app = Router::new().route("/", get(greet)).route("/long", long);
        let (clients, stop) = (Clients::default(), CancellationToken::new());
        tokio::spawn(until_known(Guarded::new(listener, limits), app, clients, stop));
        address
    }

    const LONG: Duration = Duration::from_secs(600);
    const SHORT: Duration = Duration::from_millis(50);

    async fn heard(stream: &mut TcpStream, token: &str) -> String {
        let asked = format!("GET / HTTP/1.1\r\nhost: x\r\n{token}\r\n");
        stream.write_all(asked.as_bytes()).await.unwrap();
        let mut bytes = vec![0; 1024];
        let read = stream.read(&mut bytes).await.unwrap();
        String::from_utf8_lossy(&bytes[..read]).into_owned()
    }

    /// Waits until it is closed from the other side.
    async fn closed(stream: &mut TcpStream) {
        let mut rest = Vec::new();
        let _ = stream.read_to_end(&mut rest).await;
    }

    #[tokio::test]
    async fn crowds_of_strangers_keep_nobody_out() {
        let limits = Limits { strangers: 4, all: 16, head: LONG, idle: LONG };
        let address = served(limits).await;
        let mut known = TcpStream::connect(address).await.unwrap();
        assert!(heard(&mut known, "token: x\r\n").await.ends_with("welcome"));
        let mut crowd = Vec::new();
        for _ in 0..60 {
            crowd.push(TcpStream::connect(address).await.unwrap());
        }
        // All but the last few make room; whoever has something to say gets in.
        for stranger in &mut crowd[..56] {
            closed(stranger).await;
        }
        let mut newest = TcpStream::connect(address).await.unwrap();
        assert!(heard(&mut newest, "token: x\r\n").await.ends_with("welcome"));
        assert!(heard(&mut known, "").await.ends_with("welcome"), "it kept its place");
    }

    #[tokio::test]
    async fn there_is_an_end_to_known_ones_too() {
        let limits = Limits { strangers: 2, all: 4, head: LONG, idle: LONG };
        let address = served(limits).await;
        let mut known = Vec::new();
        for _ in 0..4 {
            let mut one = TcpStream::connect(address).await.unwrap();
            assert!(heard(&mut one, "token: x\r\n").await.ends_with("welcome"));
            known.push(one);
        }
        closed(&mut TcpStream::connect(address).await.unwrap()).await;
        drop(known.pop());
        let mut next = TcpStream::connect(address).await.unwrap();
        while next.write_all(b"GET / HTTP/1.1\r\nhost: x\r\n\r\n").await.is_err()
            || next.read(&mut [0; 64]).await.unwrap_or(0) == 0
        {
            next = TcpStream::connect(address).await.unwrap();
        }
    }

    /// They ask again before they are answered, and then read nothing.
    #[tokio::test]
    async fn whoever_asks_and_never_reads_gives_up_the_place() {
        let asked = "GET /long HTTP/1.1\r\nhost: x\r\n\r\n".repeat(64);
        let limits = Limits { strangers: 2, all: 4, head: LONG, idle: LONG };
        for limits in [limits, Limits { strangers: 8, head: SHORT, ..limits }] {
            let address = served(limits).await;
            let mut crowd = Vec::new();
            for _ in 0..8 {
                let mut one = TcpStream::connect(address).await.unwrap();
                let _ = one.write_all(asked.as_bytes()).await;
                // Its answer has begun.
                let _ = one.peek(&mut [0]).await;
                crowd.push(one);
            }
            let welcome = async {
                loop {
                    let mut next = TcpStream::connect(address).await.unwrap();
                    let ask = b"GET / HTTP/1.1\r\nhost: x\r\ntoken: x\r\n\r\n";
                    let mut answer = [0; 64];
                    if next.write_all(ask).await.is_ok()
                        && next.read(&mut answer).await.is_ok_and(|read| read > 0)
                    {
                        return;
                    }
                }
            };
            let patience = Duration::from_secs(30);
            assert!(tokio::time::timeout(patience, welcome).await.is_ok(), "{limits:?}");
        }
    }

    #[tokio::test]
    async fn whoever_never_ends_a_request_or_begins_none_is_cut_off() {
        let limits = Limits { strangers: 64, all: 64, head: SHORT, idle: LONG };
        let address = served(limits).await;
        let mut silent = TcpStream::connect(address).await.unwrap();
        closed(&mut silent).await;
        let mut slow = TcpStream::connect(address).await.unwrap();
        let letters = async {
            slow.write_all(b"GET / HTTP/1.1\r\nx: ").await.unwrap();
            while slow.write_all(b"x").await.is_ok() {
                tokio::task::yield_now().await;
            }
        };
        letters.await;
        let head = Duration::from_secs(3);
        let address = served(Limits { head, idle: SHORT, ..limits }).await;
        let mut known = TcpStream::connect(address).await.unwrap();
        let answer = heard(&mut known, "token: x\r\n").await;
        assert!(answer.ends_with("welcome"), "{answer}");
        closed(&mut known).await;
    }
}
