//! What each of git's commands does.

use super::Reading;
use super::git::{Repository, tracked};
use super::git_settings::{config, history, remote, run_filters, update_ref};
use super::git_tree::{add, apply, checkout, clean, moved, remove, reset, restore, stash, worktree};
use crate::act::Act;
use crate::analysis::Extent;
use crate::flow::{Arg, Flow, Taint};
use crate::object::Object;

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

pub(super) fn is_command(name: &str) -> bool {
    READS.contains(&name) || STAGES.contains(&name) || OTHERS.contains(&name)
}

pub(super) struct Words {
    pub all: Vec<Arg>,
    /// What is no option, up to `--`.
    pub operands: Vec<Arg>,
    /// What follows `--`.
    pub paths: Vec<Arg>,
}

impl Words {
    pub(super) fn new(all: Vec<Arg>, values: &[&str]) -> Self {
        let (mut operands, mut paths, mut behind, mut skip) = (Vec::new(), Vec::new(), false, false);
        for arg in &all {
            if std::mem::take(&mut skip) {
                continue;
            }
            if behind {
                paths.push(arg.clone());
            } else if arg.text == "--" {
                behind = true;
            } else if arg.text.starts_with('-') && arg.text.len() > 1 {
                skip = values.contains(&arg.text.as_str());
            } else {
                operands.push(arg.clone());
            }
        }
        Self { all, operands, paths }
    }

    pub(super) fn has(&self, names: &[&str]) -> bool {
        self.all.iter().take_while(|arg| arg.text != "--").any(|arg| {
            names.iter().any(|name| {
                arg.text == *name
                    || name.len() == 2
                        && !arg.text.starts_with("--")
                        && arg.text.starts_with('-')
                        && arg.text.contains(name.trim_start_matches('-'))
                    || name.len() > 3 && arg.text.strip_prefix(name).is_some_and(|rest| rest.starts_with('='))
            })
        })
    }

    pub(super) fn value(&self, name: &str) -> Option<Arg> {
        self.all.iter().enumerate().find_map(|(index, arg)| {
            if arg.text == name {
                return self.all.get(index + 1).cloned();
            }
            let at = arg.text.strip_prefix(name)?.starts_with('=').then_some(name.len() + 1)?;
            Some(arg.after(at))
        })
    }

    pub(super) fn operand(&self, index: usize) -> Option<&str> {
        self.operands.get(index).map(|arg| arg.text.as_str())
    }
}

pub(super) fn run(r: &mut Reading<'_, '_, '_>, command: &str, rest: Vec<Arg>, repository: &Repository) -> Flow {
    check_programs(r, &rest);
    if rest.iter().any(|arg| arg.text == "--help" || arg.text == "-h" && rest.len() == 1) {
        return Flow::unknown(Taint::NONE);
    }
    let branch = repository.branch.as_deref();
    match command {
        "commit" | "merge" | "cherry-pick" | "revert" | "am" | "rebase" | "pull" | "commit-tree" => {
            commit(r, command, rest, branch)
        }
        "push" | "send-pack" => push(r, rest, branch),
        "reset" => reset(r, rest, branch),
        "checkout" | "switch" => checkout(r, command, rest),
        "restore" => restore(r, rest),
        "clean" => clean(r, rest),
        "stash" => stash(r, rest),
        "branch" | "tag" => branches(r, command, rest, branch),
        "worktree" => worktree(r, rest),
        "remote" => remote(r, &Words::new(rest, &[])),
        "config" => config(r, rest),
        "reflog" | "gc" | "prune" | "replace" | "maintenance" => history(r, command, &Words::new(rest, &[])),
        "rm" => remove(r, rest),
        "update-ref" | "symbolic-ref" => update_ref(r, command, rest),
        "filter-branch" | "filter-repo" | "fast-import" => {
            act(r, Act::GitRewrite, None);
            run_filters(r, &rest);
            Flow::default()
        }
        "add" | "stage" => add(r, rest),
        "mv" => moved(r, rest),
        "apply" => apply(r, rest),
        "clone" | "fetch" | "submodule" | "lfs" | "ls-remote" => fetch(r, command, rest),
        "checkout-index" => {
            let words = Words::new(rest, &[]);
            act(r, if words.has(&["-f", "--force"]) { Act::GitDiscard } else { Act::GitStage }, None);
            Flow::default()
        }
        "bisect" => {
            act(r, Act::GitStage, None);
            if rest.first().is_some_and(|arg| arg.text == "run") {
                return r.run(rest.into_iter().skip(1).collect());
            }
            Flow::default()
        }
        "fast-export" => reading(r, command, rest),
        _ if READS.contains(&command) => reading(r, command, rest),
        "format-patch" | "archive" | "bundle" => {
            act(r, Act::GitRead, None);
            let words = Words::new(rest, &[]);
            for name in ["-o", "--output", "--output-directory"] {
                if let Some(file) = words.value(name) {
                    r.touch(Act::FsWrite, &file, Extent::Single);
                }
            }
            Flow::unknown(Taint::NONE)
        }
        _ => {
            act(r, Act::GitStage, None);
            Flow::default()
        }
    }
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

fn reading(r: &mut Reading<'_, '_, '_>, command: &str, rest: Vec<Arg>) -> Flow {
    act(r, Act::GitRead, None);
    let words = Words::new(rest, &[]);
    if let Some(file) = words.value("--output") {
        r.touch(Act::FsWrite, &file, Extent::Single);
    }
    match command {
        "ls-files" => Flow::names(if words.operands.is_empty() { tracked(r) } else { words.operands }),
        "diff" | "log" | "show" if words.has(&["--name-only"]) => Flow::names(tracked(r)),
        "rev-parse" if words.has(&["--show-toplevel"]) => Flow::literal(r.analysis.around.project.to_string_lossy()),
        "grep" if words.has(&["-l", "--files-with-matches"]) => Flow::names(tracked(r)),
        _ => Flow::unknown(Taint::NONE),
    }
}

/// Whatever makes a commit on the branch that is checked out.
fn commit(r: &mut Reading<'_, '_, '_>, command: &str, rest: Vec<Arg>, branch: Option<&str>) -> Flow {
    let words = Words::new(
        rest,
        &[
            "-m",
            "-F",
            "-C",
            "-c",
            "-S",
            "-t",
            "--author",
            "--date",
            "--message",
            "--file",
            "-X",
            "-s",
            "--exec",
            "-x",
            "--onto",
        ],
    );
    let ends = ["--abort", "--quit", "--skip", "--show-current-patch"];
    if words.has(&ends) {
        act(r, Act::GitStage, None);
        return Flow::default();
    }
    if command == "commit" && words.has(&["--dry-run"]) {
        act(r, Act::GitRead, None);
        return Flow::default();
    }
    if words.has(&["--no-verify"]) || command == "commit" && words.has(&["-n"]) || hooks_off(r) {
        r.act(Act::GuardChange, Some("git hooks skipped"));
    }
    if command == "rebase" {
        for name in ["--exec", "-x"] {
            if let Some(text) = words.value(name) {
                r.run_text(&text);
            }
        }
    }
    if command == "pull" {
        r.object(Act::NetFetch, Object { remote: words.operand(0).map(Into::into), ..Object::default() });
        if words.has(&["--ff-only"]) {
            act(r, Act::GitStage, branch);
            return Flow::default();
        }
    }
    act(r, Act::GitCommit, branch);
    Flow::default()
}

/// Variables that make hook managers do nothing.
fn hooks_off(r: &Reading<'_, '_, '_>) -> bool {
    let off =
        |name: &str, values: &[&str]| r.call.variable(name).is_some_and(|value| values.contains(&value.text.as_str()));
    off("HUSKY", &["0"])
        || off("HUSKY_SKIP_HOOKS", &["1", "true"])
        || off("LEFTHOOK", &["0", "false"])
        || r.call.variable("SKIP").is_some()
        || off("PRE_COMMIT_ALLOW_NO_CONFIG", &["1"])
}

/// Branches that others build on.
pub(super) fn is_shared(branch: &str) -> bool {
    matches!(
        branch,
        "main"
            | "master"
            | "trunk"
            | "develop"
            | "development"
            | "production"
            | "prod"
            | "staging"
            | "release"
            | "stable"
            | "gh-pages"
    ) || branch.starts_with("release/")
        || branch.starts_with("release-")
        || branch.starts_with("hotfix/")
}

fn push(r: &mut Reading<'_, '_, '_>, rest: Vec<Arg>, branch: Option<&str>) -> Flow {
    let words = Words::new(rest, &["-o", "--push-option", "--receive-pack", "--exec", "--repo"]);
    if words.has(&["--dry-run", "-n"]) {
        act(r, Act::GitRead, None);
        return Flow::default();
    }
    if words.has(&["--no-verify"]) {
        r.act(Act::GuardChange, Some("git hooks skipped"));
    }
    let remote: Option<Box<str>> = words.operand(0).map(Into::into);
    let lease = words.has(&["--force-with-lease", "--force-if-includes"]);
    let force = words.has(&["-f", "--force", "--mirror", "--prune"]);
    let deletes = words.has(&["-d", "--delete"]);
    let mut specs: Vec<String> = words.operands.iter().skip(1).map(|arg| arg.text.clone()).collect();
    if specs.is_empty() {
        specs.push(branch.unwrap_or_default().to_owned());
    }
    for spec in specs {
        let plus = spec.starts_with('+');
        let spec = spec.trim_start_matches('+');
        let removed = deletes || spec.starts_with(':') && spec.len() > 1;
        let target = spec.rsplit_once(':').map_or(spec, |(_, target)| target);
        let target = target.trim_start_matches("refs/heads/");
        let target = if target == "HEAD" { branch.unwrap_or("HEAD") } else { target };
        let forced = force || plus || removed || lease && is_shared(target);
        let act = if forced { Act::GitForce } else { Act::GitPush };
        let object =
            Object { branch: (!target.is_empty()).then(|| target.into()), remote: remote.clone(), ..Object::default() };
        r.object(act, object);
        if removed {
            r.object(
                Act::GitBranch,
                Object { branch: Some(target.into()), remote: remote.clone(), ..Object::default() },
            );
        }
    }
    if std::mem::take(&mut r.analysis.staged_secret) {
        r.object(Act::SecretSend, Object { remote, ..Object::default() });
    }
    Flow::default()
}

fn branches(r: &mut Reading<'_, '_, '_>, command: &str, rest: Vec<Arg>, branch: Option<&str>) -> Flow {
    let words = Words::new(
        rest,
        &[
            "-m",
            "--message",
            "-F",
            "-u",
            "--set-upstream-to",
            "--contains",
            "--merged",
            "--no-merged",
            "--sort",
            "--format",
            "--points-at",
        ],
    );
    let lists = words.operands.is_empty()
        && !words.has(&[
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
        ])
        || words.has(&[
            "-l",
            "--list",
            "-a",
            "-r",
            "-v",
            "-vv",
            "--show-current",
            "--contains",
            "--merged",
            "--no-merged",
        ]) && !words.has(&["-d", "-D", "--delete"]);
    if lists {
        act(r, Act::GitRead, None);
        return Flow::unknown(Taint::NONE);
    }
    let named = words.operand(0).map(str::to_owned).or_else(|| branch.map(str::to_owned));
    act(r, Act::GitBranch, named.as_deref());
    let deletes =
        words.has(&["-D"]) || words.has(&["-d", "--delete"]) && (words.has(&["-f", "--force"]) || command == "tag");
    let forces = command == "branch" && words.has(&["-f", "--force", "-M", "-C"]);
    if deletes || forces {
        for arg in words.operands.clone() {
            act(r, Act::GitDiscard, Some(&arg.text));
        }
    }
    Flow::default()
}

fn fetch(r: &mut Reading<'_, '_, '_>, command: &str, rest: Vec<Arg>) -> Flow {
    let words = Words::new(
        rest,
        &["-b", "--branch", "--depth", "-o", "--origin", "-j", "--jobs", "-c", "--config", "--reference", "--filter"],
    );
    if let Some(url) = words.operands.iter().find(|arg| arg.text.starts_with("ext::")).cloned() {
        r.act(Act::ExecDynamic, Some("ext::"));
        r.run_text(&url.after(5));
    }
    match command {
        "ls-remote" => act(r, Act::GitRead, None),
        "submodule" if words.operand(0) == Some("foreach") => {
            let text = words.operands.iter().skip(1).map(|arg| arg.text.as_str()).collect::<Vec<_>>().join(" ");
            let text = Arg::new(text, r.call.span);
            r.run_text(&text);
        }
        "submodule" if words.operand(0) == Some("deinit") => act(r, Act::GitDiscard, None),
        "submodule" if matches!(words.operand(0), None | Some("status" | "summary")) => act(r, Act::GitRead, None),
        "clone" => {
            let url = words.operand(0).unwrap_or_default().to_owned();
            let object = Object {
                url: Some(url.as_str().into()),
                host: super::host_of(&url).map(Into::into),
                ..Object::default()
            };
            r.object(Act::NetFetch, object);
            let name = super::super::super::shell::base_name(&url).trim_end_matches(".git").to_owned();
            let target = words.operands.get(1).cloned().unwrap_or_else(|| Arg::new(name, r.call.span));
            r.touch(Act::FsWrite, &target, Extent::Single);
        }
        _ => {
            act(r, Act::GitStage, None);
            r.object(Act::NetFetch, Object { remote: words.operand(0).map(Into::into), ..Object::default() });
        }
    }
    Flow::unknown(Taint::NONE)
}
