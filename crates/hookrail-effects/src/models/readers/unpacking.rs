//! Trees of files that are written somewhere: out of archives, or copied.

use super::Reading;
use crate::act::Act;
use crate::analysis::Extent;
use crate::archive;
use crate::effect::Effect;
use crate::flow::Arg;
use crate::paths::{matches_glob, tidy};
use crate::shell;
use hookrail_core::FileKind;
use std::path::{Path, PathBuf};

/// So many files are named one by one; of more, the folders that they are in.
const MAX_NAMED: usize = 256;
/// So many entries of a folder that is copied are looked at.
const MAX_COPIED: usize = 2000;

/// An archive that is unpacked.
pub(super) struct Unpacking {
    /// `None` for one that comes through a pipe.
    pub archive: Option<Arg>,
    pub into: Arg,
    /// The members that are unpacked; all if there are none.
    pub wanted: Vec<Arg>,
    /// So many names at the beginning of each member are left out.
    pub strip: usize,
    /// Members get other names.
    pub renames: bool,
    /// A member that begins with a slash keeps it.
    pub absolute: bool,
}

impl Unpacking {
    /// All of an archive goes into a folder.
    pub(super) fn all(archive: Option<Arg>, into: Arg) -> Self {
        Self { archive, into, wanted: Vec::new(), strip: 0, renames: false, absolute: false }
    }
}

/// Adds what unpacking writes: the members of the archive if they can be told, else anything below the folder.
pub(super) fn unpack(r: &mut Reading<'_, '_, '_>, what: &Unpacking) {
    let known = what.archive.as_ref().filter(|_| !what.renames).and_then(|archive| members(r, archive));
    let Some(members) = known else {
        unknown_members(r, what);
        return;
    };
    let wanted = |name: &String| what.wanted.is_empty() || what.wanted.iter().any(|wanted| names(&wanted.text, name));
    let chosen = members.iter().filter(|name| wanted(name));
    let written: Vec<String> = chosen.filter_map(|name| stripped(name, what.strip, what.absolute)).collect();
    write_names(r, &what.into, &written);
}

/// What an archive on the disk has in it, unless this call may have changed it before.
fn members(r: &Reading<'_, '_, '_>, archive: &Arg) -> Option<Vec<String>> {
    let cwd = r.shell.cwd.as_deref().filter(|_| archive.known() && archive.glob.is_none())?;
    let path = tidy(cwd.join(&archive.text));
    let list = &r.analysis.effects.list;
    let changed = list.iter().any(|effect| effect.touches(&path) || effect.act.family() == "exec");
    let here = r.analysis.mounts.is_none() && !changed && shell::written(r.shell, archive).is_none();
    archive::members(&here.then(|| r.analysis.machine.read_bytes(&path))??)
}

/// Whether a file or folder is not there, and nothing in this call can have made it.
pub(super) fn is_missing(r: &Reading<'_, '_, '_>, arg: &Arg) -> bool {
    let Some(cwd) = r.shell.cwd.as_deref().filter(|_| arg.known() && r.analysis.mounts.is_none()) else { return false };
    let path = tidy(cwd.join(&arg.text));
    let looked = r.analysis.machine.kind(cwd).is_some() && r.analysis.machine.kind(&path).is_none();
    let made = |effect: &Effect| {
        let within = effect.on.path.as_deref().is_some_and(|made| made.real().starts_with(&path));
        effect.touches(&path) || effect.act.changes_path() && within || effect.act.family() == "exec"
    };
    looked && !r.analysis.effects.list.iter().any(made)
}

/// Whether an operand chooses a member: by its name, a folder above it, or a pattern.
fn names(wanted: &str, member: &str) -> bool {
    let (wanted, member) = (wanted.trim_start_matches("./").trim_end_matches('/'), member.trim_start_matches("./"));
    member.strip_prefix(wanted).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        || wanted.contains(['*', '?', '[']) && matches_glob(wanted, member)
}

fn stripped(name: &str, strip: usize, absolute: bool) -> Option<String> {
    let name = if absolute { name } else { name.trim_start_matches('/') };
    let rest: Vec<&str> = name.split('/').filter(|part| *part != ".").skip(strip).collect();
    (!rest.is_empty()).then(|| rest.join("/"))
}

/// Only members that are named bound what an archive writes that cannot be read.
fn unknown_members(r: &mut Reading<'_, '_, '_>, what: &Unpacking) {
    if what.wanted.is_empty() || what.renames || what.strip > 0 {
        write_somewhere(r, &what.into, what.archive.as_ref());
        return;
    }
    for wanted in &what.wanted {
        let glob = wanted.text.find(['*', '?', '[']);
        let target = joined(&what.into, &wanted.text);
        let start = target.text.len() - wanted.text.len().min(target.text.len());
        r.touch(Act::FsWrite, &Arg { glob: glob.map(|at| at + start), ..target }, Extent::Below);
    }
}

/// Something is written below a folder. If that is the project, it need not be what is protected in it, and nothing is
/// where what it comes from is not there.
pub(super) fn write_somewhere(r: &mut Reading<'_, '_, '_>, into: &Arg, from: Option<&Arg>) {
    let folder = shell::folder(r.analysis, r.shell, into);
    if folder.is_some_and(|folder| folder == r.analysis.around.project) {
        if from.is_some_and(|from| is_missing(r, from)) {
            r.touch(Act::FsWrite, into, Extent::Single);
            return;
        }
        let anything = joined(into, "**");
        let glob = Some(anything.text.len() - 2);
        r.touch(Act::FsWrite, &Arg { glob, ..anything }, Extent::Single);
        return;
    }
    r.touch(Act::FsWrite, into, Extent::Below);
}

fn joined(folder: &Arg, name: &str) -> Arg {
    match folder.text.trim_end_matches('/') {
        "." | "" if !folder.text.starts_with('/') => folder.with_text(name),
        folder_text => folder.with_text(format!("{folder_text}/{name}")),
    }
}

/// Writes files with these names below a folder.
pub(super) fn write_names(r: &mut Reading<'_, '_, '_>, into: &Arg, names: &[String]) {
    if names.len() <= MAX_NAMED {
        for name in names {
            let target = if name.starts_with('/') { into.with_text(name) } else { joined(into, name) };
            r.touch(Act::FsWrite, &target, Extent::Single);
        }
        return;
    }
    for folder in folders(names) {
        r.touch(Act::FsWrite, &joined(into, &folder), Extent::Below);
    }
}

/// The folders that files are in, or what these are in, so that there are few of them; a file of the top is its own.
fn folders(names: &[String]) -> Vec<String> {
    for depth in [4, 2, 1] {
        let cut = |name: &String| {
            let parts: Vec<&str> = name.split('/').collect();
            let kept = depth.min(parts.len().saturating_sub(1)).max(1);
            parts.get(..kept).unwrap_or_default().join("/")
        };
        let mut found: Vec<String> = names.iter().map(cut).collect();
        found.sort_unstable();
        found.dedup();
        if found.len() <= MAX_NAMED || depth == 1 {
            return found;
        }
    }
    Vec::new()
}

/// The files below a folder, by their names from there; `None` if there are too many to look at.
pub(super) fn files_below(r: &Reading<'_, '_, '_>, folder: &Path) -> Option<Vec<String>> {
    let (mut found, mut seen) = (Vec::new(), 0);
    let mut rest = vec![PathBuf::new()];
    while let Some(relative) = rest.pop() {
        for entry in r.analysis.machine.list(&folder.join(&relative))? {
            seen += 1;
            if seen > MAX_COPIED {
                return None;
            }
            let entry = relative.join(entry);
            match r.analysis.machine.kind(&folder.join(&entry)) {
                Some(FileKind::Folder) => rest.push(entry),
                _ => found.push(entry.to_string_lossy().into_owned()),
            }
        }
    }
    Some(found)
}
