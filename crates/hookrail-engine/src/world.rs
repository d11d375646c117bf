//! The machine as it really is.

mod deep;
mod git;
mod links;
mod lock;
mod places;
mod snapshot;
mod tail;

use crate::layers::ModelSettings;
use crate::runner::asking::{self, Network};
use hookrail_core::tidy_path::is_tidy;
use hookrail_core::{Event, FileKind, FileStamp, Held, HookError, HookOutput, Relocation, SeeLine, World};
use hookrail_store::{
    FileError, Links, SessionId, Store, StoreError, careful_open, careful_read, is_machine_condition,
};
use links::{resolve_existing_part, step_by_step};
pub use places::Places;
use serde_json::{Map, Value};
use snapshot::Snapshot;
use std::ffi::OsString;
use std::fs::{self, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tail::Tail;

/// What native hooks see outside of tests. The default world has no configuration and remembers nothing.
#[derive(Clone, Debug, Default)]
pub struct RealWorld {
    settings: Arc<Map<String, Value>>,
    memory: Option<Memory>,
    /// `None` reads everything anew.
    snapshot: Option<Snapshot>,
    /// `None` asks no model.
    model: Option<ModelSettings>,
    /// The way to it.
    network: Option<Arc<dyn Network>>,
    /// `None` looks for links every time.
    places: Option<Places>,
}

/// Where hooks of one session remember things.
#[derive(Clone, Debug)]
pub struct Memory {
    /// Where it is kept.
    pub store: Arc<dyn Store>,
    /// Whose memory it is.
    pub session: SessionId,
    /// The folder behind the store.
    pub folder: PathBuf,
}

impl RealWorld {
    /// The world of one event: its hooks all see the same files, each of which is read once.
    #[must_use]
    pub fn of_event(settings: Arc<Map<String, Value>>, memory: Option<Memory>) -> Self {
        Self { settings, memory, snapshot: Some(Snapshot::default()), ..Self::default() }
    }

    /// The world of a whole session: files are read anew every time, and links looked for once in an event.
    #[must_use]
    pub fn of_session(settings: Arc<Map<String, Value>>, memory: Option<Memory>) -> Self {
        Self { settings, memory, places: Some(Places::default()), ..Self::default() }
    }

    /// Lets hooks ask this model over this network.
    #[must_use]
    pub fn with_model(mut self, model: Option<ModelSettings>, network: Option<Arc<dyn Network>>) -> Self {
        self.model = model;
        self.network = network;
        self
    }

    /// Takes links as they were when first seen, also by other worlds with these places.
    #[must_use]
    pub fn with_places(mut self, places: Places) -> Self {
        self.places = Some(places);
        self
    }

    /// Something changes, or must not change meanwhile: what was seen before does not count any more.
    fn look_again(&self) {
        if let Some(snapshot) = &self.snapshot {
            snapshot.forget();
        }
    }
}

impl World for RealWorld {
    /// What other events have looked at meanwhile is as new as this one.
    fn begin_event(&self) {
        if let (None, Some(places)) = (&self.snapshot, &self.places) {
            places.forget();
        }
    }

    fn read(&self, path: &Path) -> Result<Option<Vec<u8>>, HookError> {
        let read = || unless_missing(careful_read(path, Links::Follow, MAX_BYTES));
        self.snapshot.as_ref().map_or_else(read, |snapshot| snapshot.read(path, read))
    }

    fn read_part(&self, path: &Path, start: u64, length: usize) -> Result<Option<(Vec<u8>, u64)>, HookError> {
        let opened = unless_missing(careful_open(path, Links::Follow))?;
        let Some((mut file, found)) = opened else { return Ok(None) };
        let mut part = Vec::with_capacity(length);
        let read = file.seek(SeekFrom::Start(start)).and_then(|_| file.take(length as u64).read_to_end(&mut part));
        read.map_err(|error| failed("read", path, &error))?;
        Ok(Some((part, found.len())))
    }

    fn lines_from_end(&self, path: &Path, most: u64, see: &mut SeeLine<'_>) -> Result<bool, HookError> {
        let known = self.snapshot.as_ref().and_then(|snapshot| snapshot.take_tail(path));
        let opened = known.map_or_else(|| Tail::open(path), |tail| Ok(Some(tail)));
        let Some(mut tail) = opened.map_err(|error| HookError::new(error.to_string()))? else { return Ok(false) };
        tail.show(most, see).map_err(|error| failed("read", path, &error))?;
        if let Some(snapshot) = &self.snapshot {
            snapshot.keep_tail(path, tail);
        }
        Ok(true)
    }

    fn kind(&self, path: &Path) -> Result<Option<FileKind>, HookError> {
        found(kind_at(path)).map_err(|error| failed("look at", path, &error))
    }

    fn kind_when_seen(&self, path: &Path) -> Option<FileKind> {
        let look = || self.kind(path).ok().flatten();
        let Some(places) = self.places.as_ref().filter(|_| is_tidy(path)) else { return look() };
        places.kind(path).unwrap_or_else(|| {
            let kind = look();
            places.note_kind(path, kind);
            kind
        })
    }

    fn nearest_with(&self, folder: &Path, names: &[&str]) -> Option<usize> {
        if deep::is_deep(folder)
            && let Some(found) = deep::nearest_with(folder, names)
        {
            return found;
        }
        let longest = names.iter().map(|name| name.len()).max().unwrap_or_default();
        let mut mark = OsString::with_capacity(folder.as_os_str().len() + 1 + longest);
        // As texts: joining paths asks of each what kind of path it is, which takes as long as the look itself.
        let mut has = |folder: &Path, name: &str| {
            mark.clear();
            mark.push(folder);
            if !mark.as_encoded_bytes().ends_with(b"/") && !mark.is_empty() {
                mark.push(std::path::MAIN_SEPARATOR_STR);
            }
            mark.push(name);
            kind_at(Path::new(&mark)).is_ok()
        };
        folder.ancestors().position(|folder| names.iter().any(|name| has(folder, name)))
    }

    fn list(&self, folder: &Path) -> Result<Option<Vec<String>>, HookError> {
        let list = || -> io::Result<Vec<String>> {
            let mut names = Vec::new();
            for entry in fs::read_dir(folder)? {
                names.push(entry?.file_name().to_string_lossy().into_owned());
            }
            names.sort();
            Ok(names)
        };
        found(list()).map_err(|error| failed("list", folder, &error))
    }

    fn list_kinds(&self, folder: &Path) -> Result<Option<Vec<(String, FileKind)>>, HookError> {
        let list = || -> io::Result<Vec<(String, FileKind)>> {
            let mut entries = Vec::new();
            for entry in fs::read_dir(folder)? {
                let entry = entry?;
                let kind = entry.file_type().map_or(FileKind::Other, kind_of);
                entries.push((entry.file_name().to_string_lossy().into_owned(), kind));
            }
            Ok(entries)
        };
        found(list()).map_err(|error| failed("list", folder, &error))
    }

    fn modified_millis(&self, path: &Path) -> Result<Option<i64>, HookError> {
        let time = found(fs::metadata(path).and_then(|metadata| metadata.modified()))
            .map_err(|error| failed("look at", path, &error))?;
        Ok(time.and_then(|time| jiff::Timestamp::try_from(time).ok()).map(jiff::Timestamp::as_millisecond))
    }

    #[cfg(unix)]
    fn stamp(&self, path: &Path) -> Option<FileStamp> {
        found(look_from_outside(path)).ok().map(|stamp| stamp.unwrap_or(FileStamp::Absent))
    }

    fn write(&self, path: &Path, content: &[u8]) -> Result<(), HookError> {
        self.look_again();
        replace(path, content).map_err(|error| failed("write", path, &error))
    }

    fn write_draft(&self, path: &Path, content: &[u8]) -> Result<(), HookError> {
        let mut options = private();
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o644);
        let mut write = || options.write(true).create(true).truncate(true).open(path)?.write_all(content);
        write().map_err(|error| failed("write", path, &error))
    }

    fn append(&self, path: &Path, text: &str) -> Result<(), HookError> {
        // Logs grow at every event; the other files are still what they were.
        if let Some(snapshot) = &self.snapshot {
            snapshot.forget_file(path);
        }
        let append = || open_to_append(path)?.write_all(text.as_bytes());
        append().map_err(|error: io::Error| failed("append to", path, &error))
    }

    fn remove(&self, path: &Path) -> Result<(), HookError> {
        self.look_again();
        found(fs::remove_file(path)).map_err(|error| failed("remove", path, &error))?;
        Ok(())
    }

    fn relocate(&self, from: &Path, to: &Path) -> Result<Relocation, HookError> {
        self.look_again();
        relocate(from, to).map_err(|error| failed("move", from, &error))
    }

    fn make_folder(&self, folder: &Path) -> Result<(), HookError> {
        make_folders(folder).map_err(|error| failed("make", folder, &error))
    }

    fn remove_folder(&self, folder: &Path) -> Result<(), HookError> {
        self.look_again();
        found(fs::remove_dir(folder)).map_err(|error| failed("remove", folder, &error))?;
        Ok(())
    }

    fn lock(&self, path: &Path) -> Result<Held, HookError> {
        self.look_again();
        let mut waited = self.snapshot.as_ref().map(|snapshot| snapshot.waited_for(path)).unwrap_or_default();
        let lock = lock::Lock::acquire(path, &mut waited);
        if let (Some(snapshot), Err(_)) = (&self.snapshot, &lock) {
            snapshot.keep_waited(path, waited);
        }
        Ok(Box::new(lock.map_err(|error| failed("lock", path, &error))?))
    }

    fn resolve(&self, path: &Path) -> PathBuf {
        match &self.places {
            Some(places) if is_tidy(path) => places.resolve(path),
            _ if path.components().any(|component| component == Component::ParentDir) => step_by_step(path),
            Some(places) if path.is_absolute() => places.resolve(path),
            _ => resolve_existing_part(path),
        }
    }

    fn project_around(&self, folder: &Path, find: &dyn Fn() -> PathBuf) -> PathBuf {
        self.places.as_ref().map_or_else(find, |places| places.project_around(folder, find))
    }

    #[cfg(unix)]
    fn shared_identity(&self, path: &Path) -> Option<(u64, u64)> {
        use std::os::unix::fs::MetadataExt;
        let found = fs::symlink_metadata(path).ok().filter(|found| found.is_file() && found.nlink() > 1)?;
        Some((found.dev(), found.ino()))
    }

    #[expect(clippy::disallowed_methods, reason = "this is the rim")]
    fn env(&self, name: &str) -> Option<String> {
        std::env::var(name).ok()
    }

    fn git(&self, folder: &Path, args: &[&str]) -> Result<Option<String>, HookError> {
        git::ask(folder, args)
            .map_err(|error| HookError::new(format!("cannot ask git in `{}`: {error}", folder.display())))
    }

    fn ask_model(&self, prompt: &str, event: &Event) -> Result<Option<HookOutput>, HookError> {
        let Some(model) = &self.model else { return Ok(None) };
        let endpoint = model.endpoint(&|name| self.env(name));
        asking::judge(self.network.as_ref(), endpoint, prompt, event, model.timeout())
    }

    fn now_millis(&self) -> i64 {
        jiff::Timestamp::now().as_millisecond()
    }

    fn today(&self) -> String {
        jiff::Zoned::now().date().to_string()
    }

    fn settings(&self, section: &str) -> Option<&Value> {
        self.settings.get(section)
    }

    fn own_program(&self) -> Option<PathBuf> {
        std::env::current_exe().ok()
    }

    fn state_folder(&self) -> Option<PathBuf> {
        self.memory.as_ref().map(|memory| memory.folder.clone())
    }

    fn recall(&self, key: &str) -> Result<Option<Value>, HookError> {
        let Some(memory) = &self.memory else { return Ok(None) };
        let session = memory.store.read(&memory.session).map_err(|error| not_remembered(&error))?;
        Ok(session.state.values.get(key).cloned())
    }

    fn remember(
        &self,
        key: &str,
        change: &mut dyn FnMut(Option<Value>) -> Option<Value>,
    ) -> Result<Option<Value>, HookError> {
        let Some(memory) = &self.memory else {
            return Err(HookError::new("there is no session to remember this in".to_owned()));
        };
        let mut changed = None;
        let update = &mut |state: &mut hookrail_store::SessionState| {
            changed = change(state.values.remove(key));
            if let Some(value) = &changed {
                state.values.insert(key.to_owned(), value.clone());
            }
        };
        memory.store.update(&memory.session, update).map_err(|error| not_remembered(&error))?;
        Ok(changed)
    }
}

fn kind_of(kind: fs::FileType) -> FileKind {
    match kind {
        kind if kind.is_symlink() => FileKind::Link,
        kind if kind.is_dir() => FileKind::Folder,
        kind if kind.is_file() => FileKind::File,
        _ => FileKind::Other,
    }
}

/// More than any file a hook has to read whole.
const MAX_BYTES: u64 = 256 << 20;

/// Absence is an answer, not an error. A path that goes through a file leads nowhere just as well.
fn found<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => Ok(None),
        Err(error) => Err(error),
    }
}

/// What was read; `None` if there is no such file.
fn unless_missing<T>(read: Result<T, FileError>) -> Result<Option<T>, HookError> {
    match read {
        Ok(content) => Ok(Some(content)),
        Err(FileError::NotFound(_)) => Ok(None),
        Err(FileError::Io { path, source }) => Err(failed("read", &path, &source)),
        Err(error) => Err(HookError::new(error.to_string())),
    }
}

fn failed(deed: &str, path: &Path, error: &io::Error) -> HookError {
    let text = format!("cannot {deed} `{}`: {error}", path.display());
    if is_machine_condition(error) { HookError::of_machine(text) } else { HookError::new(text) }
}

fn not_remembered(error: &StoreError) -> HookError {
    let text = error.to_string();
    if error.is_machine_condition() { HookError::of_machine(text) } else { HookError::new(text) }
}

/// Makes the folders a file needs and refuses to write through a link that was put in its place.
fn make_way(path: &Path) -> io::Result<()> {
    refuse_link(path)?;
    path.parent().map_or(Ok(()), make_folders)
}

fn refuse_link(path: &Path) -> io::Result<()> {
    if fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink()) {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is a symbolic link"));
    }
    Ok(())
}

/// What hookrail keeps is for its user alone.
fn make_folders(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// What stands at a path itself. Not asked through the standard library, which asks the system a second question after the first path
/// that does not exist, as some do at every event.
#[cfg(unix)]
fn kind_at(path: &Path) -> io::Result<FileKind> {
    use rustix::fs::FileType;
    Ok(match FileType::from_raw_mode(rustix::fs::lstat(path)?.st_mode) {
        FileType::Symlink => FileKind::Link,
        FileType::Directory => FileKind::Folder,
        FileType::RegularFile => FileKind::File,
        _ => FileKind::Other,
    })
}

#[cfg(not(unix))]
fn kind_at(path: &Path) -> io::Result<FileKind> {
    fs::symlink_metadata(path).map(|metadata| kind_of(metadata.file_type()))
}

/// Tells a file from others and from what it was before, without reading it. For the same reason not through the standard library.
#[cfg(target_os = "linux")]
fn look_from_outside(path: &Path) -> io::Result<FileStamp> {
    let found = rustix::fs::stat(path)?;
    let nanos = |seconds, nanos: u64| nanoseconds(seconds, nanos.cast_signed());
    Ok(FileStamp::Present {
        identity: (found.st_dev, found.st_ino),
        size: found.st_size.cast_unsigned(),
        modified: nanos(found.st_mtime, found.st_mtime_nsec),
        changed: nanos(found.st_ctime, found.st_ctime_nsec),
    })
}

#[cfg(all(unix, not(target_os = "linux")))]
fn look_from_outside(path: &Path) -> io::Result<FileStamp> {
    use std::os::unix::fs::MetadataExt;
    let found = fs::metadata(path)?;
    Ok(FileStamp::Present {
        identity: (found.dev(), found.ino()),
        size: found.len(),
        modified: nanoseconds(found.mtime(), found.mtime_nsec()),
        changed: nanoseconds(found.ctime(), found.ctime_nsec()),
    })
}

#[cfg(unix)]
fn nanoseconds(seconds: i64, nanos: i64) -> i64 {
    seconds.saturating_mul(1_000_000_000).saturating_add(nanos)
}

/// Options for a new file: private, like the folders. A link that is put in its place meanwhile is not followed,
/// and a pipe is not waited for.
fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600).custom_flags((OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed());
    }
    options
}

/// Most files that grow are there already; only a new one needs its folders made.
fn open_to_append(path: &Path) -> io::Result<fs::File> {
    if cfg!(not(unix)) {
        refuse_link(path)?;
    }
    let open = || private().append(true).create(true).open(path);
    open().or_else(|error| match error.kind() {
        io::ErrorKind::NotFound => {
            make_way(path)?;
            open()
        }
        _ => Err(error),
    })
}

/// Writes beside the file and renames: readers see the old content or the new, never half of it.
fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    make_way(path)?;
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let unique = format!(".{name}.{}-{}.tmp", std::process::id(), COUNTER.fetch_add(1, Ordering::Relaxed));
    let draft = path.with_file_name(unique);
    let written = (|| {
        let mut file = private().write(true).create_new(true).open(&draft)?;
        if let Ok(before) = fs::metadata(path) {
            file.set_permissions(before.permissions())?;
        }
        file.write_all(content)?;
        file.sync_all()?;
        fs::rename(&draft, path)
    })();
    if written.is_err() {
        // The draft is ours alone; if it cannot be removed either, the first error is the one to tell.
        let _ = fs::remove_file(&draft);
    }
    written
}

/// A rename that cannot replace what was just put there; where there is none, a second name first and then the first one
/// away.
fn relocate(from: &Path, to: &Path) -> io::Result<Relocation> {
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{CWD, RenameFlags, renameat_with};
        use rustix::io::Errno;
        match renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE) {
            Ok(()) => return Ok(Relocation::Done),
            Err(Errno::EXIST) => return Ok(Relocation::Taken),
            Err(Errno::NOENT) if fs::symlink_metadata(from).is_err() => return Ok(Relocation::Gone),
            // File systems that do not know the flag, kernels that do not know the call.
            Err(Errno::INVAL | Errno::NOSYS) => {}
            Err(error) => return Err(error.into()),
        }
    }
    relocate_by_link(from, to)
}

fn relocate_by_link(from: &Path, to: &Path) -> io::Result<Relocation> {
    match fs::hard_link(from, to) {
        Ok(()) => {
            if let Err(error) = fs::remove_file(from) {
                fs::remove_file(to)?;
                return Err(error);
            }
            Ok(Relocation::Done)
        }
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(Relocation::Taken),
        Err(error) if error.kind() == io::ErrorKind::NotFound && fs::symlink_metadata(from).is_err() => {
            Ok(Relocation::Gone)
        }
        Err(error) if matches!(error.kind(), io::ErrorKind::Unsupported | io::ErrorKind::PermissionDenied) => {
            // There are file systems on which a file has one name only.
            if fs::symlink_metadata(to).is_ok() {
                return Ok(Relocation::Taken);
            }
            fs::rename(from, to).map(|()| Relocation::Done)
        }
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests;
