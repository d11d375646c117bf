//! `postgres://user@host:port/database?sslmode=…`

use std::fmt;
use std::path::PathBuf;

const PORT: u16 = 5432;

/// Where a database is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    pub host: Host,
    pub port: u16,
    pub user: Option<String>,
    pub database: Option<String>,
    /// A certificate authority besides those of the machine.
    pub root_certificate: Option<PathBuf>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Host {
    /// The folder of a Unix socket.
    Socket(PathBuf),
    /// A host on the network, always with TLS and its certificate verified.
    Network(String),
    /// This machine, without TLS.
    Loopback(String),
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    #[error("a database is named as `postgres://user@host/database`")]
    Scheme,
    #[error(
        "the address has a password in it\nhint: set PGPASSWORD, name a `password_file` in `[fleet]`, or add a line to ~/.pgpass"
    )]
    Password,
    #[error("`{0}` is not a port")]
    Port(String),
    #[error(
        "`sslmode={0}` would let others read along\nhint: leave it out: TLS is verified; `disable` is for this machine only"
    )]
    SslMode(String),
    #[error("the address has an unknown parameter `{0}`\nhint: `host`, `sslmode` and `sslrootcert` are known")]
    Parameter(String),
    #[error("`{0}` is not percent-encoded text")]
    Encoding(String),
}

impl Address {
    pub fn parse(text: &str) -> Result<Self, AddressError> {
        let rest = text.strip_prefix("postgres://").or_else(|| text.strip_prefix("postgresql://"));
        let rest = rest.ok_or(AddressError::Scheme)?;
        let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
        let (authority, database) = rest.split_once('/').unwrap_or((rest, ""));
        let (user, place) = match authority.rsplit_once('@') {
            Some((user, _)) if user.contains(':') => return Err(AddressError::Password),
            Some((user, place)) => (decode(user)?, place),
            None => (String::new(), authority),
        };
        let (host, port) = split_port(place)?;
        let mut host = decode(host)?;
        let (mut plain, mut root_certificate) = (false, None);
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            let value = decode(value)?;
            match (key, value.as_str()) {
                ("host", _) => host = value,
                ("sslmode", "verify-full") => plain = false,
                ("sslmode", "disable") => plain = true,
                ("sslmode", _) => return Err(AddressError::SslMode(value)),
                ("sslrootcert", _) => root_certificate = Some(PathBuf::from(value)),
                _ => return Err(AddressError::Parameter(key.to_owned())),
            }
        }
        let is_here = matches!(host.as_str(), "localhost" | "127.0.0.1" | "::1");
        let host = match host {
            host if host.is_empty() => Host::Socket(PathBuf::from("/var/run/postgresql")),
            host if host.starts_with('/') => Host::Socket(PathBuf::from(host)),
            host if plain && is_here => Host::Loopback(host),
            _ if plain => return Err(AddressError::SslMode("disable".to_owned())),
            host => Host::Network(host),
        };
        let filled = |text: String| Some(text).filter(|text| !text.is_empty());
        let database = filled(decode(database)?);
        Ok(Self { host, port, user: filled(user), database, root_certificate })
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.host {
            Host::Socket(folder) => write!(f, "{}", folder.display()),
            Host::Network(host) | Host::Loopback(host) => write!(f, "{host}:{}", self.port),
        }
    }
}

/// `host`, `host:port`, `[::1]:port`
fn split_port(place: &str) -> Result<(&str, u16), AddressError> {
    let (host, port) = match place.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((host, rest)) => (host, rest.strip_prefix(':').unwrap_or(rest)),
        None => place.rsplit_once(':').unwrap_or((place, "")),
    };
    let number = || port.parse().map_err(|_| AddressError::Port(port.to_owned()));
    Ok((host, if port.is_empty() { PORT } else { number()? }))
}

fn decode(text: &str) -> Result<String, AddressError> {
    let wrong = || AddressError::Encoding(text.to_owned());
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let mut digit = || rest.next().and_then(|byte| char::from(byte).to_digit(16)).ok_or_else(wrong);
        let value = digit()? * 16 + digit()?;
        bytes.push(u8::try_from(value).map_err(|_| wrong())?);
    }
    String::from_utf8(bytes).map_err(|_| wrong())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_tells_where_the_database_is_and_how_it_is_reached() {
        let address = |host: Host, port, user: Option<&str>, database: Option<&str>| Address {
            host,
            port,
            user: user.map(str::to_owned),
            database: database.map(str::to_owned),
            root_certificate: None,
        };
        let network = |host: &str| Host::Network(host.to_owned());
        let cases = [
            ("postgres://db.example.com/fleet", address(network("db.example.com"), 5432, None, Some("fleet"))),
            ("postgresql://u%40x@db:6000", address(network("db"), 6000, Some("u@x"), None)),
            ("postgres://u@[2001:db8::1]:6000/f", address(network("2001:db8::1"), 6000, Some("u"), Some("f"))),
            ("postgres:///f?host=/tmp/pg", address(Host::Socket("/tmp/pg".into()), 5432, None, Some("f"))),
            ("postgres://u@%2Ftmp%2Fpg:5433/f", address(Host::Socket("/tmp/pg".into()), 5433, Some("u"), Some("f"))),
            ("postgres:///f", address(Host::Socket("/var/run/postgresql".into()), 5432, None, Some("f"))),
            (
                "postgres://localhost/f?sslmode=disable",
                address(Host::Loopback("localhost".to_owned()), 5432, None, Some("f")),
            ),
            ("postgres://localhost/f", address(network("localhost"), 5432, None, Some("f"))),
        ];
        for (text, expected) in cases {
            assert_eq!(Address::parse(text), Ok(expected), "{text}");
        }
    }

    #[test]
    fn what_would_give_secrets_away_is_refused() {
        let cases = [
            ("postgres://u:secret@db/f", AddressError::Password),
            ("postgres://db/f?sslmode=disable", AddressError::SslMode("disable".to_owned())),
            ("postgres://db/f?sslmode=require", AddressError::SslMode("require".to_owned())),
            ("postgres://db:x/f", AddressError::Port("x".to_owned())),
            ("postgres://db/f?a=b", AddressError::Parameter("a".to_owned())),
            ("mysql://db/f", AddressError::Scheme),
        ];
        for (text, expected) in cases {
            assert_eq!(Address::parse(text), Err(expected), "{text}");
        }
    }
}
