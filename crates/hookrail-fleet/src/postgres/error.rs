use std::io;

/// What went wrong between here and the database.
#[derive(Debug, thiserror::Error)]
pub enum PgError {
    #[error("cannot reach the database at {place}: {source}\nhint: {}", reach_hint(.source))]
    Reach { place: String, source: io::Error },
    #[error("the connection to the database was lost: {0}")]
    Lost(io::Error),
    #[error(
        "TLS with {host} failed: {why}\nhint: the certificate must be for that name and of an authority that this machine trusts; `?sslrootcert=/path/ca.crt` names another one"
    )]
    Tls { host: String, why: String },
    #[error(
        "the database at {0} does not offer TLS\nhint: switch `ssl` on in its configuration; without TLS hookrail only talks to this machine"
    )]
    NoTls(String),
    #[error("the database asks for {0}, which hookrail does not have")]
    Authentication(String),
    #[error(
        "the database wants a password\nhint: set PGPASSWORD, name a `password_file` in `[fleet]`, or add a line to ~/.pgpass"
    )]
    NoPassword,
    #[error("the database said something unexpected: {0}")]
    Protocol(String),
    #[error(transparent)]
    Server(#[from] Box<ServerError>),
}

/// An error that the server reports.
#[derive(Debug, Default, thiserror::Error)]
#[error("the database refused: {message}{} (SQLSTATE {code}){}", if detail.is_empty() { String::new() } else { format!(" ({detail})") }, refusal_hint(code))]
pub struct ServerError {
    pub code: String,
    pub message: String,
    pub detail: String,
}

fn reach_hint(source: &io::Error) -> &'static str {
    match source.kind() {
        io::ErrorKind::ConnectionRefused => "no server listens there; look at host and port of the address",
        io::ErrorKind::NotFound => "no socket is there; `?host=/folder` names the folder of the server's socket",
        io::ErrorKind::PermissionDenied => "this user may not use the socket",
        io::ErrorKind::TimedOut => "the server or a firewall does not answer; what is not shipped now is shipped later",
        _ => "look at the host in the address; what is not shipped now is shipped later",
    }
}

/// What to do about codes that a new user meets.
fn refusal_hint(code: &str) -> &'static str {
    match code {
        "28P01" => {
            "\nhint: the password comes from PGPASSWORD, else from `password_file` in `[fleet]`, else from ~/.pgpass, in this order"
        }
        "28000" => "\nhint: the server's pg_hba.conf does not let this login in from here",
        "3D000" => "\nhint: the last part of the address names the database",
        "42501" => {
            "\nhint: machines need a login in role hookrail_writer, people who look one in hookrail_reader, and `migrate` and `retain` the owner's"
        }
        "53100" => "\nhint: the server's disk is full; `hookrail fleet retain DAYS` drops what is older",
        _ => "",
    }
}

impl PgError {
    /// The server's own code for what is wrong, if the server said it.
    #[must_use]
    pub fn code(&self) -> Option<&str> {
        match self {
            Self::Server(error) => Some(&error.code),
            _ => None,
        }
    }

    /// The data itself cannot be stored (class 22), whatever is tried.
    #[must_use]
    pub fn is_about_data(&self) -> bool {
        self.code().is_some_and(|code| code.starts_with("22"))
    }

    /// The same may succeed later: out of reach, out of room, shut down, in conflict with another process.
    #[must_use]
    pub fn is_passing(&self) -> bool {
        match self {
            Self::Reach { .. } | Self::Lost(_) => true,
            Self::Server(error) => ["08", "40", "53", "55", "57"].iter().any(|class| error.code.starts_with(class)),
            _ => false,
        }
    }
}
