use super::FileStore;
use crate::dir::{Access, Dir};
use crate::error::StoreError;
use crate::lock::Lock;
use crate::nesting::is_too_deep;
use crate::session_id::SessionId;
use crate::state::{Outline, SessionState};
use crate::store::{Session, SetAside};
use crate::waiting::time_to_wait;
use serde::de::DeserializeOwned;
use std::sync::Arc;

/// The sessions' directory in the state root.
pub(super) const DIRECTORY: &str = "sessions";
pub(super) const STATE: &str = ".json";
pub(super) const LOCK: &str = ".lock";
/// A state that is being written.
pub(super) const DRAFT: &str = ".draft";

/// The largest state. A larger one would make every event of its session slow.
const MAX_BYTES: u64 = 16 << 20;

/// A session that is used but never changes is written again after this time, so that it does not look unused.
const REFRESH_AFTER_MILLIS: i64 = 24 * 60 * 60 * 1000;

impl FileStore {
    pub(super) fn find_dir(&self, name: &str) -> Result<Option<Dir>, StoreError> {
        self.root.find()?.map_or(Ok(None), |root| root.find_dir(name))
    }

    pub(super) fn read_session(&self, session: &SessionId) -> Result<Session, StoreError> {
        let Some(dir) = self.find_dir(DIRECTORY)? else { return Ok(Session::default()) };
        // No lock: a state is renamed into place as a whole.
        match load(&dir, session)? {
            Loaded::State(state) => Ok(session_of(state)),
            Loaded::Nothing => Ok(Session::default()),
            Loaded::Corrupt(_) => {
                let _lock = self.lock(&dir, session)?;
                self.load_or_set_aside(&dir, session).map(|(session, _)| session)
            }
        }
    }

    pub(super) fn read_outline_of_session(&self, session: &SessionId) -> Result<Session, StoreError> {
        let Some(dir) = self.find_dir(DIRECTORY)? else { return Ok(Session::default()) };
        match load::<Outline>(&dir, session)? {
            Loaded::State(outline) => Ok(session_of(outline.into())),
            Loaded::Nothing => Ok(Session::default()),
            Loaded::Corrupt(_) => self.read_session(session),
        }
    }

    pub(super) fn update_session(
        &self,
        session: &SessionId,
        change: &mut dyn FnMut(&mut SessionState),
    ) -> Result<Session, StoreError> {
        let dir = self.root.open()?.subdir(DIRECTORY)?;
        let _lock = self.lock(&dir, session)?;
        let (Session { state: before, recovered }, existed) = self.load_or_set_aside(&dir, session)?;
        let mut state = SessionState::clone(&before);
        change(&mut state);
        state.updated_at = before.updated_at;
        let now = self.now();
        let is_stale = existed && now.saturating_sub(before.updated_at) > REFRESH_AFTER_MILLIS;
        if state != *before || is_stale {
            state.updated_at = now;
            save(&dir, session, &state)?;
        }
        Ok(Session { recovered, ..session_of(state) })
    }

    /// Who counts under a deadline waits as long as that leaves: what is not counted is worse than what is late.
    fn lock(&self, dir: &Dir, session: &SessionId) -> Result<Lock, StoreError> {
        let patience = time_to_wait().unwrap_or(self.lock_patience);
        Lock::exclusive(dir, &file_of(session, LOCK), patience)
    }

    /// The state, and whether there was one. The session must be locked.
    fn load_or_set_aside(&self, dir: &Dir, session: &SessionId) -> Result<(Session, bool), StoreError> {
        match load(dir, session)? {
            Loaded::State(state) => Ok((session_of(state), true)),
            Loaded::Nothing => Ok((Session::default(), false)),
            Loaded::Corrupt(why) => {
                let name = file_of(session, STATE);
                let aside = dir.name_aside(&name, self.now())?;
                dir.rename(&name, &aside)?;
                let recovered = SetAside { file: dir.path_of(&name), moved_to: dir.path_of(&aside), why };
                Ok((Session { state: Arc::default(), recovered: Some(recovered) }, false))
            }
        }
    }
}

/// The name of a session's file. Every event with a hook that may fail comes here, and the template of `format!` lies in a page that
/// nothing else of such an event reads.
fn file_of(session: &SessionId, kind: &str) -> String {
    [session.as_str(), kind].concat()
}

fn session_of(state: SessionState) -> Session {
    Session { state: Arc::new(state), recovered: None }
}

enum Loaded<T> {
    State(T),
    Nothing,
    Corrupt(String),
}

fn load<T: DeserializeOwned>(dir: &Dir, session: &SessionId) -> Result<Loaded<T>, StoreError> {
    let name = file_of(session, STATE);
    let Some(found) = dir.open(&name, Access::Read)? else { return Ok(Loaded::Nothing) };
    let content =
        found.read_at_most(MAX_BYTES).map_err(|source| StoreError::io("read", &dir.path_of(&name), source))?;
    let Some(bytes) = content else { return Ok(Loaded::Corrupt(format!("it has more than {MAX_BYTES} bytes"))) };
    match serde_json::from_slice(&bytes) {
        Ok(state) => Ok(Loaded::State(state)),
        Err(error) => Ok(Loaded::Corrupt(error.to_string())),
    }
}

fn save(dir: &Dir, session: &SessionId, state: &SessionState) -> Result<(), StoreError> {
    let what = "a session's state";
    let mut text = serde_json::to_vec(state).map_err(|source| StoreError::Encode { what, source })?;
    if is_too_deep(&text) {
        return Err(StoreError::TooDeep { what });
    }
    text.push(b'\n');
    if text.len() as u64 > MAX_BYTES {
        return Err(StoreError::TooLarge { what, max: MAX_BYTES });
    }
    dir.replace(&file_of(session, STATE), &file_of(session, DRAFT), &text)
}
