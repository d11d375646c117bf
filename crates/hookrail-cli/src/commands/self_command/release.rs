//! The latest release, as a server tells it.

use hookrail_fleet::web::{self, WebError};
use serde::Deserialize;

/// Every release has this file; this address leads to that of the latest one.
pub const LATEST: &str = concat!(env!("CARGO_PKG_REPOSITORY"), "/releases/latest/download/hookrail-version.json");
const MOST_BYTES: u64 = 64 << 10;

#[derive(Debug, Deserialize)]
pub struct Release {
    pub version: String,
}

#[derive(Debug, thiserror::Error)]
pub enum ReleaseError {
    #[error("{0}\nhint: `hookrail self version` without `--check` needs no network; `--url` names another address")]
    Web(#[from] WebError),
    #[error(
        "`{url}` does not tell a version: {why}\nhint: it must be a JSON object such as {{\"version\": \"1.2.3\"}}"
    )]
    Form { url: String, why: String },
}

impl Release {
    pub fn fetch(url: &str) -> Result<Self, ReleaseError> {
        let form = |why: String| ReleaseError::Form { url: url.to_owned(), why };
        let body = web::get(url, MOST_BYTES)?;
        let release: Self = serde_json::from_slice(&body).map_err(|error| form(error.to_string()))?;
        match parse(&release.version) {
            Some(_) => Ok(release),
            None => Err(form(format!("`{}` is no version", release.version))),
        }
    }

    pub fn is_newer_than(&self, version: &str) -> bool {
        parse(&self.version) > parse(version)
    }
}

/// Three numbers, and whether it is a release and not something before it.
fn parse(version: &str) -> Option<([u64; 3], bool)> {
    let (numbers, early) = version.split_once('-').map_or((version, false), |(numbers, _)| (numbers, true));
    let mut parts = numbers.split('.').map(|part| part.parse().ok());
    let numbers = [parts.next()??, parts.next()??, parts.next()??];
    parts.next().is_none().then_some((numbers, !early))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_by_number() {
        let cases = [
            ("0.2.0", "0.1.9", true),
            ("0.10.0", "0.9.0", true),
            ("1.0.0", "1.0.0", false),
            ("1.0.0", "1.0.0-rc.1", true),
            ("1.0.0-rc.1", "1.0.0", false),
            ("0.9.9", "1.0.0", false),
        ];
        for (latest, here, newer) in cases {
            assert_eq!(Release { version: latest.to_owned() }.is_newer_than(here), newer, "{latest} and {here}");
        }
        for wrong in ["", "1", "1.2", "1.2.x", "1.2.3.4", "v1.2.3"] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
    }
}
