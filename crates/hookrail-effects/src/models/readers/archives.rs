//! Archives, compression and encryption.

use super::files::read_into;
use super::{Reader, Reading};
use crate::act::Act;
use crate::analysis::Extent;
use crate::flow::{Arg, Flow, Taint};
use crate::shell;

pub(super) fn reader(name: &str) -> Option<Reader> {
    Some(match name {
        "tar" => tar,
        "unzip" => unzip,
        "zip" => zip,
        "sevenzip" => seven_zip,
        "gzip" => gzip,
        "cpio" => cpio,
        "gpg" => gpg,
        _ => return None,
    })
}

/// `tar` in its three ways of writing options.
fn tar(r: &mut Reading<'_, '_, '_>) -> Flow {
    let args = r.call.args.clone();
    let mut mode = ' ';
    let (mut archive, mut folder, mut operands) = (None, None, Vec::new());
    let mut iter = args.iter().enumerate();
    let mut to_stdout = false;
    while let Some((index, arg)) = iter.next() {
        let text = arg.text.as_str();
        let bundle = (index == 0 && !text.starts_with('-')) || (text.starts_with('-') && !text.starts_with("--"));
        if let Some(rest) = text.strip_prefix("--checkpoint-action=") {
            let command = rest.strip_prefix("exec=").unwrap_or_default().to_owned();
            if !command.is_empty() {
                r.act(Act::ExecDynamic, Some("--checkpoint-action"));
                r.run_text(&arg.with_text(command));
            }
        } else if let Some(command) = ["--to-command=", "--use-compress-program=", "--rsh-command=", "--info-script="]
            .iter()
            .find_map(|prefix| text.strip_prefix(prefix))
        {
            let plain = !command.contains([' ', '/', '|']);
            if !plain {
                r.act(Act::ExecDynamic, Some("tar"));
                let command = arg.with_text(command);
                r.run_text(&command);
            }
        } else if let Some(value) = text.strip_prefix("--file=") {
            archive = Some(arg.with_text(value));
        } else if let Some(value) = text.strip_prefix("--directory=") {
            folder = Some(arg.with_text(value));
        } else if bundle {
            for letter in text.trim_start_matches('-').chars() {
                match letter {
                    'c' | 'x' | 't' | 'r' | 'u' if mode == ' ' => mode = letter,
                    'f' => archive = iter.next().map(|(_, arg)| arg.clone()),
                    'C' => folder = iter.next().map(|(_, arg)| arg.clone()),
                    'T' | 'X' | 'I' | 'g' | 'b' => {
                        iter.next();
                    }
                    'O' => to_stdout = true,
                    _ => {}
                }
            }
        } else {
            match text {
                "--create" => mode = 'c',
                "--extract" | "--get" => mode = 'x',
                "--list" => mode = 't',
                "--append" | "--update" => mode = 'r',
                "--to-stdout" => to_stdout = true,
                "--remove-files" => mode = 'R',
                "--file" => archive = iter.next().map(|(_, arg)| arg.clone()),
                "--directory" => folder = iter.next().map(|(_, arg)| arg.clone()),
                "--exclude" | "--transform" | "--files-from" => {
                    iter.next();
                }
                text if text.starts_with("--") => {}
                _ => operands.push(arg.clone()),
            }
        }
    }
    let outside = r.shell.cwd.clone();
    match mode {
        'x' => {
            let mut flow = r.call.stdin.clone();
            if let Some(archive) = &archive {
                flow = shell::read(r.analysis, r.shell, archive);
            }
            let into = folder.unwrap_or_else(|| Arg::new(".", r.call.span));
            if to_stdout {
                return Flow::unknown(Taint { decoded: true, ..flow.taint });
            }
            r.touch(Act::FsWrite, &into, Extent::Below);
            Flow::default()
        }
        't' => {
            if let Some(archive) = &archive {
                r.touch(Act::FsRead, archive, Extent::Single);
            }
            Flow::unknown(Taint::NONE)
        }
        _ => {
            if let Some(folder) = &folder {
                r.shell.cwd = shell::folder(r.analysis, r.shell, folder);
            }
            let mut flow = Flow::default();
            for operand in &operands {
                flow.append(read_into(r, operand, Extent::Below));
                if mode == 'R' {
                    r.touch(Act::FsDelete, operand, Extent::Below);
                }
            }
            r.shell.cwd = outside;
            if let Some(archive) = archive.filter(|archive| archive.text != "-") {
                shell::write(r.analysis, r.shell, &archive, &Flow { text: None, ..flow });
                return Flow::default();
            }
            Flow { text: None, ..flow }
        }
    }
}

fn zip(r: &mut Reading<'_, '_, '_>) -> Flow {
    let Some((archive, files)) = r.parsed.operands.clone().split_first().map(|(a, f)| (a.clone(), f.to_vec())) else {
        return Flow::default();
    };
    let mut flow = Flow::default();
    for file in &files {
        flow.append(read_into(r, file, Extent::Below));
        if r.parsed.has(&["-m", "--move"]) {
            r.touch(Act::FsDelete, file, Extent::Below);
        }
    }
    if r.parsed.has(&["-T", "-TT"]) && r.args().iter().any(|arg| arg.starts_with("-TT")) {
        r.act(Act::ExecDynamic, Some("-TT"));
    }
    let flow = Flow { text: None, ..flow };
    if archive.text == "-" {
        return flow;
    }
    shell::write(r.analysis, r.shell, &archive, &flow);
    Flow::default()
}

/// What is unpacked, if it is named, else anything below the folder.
fn unzip(r: &mut Reading<'_, '_, '_>) -> Flow {
    let Some((archive, members)) = r.parsed.operands.clone().split_first().map(|(a, m)| (a.clone(), m.to_vec())) else {
        return Flow::default();
    };
    r.touch(Act::FsRead, &archive, Extent::Single);
    if r.parsed.has(&["-l", "-t", "-v", "-Z", "-p", "-c"]) {
        return Flow::unknown(Taint::NONE);
    }
    let into = r.parsed.value(&["-d"]).cloned();
    for member in &members {
        let folder = into.as_ref().map_or(".", |folder| folder.text.trim_end_matches('/'));
        r.touch(Act::FsWrite, &member.with_text(format!("{folder}/{}", member.text)), Extent::Single);
    }
    if members.is_empty() {
        let into = into.unwrap_or_else(|| Arg::new(".", r.call.span));
        r.touch(Act::FsWrite, &into, Extent::Below);
    }
    Flow::default()
}

fn seven_zip(r: &mut Reading<'_, '_, '_>) -> Flow {
    let operands = r.parsed.operands.clone();
    let [command, archive, files @ ..] = operands.as_slice() else { return Flow::default() };
    match command.text.as_str() {
        "a" | "u" | "d" => {
            r.touch(Act::FsWrite, archive, Extent::Single);
            for file in files {
                r.touch(Act::FsRead, file, Extent::Below);
            }
        }
        "x" | "e" => {
            r.touch(Act::FsRead, archive, Extent::Single);
            let into = r.parsed.value(&["-o"]).cloned().unwrap_or_else(|| Arg::new(".", r.call.span));
            r.touch(Act::FsWrite, &into, Extent::Below);
        }
        _ => r.touch(Act::FsRead, archive, Extent::Single),
    }
    Flow::default()
}

/// Compression replaces files, or filters.
fn gzip(r: &mut Reading<'_, '_, '_>) -> Flow {
    let decodes =
        r.parsed.has(&["-d", "--decompress"]) || r.call.program.starts_with("un") || r.call.program.starts_with("gun");
    let filters = r.parsed.operands.is_empty() || r.parsed.has(&["-c", "--stdout"]);
    let mut taint = r.call.taint();
    taint.decoded |= decodes;
    for file in r.parsed.operands.clone() {
        if filters || r.parsed.has(&["-k", "--keep", "-t", "-l"]) {
            taint.add(&shell::read(r.analysis, r.shell, &file).taint);
        } else {
            r.touch(Act::FsWrite, &file, Extent::Single);
        }
        let makes = decodes || r.parsed.has(&["-k", "--keep"]);
        if !filters && makes && !r.parsed.has(&["-t", "-l"]) {
            r.touch(Act::FsWrite, &beside(&file, decodes), Extent::Single);
        }
    }
    if let Some(out) = r.parsed.value(&["-o"]).cloned() {
        r.touch(Act::FsWrite, &out, Extent::Single);
    }
    if filters { Flow::unknown(taint) } else { Flow::default() }
}

/// The file that compression makes beside another: its name ends with the kind of compression, which is not looked at.
fn beside(file: &Arg, decodes: bool) -> Arg {
    match file.text.rsplit_once('.') {
        Some((name, _)) if decodes => file.with_text(name),
        _ => file.with_text(format!("{}.gz", file.text)),
    }
}

fn cpio(r: &mut Reading<'_, '_, '_>) -> Flow {
    if r.parsed.has(&["-i", "--extract", "-p", "--pass-through"]) {
        let into = Arg::new(".", r.call.span);
        r.touch(Act::FsWrite, &into, Extent::Below);
    }
    r.mixed()
}

fn gpg(r: &mut Reading<'_, '_, '_>) -> Flow {
    let args = r.args().join(" ");
    if args.contains("--export-secret") {
        r.act(Act::SecretRead, Some("gpg secret key"));
        return Flow::unknown(Taint::secret("gpg"));
    }
    if args.contains("--delete-secret") || args.contains("--delete-key") {
        r.act(Act::FsDelete, Some("gpg key"));
    }
    let decodes = r.parsed.has(&["-d", "--decrypt"]);
    r.by_usage();
    let mut taint = r.call.taint();
    taint.decoded |= decodes;
    Flow::unknown(taint)
}
