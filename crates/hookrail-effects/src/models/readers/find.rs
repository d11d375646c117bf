//! `find` and what runs commands for a list of names.

use super::files::below;
use super::selection::Selection;
use super::{ProgramReader, Reading};
use crate::act::Act;
use crate::analysis::{Analysis, Extent, Names};
use crate::flow::{Arg, Flow};
use crate::models::apply::inspect;
use crate::shell;

pub(super) fn reader(name: &str) -> Option<ProgramReader> {
    Some(match name {
        "find" => find,
        "fd" => fd,
        "xargs" => xargs,
        "parallel" => parallel,
        _ => return None,
    })
}

fn find(r: &mut Reading<'_, '_, '_>) -> Flow {
    let args = r.call.args.clone();
    let split = args
        .iter()
        .position(|arg| arg.text.starts_with(['-', '(', '!']) && !matches!(arg.text.as_str(), "-H" | "-L" | "-P"));
    let split = split.unwrap_or(args.len());
    let mut roots: Vec<Arg> = args.iter().take(split).filter(|arg| !arg.text.starts_with('-')).cloned().collect();
    if roots.is_empty() {
        roots.push(Arg::new(".", r.call.span));
    }
    let mut selection = Selection::of(roots, args.iter().take(split).any(|arg| arg.text == "-L"));
    let mut actions: Vec<Vec<Arg>> = Vec::new();
    let (mut deletes, mut negated) = (false, false);
    let mut iter = args.iter().skip(split);
    while let Some(arg) = iter.next() {
        let not = std::mem::take(&mut negated);
        match arg.text.as_str() {
            "!" | "-not" => negated = true,
            "-name" | "-iname" | "-path" | "-ipath" | "-wholename" | "-iwholename" => {
                let Some(pattern) = iter.next() else { break };
                selection.add(&arg.text, pattern, not);
            }
            // With an action of its own it is what is wanted, not what is left out.
            "-prune" if iter.clone().next().is_some_and(|next| matches!(next.text.as_str(), "-o" | "-or")) => {
                selection.prune();
            }
            "-follow" => selection.follows = true,
            "-maxdepth" => selection.shallow = iter.next().is_some_and(|depth| depth.text == "1"),
            "-delete" => deletes = true,
            "-exec" | "-execdir" | "-ok" | "-okdir" => {
                let command: Vec<Arg> = iter.by_ref().take_while(|arg| arg.text != ";").cloned().collect();
                // `{} +` ends a command, too; what follows it is read again.
                let end = command.windows(2).position(|two| matches!(two, [a, b] if a.text == "{}" && b.text == "+"));
                match end {
                    Some(end) => {
                        deletes |= command.iter().skip(end + 2).any(|arg| arg.text == "-delete");
                        actions.push(command.into_iter().take(end + 1).collect());
                    }
                    None => actions.push(command),
                }
            }
            "-fprint" | "-fls" | "-fprint0" | "-fprintf" => {
                if let Some(file) = iter.next() {
                    r.touch(Act::FsWrite, file, Extent::Single);
                }
            }
            "-type" | "-xtype" => {
                selection.only_links |= iter.next().is_some_and(|kind| kind.text == "l") && !not && arg.text == "-type";
            }
            "-mtime" | "-mmin" | "-size" | "-user" | "-group" | "-perm" | "-newer" | "-mindepth" | "-regex"
            | "-iregex" | "-printf" | "-ctime" | "-atime" | "-cmin" | "-amin" | "-links" | "-regextype" => {
                iter.next();
            }
            _ => {}
        }
    }
    for root in selection.roots.clone() {
        inspect(r.analysis, r.shell, &root);
    }
    let found = selection.found(r);
    if deletes {
        let whole = selection.is_everything();
        let (files, extent) = if whole { (&selection.roots, Extent::Below) } else { (&found, Extent::Single) };
        for file in files.clone() {
            let names = if selection.follows { Names::Content } else { Names::Entry };
            r.analysis.touch_as(Act::FsDelete, &file, r.shell.cwd.as_deref(), extent, names);
        }
    }
    for command in actions {
        run_each(r, &command, "{}", &found);
    }
    Flow::names(found)
}

/// So many names of a list are followed; more are over the limit.
const MAX_NAMES: usize = 256;

/// Runs a command for names, which stand where the placeholder is or at the end.
fn run_each(r: &mut Reading<'_, '_, '_>, command: &[Arg], placeholder: &str, names: &[Arg]) {
    let many = command.iter().all(|arg| arg.text == placeholder || !arg.text.contains(placeholder));
    if many {
        let is_code = |arg: &Arg| arg.text.starts_with('-') && arg.text.ends_with('c');
        let mut line: Vec<Arg> = Vec::new();
        for arg in command {
            match arg.text == placeholder {
                // What a shell is given as code is one text each time.
                true if line.last().is_some_and(is_code) => line.extend(names.first().cloned()),
                true => line.extend(names.iter().cloned()),
                false => line.push(arg.clone()),
            }
        }
        r.run(line);
        return;
    }
    let names = r.analysis.limited(names.iter(), MAX_NAMES, r.call.span);
    for name in names {
        let fill = |arg: &Arg| {
            let Some(at) = arg.text.find(placeholder) else { return arg.clone() };
            let mut filled = arg.with_text(arg.text.replace(placeholder, &name.text));
            filled.hole = filled.hole.or(name.hole.map(|hole| hole + at));
            filled.taint.add(&name.taint);
            filled
        };
        let line = command.iter().map(fill).collect();
        r.run(line);
    }
}

fn fd(r: &mut Reading<'_, '_, '_>) -> Flow {
    let args = r.call.args.clone();
    let action = args.iter().position(|arg| matches!(arg.text.as_str(), "-x" | "-X" | "--exec" | "--exec-batch"));
    let mut operands = r.parsed.operands.clone();
    if action.is_some() {
        operands =
            args.iter().take(action.unwrap_or_default()).filter(|arg| !arg.text.starts_with('-')).cloned().collect();
    }
    let pattern = operands.first().cloned();
    let mut roots: Vec<Arg> = operands.into_iter().skip(1).collect();
    if roots.is_empty() {
        roots.push(Arg::new(".", r.call.span));
    }
    for root in &roots {
        inspect(r.analysis, r.shell, root);
    }
    let name = pattern.map_or("*".to_owned(), |pattern| pattern.text);
    let exact = name.trim_start_matches('^').trim_end_matches('$').to_owned();
    let found: Vec<Arg> = roots
        .iter()
        .map(|root| if Analysis::generated_name(&exact) { below(root, &exact) } else { below(root, "**") })
        .collect();
    if let Some(action) = action {
        let mut command: Vec<Arg> = args.iter().skip(action + 1).cloned().collect();
        if !command.iter().any(|arg| arg.text.contains("{}")) {
            command.push(Arg::new("{}", r.call.span));
        }
        run_each(r, &command, "{}", &found);
    }
    Flow::names(found)
}

fn xargs(r: &mut Reading<'_, '_, '_>) -> Flow {
    let mut command = r.parsed.operands.clone();
    if command.is_empty() {
        command.push(Arg::new("echo", r.call.span));
    }
    let file = r.parsed.value(&["-a", "--arg-file"]).cloned();
    let input = file.map_or_else(|| r.call.stdin.clone(), |file| shell::read(r.analysis, r.shell, &file));
    let input = shell::with_content(r.analysis, &input);
    let placeholder = r.parsed.value(&["-I", "-i", "--replace"]).map(|arg| arg.text.clone());
    let names = match &input.text {
        // In the place of a placeholder stands a whole line.
        Some(text) if placeholder.is_some() && input.names.is_empty() => lines_of(r, text, &input),
        _ => names_of(r, &input),
    };
    if names.iter().any(|name| !name.known()) {
        shell::gap_in_flow(r.analysis, r.shell, &input, r.call.span);
    }
    r.call.stdin = Flow::default();
    match placeholder {
        Some(placeholder) if !placeholder.is_empty() => run_each(r, &command, &placeholder, &names),
        _ => {
            command.extend(names);
            r.run(command);
        }
    }
    Flow::unknown(input.taint)
}

fn lines_of(r: &mut Reading<'_, '_, '_>, text: &str, input: &Flow) -> Vec<Arg> {
    let span = r.call.span;
    let line = |line: &str| Arg { taint: input.taint.clone(), ..Arg::new(line, span) };
    let lines = text.split(['\n', '\0']).map(str::trim).filter(|line| !line.is_empty());
    r.analysis.limited(lines.map(line), MAX_NAMES, span)
}

/// The words of an input: names, the words of a known text, or something unknown.
fn names_of(r: &mut Reading<'_, '_, '_>, input: &Flow) -> Vec<Arg> {
    let span = r.call.span;
    if !input.names.is_empty() {
        return input.names.clone();
    }
    match &input.text {
        Some(text) => {
            let word = |word: &str| Arg { taint: input.taint.clone(), ..Arg::new(word, span) };
            let words = text.split(|c: char| c.is_whitespace() || c == '\0').filter(|word| !word.is_empty());
            r.analysis.limited(words.map(word), MAX_NAMES, span)
        }
        None => vec![Arg { taint: input.taint.clone(), ..Arg::unknown("$__", span) }],
    }
}

fn parallel(r: &mut Reading<'_, '_, '_>) -> Flow {
    let args: Vec<Arg> = r.call.args.iter().skip_while(|arg| arg.text.starts_with('-')).cloned().collect();
    let split = args.iter().position(|arg| arg.text.starts_with(":::")).unwrap_or(args.len());
    let mut command: Vec<Arg> = args.iter().take(split).cloned().collect();
    let mut names: Vec<Arg> = args.into_iter().skip(split + 1).filter(|arg| !arg.text.starts_with(":::")).collect();
    if names.is_empty() {
        let input = r.call.stdin.clone();
        names = names_of(r, &input);
    }
    // One argument with spaces is a command line.
    if let [line] = command.as_slice()
        && line.text.contains(' ')
    {
        let line = line.with_text(line.text.replace("{}", &names.first().map(shell::quote).unwrap_or_default()));
        return r.run_text(&line);
    }
    if !command.iter().any(|arg| arg.text.contains("{}")) {
        command.push(Arg::new("{}", r.call.span));
    }
    run_each(r, &command, "{}", &names);
    Flow::default()
}
