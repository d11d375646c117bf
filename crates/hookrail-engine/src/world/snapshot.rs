use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The files that hooks of one event have read, so that they all see the same and each is read once. Whoever replaces
/// something or takes a lock wants to see what is there then: it is forgotten.
#[derive(Clone, Debug, Default)]
pub(super) struct Snapshot(Arc<Mutex<HashMap<PathBuf, Option<Vec<u8>>>>>);

impl Snapshot {
    /// A file as it was first seen, else as `read` sees it now. An error is not remembered.
    pub fn read<E>(
        &self,
        path: &Path,
        read: impl FnOnce() -> Result<Option<Vec<u8>>, E>,
    ) -> Result<Option<Vec<u8>>, E> {
        if let Some(seen) = self.files().get(path) {
            return Ok(seen.clone());
        }
        let content = read()?;
        self.files().insert(path.to_owned(), content.clone());
        Ok(content)
    }

    pub fn forget(&self) {
        self.files().clear();
    }

    pub fn forget_file(&self, path: &Path) {
        self.files().remove(path);
    }

    fn files(&self) -> MutexGuard<'_, HashMap<PathBuf, Option<Vec<u8>>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
