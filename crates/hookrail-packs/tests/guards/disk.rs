//! The real file system as a hook's world, with an environment, settings and a memory of the test's own.

use hookrail_core::{FileKind, Held, HookError, Relocation, World};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::fs;
use std::io::{ErrorKind, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

#[derive(Default)]
pub struct Disk {
    pub env: BTreeMap<String, String>,
    pub settings: Map<String, Value>,
    pub memory: Mutex<BTreeMap<String, Value>>,
}

fn found<T>(result: std::io::Result<T>) -> Result<Option<T>, HookError> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(error)
            if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory | ErrorKind::IsADirectory) =>
        {
            Ok(None)
        }
        Err(error) => Err(HookError::new(error.to_string())),
    }
}

fn done(result: std::io::Result<()>) -> Result<(), HookError> {
    result.map_err(|error| HookError::new(error.to_string()))
}

impl World for Disk {
    fn read(&self, path: &Path) -> Result<Option<Vec<u8>>, HookError> {
        found(fs::read(path))
    }

    fn kind(&self, path: &Path) -> Result<Option<FileKind>, HookError> {
        let kind = |meta: fs::Metadata| match meta.file_type() {
            kind if kind.is_symlink() => FileKind::Link,
            kind if kind.is_dir() => FileKind::Folder,
            kind if kind.is_file() => FileKind::File,
            _ => FileKind::Other,
        };
        Ok(found(fs::symlink_metadata(path))?.map(kind))
    }

    fn list(&self, folder: &Path) -> Result<Option<Vec<String>>, HookError> {
        let Some(entries) = found(fs::read_dir(folder))? else { return Ok(None) };
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        Ok(Some(names))
    }

    fn modified_millis(&self, path: &Path) -> Result<Option<i64>, HookError> {
        Ok(found(fs::metadata(path))?.map(|meta| meta.mtime() * 1000))
    }

    fn write(&self, path: &Path, content: &[u8]) -> Result<(), HookError> {
        done(fs::create_dir_all(path.parent().unwrap()))?;
        done(fs::write(path, content))
    }

    fn append(&self, path: &Path, text: &str) -> Result<(), HookError> {
        done(fs::create_dir_all(path.parent().unwrap()))?;
        let file = fs::OpenOptions::new().create(true).append(true).open(path);
        done(file.and_then(|mut file| file.write_all(text.as_bytes())))
    }

    fn remove(&self, path: &Path) -> Result<(), HookError> {
        done(fs::remove_file(path))
    }

    fn relocate(&self, from: &Path, to: &Path) -> Result<Relocation, HookError> {
        done(fs::rename(from, to)).map(|()| Relocation::Done)
    }

    fn make_folder(&self, folder: &Path) -> Result<(), HookError> {
        done(fs::create_dir_all(folder))
    }

    fn remove_folder(&self, folder: &Path) -> Result<(), HookError> {
        done(fs::remove_dir(folder))
    }

    fn lock(&self, _: &Path) -> Result<Held, HookError> {
        Ok(Box::new(()))
    }

    fn resolve(&self, path: &Path) -> PathBuf {
        hookrail_testkit::folders::resolve(path)
    }

    fn shared_identity(&self, path: &Path) -> Option<(u64, u64)> {
        let meta = fs::metadata(path).ok().filter(|meta| meta.is_file() && meta.nlink() > 1)?;
        Some((meta.dev(), meta.ino()))
    }

    fn env(&self, name: &str) -> Option<String> {
        self.env.get(name).cloned()
    }

    fn now_millis(&self) -> i64 {
        1_780_000_000_000
    }

    fn settings(&self, section: &str) -> Option<&Value> {
        self.settings.get(section)
    }

    fn own_program(&self) -> Option<PathBuf> {
        None
    }

    fn state_folder(&self) -> Option<PathBuf> {
        None
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
        let value = change(memory.remove(key));
        if let Some(value) = &value {
            memory.insert(key.to_owned(), value.clone());
        }
        Ok(value)
    }
}
