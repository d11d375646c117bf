//! What each of git's commands does.

use super::Reading;
use super::git_branches::{branches, checkout, new_repository, reset, update_ref, worktree};
use super::git_here::Here;
use super::git_reads::reading;
use super::git_remote::{fetch, push};
use super::git_settings::{config, history, hooks_off, remote, run_filters};
use super::git_tree::{add, clean, moved, remove, restore, stash};
use super::git_words::{Words, pathspec};
use super::patches::{apply, apply_patches};
use crate::act::Act;
use crate::analysis::Extent;
use crate::flow::{Arg, Flow, Taint};
use crate::object::Object;
use crate::shell::Position;

/// Commands that only look, whatever their options.
const READS: &[&str] = &[
    "status",
    "log",
    "diff",
    "show",
    "blame",
    "annotate",
    "shortlog",
    "describe",
    "rev-parse",
    "rev-list",
    "ls-files",
    "ls-tree",
    "ls-remote",
    "cat-file",
    "grep",
    "help",
    "version",
    "var",
    "check-ignore",
    "check-attr",
    "for-each-ref",
    "merge-base",
    "name-rev",
    "show-ref",
    "show-branch",
    "count-objects",
    "fsck",
    "whatchanged",
    "range-diff",
    "cherry",
    "diff-tree",
    "diff-index",
    "diff-files",
    "verify-commit",
    "verify-tag",
    "get-tar-commit-id",
    "merge-tree",
    "patch-id",
    "bugreport",
    "column",
    "stripspace",
    "check-ref-format",
    "interpret-trailers",
    "request-pull",
    "difftool",
    "instaweb",
    "hash-object",
];
/// Commands that prepare, without losing anything.
const STAGES: &[&str] = &[
    "add",
    "stage",
    "mv",
    "fetch",
    "init",
    "clone",
    "apply",
    "bisect",
    "submodule",
    "sparse-checkout",
    "gc",
    "maintenance",
    "pack-refs",
    "repack",
    "update-index",
    "read-tree",
    "write-tree",
    "notes",
    "rerere",
    "format-patch",
    "archive",
    "bundle",
    "mergetool",
    "lfs",
    "send-email",
    "commit-graph",
    "multi-pack-index",
    "pack-objects",
    "index-pack",
    "unpack-objects",
    "checkout-index",
    "prune-packed",
    "credential",
    "daemon",
    "svn",
    "subtree",
    "citool",
    "gui",
    "scalar",
    "prune",
    "replace",
];
const OTHERS: &[&str] = &[
    "commit",
    "merge",
    "cherry-pick",
    "revert",
    "am",
    "rebase",
    "pull",
    "push",
    "reset",
    "checkout",
    "switch",
    "restore",
    "clean",
    "stash",
    "branch",
    "tag",
    "worktree",
    "remote",
    "config",
    "reflog",
    "rm",
    "update-ref",
    "symbolic-ref",
    "filter-branch",
    "filter-repo",
    "commit-tree",
    "fast-import",
    "fast-export",
    "send-pack",
];

/// Every command, but for the plumbing that `git push` itself runs.
pub(in crate::models) fn commands() -> impl Iterator<Item = &'static str> {
    READS.iter().chain(STAGES).chain(OTHERS).copied().filter(|name| *name != "send-pack")
}

/// Reports whether a command leaves references and files alone, so that at most the hook of the index runs.
pub(super) fn only_reads(command: &str) -> bool {
    READS.contains(&command) || matches!(command, "add" | "archive" | "config" | "reflog" | "remote")
}

pub(super) fn is_command(name: &str) -> bool {
    READS.contains(&name) || STAGES.contains(&name) || OTHERS.contains(&name)
}

pub(super) fn run(r: &mut Reading<'_, '_, '_>, command: &str, rest: Vec<Arg>, here: &Here) -> Flow {
    check_programs(r, &rest);
    if asks_for_help(command, &rest) {
        return Flow::unknown(Taint::NONE);
    }
    match command {
        "commit" | "merge" | "cherry-pick" | "revert" | "am" | "rebase" | "pull" => commit(r, command, rest, here),
        "commit-tree" => {
            act(r, Act::GitStage, None);
            Flow::unknown(Taint::NONE)
        }
        "push" | "send-pack" => push(r, rest, here),
        "reset" => reset(r, rest, here),
        "checkout" | "switch" => checkout(r, command, rest, here),
        "restore" => restore(r, rest, here),
        "clean" => clean(r, rest),
        "stash" => stash(r, rest, here),
        "branch" | "tag" => branches(r, command, rest, here),
        "worktree" => worktree(r, rest, here),
        "subtree" => subtree(r, rest, here),
        "remote" => remote(r, &Words::new(rest, &[])),
        "config" => config(r, rest),
        "reflog" | "gc" | "prune" | "replace" | "maintenance" => history(r, command, &Words::new(rest, &[])),
        "rm" => remove(r, rest),
        "update-ref" | "symbolic-ref" => update_ref(r, command, rest, here),
        "filter-branch" | "filter-repo" | "fast-import" => {
            here.moves(r, Act::GitRewrite, "*");
            run_filters(r, &rest);
            Flow::default()
        }
        "init" => {
            act(r, Act::GitStage, None);
            let words = Words::new(rest, &["-b", "--initial-branch", "--template", "--separate-git-dir"]);
            if let Some(folder) = words.value(&["--separate-git-dir"]) {
                r.touch(Act::FsWrite, &folder, Extent::Below);
            }
            new_repository(r, words.operand(0).unwrap_or("."));
            Flow::default()
        }
        "read-tree" if rest.iter().any(|arg| arg.text == "--reset") => {
            act(r, Act::GitDiscard, None);
            Flow::default()
        }
        "add" | "stage" => add(r, rest),
        "mv" => moved(r, rest),
        "apply" => apply(r, rest, here),
        "clone" | "fetch" | "submodule" | "lfs" | "ls-remote" => fetch(r, command, rest, here),
        "checkout-index" => {
            let words = Words::new(rest, &["--prefix", "--stage"]);
            act(r, if words.has(&["-f", "--force"]) { Act::GitDiscard } else { Act::GitStage }, None);
            let prefix = words.value(&["--prefix"]);
            if prefix.is_some() || words.has(&["--temp"]) {
                for file in words.all_paths() {
                    r.touch(Act::FsRead, &file, Extent::Below);
                }
                if prefix.is_none() {
                    return Flow::names(words.operands);
                }
            }
            let files: Vec<Arg> = prefix.into_iter().chain(words.operands).chain(words.paths).collect();
            for file in &files {
                r.touch(Act::FsWrite, file, Extent::Below);
            }
            Flow::default()
        }
        "read-tree" => {
            act(r, Act::GitStage, None);
            if let Some(prefix) = Words::new(rest, &["--prefix"]).value(&["--prefix"]) {
                r.touch(Act::FsWrite, &prefix, Extent::Below);
            }
            Flow::default()
        }
        "bisect" => {
            act(r, Act::GitStage, None);
            if rest.first().is_some_and(|arg| arg.text == "run") {
                return r.run(rest.into_iter().skip(1).collect());
            }
            Flow::default()
        }
        "fast-export" => reading(r, command, rest, here),
        "format-patch" if rest.iter().any(|arg| arg.text == "--stdout") => reading(r, command, rest, here),
        "credential" if rest.first().is_some_and(|verb| verb.text == "fill") => {
            r.act(Act::SecretPrint, Some("git credential"));
            Flow::unknown(Taint::secret("git credential"))
        }
        _ if READS.contains(&command) => reading(r, command, rest, here),
        "format-patch" | "archive" | "bundle" => {
            act(r, Act::GitRead, None);
            let words = Words::new(rest, &["-o", "--output", "--output-directory"]);
            let made = words.operands.get(1).filter(|_| command == "bundle" && words.operand(0) == Some("create"));
            for file in words.value(&["-o", "--output", "--output-directory"]).iter().chain(made) {
                r.touch(Act::FsWrite, file, Extent::Single);
            }
            let copied = if command == "archive" { words.operands.get(1..).unwrap_or_default() } else { &[] };
            for path in copied.iter().chain(&words.paths).flat_map(pathspec).collect::<Vec<_>>() {
                r.touch(Act::FsRead, &path, Extent::Below);
            }
            Flow::unknown(Taint::NONE)
        }
        _ => {
            act(r, Act::GitStage, None);
            Flow::default()
        }
    }
}

/// Whether git prints its usage and does nothing else. For some commands that only look, `-h` means something.
fn asks_for_help(command: &str, rest: &[Arg]) -> bool {
    let options: Vec<&str> = rest.iter().map(|arg| arg.text.as_str()).take_while(|text| *text != "--").collect();
    let takes_value = |option: &str| {
        option.starts_with('-') && !option.contains('=') && option.ends_with(['m', 'F', 'C', 'c', 'b', 'B'])
    };
    let is_value = |at: usize| at > 0 && options.get(at - 1).is_some_and(|before| takes_value(before));
    let short = !READS.contains(&command) || rest.len() == 1;
    options.iter().enumerate().any(|(at, text)| *text == "--help" || *text == "-h" && short && !is_value(at))
}

pub(super) fn act(r: &mut Reading<'_, '_, '_>, act: Act, branch: Option<&str>) {
    r.object(act, Object { branch: branch.map(Into::into), ..Object::default() });
}

/// Options of several commands that name a program to run.
fn check_programs(r: &mut Reading<'_, '_, '_>, rest: &[Arg]) {
    for (index, arg) in rest.iter().enumerate() {
        if arg.text == "--" {
            return;
        }
        let named = [
            "--upload-pack",
            "--receive-pack",
            "--exec",
            "--open-files-in-pager",
            "--extcmd",
            "--ext-diff-command",
            "-O",
        ]
        .iter()
        .find(|name| {
            arg.text == **name
                || arg
                    .text
                    .strip_prefix(**name)
                    .is_some_and(|value| value.starts_with('=') || name.len() == 2 && !value.is_empty())
        });
        let Some(name) = named else { continue };
        if *name == "-O" && !rest.first().is_some_and(|_| r.call.args.iter().any(|arg| arg.text == "grep")) {
            continue;
        }
        let command = match arg.text.strip_prefix(*name).map(|value| value.trim_start_matches('=')) {
            Some("") | None => rest.get(index + 1).cloned().unwrap_or_default(),
            Some(value) => arg.with_text(value),
        };
        if matches!(command.text.as_str(), "git-upload-pack" | "git-receive-pack" | "less" | "vi" | "vim" | "code" | "")
        {
            continue;
        }
        r.act(Act::ExecDynamic, Some(name));
        r.run_text(&command);
    }
}

/// Options of commands that make commits whose value may be the next argument.
const COMMIT_VALUES: &[&str] = &[
    "-m",
    "-F",
    "-C",
    "-c",
    "-t",
    "--author",
    "--date",
    "--message",
    "--file",
    "--template",
    "--fixup",
    "--squash",
    "--reuse-message",
    "--reedit-message",
    "--trailer",
    "--cleanup",
    "--pathspec-from-file",
    "-X",
    "--strategy-option",
    "--strategy",
    "--exec",
    "-x",
    "--onto",
    "--depth",
    "--into-name",
];

/// Whatever makes a commit on the branch that is checked out.
fn commit(r: &mut Reading<'_, '_, '_>, command: &str, rest: Vec<Arg>, here: &Here) -> Flow {
    // `-m` is a parent's number for some, `-x` and `-c` are flags, and only `commit` has a value for `--squash`.
    let flags: &[&str] = match command {
        "commit" => &["-X", "-x"],
        "merge" => &["-C", "-c", "-t", "-x", "--squash", "--exec"],
        "cherry-pick" | "revert" => &["-x", "-c", "-C", "-F", "-t", "--squash"],
        "rebase" => &["-m", "-F", "-C", "-c", "-t", "--squash"],
        _ => &["-m", "-c", "-t", "-x", "--squash", "--exec"],
    };
    let values: Vec<&str> = COMMIT_VALUES.iter().copied().filter(|name| !flags.contains(name)).collect();
    let words = Words::new(rest, &values);
    if words.has(&["--abort", "--quit", "--show-current-patch", "--edit-todo"]) {
        act(r, Act::GitStage, None);
        return Flow::default();
    }
    let looks = match command {
        "commit" => words.has(&["--dry-run", "--short", "--porcelain", "--long"]),
        "pull" => words.has(&["--dry-run"]),
        _ => false,
    };
    if looks {
        act(r, Act::GitRead, None);
        return Flow::default();
    }
    if words.has(&["--no-verify"]) || command == "commit" && words.has(&["-n"]) || hooks_off(r) {
        r.act(Act::GuardChange, Some("git hooks skipped"));
    }
    match command {
        "am" if !words.has(&["--continue", "--resolved", "-r", "--skip"]) => apply_patches(r, &words, here),
        "rebase" => return rebase(r, &words, here),
        "pull" => {
            r.object(Act::NetFetch, Object { remote: words.operand(0).map(Into::into), ..Object::default() });
            let only_forward = words.has(&["--ff-only"]);
            here.lands(r, if only_forward { Act::GitStage } else { Act::GitCommit });
            return Flow::default();
        }
        "merge" => {
            let staged = words.has(&["--squash"]) || words.has(&["--no-commit"]) && words.has(&["--no-ff"]);
            if staged {
                act(r, Act::GitStage, here.branch());
                return Flow::default();
            }
            if is_here(&words, here) {
                act(r, Act::GitRead, None);
                return Flow::default();
            }
        }
        "cherry-pick" | "revert" if words.has(&["-n", "--no-commit"]) => {
            act(r, Act::GitStage, here.branch());
            return Flow::default();
        }
        _ => {}
    }
    here.lands(r, Act::GitCommit);
    Flow::default()
}

/// Whether all that is named is what is checked out: there is nothing to merge, and nothing to move.
fn is_here(words: &Words, here: &Here) -> bool {
    let is_head =
        |name: &str| matches!(name, "HEAD" | "@") || here.branch() == Some(name.trim_start_matches("refs/heads/"));
    !words.operands.is_empty() && words.operands.iter().all(|arg| arg.known() && is_head(&arg.text))
}

/// A rebase moves the branch that it names, or the one that is checked out.
fn rebase(r: &mut Reading<'_, '_, '_>, words: &Words, here: &Here) -> Flow {
    if let Some(text) = words.value(&["--exec", "-x"]) {
        r.run_text(&text);
    }
    if words.has(&["--continue", "--skip"]) {
        let moved = here.repository.as_ref().and_then(|repository| repository.rebased_branch(r.analysis.machine));
        match moved {
            Some(branch) => here.moves(r, Act::GitCommit, &branch),
            None => act(r, Act::GitCommit, here.branch()),
        }
        return Flow::default();
    }
    if words.has_only(&["-q", "--quiet", "-v"]) && is_here(words, here) {
        act(r, Act::GitRead, None);
        return Flow::default();
    }
    let named = words.operand(if words.has(&["--root"]) { 0 } else { 1 }).map(str::to_owned);
    match named {
        Some(branch) => {
            here.moves(r, Act::GitCommit, &branch);
            here.switch(r, Position::Branch(branch));
        }
        None => here.lands(r, Act::GitCommit),
    }
    Flow::default()
}

/// Other repositories as folders of this one: all but splitting and pushing makes a commit.
fn subtree(r: &mut Reading<'_, '_, '_>, rest: Vec<Arg>, here: &Here) -> Flow {
    let words = Words::new(rest, &["-P", "--prefix", "-m", "--message", "-b", "--branch"]);
    match words.operand(0) {
        Some("add" | "merge" | "pull") => here.lands(r, Act::GitCommit),
        Some("push") => act(r, Act::GitPush, words.operand(2)),
        _ => act(r, Act::GitStage, None),
    }
    Flow::default()
}
