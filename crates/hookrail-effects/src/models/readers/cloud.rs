//! Clouds and platforms, by the verbs they are given.

use super::{ProgramReader, Reading, send};
use crate::act::Act;
use crate::analysis::Extent;
use crate::flow::{Arg, Flow, Taint};
use crate::object::Object;

pub(super) fn reader(name: &str) -> Option<ProgramReader> {
    Some(match name {
        "cloud" => by_verb,
        "payment" => payment,
        "aws" => aws,
        "storage" => storage,
        "terragrunt" => terragrunt,
        "ansible" => ansible,
        "vault" => vault,
        "op" => op,
        "keychain" => keychain,
        "doppler" => doppler,
        "kube_read" => kube_read,
        _ => return None,
    })
}

/// Money moves unless it is only looked at.
fn payment(r: &mut Reading<'_, '_, '_>) -> Flow {
    let looks = r.parsed.operands.iter().any(|arg| READS.contains(&arg.text.as_str()) || arg.text == "retrieve");
    if looks {
        return by_verb(r);
    }
    let words: Vec<&str> = r.args().into_iter().filter(|word| !word.starts_with('-')).take(2).collect();
    let target = words.join(" ");
    r.act(Act::PaySend, Some(&target));
    Flow::unknown(Taint { remote: true, ..Taint::NONE })
}

/// Verbs that destroy, as whole words or parts of `delete-bucket`.
const DESTROYS: &[&str] = &[
    "delete",
    "destroy",
    "rm",
    "rb",
    "remove",
    "terminate",
    "purge",
    "drop",
    "wipe",
    "del",
    "deregister",
    "down",
    "erase",
    "nuke",
    "uninstall",
    "reset",
    "deprovision",
    "teardown",
    "decommission",
    "truncate",
    "stop",
    "disassociate",
    "revoke",
    "prune",
    "empty",
];
const READS: &[&str] = &[
    "describe",
    "list",
    "ls",
    "get",
    "show",
    "status",
    "logs",
    "log",
    "tail",
    "head",
    "info",
    "describe",
    "view",
    "read",
    "check",
    "validate",
    "diff",
    "plan",
    "preview",
    "whoami",
    "version",
    "help",
    "search",
    "query",
    "inspect",
    "wait",
    "lookup",
    "ps",
    "top",
    "export",
    "print",
    "analyze",
    "synth",
    "doctor",
    "ping",
    "current",
    "history",
    "events",
    "open",
    "docs",
    "env",
    "outputs",
    "output",
    "explain",
    "estimate",
    "batch",
    "filter",
    "simulate",
    "test",
    "auth",
    "login",
    "logs:tail",
    "metrics",
    "monitor",
    "presign",
    "ssh-config",
    "local",
    "fmt",
    "lint",
    "build",
    "dev",
    "completion",
    "account",
    "caller",
];

/// What a verb does.
pub(crate) fn verb_act(word: &str) -> Option<Act> {
    let parts: Vec<&str> = word.split(['-', ':', '_', '.']).collect();
    let is = |list: &[&str]| {
        parts.first().is_some_and(|part| list.contains(part))
            || parts.last().is_some_and(|part| parts.len() > 1 && list.contains(part))
            || matches!(parts.as_slice(), ["batch", part, ..] if list.contains(part))
    };
    if is(DESTROYS) {
        Some(Act::InfraDestroy)
    } else if is(READS) {
        Some(Act::InfraRead)
    } else {
        None
    }
}

/// The first words are nouns, until one is a verb; without a verb that is known, something is changed.
pub(super) fn by_verb(r: &mut Reading<'_, '_, '_>) -> Flow {
    if r.parsed.dry {
        r.act(Act::InfraRead, None);
        return Flow::unknown(Taint::NONE);
    }
    let words: Vec<String> = r.parsed.operands.iter().map(|arg| arg.text.clone()).collect();
    let verb = words.iter().take(4).position(|word| verb_act(word) == Some(Act::InfraDestroy));
    let verb = verb.or_else(|| words.iter().take(4).position(|word| verb_act(word).is_some()));
    let act = verb.and_then(|at| verb_act(words.get(at)?)).unwrap_or(if words.is_empty() {
        Act::InfraRead
    } else {
        Act::InfraWrite
    });
    let options: Vec<String> = r
        .parsed
        .values(&[
            "--project",
            "-n",
            "-g",
            "--name",
            "--resource-group",
            "--subscription",
            "--app",
            "-a",
            "--environment",
            "-e",
            "--stack",
            "-s",
            "--stage",
            "--scope",
            "--profile",
            "--env",
        ])
        .map(|arg| arg.text.clone())
        .collect();
    let verb = verb.or((!words.is_empty()).then_some(0));
    let rest = words.iter().enumerate().filter(|(index, _)| Some(*index) != verb).map(|(_, word)| word.clone());
    let target = options.into_iter().chain(rest).collect::<Vec<_>>().join(" ");
    let secrets = words.iter().any(|word| {
        matches!(word.as_str(), "secrets" | "secret" | "secretmanager" | "keyvault" | "env:pull" | "config:get")
    });
    let pulls = words.first().is_some_and(|word| word == "env") && words.get(1).is_some_and(|word| word == "pull");
    if pulls
        || secrets
            && act == Act::InfraRead
            && words.iter().any(|word| {
                matches!(word.as_str(), "access" | "get" | "show" | "pull" | "read" | "download" | "env:pull")
            })
        || words.iter().any(|word| word == "print-access-token")
    {
        r.act(Act::SecretRead, Some(&target));
        return Flow::unknown(Taint::secret(""));
    }
    let act =
        if words.first().is_some_and(|word| word == "config") && act == Act::InfraRead { Act::InfraRead } else { act };
    r.act(act, (!target.is_empty()).then_some(target.as_str()));
    read_sources(r, &words);
    Flow::unknown(Taint::NONE)
}

/// The files of this machine that are copied somewhere else: all but the last that is named, and those of options.
fn read_sources(r: &mut Reading<'_, '_, '_>, words: &[String]) {
    let copies =
        words.iter().position(|word| matches!(word.as_str(), "cp" | "mv" | "rsync" | "upload" | "sync" | "put"));
    let Some(at) = copies else { return };
    let operands: Vec<Arg> = r.parsed.operands.iter().skip(at + 1).cloned().collect();
    let is_here = |arg: &&Arg| !arg.text.contains("://") && !arg.text.contains(':');
    let sources = operands.split_last().map_or(&[][..], |(_, sources)| sources).iter().filter(is_here).cloned();
    let named = r.parsed.values(&["-f", "--file", "--source", "-s"]).cloned();
    for source in sources.chain(named).collect::<Vec<_>>() {
        r.touch(Act::FsRead, &source, Extent::Below);
    }
}

fn aws(r: &mut Reading<'_, '_, '_>) -> Flow {
    let words: Vec<String> =
        r.call.args.iter().filter(|arg| !arg.text.starts_with('-')).map(|arg| arg.text.clone()).collect();
    let (service, verb) = (words.first().cloned().unwrap_or_default(), words.get(1).cloned().unwrap_or_default());
    if r.call.args.iter().any(|arg| matches!(arg.text.as_str(), "--dry-run" | "--dryrun" | "help")) {
        r.act(Act::InfraRead, Some(&service));
        return Flow::unknown(Taint::NONE);
    }
    if service == "s3" {
        return s3(r, &verb, &words);
    }
    let secret = matches!(
        (service.as_str(), verb.as_str()),
        ("secretsmanager", "get-secret-value" | "batch-get-secret-value")
            | ("ssm", "get-parameter" | "get-parameters" | "get-parameters-by-path")
            | ("sts", "assume-role" | "get-session-token")
            | ("iam", "create-access-key")
            | ("ecr", "get-login-password")
            | ("kms", "decrypt")
    ) || service == "configure" && verb == "export-credentials"
        || (service == "configure" && verb == "get")
            && words.get(2).is_some_and(|name| crate::secrets::is_secret_variable(&name.to_ascii_uppercase()));
    let harmless = service == "ecr" && verb == "get-login-password";
    let decrypted = service != "ssm" || r.call.args.iter().any(|arg| arg.text == "--with-decryption");
    if secret && !harmless && decrypted {
        r.act(Act::SecretRead, Some(&format!("{service} {verb}")));
        return Flow::unknown(Taint::secret(""));
    }
    let act = verb_act(&verb).unwrap_or(Act::InfraWrite);
    // Stopping an instance can be undone.
    let act = if verb.starts_with("stop-") || verb.starts_with("disassociate") || verb.starts_with("revoke") {
        Act::InfraWrite
    } else {
        act
    };
    r.act(act, Some(&format!("{service} {verb}")));
    Flow::unknown(Taint::NONE)
}

fn s3(r: &mut Reading<'_, '_, '_>, verb: &str, words: &[String]) -> Flow {
    let paths: Vec<Arg> = r
        .call
        .args
        .iter()
        .filter(|arg| !arg.text.starts_with('-') && words.iter().skip(2).any(|word| *word == arg.text))
        .cloned()
        .collect();
    let deletes = r.call.args.iter().any(|arg| arg.text == "--delete");
    let bucket = paths.iter().find(|arg| arg.text.starts_with("s3://")).map(|arg| arg.text.clone());
    match verb {
        "ls" | "presign" => r.act(Act::InfraRead, bucket.as_deref()),
        "rm" | "rb" => r.act(Act::InfraDestroy, bucket.as_deref()),
        "mb" | "website" => r.act(Act::InfraWrite, bucket.as_deref()),
        _ => transfer(
            r,
            verb,
            &paths,
            deletes || verb == "mv" && paths.first().is_some_and(|arg| arg.text.starts_with("s3://")),
        ),
    }
    Flow::unknown(Taint::NONE)
}

/// Copies between here and a bucket.
fn transfer(r: &mut Reading<'_, '_, '_>, _verb: &str, paths: &[Arg], deletes: bool) {
    let is_remote = |arg: &Arg| arg.text.contains("://") || arg.text.contains(':');
    let [source, target, ..] = paths else { return };
    let mut taint = Taint::NONE;
    if is_remote(source) {
        r.act(Act::InfraRead, Some(&source.text));
    } else {
        let before = r.analysis.effects.list.len();
        r.touch(Act::FsRead, source, Extent::Below);
        if r.analysis.effects.list.iter().skip(before).any(|effect| effect.act == Act::SecretRead) {
            taint.add(&Taint::secret(""));
        }
    }
    if is_remote(target) {
        let object = Object { target: Some(target.text.as_str().into()), ..Object::default() };
        send(r.analysis, &taint, object, target.span);
        r.act(if deletes { Act::InfraDestroy } else { Act::InfraWrite }, Some(&target.text));
    } else {
        r.touch(Act::FsWrite, target, Extent::Below);
        if deletes {
            r.touch(Act::FsDelete, target, Extent::Below);
        }
    }
}

fn storage(r: &mut Reading<'_, '_, '_>) -> Flow {
    let words: Vec<Arg> = r.call.args.iter().filter(|arg| !arg.text.starts_with('-')).cloned().collect();
    let verb = words.first().map(|arg| arg.text.clone()).unwrap_or_default();
    let paths: Vec<Arg> = words.into_iter().skip(1).collect();
    let first = paths.first().map(|arg| arg.text.clone());
    let deletes =
        r.call.args.iter().any(|arg| matches!(arg.text.as_str(), "-d" | "--delete-removed" | "--delete" | "--remove"));
    match verb.as_str() {
        "cp" | "mv" | "rsync" | "sync" | "copy" | "mirror" | "put" | "get" => transfer(r, &verb, &paths, deletes),
        verb => {
            let act = verb_act(verb).unwrap_or(Act::InfraWrite);
            r.act(act, first.as_deref());
        }
    }
    Flow::unknown(Taint::NONE)
}

fn terragrunt(r: &mut Reading<'_, '_, '_>) -> Flow {
    let mut args = vec![Arg::new("terraform", r.call.span)];
    let all: Vec<Arg> = r
        .call
        .args
        .iter()
        .filter(|arg| !matches!(arg.text.as_str(), "run-all" | "run" | "--all" | "--"))
        .cloned()
        .collect();
    args.extend(
        all.into_iter()
            .filter(|arg| !arg.text.starts_with("--terragrunt") && !arg.text.starts_with("--non-interactive")),
    );
    r.run(args)
}

fn ansible(r: &mut Reading<'_, '_, '_>) -> Flow {
    let target = r.first().to_owned();
    r.act(Act::InfraWrite, Some(&target));
    let module =
        r.parsed.value(&["-m", "--module-name"]).map(|arg| arg.text.clone()).unwrap_or_else(|| "command".to_owned());
    let args = r.parsed.value(&["-a", "--args"]).map(|arg| arg.text.clone()).unwrap_or_default();
    let destroys = args.contains("state=absent")
        || matches!(module.as_str(), "command" | "shell" | "raw") && args.trim_start().starts_with("rm ");
    if destroys {
        r.act(Act::InfraDestroy, Some(&target));
    }
    Flow::unknown(Taint::NONE)
}

fn vault(r: &mut Reading<'_, '_, '_>) -> Flow {
    let words: Vec<String> =
        r.call.args.iter().filter(|arg| !arg.text.starts_with('-')).map(|arg| arg.text.clone()).collect();
    let kv = words.first().is_some_and(|word| word == "kv");
    let verb = words.get(usize::from(kv)).cloned().unwrap_or_default();
    let target = words.get(usize::from(kv) + 1).cloned();
    match verb.as_str() {
        "get" | "read" | "unwrap" => r.act(Act::SecretRead, target.as_deref()),
        "list" | "status" | "version" | "help" | "lookup" => r.act(Act::InfraRead, target.as_deref()),
        "delete" | "destroy" | "disable" | "revoke" | "metadata" => r.act(Act::InfraDestroy, target.as_deref()),
        _ => r.act(Act::InfraWrite, target.as_deref()),
    }
    Flow::unknown(Taint::secret(""))
}

/// Password managers.
fn op(r: &mut Reading<'_, '_, '_>) -> Flow {
    let words: Vec<String> =
        r.call.args.iter().filter(|arg| !arg.text.starts_with('-')).map(|arg| arg.text.clone()).collect();
    let (verb, rest) = words.split_first().map(|(verb, rest)| (verb.as_str(), rest.join(" "))).unwrap_or_default();
    match verb {
        "run" => {
            let at = r.call.args.iter().position(|arg| arg.text == "--");
            if let Some(at) = at {
                let command = r.call.args.iter().skip(at + 1).cloned().collect();
                return r.run(command);
            }
        }
        "read" | "get" | "item" | "show" | "lookup" | "document" | "list" | "export" | "find" | "grep" | "" => {
            r.act(Act::SecretRead, (!rest.is_empty()).then_some(rest.as_str()));
        }
        "--version" | "whoami" | "status" | "signin" | "account" | "lock" | "sync" | "login" => {}
        _ if r.call.program == "pass"
            && !matches!(verb, "insert" | "generate" | "rm" | "edit" | "git" | "init" | "mv" | "cp") =>
        {
            r.act(Act::SecretRead, Some(verb));
        }
        _ => r.act(Act::SecretRead, (!rest.is_empty()).then_some(rest.as_str())),
    }
    Flow::unknown(Taint::secret(""))
}

fn keychain(r: &mut Reading<'_, '_, '_>) -> Flow {
    let verb = r.first().to_owned();
    if verb.starts_with("find-") || verb.starts_with("dump-") || verb == "export" {
        r.act(Act::SecretRead, None);
        return Flow::unknown(Taint::secret(""));
    }
    if verb.starts_with("delete-")
        || verb.starts_with("add-")
        || verb.starts_with("set-")
        || verb.starts_with("authorizationdb")
    {
        r.act(Act::HostPersist, Some(&verb));
    }
    Flow::default()
}

fn doppler(r: &mut Reading<'_, '_, '_>) -> Flow {
    match r.first() {
        "run" | "exec" => {
            let at = r.call.args.iter().position(|arg| arg.text == "--");
            let command = r.call.args.iter().skip(at.map_or(1, |at| at + 1)).cloned().collect();
            r.run(command)
        }
        "secrets" | "get" | "list" | "export" | "read" | "configs" => {
            r.act(Act::SecretRead, None);
            Flow::unknown(Taint::secret(""))
        }
        _ => by_verb(r),
    }
}

/// `kubectl get secret -o yaml` prints what is in it.
fn kube_read(r: &mut Reading<'_, '_, '_>) -> Flow {
    let secret = r.parsed.operands.iter().any(|arg| {
        arg.text.split(',').any(|word| {
            matches!(word, "secret" | "secrets") || word.starts_with("secret/") || word.starts_with("secrets/")
        })
    });
    let format = r.parsed.value(&["-o", "--output"]).map(|arg| arg.text.clone()).unwrap_or_default();
    let shows = !format.is_empty() && !matches!(format.as_str(), "name" | "wide");
    if secret && shows {
        let target = r.parsed.operands.iter().map(|arg| arg.text.as_str()).collect::<Vec<_>>().join(" ");
        r.act(Act::SecretRead, Some(&target));
        return Flow::unknown(Taint::secret(""));
    }
    r.by_usage()
}
