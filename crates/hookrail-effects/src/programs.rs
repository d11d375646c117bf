//! Programs under another name, and where programs are.

use crate::analysis::Analysis;
use crate::flow::{Arg, Flow};
use crate::location::Location;
use crate::machine::ReadOnlyWorld;
use crate::models::{is_local, rows_of};
use crate::paths::joined;
use crate::shell::{Invocation, Shell, base_name, written};
use hookrail_core::FileKind;
use std::path::{Path, PathBuf};

/// What `which`, `command -v` and `type -p` print, as far as the text tells.
pub(crate) fn locate(analysis: &Analysis<'_>, call: &Invocation) -> Flow {
    let names: Vec<&Arg> = call.args.iter().filter(|arg| !arg.text.starts_with('-')).collect();
    if names.is_empty() || names.iter().any(|name| !name.known()) {
        return Flow::unknown(call.taint());
    }
    let lines: Vec<String> = names.iter().map(|name| path_of(analysis.machine, &name.text)).collect();
    Flow::literal(lines.join("\n") + "\n")
}

/// Where a program is found; where programs usually are if it is not.
fn path_of(machine: &dyn ReadOnlyWorld, name: &str) -> String {
    if name.contains('/') {
        return name.to_owned();
    }
    let path = machine.env("PATH").unwrap_or_default();
    let places = path.split(':').filter(|folder| folder.starts_with('/')).map(|folder| format!("{folder}/{name}"));
    let is_program = |place: &String| matches!(machine.kind(Path::new(place)), Some(FileKind::File | FileKind::Link));
    places.take(64).find(is_program).unwrap_or_else(|| format!("/usr/bin/{name}"))
}

/// The file of the project that a name stands for, because the call itself puts folders of the project into `PATH`.
pub(crate) fn in_own_path(
    analysis: &Analysis<'_>,
    shell: &Shell<'_>,
    program: &Arg,
    env: &[(String, Arg)],
) -> Option<Arg> {
    if program.text.contains('/') {
        return None;
    }
    let for_it = env.iter().rev().find(|(name, _)| name == "PATH").map(|(_, value)| value);
    let path = for_it.or_else(|| shell.get("PATH").and_then(<[Arg]>::first))?;
    let cwd = shell.cwd.as_deref()?;
    let known = path.text.get(..path.hole.unwrap_or(path.text.len())).unwrap_or_default();
    let folders = known.split(':').filter(|folder| !folder.is_empty()).take(64).map(|folder| joined(cwd, folder));
    let mut places = folders.filter(|folder| is_local(analysis, folder)).map(|folder| folder.join(&program.text));
    let is_file = |place: &PathBuf| analysis.machine.kind(place).is_some_and(|kind| kind != FileKind::Folder);
    places.find(is_file).map(|found| program.with_text(found.to_string_lossy()))
}

/// The program that a file of the system is, by its name or by what it leads to.
pub(crate) fn named_by(analysis: &Analysis<'_>, shell: &Shell<'_>, file: &Arg) -> Option<String> {
    let path = file.known().then(|| shell.cwd.as_deref().map(|cwd| joined(cwd, &file.text))).flatten()?;
    let real = analysis.machine.resolve(&path);
    let names = [base_name(&file.text).to_owned(), base_name(&real.to_string_lossy()).to_owned()];
    let is_known = |name: &String| !rows_of(name, &[]).is_empty();
    // A file of the project may be called like a program without being one.
    let own = matches!(analysis.place_of(&real), Location::Project | Location::Build);
    names.into_iter().find(is_known).filter(|_| !own)
}

/// Reports whether a program is a copy of hookrail under another name.
fn is_own_copy(analysis: &Analysis<'_>, shell: &Shell<'_>, program: &Arg) -> bool {
    // A program of the system is what its name says; a file elsewhere may have any name.
    let named = || !rows_of(base_name(&program.text), &[]).is_empty();
    let is_plain =
        !program.text.contains('/') || ["/usr/", "/bin/", "/sbin/"].iter().any(|it| program.text.starts_with(it));
    if !program.known() || analysis.mounts.is_some() || is_plain && named() {
        return false;
    }
    let Some(path) = shell.cwd.as_deref().map(|cwd| joined(cwd, path_of(analysis.machine, &program.text))) else {
        return false;
    };
    analysis.machine.is_own_program(&analysis.machine.resolve(&path))
}

/// The program that a path stands for which has another name: a link to it, or a copy that was made before.
pub(crate) fn behind(analysis: &Analysis<'_>, shell: &Shell<'_>, program: &Arg) -> Option<String> {
    if is_own_copy(analysis, shell, program) {
        return Some("hookrail".to_owned());
    }
    if !program.text.contains('/') || !program.known() {
        return None;
    }
    if let Some(copied) = written(shell, program).and_then(|flow| flow.program) {
        return Some(copied.into());
    }
    let path = joined(shell.cwd.as_deref()?, &program.text);
    let real = analysis.machine.resolve(&path);
    let known_by_name = !is_local(analysis, &path) && !rows_of(base_name(&program.text), &[]).is_empty();
    if real == path || known_by_name || is_local(analysis, &real) {
        return None;
    }
    let name = base_name(&real.to_string_lossy()).to_owned();
    (!rows_of(&name, &[]).is_empty()).then_some(name)
}
