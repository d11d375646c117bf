//! Editors in batch mode.

use super::shells::script_text;
use super::{ProgramReader, Reading, filters};
use crate::act::Act;
use crate::analysis::Extent;
use crate::flow::{Arg, Flow, Taint};
use crate::shell;

pub(super) fn reader(name: &str) -> Option<ProgramReader> {
    Some(match name {
        "sed" => sed,
        "ed" => ed,
        "ex" => ex,
        "emacs" => emacs,
        "code" => code,
        _ => return None,
    })
}

fn sed(r: &mut Reading<'_, '_, '_>) -> Flow {
    let args = r.call.args.clone();
    let (mut scripts, mut files, mut in_place) = (Vec::new(), Vec::new(), false);
    let quiet = args.iter().any(|arg| matches!(arg.text.as_str(), "-n" | "--quiet" | "--silent"));
    let mut iter = args.iter();
    let mut given = false;
    while let Some(arg) = iter.next() {
        let text = arg.text.as_str();
        match text {
            "-e" | "--expression" => {
                given = true;
                scripts.extend(iter.next().cloned());
            }
            "-f" | "--file" => {
                given = true;
                scripts.extend(iter.next().and_then(|file| script_text(r, file)));
            }
            _ if text.starts_with("--file=") => {
                given = true;
                scripts.extend(script_text(r, &arg.after(7)));
            }
            _ if text.starts_with("--expression=") => {
                given = true;
                scripts.push(arg.after(13));
            }
            _ if text.starts_with("--in-place") => in_place = true,
            "-l" | "--line-length" => {
                iter.next();
            }
            _ if text.starts_with("--") => {}
            _ if text.starts_with('-') && text.len() > 1 => {
                // `-i.bak` has a suffix; letters behind `i` belong to it, those before it are options.
                let before = text.split('i').next().unwrap_or_default();
                in_place |= before.len() < text.len();
                if before.ends_with('e') || (!text.contains('i') && text.ends_with('e')) {
                    given = true;
                    scripts.extend(iter.next().cloned());
                }
            }
            _ => files.push(arg.clone()),
        }
    }
    if !given && !files.is_empty() {
        scripts.insert(0, files.remove(0));
        // BSD's `sed -i '' script file`: the suffix is a word of its own.
        if in_place && scripts.first().is_some_and(|script| script.text.is_empty()) && !files.is_empty() {
            scripts.push(files.remove(0));
        }
    }
    let mut executes = false;
    for script in &scripts {
        executes |= inspect_script(r, script);
    }
    if executes {
        r.gap_in_input(&files);
    }
    let mut taint = r.call.taint();
    for file in &files {
        if in_place {
            r.touch(Act::FsWrite, file, Extent::Single);
        } else {
            taint.add(&shell::read(r.analysis, r.shell, file).taint);
        }
    }
    taint.decoded |= taint.remote;
    let text = match scripts.as_slice() {
        [script] if !in_place => {
            let listed = || {
                let names = r.call.stdin.names.iter().take(filters::MAX_LINES);
                names.map(|name| format!("{}\n", name.text)).collect::<String>()
            };
            let input = filters::input(r, &files)
                .or_else(|| Some(listed()).filter(|text| !text.is_empty() && files.is_empty()));
            filters::sed(input.as_deref(), &script.text, quiet)
        }
        _ => None,
    };
    let made_of = filters::only_file(r, &files);
    filters::flow(Flow { names: r.call.stdin.names.clone(), made_of, ..Flow::unknown(taint) }, text)
}

/// A sed script can write files (`w file`) and run commands (`e`, the flag `e` of `s`). Whether it runs lines of its input.
fn inspect_script(r: &mut Reading<'_, '_, '_>, script: &Arg) -> bool {
    let mut executes = false;
    for part in split_commands(&script.text) {
        let command =
            part.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, ',' | '$' | '!' | ' ' | '~' | '+'));
        let command = strip_address(command);
        if let Some(rest) = command.strip_prefix('s') {
            executes |= substitute(r, script, rest);
        // No blank is needed before a name.
        } else if let Some(file) = command.strip_prefix(['w', 'W']) {
            touch_named(r, Act::FsWrite, script, file);
        } else if let Some(file) = command.strip_prefix(['r', 'R']) {
            touch_named(r, Act::FsRead, script, file);
        } else if command == "e" {
            executes = true;
            r.act(Act::ExecDynamic, Some("sed e"));
        } else if let Some(line) = command.strip_prefix("e ") {
            r.act(Act::ExecDynamic, Some("sed e"));
            r.run_text(&script.with_text(line));
        }
    }
    executes
}

fn touch_named(r: &mut Reading<'_, '_, '_>, act: Act, script: &Arg, file: &str) {
    if !file.trim().is_empty() {
        r.touch(act, &script.with_text(file.trim()), Extent::Single);
    }
}

/// A pattern before a command selects lines.
fn strip_address(command: &str) -> &str {
    let Some(rest) = command.strip_prefix('/') else { return command };
    let mut escaped = false;
    for (at, c) in rest.char_indices() {
        match c {
            '\\' if !escaped => escaped = true,
            '/' if !escaped => {
                let rest = rest.get(at + 1..).unwrap_or_default();
                let rest = rest.trim_start_matches(['I', ' ', '!']);
                return match rest.strip_prefix(',') {
                    Some(rest) if rest.starts_with('/') => strip_address(rest),
                    Some(rest) => rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == '$'),
                    None => rest,
                };
            }
            _ => escaped = false,
        }
    }
    command
}

/// The commands of a script, each with its address: they end at a newline or a semicolon, unless that is part of a text.
fn split_commands(text: &str) -> Vec<&str> {
    let chars: Vec<(usize, char)> = text.char_indices().collect();
    let (mut found, mut at) = (Vec::new(), 0);
    while at < chars.len() {
        let start = at;
        at = command_end(&chars, after_address(&chars, at));
        let from = chars.get(start).map_or(text.len(), |(byte, _)| *byte);
        let to = chars.get(at).map_or(text.len(), |(byte, _)| *byte);
        found.extend(text.get(from..to).map(str::trim).filter(|command| !command.is_empty()));
        at += 1;
    }
    found
}

/// Where the command begins behind its address: numbers, `$`, `!`, and patterns between slashes.
fn after_address(chars: &[(usize, char)], mut at: usize) -> usize {
    while let Some((_, c)) = chars.get(at) {
        match c {
            '/' => at = behind(chars, at + 1, '/'),
            '\\' => at = chars.get(at + 1).map_or(at + 1, |(_, delimiter)| behind(chars, at + 2, *delimiter)),
            c if c.is_ascii_digit() || c.is_whitespace() || matches!(c, ',' | '$' | '!' | '~' | '+' | 'I' | '{') => {
                at += 1;
            }
            _ => break,
        }
    }
    at
}

fn behind(chars: &[(usize, char)], from: usize, delimiter: char) -> usize {
    let mut at = from;
    while let Some((_, c)) = chars.get(at) {
        if *c == delimiter {
            return at + 1;
        }
        at += if *c == '\\' { 2 } else { 1 };
    }
    at
}

fn command_end(chars: &[(usize, char)], at: usize) -> usize {
    let Some((_, letter)) = chars.get(at) else { return chars.len() };
    let mut flags = at;
    if matches!(letter, 's' | 'y')
        && let Some((_, delimiter)) = chars.get(at + 1)
    {
        flags = behind(chars, behind(chars, at + 2, *delimiter), *delimiter);
    }
    let rest = chars.get(flags..).unwrap_or_default();
    // What is written to, read from, run or added is the rest of the line.
    let takes_line = matches!(letter, 'w' | 'W' | 'r' | 'R' | 'e' | 'a' | 'i' | 'c');
    let writes = |before: &[(usize, char)]| *letter == 's' && before.iter().any(|(_, c)| *c == 'w');
    let end = (0..rest.len()).find(|end| match rest.get(*end) {
        Some((_, '\n')) => true,
        Some((_, ';' | '}')) => !takes_line && !writes(rest.get(..*end).unwrap_or_default()),
        _ => false,
    });
    end.map_or(chars.len(), |end| flags + end)
}

/// Behind `s`: the flags `e` and `w`.
fn substitute(r: &mut Reading<'_, '_, '_>, script: &Arg, rest: &str) -> bool {
    let Some(delimiter) = rest.chars().next().filter(|c| !c.is_alphanumeric()) else { return false };
    let mut parts = Vec::new();
    let (mut part, mut escaped) = (String::new(), false);
    for c in rest.chars().skip(1) {
        if c == delimiter && !escaped && parts.len() < 2 {
            parts.push(std::mem::take(&mut part));
        } else {
            part.push(c);
        }
        escaped = c == '\\' && !escaped;
    }
    let flags = part.split([';', '\n', '}']).next().unwrap_or_default();
    let (before, file) = flags.split_once('w').unwrap_or((flags, ""));
    if before.chars().all(|c| c.is_ascii_digit() || matches!(c, 'g' | 'p' | 'i' | 'I' | 'm' | 'M' | 'e')) {
        touch_named(r, Act::FsWrite, script, file);
    }
    if !file.is_empty() {
        return false;
    }
    let executes = parts.len() == 2 && flags.contains('e') && flags.chars().all(|c| c.is_ascii_alphanumeric());
    if executes {
        r.act(Act::ExecDynamic, Some("sed s///e"));
        let line = parts.pop().unwrap_or_default().replace("\\/", "/");
        r.run_text(&script.with_text(line));
    }
    executes
}

/// `ed` and `ex` can run commands with `!`, and write and read other files with `w FILE` and `r FILE`, behind an address.
fn inspect_lines(r: &mut Reading<'_, '_, '_>, text: &str, arg: &Arg) {
    let is_address = |c: char| c.is_ascii_digit() || matches!(c, ':' | '+' | '-' | '%' | '$' | '.' | ',' | ';');
    for line in text.split(['\n', '|']) {
        let line = line.trim().trim_start_matches(is_address);
        if let Some(command) =
            line.strip_prefix('!').or_else(|| line.strip_prefix("r !")).or_else(|| line.strip_prefix("w !"))
        {
            r.run_text(&arg.with_text(command));
        } else if let Some(file) =
            ["w ", "w! ", "saveas ", "write ", "wq "].iter().find_map(|prefix| line.strip_prefix(prefix))
        {
            touch_named(r, Act::FsWrite, arg, file);
        } else if let Some(file) = ["r ", "read ", "e ", "edit "].iter().find_map(|prefix| line.strip_prefix(prefix)) {
            touch_named(r, Act::FsRead, arg, file);
        } else if let Some(command) = line.strip_prefix("call system(") {
            let command = command.trim_end_matches(')').trim_matches(['\'', '"']).to_owned();
            r.run_text(&arg.with_text(command));
        }
    }
}

fn ed(r: &mut Reading<'_, '_, '_>) -> Flow {
    for file in r.parsed.operands.clone() {
        r.touch(Act::FsRead, &file, Extent::Single);
    }
    let Some(text) = r.call.stdin.text.clone() else { return r.by_usage() };
    let arg = Arg::new("", r.call.span);
    inspect_lines(r, &text, &arg);
    // `w` without a name writes the file that is edited.
    let saves = |line: &str| {
        let line = line.trim().trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, ',' | '%' | '$' | '.'));
        matches!(line, "w" | "wq" | "W" | "x") || line.starts_with(['g', 'v', 'G', 'V'])
    };
    if text.lines().any(saves) { r.by_usage() } else { Flow::unknown(Taint::NONE) }
}

fn ex(r: &mut Reading<'_, '_, '_>) -> Flow {
    let mut texts: Vec<Arg> = r.parsed.values(&["-c"]).cloned().collect();
    for file in r.parsed.values(&["-S"]).cloned().collect::<Vec<_>>() {
        texts.extend(script_text(r, &file));
    }
    let plus: Vec<Arg> = r.call.args.iter().filter(|arg| arg.text.starts_with('+')).cloned().collect();
    for text in texts.iter().chain(&plus) {
        inspect_lines(r, &text.text.clone(), text);
    }
    if let Some(text) = r.call.stdin.text.clone() {
        let arg = Arg::new("", r.call.span);
        inspect_lines(r, &text, &arg);
    }
    let input = r.call.stdin.text.clone();
    let lines: Vec<&str> = texts.iter().chain(&plus).map(|text| text.text.as_str()).chain(input.as_deref()).collect();
    // Without commands a person may write, unless only a look was asked for.
    let only_looks = r.parsed.has(&["-R", "-M"]);
    let writes = lines.is_empty() && !only_looks || lines.iter().any(|text| saves(text));
    let opened = |line: &str| {
        let line = line.trim().trim_start_matches([':', '+', ' ']);
        ["e ", "e! ", "edit ", "edit! ", "tabe ", "sp ", "vs "]
            .iter()
            .find_map(|prefix| line.strip_prefix(prefix))
            .map(str::to_owned)
    };
    let opened: Vec<String> = lines.iter().flat_map(|text| text.split(['\n', '|'])).filter_map(opened).collect();
    for file in opened {
        let file = Arg::new(file.trim(), r.call.span);
        r.touch(Act::FsRead, &file, Extent::Single);
        if writes {
            r.touch(Act::FsWrite, &file, Extent::Single);
        }
    }
    for file in r.parsed.operands.clone().iter().filter(|arg| !arg.text.starts_with('+')) {
        crate::models::looked_into(r.analysis, r.shell, file);
        if writes {
            r.touch(Act::FsWrite, file, Extent::Single);
        }
    }
    Flow::default()
}

/// Whether commands of vim save the file that is edited: a `w` with a name saves another one.
fn saves(commands: &str) -> bool {
    commands.split(['\n', '|']).map(|line| line.trim().trim_start_matches([':', '+', '%', ' '])).any(|line| {
        let word = line.trim_end_matches('!').trim();
        matches!(
            word,
            "w" | "wq" | "x" | "xit" | "exit" | "up" | "update" | "wa" | "wall" | "wqa" | "wqall" | "xa" | "xall"
        ) || line.contains("ZZ")
            || line.starts_with("bufdo")
            || line.starts_with("argdo")
            || line.starts_with("source ")
            || line.starts_with("exe")
    })
}

fn emacs(r: &mut Reading<'_, '_, '_>) -> Flow {
    if r.parsed.has(&["--eval", "--load", "-l", "-f"]) {
        r.act(Act::ExecDynamic, Some("emacs lisp"));
        let args = r.call.args.clone();
        r.gap(crate::effect::GapReason::DynamicCode, &args);
    }
    r.by_usage()
}

fn code(r: &mut Reading<'_, '_, '_>) -> Flow {
    if let Some(extension) = r.parsed.value(&["--install-extension"]).cloned() {
        r.act(Act::PackageInstall, Some(&extension.text));
        return Flow::default();
    }
    r.by_usage();
    Flow::unknown(Taint::NONE)
}
