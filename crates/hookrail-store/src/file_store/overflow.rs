use super::FileStore;
use crate::error::StoreError;
use crate::session_id::{SessionId, mark, sanitize};
use std::path::PathBuf;
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};

/// The overflow texts' directory in the state root.
pub(super) const DIRECTORY: &str = "overflow";
const HINT_MAX: usize = 40;

/// Tells the drafts of one process apart.
static DRAFTS: AtomicU64 = AtomicU64::new(0);

impl FileStore {
    /// The name holds a hash of the text, so the same text said twice is one file.
    pub(super) fn spill_text(&self, session: &SessionId, hint: &str, text: &str) -> Result<PathBuf, StoreError> {
        let dir = self.root.open()?.subdir(DIRECTORY)?.subdir(session.as_str())?;
        let hint: String = sanitize(hint).chars().take(HINT_MAX).collect();
        let separator = if hint.is_empty() { "" } else { "-" };
        let name = format!("{hint}{separator}{}.txt", mark(text.as_bytes()));
        let draft = format!("{}-{}.draft", process::id(), DRAFTS.fetch_add(1, Ordering::Relaxed));
        dir.replace(&name, &draft, text.as_bytes())?;
        Ok(dir.path_of(&name))
    }
}
