use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// By the bytes of their paths: comparing a few of them is quicker than hashing every part of a path.
type Files = BTreeMap<OsString, Option<Vec<u8>>>;

/// The files that hooks of one event have read, so that they all see the same and each is read once. Whoever replaces
/// something or takes a lock wants to see what is there then: it is forgotten.
#[derive(Clone, Debug, Default)]
pub(super) struct Snapshot(Arc<Mutex<Files>>);

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

    pub fn forget(&self) {
        self.files().clear();
    }

    pub fn forget_file(&self, path: &Path) {
        self.files().remove(path.as_os_str());
    }

    fn files(&self) -> MutexGuard<'_, Files> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
