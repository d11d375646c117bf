//! What goes to other repositories and comes from them: push, fetch, clone, submodules.

use super::Reading;
use super::git_acts::act;
use super::git_branches::new_repository;
use super::git_here::Here;
use super::git_words::Words;
use crate::act::Act;
use crate::analysis::Extent;
use crate::flow::{Arg, Flow, Taint};
use crate::object::{MovedBranch, Object};
use crate::shell::{self, base_name};

/// Branches that others build on.
fn is_shared(branch: &str) -> bool {
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

/// Where a push goes that is no remote of the repository so far: a URL, or a remote that this call has made or changed.
fn new_remote(r: &Reading<'_, '_, '_>, words: &Words) -> Option<Box<str>> {
    let repo = words.value(&["--repo"]).map(|repo| repo.text);
    let name = repo.as_deref().or(words.operand(0)).unwrap_or("origin");
    let is_url = name.contains("://") || name.contains('@') && name.contains(':');
    if is_url {
        return Some(name.into());
    }
    let setting = |two: &[Arg]| match two {
        [option, setting] if option.text == "-c" => {
            let (key, url) = setting.text.split_once('=')?;
            let key = key.strip_prefix("remote.")?.strip_prefix(name)?;
            matches!(key, ".url" | ".pushurl").then(|| Box::from(url))
        }
        _ => None,
    };
    if let Some(url) = r.call.args.windows(2).find_map(setting) {
        return Some(url);
    }
    let made = r.analysis.effects.list.iter().rev().filter(|effect| effect.act == Act::GitConfig);
    made.filter(|effect| effect.on.remote.as_deref() == Some(name)).find_map(|effect| effect.on.url.clone())
}

pub(super) fn push(r: &mut Reading<'_, '_, '_>, rest: Vec<Arg>, here: &Here) -> Flow {
    let branch = here.branch();
    let words = Words::new(rest, &["-o", "--push-option", "--receive-pack", "--exec", "--repo"]);
    if words.has(&["--dry-run", "-n"]) {
        act(r, Act::GitRead, None);
        return Flow::default();
    }
    if words.has(&["--no-verify"]) {
        r.act(Act::GuardChange, Some("git hooks skipped"));
    }
    let remote: Option<Box<str>> = words.operand(0).map(Into::into);
    let elsewhere = new_remote(r, &words);
    let lease = words.has(&["--force-with-lease", "--force-if-includes"]);
    let force = words.has(&["-f", "--force", "--mirror", "--prune"]);
    let deletes = words.has(&["-d", "--delete"]);
    let mut specs: Vec<String> = words.operands.iter().skip(1).map(|arg| arg.text.clone()).collect();
    // Every branch goes there, whatever is called so.
    if words.has(&["--mirror", "--all", "--branches"]) {
        specs.push("refs/heads/*:refs/heads/*".to_owned());
    }
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
        let source = spec.rsplit_once(':').map(|(source, _)| source.trim_start_matches("refs/heads/"));
        let source =
            source.map(|source| if matches!(source, "HEAD" | "@") { branch.unwrap_or("HEAD") } else { source });
        // What is pushed to its own name was there before, unless it is forced; what gets another name is new there.
        let moved = forced && !lease || source.is_some_and(|source| source != target);
        let every = target.strip_suffix('*').filter(|_| moved);
        let moved_to = every.and_then(|prefix| branch.filter(|branch| branch.starts_with(prefix))).unwrap_or(target);
        let moves = here.repository.as_ref().filter(|_| moved || removed);
        let moves = moves
            .map(|repository| Box::new(MovedBranch { repository: repository.common.clone(), branch: moved_to.into() }));
        let object = Object {
            branch: (!target.is_empty()).then(|| target.into()),
            remote: remote.clone(),
            host: elsewhere.as_deref().and_then(super::host_of).map(Into::into),
            url: elsewhere.clone(),
            moves,
            ..Object::default()
        };
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

pub(super) fn fetch(r: &mut Reading<'_, '_, '_>, command: &str, rest: Vec<Arg>, here: &Here) -> Flow {
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
        "submodule" if words.operand(0) == Some("add") => {
            act(r, Act::GitStage, None);
            r.object(Act::NetFetch, Object { url: words.operand(1).map(Into::into), ..Object::default() });
            if let Some(folder) = words.operands.get(2).cloned() {
                r.touch(Act::FsWrite, &folder, Extent::Below);
            }
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
            let name = base_name(&url).trim_end_matches(".git").to_owned();
            let target = words.operands.get(1).cloned().unwrap_or_else(|| Arg::new(name, r.call.span));
            r.touch(Act::FsWrite, &target, Extent::Single);
            new_repository(r, &target.text);
            if super::host_of(&url).is_some_and(|host| host.contains('.')) && !url.starts_with(['.', '/']) {
                shell::note_fetched(r.shell, &target);
            }
        }
        _ => {
            act(r, Act::GitStage, None);
            if command == "fetch" && !words.has(&["--dry-run"]) {
                fetch_into(r, &words, here);
            }
            r.object(Act::NetFetch, Object { remote: words.operand(0).map(Into::into), ..Object::default() });
        }
    }
    Flow::unknown(Taint::NONE)
}

/// `git fetch origin next:main` moves a branch of this repository.
fn fetch_into(r: &mut Reading<'_, '_, '_>, words: &Words, here: &Here) {
    let targets: Vec<String> = words
        .operands
        .iter()
        .skip(1)
        .filter_map(|spec| spec.text.trim_start_matches('+').split_once(':'))
        .filter(|(_, target)| !target.is_empty() && (!target.starts_with("refs/") || target.starts_with("refs/heads/")))
        .map(|(_, target)| target.to_owned())
        .collect();
    for target in targets {
        here.moves(r, Act::GitBranch, &target);
    }
}
