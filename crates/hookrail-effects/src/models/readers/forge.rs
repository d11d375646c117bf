//! Command lines of GitHub and GitLab.

use super::sending::send;
use super::{ProgramReader, Reading};
use crate::act::Act;
use crate::analysis::Extent;
use crate::effect::GivenFor;
use crate::flow::{Arg, Flow, Taint};
use crate::object::Object;

pub(super) fn reader(name: &str) -> Option<ProgramReader> {
    (name == "gh").then_some(gh as ProgramReader)
}

/// GitHub's and GitLab's command lines.
fn gh(r: &mut Reading<'_, '_, '_>) -> Flow {
    // `hub` is git with more commands.
    if r.call.program == "hub" && super::git_acts::is_command(r.first()) {
        let git = Arg::new("git", r.call.span);
        let args = std::iter::once(git).chain(r.call.args.clone()).collect();
        return r.run(args);
    }
    let host = if r.call.program == "glab" { "gitlab.com" } else { "github.com" };
    let args = r.args().iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
    let words: Vec<&str> = args.iter().filter(|text| !text.starts_with('-')).map(String::as_str).collect();
    let (noun, verb) = (words.first().copied().unwrap_or_default(), words.get(1).copied().unwrap_or_default());
    let object = Object { host: Some(host.into()), ..Object::default() };
    let taint = r.call.taint();
    let target = words.get(2).copied();
    read_sent_files(r, noun, verb);
    match (noun, verb) {
        ("api", _) => return gh_api(r, &args, host),
        ("auth", "token") => {
            r.act(Act::SecretPrint, Some("github token"));
            return Flow::unknown(Taint::secret("GITHUB_TOKEN"));
        }
        ("auth", "status") | ("completion" | "help" | "version", _) => {}
        (
            "secret" | "variable" | "ssh-key" | "gpg-key" | "deploy-key",
            "set" | "add" | "create" | "delete" | "remove",
        ) => {
            send(r.analysis, &taint, object, r.call.span);
            r.act(if verb.starts_with('d') || verb == "remove" { Act::InfraDestroy } else { Act::InfraWrite }, target);
        }
        (
            "repo" | "release" | "project" | "codespace" | "cs" | "gist" | "label" | "run" | "cache" | "ruleset",
            "delete" | "archive" | "stop",
        ) => {
            r.object(Act::NetSend, object);
            r.act(Act::InfraDestroy, Some(&words.join(" ")));
        }
        ("repo", "edit" | "rename" | "transfer" | "sync" | "set-default" | "deploy-key") => {
            r.object(Act::NetSend, object);
            r.act(Act::InfraWrite, Some(&words.join(" ")));
        }
        ("repo" | "gist", "clone") => {
            r.object(Act::NetFetch, object);
            // The folder is named, or is the repository's name.
            let folder = words.get(3).or_else(|| words.get(2)).map(|name| crate::shell::base_name(name).to_owned());
            let folder = words.get(3).map(|name| (*name).to_owned()).or(folder).unwrap_or_default();
            let folder = Arg::new(folder, r.call.span);
            r.analysis.give_for("gh", &[folder], r.shell.cwd.as_deref(), GivenFor::Writing);
        }
        (_, "download") => {
            r.object(Act::NetFetch, object);
            let into = args
                .iter()
                .zip(args.iter().skip(1))
                .find(|(name, _)| matches!(name.as_str(), "-D" | "--dir" | "-O" | "--output"));
            let attached =
                args.iter().find_map(|text| text.strip_prefix("--dir=").or_else(|| text.strip_prefix("--output=")));
            let into = into.map(|(_, value)| value.as_str()).or(attached).map(|into| Arg::new(into, r.call.span));
            if let Some(into) = into {
                r.touch(Act::FsWrite, &into, Extent::Below);
            }
        }
        ("repo" | "gist", "create") => {
            r.object(Act::NetSend, object);
            r.act(Act::InfraWrite, target);
            r.act(Act::PackagePublish, target);
        }
        ("release", "create" | "upload" | "edit") => {
            r.object(Act::NetSend, object);
            r.act(Act::PackagePublish, target);
        }
        ("pr" | "mr", "merge") => {
            r.object(Act::NetSend, object);
            r.act(Act::GitPush, target);
            // Past the reviews and checks that the repository asks for.
            if args.iter().any(|arg| arg == "--admin") {
                r.act(Act::GuardChange, Some("branch protection"));
            }
        }
        ("workflow" | "run", "run" | "rerun" | "enable" | "disable" | "cancel") => {
            r.object(Act::NetSend, object);
            r.act(Act::InfraWrite, target);
        }
        ("extension" | "ext", "install" | "upgrade") => r.act(Act::PackageInstall, target),
        ("extension" | "ext", "exec") => r.act(Act::ExecRun, target),
        ("alias" | "config" | "auth", _) => r.act(Act::GitConfig, target),
        (_, "list" | "view" | "status" | "diff" | "checks" | "watch" | "checkout" | "ls" | "get" | "")
        | ("search" | "browse" | "status", _) => {
            r.object(Act::NetFetch, object);
        }
        _ => send(r.analysis, &taint, object, r.call.span),
    }
    Flow::unknown(Taint { remote: noun == "api" || verb == "view", ..Taint::NONE })
}

/// Files that are uploaded: `gh gist create FILE`, `gh release upload TAG FILE`, `gh secret set -f FILE`.
fn read_sent_files(r: &mut Reading<'_, '_, '_>, noun: &str, verb: &str) {
    let from = match (noun, verb) {
        ("gist", "create") => 2,
        ("release", "upload" | "create") => 3,
        _ => usize::MAX,
    };
    let operands = r.call.args.iter().filter(|arg| !arg.text.starts_with('-')).skip(from).cloned();
    let named = ["-f", "--env-file", "-F", "--body-file", "--notes-file", "--input"];
    let reads = |two: &&[Arg]| two.first().is_some_and(|option| named.contains(&option.text.as_str()));
    let values = r.call.args.windows(2).filter(reads).filter_map(|two| two.get(1)).cloned();
    let attached = r.call.args.iter().filter_map(|arg| {
        let (option, _) = arg.text.split_once('=')?;
        named.contains(&option).then(|| arg.after(option.len() + 1))
    });
    let files: Vec<Arg> = operands.chain(values.filter(|_| noun != "api")).chain(attached).collect();
    for file in files.iter().filter(|file| file.text != "-") {
        r.touch(Act::FsRead, file, Extent::Single);
    }
}

fn gh_api(r: &mut Reading<'_, '_, '_>, args: &[String], host: &str) -> Flow {
    let mut method = "";
    let mut fields = false;
    for (index, text) in args.iter().enumerate() {
        if matches!(text.as_str(), "-X" | "--method") {
            method = args.get(index + 1).map_or("", String::as_str);
        } else if let Some(value) = text.strip_prefix("--method=").or_else(|| text.strip_prefix("-X")) {
            method = value;
        }
        fields |= matches!(text.as_str(), "-f" | "-F" | "--field" | "--raw-field" | "--input");
    }
    let path = args.iter().skip(1).find(|text| text.contains('/') && !text.starts_with('-')).cloned();
    let object = Object { host: Some(format!("api.{host}").into()), ..Object::default() };
    match method {
        "DELETE" => {
            r.object(Act::NetSend, object);
            r.act(Act::InfraDestroy, path.as_deref());
        }
        "POST" | "PUT" | "PATCH" => {
            r.object(Act::NetSend, object);
            r.act(Act::InfraWrite, path.as_deref());
        }
        "" if fields => {
            r.object(Act::NetSend, object);
            r.act(Act::InfraWrite, path.as_deref());
        }
        _ => r.object(Act::NetFetch, object),
    }
    Flow::unknown(Taint { remote: true, ..Taint::NONE })
}
