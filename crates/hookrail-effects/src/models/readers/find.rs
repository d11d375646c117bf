//! `find` and what runs commands for a list of names.

use super::files::below;
use super::{Reader, Reading};
use crate::act::Act;
use crate::analysis::{Analysis, Extent};
use crate::flow::{Arg, Flow};
use crate::models::apply::inspect;
use crate::shell;
use hookrail_core::FileKind;

pub(super) fn reader(name: &str) -> Option<Reader> {
    Some(match name {
        "find" => find,
        "fd" => fd,
        "xargs" => xargs,
        "parallel" => parallel,
        _ => return None,
    })
}

/// What a `find` selects: where, and by which names.
struct Selection {
    roots: Vec<Arg>,
    names: Vec<Arg>,
    /// Beginnings of paths that are selected, with a slash at the end.
    folders: Vec<Arg>,
    /// Whether only what is directly in the roots is selected.
    shallow: bool,
    excluded: Vec<String>,
}

impl Selection {
    /// The files it may find, as arguments for a command.
    fn found(&self, r: &Reading<'_, '_, '_>) -> Vec<Arg> {
        let mut found = Vec::new();
        for root in &self.roots {
            for folder in &self.folders {
                found.push(below(root, &format!("{}**", folder.text)));
            }
            if self.names.is_empty() && self.folders.is_empty() {
                // Everything below, hidden files included.
                found.push(below(root, "**"));
            }
            for name in &self.names {
                if Analysis::generated_name(&name.text) {
                    found.push(below(root, &name.text));
                    continue;
                }
                let (matches, complete) = self.search(r, root, &name.text);
                if matches.is_empty() || !complete {
                    let under = if self.shallow { name.text.clone() } else { format!("**/{}", name.text) };
                    found.push(Arg { glob: Some(root.text.len() + 1), ..below(root, &under) });
                }
                found.extend(matches);
            }
        }
        found
    }

    /// Looks for a name in the upper levels of the tree, a few hundred entries at most, and says whether that was all.
    fn search(&self, r: &Reading<'_, '_, '_>, root: &Arg, pattern: &str) -> (Vec<Arg>, bool) {
        let Some(cwd) = &r.shell.cwd else { return (Vec::new(), false) };
        let start = crate::paths::tidy(&cwd.join(&root.text));
        let mut folders = vec![(start, root.text.trim_end_matches('/').to_owned())];
        let (mut found, mut seen, mut complete) = (Vec::new(), 0, true);
        while let Some((folder, text)) = folders.pop() {
            for name in r.analysis.machine.list(&folder).unwrap_or_default() {
                seen += 1;
                if seen > 400 || found.len() >= 16 {
                    return (found, false);
                }
                let written = format!("{text}/{name}");
                if crate::paths::matches_glob(pattern, &name)
                    && !self.excluded.iter().any(|not| crate::paths::matches_glob(not, &name))
                {
                    found.push(root.with_text(written.clone()));
                }
                let deep = written.matches('/').count() < root.text.matches('/').count() + 3;
                let generated = matches!(name.as_str(), "node_modules" | "target" | ".git");
                if deep && !self.shallow && !generated {
                    folders.push((folder.join(&name), written));
                } else if !self.shallow && !generated {
                    complete &= r.analysis.machine.kind(&folder.join(&name)) != Some(FileKind::Folder);
                }
            }
        }
        (found, complete)
    }
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
    let mut selection =
        Selection { roots, names: Vec::new(), folders: Vec::new(), shallow: false, excluded: Vec::new() };
    let mut actions: Vec<Vec<Arg>> = Vec::new();
    let (mut deletes, mut negated) = (false, false);
    let mut iter = args.iter().skip(split);
    while let Some(arg) = iter.next() {
        let not = std::mem::take(&mut negated);
        match arg.text.as_str() {
            "!" | "-not" => negated = true,
            "-name" | "-iname" | "-path" | "-ipath" | "-wholename" => {
                let Some(pattern) = iter.next() else { break };
                let name = shell::base_name(&pattern.text).to_owned();
                let whole = pattern.text.contains('/');
                if not {
                    selection.excluded.extend((!whole).then_some(name));
                } else if let Some(folder) = selected_folder(&pattern.text) {
                    selection.folders.push(pattern.with_text(folder));
                } else if !pattern.text.starts_with("./") && !matches!(name.as_str(), "*" | "." | "..") {
                    selection.names.push(pattern.with_text(name));
                }
            }
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
            "-type" | "-mtime" | "-mmin" | "-size" | "-user" | "-group" | "-perm" | "-newer" | "-mindepth"
            | "-regex" | "-iregex" | "-printf" | "-ctime" | "-atime" | "-cmin" | "-amin" | "-links" | "-regextype" => {
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
        let whole = selection.names.is_empty() && selection.folders.is_empty() && !selection.shallow;
        let (files, extent) = if whole { (&selection.roots, Extent::Below) } else { (&found, Extent::Single) };
        for file in files.clone() {
            r.touch(Act::FsDelete, &file, extent);
        }
    }
    for command in actions {
        run_each(r, &command, "{}", &found);
    }
    Flow::names(found)
}

/// The beginning of a path that `-path './src/*'` selects.
fn selected_folder(pattern: &str) -> Option<&str> {
    let relative = pattern.strip_prefix("./")?;
    let literal = relative.find(['*', '?', '[']).map_or(relative, |at| relative.get(..at).unwrap_or_default());
    literal.rfind('/').and_then(|slash| literal.get(..=slash))
}

/// Runs a command for names, which stand where the placeholder is or at the end.
fn run_each(r: &mut Reading<'_, '_, '_>, command: &[Arg], placeholder: &str, names: &[Arg]) {
    let many = command.iter().all(|arg| arg.text == placeholder || !arg.text.contains(placeholder));
    if many {
        let mut line = Vec::new();
        for arg in command {
            if arg.text == placeholder { line.extend(names.iter().cloned()) } else { line.push(arg.clone()) }
        }
        r.run(line);
        return;
    }
    for name in names.iter().take(8) {
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
    let names = names_of(&input, r.call.span);
    let placeholder = r.parsed.value(&["-I", "-i", "--replace"]).map(|arg| arg.text.clone());
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

/// The words of an input: names, the words of a known text, or something unknown.
fn names_of(input: &Flow, span: hookrail_shell::ast::Span) -> Vec<Arg> {
    if !input.names.is_empty() {
        return input.names.clone();
    }
    match &input.text {
        Some(text) => {
            let word = |word: &str| Arg { taint: input.taint.clone(), ..Arg::new(word, span) };
            text.split(|c: char| c.is_whitespace() || c == '\0')
                .filter(|word| !word.is_empty())
                .take(32)
                .map(word)
                .collect()
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
        names = names_of(&r.call.stdin, r.call.span);
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
