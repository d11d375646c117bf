//! Requests to a server that an administrator named, bounded in time and size.

use std::io::Read;
use std::sync::Arc;
use std::time::Duration;
use ureq::Agent;
use ureq::tls::{Certificate, RootCerts, TlsConfig};

/// How long one request may take in all.
const PATIENCE: Duration = Duration::from_secs(30);
/// How much of an error page is quoted.
const QUOTED: u64 = 200;

#[derive(Debug, thiserror::Error)]
pub enum WebError {
    #[error("cannot reach `{url}`: {why}")]
    Reach { url: String, why: String },
    #[error("`{url}` answered with status {status}: {page}")]
    Status { url: String, status: u16, page: String },
    #[error("the answer of `{0}` is larger than allowed")]
    TooLarge(String),
}

impl WebError {
    /// Whether the same request may be answered later: the server was out of reach or overloaded.
    #[must_use]
    pub fn is_passing(&self) -> bool {
        match self {
            Self::Reach { .. } => true,
            Self::Status { status, .. } => matches!(status, 408 | 429 | 500..=599),
            Self::TooLarge(_) => false,
        }
    }
}

/// What an address has, up to `limit` bytes. Redirects are followed, except from `https` to `http`.
pub fn get(url: &str, limit: u64) -> Result<Vec<u8>, WebError> {
    let response = agent(url).get(url).call().map_err(|error| reach(url, &error))?;
    let body = read_answer(url, response, limit + 1)?;
    if body.len() as u64 > limit { Err(WebError::TooLarge(url.to_owned())) } else { Ok(body) }
}

/// Sends a body with these headers.
pub fn post(url: &str, headers: &[(String, String)], body: &[u8], limit: u64) -> Result<Vec<u8>, WebError> {
    let mut request = agent(url).post(url);
    for (name, value) in headers {
        request = request.header(name, value);
    }
    let response = request.send(body).map_err(|error| reach(url, &error))?;
    read_answer(url, response, limit)
}

fn read_answer(url: &str, mut response: ureq::http::Response<ureq::Body>, limit: u64) -> Result<Vec<u8>, WebError> {
    let status = response.status().as_u16();
    let is_error = !(200..300).contains(&status);
    let mut body = Vec::new();
    let limit = if is_error { QUOTED } else { limit };
    let read = response.body_mut().as_reader().take(limit).read_to_end(&mut body);
    if is_error {
        let page = String::from_utf8_lossy(&body).split_whitespace().collect::<Vec<_>>().join(" ");
        return Err(WebError::Status { url: url.to_owned(), status, page });
    }
    read.map_err(|error| WebError::Reach { url: url.to_owned(), why: error.to_string() })?;
    Ok(body)
}

fn reach(url: &str, error: &ureq::Error) -> WebError {
    WebError::Reach { url: url.to_owned(), why: error.to_string() }
}

fn agent(url: &str) -> Agent {
    let is_secure = url.starts_with("https:");
    let config = Agent::config_builder()
        .http_status_as_error(false)
        .https_only(is_secure)
        .user_agent(concat!("hookrail/", env!("CARGO_PKG_VERSION")))
        .timeout_global(Some(PATIENCE));
    if !is_secure {
        return config.build().into();
    }
    let found = rustls_native_certs::load_native_certs().certs;
    let roots = RootCerts::from(found.iter().map(|certificate| Certificate::from_der(certificate).to_owned()));
    let tls = TlsConfig::builder()
        .root_certs(roots)
        .unversioned_rustls_crypto_provider(Arc::new(rustls::crypto::ring::default_provider()));
    config.tls_config(tls.build()).build().into()
}
