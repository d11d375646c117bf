//! Commands of git that move branches or change which one is checked out.

use super::Reading;
use super::git_acts::act;
use super::git_here::Here;
use super::git_tree::{discard_paths, drop_changes};
use super::git_words::{Words, pathspec};
use crate::act::Act;
use crate::analysis::Extent;
use crate::effect::GivenFor;
use crate::flow::{Arg, Flow, Taint};
use crate::paths::tidy;
use crate::shell::{Ending, Position};
use std::path::Path;

/// Options of `checkout` and `switch` that make a branch.
const CREATES: &[&str] = &["-b", "-B", "-c", "-C", "--orphan", "--create", "--force-create"];

/// Options of `switch`.
const OPTIONS: &[&str] = &[
    "-b",
    "-B",
    "-c",
    "-C",
    "-d",
    "-f",
    "-h",
    "-m",
    "-q",
    "-t",
    "--conflict",
    "--create",
    "--detach",
    "--discard-changes",
    "--force",
    "--force-create",
    "--guess",
    "--ignore-other-worktrees",
    "--merge",
    "--no-guess",
    "--no-progress",
    "--no-recurse-submodules",
    "--no-track",
    "--orphan",
    "--progress",
    "--quiet",
    "--recurse-submodules",
    "--track",
];
/// The same, and those that `checkout` has beyond them.
const CHECKOUT_OPTIONS: &[&str] = &[
    "-b",
    "-B",
    "-2",
    "-3",
    "-d",
    "-f",
    "-h",
    "-l",
    "-m",
    "-p",
    "-q",
    "-t",
    "-U",
    "--conflict",
    "--detach",
    "--force",
    "--guess",
    "--ignore-other-worktrees",
    "--ignore-skip-worktree-bits",
    "--inter-hunk-context",
    "--merge",
    "--no-guess",
    "--no-overlay",
    "--no-progress",
    "--no-recurse-submodules",
    "--no-track",
    "--orphan",
    "--ours",
    "--overlay",
    "--overwrite-ignore",
    "--patch",
    "--pathspec-file-nul",
    "--pathspec-from-file",
    "--progress",
    "--quiet",
    "--recurse-submodules",
    "--theirs",
    "--track",
    "--unified",
];

pub(super) fn reset(r: &mut Reading<'_, '_, '_>, rest: Vec<Arg>, here: &Here) -> Flow {
    let words = Words::new(rest, &["--pathspec-from-file"]);
    let discards = words.has(&["--hard", "--merge", "--keep"]);
    let kind = if discards { Act::GitDiscard } else { Act::GitStage };
    if moves_head(r, &words, here) {
        here.lands(r, kind);
    } else {
        act(r, kind, here.branch());
    }
    if words.has(&["--hard", "--merge"]) {
        drop_changes(r, Act::GitDiscard, here);
    }
    Flow::default()
}

/// Whether a reset goes to another commit: it names one, and no paths.
fn moves_head(r: &Reading<'_, '_, '_>, words: &Words, here: &Here) -> bool {
    let [to] = words.operands.as_slice() else { return false };
    let pathless = !words.separated || words.paths.is_empty();
    let same =
        matches!(to.text.as_str(), "HEAD" | "@" | "HEAD^0" | "HEAD~0") || Some(to.text.as_str()) == here.branch();
    let named_file = !words.separated && is_file(r, &to.text) && !here.is_commit(r, &to.text);
    pathless && !same && !named_file && !words.has(&["-p", "--patch", "--pathspec-from-file"])
}

fn is_file(r: &Reading<'_, '_, '_>, word: &str) -> bool {
    let Some(cwd) = &r.shell.cwd else { return false };
    r.analysis.machine.kind(&tidy(cwd.join(word))).is_some()
}

/// git refuses to do it: nothing happens. For certain if nothing of this call can have made what is missing.
fn fails(r: &mut Reading<'_, '_, '_>) {
    let is_harmless = |act: Act| act.only_reads() || act == Act::GitBranch;
    let untouched = r.analysis.effects.list.iter().all(|effect| effect.unmet || is_harmless(effect.act));
    let certain = untouched && !r.analysis.waited && crate::shell::is_run_once(r.analysis, r.shell);
    r.shell.ending = Some(if certain { Ending::DoesNotHold } else { Ending::UsuallyFails });
}

pub(super) fn checkout(r: &mut Reading<'_, '_, '_>, command: &str, rest: Vec<Arg>, here: &Here) -> Flow {
    let words = Words::new(rest, CREATES);
    // git refuses what is no option, and a second branch.
    let known = words.has_only(OPTIONS) || command == "checkout" && words.has_only(CHECKOUT_OPTIONS);
    if !known || command == "switch" && words.operands.len() > 1 {
        fails(r);
        return Flow::default();
    }
    if !words.paths.is_empty() {
        let source = words.operand(0).is_some_and(|from| from != "HEAD");
        let paths: Vec<Arg> = words.paths.iter().flat_map(pathspec).collect();
        discard_paths(r, &paths, source, here);
        return Flow::default();
    }
    if words.has(&["-f", "--force", "--discard-changes"]) {
        act(r, Act::GitDiscard, words.operand(0));
        drop_changes(r, Act::GitDiscard, here);
    }
    if let Some(name) = words.value(CREATES) {
        create(r, &words, &name.text, here);
        return Flow::default();
    }
    // `git checkout .` and `git checkout HEAD file` restore files; `git checkout name` switches, unless a file has that name.
    let is_path =
        |word: &str| word.starts_with('.') || word.ends_with('/') || is_file(r, word) && !here.has_branch(r, word);
    let restores = command == "checkout"
        && (words.operands.len() > 1 && !words.has(&["-t", "--track", "--detach", "-d"])
            || words.operand(0).is_some_and(is_path)
            || words.has(&["-p", "--patch"]));
    if restores {
        let named = words.operands.len() > 1 && !words.operand(0).is_some_and(is_path);
        let source = named && words.operand(0).is_some_and(|from| from != "HEAD");
        let paths: Vec<Arg> = words.operands.iter().skip(usize::from(named)).cloned().collect();
        discard_paths(r, &paths, source, here);
        return Flow::default();
    }
    act(r, Act::GitBranch, words.operand(0));
    go(r, command, &words, here);
    Flow::default()
}

/// `-b`, `-c` and `--orphan` make a branch; `-B` and `-C` move one that exists.
fn create(r: &mut Reading<'_, '_, '_>, words: &Words, name: &str, here: &Here) {
    let exists = here.has_branch(r, name);
    let start = words.operand(0).filter(|start| *start != "HEAD");
    if words.has(&["-B", "-C", "--force-create"]) {
        act(r, Act::GitBranch, Some(name));
        if exists || start.is_some() {
            here.moves(r, Act::GitDiscard, name);
        } else {
            act(r, Act::GitDiscard, Some(name));
        }
    } else {
        act(r, Act::GitBranch, Some(name));
        let impossible = exists || !is_branch_name(name) || start.is_some_and(|start| is_missing(r, here, start));
        if impossible {
            fails(r);
            return;
        }
    }
    here.make(r, name);
    here.switch(r, Position::Branch(name.to_owned()));
}

/// Whether a repository is known and has no such commit. What was fetched in this call may not be there yet.
fn is_missing(r: &Reading<'_, '_, '_>, here: &Here, commit: &str) -> bool {
    let fetched = r.analysis.effects.has(Act::NetFetch);
    here.repository.is_some() && !fetched && !commit.contains('$') && !here.is_commit(r, commit) && commit != "-"
}

fn is_branch_name(name: &str) -> bool {
    let bad = |c: char| c.is_whitespace() || c.is_control() || matches!(c, '~' | '^' | ':' | '?' | '*' | '[' | '\\');
    !name.is_empty()
        && !name.starts_with(['-', '/'])
        && !name.ends_with(['/', '.'])
        && !name.ends_with(".lock")
        && !name.contains("..")
        && !name.contains("//")
        && !name.contains("@{")
        && !name.split('/').any(|part| part.starts_with('.'))
        && !name.contains(bad)
}

/// Checks something out that is there already.
fn go(r: &mut Reading<'_, '_, '_>, command: &str, words: &Words, here: &Here) {
    let Some(target) = words.operands.first() else {
        if words.has(&["--detach", "-d"]) {
            here.switch(r, Position::Detached);
        }
        return;
    };
    if !target.known() {
        return;
    }
    let Some(repository) = here.repository.clone() else { return };
    let previous = matches!(target.text.as_str(), "-" | "@{-1}").then(|| here.previous(r));
    let name = match previous {
        Some(Some(name)) => name,
        Some(None) => return,
        None => target.text.clone(),
    };
    if words.has(&["--detach", "-d"]) {
        if here.is_commit(r, &name) {
            here.switch(r, Position::Detached);
        } else {
            fails(r);
        }
        return;
    }
    if words.has(&["-t", "--track"]) && !here.has_branch(r, &name) {
        let local = name.trim_start_matches("refs/remotes/").split_once('/').map_or(name.as_str(), |(_, local)| local);
        here.make(r, local);
        here.switch(r, Position::Branch(local.to_owned()));
        return;
    }
    let taken = repository.is_used_elsewhere(&name, r.analysis.machine) && !words.has(&["--ignore-other-worktrees"]);
    let fetched = r.analysis.effects.has(Act::NetFetch);
    if here.has_branch(r, &name) && !taken {
        here.switch(r, Position::Branch(name));
    } else if taken {
        here.switch(r, Position::Branch(name));
        fails(r);
    } else if repository.has_remote_branch(&name, r.analysis.machine) || fetched && !here.is_commit(r, &name) {
        here.make(r, &name);
        here.switch(r, Position::Branch(name));
    } else if command == "checkout" && here.is_commit(r, &name) {
        here.switch(r, Position::Detached);
    } else {
        fails(r);
    }
}

pub(super) fn branches(r: &mut Reading<'_, '_, '_>, command: &str, rest: Vec<Arg>, here: &Here) -> Flow {
    let words = Words::new(
        rest,
        &[
            "-m",
            "--message",
            "-F",
            "--set-upstream-to",
            "--contains",
            "--merged",
            "--no-merged",
            "--sort",
            "--format",
            "--points-at",
        ]
        .iter()
        .copied()
        .filter(|name| command == "tag" || *name != "-m")
        .collect::<Vec<_>>(),
    );
    if command == "branch" && words.has(&["--show-current"]) {
        act(r, Act::GitRead, None);
        return branch_name(here);
    }
    let changes = [
        "-m",
        "-M",
        "-c",
        "-C",
        "--move",
        "--copy",
        "-d",
        "-D",
        "--delete",
        "-u",
        "--unset-upstream",
        "--edit-description",
    ];
    let listing = ["-l", "--list", "-a", "-r", "-v", "--contains", "--merged", "--no-merged", "-n"];
    let lists = words.operands.is_empty() && !words.has(&changes)
        || words.has(&listing) && !words.has(&["-d", "-D", "--delete"]);
    if lists {
        act(r, Act::GitRead, None);
        return Flow::unknown(Taint::NONE);
    }
    let named = words.operand(0).map(str::to_owned).or_else(|| here.branch().map(str::to_owned));
    act(r, Act::GitBranch, named.as_deref());
    let deletes =
        words.has(&["-D"]) || words.has(&["-d", "--delete"]) && (words.has(&["-f", "--force"]) || command == "tag");
    let forces = command == "branch" && words.has(&["-f", "--force", "-M", "-C"]);
    if deletes || forces {
        for arg in words.operands.clone() {
            act(r, Act::GitDiscard, Some(&arg.text));
        }
    }
    if command == "branch" {
        change_branches(r, &words, here);
    }
    Flow::default()
}

/// The name of what is checked out, if that is certain.
pub(super) fn branch_name(here: &Here) -> Flow {
    match here.branches.as_slice() {
        [Some(branch)] => Flow::literal(branch.clone()),
        _ => Flow::unknown(Taint::NONE),
    }
}

/// What becomes of the branches that `git branch` names.
fn change_branches(r: &mut Reading<'_, '_, '_>, words: &Words, here: &Here) {
    let names: Vec<String> = words.operands.iter().map(|arg| arg.text.clone()).collect();
    let force = words.has(&["-f", "--force", "-M", "-C"]);
    let renames = words.has(&["-m", "-M", "--move"]);
    if words.has(&["-d", "-D", "--delete"]) {
        for name in names {
            here.moves(r, Act::GitBranch, &name);
        }
        return;
    }
    if words.has(&["-u", "--unset-upstream", "--edit-description", "--set-upstream-to"]) {
        return;
    }
    let Some(target) = (if renames || words.has(&["-c", "-C", "--copy"]) { names.last() } else { names.first() })
    else {
        return;
    };
    let exists = here.has_branch(r, target);
    let possible = is_branch_name(target) && (force || !exists);
    if !possible {
        fails(r);
        return;
    }
    // A new branch that begins where another one is gets the commits of that one.
    let replaces = force && (exists || names.len() > 1) || !exists && names.len() > 1;
    if replaces || renames && here.branch() != Some(target) {
        here.moves(r, Act::GitBranch, target);
    }
    // A branch that is renamed is not there any more under its name.
    let old = if names.len() > 1 { names.first().cloned() } else { here.branch().map(str::to_owned) };
    if let Some(old) = old.filter(|old| renames && old != target) {
        here.moves(r, Act::GitBranch, &old);
    }
    here.make(r, target);
    let renames_current = names.len() == 1 || names.first().map(String::as_str) == here.branch();
    if renames && renames_current {
        here.switch(r, Position::Branch(target.clone()));
    }
}

pub(super) fn update_ref(r: &mut Reading<'_, '_, '_>, command: &str, rest: Vec<Arg>, here: &Here) -> Flow {
    let words = Words::new(rest, &["-m"]);
    let name = words.operand(0).unwrap_or_default().to_owned();
    if command == "symbolic-ref" {
        return symbolic_ref(r, &words, here);
    }
    if words.has(&["--stdin"]) {
        let text = r.call.stdin.text.clone().unwrap_or_default();
        for line in text.split(['\n', '\0']) {
            let mut parts = line.split_whitespace();
            if let (Some("update" | "create" | "delete"), Some(name)) = (parts.next(), parts.next()) {
                update_one(r, name, here);
            }
        }
        if r.call.stdin.text.is_none() {
            here.moves(r, Act::GitCommit, "*");
        }
        return Flow::default();
    }
    if name == "HEAD" && words.has(&["--no-deref"]) {
        act(r, Act::GitBranch, None);
        here.switch(r, Position::Detached);
        return Flow::default();
    }
    // To where it is already.
    let stays = matches!(words.operand(1), Some("HEAD" | "@")) && here.branch() == name.strip_prefix("refs/heads/");
    if !stays {
        update_one(r, &name, here);
    }
    Flow::default()
}

fn update_one(r: &mut Reading<'_, '_, '_>, name: &str, here: &Here) {
    let branch = name.trim_start_matches("refs/heads/");
    act(r, Act::GitBranch, Some(branch));
    act(r, Act::GitRewrite, Some(branch));
    if name == "HEAD" || name == "@" {
        here.lands(r, Act::GitCommit);
    } else if name.starts_with('$') || name.starts_with("refs/heads/") && name.contains('$') {
        here.moves(r, Act::GitCommit, "*");
    } else if name.starts_with("refs/heads/") {
        here.moves(r, Act::GitCommit, branch);
    } else {
        act(r, Act::GitCommit, Some(branch));
    }
}

fn symbolic_ref(r: &mut Reading<'_, '_, '_>, words: &Words, here: &Here) -> Flow {
    let name = words.operand(0).unwrap_or_default().to_owned();
    if words.operands.len() < 2 && !words.has(&["-d", "--delete"]) {
        act(r, Act::GitRead, None);
        return if words.has(&["--short"]) { branch_name(here) } else { Flow::unknown(Taint::NONE) };
    }
    act(r, Act::GitBranch, Some(name.trim_start_matches("refs/heads/")));
    // Another name of a branch: what moves that moves the branch.
    if let (Some(_), Some(branch)) =
        (name.strip_prefix("refs/heads/"), words.operand(1).and_then(|to| to.strip_prefix("refs/heads/")))
    {
        here.moves(r, Act::GitBranch, branch);
        here.moves(r, Act::GitBranch, &name);
    }
    if let ("HEAD", Some(branch)) = (name.as_str(), words.operand(1).and_then(|to| to.strip_prefix("refs/heads/"))) {
        here.switch(r, Position::Branch(branch.to_owned()));
    }
    Flow::default()
}

pub(super) fn worktree(r: &mut Reading<'_, '_, '_>, rest: Vec<Arg>, here: &Here) -> Flow {
    let words = Words::new(rest, &["-b", "-B", "--reason"]);
    match words.operand(0) {
        Some("list") => act(r, Act::GitRead, None),
        Some("remove") => {
            act(r, if words.has(&["-f", "--force"]) { Act::GitDiscard } else { Act::GitBranch }, None);
            if let Some(folder) = words.operands.get(1).cloned() {
                r.touch(Act::FsDelete, &folder, Extent::Below);
            }
        }
        Some("add") => add_worktree(r, &words, here),
        _ => act(r, Act::GitBranch, words.operand(2)),
    }
    Flow::default()
}

fn add_worktree(r: &mut Reading<'_, '_, '_>, words: &Words, here: &Here) {
    act(r, Act::GitBranch, words.operand(2));
    let Some(folder) = words.operands.get(1).cloned() else { return };
    // A new folder holds nothing that could be lost; in one that exists git changes files.
    let exists = r.shell.cwd.as_ref().is_none_or(|cwd| r.analysis.machine.kind(&cwd.join(&folder.text)).is_some());
    if exists {
        r.touch(Act::FsWrite, &folder, Extent::Single);
    }
    if let Some(cwd) = r.shell.cwd.clone() {
        give(r, &tidy(cwd.join(&folder.text)).join(".git"));
    }
    let created = words.value(&["-b", "-B"]).map(|arg| arg.text);
    if let Some(name) = created.as_deref().filter(|name| words.has(&["-B"]) && here.has_branch(r, name)) {
        here.moves(r, Act::GitDiscard, name);
    }
    let (Some(repository), Some(cwd)) = (here.repository.clone(), r.shell.cwd.clone()) else { return };
    let root = tidy(cwd.join(&folder.text));
    let own = root.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let named = words.operand(2).filter(|name| here.has_branch(r, name)).map(str::to_owned);
    let at = match created.or(named) {
        _ if words.has(&["--detach", "-d"]) => Position::Detached,
        Some(branch) => Position::Branch(branch),
        // Without a commit the folder's name becomes the branch.
        None if words.operands.len() == 2 => Position::Branch(own.clone()),
        None => Position::Detached,
    };
    let git_folder = repository.common.join("worktrees").join(own);
    r.shell.heads.make_tree(&root, &repository.common, git_folder, at);
}

/// git makes a folder of its own there.
fn give(r: &mut Reading<'_, '_, '_>, folder: &Path) {
    let folder = Arg::new(folder.to_string_lossy(), r.call.span);
    r.analysis.give_for("git", &[folder], None, GivenFor::WrittenByItself);
}

/// A repository of its own comes to be in a folder.
pub(super) fn new_repository(r: &mut Reading<'_, '_, '_>, folder: &str) {
    let Some(cwd) = r.shell.cwd.clone() else { return };
    let root = tidy(cwd.join(folder));
    give(r, &root.join(".git"));
    let git_folder = root.join(".git");
    if r.analysis.machine.kind(&git_folder).is_none() {
        let common = git_folder.clone();
        r.shell.heads.make_tree(&root, &common, git_folder, Position::OnDisk);
    }
}
