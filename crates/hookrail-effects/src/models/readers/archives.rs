//! Archives, compression and encryption.

use super::files::read_into;
use super::unpacking::{Unpacking, unpack};
use super::{ProgramReader, Reading};
use crate::act::Act;
use crate::analysis::Extent;
use crate::flow::{Arg, Flow, Taint};
use crate::shell;

pub(super) fn reader(name: &str) -> Option<ProgramReader> {
    Some(match name {
        "tar" => super::tar::tar,
        "ar" => ar,
        "unar" => unar,
        "unzip" => unzip,
        "zip" => zip,
        "sevenzip" => seven_zip,
        "gzip" => gzip,
        "cpio" => cpio,
        "gpg" => gpg,
        _ => return None,
    })
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
    let mut flow = Flow { text: None, ..flow };
    flow.taint.folder = flow.taint.folder.filter(|_| !r.parsed.has(&["-x", "--exclude"]));
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
    let into = r.parsed.value(&["-d"]).cloned().unwrap_or_else(|| Arg::new(".", r.call.span));
    // `unzip a` finds `a.zip`.
    let archive = if is_there(r, &archive) { archive } else { archive.with_text(format!("{}.zip", archive.text)) };
    let junked = r.parsed.has(&["-j"]);
    let what = Unpacking { wanted: members, renames: junked, ..Unpacking::all(Some(archive), into) };
    unpack(r, &what);
    Flow::default()
}

fn is_there(r: &Reading<'_, '_, '_>, file: &Arg) -> bool {
    let Some(cwd) = r.shell.cwd.as_deref() else { return false };
    r.analysis.machine.kind(&crate::paths::tidy(cwd.join(&file.text))).is_some()
}

/// `ar x` takes members out, into the working directory or another one.
fn ar(r: &mut Reading<'_, '_, '_>) -> Flow {
    let keys = r.first().trim_start_matches('-').to_owned();
    if keys.contains('x') {
        let archive = r.parsed.operands.get(1).cloned();
        if let Some(archive) = &archive {
            r.touch(Act::FsRead, archive, Extent::Single);
        }
        let into = r.parsed.value(&["--output"]).cloned().unwrap_or_else(|| Arg::new(".", r.call.span));
        let wanted = r.parsed.operands.iter().skip(2).cloned().collect();
        unpack(r, &Unpacking { wanted, ..Unpacking::all(None, into) });
        return Flow::default();
    }
    if keys.contains(['t', 'p']) {
        if let Some(archive) = r.parsed.operands.get(1).cloned() {
            r.touch(Act::FsRead, &archive, Extent::Single);
        }
        return Flow::unknown(Taint::NONE);
    }
    r.by_usage()
}

fn unar(r: &mut Reading<'_, '_, '_>) -> Flow {
    let archive = r.parsed.operands.first().cloned();
    if let Some(archive) = &archive {
        r.touch(Act::FsRead, archive, Extent::Single);
    }
    let into = r.parsed.value(&["-o", "-output-directory"]).cloned().unwrap_or_else(|| Arg::new(".", r.call.span));
    unpack(r, &Unpacking::all(archive, into));
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
            let renames = command.text == "e";
            let wanted = files.to_vec();
            unpack(r, &Unpacking { wanted, renames, ..Unpacking::all(Some(archive.clone()), into) });
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
        // `-p` copies into the folder that it names.
        let passes = r.parsed.has(&["-p", "--pass-through"]);
        let into =
            r.parsed.operands.first().filter(|_| passes).or_else(|| r.parsed.value(&["-D", "--directory"])).cloned();
        let wanted = if passes { Vec::new() } else { r.parsed.operands.clone() };
        let into = into.unwrap_or_else(|| Arg::new(".", r.call.span));
        unpack(r, &Unpacking { wanted, ..Unpacking::all(None, into) });
    } else {
        // The names of what goes into the archive come from the input.
        let list = shell::with_content(r.analysis, &r.call.stdin);
        let names = list.text.iter().flat_map(|text| text.lines()).map(|name| Arg::new(name, r.call.span));
        let named = r.analysis.limited(names, 256, r.call.span);
        for file in list.names.iter().chain(&named) {
            r.touch(Act::FsRead, file, Extent::Single);
        }
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
