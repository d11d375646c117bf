//! The managed layer of a machine.
//!
//! ```text
//! <folder>/                       /etc/hookrail
//!   hookrail.toml                 what is in force
//!   policy.pub                    the key that policies must be signed with
//!   policies/<serial>.json        bundles that were in force, newest last
//!   policies/<serial>.json.minisig
//!   policies/by-hand.toml         what stood there before the first policy
//!   policies/former-keys          keys that were pinned before, a line each
//! ```
//!
//! The key changes by hand, or by a bundle that the pinned key signed and that names the next one. Bundles of a former key stay
//! good to go back to, and are not accepted any more.
//!
//! A bundle is kept first and `hookrail.toml` is renamed into place last, so that a process that dies at any instruction
//! leaves the earlier policy or the new one in force, and never a part of one.

use super::bundle::{Bundle, BundleError, SETTINGS, Signed};
use super::key::{KeyError, PinnedKey};
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

const KEY: &str = "policy.pub";
const KEPT: &str = "policies";
const BY_HAND: &str = "by-hand.toml";
const FORMER_KEYS: &str = "former-keys";
/// How many bundles are kept to go back to.
const MOST_KEPT: usize = 10;

/// The folder of a managed layer.
#[derive(Clone, Debug)]
pub struct Installed {
    folder: PathBuf,
}

/// Which policy applies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InForce {
    /// There is no managed layer.
    Nothing,
    /// A managed layer that no policy brought.
    ByHand,
    /// The managed layer is exactly what this policy says.
    Policy(Bundle),
    /// A policy was installed and the file says something else now, or is gone.
    Altered(Bundle),
}

impl InForce {
    #[must_use]
    pub fn bundle(&self) -> Option<&Bundle> {
        match self {
            Self::Policy(bundle) | Self::Altered(bundle) => Some(bundle),
            Self::Nothing | Self::ByHand => None,
        }
    }
}

/// Whether something that no policy brought, or a policy of another name, may be replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replace {
    Never,
    Allowed,
}

/// What became of a pull.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pulled {
    Installed {
        bundle: Bundle,
        before: Option<u64>,
    },
    /// It was in force already.
    Unchanged(Bundle),
}

#[derive(Debug, thiserror::Error)]
pub enum PolicyError {
    #[error(transparent)]
    Bundle(#[from] BundleError),
    #[error(transparent)]
    Key(#[from] KeyError),
    #[error("no key is pinned on this machine\nhint: name the key of your policies once, with `--key`")]
    NoKey,
    #[error("`{}` pins another key\nhint: an administrator who means to change keys removes that file first", .0.display())]
    OtherKey(PathBuf),
    #[error(
        "the bundle is signed with a key that was replaced; `{}` has the one that counts\nhint: sign it with the new key", .0.display()
    )]
    FormerKey(PathBuf),
    #[error(
        "serial {offered} of policy `{name}` is older than {present}, which is in place\nhint: `hookrail policy rollback` goes back to a policy that was in force here"
    )]
    Older { name: String, offered: u64, present: u64 },
    #[error("another bundle with serial {0} is in place\nhint: a changed policy needs a higher serial number")]
    SameSerial(u64),
    #[error(
        "policy `{present}` is in place and this one is called `{offered}`\nhint: add `--replace` if that is meant"
    )]
    OtherName { offered: String, present: String },
    #[error("`{}` was written by hand\nhint: add `--replace`; it will be kept as `{KEPT}/{BY_HAND}`", .0.display())]
    ByHand(PathBuf),
    #[error("the policy asks for hookrail {wanted}, and this is {found}\nhint: update hookrail first")]
    Version { wanted: String, found: String },
    #[error("there is no earlier policy to go back to")]
    NothingEarlier,
    #[error("another process changes the policy of this machine\nhint: try again")]
    Busy,
    #[error("cannot {action} `{}`: {source}{}", .path.display(), hint_for(.source))]
    Io { action: &'static str, path: PathBuf, source: io::Error },
}

fn hint_for(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::PermissionDenied => "\nhint: the managed layer belongs to the administrator; run this as root",
        _ => "",
    }
}

impl Installed {
    #[must_use]
    pub fn at(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into() }
    }

    #[must_use]
    pub fn settings_file(&self) -> PathBuf {
        self.folder.join(SETTINGS)
    }

    #[must_use]
    pub fn key_file(&self) -> PathBuf {
        self.folder.join(KEY)
    }

    /// The key that is pinned here, if one is.
    pub fn key(&self) -> Result<Option<PinnedKey>, PolicyError> {
        match fs::read_to_string(self.key_file()) {
            Ok(text) => Ok(Some(PinnedKey::parse(&text)?)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(source) => Err(PolicyError::Io { action: "read", path: self.key_file(), source }),
        }
    }

    /// Which policy applies. A kept bundle counts only if the pinned key signed it.
    pub fn in_force(&self) -> Result<InForce, PolicyError> {
        let path = self.settings_file();
        let text = match fs::read_to_string(&path) {
            Ok(text) => Some(text),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(source) => return Err(PolicyError::Io { action: "read", path, source }),
        };
        let kept = self.kept()?;
        if let Some(bundle) = kept.iter().rev().find(|bundle| Some(&bundle.settings) == text.as_ref()) {
            return Ok(InForce::Policy(bundle.clone()));
        }
        Ok(match (kept.into_iter().next_back(), text) {
            (Some(newest), _) => InForce::Altered(newest),
            (None, Some(_)) => InForce::ByHand,
            (None, None) => InForce::Nothing,
        })
    }

    /// Every bundle that can be gone back to, the oldest first.
    pub fn kept(&self) -> Result<Vec<Bundle>, PolicyError> {
        let Some(key) = self.key()? else { return Ok(Vec::new()) };
        let keys: Vec<PinnedKey> = std::iter::once(key).chain(self.former_keys()?).collect();
        let bundles = self.serials()?.into_iter().filter_map(|serial| {
            let signed = Signed::read(&self.kept_file(serial)).ok()?;
            let bundle = keys.iter().find_map(|key| signed.open(key).ok())?;
            (bundle.serial == serial).then_some(bundle)
        });
        Ok(bundles.collect())
    }

    /// Keys that were pinned before, the oldest first.
    pub fn former_keys(&self) -> Result<Vec<PinnedKey>, PolicyError> {
        let path = self.folder.join(KEPT).join(FORMER_KEYS);
        match fs::read_to_string(&path) {
            Ok(text) => Ok(text.lines().filter_map(|line| PinnedKey::parse(line).ok()).collect()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
            Err(source) => Err(PolicyError::Io { action: "read", path, source }),
        }
    }

    /// The bundle, if the pinned key signed it. A former one counts only for the very bundle that named the pinned key as the
    /// next: a pull of it may have been interrupted.
    fn open(&self, signed: &Signed, pinned: &PinnedKey) -> Result<Bundle, PolicyError> {
        let refused = match signed.open(pinned) {
            Ok(bundle) => return Ok(bundle),
            Err(refused) => refused,
        };
        let former = self.former_keys()?.iter().find_map(|key| signed.open(key).ok());
        match former {
            Some(bundle) if bundle.next_key().as_ref() == Some(pinned) => Ok(bundle),
            Some(_) => Err(PolicyError::FormerKey(self.key_file())),
            None => Err(refused.into()),
        }
    }

    /// Pins the key that a bundle names as the next. The former one is noted first: bundles that it signed are known by it.
    fn rotate(&self, bundle: &Bundle, pinned: &PinnedKey) -> Result<(), PolicyError> {
        let Some(next) = bundle.next_key().filter(|next| next != pinned) else { return Ok(()) };
        let mut former = self.former_keys()?;
        if !former.contains(pinned) {
            former.push(pinned.clone());
        }
        let lines: String = former.iter().map(|key| key.line() + "\n").collect();
        put(&self.folder.join(KEPT).join(FORMER_KEYS), lines.as_bytes())?;
        put(&self.key_file(), next.file().as_bytes())
    }

    /// Puts a bundle in force, if it is signed by the pinned key and not older than what is there. `key` is pinned if none is.
    /// `check` looks at the bundle before anything is written.
    pub fn pull<E: From<PolicyError>>(
        &self,
        signed: &Signed,
        key: Option<&PinnedKey>,
        replace: Replace,
        running: &str,
        check: impl FnOnce(&Bundle) -> Result<(), E>,
    ) -> Result<Pulled, E> {
        let pinned = self.key()?;
        let key = match (&pinned, key) {
            // Whoever trusts a former key trusts the one that it named.
            (Some(pinned), Some(named)) if pinned != named && !self.former_keys()?.contains(named) => {
                return Err(PolicyError::OtherKey(self.key_file()).into());
            }
            (Some(pinned), _) => pinned,
            (None, Some(named)) => named,
            (None, None) => return Err(PolicyError::NoKey.into()),
        };
        let bundle = self.open(signed, key)?;
        check_version(&bundle, running)?;
        check(&bundle)?;
        make_folder(&self.folder.join(KEPT))?;
        let _lock = self.lock()?;
        let present = self.in_force()?;
        self.check_order(&bundle, signed, &present, replace)?;
        if pinned.is_none() {
            put(&self.key_file(), key.file().as_bytes())?;
        }
        if matches!(&present, InForce::Policy(there) if *there == bundle) {
            self.rotate(&bundle, key)?;
            return Ok(Pulled::Unchanged(bundle));
        }
        if present == InForce::ByHand {
            copy(&self.settings_file(), &self.folder.join(KEPT).join(BY_HAND))?;
        }
        let file = self.kept_file(bundle.serial);
        put(&Signed::signature_of(&file), signed.signature.as_bytes())?;
        put(&file, &signed.bytes)?;
        self.rotate(&bundle, key)?;
        put(&self.settings_file(), bundle.settings.as_bytes())?;
        self.forget_oldest(bundle.serial);
        Ok(Pulled::Installed { before: present.bundle().map(|bundle| bundle.serial), bundle })
    }

    /// Puts the policy before the one in place in force again; one that was altered by hand is put back as it was.
    pub fn rollback(&self) -> Result<Bundle, PolicyError> {
        if !self.folder.join(KEPT).is_dir() {
            return Err(PolicyError::NothingEarlier);
        }
        let _lock = self.lock()?;
        let earlier = match self.in_force()? {
            InForce::Nothing | InForce::ByHand => None,
            InForce::Altered(bundle) => Some(bundle),
            InForce::Policy(present) => {
                self.kept()?.into_iter().rfind(|bundle| bundle.serial < present.serial && bundle.name == present.name)
            }
        };
        let earlier = earlier.ok_or(PolicyError::NothingEarlier)?;
        put(&self.settings_file(), earlier.settings.as_bytes())?;
        Ok(earlier)
    }

    fn check_order(
        &self,
        bundle: &Bundle,
        signed: &Signed,
        present: &InForce,
        replace: Replace,
    ) -> Result<(), PolicyError> {
        let Some(there) = present.bundle() else {
            let by_hand = *present == InForce::ByHand && replace == Replace::Never;
            return if by_hand { Err(PolicyError::ByHand(self.settings_file())) } else { Ok(()) };
        };
        if there.name != bundle.name {
            let (offered, present) = (bundle.name.clone(), there.name.clone());
            return match replace {
                Replace::Never => Err(PolicyError::OtherName { offered, present }),
                Replace::Allowed => Ok(()),
            };
        }
        if bundle.serial < there.serial {
            let (name, offered, present) = (bundle.name.clone(), bundle.serial, there.serial);
            return Err(PolicyError::Older { name, offered, present });
        }
        // A serial that was in force here once stands for one text only.
        let kept = Signed::read(&self.kept_file(bundle.serial)).ok();
        if kept.is_some_and(|kept| kept.bytes != signed.bytes) {
            return Err(PolicyError::SameSerial(bundle.serial));
        }
        Ok(())
    }

    fn kept_file(&self, serial: u64) -> PathBuf {
        self.folder.join(KEPT).join(format!("{serial:020}.json"))
    }

    fn serials(&self) -> Result<Vec<u64>, PolicyError> {
        let folder = self.folder.join(KEPT);
        let entries = match fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(source) => return Err(PolicyError::Io { action: "list", path: folder, source }),
        };
        let names = entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned());
        let mut serials: Vec<u64> = names.filter_map(|name| name.strip_suffix(".json")?.parse().ok()).collect();
        serials.sort_unstable();
        Ok(serials)
    }

    /// What is too old to be gone back to; that it stays is no failure of the pull.
    fn forget_oldest(&self, present: u64) {
        let serials = self.serials().unwrap_or_default();
        let too_many = serials.len().saturating_sub(MOST_KEPT);
        for serial in serials.into_iter().take(too_many).filter(|serial| *serial != present) {
            let file = self.kept_file(serial);
            let _ = fs::remove_file(Signed::signature_of(&file));
            let _ = fs::remove_file(file);
        }
    }

    fn lock(&self) -> Result<File, PolicyError> {
        let path = self.folder.join(KEPT).join(".lock");
        let open = || File::options().create(true).truncate(false).write(true).open(&path);
        let file = open().map_err(|source| PolicyError::Io { action: "open", path: path.clone(), source })?;
        match file.try_lock() {
            Ok(()) => Ok(file),
            Err(fs::TryLockError::WouldBlock) => Err(PolicyError::Busy),
            Err(fs::TryLockError::Error(source)) => Err(PolicyError::Io { action: "lock", path, source }),
        }
    }
}

fn check_version(bundle: &Bundle, running: &str) -> Result<(), PolicyError> {
    match bundle.version_of("hookrail") {
        Some(rule) if rule.is_met_by(running) == Some(false) => {
            Err(PolicyError::Version { wanted: rule.to_string(), found: running.to_owned() })
        }
        _ => Ok(()),
    }
}

fn make_folder(folder: &Path) -> Result<(), PolicyError> {
    fs::create_dir_all(folder).map_err(|source| PolicyError::Io { action: "make", path: folder.to_owned(), source })
}

fn copy(from: &Path, to: &Path) -> Result<(), PolicyError> {
    let bytes = fs::read(from).map_err(|source| PolicyError::Io { action: "read", path: from.to_owned(), source })?;
    put(to, &bytes)
}

/// Puts a file in place, whole or not at all, also across a loss of power. Everyone may read it: agents run as users.
fn put(path: &Path, bytes: &[u8]) -> Result<(), PolicyError> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let write = || -> io::Result<()> {
        let mut builder = tempfile::Builder::new();
        builder.prefix(".hookrail-");
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o644));
        let mut draft = builder.tempfile_in(folder)?;
        draft.write_all(bytes)?;
        // The user's mask may have taken away what agents need.
        #[cfg(unix)]
        draft.as_file().set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o644))?;
        draft.as_file().sync_all()?;
        draft.persist(path).map_err(|error| error.error)?;
        #[cfg(unix)]
        File::open(folder)?.sync_all()?;
        Ok(())
    };
    write().map_err(|source| PolicyError::Io { action: "write", path: path.to_owned(), source })
}
