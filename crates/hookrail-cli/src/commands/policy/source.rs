//! Where a bundle comes from. Nothing here is believed: the signature decides.

use crate::error::CliError;
use hookrail_fleet::policy::Signed;
use hookrail_fleet::web;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// No bundle and no signature is larger.
const MOST_BYTES: u64 = 4 << 20;

#[derive(Debug, PartialEq, Eq)]
pub enum Source {
    File(PathBuf),
    Web(String),
    /// A repository, and the bundle's path in it if it was named.
    Git {
        repository: String,
        path: Option<String>,
    },
}

impl Source {
    pub fn parse(text: &str) -> Self {
        let (address, fragment) = match text.split_once('#') {
            Some((address, fragment)) => (address, Some(fragment.to_owned()).filter(|path| !path.is_empty())),
            None => (text, None),
        };
        if let Some(repository) = address.strip_prefix("git+") {
            return Self::Git { repository: repository.to_owned(), path: fragment };
        }
        let is_local = Path::new(text).is_file();
        let is_git = address.ends_with(".git") || address.starts_with("git@") || address.starts_with("ssh://");
        if is_git && !is_local {
            return Self::Git { repository: address.to_owned(), path: fragment };
        }
        if text.starts_with("https://") || text.starts_with("http://") {
            return Self::Web(text.to_owned());
        }
        Self::File(PathBuf::from(text))
    }

    pub fn fetch(&self) -> Result<Signed, CliError> {
        match self {
            Self::File(path) => Signed::read(path).map_err(CliError::machine),
            Self::Web(url) => fetch_web(url),
            Self::Git { repository, path } => fetch_git(repository, path.as_deref()),
        }
    }
}

fn fetch_web(url: &str) -> Result<Signed, CliError> {
    // A query, such as a token of a download, stays behind the name.
    let (address, query) =
        url.split_once('?').map_or((url, String::new()), |(address, query)| (address, format!("?{query}")));
    let bytes = web::get(url, MOST_BYTES).map_err(CliError::machine)?;
    let signature = web::get(&format!("{address}.minisig{query}"), MOST_BYTES).map_err(CliError::machine)?;
    let signature =
        String::from_utf8(signature).map_err(|_| CliError::usage(format!("the signature of `{url}` is not text")))?;
    Ok(Signed { bytes, signature })
}

fn fetch_git(repository: &str, path: Option<&str>) -> Result<Signed, CliError> {
    let folder =
        tempfile::tempdir().map_err(|error| CliError::machine(format!("cannot make a temporary folder: {error}")))?;
    let clone = folder.path().join("policy");
    let output = Command::new("git")
        // Nothing of the repository runs here.
        .args(["-c", "core.hooksPath=/dev/null", "-c", "protocol.ext.allow=never", "-c", "core.symlinks=false"])
        .args(["clone", "--quiet", "--depth", "1", "--", repository])
        .arg(&clone)
        .env("GIT_TERMINAL_PROMPT", "0")
        .stdin(Stdio::null())
        .output()
        .map_err(|error| {
            CliError::machine(format!("cannot run git: {error}")).hint("install git, or name a file or an address")
        })?;
    if !output.status.success() {
        let told = String::from_utf8_lossy(&output.stderr);
        return Err(CliError::usage(format!("git cannot clone `{repository}`: {}", told.trim())));
    }
    let file = match path {
        Some(path) if Path::new(path).components().all(|part| matches!(part, std::path::Component::Normal(_))) => {
            clone.join(path)
        }
        Some(path) => return Err(CliError::usage(format!("`{path}` is not a path inside of the repository"))),
        None => only_bundle(&clone, repository)?,
    };
    Signed::read(&file).map_err(CliError::machine)
}

/// The one signed file in the root of a clone.
fn only_bundle(clone: &Path, repository: &str) -> Result<PathBuf, CliError> {
    let entries = std::fs::read_dir(clone).map_err(CliError::machine)?;
    let files = entries.flatten().map(|entry| entry.path());
    let mut signed: Vec<PathBuf> = files.filter(|file| Signed::signature_of(file).is_file()).collect();
    match (signed.pop(), signed.is_empty()) {
        (Some(file), true) => Ok(file),
        (Some(_), false) => Err(CliError::usage(format!("`{repository}` has several bundles"))
            .hint(format!("name one: `git+{repository}#path/of/bundle.json`"))),
        (None, _) => Err(CliError::usage(format!("`{repository}` has no file with a `.minisig` beside it"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_tells_what_it_is() {
        let git = |repository: &str, path: Option<&str>| Source::Git {
            repository: repository.to_owned(),
            path: path.map(str::to_owned),
        };
        let cases = [
            ("policy.json", Source::File("policy.json".into())),
            ("/srv/policy.json", Source::File("/srv/policy.json".into())),
            ("https://example.com/p.json", Source::Web("https://example.com/p.json".to_owned())),
            ("https://example.com/p.git", git("https://example.com/p.git", None)),
            ("git@example.com:team/policy", git("git@example.com:team/policy", None)),
            ("git+https://example.com/p#a/b.json", git("https://example.com/p", Some("a/b.json"))),
            ("git+file:///srv/p", git("file:///srv/p", None)),
        ];
        for (text, expected) in cases {
            assert_eq!(Source::parse(text), expected, "{text}");
        }
    }
}
