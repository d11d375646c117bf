//! `grep` and its relatives.

use super::Reading;
use super::files::{below, is_folder};
use crate::act::Act;
use crate::analysis::Extent;
use crate::flow::{Arg, Flow, Taint};
use crate::models::apply::inspect;
use crate::models::looked_into;
use crate::object::ReadDepth;
use crate::paths::{matches_glob, tidy};
use crate::shell;

/// Whether a search prints lines, or only counts, names and status.
pub(super) fn grep(r: &mut Reading<'_, '_, '_>) -> Flow {
    let rg = r.call.program == "rg";
    let quiet = ["-c", "-q", "-l", "-L", "--count", "--quiet", "--files-with-matches", "--files-without-match"];
    let pattern_given = r.parsed.has(&["-e", "-f", "--regexp", "--file"]) || rg && r.parsed.has(&["--files"]);
    let recursive = rg || r.parsed.has(&["-r", "-R", "--recursive"]);
    if let Some(program) = r.parsed.value(&["--pre"]).cloned() {
        r.act(Act::ExecDynamic, Some("--pre"));
        r.run_text(&program);
    }
    for patterns in r.parsed.values(&["-f", "--file"]).cloned().collect::<Vec<_>>() {
        looked_into(r.analysis, r.shell, &patterns);
    }
    let mut files: Vec<Arg> = r.parsed.operands.iter().skip(usize::from(!pattern_given)).cloned().collect();
    if files.is_empty() && recursive && !r.call.stdin.some {
        files.push(Arg::new(".", r.call.span));
    }
    let only_names = r.parsed.has(&quiet) || rg && r.parsed.has(&["--files"]);
    if files.is_empty() && !pattern_given {
        r.shell.ending = found_in_input(r);
    }
    let limited = recursive && r.parsed.values(&["--include", "-g", "--glob"]).any(|glob| !glob.text.starts_with('!'));
    let before = r.analysis.effects.list.len();
    for file in &files {
        if only_names {
            inspect(r.analysis, r.shell, file);
        } else if limited && is_folder(r, file) {
            for file in found(r, file) {
                r.touch(Act::FsRead, &file, Extent::Single);
            }
        } else {
            r.touch(Act::FsRead, file, if recursive { Extent::Below } else { Extent::Single });
        }
    }
    if rg && !limited && !r.parsed.has(&["-u", "--no-ignore", "--unrestricted"]) {
        let hidden = r.parsed.has(&["-.", "--hidden"]);
        r.analysis.searched(before, ReadDepth::Search { hidden });
    }
    let secret = r.analysis.effects.list.iter().skip(before).any(|effect| effect.act == Act::SecretRead);
    if only_names && r.parsed.has(&["--files", "-l", "-L", "--files-with-matches", "--files-without-match"]) {
        let names = |file: &Arg| if recursive { found(r, file) } else { vec![file.clone()] };
        return Flow::names(files.iter().flat_map(names).collect());
    }
    if only_names {
        return Flow::unknown(Taint::NONE);
    }
    let mut taint = r.call.taint();
    if secret {
        taint.add(&Taint::secret(""));
    }
    // What is found are lines of what is searched.
    match files.as_slice() {
        [] => {
            let names = narrowed(r, &r.call.stdin.names);
            // Names that stand for themselves are better than a text with patterns in it.
            let text = r.call.stdin.text.clone().filter(|_| names == r.call.stdin.names);
            Flow { taint, names, text, ..r.call.stdin.clone() }
        }
        [file] if !recursive => Flow { taint, ..shell::from_file(r.analysis, r.shell, file) },
        _ => Flow { names: r.call.stdin.names.clone(), ..Flow::unknown(taint) },
    }
}

/// The names that a simple search lets through: patterns are looked up. All of them where that is not certain.
fn narrowed(r: &Reading<'_, '_, '_>, names: &[Arg]) -> Vec<Arg> {
    let pattern = r.parsed.operands.first().filter(|pattern| pattern.known());
    let (Some(pattern), Some(cwd), true) = (pattern, r.shell.cwd.as_deref(), r.parsed.options.is_empty()) else {
        return names.to_vec();
    };
    let literal = pattern.text.trim_start_matches('^').trim_end_matches('$').replace("\\.", ".");
    if names.iter().all(|name| name.glob.is_none()) || literal.contains(|c: char| "*[]^$\\+?(){}|".contains(c)) {
        return names.to_vec();
    }
    // A dot is any letter.
    let wild = literal.replace('.', "?");
    let before = if pattern.text.starts_with('^') { "" } else { "*" };
    let behind = if pattern.text.ends_with('$') { "" } else { "*" };
    let wild = format!("{before}{wild}{behind}");
    let listed = |name: &Arg| {
        let found = crate::resolve::matching(r.analysis, &tidy(cwd.join(&name.text))).unwrap_or_default();
        let relative =
            |path: std::path::PathBuf| path.strip_prefix(cwd).map(|path| path.to_string_lossy().into_owned()).ok();
        let fitting = found.into_iter().filter_map(relative).filter(|name| matches_glob(&wild, name));
        fitting.map(|text| Arg { glob: None, ..name.with_text(text) }).collect::<Vec<_>>()
    };
    let found: Vec<Arg> = names.iter().filter(|name| name.glob.is_some()).flat_map(listed).collect();
    if found.is_empty() { names.to_vec() } else { found }
}

/// How a search ends in an input that is certain: `git branch --show-current | grep -qx main`.
fn found_in_input(r: &Reading<'_, '_, '_>) -> Option<shell::Ending> {
    let text = r.call.stdin.text.as_deref().filter(|_| r.call.stdin.firm && shell::is_run_once(r.analysis, r.shell))?;
    let plain = |name: &String| matches!(name.as_str(), "-q" | "-x" | "-F" | "-E" | "-w" | "--quiet" | "--line-regexp");
    let pattern = r.parsed.operands.first().filter(|pattern| pattern.known() && pattern.firm)?.text.as_str();
    if !r.parsed.options.iter().all(|option| plain(&option.name)) || r.parsed.has(&["-w"]) {
        return None;
    }
    let whole = r.parsed.has(&["-x", "--line-regexp"]);
    let (start, end) = (whole || pattern.starts_with('^'), whole || pattern.ends_with('$'));
    let literal = pattern.trim_start_matches('^').trim_end_matches('$');
    if literal.contains(|c: char| ".*[]^$\\+?(){}|\n".contains(c)) {
        return None;
    }
    let fits = |line: &str| match (start, end) {
        (true, true) => line == literal,
        (true, false) => line.starts_with(literal),
        (false, true) => line.ends_with(literal),
        (false, false) => line.contains(literal),
    };
    Some(if text.lines().any(fits) { shell::Ending::Holds } else { shell::Ending::DoesNotHold })
}

/// The files that a recursive search may find below a folder.
fn found(r: &Reading<'_, '_, '_>, folder: &Arg) -> Vec<Arg> {
    let included: Vec<Arg> = r.parsed.values(&["--include", "-g", "--glob"]).cloned().collect();
    let wanted: Vec<&Arg> = included.iter().filter(|pattern| !pattern.text.starts_with('!')).collect();
    if wanted.is_empty() {
        return vec![below(folder, "**")];
    }
    let name = |pattern: &&Arg| below(folder, &format!("**/{}", shell::base_name(&pattern.text)));
    wanted.iter().map(name).collect()
}
