//! Copies to and from other machines.

use super::files::{below, copy_contents, is_folder, note_guard_copy};
use super::sending::{host_of, send};
use super::unpacking::write_somewhere;
use super::{ProgramReader, Reading};
use crate::act::Act;
use crate::analysis::Extent;
use crate::effect::Sure;
use crate::flow::{Arg, Flow, Taint};
use crate::location::Location;
use crate::object::Object;
use crate::shell;

pub(super) fn reader(name: &str) -> Option<ProgramReader> {
    Some(match name {
        "remote_copy" => remote_copy,
        "rsync" => rsync,
        "rclone" => rclone,
        "sftp" => sftp,
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
            taint.local = true;
        }
    }
    note_guard_copy(r, before);
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
            taint.local = true;
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
        if deletes {
            r.touch(Act::FsWrite, &target, Extent::Below);
            r.touch(Act::FsDelete, &target, Extent::Below);
        }
        for source in operands.iter().filter(|_| !deletes) {
            write_copy(r, source, &target);
        }
    }
    Flow::default()
}

/// `rsync a/ b` writes what is in `a`, `rsync a b` writes `b/a`; of what is far away nothing is known.
fn write_copy(r: &mut Reading<'_, '_, '_>, source: &Arg, target: &Arg) {
    let remote = is_remote(&source.text) || source.text.starts_with("rsync://");
    if remote {
        write_somewhere(r, target, None);
    } else if source.text.ends_with('/') || source.text == "." {
        copy_contents(r, source, target);
    } else if is_folder(r, target) && source.known() {
        r.touch(Act::FsWrite, &below(target, shell::base_name(&source.text)), Extent::Below);
    } else {
        r.touch(Act::FsWrite, target, Extent::Below);
    }
}

/// Commands of a batch: `get` writes here, `put` reads here, `!` runs something here.
fn sftp(r: &mut Reading<'_, '_, '_>) -> Flow {
    let flow = r.by_usage();
    let batch = r.parsed.value(&["-b"]).filter(|file| file.text != "-").cloned();
    let input = batch.map_or_else(|| r.call.stdin.clone(), |file| shell::read(r.analysis, r.shell, &file));
    let text = shell::with_content(r.analysis, &input).text.unwrap_or_default();
    for line in r.analysis.limited(text.lines(), 1024, r.call.span) {
        let words: Vec<&str> = line.split_whitespace().filter(|word| !word.starts_with('-')).collect();
        let (act, operand) = match words.as_slice() {
            ["get" | "reget" | "mget", remote] => (Act::FsWrite, shell::base_name(remote)),
            ["get" | "reget" | "mget", .., local] => (Act::FsWrite, *local),
            ["put" | "reput" | "mput", local, ..] => (Act::FsRead, *local),
            ["lmkdir", local] => (Act::FsWrite, *local),
            _ => {
                if let Some(command) = line.trim().strip_prefix('!') {
                    r.run_text(&Arg::new(command, r.call.span));
                }
                continue;
            }
        };
        let operand = Arg::new(operand.trim_matches(['"', '\'']), r.call.span);
        r.touch(act, &operand, Extent::Below);
    }
    flow
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
        taint.local = true;
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
