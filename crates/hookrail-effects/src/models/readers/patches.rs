//! Patches: `patch`, `git apply` and `git am`. The patch names the files that it changes.

use super::Reading;
use super::git_acts::act;
use super::git_here::Here;
use super::git_words::Words;
use super::unpacking::{self, write_somewhere};
use crate::act::Act;
use crate::analysis::Extent;
use crate::flow::{Arg, Flow, Taint};
use crate::paths::tidy;
use crate::shell;
use std::collections::HashSet;

/// How names in a patch become paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Strip {
    /// So many names at the beginning are left out.
    Names(usize),
    /// Only the last name counts. Which file it is depends on what exists, so the usual reading counts as well.
    Unsaid,
}

/// The files that a patch changes, makes, deletes or renames, each once. Of what is no patch there are none.
pub(super) fn changed_files(text: &str, strip: Strip) -> Vec<String> {
    let (mut found, mut seen) = (Vec::new(), HashSet::new());
    let mut add = |name: Option<String>| {
        if let Some(name) = name.filter(|name| !name.is_empty() && seen.insert(name.clone())) {
            found.push(name);
        }
    };
    for line in text.lines() {
        if let Some(rest) = ["--- ", "+++ ", "*** ", "Index: "].iter().find_map(|prefix| line.strip_prefix(prefix)) {
            let name = file_name(rest);
            add(stripped(&name, strip));
            if strip == Strip::Unsaid {
                add(stripped(&name, Strip::Names(1)));
            }
        } else if let Some(rest) = line.strip_prefix("diff --git ") {
            // Where names differ there are lines about renaming; elsewhere both halves are the same.
            add(rest.split_once(" b/").and_then(|(_, name)| stripped(&format!("b/{}", file_name(name)), strip)));
        } else {
            let renamed =
                ["rename from ", "rename to ", "copy to "].iter().find_map(|prefix| line.strip_prefix(prefix));
            add(renamed.map(file_name));
        }
    }
    found
}

/// The files that a patch changes, read in the usual way.
pub(crate) fn patched_files(text: &str) -> Vec<String> {
    changed_files(text, Strip::Names(1))
}

/// A name without the time behind it and the quotes around it.
fn file_name(text: &str) -> String {
    let name = text.split('\t').next().unwrap_or(text).trim_end();
    let inside = name.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    inside.map_or_else(|| name.to_owned(), |inside| inside.replace("\\\\", "\\").replace("\\\"", "\""))
}

fn stripped(name: &str, strip: Strip) -> Option<String> {
    if name == "/dev/null" {
        return None;
    }
    match strip {
        Strip::Names(0) => Some(name.to_owned()),
        Strip::Names(count) => name.splitn(count + 1, '/').nth(count).map(str::to_owned),
        Strip::Unsaid => name.rsplit('/').next().map(str::to_owned),
    }
}

/// The text of a patch: of the pipe, of a file that this call wrote, or of one on the disk.
fn patch_text(r: &Reading<'_, '_, '_>, flow: &Flow) -> Option<String> {
    if flow.text.is_some() {
        return flow.text.clone();
    }
    let bytes = r.analysis.machine.read_bytes(flow.file.as_deref()?)?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// Whether a patch is in a file that is not there, and that nothing in this call can have made.
fn is_missing(r: &Reading<'_, '_, '_>, flow: &Flow) -> bool {
    let file = flow.file.as_deref().map(|file| Arg::new(file.to_string_lossy(), r.call.span));
    file.is_some_and(|file| unpacking::is_missing(r, &file))
}

/// `patch`: its operands are the file and the patch, `-i` and the input are others for the patch.
pub(super) fn patch(r: &mut Reading<'_, '_, '_>) -> Flow {
    if r.parsed.dry {
        return Flow::unknown(Taint::NONE);
    }
    r.by_usage();
    let outside = r.shell.cwd.clone();
    let named = r.parsed.value(&["-i", "--input"]).or_else(|| r.parsed.operands.get(1)).cloned();
    let flow = named.map_or_else(|| r.call.stdin.clone(), |file| shell::read(r.analysis, r.shell, &file));
    if let Some(folder) = r.parsed.value(&["-d", "--directory"]).cloned() {
        r.shell.cwd = shell::folder(r.analysis, r.shell, &folder);
    }
    // With a file that is named the patch's own names do not matter.
    if r.parsed.operands.is_empty() && !r.parsed.has(&["-o", "--output"]) && !is_missing(r, &flow) {
        let strip = r.parsed.value(&["-p", "--strip"]).and_then(|arg| arg.text.parse().ok());
        write_files(r, &flow, strip.map_or(Strip::Unsaid, Strip::Names), "");
    }
    r.shell.cwd = outside;
    Flow::default()
}

/// Touches what a patch names, below a folder.
fn write_files(r: &mut Reading<'_, '_, '_>, flow: &Flow, strip: Strip, folder: &str) {
    let files = patch_text(r, flow).map(|text| changed_files(&text, strip)).unwrap_or_default();
    for file in &files {
        let path = if folder.is_empty() { file.clone() } else { format!("{}/{file}", folder.trim_end_matches('/')) };
        r.touch(Act::FsWrite, &Arg::new(path, r.call.span), Extent::Single);
    }
    // A patch that cannot be read, or one without names, as `ed` writes them.
    if files.is_empty() && flow.some {
        let here = Arg::new(if folder.is_empty() { "." } else { folder }, r.call.span);
        write_somewhere(r, &here, None);
    }
}

/// `git apply`. Names are relative to the top of the working tree.
pub(super) fn apply(r: &mut Reading<'_, '_, '_>, rest: Vec<Arg>, here: &Here) -> Flow {
    let words = Words::new(rest, &["-p", "--directory", "--exclude", "--include", "--build-fake-ancestor", "-C"]);
    act(r, Act::GitStage, None);
    let looks = words.has(&["--check", "--stat", "--numstat", "--summary"]) && !words.has(&["--apply"]);
    if !looks && !words.has(&["--cached"]) {
        apply_patches(r, &words, here);
    }
    Flow::default()
}

/// Applies the patches that are named, or the one of the input.
pub(super) fn apply_patches(r: &mut Reading<'_, '_, '_>, words: &Words, here: &Here) {
    let strip = words.value(&["-p"]).and_then(|arg| arg.text.parse().ok()).unwrap_or(1);
    let folder = words.value(&["--directory"]).map(|arg| arg.text).unwrap_or_default();
    let files: Vec<Arg> = words.operands.iter().chain(&words.paths).filter(|file| file.text != "-").cloned().collect();
    let flows: Vec<Flow> = if files.is_empty() {
        vec![r.call.stdin.clone()]
    } else {
        files.iter().flat_map(|file| patches_in(r, file)).collect()
    };
    let outside = r.shell.cwd.clone();
    if let Some(root) = here.repository.as_ref().and_then(|repository| repository.root.clone()) {
        r.shell.cwd = Some(root);
    }
    for flow in flows.iter().filter(|flow| flow.some) {
        if !is_missing(r, flow) {
            write_files(r, flow, Strip::Names(strip), &folder);
        }
    }
    r.shell.cwd = outside;
}

/// The patches that an argument stands for: a file, those of a folder as `git am` takes it, or those of a pattern.
fn patches_in(r: &mut Reading<'_, '_, '_>, file: &Arg) -> Vec<Flow> {
    let path = r.shell.cwd.as_deref().filter(|_| file.known()).map(|cwd| tidy(cwd.join(&file.text)));
    let matching = file.glob.and(path).and_then(|pattern| crate::resolve::matching(r.analysis, &pattern));
    match matching {
        Some(found) => {
            let found: Vec<Arg> = found.iter().map(|path| Arg::new(path.to_string_lossy(), file.span)).collect();
            found.iter().map(|file| shell::read(r.analysis, r.shell, file)).collect()
        }
        None => vec![shell::read(r.analysis, r.shell, file)],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_patch_names_what_it_changes_however_it_is_written() {
        let one = Strip::Names(1);
        let cases: &[(&str, Strip, &[&str])] = &[
            ("--- a/x/y\n+++ b/x/y\n@@ -1 +1 @@\n-a\n+b\n", one, &["x/y"]),
            ("--- a/x\t2026-01-01\n+++ b/x\t2026-01-01\n", one, &["x"]),
            ("--- /dev/null\n+++ b/new\n", one, &["new"]),
            ("--- a/old\n+++ /dev/null\n", one, &["old"]),
            ("--- x/y\n+++ x/y\n", Strip::Names(0), &["x/y"]),
            ("--- p/q/x\n+++ p/q/x\n", Strip::Names(2), &["x"]),
            ("--- a/x/y\n+++ b/x/y\n", Strip::Unsaid, &["y", "x/y"]),
            ("diff --git a/x b/x\nold mode 100644\nnew mode 100755\n", one, &["x"]),
            ("diff --git a/x b/y\nrename from x\nrename to y\n", one, &["y", "x"]),
            ("diff --git a/b.bin b/b.bin\nGIT binary patch\n", one, &["b.bin"]),
            ("--- \"a/o d\"\n+++ \"b/o d\"\n", one, &["o d"]),
            ("*** a/x\t2026\n--- a/x\t2026\n***************\n*** 1 ****\n", one, &["x"]),
            ("Index: x\n=====\n", Strip::Names(0), &["x"]),
            ("nothing of the kind\n", one, &[]),
        ];
        for (text, strip, expected) in cases {
            assert_eq!(changed_files(text, *strip), *expected, "{text}");
        }
    }
}
