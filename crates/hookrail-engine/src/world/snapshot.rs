use super::tail::Tail;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// By the bytes of their paths: comparing a few of them is quicker than hashing every part of a path.
type Files = BTreeMap<OsString, Option<Vec<u8>>>;

/// The files that hooks of one event have read, so that they all see the same and each is read once. Whoever replaces
/// something or takes a lock wants to see what is there then: it is forgotten.
#[derive(Clone, Debug, Default)]
pub(super) struct Snapshot {
    files: Arc<Mutex<Files>>,
    /// The ends of long files, as far as they were read.
    tails: Arc<Mutex<BTreeMap<OsString, Tail>>>,
    /// How long locks were waited for in vain. Hooks of one event do not wait one after the other for the same stuck process.
    waits: Arc<Mutex<BTreeMap<OsString, Duration>>>,
}

impl Snapshot {
    /// A file as it was first seen, else as `read` sees it now. An error is not remembered.
    pub fn read<E>(
        &self,
        path: &Path,
        read: impl FnOnce() -> Result<Option<Vec<u8>>, E>,
    ) -> Result<Option<Vec<u8>>, E> {
        if let Some(seen) = self.files().get(path.as_os_str()) {
            return Ok(seen.clone());
        }
        let content = read()?;
        self.files().insert(path.into(), content.clone());
        Ok(content)
    }

    /// What was read of a file's end, for a reader who gives it back.
    pub fn take_tail(&self, path: &Path) -> Option<Tail> {
        self.tails().remove(path.as_os_str())
    }

    pub fn keep_tail(&self, path: &Path, tail: Tail) {
        self.tails().insert(path.into(), tail);
    }

    pub fn forget(&self) {
        self.files().clear();
        self.tails().clear();
    }

    pub fn forget_file(&self, path: &Path) {
        self.files().remove(path.as_os_str());
        self.tails().remove(path.as_os_str());
    }

    pub fn waited_for(&self, path: &Path) -> Duration {
        self.waits().get(path.as_os_str()).copied().unwrap_or_default()
    }

    pub fn keep_waited(&self, path: &Path, waited: Duration) {
        self.waits().insert(path.into(), waited);
    }

    fn waits(&self) -> MutexGuard<'_, BTreeMap<OsString, Duration>> {
        self.waits.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn files(&self) -> MutexGuard<'_, Files> {
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tails(&self) -> MutexGuard<'_, BTreeMap<OsString, Tail>> {
        self.tails.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
