//! The only way out of a sandbox with granted network: a proxy with a host list.
//!
//! The sandbox has a network namespace in which there is nothing but loopback.
//! A small program of ours (`plancard-net`) opens a listening socket in there,
//! hands it out over a socket pair, and becomes the command. We accept on that
//! socket from out here, look at each request's host, and connect for it.

use super::body::Body;
use super::{Host, Hosts, Way, resolve};
use crate::error::ToolError;
use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, recvmsg};
use std::io::IoSliceMut;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{
    AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader, Interest, copy,
    copy_bidirectional, split,
};
use tokio::net::{TcpListener, TcpStream, UnixStream};
use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::{Notify, Semaphore};
use tokio::time::timeout;
use tokio_util::io::InspectReader;

/// The longest beginning of a request.
const HEAD: usize = 64 * 1024;
/// How long a host may take to accept a connection.
const CONNECT: Duration = Duration::from_secs(15);

/// How long a program inside may take to say where it wants to go.
const ASK: Duration = Duration::from_secs(30);
/// How long both sides of a connection may be silent, before another one gets its place.
const SILENT: Duration = Duration::from_secs(15 * 60);
/// Connections at once, out of the sandboxes of one room or out of one server, and out of all.
/// More wait their turn.
const OF_ONE: usize = 64;
const OF_ALL: usize = 256;

static ALL: Semaphore = Semaphore::const_new(OF_ALL);

/// How many connections a room, or a server, may still have.
#[derive(Clone)]
pub(crate) struct Share(Arc<Semaphore>);

impl Default for Share {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(OF_ONE)))
    }
}

/// Headers that are ours to say, or that speak of more than this one request.
#[rustfmt::skip]
const OURS: [&str; 9] = [
    "host", "connection", "proxy-connection", "proxy-authorization", "keep-alive", "upgrade",
    "http2-settings", "te", "trailer",
];

/// Where the listening socket of one sandbox comes from.
pub(crate) struct Proxy {
    hosts: Hosts,
    private: Arc<[String]>,
    share: Share,
    socket: UnixStream,
    tell: Option<UnboundedSender<TurnedAway>>,
}

/// A host that a program inside asked for in vain.
pub(crate) enum TurnedAway {
    /// It was not granted.
    NotGranted(Host),
    /// It may not be reached, or can't be.
    NotReached(Host, ToolError),
}

impl Proxy {
    /// A proxy, and the end of the pair that goes into the sandbox.
    pub(crate) fn new(
        hosts: Hosts,
        private: Arc<[String]>,
        share: Share,
    ) -> Result<(Self, OwnedFd), ToolError> {
        let pair = UnixStream::pair().and_then(|(socket, inside)| {
            let inside = inside.into_std()?;
            inside.set_nonblocking(false)?;
            Ok((socket, OwnedFd::from(inside)))
        });
        let (socket, inside) = pair.map_err(|err| ToolError::io("making a way out", err))?;
        Ok((Self { hosts, private, share, socket, tell: None }, inside))
    }

    /// Has someone told of each host that was asked for in vain.
    pub(crate) fn telling(self, tell: UnboundedSender<TurnedAway>) -> Self {
        Self { tell: Some(tell), ..self }
    }

    /// Serves until it is dropped.
    pub(crate) async fn serve(self) {
        let Some(listener) = listener(self.socket).await else {
            return;
        };
        let (hosts, private) = (Arc::new(self.hosts), self.private);
        // Connections end with this set, when the command does.
        let mut connections = tokio::task::JoinSet::new();
        while let Ok((inside, _)) = listener.accept().await {
            let own = Arc::clone(&self.share.0).acquire_owned().await;
            let (Ok(own), Ok(one)) = (own, ALL.acquire().await) else { return };
            let (hosts, private) = (Arc::clone(&hosts), Arc::clone(&private));
            let tell = self.tell.clone();
            connections.spawn(async move {
                let tell = |away| {
                    // Nobody may be waiting any more.
                    let _ = tell.as_ref().map(|tell| tell.send(away));
                };
                carry(inside, &hosts, &private, tell).await;
                drop((own, one));
            });
            while connections.try_join_next().is_some() {}
        }
    }
}

/// Takes the listening socket when it is handed out; `None` when it never is.
async fn listener(socket: UnixStream) -> Option<TcpListener> {
    let taken = socket.async_io(Interest::READABLE, || Ok(take(&socket)?));
    let listener = std::net::TcpListener::from(taken.await.ok()??);
    listener.set_nonblocking(true).ok()?;
    TcpListener::from_std(listener).ok()
}

fn take(socket: impl AsFd) -> rustix::io::Result<Option<OwnedFd>> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let mut byte = [0];
    let flags = RecvFlags::CMSG_CLOEXEC;
    recvmsg(socket, &mut [IoSliceMut::new(&mut byte)], &mut control, flags)?;
    for message in control.drain() {
        if let RecvAncillaryMessage::ScmRights(mut sockets) = message {
            return Ok(sockets.next());
        }
    }
    Ok(None)
}

/// One connection from inside. A host that it does not get to is told before it is answered.
async fn carry(
    mut inside: TcpStream,
    hosts: &Hosts,
    private: &Arc<[String]>,
    tell: impl Fn(TurnedAway),
) {
    let Ok(Some((head, rest))) = timeout(ASK, read_head(&mut inside)).await else {
        return;
    };
    let Some(request) = Request::parse(&head) else {
        return answer(&mut inside, "400 Bad Request", "this proxy takes CONNECT and http").await;
    };
    if !hosts.grant(&request.host, request.way()) {
        if hosts.grant(&request.host, Way::Request) {
            let words = format!("{} at port 80 is reached by http requests only", request.host);
            return answer(&mut inside, "403 Forbidden", &words).await;
        }
        let words = format!("{} was not granted; ask for it with `network`", request.host);
        tell(TurnedAway::NotGranted(request.host));
        return answer(&mut inside, "403 Forbidden", &words).await;
    }
    let outside = match connect(&request.host, private).await {
        Ok(outside) => outside,
        Err(error) => {
            let words = error.to_string();
            tell(TurnedAway::NotReached(request.host, error));
            return answer(&mut inside, "502 Bad Gateway", &words).await;
        }
    };
    pass(request.asks, inside, outside, &rest, SILENT).await;
}

/// Passes on what was asked for, until it is over or both sides are silent for so long.
async fn pass(
    asks: Asks,
    inside: impl Stream,
    outside: impl Stream,
    rest: &[u8],
    silent: Duration,
) {
    let heard = Notify::new();
    let inside = InspectReader::new(inside, |_| heard.notify_one());
    let outside = InspectReader::new(outside, |_| heard.notify_one());
    let passing = async {
        // Either side may break off; there is nobody to tell.
        let _ = match asks {
            Asks::Connection => connection(inside, outside, rest).await,
            Asks::Request { head, body } => one_request(inside, outside, &head, rest, body).await,
        };
    };
    let silence = async { while timeout(silent, heard.notified()).await.is_ok() {} };
    tokio::select! {
        () = passing => {}
        () = silence => {}
    }
}

/// One end of a connection.
trait Stream: AsyncRead + AsyncWrite + Unpin {}
impl<S: AsyncRead + AsyncWrite + Unpin> Stream for S {}

async fn connection(
    mut inside: impl Stream,
    mut outside: impl Stream,
    rest: &[u8],
) -> std::io::Result<()> {
    inside.write_all(b"HTTP/1.1 200 Connected\r\n\r\n").await?;
    outside.write_all(rest).await?;
    copy_bidirectional(&mut inside, &mut outside).await.map(|_| ())
}

/// Passes on one request with its body and then nothing more, and whatever is answered.
async fn one_request(
    inside: impl Stream,
    mut outside: impl Stream,
    head: &str,
    rest: &[u8],
    body: Body,
) -> std::io::Result<()> {
    outside.write_all(head.as_bytes()).await?;
    let (from_inside, mut to_inside) = split(inside);
    let (mut from_outside, mut to_outside) = split(outside);
    let mut asked = BufReader::new(rest.chain(from_inside));
    let asking = async {
        if body.pass_on(&mut asked, &mut to_outside).await.is_ok() {
            std::future::pending::<()>().await;
        }
    };
    tokio::select! {
        () = asking => Ok(()),
        _ = copy(&mut from_outside, &mut to_inside) => to_inside.shutdown().await,
    }
}

async fn connect(host: &Host, private: &Arc<[String]>) -> Result<TcpStream, ToolError> {
    let addresses = resolve(host, private).await?;
    let connecting = TcpStream::connect(addresses.as_slice());
    let late = || std::io::Error::from(std::io::ErrorKind::TimedOut);
    let connected = timeout(CONNECT, connecting).await;
    connected
        .unwrap_or_else(|_| Err(late()))
        .map_err(|source| ToolError::io(format!("connecting to {host}"), source))
}

/// The beginning of a request up to its empty line, and what came with it.
async fn read_head(stream: &mut TcpStream) -> Option<(String, Vec<u8>)> {
    let mut bytes = Vec::new();
    loop {
        if let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            let rest = bytes.split_off(end + 4);
            return Some((String::from_utf8(bytes).ok()?, rest));
        }
        if bytes.len() > HEAD || stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    }
}

async fn answer(stream: &mut TcpStream, status: &str, words: &str) {
    let text = format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/plain\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{words}\n",
        words.len() + 1
    );
    let _ = stream.write_all(text.as_bytes()).await;
    let _ = stream.shutdown().await;
}

/// What a program inside asks for.
#[derive(Debug, PartialEq, Eq)]
struct Request {
    host: Host,
    asks: Asks,
}

#[derive(Debug, PartialEq, Eq)]
enum Asks {
    /// A bare connection.
    Connection,
    /// One request.
    Request {
        /// As the host itself wants it.
        head: String,
        body: Body,
    },
}

impl Request {
    fn way(&self) -> Way {
        match self.asks {
            Asks::Request { .. } => Way::Request,
            Asks::Connection => Way::Connection,
        }
    }

    fn parse(head: &str) -> Option<Self> {
        let (line, headers) = head.split_once("\r\n")?;
        let mut words = line.split(' ');
        let (method, target, version) = (words.next()?, words.next()?, words.next()?);
        let is_plain = line.chars().all(|c| c == ' ' || c.is_ascii_graphic());
        if words.next().is_some() || !is_plain || !["HTTP/1.0", "HTTP/1.1"].contains(&version) {
            return None;
        }
        if method == "CONNECT" {
            return Some(Self { host: Host::parse(target, 443)?, asks: Asks::Connection });
        }
        let rest = target.strip_prefix("http://")?;
        let (host, path) = match rest.find('/') {
            Some(at) => rest.split_at(at),
            None => (rest, "/"),
        };
        let host = Host::parse(host, 80)?;
        let headers = headers.strip_suffix("\r\n\r\n").or(headers.strip_suffix("\r\n"))?;
        let (mut lengths, mut encodings) = (Vec::new(), Vec::new());
        let mut kept = String::new();
        for header in headers.split("\r\n").filter(|header| !header.is_empty()) {
            let (name, value) = parts(header)?;
            match name.as_str() {
                "content-length" => lengths.push(value),
                "transfer-encoding" => encodings.push(value),
                ours if OURS.contains(&ours) => continue,
                _ => {}
            }
            kept = kept + header + "\r\n";
        }
        let body = Body::parse(&lengths, &encodings)?;
        // One request per connection, so that the next one is looked at, too. Many sites may live
        // at one address: the one that was granted is named, whatever the program says.
        let site = site(&host);
        let begun = format!("{method} {path} HTTP/1.1\r\nHost: {site}\r\nConnection: close\r\n");
        let head = format!("{begun}{kept}\r\n");
        Some(Self { host, asks: Asks::Request { head, body } })
    }
}

/// The name and the value of a header; `None` for a line that others may read as another header,
/// or as two.
fn parts(header: &str) -> Option<(String, &str)> {
    let (name, value) = header.split_once(':')?;
    let is_plain = |c: char| c.is_ascii_graphic();
    let fits =
        !name.is_empty() && name.chars().all(is_plain) && !header.contains(['\r', '\n', '\0']);
    fits.then(|| (name.to_ascii_lowercase(), value.trim_matches([' ', '\t'])))
}

/// A host as its own server knows it.
fn site(host: &Host) -> String {
    let name = match host.name.contains(':') {
        true => format!("[{}]", host.name),
        false => host.name.clone(),
    };
    match host.port {
        80 => name,
        port => format!("{name}:{port}"),
    }
}

#[cfg(test)]
mod tests {
    use super::{Asks, Body, Request, pass};
    use std::time::Duration;
    use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};

    fn head(request: Request) -> Option<String> {
        match request.asks {
            Asks::Connection => None,
            Asks::Request { head, .. } => Some(head),
        }
    }

    /// The test waits for an end of a connection that nobody closes.
    #[tokio::test]
    async fn a_connection_ends_when_both_sides_are_silent() {
        let request = Asks::Request { head: String::new(), body: Body::Length(0) };
        for asks in [Asks::Connection, request] {
            let ((inside, mut program), (outside, mut host)) = (duplex(1024), duplex(1024));
            host.write_all(b"answer").await.unwrap();
            let silent = Duration::from_millis(100);
            pass(asks, inside, outside, b"", silent).await;
            let mut answer = Vec::new();
            program.read_to_end(&mut answer).await.unwrap();
            assert!(answer.ends_with(b"answer"), "{answer:?}");
        }
    }

    #[test]
    fn requests_are_read_and_made_plain() {
        let connect = Request::parse("CONNECT a.example:443 HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
        assert_eq!((connect.host.name.as_str(), &connect.asks), ("a.example", &Asks::Connection));
        let get = "GET http://a.example/x?y HTTP/1.1\r\nHost: a.example\r\nProxy-Connection: keep-alive\r\n\r\n";
        let get = Request::parse(get).unwrap();
        assert_eq!(get.host.port, 80);
        let expected = "GET /x?y HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n";
        assert_eq!(head(get).as_deref(), Some(expected));
    }

    #[test]
    fn the_site_is_the_one_that_was_granted_whatever_the_headers_say() {
        for (target, headers, site) in [
            ("http://a.example/", "Host: evil.example\r\n", "a.example"),
            ("http://a.example:8080", "hOST:evil\r\nA: b\r\nHost: worse\r\n", "a.example:8080"),
            ("http://[::2]:81/", "", "[::2]:81"),
        ] {
            let request = Request::parse(&format!("GET {target} HTTP/1.1\r\n{headers}\r\n"));
            let forward = head(request.unwrap()).unwrap().to_lowercase();
            assert_eq!(forward.matches("host:").count(), 1, "{forward}");
            assert!(forward.contains(&format!("\r\nhost: {site}\r\n")), "{forward}");
            assert!(!forward.contains("evil") && forward.ends_with("\r\n\r\n"), "{forward}");
        }
    }

    #[test]
    fn anything_else_is_refused() {
        for head in [
            "",
            "GET / HTTP/1.1\r\n\r\n",
            "CONNECT a b HTTP/1.1\r\n\r\n",
            "GET ftp://a/ HTTP/1.1\r\n\r\n",
            "CONNECT http://a HTTP/1.1\r\n\r\n",
            "GET http://a@b/ HTTP/1.1\r\n\r\n",
            "GET http:///x HTTP/1.1\r\n\r\n",
            "PRI * HTTP/2.0\r\n\r\n",
            "GET http://a/ HTTP/1.1\r\nHost : b\r\n\r\n",
            "GET http://a/ HTTP/1.1\r\nA: b\nHost: c\r\n\r\n",
            "GET http://a/ HTTP/1.1\r\nConnection: close\r\n keep-alive\r\n\r\n",
            "GET http://a/ HTTP/1.1\r\nA: b\rHost: c\r\n\r\n",
            "GET http://a/ HTTP/1.1\r\nno header\r\n\r\n",
            "GET http://a/\nHost:b HTTP/1.1\r\n\r\n",
            "GET http://a/\tx HTTP/1.1\r\n\r\n",
            "GET http://a/ HTTP/1.1x\r\n\r\n",
            "POST http://a/ HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
            "POST http://a/ HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
            "POST http://a/ HTTP/1.1\r\nTransfer-Encoding: x, chunked\r\n\r\n",
        ] {
            assert_eq!(Request::parse(head), None, "{head:?}");
        }
    }
}
