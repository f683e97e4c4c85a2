//! Whether an address is out in the world: not this computer, not its
//! neighbours, and nothing that stands for them.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Whether anybody in the world means the same computer by this address.
pub(super) fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => match address.to_ipv4_mapped() {
            Some(inner) => is_public_v4(inner),
            None => is_public_v6(address),
        },
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    let special = matches!(
        (a, b, c),
        (0 | 10 | 127 | 224..=255, _, _)
            | (100, 64..=127, _)
            | (169, 254, _)
            | (172, 16..=31, _)
            | (192, 0, 0 | 2)
            | (192, 88, 99)
            | (192, 168, _)
            | (198, 18..=19, _)
            | (198, 51, 100)
            | (203, 0, 113)
    );
    !special
}

/// Only what is handed out to the world, without the parts that wrap another
/// address: those could wrap a private one.
fn is_public_v6(address: Ipv6Addr) -> bool {
    let [first, second, ..] = address.segments();
    let wraps = first == 0x2002 || (first, second) == (0x2001, 0);
    let example = (first, second) == (0x2001, 0xdb8);
    first & 0xe000 == 0x2000 && !wraps && !example
}

#[cfg(test)]
mod tests {
    use super::is_public;

    #[test]
    #[rustfmt::skip]
    fn private_and_special_addresses_are_not_public() {
        for address in [
            "127.0.0.1", "127.9.9.9", "0.0.0.0", "10.0.0.1", "172.16.0.1", "172.31.255.255",
            "192.168.1.1", "169.254.169.254", "100.64.0.1", "224.0.0.1", "255.255.255.255",
            "198.18.0.1", "::1", "::", "fe80::1", "fc00::1", "fd12::1", "ff02::1",
            "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::127.0.0.1", "64:ff9b::7f00:1",
            "2002:7f00:1::", "2001:0:1::", "2001:db8::1", "fec0::1",
        ] {
            assert!(!is_public(address.parse().unwrap()), "{address}");
        }
    }

    #[test]
    fn the_world_is_public() {
        for address in ["1.1.1.1", "8.8.8.8", "172.32.0.1", "2606:4700::1111", "::ffff:1.1.1.1"] {
            assert!(is_public(address.parse().unwrap()), "{address}");
        }
    }
}
