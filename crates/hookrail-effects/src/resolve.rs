//! From an argument to the paths it names.

use crate::analysis::Analysis;
use crate::effect::Sure;
use crate::flow::Arg;
use crate::location::Location;
use crate::object::{PathObject, ReadDepth};
use crate::paths::{joined, matches_glob, name_of, tidy};
use hookrail_core::tidy_path::{is_same, is_within};
use std::path::{Path, PathBuf};

/// So many matches of a glob are looked at one by one; more are one pattern.
const MAX_MATCHES: usize = 48;

/// A path that an argument names.
pub(crate) struct NamedPath {
    pub path: PathObject,
    pub sure: Sure,
    /// Set if the path itself does not tell.
    pub place: Option<Location>,
}

/// Every path that an argument may name. `cwd` is `None` where it is only known at run time.
pub(crate) fn paths(analysis: &Analysis<'_>, arg: &Arg, cwd: Option<&Path>) -> Vec<NamedPath> {
    if let Some(here) = of_process(arg, cwd) {
        return paths(analysis, &here, cwd);
    }
    let Some(full) = absolute(&arg.text, cwd) else { return vec![nowhere(arg)] };
    if let Some(hole) = arg.hole {
        return vec![with_hole(analysis, arg, hole, cwd)];
    }
    if arg.glob.is_some() {
        return expand(analysis, arg, &full);
    }
    vec![NamedPath { path: literal(analysis, arg, full), sure: Sure::Certain, place: None }]
}

/// `/proc/$$/cwd/a` is `a`, and `/proc/$$/root/a` is `/a`, for whatever process of this call.
fn of_process(arg: &Arg, cwd: Option<&Path>) -> Option<Arg> {
    let mut parts = arg.text.strip_prefix("/proc/")?.splitn(3, '/');
    let (process, what, rest) = (parts.next()?, parts.next()?, parts.next().unwrap_or_default());
    let own = process.starts_with('$') || matches!(process, "self" | "thread-self" | "0");
    let folder = match what {
        "cwd" => cwd?,
        "root" => Path::new("/"),
        _ => return None,
    };
    let at = arg.text.len() - rest.len();
    own.then(|| Arg {
        text: folder.join(rest).to_string_lossy().into_owned(),
        hole: rest.find('$').map(|hole| hole + folder.as_os_str().len() + 1),
        glob: arg.glob.filter(|glob| *glob >= at).map(|glob| glob - at + folder.as_os_str().len() + 1),
        ..arg.clone()
    })
}

fn absolute(text: &str, cwd: Option<&Path>) -> Option<PathBuf> {
    if text.starts_with('/') { Some(tidy(Path::new(text))) } else { cwd.map(|cwd| joined(cwd, text)) }
}

fn literal(analysis: &Analysis<'_>, arg: &Arg, full: PathBuf) -> PathObject {
    let through = analysis.mounts.is_none().then(|| analysis.resolve(&full));
    PathObject {
        written: arg.text.as_str().into(),
        through: through.filter(|through| !is_same(through, &full)),
        resolved: full,
        pattern: false,
        recursive: arg.text.ends_with('/'),
        look: ReadDepth::Content,
    }
}

fn nowhere(arg: &Arg) -> NamedPath {
    let path = PathObject {
        written: arg.text.as_str().into(),
        resolved: PathBuf::from(&arg.text),
        through: None,
        pattern: true,
        recursive: false,
        look: ReadDepth::Content,
    };
    NamedPath { path, sure: Sure::Possible, place: Some(Location::Unknown) }
}

/// An unknown name is likely to be of something in the folder that the call went to.
fn nowhere_from(analysis: &Analysis<'_>, arg: &Arg, cwd: Option<&Path>) -> NamedPath {
    let mut found = nowhere(arg);
    let moved = cwd.filter(|cwd| !is_within(&analysis.around.cwd, cwd));
    if let Some(cwd) = moved.filter(|_| arg.hole == Some(0)) {
        let tail = arg.text.split_once('/').map_or("", |(_, tail)| tail);
        found.path.resolved = if tail.contains('$') { cwd.join("**") } else { cwd.join("**").join(tail) };
    }
    found
}

/// A part is only known at run time: the folder before it tells the place, if there is one.
fn with_hole(analysis: &Analysis<'_>, arg: &Arg, hole: usize, cwd: Option<&Path>) -> NamedPath {
    let before = arg.text.get(..hole).unwrap_or_default();
    let folder = before.rfind('/').map_or("", |slash| before.get(..=slash).unwrap_or_default());
    // `/$X` may be anything; so may `$X`, but `build-$X` is here.
    if folder == "/" || before.is_empty() || before.ends_with("..") {
        return nowhere_from(analysis, arg, cwd);
    }
    // A whole name that is unknown may be a hidden one, or several.
    let rest = if before.ends_with('/') { "**" } else { "*" };
    let Some(full) = absolute(&format!("{before}{rest}"), cwd) else { return nowhere(arg) };
    let path = PathObject {
        written: arg.text.as_str().into(),
        resolved: full,
        through: None,
        pattern: true,
        recursive: false,
        look: ReadDepth::Content,
    };
    NamedPath { path, sure: Sure::Possible, place: None }
}

/// Matches a glob against the tree.
fn expand(analysis: &Analysis<'_>, arg: &Arg, full: &Path) -> Vec<NamedPath> {
    let as_pattern = |full: &Path| {
        let path = PathObject {
            written: arg.text.as_str().into(),
            resolved: full.to_owned(),
            through: through_folder(analysis, full),
            pattern: true,
            recursive: false,
            look: ReadDepth::Content,
        };
        NamedPath { path, sure: Sure::Possible, place: None }
    };
    // Everything in a folder is the folder, for all that matters.
    if matches!(name_of(full), "*" | "**") || analysis.mounts.is_some() {
        return vec![as_pattern(full)];
    }
    match matching(analysis, full) {
        Some(found) if !found.is_empty() => found
            .into_iter()
            .map(|full| {
                let written = full.to_string_lossy().into();
                let path = PathObject { written, ..literal(analysis, arg, full) };
                NamedPath { path, sure: Sure::Possible, place: None }
            })
            .collect(),
        _ => vec![as_pattern(full)],
    }
}

/// Where a pattern leads if the folder it stands in is a link.
fn through_folder(analysis: &Analysis<'_>, full: &Path) -> Option<PathBuf> {
    let (folder, name) = (full.parent()?, full.file_name()?);
    let is_wild = |byte: &u8| matches!(byte, b'*' | b'?' | b'[');
    let plain = !folder.as_os_str().as_encoded_bytes().iter().any(is_wild);
    let real = (plain && analysis.mounts.is_none()).then(|| analysis.resolve(folder).join(name))?;
    (!is_same(&real, full) && real != full).then_some(real)
}

/// The paths of the tree that a pattern matches; `None` if there are too many.
pub(crate) fn matching(analysis: &Analysis<'_>, pattern: &Path) -> Option<Vec<PathBuf>> {
    // Room for the whole path: most patterns begin with several names that are none.
    let mut root = PathBuf::with_capacity(pattern.as_os_str().len() + 1);
    root.push("/");
    let mut found = vec![root];
    for name in crate::paths::names(pattern) {
        if !name.contains(['*', '?', '[']) {
            for path in &mut found {
                path.push(name);
            }
            continue;
        }
        let mut next = Vec::new();
        // Many folders that scripts name are not there, which is mostly known.
        for folder in found.iter().filter(|folder| analysis.machine.kind(folder).is_some()) {
            for entry in analysis.machine.list(folder).unwrap_or_default() {
                if matches_glob(name, &entry) && (!entry.starts_with('.') || name.starts_with('.')) {
                    next.push(folder.join(entry));
                    if next.len() > MAX_MATCHES {
                        return None;
                    }
                }
            }
        }
        found = next;
    }
    found.retain(|path| analysis.machine.kind(path).is_some());
    Some(found)
}
