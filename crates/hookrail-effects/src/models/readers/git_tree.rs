//! Commands of git that change the working tree or the index.

use super::Reading;
use super::git_acts::{Words, act};
use crate::act::Act;
use crate::analysis::Extent;
use crate::flow::{Arg, Flow};
use crate::object::Object;

pub(super) fn reset(r: &mut Reading<'_, '_, '_>, rest: Vec<Arg>, branch: Option<&str>) -> Flow {
    let words = Words::new(rest, &[]);
    if words.has(&["--hard", "--merge", "--keep"]) {
        act(r, Act::GitDiscard, branch);
    } else {
        act(r, Act::GitStage, branch);
    }
    Flow::default()
}

fn discard_paths(r: &mut Reading<'_, '_, '_>, paths: &[Arg]) {
    for path in paths {
        let object = Object { target: Some(path.text.as_str().into()), ..Object::default() };
        r.object(Act::GitDiscard, object);
        r.touch(Act::FsWrite, path, Extent::Below);
    }
}

pub(super) fn checkout(r: &mut Reading<'_, '_, '_>, command: &str, rest: Vec<Arg>) -> Flow {
    let creates = ["-b", "-B", "-c", "-C", "--orphan", "--create", "--force-create"];
    let words = Words::new(rest, &creates);
    if !words.paths.is_empty() {
        discard_paths(r, &words.paths);
        return Flow::default();
    }
    if words.has(&["-f", "--force", "--discard-changes"]) {
        act(r, Act::GitDiscard, words.operand(0));
        return Flow::default();
    }
    let created = creates.iter().find_map(|name| words.value(name));
    if let Some(name) = created {
        let forced = words.has(&["-B", "-C", "--force-create"]);
        act(r, Act::GitBranch, Some(&name.text));
        if forced {
            act(r, Act::GitDiscard, Some(&name.text));
        }
        return Flow::default();
    }
    // `git checkout .` and `git checkout HEAD file` restore files; `git checkout name` switches, unless a file has that name.
    let restores = command == "checkout"
        && (words.operands.len() > 1
            || words.operand(0).is_some_and(|word| word.starts_with('.') || word.ends_with('/') || is_file(r, word)));
    if restores {
        let paths: Vec<Arg> = words.operands.iter().skip(usize::from(words.operands.len() > 1)).cloned().collect();
        discard_paths(r, &paths);
        return Flow::default();
    }
    act(r, Act::GitBranch, words.operand(0));
    Flow::default()
}

fn is_file(r: &Reading<'_, '_, '_>, word: &str) -> bool {
    let Some(cwd) = &r.shell.cwd else { return false };
    r.analysis.machine.kind(&crate::paths::tidy(&cwd.join(word))).is_some()
}

pub(super) fn restore(r: &mut Reading<'_, '_, '_>, rest: Vec<Arg>) -> Flow {
    let words = Words::new(rest, &["-s", "--source"]);
    let only_index = words.has(&["--staged", "-S"]) && !words.has(&["--worktree", "-W"]);
    if only_index {
        act(r, Act::GitStage, None);
        return Flow::default();
    }
    let paths: Vec<Arg> = words.operands.into_iter().chain(words.paths).collect();
    discard_paths(r, &paths);
    Flow::default()
}

pub(super) fn clean(r: &mut Reading<'_, '_, '_>, rest: Vec<Arg>) -> Flow {
    let words = Words::new(rest, &["-e", "--exclude"]);
    if words.has(&["-n", "--dry-run"]) {
        act(r, Act::GitRead, None);
        return Flow::default();
    }
    act(r, Act::GitDiscard, None);
    for path in words.operands.iter().chain(&words.paths) {
        r.touch(Act::FsDelete, path, Extent::Below);
    }
    Flow::default()
}

pub(super) fn stash(r: &mut Reading<'_, '_, '_>, rest: Vec<Arg>) -> Flow {
    let words = Words::new(rest, &["-m", "--message"]);
    match words.operand(0) {
        Some("list" | "show") => act(r, Act::GitRead, None),
        Some("drop" | "clear") => act(r, Act::GitDiscard, None),
        Some("branch") => act(r, Act::GitBranch, words.operand(1)),
        verb => {
            act(r, Act::GitStage, None);
            // Paths that are named leave the working tree.
            let named = if verb == Some("push") { words.operands.get(1..).unwrap_or_default() } else { &[] };
            for path in named.iter().chain(&words.paths) {
                r.touch(Act::FsMove, path, Extent::Below);
            }
        }
    }
    Flow::default()
}

pub(super) fn remove(r: &mut Reading<'_, '_, '_>, rest: Vec<Arg>) -> Flow {
    let words = Words::new(rest, &["--pathspec-from-file"]);
    if words.has(&["-n", "--dry-run"]) {
        act(r, Act::GitRead, None);
        return Flow::default();
    }
    if words.has(&["--cached"]) {
        act(r, Act::GitStage, None);
        return Flow::default();
    }
    act(r, Act::GitStage, None);
    let extent = if words.has(&["-r"]) { Extent::Below } else { Extent::Single };
    let paths: Vec<Arg> = words.operands.iter().chain(&words.paths).cloned().collect();
    for path in &paths {
        r.touch(Act::FsDelete, path, extent);
    }
    if words.has(&["-f", "--force"]) && paths.iter().any(|path| matches!(path.text.as_str(), "." | "*" | ":/")) {
        act(r, Act::GitDiscard, None);
    }
    Flow::default()
}

pub(super) fn add(r: &mut Reading<'_, '_, '_>, rest: Vec<Arg>) -> Flow {
    let words = Words::new(rest, &["--pathspec-from-file", "--chmod"]);
    act(r, Act::GitStage, None);
    for path in words.operands.iter().chain(&words.paths) {
        let before = r.analysis.effects.list.len();
        r.touch(Act::FsRead, path, Extent::Single);
        if r.analysis.effects.list.iter().skip(before).any(|effect| effect.act == Act::SecretRead) {
            r.analysis.staged_secret = true;
        } else {
            r.analysis.effects.list.truncate(before);
        }
    }
    Flow::default()
}

pub(super) fn moved(r: &mut Reading<'_, '_, '_>, rest: Vec<Arg>) -> Flow {
    let mut words = Words::new(rest, &[]);
    act(r, Act::GitStage, None);
    if words.has(&["-n", "--dry-run"]) {
        return Flow::default();
    }
    let mut paths: Vec<Arg> = words.operands.drain(..).chain(words.paths).collect();
    if let Some(target) = paths.pop() {
        r.touch(Act::FsWrite, &target, Extent::Single);
    }
    for path in &paths {
        r.touch(Act::FsMove, path, Extent::Below);
    }
    Flow::default()
}

/// The patch names the files that it changes.
pub(super) fn apply(r: &mut Reading<'_, '_, '_>, rest: Vec<Arg>) -> Flow {
    let words = Words::new(rest, &["-p", "--directory", "--exclude", "--include"]);
    act(r, Act::GitStage, None);
    if words.has(&["--check", "--stat", "--numstat", "--summary", "--cached"]) {
        return Flow::default();
    }
    let mut texts: Vec<String> = r.call.stdin.text.iter().cloned().collect();
    for file in words.operands.iter().chain(&words.paths) {
        let flow = crate::shell::read(r.analysis, r.shell, file);
        let path = r.shell.cwd.as_deref().map(|cwd| crate::paths::tidy(&cwd.join(&file.text)));
        texts.extend(flow.text.or_else(|| r.analysis.machine.read_small(&path?)));
    }
    for line in texts.iter().flat_map(|text| text.lines()) {
        if let Some(name) = line.strip_prefix("+++ b/").or_else(|| line.strip_prefix("--- a/")) {
            let path = Arg::new(name.split('\t').next().unwrap_or(name), r.call.span);
            r.touch(Act::FsWrite, &path, Extent::Single);
        }
    }
    Flow::default()
}

pub(super) fn worktree(r: &mut Reading<'_, '_, '_>, rest: Vec<Arg>) -> Flow {
    let words = Words::new(rest, &["-b", "-B", "--reason"]);
    match words.operand(0) {
        Some("list") => act(r, Act::GitRead, None),
        Some("remove") => {
            act(r, if words.has(&["-f", "--force"]) { Act::GitDiscard } else { Act::GitBranch }, None);
        }
        _ => act(r, Act::GitBranch, words.operand(2)),
    }
    Flow::default()
}
