//! Readers for programs about files.

use super::unpacking::{files_below, is_missing, write_names, write_somewhere};
use super::{ProgramReader, Reading, filters};
use crate::act::Act;
use crate::analysis::{Extent, Names};
use crate::flow::{Arg, Flow, Taint};
use crate::location::Location;
use crate::models::apply::inspect;
use crate::shell;

/// So many links are remembered: each path is looked up among them.
const MAX_LINKS: usize = 32;

pub(super) fn reader(name: &str) -> Option<ProgramReader> {
    Some(match name {
        "cut" => cut,
        "grep" => super::searches::grep,
        "list" => list,
        "copy" => copy,
        "link" => link,
        "truncate" => truncate,
        "mktemp" => mktemp,
        "mkdir" => mkdir,
        "tee" => tee,
        "chmod" => chmod,
        "chattr" => chattr,
        "dd" => dd,
        "decoder" => super::decoding::decoder,
        "rev" => super::decoding::rev,
        "tr" => super::decoding::tr,
        "dirname" => dirname,
        "basename" => basename,
        "realpath" => realpath,
        "which" => which,
        "number" => number,
        "jq" | "yq" => structured,
        "printenv" => printenv,
        "allocate" => allocate,
        "open" => open,
        "patch" => super::patches::patch,
        "ffmpeg" => ffmpeg,
        "convert" => convert,
        _ => return None,
    })
}

/// `cut -d= -f1` of a file with `NAME=value` prints names alone.
fn cut(r: &mut Reading<'_, '_, '_>) -> Flow {
    let delimiter = r.parsed.value(&["-d", "--delimiter"]).map(|arg| arg.text.as_str());
    let fields = r.parsed.value(&["-f", "--fields"]).map(|arg| arg.text.as_str());
    if delimiter == Some("=") && fields == Some("1") {
        for file in r.parsed.operands.clone() {
            inspect(r.analysis, r.shell, &file);
        }
        return Flow::unknown(Taint::NONE);
    }
    let (delimiter, fields) = (delimiter.unwrap_or("\t").to_owned(), fields.map(str::to_owned));
    let text = filters::input(r, &r.parsed.operands).zip(fields);
    let text = text.and_then(|(text, fields)| filters::cut(&text, &delimiter, &fields));
    filters::flow(r.by_usage(), text)
}

/// Something below a folder.
pub(super) fn below(folder: &Arg, name: &str) -> Arg {
    let text = format!("{}/{name}", folder.text.trim_end_matches('/'));
    let glob = name.contains('*').then_some(folder.text.trim_end_matches('/').len() + 1);
    Arg { glob, ..folder.with_text(text) }
}

fn list(r: &mut Reading<'_, '_, '_>) -> Flow {
    let mut folders = r.parsed.operands.clone();
    for folder in &folders {
        inspect(r.analysis, r.shell, folder);
    }
    if folders.is_empty() {
        folders.push(Arg::new(".", r.call.span));
    }
    let as_given = r.parsed.has(&["-d"]);
    let patterns: &[&str] =
        if r.parsed.has(&["-a", "-A", "--all", "--almost-all"]) { &["*", ".[!.]*"] } else { &["*"] };
    // Names without their folder: they are only useful in that folder.
    let names = folders.iter().flat_map(|folder| match folder {
        folder if as_given || folder.glob.is_some() || is_file(r, folder) => vec![folder.clone()],
        folder if folder.text == "." => {
            patterns.iter().map(|pattern| Arg { glob: Some(0), ..folder.with_text(*pattern) }).collect()
        }
        folder => patterns.iter().map(|pattern| below(folder, pattern)).collect(),
    });
    Flow::names(names.collect())
}

/// `cp`, `mv` and `install`: the last operand may be the folder that the others go into.
fn copy(r: &mut Reading<'_, '_, '_>) -> Flow {
    let act = if r.call.program == "mv" { Act::FsMove } else { Act::FsRead };
    let folder = r.parsed.value(&["-t", "--target-directory"]).cloned();
    if r.call.program == "install" && r.parsed.has(&["-d", "--directory"]) {
        for made in r.parsed.operands.clone() {
            r.touch(Act::FsWrite, &made, Extent::Single);
        }
        return Flow::default();
    }
    let mut sources = r.parsed.operands.clone();
    let target = folder.clone().or_else(|| if sources.len() > 1 { sources.pop() } else { None });
    let extent = if r.parsed.recursive { Extent::Below } else { Extent::Single };
    let before = r.analysis.effects.list.len();
    let mut content = Flow::default();
    for source in &sources {
        let flow = if act == Act::FsRead { read_into(r, source, extent) } else { moved(r, source) };
        // Another name of a file is as good as the first.
        if r.call.program == "cp" && r.parsed.has(&["-l", "--link"]) {
            r.touch(Act::FsLink, source, extent);
        }
        let program = renamed_program(r, source);
        content.append(Flow { some: flow.some || program.is_some(), program, ..flow });
    }
    note_guard_copy(r, before);
    let Some(target) = target else { return Flow::default() };
    let into = folder.is_some() || target.text.ends_with('/') || is_folder(r, &target);
    if into {
        let (contents, sources): (Vec<Arg>, Vec<Arg>) =
            named_ones(r, sources).into_iter().partition(|source| source.text.ends_with("/.") || source.text == ".");
        for source in &contents {
            copy_contents(r, source, &target);
        }
        for source in &sources {
            let target = below(&target, shell::base_name(&source.text));
            let target =
                Arg { glob: source.glob.map(|_| target.text.len().saturating_sub(1)).or(target.glob), ..target };
            r.touch(Act::FsWrite, &target, extent_of(act, extent));
            shell::remember(r.shell, &target, &content);
        }
    } else {
        let replaces = act == Act::FsMove || r.call.program == "install";
        r.write_to(&target, extent_of(act, extent), if replaces { Names::Entry } else { Names::Content });
        if r.parsed.has(&["--symbolic-link"]) || r.call.program == "cp" && r.parsed.has(&["-s"]) {
            sources.iter().for_each(|source| note_link(r, &target, source));
        }
        shell::remember(r.shell, &target, &content);
        if sources.iter().all(|source| source.text == "/dev/null") {
            shell::note_emptied(r.analysis, r.shell, &target);
        }
    }
    Flow::default()
}

/// The files that patterns among the sources stand for, if there are not too many.
fn named_ones(r: &Reading<'_, '_, '_>, sources: Vec<Arg>) -> Vec<Arg> {
    let names = |source: Arg| {
        let path =
            r.shell.cwd.as_deref().filter(|_| source.known()).map(|cwd| crate::paths::tidy(cwd.join(&source.text)));
        let found = source.glob.and(path).and_then(|pattern| crate::resolve::matching(r.analysis, &pattern));
        match found.filter(|found| !found.is_empty() || has_no_folder(r, &source)) {
            Some(found) => {
                found.iter().map(|path| Arg { glob: None, ..source.with_text(path.to_string_lossy()) }).collect()
            }
            None => vec![source],
        }
    };
    sources.into_iter().flat_map(names).collect()
}

/// Whether the folder that a pattern is about is not there: then it stands for nothing.
fn has_no_folder(r: &Reading<'_, '_, '_>, pattern: &Arg) -> bool {
    let folder = pattern.text.rsplit_once('/').map(|(folder, _)| Arg { glob: None, ..pattern.with_text(folder) });
    folder.is_some_and(|folder| !folder.text.contains(['*', '?', '[']) && is_missing(r, &folder))
}

/// `cp -r a/. b` writes what is in `a`, and nothing else of `b`.
pub(super) fn copy_contents(r: &mut Reading<'_, '_, '_>, source: &Arg, target: &Arg) {
    let folder = shell::folder(r.analysis, r.shell, source);
    match folder.and_then(|folder| files_below(r, &folder)) {
        Some(names) => write_names(r, target, &names),
        None => write_somewhere(r, target, Some(source)),
    }
}

/// The program of the system that a file is. A guard under another name would not be recognised.
fn renamed_program(r: &mut Reading<'_, '_, '_>, file: &Arg) -> Option<Box<str>> {
    let program = crate::programs::named_by(r.analysis, r.shell, file)?;
    if super::is_hookrail(&program) {
        r.act(Act::GuardChange, Some("hookrail under another name"));
    }
    Some(program.into())
}

fn extent_of(act: Act, extent: Extent) -> Extent {
    if act == Act::FsMove { Extent::Single } else { extent }
}

pub(super) fn read_into(r: &mut Reading<'_, '_, '_>, source: &Arg, extent: Extent) -> Flow {
    let before = r.analysis.effects.list.len();
    r.touch(Act::FsRead, source, extent);
    let secret = r.analysis.effects.list.iter().skip(before).any(|effect| effect.act == Act::SecretRead);
    let unwritten = || Flow::unknown(Taint { local: true, ..source.taint.clone() });
    let mut flow = shell::written(r.shell, source).unwrap_or_else(unwritten);
    if secret {
        flow.taint.add(&Taint::secret(""));
    } else if extent == Extent::Below && is_folder(r, source) {
        flow.taint.folder = shell::folder(r.analysis, r.shell, source).map(Into::into);
    }
    flow
}

/// Adds a copy of what decides about agents for every such file that was read since `before`.
pub(super) fn note_guard_copy(r: &mut Reading<'_, '_, '_>, before: usize) {
    let reads = r.analysis.effects.list.iter().skip(before);
    let guards = reads.filter(|effect| effect.is(Act::FsRead) && effect.place == Location::Agent);
    for (object, sure) in guards.map(|effect| (effect.on.clone(), effect.sure)).collect::<Vec<_>>() {
        r.analysis.add(Act::GuardCopy, object, Location::Agent, sure, r.call.span);
    }
}

/// A file that is moved is not read now; what it holds matters to whoever reads it by its new name.
fn moved(r: &mut Reading<'_, '_, '_>, source: &Arg) -> Flow {
    let before = r.analysis.effects.list.len();
    let held = read_into(r, source, Extent::Below);
    r.analysis.effects.list.truncate(before);
    r.touch(Act::FsMove, source, Extent::Below);
    held
}

pub(super) fn is_folder(r: &Reading<'_, '_, '_>, arg: &Arg) -> bool {
    let Some(cwd) = &r.shell.cwd else { return false };
    let path = r.analysis.resolve(&crate::paths::tidy(cwd.join(&arg.text)));
    arg.known() && r.analysis.machine.kind(&path) == Some(hookrail_core::FileKind::Folder)
}

/// What a symbolic link leads to: it is relative to the folder that the link is in.
fn linked(r: &Reading<'_, '_, '_>, source: &Arg, name: Option<&Arg>) -> Arg {
    let folder = name.and_then(|name| name.text.trim_end_matches('/').rsplit_once('/')).map(|(folder, _)| folder);
    match folder {
        Some(folder) if !source.text.starts_with('/') && source.known() && !r.parsed.has(&["-r", "--relative"]) => {
            source.with_text(format!("{folder}/{}", source.text))
        }
        _ => source.clone(),
    }
}

/// With `-f` what has the link's name is deleted.
fn replace(r: &mut Reading<'_, '_, '_>, name: &Arg) {
    let exists = is_file(r, name) && !is_link(r, name);
    if exists && r.parsed.has(&["-f", "--force"]) {
        r.touch(Act::FsDelete, name, Extent::Single);
    }
}

fn is_link(r: &Reading<'_, '_, '_>, arg: &Arg) -> bool {
    let path = r.shell.cwd.as_deref().map(|cwd| crate::paths::tidy(cwd.join(&arg.text)));
    path.is_some_and(|path| r.analysis.machine.kind(&path) == Some(hookrail_core::FileKind::Link))
}

/// Remembers where a new link leads.
pub(super) fn note_link(r: &mut Reading<'_, '_, '_>, name: &Arg, source: &Arg) {
    let Some(cwd) = r.shell.cwd.as_deref().filter(|_| name.known() && source.known()) else { return };
    let full = |arg: &Arg| crate::paths::tidy(cwd.join(&arg.text));
    let link = (full(name), full(source));
    if r.analysis.links.len() < MAX_LINKS && link.0 != link.1 {
        r.analysis.links.push(link);
    }
}

fn is_file(r: &Reading<'_, '_, '_>, arg: &Arg) -> bool {
    let Some(cwd) = r.shell.cwd.as_deref().filter(|_| arg.known()) else { return false };
    let path = r.analysis.resolve(&crate::paths::tidy(cwd.join(&arg.text)));
    r.analysis.machine.kind(&path) == Some(hookrail_core::FileKind::File)
}

/// A symbolic link is a new name and changes nothing of what it leads to. Another name of a file is as good as the first.
fn link(r: &mut Reading<'_, '_, '_>) -> Flow {
    let folder = r.parsed.value(&["-t", "--target-directory"]).cloned();
    let mut sources = r.parsed.operands.clone();
    let target = folder.or_else(|| if sources.len() > 1 { sources.pop() } else { Some(Arg::new(".", r.call.span)) });
    let symbolic = r.parsed.has(&["-s", "--symbolic"]);
    let as_given = r.parsed.has(&["-n", "-T", "--no-dereference", "--no-target-directory"]);
    for source in &sources {
        let into = target.as_ref().is_some_and(|target| !as_given && is_folder(r, target));
        let name = target.clone().map(|name| if into { below(&name, shell::base_name(&source.text)) } else { name });
        let source = if symbolic { &linked(r, source, name.as_ref()) } else { source };
        if !symbolic {
            r.touch(Act::FsLink, source, Extent::Single);
        }
        // A link to a file is a way to read it.
        let secret = read_into(r, source, Extent::Single).taint.secret.is_some();
        if let Some(name) = name {
            replace(r, &name);
            r.touch(Act::FsLink, &name, Extent::Single);
            if symbolic {
                note_link(r, &name, source);
            }
            let taint = if secret { Taint::secret("") } else { Taint::NONE };
            let program = renamed_program(r, source);
            shell::remember(r.shell, &name, &Flow { program, ..Flow::unknown(taint) });
        }
    }
    Flow::default()
}

/// Cutting a file to nothing deletes what was in it.
fn truncate(r: &mut Reading<'_, '_, '_>) -> Flow {
    let zero = r.parsed.value(&["-s", "--size"]).is_some_and(|size| size.text == "0");
    let act = if zero { Act::FsDelete } else { Act::FsWrite };
    for file in r.parsed.operands.clone() {
        r.touch(act, &file, Extent::Single);
        if zero {
            r.touch(Act::FsWrite, &file, Extent::Single);
        }
    }
    Flow::default()
}

/// A folder is made, whether or not its name ends with a slash; nothing in one that exists changes.
fn mkdir(r: &mut Reading<'_, '_, '_>) -> Flow {
    for folder in r.parsed.operands.clone() {
        let name = folder.text.trim_end_matches('/');
        if !name.is_empty() {
            r.touch(Act::FsWrite, &folder.with_text(name), Extent::Single);
        }
    }
    Flow::default()
}

/// The name is made at run time, but it lies in the folder for temporary files.
fn mktemp(r: &mut Reading<'_, '_, '_>) -> Flow {
    let only_names = r.parsed.has(&["-u", "--dry-run"]);
    let named = r.parsed.operands.first().cloned().filter(|_| !r.parsed.has(&["-p", "--tmpdir", "-t"]));
    if let Some(template) = named.clone().filter(|_| !only_names) {
        r.touch(Act::FsWrite, &template, Extent::Single);
    }
    let variable = r.call.variable("TMPDIR").or_else(|| r.shell.get("TMPDIR").and_then(<[Arg]>::first)).cloned();
    let given = r.parsed.value(&["-p", "--tmpdir"]).cloned().or_else(|| variable.filter(|_| named.is_none()));
    if let Some(folder) = given.as_ref().filter(|_| !only_names) {
        let file = folder.with_text(format!("{}/tmp.XXXXXXXXXX", folder.text.trim_end_matches('/')));
        r.touch(Act::FsWrite, &file, Extent::Single);
    }
    let folder = given.as_ref().map_or("/tmp", |arg| arg.text.as_str());
    match r.parsed.operands.first() {
        Some(template) if template.text.contains('/') => Flow::literal(template.text.clone()),
        _ => Flow::literal(format!("{}/tmp.XXXXXXXXXX", folder.trim_end_matches('/'))),
    }
}

fn tee(r: &mut Reading<'_, '_, '_>) -> Flow {
    let flow = r.call.stdin.clone();
    let appends = r.parsed.has(&["-a", "--append"]);
    for file in r.parsed.operands.clone() {
        if file.feed.is_some() {
            continue;
        }
        let mut whole = if appends { shell::content_of(r.analysis, r.shell, &file) } else { Flow::default() };
        shell::write(r.analysis, r.shell, &file, &flow);
        if whole.some {
            whole.append(flow.clone());
            shell::remember(r.shell, &file, &whole);
        }
    }
    flow
}

/// `chmod u+s` makes a program run as its owner.
fn chmod(r: &mut Reading<'_, '_, '_>) -> Flow {
    let mode = r.first().to_owned();
    let octal = mode.len() == 4 && mode.chars().all(|c| c.is_digit(8)) && !mode.starts_with(['0', '1']);
    if octal || mode.contains("+s") || mode.contains("=s") {
        r.act(Act::ExecPrivileged, Some("setuid"));
    }
    // `chmod -w file`: a mode that looks like an option.
    if r.parsed.operands.len() == 1 {
        let file = r.parsed.operands.clone();
        for file in &file {
            r.touch(Act::FsPermissions, file, Extent::Single);
        }
        return Flow::default();
    }
    r.by_usage()
}

fn chattr(r: &mut Reading<'_, '_, '_>) -> Flow {
    let files: Vec<Arg> = r.call.args.iter().filter(|arg| !arg.text.starts_with(['-', '+', '='])).cloned().collect();
    let extent = if r.parsed.recursive { Extent::Below } else { Extent::Single };
    for file in &files {
        r.touch(Act::FsPermissions, file, extent);
    }
    Flow::default()
}

fn dd(r: &mut Reading<'_, '_, '_>) -> Flow {
    let mut flow = r.call.stdin.clone();
    for arg in r.call.args.clone() {
        if arg.text.starts_with("if=") {
            flow = shell::read(r.analysis, r.shell, &arg.after(3));
        }
    }
    for arg in r.call.args.clone() {
        if arg.text.starts_with("of=") {
            shell::write(r.analysis, r.shell, &arg.after(3), &flow);
            return Flow::default();
        }
    }
    flow
}

fn dirname(r: &mut Reading<'_, '_, '_>) -> Flow {
    match r.parsed.operands.first() {
        Some(path) if path.known() => {
            let folder = path.text.trim_end_matches('/').rsplit_once('/').map_or(".", |(folder, _)| folder);
            Flow::literal(if folder.is_empty() { "/" } else { folder })
        }
        _ => Flow::unknown(Taint::NONE),
    }
}

fn basename(r: &mut Reading<'_, '_, '_>) -> Flow {
    match r.parsed.operands.as_slice() {
        [path, ..] if path.known() => {
            let suffix =
                r.parsed.operands.get(1).or_else(|| r.parsed.value(&["-s"])).map_or("", |arg| arg.text.as_str());
            let name = shell::base_name(&path.text);
            Flow::literal(name.strip_suffix(suffix).filter(|rest| !rest.is_empty()).unwrap_or(name))
        }
        _ => Flow::unknown(Taint::NONE),
    }
}

/// `$(which rm)` is `rm`.
fn which(r: &mut Reading<'_, '_, '_>) -> Flow {
    match r.parsed.operands.as_slice() {
        [program] if program.known() => Flow::literal(program.text.clone()),
        _ => Flow::unknown(Taint::NONE),
    }
}

/// `realpath` and `readlink -f` print where a path leads.
fn realpath(r: &mut Reading<'_, '_, '_>) -> Flow {
    let flow = r.by_usage();
    match (r.parsed.operands.as_slice(), &r.shell.cwd) {
        ([path], Some(cwd)) if path.known() && path.glob.is_none() && !r.parsed.has(&["--relative-to"]) => {
            let full = crate::paths::tidy(cwd.join(&path.text));
            Flow::literal(r.analysis.machine.resolve(&full).to_string_lossy())
        }
        _ => flow,
    }
}

/// Prints something that names no other folder.
fn number(r: &mut Reading<'_, '_, '_>) -> Flow {
    r.by_usage();
    Flow::literal("0")
}

fn structured(r: &mut Reading<'_, '_, '_>) -> Flow {
    let in_place = r.parsed.has(&["-i", "--inplace"]);
    let flow = r.by_usage();
    if in_place {
        for file in r.parsed.operands.iter().skip(1).cloned().collect::<Vec<_>>() {
            r.touch(Act::FsWrite, &file, Extent::Single);
        }
    }
    if r.parsed.operands.iter().any(|arg| arg.text == "env" || arg.text.contains("$ENV")) {
        r.act(Act::SecretPrint, Some("environment"));
    }
    flow
}

/// `printenv` prints everything, `printenv PATH` one variable.
fn printenv(r: &mut Reading<'_, '_, '_>) -> Flow {
    let names: Vec<String> = r.parsed.operands.iter().map(|arg| arg.text.clone()).collect();
    if names.is_empty() {
        return shell::print_environment(r.analysis, &r.call.clone());
    }
    let mut flow = Flow::unknown(Taint::NONE);
    for name in names.iter().filter(|name| crate::secrets::is_secret_variable(name)) {
        r.analysis.add_target(Act::SecretPrint, Some(name), Location::System, r.call.span);
        flow.taint = Taint::secret(name);
    }
    flow
}

/// Reserving hundreds of gigabytes fills the disk.
fn allocate(r: &mut Reading<'_, '_, '_>) -> Flow {
    let size = r.parsed.value(&["-l", "--length"]).map(|arg| arg.text.clone()).unwrap_or_default();
    let digits: String = size.chars().take_while(char::is_ascii_digit).collect();
    let number: u64 = digits.parse().unwrap_or(u64::MAX);
    let unit = size.get(digits.len()..).unwrap_or_default().to_ascii_uppercase();
    let huge = match unit.chars().next() {
        Some('T' | 'P' | 'E') => true,
        Some('G') => number >= 50,
        Some('M') => number >= 50_000,
        Some(_) => false,
        None => number >= 50_000_000_000,
    };
    if huge {
        r.act(Act::HostDisk, Some(&size));
    }
    r.by_usage()
}

fn open(r: &mut Reading<'_, '_, '_>) -> Flow {
    for target in r.parsed.operands.clone() {
        if target.text.contains("://") {
            super::net::fetch(r, &target);
        } else {
            r.touch(Act::FsRead, &target, Extent::Single);
        }
    }
    Flow::default()
}

fn ffmpeg(r: &mut Reading<'_, '_, '_>) -> Flow {
    let args = r.call.args.clone();
    let mut input = false;
    let mut last = None;
    for arg in &args {
        if std::mem::take(&mut input) {
            r.touch(Act::FsRead, arg, Extent::Single);
            last = None;
        } else if arg.text == "-i" {
            input = true;
        } else {
            last = Some(arg);
        }
    }
    if let Some(out) = last.filter(|arg| !arg.text.starts_with('-')) {
        r.touch(Act::FsWrite, out, Extent::Single);
    }
    Flow::default()
}

fn convert(r: &mut Reading<'_, '_, '_>) -> Flow {
    let files: Vec<Arg> =
        r.call.args.iter().filter(|arg| arg.text.contains('.') || r.call.args.len() == 2).cloned().collect();
    if let Some((last, inputs)) = files.split_last() {
        for input in inputs.iter().filter(|arg| !arg.text.starts_with('-')) {
            r.touch(Act::FsRead, input, Extent::Single);
        }
        r.touch(Act::FsWrite, last, Extent::Single);
    }
    Flow::default()
}
