//! Copies to and from other machines.

use super::net::{host_of, send};
use super::{Reader, Reading};
use crate::act::Act;
use crate::analysis::Extent;
use crate::effect::Sure;
use crate::flow::{Flow, Taint};
use crate::location::Location;
use crate::object::Object;
use crate::shell;

pub(super) fn reader(name: &str) -> Option<Reader> {
    Some(match name {
        "remote_copy" => remote_copy,
        "rsync" => rsync,
        "rclone" => rclone,
        _ => return None,
    })
}

fn is_remote(text: &str) -> bool {
    let Some((host, _)) = text.split_once(':') else { return false };
    !host.contains('/') && !host.is_empty() && (host.len() > 1 || text.contains("::"))
}

fn remote_copy(r: &mut Reading<'_, '_, '_>) -> Flow {
    let mut operands = r.parsed.operands.clone();
    let Some(target) = operands.pop() else { return Flow::default() };
    let extent = if r.parsed.recursive { Extent::Below } else { Extent::Single };
    let mut taint = Taint::NONE;
    let before = r.analysis.effects.list.len();
    for source in &operands {
        if is_remote(&source.text) {
            let object = Object { host: host_of(&source.text).map(Into::into), ..Object::default() };
            r.analysis.add(Act::NetFetch, object, Location::Remote, Sure::Certain, source.span);
            taint.remote = true;
        } else {
            r.touch(Act::FsRead, source, extent);
        }
    }
    if r.analysis.effects.list.iter().skip(before).any(|effect| effect.act == Act::SecretRead) {
        taint.add(&Taint::secret(""));
    }
    if is_remote(&target.text) {
        let object = Object { host: host_of(&target.text).map(Into::into), ..Object::default() };
        send(r.analysis, &taint, object, target.span);
    } else {
        let flow = Flow::unknown(taint);
        shell::write(r.analysis, r.shell, &target, &flow);
    }
    Flow::default()
}

fn rsync(r: &mut Reading<'_, '_, '_>) -> Flow {
    let args = r.call.args.clone();
    let (mut operands, mut deletes, mut removes) = (Vec::new(), false, false);
    let mut iter = args.iter();
    while let Some(arg) = iter.next() {
        let text = arg.text.as_str();
        match text {
            "-n" | "--dry-run" | "--list-only" => return Flow::default(),
            "-e" | "--rsh" | "--exclude" | "--include" | "-f" | "--filter" | "--files-from" | "--password-file"
            | "--bwlimit" | "--exclude-from" | "--chmod" | "--chown" | "--port" | "--timeout" | "--log-file"
            | "--backup-dir" | "--rsync-path" => {
                let value = iter.next().cloned().unwrap_or_default();
                if matches!(text, "-e" | "--rsh") && !value.text.starts_with("ssh") {
                    r.act(Act::ExecDynamic, Some("--rsh"));
                    r.run_text(&value);
                }
            }
            _ if text.starts_with("--rsh=") || text.starts_with("-e") && !text.starts_with("--") => {
                let value = text.trim_start_matches("--rsh=").trim_start_matches("-e").trim().to_owned();
                if !value.starts_with("ssh") && !value.is_empty() {
                    r.act(Act::ExecDynamic, Some("--rsh"));
                    r.run_text(&arg.with_text(value));
                }
            }
            "--remove-source-files" => removes = true,
            _ if text.starts_with("--del") => deletes = true,
            _ if text.starts_with('-') && !text.starts_with("--") && text.contains('n') => return Flow::default(),
            _ if text.starts_with('-') => {}
            _ => operands.push(arg.clone()),
        }
    }
    let Some(target) = operands.pop() else { return Flow::default() };
    if operands.is_empty() {
        return Flow::unknown(Taint::NONE);
    }
    let mut taint = Taint::NONE;
    let before = r.analysis.effects.list.len();
    for source in &operands {
        if is_remote(&source.text) || source.text.starts_with("rsync://") {
            let object = Object { host: host_of(&source.text).map(Into::into), ..Object::default() };
            r.analysis.add(Act::NetFetch, object, Location::Remote, Sure::Certain, source.span);
        } else {
            r.touch(Act::FsRead, source, Extent::Below);
            if removes {
                r.touch(Act::FsDelete, source, Extent::Below);
            }
        }
    }
    if r.analysis.effects.list.iter().skip(before).any(|effect| effect.act == Act::SecretRead) {
        taint.add(&Taint::secret(""));
    }
    if is_remote(&target.text) || target.text.starts_with("rsync://") {
        let object = Object { host: host_of(&target.text).map(Into::into), ..Object::default() };
        send(r.analysis, &taint, object, target.span);
        if deletes {
            r.act(Act::InfraDestroy, Some(&target.text));
        }
    } else {
        r.touch(Act::FsWrite, &target, Extent::Below);
        if deletes {
            r.touch(Act::FsDelete, &target, Extent::Below);
        }
    }
    Flow::default()
}

fn rclone(r: &mut Reading<'_, '_, '_>) -> Flow {
    if r.parsed.dry {
        return Flow::default();
    }
    let operands = r.parsed.operands.clone();
    let [source, target, ..] = operands.as_slice() else { return Flow::default() };
    let mut taint = Taint::NONE;
    if is_remote(&source.text) {
        r.act(Act::InfraRead, Some(&source.text));
    } else {
        let before = r.analysis.effects.list.len();
        r.touch(Act::FsRead, source, Extent::Below);
        if r.analysis.effects.list.iter().skip(before).any(|effect| effect.act == Act::SecretRead) {
            taint.add(&Taint::secret(""));
        }
    }
    let command = r.rows.last().map_or("", |row| row.0);
    let syncs = command.contains("sync") && r.call.args.iter().any(|arg| arg.text == "sync");
    if is_remote(&target.text) {
        let object = Object { host: Some(target.text.as_str().into()), ..Object::default() };
        send(r.analysis, &taint, object, target.span);
        if syncs {
            r.act(Act::InfraDestroy, Some(&target.text));
        }
    } else {
        r.touch(Act::FsWrite, target, Extent::Below);
        if syncs {
            r.touch(Act::FsDelete, target, Extent::Below);
        }
    }
    Flow::default()
}
