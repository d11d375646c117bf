//! An agent's configuration file on the disk.

use hookrail_store::{Links, careful_read};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// More than any settings file has.
const LARGEST: u64 = 8 << 20;
/// Some editors put this before the text.
const BOM: &str = "\u{feff}";

/// A file as it was found.
#[derive(Clone, Debug)]
pub struct SettingsFile {
    /// Where the agent looks.
    pub path: PathBuf,
    /// Where that leads, if it is a link.
    pub target: PathBuf,
    /// `None` if there is no such file.
    content: Option<String>,
}

#[derive(Debug, thiserror::Error)]
pub enum FileError {
    #[error("`{}` is a link that leads nowhere\nhint: make the file it points to, or remove the link", .0.display())]
    Dangling(PathBuf),
    #[error("`{}` is not a file", .0.display())]
    NotAFile(PathBuf),
    #[error("`{}` is larger than any settings file should be ({} MiB)", .0.display(), LARGEST >> 20)]
    TooLarge(PathBuf),
    #[error("`{}` is not UTF-8 text", .0.display())]
    NotText(PathBuf),
    #[error("`{}` is read-only, nothing was changed\nhint: chmod u+w '{}'", .0.display(), .0.display())]
    ReadOnly(PathBuf),
    #[error("`{}` was changed by another program at the same time, nothing was changed\nhint: try again", .0.display())]
    Changed(PathBuf),
    #[error("cannot {action} `{}`: {source}", .path.display())]
    Io { action: &'static str, path: PathBuf, source: io::Error },
}

impl SettingsFile {
    pub fn read(path: &Path) -> Result<Self, FileError> {
        let io = |action| move |source| FileError::Io { action, path: path.to_owned(), source };
        let is_link = fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink());
        let metadata = match fs::metadata(path) {
            Ok(metadata) => metadata,
            Err(error) if error.kind() == io::ErrorKind::NotFound && is_link => {
                return Err(FileError::Dangling(path.to_owned()));
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(Self { path: path.to_owned(), target: path.to_owned(), content: None });
            }
            Err(error) => return Err(io("read")(error)),
        };
        if !metadata.is_file() {
            return Err(FileError::NotAFile(path.to_owned()));
        }
        if metadata.len() > LARGEST {
            return Err(FileError::TooLarge(path.to_owned()));
        }
        let target = if is_link { fs::canonicalize(path).map_err(io("follow"))? } else { path.to_owned() };
        let bytes =
            careful_read(&target, Links::Follow, LARGEST).map_err(|error| io("read")(io::Error::other(error)))?;
        let content = String::from_utf8(bytes).map_err(|_| FileError::NotText(path.to_owned()))?;
        Ok(Self { path: path.to_owned(), target, content: Some(content) })
    }

    pub fn exists(&self) -> bool {
        self.content.is_some()
    }

    pub fn is_link(&self) -> bool {
        self.path != self.target
    }

    /// Everything in the file; `None` if there is none.
    pub fn content(&self) -> Option<&str> {
        self.content.as_deref()
    }

    /// What an editor shows of it.
    pub fn text(&self) -> &str {
        let content = self.content.as_deref().unwrap_or_default();
        content.strip_prefix(BOM).unwrap_or(content)
    }

    /// A changed text as it will stand in the file.
    pub fn dress(&self, text: &str) -> String {
        let marked = self.content.as_deref().is_some_and(|content| content.starts_with(BOM));
        if marked { format!("{BOM}{text}") } else { text.to_owned() }
    }

    /// Nothing can be changed here.
    pub fn check_writable(&self) -> Result<(), FileError> {
        match fs::metadata(&self.target) {
            Ok(metadata) if metadata.permissions().readonly() => Err(FileError::ReadOnly(self.target.clone())),
            _ => Ok(()),
        }
    }

    /// Puts another content in place, whole or not at all, unless the file changed since it was read. Returns
    /// the folders that had to be made, the outermost first.
    pub fn write(&self, content: &str) -> Result<Vec<PathBuf>, FileError> {
        self.check_writable()?;
        let made = self.make_folders()?;
        let put = || -> io::Result<bool> {
            let folder = self.target.parent().unwrap_or(Path::new("."));
            let mut draft = draft(folder)?;
            draft.write_all(content.as_bytes())?;
            if let Ok(present) = fs::metadata(&self.target) {
                keep_owner(&present, draft.as_file());
                fs::set_permissions(draft.path(), present.permissions())?;
            }
            draft.as_file().sync_all()?;
            if self.has_changed() {
                return Ok(false);
            }
            match self.content {
                Some(_) => draft.persist(&self.target).map(drop).map_err(|error| error.error)?,
                None => draft.persist_noclobber(&self.target).map(drop).map_err(|error| error.error)?,
            }
            Ok(true)
        };
        match put() {
            Ok(true) => Ok(made),
            Ok(false) => Err(FileError::Changed(self.target.clone())),
            Err(source) => {
                remove_folders(&made);
                Err(FileError::Io { action: "write", path: self.target.clone(), source })
            }
        }
    }

    /// Lets whoever may read the file run it.
    pub fn make_executable(&self) -> Result<(), FileError> {
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let change = || {
                let mode = fs::metadata(&self.target)?.permissions().mode();
                fs::set_permissions(&self.target, fs::Permissions::from_mode(mode | ((mode & 0o444) >> 2)))
            };
            change().map_err(|source| FileError::Io {
                action: "make executable",
                path: self.target.clone(),
                source,
            })?;
        }
        Ok(())
    }

    /// Removes the file, and then those of the folders that are empty.
    pub fn delete(&self, folders: &[PathBuf]) -> Result<(), FileError> {
        self.check_writable()?;
        if self.has_changed() {
            return Err(FileError::Changed(self.target.clone()));
        }
        let removed = fs::remove_file(&self.target);
        removed.map_err(|source| FileError::Io { action: "remove", path: self.target.clone(), source })?;
        remove_folders(folders);
        Ok(())
    }

    fn has_changed(&self) -> bool {
        match (careful_read(&self.target, Links::Follow, LARGEST), &self.content) {
            (Ok(now), Some(then)) => now != then.as_bytes(),
            (Err(error), None) => !matches!(error, hookrail_store::FileError::NotFound(_)),
            _ => true,
        }
    }

    fn make_folders(&self) -> Result<Vec<PathBuf>, FileError> {
        let folder = self.target.parent().unwrap_or(Path::new("."));
        let mut missing: Vec<PathBuf> =
            folder.ancestors().take_while(|folder| !folder.exists()).map(Path::to_owned).collect();
        missing.reverse();
        let made = fs::create_dir_all(folder);
        made.map_err(|source| FileError::Io { action: "make", path: folder.to_owned(), source })?;
        Ok(missing)
    }
}

fn draft(folder: &Path) -> io::Result<tempfile::NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".hookrail-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // What the user's mask makes of it, as for every new file.
        builder.permissions(fs::Permissions::from_mode(0o666)).tempfile_in(folder)
    }
    #[cfg(not(unix))]
    builder.tempfile_in(folder)
}

/// An administrator who installs for another user must not become the owner of the file.
#[cfg(unix)]
fn keep_owner(present: &fs::Metadata, draft: &fs::File) {
    use std::os::unix::fs::MetadataExt;
    // Only an administrator may do that, and only for an administrator is there anything to do.
    let _ = std::os::unix::fs::fchown(draft, Some(present.uid()), Some(present.gid()));
}

#[cfg(not(unix))]
fn keep_owner(_: &fs::Metadata, _: &fs::File) {}

fn remove_folders(folders: &[PathBuf]) {
    // One that is not empty is not ours alone.
    for folder in folders.iter().rev() {
        let _ = fs::remove_dir(folder);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_somebody_else_writes_in_the_meantime_is_not_lost() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("settings.json");
        for (before, meanwhile) in [(Some("{}"), Some("{ }")), (None, Some("{}")), (Some("{}"), None)] {
            let _ = fs::remove_file(&path);
            before.into_iter().for_each(|text| fs::write(&path, text).unwrap());
            let file = SettingsFile::read(&path).unwrap();
            match meanwhile {
                Some(text) => fs::write(&path, text).unwrap(),
                None => fs::remove_file(&path).unwrap(),
            }
            assert!(matches!(file.write("{\"a\": 1}"), Err(FileError::Changed(_))), "{before:?}, {meanwhile:?}");
            assert!(matches!(file.delete(&[]), Err(FileError::Changed(_))), "{before:?}, {meanwhile:?}");
            assert_eq!(fs::read_to_string(&path).ok().as_deref(), meanwhile);
            let names: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
            assert_eq!(names.len(), usize::from(meanwhile.is_some()), "a draft was left: {names:?}");
        }
    }

    #[test]
    fn folders_that_were_made_are_told_and_removed_with_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a/b/settings.json");
        let made = SettingsFile::read(&path).unwrap().write("{}").unwrap();
        assert_eq!(made, [folder.path().join("a"), folder.path().join("a/b")]);
        SettingsFile::read(&path).unwrap().delete(&made).unwrap();
        assert!(!folder.path().join("a").exists());
    }
}
