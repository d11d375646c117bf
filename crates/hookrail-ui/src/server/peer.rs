//! Whose process is at the other end of a connection.
//!
//! The token stands for a moment in the arguments of the program that opens the browser, where every user of the machine can
//! read it. The kernel knows who opened a connection on loopback, so no other user gets to use it.

use std::net::{SocketAddr, SocketAddrV4, TcpStream};

/// The kernel's tables of connections: a client may reach 127.0.0.1 from a socket of either version.
const TABLES: [&str; 2] = ["/proc/net/tcp", "/proc/net/tcp6"];

/// Whether the client is a process of another user. Of a system without such a table nothing is known, and root may do
/// everything anyway.
pub fn is_of_another_user(stream: &TcpStream) -> bool {
    let (Ok(SocketAddr::V4(client)), Ok(SocketAddr::V4(server))) = (stream.peer_addr(), stream.local_addr()) else {
        return false;
    };
    let tables = TABLES.iter().filter_map(|table| std::fs::read_to_string(table).ok());
    let owners: Vec<u32> = tables.filter_map(|table| owner(&table, client, server)).collect();
    owners.iter().any(|user| *user != 0 && Some(*user) != own_user())
}

/// The user that opened the connection from one address to the other.
fn owner(table: &str, client: SocketAddrV4, server: SocketAddrV4) -> Option<u32> {
    let (client, server) = (spelled(client), spelled(server));
    table.lines().skip(1).find_map(|line| {
        let mut fields = line.split_whitespace();
        let (local, remote) = (fields.nth(1)?, fields.next()?);
        // An address of version 4 in a table of version 6 has zeros and a mark before it.
        let is_it = local.ends_with(&client) && remote.ends_with(&server);
        if is_it { fields.nth(4)?.parse().ok() } else { None }
    })
}

/// An address as the kernel writes it: the four bytes as one number of this machine, then the port.
fn spelled(address: SocketAddrV4) -> String {
    format!("{:08X}:{:04X}", u32::from_ne_bytes(address.ip().octets()), address.port())
}

#[cfg(unix)]
fn own_user() -> Option<u32> {
    Some(rustix::process::geteuid().as_raw())
}

#[cfg(not(unix))]
fn own_user() -> Option<u32> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::{Ipv4Addr, TcpListener};

    #[test]
    #[cfg(target_endian = "little")]
    fn the_owner_of_a_connection_stands_in_either_table() {
        let address = |port| SocketAddrV4::new(Ipv4Addr::LOCALHOST, port);
        let head = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n";
        let rows = [
            "   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 1 1",
            "   1: 0100007F:1F90 0100007F:C350 01 00000000:00000000 00:00000000 00000000  1000        0 2 1",
            "   2: 0100007F:C350 0100007F:1F90 01 00000000:00000000 00:00000000 00000000  1001        0 3 1",
            "   3: 0000000000000000FFFF00000100007F:C351 0000000000000000FFFF00000100007F:1F90 01 00000000:00000000 00:00000000 00000000  1002        0 3 1",
        ];
        let table = format!("{head}{}\n", rows.join("\n"));
        for (port, expected) in [(50000, Some(1001)), (50001, Some(1002)), (50002, None)] {
            assert_eq!(owner(&table, address(port), address(8080)), expected, "{port}");
        }
    }

    #[test]
    fn a_connection_of_this_process_is_its_own() {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let _client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        assert!(!is_of_another_user(&listener.accept().unwrap().0));
    }
}
