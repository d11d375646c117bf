//! A machine in memory: what a native hook sees in a test.

use hookrail_core::{Event, FileKind, Held, HookError, HookOutput, Relocation, World};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};
use std::sync::{Mutex, MutexGuard};

/// Files, links, environment, clock and memory as a test wants them.
///
/// ```
/// use hookrail_core::World;
/// use hookrail_testkit::world::FakeWorld;
///
/// let world = FakeWorld::new().file("/p/state.json", "{}").link("/p/link", "/p/state.json").env("HOME", "/home/me").at_millis(5);
/// assert_eq!(world.read("/p/link".as_ref()).unwrap().unwrap(), b"{}");
/// world.write("/p/new".as_ref(), b"x").unwrap();
/// assert_eq!(world.text("/p/new"), "x");
/// ```
#[derive(Debug, Default)]
pub struct FakeWorld {
    files: Mutex<BTreeMap<PathBuf, File>>,
    /// How often each file was read.
    reads: Mutex<BTreeMap<PathBuf, usize>>,
    broken: Vec<PathBuf>,
    env: BTreeMap<String, String>,
    settings: Map<String, Value>,
    memory: Mutex<BTreeMap<String, Value>>,
    now: i64,
    git: BTreeMap<(PathBuf, String), Option<String>>,
    model: Option<Result<HookOutput, HookError>>,
}

#[derive(Clone, Debug)]
enum File {
    Bytes(Vec<u8>, i64),
    Link(PathBuf),
}

impl FakeWorld {
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The same machine again: changes of one are not seen in the other.
    #[must_use]
    pub fn copy(&self) -> Self {
        Self {
            files: Mutex::new(self.files().clone()),
            reads: Mutex::default(),
            broken: self.broken.clone(),
            env: self.env.clone(),
            settings: self.settings.clone(),
            memory: Mutex::new(self.memory.lock().unwrap().clone()),
            now: self.now,
            git: self.git.clone(),
            model: self.model.clone(),
        }
    }

    #[must_use]
    pub fn file(self, path: &str, text: &str) -> Self {
        let now = self.now;
        self.files().insert(path.into(), File::Bytes(text.into(), now));
        self
    }

    #[must_use]
    pub fn link(self, path: &str, target: &str) -> Self {
        self.files().insert(path.into(), File::Link(target.into()));
        self
    }

    /// Whatever is done with this path fails.
    #[must_use]
    pub fn broken(mut self, path: &str) -> Self {
        self.broken.push(path.into());
        self
    }

    #[must_use]
    pub fn env(mut self, name: &str, value: &str) -> Self {
        self.env.insert(name.to_owned(), value.to_owned());
        self
    }

    #[must_use]
    pub fn settings(mut self, section: &str, value: Value) -> Self {
        self.settings.insert(section.to_owned(), value);
        self
    }

    #[must_use]
    pub fn at_millis(mut self, now: i64) -> Self {
        self.now = now;
        self
    }

    /// What git prints in a folder when it is asked this, words joined by spaces; `None` for an exit with an error. Every
    /// other question is one that cannot be asked.
    #[must_use]
    pub fn git(mut self, folder: &str, args: &str, answer: Option<&str>) -> Self {
        self.git.insert((folder.into(), args.to_owned()), answer.map(str::to_owned));
        self
    }

    /// What the model answers, whatever it is asked. Without this there is no model.
    #[must_use]
    pub fn model(mut self, answer: Result<HookOutput, HookError>) -> Self {
        self.model = Some(answer);
        self
    }

    /// A file's text; panics if there is none.
    #[must_use]
    pub fn text(&self, path: &str) -> String {
        let bytes = self.read(Path::new(path)).unwrap().unwrap_or_else(|| panic!("there is no `{path}`"));
        String::from_utf8(bytes).unwrap()
    }

    /// How often hooks read a file.
    #[must_use]
    pub fn times_read(&self, path: &str) -> usize {
        self.reads.lock().unwrap().get(Path::new(path)).copied().unwrap_or_default()
    }

    #[must_use]
    pub fn exists(&self, path: &str) -> bool {
        self.read(Path::new(path)).unwrap().is_some()
    }

    fn files(&self) -> MutexGuard<'_, BTreeMap<PathBuf, File>> {
        self.files.lock().unwrap()
    }

    fn guard(&self, path: &Path) -> Result<(), HookError> {
        if self.broken.iter().any(|broken| broken == path) {
            return Err(HookError::new(format!("cannot touch `{}`: it is broken", path.display())));
        }
        Ok(())
    }

    fn refuse_link(&self, path: &Path) -> Result<(), HookError> {
        self.guard(path)?;
        match self.files().get(path) {
            Some(File::Link(_)) => {
                Err(HookError::new(format!("cannot write `{}`: it is a symbolic link", path.display())))
            }
            Some(File::Bytes(..)) | None => Ok(()),
        }
    }
}

impl World for FakeWorld {
    fn read(&self, path: &Path) -> Result<Option<Vec<u8>>, HookError> {
        let path = self.resolve(path);
        self.guard(&path)?;
        *self.reads.lock().unwrap().entry(path.clone()).or_default() += 1;
        Ok(match self.files().get(&path) {
            Some(File::Bytes(bytes, _)) => Some(bytes.clone()),
            Some(File::Link(_)) | None => None,
        })
    }

    fn kind(&self, path: &Path) -> Result<Option<FileKind>, HookError> {
        self.guard(path)?;
        let files = self.files();
        Ok(match files.get(path) {
            Some(File::Bytes(..)) => Some(FileKind::File),
            Some(File::Link(_)) => Some(FileKind::Link),
            None => files.keys().any(|file| file.starts_with(path) && file != path).then_some(FileKind::Folder),
        })
    }

    fn list(&self, folder: &Path) -> Result<Option<Vec<String>>, HookError> {
        let folder = self.resolve(folder);
        self.guard(&folder)?;
        let mut names: Vec<String> = self
            .files()
            .keys()
            .filter_map(|file| file.strip_prefix(&folder).ok()?.components().next())
            .map(|name| name.as_os_str().to_string_lossy().into_owned())
            .collect();
        names.dedup();
        Ok((!names.is_empty()).then_some(names))
    }

    fn modified_millis(&self, path: &Path) -> Result<Option<i64>, HookError> {
        let path = self.resolve(path);
        self.guard(&path)?;
        Ok(match self.files().get(&path) {
            Some(File::Bytes(_, modified)) => Some(*modified),
            Some(File::Link(_)) | None => None,
        })
    }

    fn write(&self, path: &Path, content: &[u8]) -> Result<(), HookError> {
        self.refuse_link(path)?;
        self.files().insert(path.to_owned(), File::Bytes(content.to_vec(), self.now));
        Ok(())
    }

    fn append(&self, path: &Path, text: &str) -> Result<(), HookError> {
        self.refuse_link(path)?;
        let mut files = self.files();
        let mut content = match files.get(path) {
            Some(File::Bytes(bytes, _)) => bytes.clone(),
            Some(File::Link(_)) | None => Vec::new(),
        };
        content.extend_from_slice(text.as_bytes());
        files.insert(path.to_owned(), File::Bytes(content, self.now));
        Ok(())
    }

    fn remove(&self, path: &Path) -> Result<(), HookError> {
        self.guard(path)?;
        self.files().remove(path);
        Ok(())
    }

    fn relocate(&self, from: &Path, to: &Path) -> Result<Relocation, HookError> {
        self.guard(from)?;
        self.guard(to)?;
        let mut files = self.files();
        if files.contains_key(to) {
            return Ok(Relocation::Taken);
        }
        let Some(file) = files.remove(from) else { return Ok(Relocation::Gone) };
        files.insert(to.to_owned(), file);
        Ok(Relocation::Done)
    }

    /// Folders are where files are.
    fn make_folder(&self, folder: &Path) -> Result<(), HookError> {
        self.guard(folder)
    }

    fn remove_folder(&self, folder: &Path) -> Result<(), HookError> {
        self.guard(folder)
    }

    fn lock(&self, path: &Path) -> Result<Held, HookError> {
        self.guard(path)?;
        Ok(Box::new(()))
    }

    fn resolve(&self, path: &Path) -> PathBuf {
        let files = self.files();
        let mut resolved = PathBuf::new();
        for component in path.components() {
            match component {
                Component::ParentDir => {
                    resolved.pop();
                }
                Component::CurDir => {}
                Component::Normal(_) | Component::RootDir | Component::Prefix(_) => resolved.push(component),
            }
            // A chain of links ends somewhere in any sensible test; forty is where real machines give up.
            for _ in 0..40 {
                match files.get(&resolved) {
                    Some(File::Link(target)) => {
                        let base = resolved.parent().unwrap_or(Path::new("/")).to_owned();
                        resolved = base.join(target);
                    }
                    Some(File::Bytes(..)) | None => break,
                }
            }
        }
        resolved
    }

    fn env(&self, name: &str) -> Option<String> {
        self.env.get(name).cloned()
    }

    fn git(&self, folder: &Path, args: &[&str]) -> Result<Option<String>, HookError> {
        let question = (folder.to_owned(), args.join(" "));
        self.git.get(&question).cloned().ok_or_else(|| HookError::new(format!("git cannot be asked `{}`", question.1)))
    }

    fn ask_model(&self, _: &str, _: &Event) -> Result<Option<HookOutput>, HookError> {
        self.model.clone().transpose()
    }

    fn now_millis(&self) -> i64 {
        self.now
    }

    fn settings(&self, section: &str) -> Option<&Value> {
        self.settings.get(section)
    }

    fn own_program(&self) -> Option<PathBuf> {
        None
    }

    fn state_folder(&self) -> Option<PathBuf> {
        Some(PathBuf::from("/state"))
    }

    fn recall(&self, key: &str) -> Result<Option<Value>, HookError> {
        Ok(self.memory.lock().unwrap().get(key).cloned())
    }

    fn remember(
        &self,
        key: &str,
        change: &mut dyn FnMut(Option<Value>) -> Option<Value>,
    ) -> Result<Option<Value>, HookError> {
        let mut memory = self.memory.lock().unwrap();
        let changed = change(memory.remove(key));
        if let Some(value) = &changed {
            memory.insert(key.to_owned(), value.clone());
        }
        Ok(changed)
    }
}
