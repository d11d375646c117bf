//! What kind of place an IP address is.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Where an address leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Zone {
    Public,
    /// This machine or a network around it.
    Private(&'static str),
    /// No place for a web service: where clouds keep their machines' credentials, and what is not a host at all.
    Special(&'static str),
}

/// Addresses at which cloud platforms talk to their machines, besides the link-local ones.
const PLATFORM: [IpAddr; 3] = [
    IpAddr::V4(Ipv4Addr::new(168, 63, 129, 16)),
    IpAddr::V4(Ipv4Addr::new(100, 100, 100, 200)),
    IpAddr::V6(Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254)),
];

pub(super) fn zone_of(address: IpAddr) -> Zone {
    if PLATFORM.contains(&address) {
        return Zone::Special("a cloud platform's own address");
    }
    match address {
        IpAddr::V4(address) => zone_of_v4(address),
        IpAddr::V6(address) => zone_of_v6(address),
    }
}

fn zone_of_v4(address: Ipv4Addr) -> Zone {
    match address.octets() {
        [127, ..] => Zone::Private("a loopback address"),
        [10, ..] | [172, 16..=31, ..] | [192, 168, ..] => Zone::Private("a private address"),
        [100, 64..=127, ..] => Zone::Private("an address shared behind a provider's NAT"),
        [169, 254, ..] => Zone::Special("a link-local address"),
        [0, ..] => Zone::Special("an unspecified address"),
        [192, 0, 2, _] | [198, 51, 100, _] | [203, 0, 113, _] => Zone::Special("a documentation address"),
        [192, 0, 0, _] | [192, 88, 99, _] | [198, 18..=19, ..] => Zone::Special("a reserved address"),
        [224..=239, ..] => Zone::Special("a multicast address"),
        [255, 255, 255, 255] => Zone::Special("the broadcast address"),
        [240..=255, ..] => Zone::Special("a reserved address"),
        _ => Zone::Public,
    }
}

fn zone_of_v6(address: Ipv6Addr) -> Zone {
    if let Some(inner) = embedded_v4(address) {
        return zone_of(IpAddr::V4(inner));
    }
    match address.segments() {
        [0, 0, 0, 0, 0, 0, 0, 1] => Zone::Private("a loopback address"),
        [0, 0, 0, 0, 0, 0, 0, 0] => Zone::Special("an unspecified address"),
        [0xfc00..=0xfdff, ..] => Zone::Private("a private address"),
        [0xfe80..=0xfebf, ..] => Zone::Special("a link-local address"),
        [0xff00..=0xffff, ..] => Zone::Special("a multicast address"),
        [0x2001, 0xdb8, ..] | [0x3fff, 0..=0xfff, ..] => Zone::Special("a documentation address"),
        // Teredo and other protocol assignments.
        [0x2001, 0..=0x1ff, ..] => Zone::Special("a reserved address"),
        [0x2000..=0x3fff, ..] => Zone::Public,
        // Only an eighth of the space has been given out for hosts.
        _ => Zone::Special("a reserved address"),
    }
}

/// The IPv4 address behind an IPv6 one that a translator on the way, or the system itself, would turn it into.
fn embedded_v4(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let joined = |high: u16, low: u16| Ipv4Addr::from_bits(u32::from(high) << 16 | u32::from(low));
    match address.segments() {
        [0, 0, 0, 0, 0, 0xffff, high, low] => Some(joined(high, low)),
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] => Some(joined(high, low)),
        [0x2002, high, low, ..] => Some(joined(high, low)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_address_has_its_zone() {
        let zones = [
            (
                "public",
                "1.1.1.1 8.8.8.8 100.63.255.255 100.128.0.0 172.15.0.1 172.32.0.1 192.0.1.1 198.17.0.1 223.255.255.255",
            ),
            ("public", "2606:4700::1 2a00:1450::1 ::ffff:8.8.8.8 64:ff9b::808:808 2002:808:808::1 2001:200::1"),
            (
                "private",
                "127.0.0.1 127.255.255.254 10.0.0.1 172.16.0.1 172.31.255.255 192.168.0.1 100.64.0.1 100.127.255.255",
            ),
            (
                "private",
                "::1 fc00::1 fdff::1 ::ffff:127.0.0.1 ::ffff:10.1.2.3 64:ff9b::7f00:1 64:ff9b::a00:1 2002:7f00:1::",
            ),
            ("special", "0.0.0.0 0.1.2.3 169.254.169.254 224.0.0.1 239.1.1.1 240.0.0.1 255.255.255.255"),
            ("special", "192.0.0.8 192.0.2.1 192.88.99.1 198.18.0.1 198.19.255.255 198.51.100.7 203.0.113.9"),
            (
                "special",
                ":: fe80::1 febf::1 fec0::1 ff02::1 2001:db8::1 3fff::1 2001::1 100::1 64:ff9b:1::1 ::127.0.0.1",
            ),
            ("special", "::ffff:169.254.169.254 64:ff9b::a9fe:a9fe 2002:a9fe:a9fe:: ::ffff:0.0.0.0"),
            ("special", "168.63.129.16 100.100.100.200 fd00:ec2::254 ::ffff:168.63.129.16"),
        ];
        for (expected, addresses) in zones {
            for address in addresses.split_whitespace() {
                let zone = match zone_of(address.parse().unwrap()) {
                    Zone::Public => "public",
                    Zone::Private(_) => "private",
                    Zone::Special(_) => "special",
                };
                assert_eq!(zone, expected, "{address}");
            }
        }
    }
}
