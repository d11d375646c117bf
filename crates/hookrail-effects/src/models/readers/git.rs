//! git: its own options, aliases, and the repository that is meant.

use super::git_acts;
use super::{Reading, files};
use crate::act::Act;
use crate::flow::{Arg, Flow, Taint};
use crate::paths::tidy;
use crate::shell;
use std::path::{Path, PathBuf};

/// Configuration keys whose values git runs.
const RUN_KEYS: &[&str] = &[
    "core.sshcommand",
    "core.pager",
    "core.editor",
    "core.fsmonitor",
    "sequence.editor",
    "credential.helper",
    "diff.external",
    "core.askpass",
    "gpg.program",
    "uploadpack.packobjectshook",
    "core.gitproxy",
];

/// What is known about one call of git before its subcommand.
pub(super) struct Repository {
    /// The branch that is checked out.
    pub branch: Option<String>,
    pub git_folder: Option<PathBuf>,
}

pub(super) fn read(r: &mut Reading<'_, '_, '_>) -> Flow {
    let args = r.call.args.clone();
    let before = r.shell.cwd.clone();
    let mut aliases: Vec<(String, String)> = aliases_of_environment(r);
    let (mut git_folder, mut at) = (r.call.variable("GIT_DIR").cloned(), 0);
    check_environment(r);
    while let Some(arg) = args.get(at) {
        let text = arg.text.as_str();
        let next = || args.get(at + 1).cloned().unwrap_or_default();
        match text {
            "-C" => {
                let folder = next();
                r.shell.cwd = shell::folder(r.analysis, r.shell, &folder);
                at += 2;
            }
            "-c" | "--config-env" => {
                set_for_call(r, &next(), &mut aliases);
                at += 2;
            }
            "--git-dir" => {
                git_folder = Some(next());
                at += 2;
            }
            "--work-tree" | "--namespace" | "--exec-path" | "--super-prefix" => at += 2,
            "--version" | "--help" | "-h" | "--html-path" | "--man-path" | "--info-path" => {
                return Flow::unknown(Taint::NONE);
            }
            _ if text.starts_with("--git-dir=") => {
                git_folder = Some(arg.after(10));
                at += 1;
            }
            _ if text.starts_with("--exec-path=") => {
                r.act(Act::ExecDynamic, Some("--exec-path"));
                at += 1;
            }
            _ if text.starts_with('-') => at += 1,
            _ => break,
        }
    }
    let Some(command) = args.get(at).cloned() else { return Flow::default() };
    let rest: Vec<Arg> = args.into_iter().skip(at + 1).collect();
    let repository = Repository::find(r, git_folder.as_ref());
    let flow = if git_acts::is_command(&command.text) {
        git_acts::run(r, &command.text, rest, &repository)
    } else {
        run_alias(r, &command, rest, &aliases, &repository)
    };
    r.shell.cwd = before;
    flow
}

/// `GIT_CONFIG_KEY_0=alias.x GIT_CONFIG_VALUE_0=…`.
fn aliases_of_environment(r: &mut Reading<'_, '_, '_>) -> Vec<(String, String)> {
    let mut aliases = Vec::new();
    for index in 0..8 {
        let Some(key) = r.call.variable(&format!("GIT_CONFIG_KEY_{index}")).cloned() else { break };
        let value = r.call.variable(&format!("GIT_CONFIG_VALUE_{index}")).cloned().unwrap_or_default();
        set_for_call(r, &value.with_text(format!("{}={}", key.text, value.text)), &mut aliases);
    }
    aliases
}

/// Variables that make git run something, or that switch off what checks a commit.
fn check_environment(r: &mut Reading<'_, '_, '_>) {
    for name in [
        "GIT_SSH_COMMAND",
        "GIT_SSH",
        "GIT_EXTERNAL_DIFF",
        "GIT_PAGER",
        "GIT_EDITOR",
        "GIT_SEQUENCE_EDITOR",
        "GIT_ASKPASS",
        "GIT_PROXY_COMMAND",
    ] {
        if let Some(value) = r.call.variable(name).cloned()
            && !is_plain_program(&value.text)
        {
            r.act(Act::ExecDynamic, Some(name));
            r.run_text(&value);
        }
    }
}

/// Programs that are ordinary as an editor, a pager or a transport.
fn is_plain_program(text: &str) -> bool {
    let program = shell::base_name(text.split_whitespace().next().unwrap_or_default());
    let plain = [
        "",
        "cat",
        "less",
        "more",
        "true",
        ":",
        "vi",
        "vim",
        "nvim",
        "nano",
        "ssh",
        "delta",
        "code",
        "emacs",
        "sed",
        "store",
        "cache",
        "osxkeychain",
        "manager",
    ];
    plain.contains(&program)
        && !text.contains(['|', ';', '&', '$', '`'])
        && !text.to_ascii_lowercase().contains("proxycommand")
}

/// `-c key=value`: an alias, something that git runs, or a switch that turns hooks off.
fn set_for_call(r: &mut Reading<'_, '_, '_>, setting: &Arg, aliases: &mut Vec<(String, String)>) {
    let (key, value) = setting.text.split_once('=').unwrap_or((&setting.text, "true"));
    let lower = key.to_ascii_lowercase();
    if let Some(name) = key.strip_prefix("alias.") {
        aliases.push((name.to_owned(), value.to_owned()));
    } else if lower == "core.hookspath" {
        r.act(Act::GuardChange, Some("core.hooksPath"));
    } else if is_run_key(&lower) && !is_plain_program(value) {
        r.act(Act::ExecDynamic, Some(key));
        let command = setting.with_text(value.trim_start_matches('!'));
        r.run_text(&command);
    }
}

pub(super) fn is_run_key(lower: &str) -> bool {
    RUN_KEYS.contains(&lower)
        || lower.ends_with(".textconv")
        || lower.starts_with("filter.")
        || lower.starts_with("pager.")
        || (lower.starts_with("diff.") && lower.ends_with(".command"))
        || (lower.starts_with("merge.") && lower.ends_with(".driver"))
        || (lower.starts_with("mergetool.") || lower.starts_with("difftool.")) && lower.ends_with(".cmd")
        || lower.starts_with("credential.") && lower.ends_with(".helper")
}

/// An alias of this call, of the repository or of the user.
fn run_alias(
    r: &mut Reading<'_, '_, '_>,
    name: &Arg,
    rest: Vec<Arg>,
    own: &[(String, String)],
    repository: &Repository,
) -> Flow {
    let found = own.iter().rev().find(|(known, _)| *known == name.text).map(|(_, text)| text.clone());
    let Some(text) = found.or_else(|| configured_alias(r, &name.text, repository)) else {
        // Some `git-name` program.
        r.act(Act::ExecRun, Some(&format!("git {}", name.text)));
        return r.mixed();
    };
    if let Some(command) = text.strip_prefix('!') {
        let mut line = command.to_owned();
        for arg in &rest {
            line.push(' ');
            line.push_str(&shell::quote(arg));
        }
        return r.run_text(&name.with_text(line));
    }
    let mut words: Vec<Arg> = vec![Arg::new("git", name.span)];
    words.extend(text.split_whitespace().map(|word| Arg::new(word.trim_matches(['"', '\'']), name.span)));
    // An alias that names itself would not end.
    if words.get(1).is_some_and(|word| word.text == name.text) {
        return Flow::default();
    }
    words.extend(rest);
    r.run(words)
}

fn configured_alias(r: &Reading<'_, '_, '_>, name: &str, repository: &Repository) -> Option<String> {
    let mut files: Vec<PathBuf> = Vec::new();
    files.extend(repository.git_folder.as_ref().map(|folder| folder.join("config")));
    if let Some(home) = &r.analysis.around.home {
        files.push(home.join(".gitconfig"));
        files.push(home.join(".config/git/config"));
    }
    files.iter().find_map(|file| alias_in(&r.analysis.machine.read_small(file)?, name))
}

fn alias_in(config: &str, name: &str) -> Option<String> {
    let mut inside = false;
    for line in config.lines().map(str::trim) {
        if line.starts_with('[') {
            inside = line.eq_ignore_ascii_case("[alias]");
        } else if inside
            && let Some((key, value)) = line.split_once('=')
            && key.trim() == name
        {
            return Some(value.trim().trim_matches('"').replace("\\\"", "\""));
        }
    }
    None
}

impl Repository {
    fn find(r: &Reading<'_, '_, '_>, named: Option<&Arg>) -> Self {
        let folder = match (named, &r.shell.cwd) {
            (Some(named), Some(cwd)) if named.known() => Some(tidy(&cwd.join(&named.text))),
            (None, Some(cwd)) => Self::above(r, cwd),
            _ => None,
        };
        let head = folder.as_ref().and_then(|folder| r.analysis.machine.read_small(&folder.join("HEAD")));
        let branch = head.and_then(|head| head.trim().strip_prefix("ref: refs/heads/").map(str::to_owned));
        // With reftable the file names a branch that does not exist.
        let branch = branch.filter(|branch| branch != ".invalid");
        Self { branch, git_folder: folder }
    }

    fn above(r: &Reading<'_, '_, '_>, cwd: &Path) -> Option<PathBuf> {
        cwd.ancestors().take(24).map(|folder| folder.join(".git")).find_map(|git| {
            match r.analysis.machine.kind(&git)? {
                hookrail_core::FileKind::Folder | hookrail_core::FileKind::Link => Some(git),
                // A worktree or a submodule: a file that names the folder.
                _ => {
                    let text = r.analysis.machine.read_small(&git)?;
                    let named = text.trim().strip_prefix("gitdir: ")?.to_owned();
                    Some(tidy(&git.parent()?.join(named)))
                }
            }
        })
    }
}

/// Everything tracked, as names for whoever reads the list.
pub(super) fn tracked(r: &Reading<'_, '_, '_>) -> Vec<Arg> {
    let root = Arg::new(r.analysis.around.project.to_string_lossy(), r.call.span);
    vec![files::below(&root, "*")]
}
