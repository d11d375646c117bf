//! What is signed.

use super::key::{KeyError, PinnedKey, SigningKey};
use super::version::{VersionRule, VersionRuleError};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// What a folder says about its policy.
pub const MANIFEST: &str = "policy.toml";
/// The configuration that becomes the managed layer.
pub const SETTINGS: &str = "hookrail.toml";
const FORMAT: u32 = 1;
/// No policy is larger.
const MOST_BYTES: u64 = 4 << 20;
/// No signature is larger.
const MOST_SIGNATURE: u64 = 64 << 10;

/// A policy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bundle {
    format: u32,
    pub name: String,
    /// Grows with every version: a machine never takes a lower one than it has.
    pub serial: u64,
    /// What the policy is about, for people.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub about: String,
    /// Programs and the versions the policy asks for: `hookrail` and agents by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub versions: BTreeMap<String, String>,
    /// The key that bundles after this one are signed with, if it is another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_key: Option<String>,
    /// The text of the managed layer.
    pub settings: String,
}

/// The manifest as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ManifestConfig {
    name: String,
    serial: u64,
    #[serde(default)]
    about: String,
    #[serde(default)]
    versions: BTreeMap<String, String>,
    #[serde(default)]
    next_key: Option<String>,
}

#[derive(Debug, thiserror::Error)]
pub enum BundleError {
    #[error("cannot read `{}`: {source}", .path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("`{}`: {why}", .path.display())]
    Manifest { path: PathBuf, why: String },
    #[error("`{0}` is not a name for a policy\nhint: use letters, digits, `-`, `_` and `.`")]
    Name(String),
    #[error("a serial number is at least 1")]
    Serial,
    #[error("`versions.{program}`: {source}")]
    Version { program: String, source: VersionRuleError },
    #[error("this is not a policy bundle: {0}")]
    NotABundle(String),
    #[error("the bundle has format {0}; this hookrail reads format {FORMAT}\nhint: update hookrail")]
    Format(u32),
    #[error("the bundle is larger than {} MiB", MOST_BYTES >> 20)]
    TooLarge,
    #[error("`{}` is not a file", .0.display())]
    NotAFile(PathBuf),
    #[error("`next_key`: {0}")]
    NextKey(KeyError),
    #[error(transparent)]
    Key(#[from] KeyError),
}

impl Bundle {
    /// Reads a folder with `policy.toml` and `hookrail.toml`.
    pub fn from_folder(folder: &Path) -> Result<Self, BundleError> {
        let path = folder.join(MANIFEST);
        let manifest: ManifestConfig = toml::from_str(&read(&path)?)
            .map_err(|error| BundleError::Manifest { path, why: error.to_string().trim_end().to_owned() })?;
        let bundle = Self {
            format: FORMAT,
            name: manifest.name,
            serial: manifest.serial,
            about: manifest.about,
            versions: manifest.versions,
            next_key: manifest.next_key,
            settings: read(&folder.join(SETTINGS))?,
        };
        bundle.check()?;
        Ok(bundle)
    }

    /// Reads a bundle whose signature was checked before.
    fn from_bytes(bytes: &[u8]) -> Result<Self, BundleError> {
        #[derive(Deserialize)]
        struct AnyFormat {
            format: u32,
        }
        let not_a_bundle = |error: serde_json::Error| BundleError::NotABundle(error.to_string());
        let AnyFormat { format } = serde_json::from_slice(bytes).map_err(not_a_bundle)?;
        if format != FORMAT {
            return Err(BundleError::Format(format));
        }
        let bundle: Self = serde_json::from_slice(bytes).map_err(not_a_bundle)?;
        bundle.check()?;
        Ok(bundle)
    }

    /// The key that bundles after this one are signed with, if it is another one.
    #[must_use]
    pub fn next_key(&self) -> Option<PinnedKey> {
        PinnedKey::parse(self.next_key.as_deref()?).ok()
    }

    /// What a program's version has to be.
    #[must_use]
    pub fn version_of(&self, program: &str) -> Option<VersionRule> {
        self.versions.get(program).and_then(|rule| rule.parse().ok())
    }

    /// Signs the bundle.
    pub fn sign(&self, key: &SigningKey) -> Result<Signed, BundleError> {
        let mut bytes = serde_json::to_vec_pretty(self).map_err(|error| BundleError::NotABundle(error.to_string()))?;
        bytes.push(b'\n');
        if bytes.len() as u64 > MOST_BYTES {
            return Err(BundleError::TooLarge);
        }
        let signature = key.sign(&bytes, &format!("hookrail policy {} {}", self.name, self.serial))?;
        Ok(Signed { bytes, signature })
    }

    fn check(&self) -> Result<(), BundleError> {
        let fits = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        if self.name.is_empty() || self.name.len() > 64 || !self.name.chars().all(fits) {
            return Err(BundleError::Name(self.name.clone()));
        }
        if self.serial == 0 {
            return Err(BundleError::Serial);
        }
        if let Some(key) = &self.next_key {
            PinnedKey::parse(key).map_err(BundleError::NextKey)?;
        }
        for (program, rule) in &self.versions {
            let parsed = rule.parse::<VersionRule>();
            parsed.map_err(|source| BundleError::Version { program: program.clone(), source })?;
        }
        Ok(())
    }
}

/// A bundle as it travels. Nothing in it is believed before [`Signed::open`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signed {
    pub bytes: Vec<u8>,
    pub signature: String,
}

impl Signed {
    /// Reads a bundle and the signature beside it, `FILE.minisig`.
    pub fn read(file: &Path) -> Result<Self, BundleError> {
        let bytes = read_bounded(file, MOST_BYTES)?;
        let signature = read_bounded(&Self::signature_of(file), MOST_SIGNATURE)?;
        Ok(Self { bytes, signature: String::from_utf8_lossy(&signature).into_owned() })
    }

    /// Where the signature of a bundle stands.
    #[must_use]
    pub fn signature_of(file: &Path) -> PathBuf {
        let mut name = file.as_os_str().to_owned();
        name.push(".minisig");
        PathBuf::from(name)
    }

    /// The bundle, if this key signed it.
    pub fn open(&self, key: &PinnedKey) -> Result<Bundle, BundleError> {
        if self.bytes.len() as u64 > MOST_BYTES {
            return Err(BundleError::TooLarge);
        }
        key.verify(&self.bytes, &self.signature)?;
        Bundle::from_bytes(&self.bytes)
    }
}

fn read(path: &Path) -> Result<String, BundleError> {
    let bytes = read_bounded(path, MOST_BYTES)?;
    let invalid = |error: std::string::FromUtf8Error| io::Error::new(io::ErrorKind::InvalidData, error.utf8_error());
    String::from_utf8(bytes).map_err(|error| BundleError::Read { path: path.to_owned(), source: invalid(error) })
}

/// What a file has. A pipe or a device, which may never end, is none; and no more than `most` is read whatever it was told before.
fn read_bounded(path: &Path, most: u64) -> Result<Vec<u8>, BundleError> {
    let failed = |source| BundleError::Read { path: path.to_owned(), source };
    if !fs::metadata(path).map_err(failed)?.is_file() {
        return Err(BundleError::NotAFile(path.to_owned()));
    }
    let mut bytes = Vec::new();
    fs::File::open(path).map_err(failed)?.take(most + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > most { Err(BundleError::TooLarge) } else { Ok(bytes) }
}
