//! Commands of git that change the working tree or the index.

use super::Reading;
use super::git_acts::act;
use super::git_here::Here;
use super::git_words::Words;
use crate::act::Act;
use crate::analysis::Extent;
use crate::flow::{Arg, Flow};
use crate::object::{CHANGED_FILES, Object, PathObject, ReadDepth};
use crate::shell::{self, Position};
use crate::worktrees::STASH;

/// Files are as git knows them: as of the last commit or what is staged, or as of the `source` that is named.
pub(super) fn discard_paths(r: &mut Reading<'_, '_, '_>, paths: &[Arg], source: bool, here: &Here) {
    for path in paths {
        let object = Object { target: Some(path.text.as_str().into()), ..Object::default() };
        r.object(Act::GitDiscard, object);
        // The whole working tree is put back, of which only what was changed changes.
        if !source && !here.elsewhere && is_whole_tree(r, path, here) {
            drop_changes(r, Act::GitDiscard, here);
        } else {
            r.touch(Act::FsWrite, path, Extent::Below);
        }
    }
}

fn is_whole_tree(r: &Reading<'_, '_, '_>, path: &Arg, here: &Here) -> bool {
    let Some(root) = here.repository.as_ref().and_then(|repository| repository.root.as_deref()) else { return false };
    path.text == ":/" || shell::folder(r.analysis, r.shell, path).is_some_and(|folder| folder == root)
}

pub(super) fn restore(r: &mut Reading<'_, '_, '_>, rest: Vec<Arg>, here: &Here) -> Flow {
    let words = Words::new(rest, &["-s", "--source"]);
    let source = words.value(&["-s", "--source"]).is_some_and(|from| from.text != "HEAD");
    let only_index = words.has(&["--staged", "-S"]) && !words.has(&["--worktree", "-W"]);
    if only_index {
        act(r, Act::GitStage, None);
        return Flow::default();
    }
    discard_paths(r, &words.all_paths(), source, here);
    Flow::default()
}

pub(super) fn clean(r: &mut Reading<'_, '_, '_>, rest: Vec<Arg>) -> Flow {
    let words = Words::new(rest, &["-e", "--exclude"]);
    if words.has(&["-n", "--dry-run"]) {
        act(r, Act::GitRead, None);
        return Flow::default();
    }
    act(r, Act::GitDiscard, None);
    let named = words.all_paths();
    for path in &named {
        r.touch(Act::FsDelete, path, Extent::Below);
    }
    // Which files git does not know is not in the text.
    if named.is_empty() && words.has(&["-f", "--force"]) {
        let all = Arg { glob: Some(0), ..Arg::new("**", r.call.span) };
        r.touch(Act::FsDelete, &all, Extent::Single);
    }
    Flow::default()
}

pub(super) fn stash(r: &mut Reading<'_, '_, '_>, rest: Vec<Arg>, here: &Here) -> Flow {
    let words = Words::new(rest, &["-m", "--message"]);
    match words.operand(0) {
        Some("list" | "show") => {
            act(r, Act::GitRead, None);
            for path in words.paths.clone() {
                r.touch(Act::FsRead, &path, Extent::Single);
            }
        }
        Some("drop" | "clear") => on_stash(r, Act::GitDiscard),
        Some("branch") => {
            act(r, Act::GitBranch, words.operand(1));
            if let Some(name) = words.operand(1).map(str::to_owned).filter(|name| !here.has_branch(r, name)) {
                here.make(r, &name);
                here.switch(r, Position::Branch(name));
            }
        }
        Some("pop" | "apply" | "create" | "store") => on_stash(r, Act::GitStage),
        _ => {
            on_stash(r, Act::GitStage);
            if words.paths.is_empty() && !words.has(&["-S", "--staged"]) {
                drop_changes(r, Act::GitStage, here);
            }
            // Paths that are named leave the working tree.
            let named =
                if words.operand(0) == Some("push") { words.operands.get(1..).unwrap_or_default() } else { &[] };
            for path in named.iter().chain(&words.paths).cloned().collect::<Vec<_>>() {
                r.touch(Act::FsMove, &path, Extent::Below);
            }
            // Files that git does not know go as well.
            if words.has(&["-u", "--include-untracked", "-a", "--all"]) {
                let all = Arg { glob: Some(0), ..Arg::new("**", r.call.span) };
                r.touch(Act::FsMove, &all, Extent::Single);
            }
        }
    }
    Flow::default()
}

/// Adds an act on the stash, which all worktrees of the repository share.
fn on_stash(r: &mut Reading<'_, '_, '_>, act: Act) {
    r.object(act, Object { target: Some(STASH.into()), ..Object::default() });
}

/// Every file that was changed is as git knows it afterwards. Which ones these are is not in the text, so this is no write.
pub(super) fn drop_changes(r: &mut Reading<'_, '_, '_>, act: Act, here: &Here) {
    let Some(root) = here.repository.as_ref().and_then(|repository| repository.root.clone()) else { return };
    let path = PathObject {
        written: root.to_string_lossy().into(),
        resolved: root,
        through: None,
        pattern: false,
        recursive: true,
        look: ReadDepth::Content,
    };
    r.object(act, Object { path: Some(Box::new(path)), target: Some(CHANGED_FILES.into()), ..Object::default() });
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
    let paths = words.all_paths();
    for path in &paths {
        r.touch(Act::FsDelete, path, extent);
    }
    if words.has(&["-f", "--force"]) && paths.iter().any(|path| matches!(path.text.as_str(), "." | "*")) {
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
            // It is kept, and not shown.
            let added = r.analysis.effects.list.iter_mut().skip(before);
            added.filter_map(|effect| effect.on.path.as_deref_mut()).for_each(|path| path.look = ReadDepth::Name);
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
