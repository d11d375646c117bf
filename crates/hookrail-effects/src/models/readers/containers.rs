//! Containers: what runs in one reaches this machine only through what is mounted.

use super::{ProgramReader, Reading};
use crate::act::Act;
use crate::analysis::{Extent, Mount};
use crate::flow::{Arg, Flow, Taint};
use crate::models::rows_of;
use crate::paths::tidy;
use std::path::PathBuf;

pub(super) fn reader(name: &str) -> Option<ProgramReader> {
    Some(match name {
        "container_copy" => container_copy,
        "container_run" => run,
        "container_exec" | "compose_run" => exec,
        "container_inspect" => inspect,
        "docker_build" => build,
        "compose" => compose,
        "dash_compose" => dash_compose,
        "podman" => podman,
        "kube_exec" => kube_exec,
        _ => return None,
    })
}

const RUN_FLAGS: &[&str] = &[
    "--rm",
    "-i",
    "-t",
    "-it",
    "-ti",
    "-d",
    "-dit",
    "-itd",
    "--detach",
    "--interactive",
    "--tty",
    "--init",
    "--privileged",
    "--read-only",
    "-P",
    "--publish-all",
    "--no-healthcheck",
    "--oom-kill-disable",
    "--sig-proxy",
    "-q",
    "--quiet",
];

fn run(r: &mut Reading<'_, '_, '_>) -> Flow {
    let from = r.call.args.iter().position(|arg| matches!(arg.text.as_str(), "run" | "create")).map_or(0, |at| at + 1);
    let args: Vec<Arg> = r.call.args.iter().skip(from).cloned().collect();
    let (mut mounts, mut folder, mut privileged) = (Vec::new(), PathBuf::from("/"), false);
    let mut entry: Option<Arg> = None;
    let mut at = 0;
    while let Some(arg) = args.get(at) {
        let text = arg.text.as_str();
        if !text.starts_with('-') {
            break;
        }
        let (name, joined) =
            text.split_once('=').map_or((text, None), |(name, _)| (name, Some(arg.after(name.len() + 1))));
        let flag = RUN_FLAGS.contains(&name)
            || joined.is_none()
                && !name.starts_with("--")
                && name.len() > 2
                && !name.starts_with("-v")
                && !name.starts_with("-p")
                && !name.starts_with("-e");
        let attached = joined.is_none()
            && name.len() > 2
            && (name.starts_with("-v") || name.starts_with("-e") || name.starts_with("-p"))
            && !name.starts_with("--");
        let value = joined.or_else(|| {
            if attached {
                Some(arg.after(2))
            } else if flag {
                None
            } else {
                args.get(at + 1).cloned()
            }
        });
        let short = if attached { name.get(..2).unwrap_or(name) } else { name };
        match short {
            "-v" | "--volume" => mounts.extend(value.as_ref().and_then(|value| volume(r, value))),
            "--mount" => mounts.extend(value.as_ref().and_then(|value| mount(r, value))),
            "-w" | "--workdir" => folder = value.as_ref().map(|value| PathBuf::from(&value.text)).unwrap_or(folder),
            "--entrypoint" => entry.clone_from(&value),
            "--privileged" => privileged = true,
            "--pid" | "--userns" | "--ipc" | "--uts" if value.as_ref().is_some_and(|value| value.text == "host") => {
                privileged = true;
            }
            "--cap-add"
                if value.as_ref().is_some_and(|value| {
                    matches!(value.text.as_str(), "ALL" | "SYS_ADMIN" | "SYS_PTRACE" | "SYS_MODULE")
                }) =>
            {
                privileged = true;
            }
            "--device" | "--security-opt" => {
                privileged |= value
                    .as_ref()
                    .is_some_and(|value| value.text.contains("/dev/") || value.text.contains("unconfined"));
            }
            "--env-file" => {
                if let Some(file) = &value {
                    r.touch(Act::FsRead, file, Extent::Single);
                }
            }
            _ => {}
        }
        at += if text.contains('=') || flag || attached { 1 } else { 2 };
    }
    privileged |= mounts.iter().any(|mount: &Mount| gives_host(mount));
    if privileged {
        r.act(Act::ExecPrivileged, Some("container"));
    }
    let image = args.get(at).map(|arg| arg.text.clone());
    r.act(Act::ContainerRun, image.as_deref());
    let mut command: Vec<Arg> = args.into_iter().skip(at + 1).collect();
    if let Some(entry) = entry {
        command.insert(0, entry);
    }
    inside(r, command, Some(mounts), folder)
}

/// Mounts that hand over the machine.
fn gives_host(mount: &Mount) -> bool {
    let host = mount.host.as_os_str();
    host == "/"
        || host == "/etc"
        || host == "/var/run/docker.sock"
        || host == "/run/docker.sock"
        || host == "/proc"
        || host == "/dev"
        || host == "/root"
        || host == "/home"
}

fn volume(r: &Reading<'_, '_, '_>, value: &Arg) -> Option<Mount> {
    let (host, rest) = value.text.split_once(':')?;
    // A name without a slash is a volume of the engine.
    if !host.contains('/') && host != "." && host != ".." {
        return None;
    }
    let inside = rest.split(':').next()?;
    if rest.ends_with(":ro") {
        return None;
    }
    let host = tidy(r.shell.cwd.as_deref()?.join(host));
    Some(Mount { inside: inside.into(), host })
}

fn mount(r: &Reading<'_, '_, '_>, value: &Arg) -> Option<Mount> {
    let field = |names: &[&str]| {
        value.text.split(',').find_map(|part| {
            part.split_once('=').filter(|(name, _)| names.contains(name)).map(|(_, value)| value.to_owned())
        })
    };
    if field(&["type"]).as_deref() != Some("bind") {
        return None;
    }
    let host = tidy(r.shell.cwd.as_deref()?.join(field(&["source", "src"])?));
    Some(Mount { inside: field(&["target", "dst", "destination"])?.into(), host })
}

/// Follows a command inside of a container. Without `mounts` nothing of this machine is seen in it.
fn inside(r: &mut Reading<'_, '_, '_>, command: Vec<Arg>, mounts: Option<Vec<Mount>>, folder: PathBuf) -> Flow {
    if command.is_empty() {
        return Flow::unknown(Taint::NONE);
    }
    let before_mounts = r.analysis.mounts.replace(mounts.unwrap_or_default());
    let before_folder = r.shell.cwd.replace(folder);
    let from = r.analysis.effects.list.len();
    let gaps = r.analysis.effects.gaps.len();
    let flow = r.run(command);
    r.shell.cwd = before_folder;
    r.analysis.mounts = before_mounts;
    // What has no path happens in the container alone, but what goes over the network or to a database leaves it.
    let mut index = 0;
    r.analysis.effects.list.retain(|effect| {
        index += 1;
        index <= from
            || effect.on.path.is_some()
            || matches!(effect.act.family(), "net" | "db" | "infra" | "git")
            || matches!(effect.act, Act::SecretSend | Act::ExecTest | Act::ExecBuild)
    });
    r.analysis.effects.gaps.truncate(gaps);
    flow
}

fn exec(r: &mut Reading<'_, '_, '_>) -> Flow {
    let operands = r.parsed.operands.clone();
    let Some((target, _)) = operands.split_first() else { return Flow::default() };
    r.act(Act::ContainerRun, Some(&target.text));
    let from = r.call.args.iter().rposition(|arg| arg == target).map_or(0, |at| at + 1);
    let command: Vec<Arg> = r.call.args.iter().skip(from).filter(|arg| arg.text != "--").cloned().collect();
    inside(r, command, None, PathBuf::from("/"))
}

fn kube_exec(r: &mut Reading<'_, '_, '_>) -> Flow {
    let target = r.parsed.operands.first().map(|arg| arg.text.clone());
    r.act(Act::InfraWrite, target.as_deref());
    let Some(at) = r.call.args.iter().position(|arg| arg.text == "--") else { return Flow::default() };
    let command: Vec<Arg> = r.call.args.iter().skip(at + 1).cloned().collect();
    let destroys = command.first().is_some_and(|arg| matches!(arg.text.as_str(), "rm" | "shred" | "dd" | "mkfs"));
    if destroys {
        r.act(Act::InfraDestroy, target.as_deref());
    }
    inside(r, command, None, PathBuf::from("/"))
}

fn build(r: &mut Reading<'_, '_, '_>) -> Flow {
    r.act(Act::ContainerRun, None);
    if r.call.args.iter().any(|arg| arg.text == "--push") {
        r.act(Act::PackagePublish, r.parsed.value(&["-t", "--tag"]).map(|arg| arg.text.clone()).as_deref());
    }
    for file in r.parsed.values(&["-f", "--file"]).cloned().collect::<Vec<_>>() {
        r.touch(Act::FsRead, &file, Extent::Single);
    }
    Flow::unknown(Taint::NONE)
}

fn compose(r: &mut Reading<'_, '_, '_>) -> Flow {
    r.act(Act::ContainerRun, None);
    Flow::unknown(Taint::NONE)
}

fn dash_compose(r: &mut Reading<'_, '_, '_>) -> Flow {
    let mut args = vec![Arg::new("docker", r.call.span), Arg::new("compose", r.call.span)];
    args.extend(r.call.args.clone());
    r.run(args)
}

/// The variables of a container hold what it was started with.
fn inspect(r: &mut Reading<'_, '_, '_>) -> Flow {
    if r.call.args.iter().any(|arg| arg.text.contains(".Config.Env")) {
        r.act(Act::SecretPrint, Some("environment"));
    }
    Flow::unknown(Taint::NONE)
}

/// podman understands what docker does, and pods.
fn podman(r: &mut Reading<'_, '_, '_>) -> Flow {
    if r.first() == "pod" {
        let act = if matches!(r.word(1), "rm" | "kill" | "prune") { Act::ContainerDestroy } else { Act::ContainerRun };
        r.act(act, Some("pod"));
        return Flow::default();
    }
    if (r.first(), r.word(1)) == ("system", "reset") {
        r.act(Act::ContainerDestroy, Some("all"));
        return Flow::default();
    }
    let known = rows_of("docker", &r.call.args).len() > 1;
    if !known {
        r.act(Act::ContainerRun, None);
        return Flow::default();
    }
    let mut args = vec![Arg::new("docker", r.call.span)];
    args.extend(r.call.args.clone());
    r.run(args)
}

/// A copy into a container or out of one: the side without a colon is of this machine.
fn container_copy(r: &mut Reading<'_, '_, '_>) -> Flow {
    let flow = r.by_usage();
    let operands = r.parsed.operands.clone();
    if let Some((target, sources)) = operands.split_last() {
        let here = |arg: &Arg| !arg.text.contains(':') && arg.text != "-";
        if here(target) {
            r.touch(Act::FsWrite, target, Extent::Below);
        }
        for source in sources.iter().filter(|source| here(source)) {
            r.touch(Act::FsRead, source, Extent::Below);
        }
    }
    flow
}
