//! A host with its port, and a list of hosts that were granted.

use std::fmt;
use std::io::ErrorKind::AddrNotAvailable;
use std::net::{IpAddr, UdpSocket};

/// A host and a port on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Host {
    /// A name in lower case, or an address without brackets.
    pub(crate) name: String,
    pub(crate) port: u16,
}

impl Host {
    /// Reads `name`, `name:port`, `[address]:port`; `None` when it is neither.
    pub(crate) fn parse(text: &str, default_port: u16) -> Option<Self> {
        let (name, port) = split(text)?;
        Some(Self { name, port: port.unwrap_or(default_port) })
    }

    /// Whether a person listed this host although it leads to `address`.
    /// Without a port an entry never means this computer: other things listen
    /// here.
    pub(crate) fn is_listed(&self, listed: &str, address: IpAddr) -> bool {
        match split(listed) {
            Some((name, Some(port))) => name == self.name && port == self.port,
            Some((name, None)) => name == self.name && !is_own(address),
            None => false,
        }
    }
}

/// Whether an address is one of this computer's: a socket can be bound to it.
pub(super) fn is_own(address: IpAddr) -> bool {
    let address = address.to_canonical();
    address.is_loopback()
        || address.is_unspecified()
        || may_be_own(UdpSocket::bind((address, 0)).map(drop))
}

/// Only one answer says that an address is another computer's. Any other error, such as too many
/// open files, says nothing.
fn may_be_own(bound: std::io::Result<()>) -> bool {
    !bound.is_err_and(|error| error.kind() == AddrNotAvailable)
}

impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.port {
            80 | 443 => f.write_str(&self.name),
            port if self.name.contains(':') => write!(f, "[{}]:{port}", self.name),
            port => write!(f, "{}:{port}", self.name),
        }
    }
}

/// How a host is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// By a request that is looked at, so that it names the very host.
    Request,
    /// By a connection that nobody looks into.
    Connection,
}

/// The hosts a call was granted.
#[derive(Clone, Debug)]
pub(crate) enum Hosts {
    /// These, each with its port or the web's two.
    Listed(Vec<(String, Option<u16>)>),
    /// All there are in the world, on the web's ports.
    All,
}

impl Hosts {
    /// Reads a list; the error names the entry that is no host.
    pub(crate) fn parse(list: &[String]) -> Result<Self, String> {
        let read = |text: &String| {
            split(text).ok_or_else(|| format!("`{text}` is no host, such as example.com"))
        };
        list.iter().map(read).collect::<Result<_, _>>().map(Self::Listed)
    }

    /// Whether a host was granted. Without a port that means the web's two. Many sites live at one
    /// address, and without encryption a connection could be used to ask for another one.
    pub(crate) fn grant(&self, host: &Host, way: Way) -> bool {
        if way == Way::Connection && host.port == 80 {
            return false;
        }
        let of_the_web = matches!(host.port, 80 | 443);
        match self {
            Self::All => of_the_web,
            Self::Listed(list) => list.iter().any(|(name, port)| {
                let port_fits = port.map_or(of_the_web, |port| port == host.port);
                *name == host.name && port_fits
            }),
        }
    }
}

fn split(text: &str) -> Option<(String, Option<u16>)> {
    let text = text.trim();
    let (name, port) = match text.strip_prefix('[') {
        Some(rest) => {
            let (address, rest) = rest.split_once(']')?;
            (address, rest.strip_prefix(':'))
        }
        None if text.matches(':').count() > 1 => (text, None),
        None => match text.split_once(':') {
            Some((name, port)) => (name, Some(port)),
            None => (text, None),
        },
    };
    let port = match port {
        Some(port) => Some(port.parse::<u16>().ok().filter(|port| *port > 0)?),
        None => None,
    };
    let name = name.trim_end_matches('.').to_ascii_lowercase();
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_');
    let is_name = !name.is_empty() && name.len() < 254 && name.chars().all(plain);
    (is_name || name.parse::<IpAddr>().is_ok()).then_some((name, port))
}

#[cfg(test)]
mod tests {
    use super::{AddrNotAvailable, Host, Hosts, Way, is_own, may_be_own};
    use std::io::{Error, ErrorKind};
    use std::net::UdpSocket;

    fn host(text: &str) -> Host {
        Host::parse(text, 443).unwrap()
    }

    #[test]
    fn a_grant_is_for_the_very_host_on_the_webs_ports_or_its_own() {
        let list = ["Example.com", "other.example:8443", "[::2]:1"].map(str::to_owned);
        let hosts = Hosts::parse(&list).unwrap();
        for granted in
            ["example.com", "EXAMPLE.com.", "example.com:80", "other.example:8443", "[::2]:1"]
        {
            assert!(hosts.grant(&host(granted), Way::Request), "{granted}");
        }
        for refused in [
            "www.example.com",
            "example.com:22",
            "example.com.evil",
            "other.example",
            "evilexample.com",
            "::2",
        ] {
            assert!(!hosts.grant(&host(refused), Way::Request), "{refused}");
        }
    }

    #[test]
    fn a_connection_without_encryption_is_not_granted_with_the_web() {
        let listed = Hosts::parse(&["a.example".to_owned(), "b.example:80".to_owned()]).unwrap();
        for hosts in [&listed, &Hosts::All] {
            assert!(hosts.grant(&host("a.example:443"), Way::Connection));
            for refused in ["a.example:80", "b.example:80"] {
                assert!(!hosts.grant(&host(refused), Way::Connection), "{refused}");
                assert!(hosts.grant(&host(refused), Way::Request), "{refused}");
            }
        }
    }

    #[test]
    fn what_is_no_host_is_named() {
        for bad in
            ["", "*", "*.example.com", "a b", "https://a", "a/b", "a:b", "a:0", "[::1", "a@b"]
        {
            assert!(Hosts::parse(&[bad.to_owned()]).is_err(), "{bad}");
        }
    }

    #[test]
    fn this_computer_is_listed_only_with_a_port() {
        let here = "127.0.0.1".parse().unwrap();
        assert!(host("localhost:3000").is_listed("localhost:3000", here));
        assert!(!host("localhost:3000").is_listed("localhost", here));
        assert!(!host("localhost:3001").is_listed("localhost:3000", here));
        assert!(host("printer.lan").is_listed("printer.lan", "203.0.113.9".parse().unwrap()));
    }

    #[test]
    fn an_address_that_nobody_can_tell_of_is_taken_for_this_computers() {
        assert!(!may_be_own(Err(AddrNotAvailable.into())));
        let too_many = Error::from_raw_os_error(rustix::io::Errno::MFILE.raw_os_error());
        for error in [too_many, ErrorKind::PermissionDenied.into(), ErrorKind::Other.into()] {
            assert!(may_be_own(Err(error)));
        }
    }

    #[test]
    fn this_computers_address_in_its_network_is_its_own() {
        for own in ["127.0.0.1", "127.0.0.2", "::1", "0.0.0.0", "::", "::ffff:127.0.0.1"] {
            assert!(is_own(own.parse().unwrap()), "{own}");
        }
        assert!(!is_own("203.0.113.9".parse().unwrap()));
        // Where there is a network, it is known by the way out of it.
        let socket = UdpSocket::bind("0.0.0.0:0").unwrap();
        if socket.connect("203.0.113.9:9").is_ok() {
            let here = socket.local_addr().unwrap().ip();
            assert!(!host(&here.to_string()).is_listed(&here.to_string(), here), "{here}");
            let named = format!("{here}:443");
            assert!(host(&named).is_listed(&named, here), "{here}");
        }
    }
}
