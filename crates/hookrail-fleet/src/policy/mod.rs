//! Signed policies.
//!
//! A [`Bundle`] is one JSON file: a name, a serial number that grows, the programs' versions it asks for, and the text of the
//! `hookrail.toml` that becomes the managed layer. Beside it stands its signature in minisign's format (Ed25519 over the
//! BLAKE2b hash), so that `minisign -V` can check it without hookrail. [`Installed`] is the managed layer of a machine: which
//! policy is in force is told by comparing files, not by a note that could be wrong.

mod bundle;
mod installed;
mod key;
mod version;

pub use bundle::{Bundle, BundleError, MANIFEST, SETTINGS, Signed};
pub use installed::{InForce, Installed, PolicyError, Pulled, Replace};
pub use key::{KeyError, KeyPair, PinnedKey, SigningKey};
pub use version::{VersionRule, VersionRuleError};
