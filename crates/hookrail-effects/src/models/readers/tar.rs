//! `tar` in its three ways of writing options.

use super::Reading;
use super::files::{below, read_into};
use super::unpacking::{Unpacking, unpack};
use crate::act::Act;
use crate::analysis::Extent;
use crate::flow::{Arg, Flow, Taint};
use crate::paths::matches_glob;
use crate::shell;
use hookrail_core::FileKind;

/// What it is told to do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Mode {
    #[default]
    None,
    Create,
    Append,
    Extract,
    List,
}

#[derive(Debug, Default)]
struct Command {
    mode: Mode,
    archive: Option<Arg>,
    folder: Option<Arg>,
    operands: Vec<Arg>,
    strip: usize,
    /// Names are not those in the archive.
    renames: bool,
    to_stdout: bool,
    removes: bool,
    absolute: bool,
    /// Names that are left out.
    excluded: Vec<String>,
}

/// Long options whose value may be the next argument, beside those that matter.
const VALUES: &[&str] = &[
    "--exclude",
    "--exclude-from",
    "--owner",
    "--group",
    "--mode",
    "--mtime",
    "--newer",
    "--format",
    "--blocking-factor",
    "--record-size",
    "--label",
    "--suffix",
    "--sort",
    "--tape-length",
    "--level",
    "--occurrence",
    "--starting-file",
    "--warning",
];

pub(super) fn tar(r: &mut Reading<'_, '_, '_>) -> Flow {
    let command = parse(r);
    match command.mode {
        Mode::Extract => extract(r, command),
        Mode::List => {
            if let Some(archive) = &command.archive {
                r.touch(Act::FsRead, archive, Extent::Single);
            }
            Flow::unknown(Taint::NONE)
        }
        Mode::None | Mode::Create | Mode::Append => create(r, command),
    }
}

fn parse(r: &mut Reading<'_, '_, '_>) -> Command {
    let args = r.call.args.clone();
    let mut command = Command::default();
    let mut rest = args.iter();
    let mut first = true;
    while let Some(arg) = rest.next() {
        let old_style = std::mem::take(&mut first) && !arg.text.starts_with('-');
        if arg.text.starts_with("--") && arg.text.len() > 2 {
            let (name, value) = match arg.text.split_once('=') {
                Some((name, _)) => (name.to_owned(), Some(arg.after(name.len() + 1))),
                None => (arg.text.clone(), None),
            };
            long_option(r, &mut command, &name, value.as_ref(), &mut rest);
        } else if old_style || arg.text.starts_with('-') && arg.text.len() > 1 {
            letters(r, &mut command, arg, old_style, &mut rest);
        } else if arg.text != "--" {
            command.operands.push(arg.clone());
        }
    }
    command
}

type Rest<'a> = std::slice::Iter<'a, Arg>;

/// In a bundle with a dash a value may follow its letter; without one all values stand behind the bundle.
fn letters(r: &mut Reading<'_, '_, '_>, command: &mut Command, arg: &Arg, old_style: bool, rest: &mut Rest<'_>) {
    for (at, letter) in arg.text.char_indices().skip(usize::from(!old_style)) {
        let behind = at + letter.len_utf8();
        let long = match letter {
            'c' => "--create",
            'x' => "--extract",
            't' => "--list",
            'r' | 'u' | 'A' => "--append",
            'd' => "--diff",
            'O' => "--to-stdout",
            'P' => "--absolute-names",
            'f' => "--file",
            'C' => "--directory",
            'I' => "--use-compress-program",
            'F' => "--info-script",
            'g' => "--listed-incremental",
            'T' => "--files-from",
            's' if r.call.program == "bsdtar" => "--transform",
            'X' => "--exclude-from",
            'b' | 'H' | 'K' | 'L' | 'N' | 'V' => "--label",
            _ => continue,
        };
        let takes = !matches!(letter, 'c' | 'x' | 't' | 'r' | 'u' | 'A' | 'd' | 'O' | 'P');
        let attached = (takes && !old_style && behind < arg.text.len()).then(|| arg.after(behind));
        let done = attached.is_some();
        long_option(r, command, long, attached.as_ref(), rest);
        if done {
            return;
        }
    }
}

fn long_option(
    r: &mut Reading<'_, '_, '_>,
    command: &mut Command,
    name: &str,
    value: Option<&Arg>,
    rest: &mut Rest<'_>,
) {
    let mut value = || value.cloned().or_else(|| rest.next().cloned()).unwrap_or_default();
    match name {
        "--create" => command.mode = Mode::Create,
        "--extract" | "--get" => command.mode = Mode::Extract,
        "--list" | "--diff" | "--compare" | "--test-label" => command.mode = Mode::List,
        "--append" | "--update" | "--concatenate" | "--catenate" | "--delete" => command.mode = Mode::Append,
        "--to-stdout" => command.to_stdout = true,
        "--absolute-names" => command.absolute = true,
        "--remove-files" => command.removes = true,
        "--file" => command.archive = Some(value()),
        "--directory" | "--cd" => {
            let folder = value();
            let before = command.folder.take().filter(|_| !folder.text.starts_with('/'));
            command.folder = Some(match before {
                Some(before) => folder.with_text(format!("{}/{}", before.text.trim_end_matches('/'), folder.text)),
                None => folder,
            });
        }
        "--strip-components" | "--strip" => command.strip = value().text.parse().unwrap_or_default(),
        "--transform" | "--xform" | "--one-top-level" => {
            command.renames = true;
            if name != "--one-top-level" {
                value();
            }
        }
        "--files-from" => {
            let file = value();
            let list = shell::read(r.analysis, r.shell, &file);
            let list = shell::with_content(r.analysis, &list).text.unwrap_or_default();
            for name in r.analysis.limited(list.lines(), 256, file.span) {
                r.touch(Act::FsRead, &file.with_text(name), Extent::Below);
            }
        }
        "--listed-incremental" | "--index-file" => {
            let file = value();
            r.touch(Act::FsWrite, &file, Extent::Single);
        }
        "--checkpoint-action" => {
            let action = value();
            if action.text.starts_with("exec=") {
                run(r, &action.after("exec=".len()));
            }
        }
        "--to-command"
        | "--use-compress-program"
        | "--info-script"
        | "--new-volume-script"
        | "--rsh-command"
        | "--rmt-command" => {
            let program = value();
            // `-I zstd` names a compression.
            if program.text.contains([' ', '/', '|']) {
                run(r, &program);
            }
        }
        _ if VALUES.contains(&name) => {
            let left_out = value();
            if name == "--exclude" {
                command.excluded.push(left_out.text.trim_start_matches("./").trim_end_matches('/').to_owned());
            }
        }
        _ => {}
    }
}

fn run(r: &mut Reading<'_, '_, '_>, command: &Arg) {
    r.act(Act::ExecDynamic, Some("tar"));
    r.run_text(command);
}

fn extract(r: &mut Reading<'_, '_, '_>, command: Command) -> Flow {
    let mut flow = r.call.stdin.clone();
    let archive = command.archive.filter(|archive| archive.text != "-");
    if let Some(archive) = &archive {
        flow = shell::read(r.analysis, r.shell, archive);
    }
    if command.to_stdout {
        return Flow::unknown(Taint { decoded: true, ..flow.taint });
    }
    let into = command.folder.unwrap_or_else(|| Arg::new(".", r.call.span));
    let what = Unpacking {
        archive,
        into,
        wanted: command.operands,
        strip: command.strip,
        renames: command.renames,
        absolute: command.absolute,
    };
    unpack(r, &what);
    Flow::default()
}

/// What is left of a folder without the names that are excluded.
fn without(r: &Reading<'_, '_, '_>, folder: &Arg, excluded: &[String]) -> Vec<Arg> {
    let path = shell::folder(r.analysis, r.shell, folder).filter(|_| !excluded.is_empty());
    let names = path.as_ref().and_then(|path| r.analysis.machine.list(path)).filter(|names| names.len() <= 256);
    let Some(names) = names else { return vec![folder.clone()] };
    // A link is kept as one.
    let is_link = |name: &str| {
        path.as_ref().is_some_and(|path| r.analysis.machine.kind(&path.join(name)) == Some(FileKind::Link))
    };
    let is_left = |name: &&String| !is_link(name) && !excluded.iter().any(|pattern| matches_glob(pattern, name));
    names.iter().filter(is_left).map(|name| below(folder, name)).collect()
}

fn create(r: &mut Reading<'_, '_, '_>, command: Command) -> Flow {
    let outside = r.shell.cwd.clone();
    if let Some(folder) = &command.folder {
        r.shell.cwd = shell::folder(r.analysis, r.shell, folder);
    }
    let mut flow = Flow::default();
    for operand in &command.operands {
        for part in without(r, operand, &command.excluded) {
            flow.append(read_into(r, &part, Extent::Below));
        }
        if command.removes {
            r.touch(Act::FsDelete, operand, Extent::Below);
        }
    }
    r.shell.cwd = outside;
    let flow = Flow { text: None, ..flow };
    let Some(archive) = command.archive.filter(|archive| archive.text != "-") else { return flow };
    shell::write(r.analysis, r.shell, &archive, &flow);
    Flow::default()
}
