//! git: its own options, and what they set for the call.

use super::git_here::{Here, variable};
use super::{Reading, files, git_acts, git_alias};
use crate::act::Act;
use crate::effect::GapReason;
use crate::flow::{Arg, Flow, Taint};
use crate::object::{Data, Object};
use crate::secrets::holds_secret;
use crate::shell::{self, Invocation};

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

pub(super) fn read(r: &mut Reading<'_, '_, '_>) -> Flow {
    let args = r.call.args.clone();
    let before = r.shell.cwd.clone();
    let mut aliases: Vec<(String, String)> = aliases_of_environment(r);
    let (mut git_folder, mut at) = (None, 0);
    let mut work_tree = variable(r, "GIT_WORK_TREE");
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
                let setting = next();
                if setting.text.starts_with("core.worktree=") {
                    work_tree = Some(setting.after("core.worktree=".len()));
                }
                set_for_call(r, &setting, &mut aliases);
                at += 2;
            }
            "--git-dir" => {
                git_folder = Some(next());
                at += 2;
            }
            "--work-tree" => {
                work_tree = Some(next());
                at += 2;
            }
            "--namespace" | "--exec-path" | "--super-prefix" => at += 2,
            "--version" | "--help" | "-h" | "--html-path" | "--man-path" | "--info-path" => {
                r.shell.cwd = before;
                return Flow::unknown(Taint::NONE);
            }
            _ if text.starts_with("--git-dir=") => {
                git_folder = Some(arg.after(10));
                at += 1;
            }
            _ if text.starts_with("--work-tree=") => {
                work_tree = Some(arg.after(12));
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
    let Some(command) = args.get(at).cloned() else {
        r.shell.cwd = before;
        return Flow::default();
    };
    let rest: Vec<Arg> = args.into_iter().skip(at + 1).collect();
    let mut here = Here::find(r, git_folder.as_ref());
    if let Some(folder) = work_tree.filter(|folder| !folder.text.is_empty()) {
        here.work_in(r, &folder);
    }
    let reads = git_acts::only_reads(&command.text);
    crate::claims::of_repository(r.analysis, here.repository.as_ref(), reads, r.call.span);
    // What an alias runs is about the same repository.
    if let Some(folder) = git_folder {
        r.call.env.push(("GIT_DIR".to_owned(), folder));
    }
    // What is written into a commit or a tag is pushed with it, and stays there.
    let written = matches!(command.text.as_str(), "commit" | "tag" | "notes" | "merge" | "commit-tree");
    if written && rest.iter().any(|arg| holds_secret(&arg.text) || arg.taint.secret.is_some()) {
        r.object(Act::SecretSend, Object { data: Some(Data::Secret), ..Object::default() });
    }
    let flow = if !command.known() {
        r.act(Act::ExecDynamic, Some("git"));
        r.gap(GapReason::DynamicCode, &rest);
        r.mixed()
    } else if git_acts::is_command(&command.text) {
        git_acts::run(r, &command.text, rest, &here)
    } else {
        git_alias::run(r, &command, rest, &aliases, &here)
    };
    if let Some(state) = &mut r.shell.if_failed {
        state.cwd.clone_from(&before);
    }
    r.shell.cwd = before;
    flow
}

/// `git-commit`, as it stands in git's own folder.
pub(crate) fn dashed(call: &Invocation) -> Option<Invocation> {
    let command = call.program.strip_prefix("git-").filter(|command| git_acts::is_command(command))?;
    let mut call = call.clone();
    call.args.insert(0, Arg::new(command, call.span));
    call.program = "git".to_owned();
    Some(call)
}

/// `GIT_CONFIG_KEY_0=alias.x GIT_CONFIG_VALUE_0=…`.
fn aliases_of_environment(r: &mut Reading<'_, '_, '_>) -> Vec<(String, String)> {
    let mut aliases = Vec::new();
    for index in 0..8 {
        let Some(key) = variable(r, &format!("GIT_CONFIG_KEY_{index}")) else { break };
        let value = variable(r, &format!("GIT_CONFIG_VALUE_{index}")).unwrap_or_default();
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
    if let Some(name) = lower.strip_prefix("alias.") {
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

/// Everything tracked, as names for whoever reads the list.
pub(super) fn tracked(r: &Reading<'_, '_, '_>) -> Vec<Arg> {
    let root = Arg::new(r.analysis.around.project.to_string_lossy(), r.call.span);
    vec![files::below(&root, "**")]
}
