//! Where a path leads whose links may lead to nothing yet.

use std::fs;
use std::path::{Component, Path, PathBuf};

/// So many links that lead to nothing are followed, one after the other; as many as Linux follows.
const MAX_LINKS: usize = 40;

/// The longest part that exists with its links resolved, the rest behind it. A link that leads to nothing yet is followed: who
/// writes to it makes the file that it names. Wrong for a path with `..` in the rest.
pub(super) fn resolve_existing_part(path: &Path) -> PathBuf {
    let mut path = path.to_owned();
    for _ in 0..MAX_LINKS {
        let Some(further) = follow_dangling(&path) else { break };
        path = further;
    }
    existing_part(&path).map_or_else(|| path.clone(), |(real, rest)| join(real, rest))
}

/// The longest part that exists, with its links resolved, and the rest. Below what does not exist nothing does, so halving
/// finds it.
fn existing_part(path: &Path) -> Option<(PathBuf, &Path)> {
    let parts: Vec<&Path> = path.ancestors().filter(|part| !part.as_os_str().is_empty()).collect();
    let missing = parts.partition_point(|part| part.canonicalize().is_err());
    let part = parts.get(missing)?;
    Some((part.canonicalize().ok()?, path.strip_prefix(part).ok()?))
}

/// Where a path leads whose first part that does not exist is a link.
fn follow_dangling(path: &Path) -> Option<PathBuf> {
    let (real, rest) = existing_part(path)?;
    let mut names = rest.components();
    let target = fs::read_link(real.join(names.next()?)).ok()?;
    Some(join(step_by_step(&real.join(target)), names.as_path()))
}

/// Joining an empty rest would add a slash.
fn join(folder: PathBuf, rest: &Path) -> PathBuf {
    if rest.as_os_str().is_empty() { folder } else { folder.join(rest) }
}

/// Goes along a path and resolves links before each `..`; what does not exist is not looked for again.
pub(super) fn step_by_step(path: &Path) -> PathBuf {
    let mut resolved = PathBuf::new();
    // How many names at the end of `resolved` do not exist.
    let mut missing = 0_usize;
    for component in path.components() {
        match component {
            Component::ParentDir => {
                resolved.pop();
                missing = missing.saturating_sub(1);
            }
            Component::CurDir => {}
            Component::Normal(_) | Component::RootDir | Component::Prefix(_) if missing > 0 => {
                resolved.push(component);
                missing += 1;
            }
            Component::Normal(_) | Component::RootDir | Component::Prefix(_) => {
                resolved.push(component);
                match resolved.canonicalize() {
                    Ok(real) => resolved = real,
                    Err(_) => missing = 1,
                }
            }
        }
    }
    resolved
}
