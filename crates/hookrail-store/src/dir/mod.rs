//! Files below the state root. A directory is opened once and its files are reached through it by name; a symlink is
//! an error wherever it stands. What is made is 0700 or 0600 under any umask.

#[cfg(any(not(unix), test))]
mod portable;
#[cfg(unix)]
mod unix;

#[cfg(not(unix))]
pub(crate) use portable::Dir;
#[cfg(unix)]
pub(crate) use unix::Dir;

use crate::careful_read::read_at_most;
use crate::error::StoreError;
use std::fs::File;
use std::io::{self, Write};
use std::path::PathBuf;

/// Part of the name of everything that was set aside.
pub(crate) const CORRUPT: &str = ".corrupt-";

/// What an existing file is opened for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    Read,
    ReadWrite,
    /// Reads anywhere, writes at the end.
    Append,
}

/// A regular file and its length when it was opened.
#[derive(Debug)]
pub(crate) struct OpenFile {
    pub file: File,
    pub len: u64,
}

impl OpenFile {
    /// The whole file; `None` if it has more than `max` bytes.
    pub fn read_at_most(&self, max: u64) -> io::Result<Option<Vec<u8>>> {
        read_at_most(&self.file, self.len, max)
    }
}

/// What a regular file is that is open.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FileFacts {
    pub len: u64,
    /// It is still in a directory.
    pub is_linked: bool,
}

/// Something in a directory.
#[derive(Debug)]
pub(crate) struct DirEntry {
    pub name: String,
    pub kind: EntryKind,
    /// Milliseconds since 1970.
    pub modified: i64,
    pub bytes: u64,
}

/// Some of a directory's entries, and where the next ones begin; no position means that these were the last.
#[derive(Debug)]
pub(crate) struct SomeEntries {
    pub entries: Vec<DirEntry>,
    pub next: Option<i64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EntryKind {
    File,
    Directory,
    /// Symlinks, sockets and the like, which are never ours.
    Other,
}

impl Dir {
    pub fn path_of(&self, name: &str) -> PathBuf {
        self.path().join(name)
    }

    /// Opens a file, an empty one if there is none.
    pub fn open_or_create(&self, name: &str, access: Access) -> Result<OpenFile, StoreError> {
        loop {
            if let Some(found) = self.open(name, access)? {
                return Ok(found);
            }
            if let Some(made) = self.create(name)? {
                // A new file is made for reading and writing; only appending needs another handle.
                if access != Access::Append {
                    return Ok(OpenFile { file: made, len: 0 });
                }
            }
        }
    }

    /// The same for a caller that looks at what it is later on, and writes anywhere in it.
    pub fn open_or_create_unseen(&self, name: &str) -> Result<File, StoreError> {
        loop {
            if let Some(file) = self.open_unseen(name, Access::ReadWrite)? {
                return Ok(file);
            }
            if let Some(made) = self.create(name)? {
                return Ok(made);
            }
        }
    }

    /// Puts a file in place as a whole: whoever reads `name` sees the old text or the new one, never a part.
    /// `draft` is a name that is used by one process at a time.
    pub fn replace(&self, name: &str, draft: &str, bytes: &[u8]) -> Result<(), StoreError> {
        let mut file = loop {
            match self.create(draft)? {
                Some(file) => break file,
                // Left behind by a process that died.
                None => self.remove(draft)?,
            }
        };
        let written = file.write_all(bytes).map_err(|source| StoreError::io("write", &self.path_of(draft), source));
        written.and_then(|()| self.rename(draft, name)).inspect_err(|_| {
            // The first error is the one to report.
            let _ = self.remove(draft);
        })
    }

    /// A name for something unusable, found at `now`: `<name>.corrupt-<time>`, not yet taken.
    pub fn name_aside(&self, name: &str, now: i64) -> Result<String, StoreError> {
        let mut candidate = format!("{name}{CORRUPT}{now}");
        let mut number = 1_u32;
        while self.entry(&candidate)?.is_some() {
            number += 1;
            candidate = format!("{name}{CORRUPT}{now}-{number}");
        }
        Ok(candidate)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    /// Both implementations keep the same promises.
    macro_rules! promises {
        ($module:ident, $implementation:ident) => {
            mod $module {
                use super::super::$implementation::Dir;
                use super::*;

                fn with_root(test: impl FnOnce(&std::path::Path, Dir)) {
                    let place = tempfile::tempdir().unwrap();
                    let path = place.path().join("above/root");
                    assert!(Dir::open_root(&path).unwrap().is_none());
                    Dir::make_root(&path).unwrap();
                    test(&path, Dir::open_root(&path).unwrap().unwrap());
                }

                #[test]
                fn files_are_made_opened_renamed_and_removed() {
                    with_root(|path, dir| {
                        assert!(dir.open("a", Access::Read).unwrap().is_none());
                        dir.create("a").unwrap().unwrap().write_all(b"one").unwrap();
                        assert!(dir.create("a").unwrap().is_none());
                        dir.open("a", Access::Append).unwrap().unwrap().file.write_all(b"two").unwrap();
                        let found = dir.open("a", Access::ReadWrite).unwrap().unwrap();
                        assert_eq!((found.len, found.read_at_most(6).unwrap()), (6, Some(b"onetwo".to_vec())));
                        assert_eq!(found.read_at_most(5).unwrap(), None);
                        assert!(dir.look_at("a", &found.file).unwrap().is_linked);
                        dir.create("b").unwrap();
                        dir.rename("a", "b").unwrap();
                        assert_eq!(fs::read(path.join("b")).unwrap(), b"onetwo");
                        assert!(dir.entry("a").unwrap().is_none());
                        dir.remove("b").unwrap();
                        dir.remove("b").unwrap();
                        assert!(dir.entries().unwrap().is_empty());
                    });
                }

                #[test]
                fn entries_are_told_apart_and_only_empty_directories_removed() {
                    with_root(|path, dir| {
                        dir.subdir("full").unwrap().create("x").unwrap();
                        let empty = dir.subdir("empty").unwrap();
                        assert!(empty.is_linked());
                        dir.create("file").unwrap();
                        std::os::unix::fs::symlink("file", path.join("link")).unwrap();
                        let mut seen: Vec<_> = dir.entries().unwrap().into_iter().map(|e| (e.name, e.kind)).collect();
                        seen.sort_by(|one, other| one.0.cmp(&other.0));
                        let expected = [
                            ("empty", EntryKind::Directory),
                            ("file", EntryKind::File),
                            ("full", EntryKind::Directory),
                            ("link", EntryKind::Other),
                        ];
                        assert_eq!(seen, expected.map(|(name, kind)| (name.to_owned(), kind)));
                        let results = ["empty", "full", "none"].map(|name| dir.remove_empty_dir(name).unwrap());
                        assert_eq!(results, [true, false, false]);
                        assert!(!empty.is_linked());
                        assert_eq!(dir.find_dir("full").unwrap().unwrap().path(), path.join("full"));
                        assert!(dir.find_dir("none").unwrap().is_none());
                        let age = fs::metadata(path.join("file")).unwrap().modified().unwrap().elapsed().unwrap();
                        assert!(age.as_secs() < 1000 && dir.entry("file").unwrap().unwrap().modified > 1_000_000_000_000);
                    });
                }

                #[test]
                fn a_directory_can_be_listed_in_pieces() {
                    with_root(|_, dir| {
                        let names: Vec<String> = (0..40).map(|number| format!("file-{number:02}")).collect();
                        names.iter().for_each(|name| drop(dir.create(name).unwrap().unwrap()));
                        let (mut seen, mut from, mut pieces) = (Vec::new(), 0, 0);
                        loop {
                            let some = dir.some_entries(from, 7).unwrap();
                            assert!(some.entries.len() <= 7);
                            seen.extend(some.entries.into_iter().map(|entry| entry.name));
                            pieces += 1;
                            let Some(next) = some.next else { break };
                            from = next;
                        }
                        seen.sort();
                        assert_eq!((seen, pieces >= 6), (names, true));
                    });
                }

                #[test]
                fn what_is_not_of_the_expected_kind_is_refused() {
                    with_root(|path, dir| {
                        dir.create("file").unwrap();
                        dir.subdir("dir").unwrap();
                        std::os::unix::fs::symlink("file", path.join("to-file")).unwrap();
                        std::os::unix::fs::symlink("dir", path.join("to-dir")).unwrap();
                        std::os::unix::fs::symlink("nothing", path.join("to-nothing")).unwrap();
                        for link in ["to-file", "to-dir", "to-nothing"] {
                            for access in [Access::Read, Access::ReadWrite, Access::Append] {
                                let error = dir.open(link, access).unwrap_err();
                                assert!(matches!(&error, StoreError::Symlink(at) if *at == path.join(link)), "{error}");
                            }
                            let error = dir.subdir(link).unwrap_err();
                            assert!(matches!(&error, StoreError::Symlink(at) if *at == path.join(link)), "{error}");
                            assert!(dir.create(link).unwrap().is_none());
                        }
                        let wrong = [dir.open("dir", Access::Read).unwrap_err(), dir.find_dir("file").unwrap_err()];
                        for error in wrong {
                            assert!(matches!(error, StoreError::WrongKind { .. }), "{error}");
                        }
                        assert!(matches!(Dir::open_root(&path.join("to-dir")), Err(crate::RootError::Symlink(_))));
                        assert!(matches!(Dir::open_root(&path.join("file")), Err(crate::RootError::NotADirectory(_))));
                    });
                }
            }
        };
    }

    #[cfg(unix)]
    promises!(unix_dir, unix);
    promises!(portable_dir, portable);

    fn root() -> (tempfile::TempDir, Dir) {
        let place = tempfile::tempdir().unwrap();
        let dir = Dir::open_root(place.path()).unwrap().unwrap();
        (place, dir)
    }

    #[test]
    fn a_file_is_replaced_as_a_whole_even_if_a_draft_was_left_behind() {
        let (place, dir) = root();
        fs::write(place.path().join("draft"), "half of someth").unwrap();
        fs::write(place.path().join("name"), "old").unwrap();
        let reader = dir.open("name", Access::Read).unwrap().unwrap();
        dir.replace("name", "draft", b"new").unwrap();
        assert_eq!(fs::read(place.path().join("name")).unwrap(), b"new");
        assert_eq!(reader.read_at_most(3).unwrap().unwrap(), b"old", "who reads already goes on with the old text");
        assert!(dir.entry("draft").unwrap().is_none());
    }

    #[test]
    fn a_replacement_that_fails_leaves_no_draft() {
        let (place, dir) = root();
        fs::create_dir_all(place.path().join("name/inside")).unwrap();
        dir.replace("name", "draft", b"new").unwrap_err();
        assert!(dir.entry("draft").unwrap().is_none());
    }

    #[test]
    fn what_is_set_aside_never_hides_what_was_before() {
        let (_place, dir) = root();
        for expected in ["a.corrupt-5", "a.corrupt-5-2", "a.corrupt-5-3"] {
            let name = dir.name_aside("a", 5).unwrap();
            assert_eq!(name, expected);
            dir.create(&name).unwrap();
        }
    }
}
