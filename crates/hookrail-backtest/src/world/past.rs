use super::overlay::{Changes, Overlay};
use hookrail_core::{Event, FileKind, Held, HookError, HookOutput, Relocation, World};
use hookrail_engine::layers::Settings;
use hookrail_engine::{Places, RealWorld};
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What the hooks of one session have left behind: files and memory, both in this process only. A session begins with the
/// files of today and without memory.
#[derive(Debug)]
pub struct SessionWorld {
    files: Overlay,
    memory: Mutex<HashMap<String, Value>>,
}

impl SessionWorld {
    /// `places` are shared by all sessions: where links lead does not depend on them.
    #[must_use]
    pub fn new(places: &Places) -> Self {
        let base = RealWorld::of_event(Arc::default(), None).with_places(places.clone());
        Self { files: Overlay::new(base, Changes::default()), memory: Mutex::default() }
    }

    /// Whether hooks have left nothing behind.
    fn is_untouched(&self) -> bool {
        self.files.is_untouched() && self.memory.lock().unwrap_or_else(PoisonError::into_inner).is_empty()
    }
}

/// When and in which session an event happened.
#[derive(Clone, Debug)]
pub struct PastMoment {
    /// The session.
    pub session: Arc<SessionWorld>,
    /// Milliseconds since 1970.
    pub millis: i64,
    /// The branch that was checked out, if that is known.
    pub branch: Option<Arc<str>>,
}

/// The world of a project under one configuration. It is at one moment at a time.
#[derive(Debug)]
pub struct PastWorld {
    settings: Map<String, Value>,
    project: PathBuf,
    state_folder: Option<PathBuf>,
    /// What outlives a session: facts of a day.
    state: Overlay,
    /// Whether hooks are paused today says nothing about then.
    hidden: Option<PathBuf>,
    moment: Mutex<PastMoment>,
    /// Whether files or the repository of today were looked at, which may have been others then.
    looked: AtomicBool,
    /// How often a hook, or the engine itself, asked what time it is.
    asked_time: AtomicU32,
}

impl PastWorld {
    /// The world of `project` under `settings`; what hooks keep in `state_folder` is kept in memory. Without a project (an empty
    /// path) it is looked for around each folder.
    #[must_use]
    pub fn new(settings: &Settings, project: PathBuf, state_folder: Option<PathBuf>) -> Self {
        let hidden = settings.dev_mode_file().map(|file| project.join(file));
        let session = Arc::new(SessionWorld::new(&Places::default()));
        Self {
            settings: settings.sections(),
            project,
            state_folder,
            state: Overlay::new(RealWorld::default(), Changes::default()),
            hidden,
            moment: Mutex::new(PastMoment { session, millis: 0, branch: None }),
            looked: AtomicBool::new(false),
            asked_time: AtomicU32::new(0),
        }
    }

    /// What happens next happens then.
    pub fn enter(&self, moment: PastMoment) {
        *self.moment() = moment;
        self.looked.store(false, Ordering::Relaxed);
        self.asked_time.store(0, Ordering::Relaxed);
    }

    /// Whether what is decided at this moment does not depend on it: hooks left nothing behind in its session or before, and none
    /// has asked for the time. The engine itself asks once, for its records.
    #[must_use]
    pub fn is_timeless(&self) -> bool {
        let asked = self.asked_time.load(Ordering::Relaxed);
        asked <= 1 && self.state.is_untouched() && self.moment().session.is_untouched()
    }

    /// Whether something of today was looked at since the moment was entered.
    #[must_use]
    pub fn looked_at_today(&self) -> bool {
        self.looked.load(Ordering::Relaxed)
    }

    fn moment(&self) -> MutexGuard<'_, PastMoment> {
        self.moment.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn session(&self) -> Arc<SessionWorld> {
        Arc::clone(&self.moment().session)
    }

    /// Notes a look at something that may have been otherwise then. What hooks keep for themselves is as it was.
    fn look(&self, path: &Path) {
        if !self.is_state(path) {
            self.looked.store(true, Ordering::Relaxed);
        }
    }

    fn is_state(&self, path: &Path) -> bool {
        self.state_folder.as_ref().is_some_and(|folder| path.starts_with(folder))
    }

    /// Does something with the files of the session, or with those that all sessions share.
    fn files<R>(&self, path: &Path, work: impl FnOnce(&Overlay) -> R) -> R {
        if self.is_state(path) {
            return work(&self.state);
        }
        work(&self.session().files)
    }

    /// What stood in the file that says which branch is checked out, if that is known.
    fn head(&self, path: &Path) -> Option<Vec<u8>> {
        if !path.ends_with(".git/HEAD") {
            return None;
        }
        let moment = self.moment();
        let branch = moment.branch.as_ref()?;
        Some(format!("ref: refs/heads/{branch}\n").into_bytes())
    }
}

impl World for PastWorld {
    fn read(&self, path: &Path) -> Result<Option<Vec<u8>>, HookError> {
        if let Some(head) = self.head(path) {
            return Ok(Some(head));
        }
        self.look(path);
        self.files(path, |files| files.read(path))
    }

    fn kind(&self, path: &Path) -> Result<Option<FileKind>, HookError> {
        if self.hidden.as_deref() == Some(path) {
            return Ok(None);
        }
        self.files(path, |files| files.kind(path))
    }

    fn list(&self, folder: &Path) -> Result<Option<Vec<String>>, HookError> {
        self.look(folder);
        self.files(folder, |files| files.list(folder))
    }

    fn modified_millis(&self, path: &Path) -> Result<Option<i64>, HookError> {
        self.look(path);
        self.files(path, |files| files.modified_millis(path))
    }

    fn write(&self, path: &Path, content: &[u8]) -> Result<(), HookError> {
        self.files(path, |files| files.write(path, content))
    }

    fn append(&self, path: &Path, text: &str) -> Result<(), HookError> {
        self.files(path, |files| files.append(path, text))
    }

    fn remove(&self, path: &Path) -> Result<(), HookError> {
        self.files(path, |files| files.remove(path))
    }

    fn relocate(&self, from: &Path, to: &Path) -> Result<Relocation, HookError> {
        self.files(from, |files| files.relocate(from, to))
    }

    fn make_folder(&self, folder: &Path) -> Result<(), HookError> {
        self.files(folder, |files| files.make_folder(folder))
    }

    fn remove_folder(&self, folder: &Path) -> Result<(), HookError> {
        self.files(folder, |files| files.remove_folder(folder))
    }

    fn lock(&self, path: &Path) -> Result<Held, HookError> {
        self.files(path, |files| files.lock(path))
    }

    fn resolve(&self, path: &Path) -> PathBuf {
        self.session().files.resolve(path)
    }

    /// Every event of this world is of the one project.
    fn project_around(&self, folder: &Path, find: &dyn Fn() -> PathBuf) -> PathBuf {
        let known = !self.project.as_os_str().is_empty() && folder.starts_with(&self.project);
        if known { self.project.clone() } else { find() }
    }

    /// The project is the one the event happened in, whatever this process inherited.
    fn env(&self, name: &str) -> Option<String> {
        match name {
            "CLAUDE_PROJECT_DIR" | "GEMINI_PROJECT_DIR" | "LLXPRT_PROJECT_DIR" => {
                Some(self.project.to_string_lossy().into_owned()).filter(|project| !project.is_empty())
            }
            _ => self.session().files.env(name),
        }
    }

    fn git(&self, folder: &Path, args: &[&str]) -> Result<Option<String>, HookError> {
        self.look(folder);
        self.session().files.git(folder, args)
    }

    fn ask_model(&self, prompt: &str, event: &Event) -> Result<Option<HookOutput>, HookError> {
        self.session().files.ask_model(prompt, event)
    }

    /// When the event happened.
    fn now_millis(&self) -> i64 {
        self.asked_time.fetch_add(1, Ordering::Relaxed);
        self.moment().millis
    }

    fn settings(&self, section: &str) -> Option<&Value> {
        self.settings.get(section)
    }

    fn own_program(&self) -> Option<PathBuf> {
        std::env::current_exe().ok()
    }

    fn state_folder(&self) -> Option<PathBuf> {
        self.state_folder.clone()
    }

    fn recall(&self, key: &str) -> Result<Option<Value>, HookError> {
        let session = self.session();
        let memory = session.memory.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(memory.get(key).cloned())
    }

    fn remember(
        &self,
        key: &str,
        change: &mut dyn FnMut(Option<Value>) -> Option<Value>,
    ) -> Result<Option<Value>, HookError> {
        let session = self.session();
        let mut memory = session.memory.lock().unwrap_or_else(PoisonError::into_inner);
        let changed = change(memory.remove(key));
        if let Some(value) = &changed {
            memory.insert(key.to_owned(), value.clone());
        }
        Ok(changed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn each_session_remembers_for_itself_and_nothing_reaches_the_disk() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let (file, state) = (root.join("file"), root.join("state"));
        let world = PastWorld::new(&Settings::default(), "/project".into(), Some(state.clone()));
        let session = || Arc::new(SessionWorld::new(&Places::default()));
        let (one, two) = (session(), session());
        let enter = |session: &Arc<SessionWorld>, millis| {
            world.enter(PastMoment { session: Arc::clone(session), millis, branch: Some("release".into()) });
        };

        enter(&one, 7);
        assert!(world.is_timeless());
        world.remember("count", &mut |_| Some(json!(1))).unwrap();
        world.write(&file, b"one").unwrap();
        world.write(&state.join("day"), b"fact").unwrap();
        assert_eq!((world.recall("count").unwrap(), world.now_millis()), (Some(json!(1)), 7));
        assert!(!world.is_timeless(), "what was remembered, written and asked for counts");
        enter(&two, 8);
        assert!(!world.is_timeless(), "what sessions share was changed");
        assert_eq!(world.read(Path::new("/p/.git/HEAD")).unwrap(), Some(b"ref: refs/heads/release\n".to_vec()));
        assert!(!world.looked_at_today(), "the branch of then is known");
        assert_eq!((world.recall("count").unwrap(), world.read(&file).unwrap()), (None, None));
        assert!(world.looked_at_today());
        assert_eq!(world.read(&state.join("day")).unwrap(), Some(b"fact".to_vec()), "sessions share the state folder");
        enter(&one, 9);
        assert!(!world.looked_at_today());
        assert_eq!(world.read(&file).unwrap(), Some(b"one".to_vec()));
        world.remember("count", &mut |_| None).unwrap();
        assert_eq!(world.recall("count").unwrap(), None);
        assert_eq!(world.env("GEMINI_PROJECT_DIR").as_deref(), Some("/project"));
        assert!(!file.exists() && !state.exists());
    }
}
