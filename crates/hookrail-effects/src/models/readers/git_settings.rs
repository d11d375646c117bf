//! Commands of git that change configuration, references and history.

use super::Reading;
use super::git::is_run_key;
use super::git_acts::act;
use super::git_words::Words;
use crate::act::Act;
use crate::analysis::Extent;
use crate::flow::{Arg, Flow, Taint};
use crate::object::Object;

pub(super) fn remote(r: &mut Reading<'_, '_, '_>, words: &Words) -> Flow {
    match words.operand(0) {
        None | Some("show" | "get-url" | "-v") => act(r, Act::GitRead, None),
        Some("update" | "prune") => act(r, Act::GitStage, None),
        Some(_) => {
            let object = Object {
                remote: words.operand(1).map(Into::into),
                url: words.operand(2).map(Into::into),
                ..Object::default()
            };
            r.object(Act::GitConfig, object);
        }
    }
    Flow::unknown(Taint::NONE)
}

pub(super) fn config(r: &mut Reading<'_, '_, '_>, rest: Vec<Arg>) -> Flow {
    let words = Words::new(rest, &["-f", "--file", "--blob", "--type", "--default"]);
    let reads = words.has(&[
        "--get",
        "--get-all",
        "--get-regexp",
        "-l",
        "--list",
        "--get-urlmatch",
        "--show-origin",
        "--name-only",
        "--get-color",
    ]) || matches!(words.operand(0), Some("get" | "list"))
        || words.operands.len() < 2
            && !words.has(&["--unset", "--unset-all", "--remove-section", "--edit", "-e", "--add"]);
    if reads {
        act(r, Act::GitRead, None);
        if let Some(file) = words.value(&["-f", "--file"]) {
            r.touch(Act::FsRead, &file, Extent::Single);
        }
        return Flow::unknown(Taint::NONE);
    }
    if let Some(file) = words.value(&["-f", "--file"]) {
        r.touch(Act::FsWrite, &file, Extent::Single);
    }
    let skip = usize::from(matches!(words.operand(0), Some("set" | "unset")));
    let key = words.operand(skip).unwrap_or_default().to_ascii_lowercase();
    let value = words.operands.get(skip + 1).cloned();
    let of_remote = key.strip_prefix("remote.").and_then(|rest| rest.strip_suffix("url")?.split('.').next());
    r.object(
        Act::GitConfig,
        Object {
            target: Some(key.as_str().into()),
            remote: of_remote.map(Into::into),
            url: value.as_ref().filter(|_| of_remote.is_some()).map(|value| value.text.as_str().into()),
            ..Object::default()
        },
    );
    if let (Some(name), Some(value)) = (key.strip_prefix("alias."), &value) {
        r.shell.heads.aliases.change().push((name.to_owned(), value.text.clone()));
    }
    if key == "core.hookspath" {
        r.act(Act::GuardChange, Some("core.hooksPath"));
        r.act(Act::HostPersist, Some(&key));
    }
    let runs = is_run_key(&key)
        || key.starts_with("alias.") && value.as_ref().is_some_and(|value| value.text.starts_with('!'));
    if runs && let Some(value) = value {
        r.act(Act::HostPersist, Some(&key));
        let global = words.has(&["--global", "--system"]);
        if global || value.text.contains(['|', ';', '/']) {
            r.run_text(&value.with_text(value.text.trim_start_matches('!')));
        }
    }
    Flow::default()
}

/// Commands that may throw away what only the reflog still knows.
pub(super) fn history(r: &mut Reading<'_, '_, '_>, command: &str, words: &Words) -> Flow {
    let rewrites = match command {
        "reflog" => matches!(words.operand(0), Some("expire" | "delete")),
        "gc" => {
            words.has(&["--prune"])
                && words.value(&["--prune"]).is_some_and(|when| matches!(when.text.as_str(), "now" | "all"))
        }
        "prune" => !words.has(&["-n", "--dry-run"]),
        "replace" => true,
        _ => false,
    };
    let reads = command == "reflog" && !rewrites;
    act(
        r,
        if rewrites {
            Act::GitRewrite
        } else if reads {
            Act::GitRead
        } else {
            Act::GitStage
        },
        None,
    );
    Flow::unknown(Taint::NONE)
}

pub(super) fn run_filters(r: &mut Reading<'_, '_, '_>, rest: &[Arg]) {
    for (index, arg) in rest.iter().enumerate() {
        if arg.text.starts_with("--") && arg.text.ends_with("-filter") {
            let text = rest.get(index + 1).cloned().unwrap_or_default();
            r.run_text(&text);
        }
    }
}
