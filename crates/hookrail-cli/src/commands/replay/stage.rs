//! The machine as hooks of past events see it.

use crate::hook::rehearsal::{Changes, Overlay};
use hookrail_core::{Event, FileKind, Held, HookError, HookOutput, Relocation, World};
use hookrail_engine::layers::Settings;
use hookrail_engine::{Places, RealWorld};
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// What the hooks of one session have left behind: files and memory, both in this process only. A session begins with the
/// files of today and without memory.
#[derive(Debug)]
pub struct SessionStage {
    files: Overlay,
    memory: Mutex<HashMap<String, Value>>,
}

impl SessionStage {
    /// `places` are shared by all sessions: where links lead does not depend on them.
    pub fn new(places: &Places) -> Self {
        let base = RealWorld::of_event(Arc::default(), None).with_places(places.clone());
        Self { files: Overlay::new(base, Changes::default()), memory: Mutex::default() }
    }
}

/// One event's place and time.
#[derive(Clone, Debug)]
pub struct Scene {
    pub session: Arc<SessionStage>,
    pub millis: i64,
}

/// The world of a project under one configuration. It stands in one scene at a time.
#[derive(Debug)]
pub struct Stage {
    settings: Map<String, Value>,
    project: PathBuf,
    state_folder: Option<PathBuf>,
    /// Whether hooks are paused today says nothing about then.
    hidden: Option<PathBuf>,
    scene: Mutex<Scene>,
}

impl Stage {
    pub fn new(settings: &Settings, project: PathBuf, state_folder: Option<PathBuf>) -> Self {
        let hidden = settings.dev_mode_file().map(|file| project.join(file));
        let scene = Scene { session: Arc::new(SessionStage::new(&Places::default())), millis: 0 };
        Self { settings: settings.sections(), project, state_folder, hidden, scene: Mutex::new(scene) }
    }

    pub fn set(&self, scene: Scene) {
        *self.scene.lock().unwrap_or_else(PoisonError::into_inner) = scene;
    }

    fn scene(&self) -> Scene {
        self.scene.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn session(&self) -> Arc<SessionStage> {
        self.scene().session
    }
}

impl World for Stage {
    fn read(&self, path: &Path) -> Result<Option<Vec<u8>>, HookError> {
        self.session().files.read(path)
    }

    fn kind(&self, path: &Path) -> Result<Option<FileKind>, HookError> {
        if self.hidden.as_deref() == Some(path) {
            return Ok(None);
        }
        self.session().files.kind(path)
    }

    fn list(&self, folder: &Path) -> Result<Option<Vec<String>>, HookError> {
        self.session().files.list(folder)
    }

    fn modified_millis(&self, path: &Path) -> Result<Option<i64>, HookError> {
        self.session().files.modified_millis(path)
    }

    fn write(&self, path: &Path, content: &[u8]) -> Result<(), HookError> {
        self.session().files.write(path, content)
    }

    fn append(&self, path: &Path, text: &str) -> Result<(), HookError> {
        self.session().files.append(path, text)
    }

    fn remove(&self, path: &Path) -> Result<(), HookError> {
        self.session().files.remove(path)
    }

    fn relocate(&self, from: &Path, to: &Path) -> Result<Relocation, HookError> {
        self.session().files.relocate(from, to)
    }

    fn make_folder(&self, folder: &Path) -> Result<(), HookError> {
        self.session().files.make_folder(folder)
    }

    fn remove_folder(&self, folder: &Path) -> Result<(), HookError> {
        self.session().files.remove_folder(folder)
    }

    fn lock(&self, path: &Path) -> Result<Held, HookError> {
        self.session().files.lock(path)
    }

    fn resolve(&self, path: &Path) -> PathBuf {
        self.session().files.resolve(path)
    }

    /// The project is the one the event happened in, whatever this process inherited.
    fn env(&self, name: &str) -> Option<String> {
        match name {
            "CLAUDE_PROJECT_DIR" | "GEMINI_PROJECT_DIR" | "LLXPRT_PROJECT_DIR" => {
                Some(self.project.to_string_lossy().into_owned())
            }
            _ => self.session().files.env(name),
        }
    }

    fn git(&self, folder: &Path, args: &[&str]) -> Result<Option<String>, HookError> {
        self.session().files.git(folder, args)
    }

    fn ask_model(&self, prompt: &str, event: &Event) -> Result<Option<HookOutput>, HookError> {
        self.session().files.ask_model(prompt, event)
    }

    /// When the event happened.
    fn now_millis(&self) -> i64 {
        self.scene().millis
    }

    fn settings(&self, section: &str) -> Option<&Value> {
        self.settings.get(section)
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
        let file = folder.path().canonicalize().unwrap().join("file");
        let stage = Stage::new(&Settings::default(), "/project".into(), None);
        let session = || Arc::new(SessionStage::new(&Places::default()));
        let (one, two) = (session(), session());
        let enter = |session: &Arc<SessionStage>, millis| stage.set(Scene { session: Arc::clone(session), millis });

        enter(&one, 7);
        stage.remember("count", &mut |_| Some(json!(1))).unwrap();
        stage.write(&file, b"one").unwrap();
        assert_eq!((stage.recall("count").unwrap(), stage.now_millis()), (Some(json!(1)), 7));
        enter(&two, 8);
        assert_eq!((stage.recall("count").unwrap(), stage.read(&file).unwrap()), (None, None));
        enter(&one, 9);
        assert_eq!(stage.read(&file).unwrap(), Some(b"one".to_vec()));
        stage.remember("count", &mut |_| None).unwrap();
        assert_eq!(stage.recall("count").unwrap(), None);
        assert_eq!(stage.env("GEMINI_PROJECT_DIR").as_deref(), Some("/project"));
        assert!(!file.exists());
    }
}
