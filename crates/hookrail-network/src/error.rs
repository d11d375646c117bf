//! Why a question got no answer.

use super::guard::ForbiddenTarget;
use hookrail_core::Failure;
use std::time::Duration;

#[derive(Debug, thiserror::Error)]
pub(super) enum AskError {
    #[error("took too long")]
    TimedOut,
    #[error("`{0}` cannot be asked: {1}")]
    BadUrl(String, &'static str),
    #[error("the web address at `{0}` has a user name or password in it\nhint: send credentials in a header")]
    CredentialsInUrl(String),
    #[error("header `{0}` {1}")]
    BadHeader(String, &'static str),
    #[error("the API key has characters that no HTTP header can carry")]
    BadKey,
    #[error(transparent)]
    Forbidden(ForbiddenTarget),
    #[error("cannot ask `{host}`: {why}")]
    Unreachable { host: String, why: String },
    #[error(
        "cannot ask `{0}` over TLS: no root certificates are installed\nhint: install the system's CA certificates"
    )]
    NoRoots(String),
    #[error("`{host}` answered {status}{excerpt}")]
    Status { host: String, status: u16, excerpt: Excerpt },
    #[error("`{host}` answered {status}, and redirects are not followed")]
    Redirect { host: String, status: u16 },
    #[error("`{host}` answered with more than {limit} bytes")]
    TooLong { host: String, limit: u64 },
    #[error("`{host}` answered with {what}, which is no hook output")]
    Unreadable { host: String, what: String },
    #[error("`{host}` did not answer like a model of type `{provider}`{excerpt}")]
    NotAModel { host: String, provider: &'static str, excerpt: Excerpt },
    #[error("the model `{model}` answered without a decision{excerpt}{stop}")]
    NoDecision { model: String, excerpt: Excerpt, stop: Stop },
}

impl AskError {
    /// What the engine makes of it; `limit` is how long the hook was allowed to take.
    pub fn into_failure(self, limit: Duration) -> Failure {
        match self {
            Self::TimedOut => Failure::TimedOut(limit),
            Self::BadUrl(..)
            | Self::CredentialsInUrl(_)
            | Self::BadHeader(..)
            | Self::BadKey
            | Self::NoRoots(_)
            | Self::Forbidden(_) => Failure::NotStarted(self.to_string()),
            Self::Unreachable { .. }
            | Self::Status { .. }
            | Self::Redirect { .. }
            | Self::TooLong { .. }
            | Self::Unreadable { .. }
            | Self::NotAModel { .. }
            | Self::NoDecision { .. } => Failure::Error(self.to_string()),
        }
    }
}

/// The beginning of an answer, as the end of an error text.
#[derive(Debug)]
pub(super) struct Excerpt(String);

/// How much of an answer is quoted.
const EXCERPT_CHARS: usize = 200;

impl Excerpt {
    /// The secrets go first, so that not even a part of one can be left at the cut.
    pub fn new(text: &str, secrets: &[String]) -> Self {
        Self(shorten(&redact(text.trim(), secrets)))
    }
}

impl std::fmt::Display for Excerpt {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.0.is_empty() { Ok(()) } else { write!(f, ": `{}`", self.0) }
    }
}

/// A model's own word for why it stopped, when that was not because it had finished.
#[derive(Debug)]
pub(super) struct Stop(pub Option<String>);

impl std::fmt::Display for Stop {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.0 {
            Some(word) => write!(f, " (it stopped with `{word}`)"),
            None => Ok(()),
        }
    }
}

pub(super) fn shorten(text: &str) -> String {
    match text.char_indices().nth(EXCERPT_CHARS).and_then(|(cut, _)| text.split_at_checked(cut)) {
        Some((start, _)) => format!("{start}…"),
        None => text.to_owned(),
    }
}

/// Shorter secrets are words that stand in texts by chance.
const SECRET_LENGTH: usize = 6;

fn redact(text: &str, secrets: &[String]) -> String {
    let secrets = secrets.iter().filter(|secret| secret.len() >= SECRET_LENGTH);
    secrets.fold(text.to_owned(), |text, secret| text.replace(secret.as_str(), "[secret]"))
}
