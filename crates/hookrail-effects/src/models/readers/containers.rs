//! Containers: what runs in one reaches this machine only through what is mounted.

use super::{ProgramReader, Reading};
use crate::act::Act;
use crate::analysis::{Extent, Mount};
use crate::flow::{Arg, Flow, Taint};
use crate::models::apply::GivenOption;
use crate::models::{looked_into, rows_of};
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
            "--mount" => mounts.extend(value.as_ref().and_then(|value| bind_mount(r, value))),
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
            "--env-file" | "--label-file" => {
                if let Some(file) = &value {
                    r.touch(Act::FsRead, file, Extent::Single);
                }
            }
            "--cidfile" => {
                if let Some(file) = &value {
                    r.touch(Act::FsWrite, file, Extent::Single);
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

fn volume(r: &mut Reading<'_, '_, '_>, value: &Arg) -> Option<Mount> {
    let (host, rest) = value.text.split_once(':')?;
    // A name without a slash is a volume of the engine.
    if !host.contains('/') && host != "." && host != ".." {
        return None;
    }
    let (inside, options) = rest.split_once(':').unwrap_or((rest, ""));
    let writable = !options.split(',').any(|option| matches!(option, "ro" | "readonly"));
    mount(r, &value.with_text(host), inside, writable)
}

fn bind_mount(r: &mut Reading<'_, '_, '_>, value: &Arg) -> Option<Mount> {
    if field(value, &["type"]).as_deref() != Some("bind") {
        return None;
    }
    let host = value.with_text(field(value, &["source", "src"])?);
    let inside = field(value, &["target", "dst", "destination"])?;
    let is_set = |part: &str| matches!(part, "ro" | "readonly" | "ro=true" | "readonly=true" | "ro=1" | "readonly=1");
    mount(r, &host, &inside, !value.text.split(',').any(is_set))
}

/// A field of a value such as `type=bind,src=a,dst=/b`.
fn field(value: &Arg, names: &[&str]) -> Option<String> {
    let named =
        |part: &str| part.split_once('=').filter(|(name, _)| names.contains(name)).map(|(_, value)| value.to_owned());
    value.text.split(',').find_map(named)
}

/// What is mounted is in reach of whatever runs in the container.
fn mount(r: &mut Reading<'_, '_, '_>, host: &Arg, inside: &str, writable: bool) -> Option<Mount> {
    r.touch(Act::FsRead, host, Extent::Single);
    let path = tidy(r.shell.cwd.as_deref().filter(|_| host.known())?.join(&host.text));
    Some(Mount { inside: inside.into(), host: path, writable })
}

/// Follows a command inside of a container. Without `mounts` nothing of this machine is seen in it.
fn inside(r: &mut Reading<'_, '_, '_>, command: Vec<Arg>, mounts: Option<Vec<Mount>>, folder: PathBuf) -> Flow {
    let writable: Vec<Arg> =
        mounts.iter().flatten().filter(|mount| mount.writable).map(|mount| host_path(r, mount)).collect();
    if command.is_empty() {
        r.analysis.give(&r.call.program, &writable, None);
        return Flow::unknown(Taint::NONE);
    }
    let before_mounts = r.analysis.mounts.replace(mounts.unwrap_or_default());
    let before_folder = r.shell.cwd.replace(folder);
    let from = r.analysis.effects.list.len();
    let (gaps, given) = (r.analysis.effects.gaps.len(), r.analysis.effects.given.len());
    let flow = r.run(command);
    r.shell.cwd = before_folder;
    r.analysis.mounts = before_mounts;
    let found = &mut r.analysis.effects;
    let is_unclear = found.gaps.len() > gaps || found.given.len() > given;
    found.given.truncate(given);
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
    if is_unclear {
        r.analysis.give(&r.call.program, &writable, None);
    }
    flow
}

fn host_path(r: &Reading<'_, '_, '_>, mount: &Mount) -> Arg {
    Arg::new(mount.host.to_string_lossy(), r.call.span)
}

fn exec(r: &mut Reading<'_, '_, '_>) -> Flow {
    let operands = r.parsed.operands.clone();
    let Some((target, _)) = operands.split_first() else { return Flow::default() };
    r.act(Act::ContainerRun, Some(&target.text));
    let from = r.call.args.iter().rposition(|arg| arg == target).map_or(0, |at| at + 1);
    let command: Vec<Arg> = r.call.args.iter().skip(from).filter(|arg| arg.text != "--").cloned().collect();
    for file in r.parsed.values(&["--env-file", "--env-from-file"]).cloned().collect::<Vec<_>>() {
        r.touch(Act::FsRead, &file, Extent::Single);
    }
    let volumes: Vec<Arg> = r.parsed.values(&["-v", "--volume"]).cloned().collect();
    let mounts: Vec<Mount> = volumes.iter().filter_map(|value| volume(r, value)).collect();
    inside(r, command, Some(mounts), PathBuf::from("/"))
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
    for GivenOption { name, value, .. } in r.parsed.options.clone() {
        let Some(value) = value else { continue };
        match name.as_str() {
            // What a build is given as a secret or as another context is in reach of its steps.
            "--secret" | "--ssh" | "--build-context" => {
                let last = value.text.rsplit_once('=').map(|(_, last)| last.to_owned());
                let file = field(&value, &["src", "source"]).or(last.filter(|_| name != "--secret"));
                file.iter().for_each(|file| looked_into(r.analysis, r.shell, &value.with_text(file)));
            }
            "-v" | "--volume" => drop(volume(r, &value)),
            "--iidfile" | "--metadata-file" => r.touch(Act::FsWrite, &value, Extent::Single),
            "-o" | "--output" => {
                let folder = if value.text.contains('=') { field(&value, &["dest"]) } else { Some(value.text.clone()) };
                folder.iter().for_each(|folder| r.touch(Act::FsWrite, &value.with_text(folder), Extent::Below));
            }
            _ => {}
        }
    }
    if let Some(context) = r.parsed.operands.last().cloned().filter(|context| context.text != ".") {
        looked_into(r.analysis, r.shell, &context);
    }
    Flow::unknown(Taint::NONE)
}

fn compose(r: &mut Reading<'_, '_, '_>) -> Flow {
    r.act(Act::ContainerRun, None);
    for file in r.parsed.values(&["--env-file", "-f", "--file"]).cloned().collect::<Vec<_>>() {
        looked_into(r.analysis, r.shell, &file);
    }
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
