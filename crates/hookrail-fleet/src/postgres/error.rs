use std::io;

/// What went wrong between here and the database.
#[derive(Debug, thiserror::Error)]
pub enum PgError {
    #[error("cannot reach the database at {place}: {source}")]
    Reach { place: String, source: io::Error },
    #[error("the connection to the database was lost: {0}")]
    Lost(io::Error),
    #[error("TLS with {host} failed: {why}")]
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
#[error("the database refused: {message}{} (SQLSTATE {code})", if detail.is_empty() { String::new() } else { format!(" ({detail})") })]
pub struct ServerError {
    pub code: String,
    pub message: String,
    pub detail: String,
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
