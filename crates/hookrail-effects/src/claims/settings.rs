//! Settings of repositories and build tools that make a harmless command run something: only those known not to are claimed.

use super::Words;
use crate::analysis::Analysis;
use crate::machine::ReadOnlyWorld;
use crate::paths::tidy;
use crate::proof::DoubtReason;
use crate::repository::Repository;
use crate::shell::Shell;
use hookrail_core::tidy_path::is_within;
use hookrail_shell::ast::Span;
use std::path::{Path, PathBuf};

/// Sections of git's configuration that never run anything, whatever their keys are.
const SECTIONS: &[&str] = &[
    "advice",
    "branch",
    "color",
    "column",
    "fetch",
    "gc",
    "i18n",
    "index",
    "init",
    "log",
    "maintenance",
    "pull",
    "push",
    "rerere",
    "status",
    "user",
    "versionsort",
    "apply",
    "blame",
    "commitgraph",
    "feature",
    "pack",
    "safe",
    "stash",
    "worktree",
];
/// Keys of other sections that never do.
const KEYS: &[&str] = &[
    "core.abbrev",
    "core.autocrlf",
    "core.bare",
    "core.bigfilethreshold",
    "core.commentchar",
    "core.compression",
    "core.eol",
    "core.filemode",
    "core.ignorecase",
    "core.logallrefupdates",
    "core.longpaths",
    "core.precomposeunicode",
    "core.preloadindex",
    "core.quotepath",
    "core.repositoryformatversion",
    "core.safecrlf",
    "core.sharedrepository",
    "core.sparsecheckout",
    "core.sparsecheckoutcone",
    "core.splitindex",
    "core.symlinks",
    "core.untrackedcache",
    "core.whitespace",
    "commit.gpgsign",
    "commit.verbose",
    "commit.cleanup",
    "diff.algorithm",
    "diff.colormoved",
    "diff.context",
    "diff.mnemonicprefix",
    "diff.noprefix",
    "diff.renames",
    "diff.renamelimit",
    "extensions.objectformat",
    "extensions.partialclone",
    "extensions.refstorage",
    "lfs.repositoryformatversion",
    "merge.conflictstyle",
    "merge.ff",
    "merge.renames",
    "rebase.autosquash",
    "rebase.autostash",
    "rebase.updaterefs",
    "tag.gpgsign",
    "tag.sort",
];
/// Keys of a remote and of a submodule that never do.
const OF_REMOTE: &[&str] = &[
    "url",
    "fetch",
    "push",
    "pushurl",
    "tagopt",
    "prune",
    "prunetags",
    "mirror",
    "gh-resolved",
    "partialclonefilter",
    "promisor",
    "active",
    "branch",
    "ignore",
];

/// Notes what the configuration and the hooks of a repository may run when git works in it. `reads` is set for commands that
/// leave references and files alone.
pub(crate) fn of_repository(analysis: &mut Analysis<'_>, repository: Option<&Repository>, reads: bool, span: Span) {
    let Some(repository) = repository else {
        analysis.doubt(DoubtReason::Settings, "no repository", span);
        return;
    };
    let mut hooks = repository.common.join("hooks");
    for file in [repository.common.join("config"), repository.git_folder.join("config.worktree")] {
        if analysis.machine.kind(&file).is_none() {
            continue;
        }
        if analysis.may_have_changed(&file) {
            analysis.doubt(DoubtReason::Settings, "config", span);
        }
        let Some(text) = analysis.machine.read_small(&file) else {
            analysis.doubt(DoubtReason::Settings, "config", span);
            continue;
        };
        for (key, value) in keys(&text) {
            if key == "core.hookspath" {
                hooks = tidy(repository.root.as_deref().unwrap_or(&repository.git_folder).join(&value));
                if value.starts_with('~') || value.contains('%') {
                    analysis.doubt(DoubtReason::Settings, &key, span);
                }
            } else if !is_harmless(&key, &value) {
                analysis.doubt(DoubtReason::Settings, &key, span);
            }
        }
    }
    if analysis.may_have_changed(&hooks) {
        analysis.doubt(DoubtReason::Settings, "hooks", span);
    }
    let runs = |name: &str| {
        let is_sample = name.ends_with(".sample") || name.contains('.') || name == "_";
        !is_sample && (!reads || name == "post-index-change")
    };
    let found = analysis.machine.list(&hooks).unwrap_or_default().into_iter().find(|name| runs(name));
    if let Some(hook) = found {
        analysis.doubt(DoubtReason::Settings, &hook, span);
    }
}

fn is_harmless(key: &str, value: &str) -> bool {
    let section = key.split('.').next().unwrap_or_default();
    let name = key.rsplit('.').next().unwrap_or_default();
    SECTIONS.contains(&section)
        || KEYS.contains(&key)
        || matches!(section, "remote" | "submodule") && OF_REMOTE.contains(&name) && !value.starts_with("ext::")
        || key == "core.fsmonitor" && matches!(value, "true" | "false")
        // An alias counts only where it is used, and then it is no command that is claimed.
        || section == "alias"
}

/// The keys of a configuration file in small letters, sections in front, with their values.
fn keys(text: &str) -> Vec<(String, String)> {
    let mut section = String::new();
    let mut found = Vec::new();
    for line in text.lines() {
        let mut line = line.trim();
        if let Some(head) = line.strip_prefix('[') {
            let (head, rest) = head.split_once(']').unwrap_or((head, ""));
            let (name, below) = head.split_once([' ', '\t']).unwrap_or((head, ""));
            section = format!("{}{}", name.to_ascii_lowercase(), if below.is_empty() { "" } else { ".x" });
            line = rest.trim();
        }
        if line.is_empty() || line.starts_with(['#', ';']) {
            continue;
        }
        // A line that goes on holds more than is read here.
        let continues = line.ends_with('\\');
        let (name, value) = line.split_once('=').unwrap_or((line, "true"));
        let name = if continues { "continued" } else { name.trim() };
        let value = value.trim().trim_matches('"');
        found.push((format!("{section}.{}", name.to_ascii_lowercase()), value.to_owned()));
    }
    found
}

/// Finds a setting of cargo that runs something, in the files between the folder and the root, or an option behind `--` that
/// reaches the compiler.
pub(super) fn of_cargo(analysis: &mut Analysis<'_>, shell: &Shell<'_>, words: &Words<'_>) -> Option<String> {
    let reaches_compiler = words
        .operands
        .iter()
        .find(|arg| ["-C", "-Z", "--config", "-L", "--emit"].iter().any(|word| arg.text.starts_with(word)));
    if let Some(arg) = reaches_compiler {
        return Some(arg.text.clone());
    }
    let cwd = shell.cwd.as_deref()?;
    let home = analysis.around.home.clone();
    let below_home = cwd.ancestors().take(16).take_while(|folder| Some(*folder) != home.as_deref());
    let folders: Vec<PathBuf> = below_home.map(|folder| folder.join(".cargo")).collect();
    for folder in folders {
        for name in ["config.toml", "config"] {
            let file = folder.join(name);
            if analysis.machine.kind(&file).is_none() {
                continue;
            }
            let text = analysis.machine.read_small(&file).filter(|_| !analysis.may_have_changed(&file));
            let subcommand = words.operands.first().map_or("", |arg| arg.text.as_str());
            if !text.is_some_and(|text| is_plain_cargo(&text, subcommand)) {
                return Some(format!(".cargo/{name}"));
            }
        }
    }
    None
}

/// Reports whether a file of cargo has only sections that run nothing. An alias cannot stand for a command of cargo's own.
fn is_plain_cargo(text: &str, _subcommand: &str) -> bool {
    let mut section = String::new();
    text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')).all(|line| {
        if line.starts_with('[') {
            section = line.trim_matches(['[', ']', ' ']).split('.').next().unwrap_or_default().to_owned();
            return matches!(
                &*section,
                "alias"
                    | "net"
                    | "term"
                    | "registries"
                    | "registry"
                    | "profile"
                    | "http"
                    | "future-incompat-report"
                    | "build"
            );
        }
        let key = line.split('=').next().unwrap_or_default().trim();
        let builds =
            matches!(key, "target" | "jobs" | "incremental" | "target-dir" | "build-dir") && !line.contains("..");
        match &*section {
            "" => false,
            "build" => builds,
            _ => true,
        }
    })
}

/// Keys of `.npmrc` that run nothing and lead nowhere else.
const OF_NPM: &[&str] = &[
    "always-auth",
    "audit",
    "auto-install-peers",
    "engine-strict",
    "fund",
    "legacy-peer-deps",
    "loglevel",
    "package-lock",
    "progress",
    "registry",
    "save-exact",
    "save-prefix",
    "shamefully-hoist",
    "strict-peer-dependencies",
    "update-notifier",
];

/// Finds a setting of a task runner that runs something else than its tasks.
pub(super) fn of_tasks(analysis: &Analysis<'_>, shell: &Shell<'_>, program: &str) -> Option<String> {
    let files: &[&str] = match program {
        "npm" => &[".npmrc"],
        "pnpm" => &[".npmrc", "pnpm-workspace.yaml"],
        "yarn" => &[".yarnrc", ".yarnrc.yml"],
        _ => return None,
    };
    let Some(cwd) = shell.cwd.as_deref() else { return Some("the working directory".to_owned()) };
    let project = &analysis.around.project;
    if !is_within(cwd, project) {
        return Some("the working directory".to_owned());
    }
    let folders: Vec<&Path> = cwd.ancestors().take_while(|folder| is_within(folder, project)).collect();
    for file in files {
        for path in folders.iter().map(|folder| folder.join(file)) {
            if analysis.machine.kind(&path).is_some() && !is_plain_runner(analysis.machine, &path, file) {
                return Some((*file).to_owned());
            }
        }
    }
    None
}

fn is_plain_runner(machine: &dyn ReadOnlyWorld, path: &Path, name: &str) -> bool {
    let Some(text) = machine.read_small(path) else { return false };
    match name {
        ".npmrc" => {
            text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with(['#', ';'])).all(|line| {
                let key = line.split('=').next().unwrap_or_default().trim();
                OF_NPM.contains(&key) || key.starts_with("//") || key.starts_with('@') && key.ends_with(":registry")
            })
        }
        "pnpm-workspace.yaml" => !text.contains("hell") && !text.contains("odeOptions"),
        _ => false,
    }
}
