//! Filters: awk, and what simple scripts of it, of `cut` and of `sed` make of a text that is known.

use super::Reading;
use super::shells::script_text;
use super::wrapping::is_assignment;
use crate::act::Act;
use crate::analysis::Extent;
use crate::flow::{Arg, Flow};
use crate::script;
use crate::shell;

/// Texts of more lines are not worked out.
pub(super) const MAX_LINES: usize = 1024;

/// The text that a filter reads, if it is known: that of its only file, or its input.
pub(super) fn input(r: &Reading<'_, '_, '_>, files: &[Arg]) -> Option<String> {
    match files {
        [] => shell::with_content(r.analysis, &r.call.stdin).text,
        [file] => shell::content_of(r.analysis, r.shell, file).text,
        _ => None,
    }
    .filter(|text| text.lines().count() <= MAX_LINES)
}

/// A flow with a text, where there is one. What takes names goes on with the names that went in.
pub(super) fn flow(flow: Flow, text: Option<String>) -> Flow {
    Flow { text: text.or(flow.text), ..flow }
}

/// `cut -d, -f2`
pub(super) fn cut(text: &str, delimiter: &str, fields: &str) -> Option<String> {
    let field: usize = fields.parse().ok()?;
    let line = |line: &str| {
        let found = if line.contains(delimiter) { line.split(delimiter).nth(field.checked_sub(1)?)? } else { line };
        Some(format!("{found}\n"))
    };
    text.lines().map(line).collect()
}

/// Scripts of `sed` that select a line or replace a literal text.
pub(super) fn sed(text: Option<&str>, script: &str, quiet: bool) -> Option<String> {
    let script = script.trim();
    if let Some(number) = script.strip_suffix(['p', 'd', 'q']) {
        let at: usize = if number.is_empty() && script == "p" { 0 } else { number.parse().ok()? };
        let lines: Vec<&str> = text?.lines().collect();
        let chosen: Vec<&str> = match script.chars().last() {
            Some('p') if quiet && at > 0 => lines.get(at - 1).copied().into_iter().collect(),
            Some('d') => lines.iter().enumerate().filter(|(line, _)| line + 1 != at).map(|(_, text)| *text).collect(),
            Some('q') => lines.into_iter().take(at).collect(),
            _ => lines,
        };
        return Some(chosen.into_iter().map(|line| format!("{line}\n")).collect());
    }
    if let Some(sets) = script.strip_prefix("y/").and_then(|rest| rest.strip_suffix('/')).filter(|_| !quiet) {
        let (from, to): (Vec<char>, Vec<char>) =
            sets.split_once('/').map(|(a, b)| (a.chars().collect(), b.chars().collect()))?;
        let exchange =
            |c: char| from.iter().position(|known| *known == c).and_then(|at| to.get(at)).copied().unwrap_or(c);
        return (from.len() == to.len() && !sets.contains('\\'))
            .then(|| text.map(|text| text.chars().map(exchange).collect()))?;
    }
    let rest = script.strip_prefix('s').filter(|_| !quiet)?;
    let delimiter = rest.chars().next().filter(|c| c.is_ascii_punctuation() && *c != '\\')?;
    let mut parts = rest.get(1..)?.split(delimiter);
    let (old, new, flags) = (parts.next()?, parts.next()?, parts.next()?);
    let special = |c: char| ".*[]^$\\+?(){}|".contains(c);
    if parts.next().is_some() || !matches!(flags, "" | "g") {
        return None;
    }
    // The whole line is put into something.
    if matches!(old, ".*" | "^.*$" | "^.*" | ".*$" | "\\(.*\\)" | "(.*)" | "^(.*)$") {
        let line = |line: &str| new.replace("\\1", line).replace('&', line) + "\n";
        return Some(text.map_or_else(|| line("$__"), |text| text.lines().map(line).collect()));
    }
    if new.contains(['\\', '&']) {
        return None;
    }
    // A line that is not known still gets what is put before or behind it.
    let lines = text.map_or_else(|| vec!["$__"], |text| text.lines().collect());
    let replaced = |line: &str| match old {
        "^" => Some(format!("{new}{line}\n")),
        "$" => Some(format!("{line}{new}\n")),
        _ if text.is_none() || old.is_empty() || old.contains(special) => None,
        _ if flags == "g" => Some(line.replace(old, new) + "\n"),
        _ => Some(line.replacen(old, new, 1) + "\n"),
    };
    lines.into_iter().map(replaced).collect()
}

/// An awk program can run commands and write files.
pub(super) fn awk(r: &mut Reading<'_, '_, '_>) -> Flow {
    let operands = r.parsed.operands.clone();
    let from_files: Vec<Arg> = r.parsed.values(&["-f", "--file"]).cloned().collect();
    let (program, files): (Option<Arg>, Vec<Arg>) = if from_files.is_empty() {
        (operands.first().cloned(), operands.into_iter().skip(1).collect())
    } else {
        (None, operands)
    };
    let read = from_files.iter().filter_map(|file| script_text(r, file)).collect::<Vec<_>>();
    let assigned: Vec<Arg> = r.parsed.values(&["-v", "--assign"]).cloned().collect();
    let assigned: Vec<Arg> =
        assigned.into_iter().chain(files.iter().filter(|file| is_assignment(&file.text)).cloned()).collect();
    let files: Vec<Arg> = files.into_iter().filter(|file| !is_assignment(&file.text)).collect();
    let mut variables = script::awk::Variables::new(&assigned, files.clone());
    for program in program.iter().chain(&read) {
        script::awk::inspect(r, program, &mut variables);
    }
    let separator = r.parsed.value(&["-F", "--field-separator"]).map(|arg| arg.text.clone());
    let text = program
        .as_ref()
        .and_then(|program| script::awk::printed(&program.text, separator.as_deref(), input(r, &files).as_deref()));
    let mut taint = r.call.taint();
    for file in &files {
        taint.add(&shell::read(r.analysis, r.shell, file).taint);
    }
    // GNU awk's extension: each file is replaced by what is printed.
    if r.parsed.values(&["-i", "--include"]).any(|name| name.text.starts_with("inplace")) {
        for file in &files {
            r.touch(Act::FsWrite, file, Extent::Single);
        }
    }
    taint.decoded |= taint.remote;
    flow(Flow { names: r.call.stdin.names.clone(), made_of: only_file(r, &files), ..Flow::unknown(taint) }, text)
}

/// The file that a filter makes something else of.
pub(super) fn only_file(r: &Reading<'_, '_, '_>, files: &[Arg]) -> Option<Box<std::path::Path>> {
    let [file] = files else { return None };
    let cwd = r.shell.cwd.as_deref().filter(|_| file.known() && file.glob.is_none())?;
    Some(crate::paths::tidy(cwd.join(&file.text)).into_boxed_path())
}
