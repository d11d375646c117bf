//! Whole folders: their files, and copies of them.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Every file below a folder, sorted; links are not followed, and count as files.
pub fn files_below(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let (mut files, mut folders) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let found = if entry.file_type()?.is_dir() { &mut folders } else { &mut files };
            found.push(entry.path());
        }
    }
    files.sort();
    Ok(files)
}

/// The files below a folder whose names end so.
pub fn files_ending(folder: &Path, ending: &str) -> io::Result<Vec<PathBuf>> {
    let ends = |path: &PathBuf| path.to_string_lossy().ends_with(ending);
    Ok(files_below(folder)?.into_iter().filter(ends).collect())
}

/// Copies what is below a folder into another, which is made; a link stays a link.
pub fn copy(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (path, target) = (entry.path(), to.join(entry.file_name()));
        let kind = entry.file_type()?;
        if kind.is_dir() {
            copy(&path, &target)?;
        } else if kind.is_symlink() {
            copy_link(&path, &target)?;
        } else {
            fs::copy(&path, &target)?;
        }
    }
    Ok(())
}

/// Where a path leads, links followed as far as there is something.
pub fn resolve(path: &Path) -> PathBuf {
    let mut rest = Vec::new();
    for folder in path.ancestors() {
        if let Ok(real) = folder.canonicalize() {
            return rest.iter().rev().fold(real, |path: PathBuf, name| path.join(name));
        }
        rest.extend(folder.file_name());
    }
    path.to_owned()
}

#[cfg(unix)]
fn copy_link(path: &Path, target: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(fs::read_link(path)?, target)
}

#[cfg(not(unix))]
fn copy_link(path: &Path, target: &Path) -> io::Result<()> {
    fs::copy(path, target).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::project::TempProject;

    #[test]
    fn a_copy_has_the_same_files() {
        let project = TempProject::new().file("from/a.txt", "a").file("from/b/c.rs", "c").file("from/b/d.txt", "d");
        copy(&project.at("from"), &project.at("to/there")).unwrap();
        let names = |folder: &str, ending: &str| -> Vec<String> {
            let folder = project.at(folder);
            let files = files_ending(&folder, ending).unwrap();
            files.iter().map(|file| file.strip_prefix(&folder).unwrap().display().to_string()).collect()
        };
        assert_eq!(names("from", ""), ["a.txt", "b/c.rs", "b/d.txt"]);
        assert_eq!(names("to/there", ""), names("from", ""));
        assert_eq!(names("to", ".txt"), ["there/a.txt", "there/b/d.txt"]);
        assert_eq!(project.read("to/there/b/c.rs"), "c");
    }
}
