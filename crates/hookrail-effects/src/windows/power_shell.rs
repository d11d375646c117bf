//! PowerShell.

use super::values::Values;
use super::{Operand, check_complete, each, inside, look_at, redirect, run_cmd, run_program, touch};
use crate::act::Act;
use crate::analysis::Analysis;
use crate::effect::{GapReason, Sure};
use crate::location::Location;
use crate::object::Object;
use crate::shell::Shell;
use hookrail_shell::ast::Span;
use hookrail_shell::windows::{Separator, WindowsCommand, WindowsWord, read_power_shell};

/// Follows a command line of PowerShell; `span` is where it stands, if it is an argument of the call.
pub(crate) fn run(analysis: &mut Analysis<'_>, shell: &mut Shell<'_>, text: &str, span: Option<Span>) {
    let line = read_power_shell(text);
    let mut values = Values::default();
    inside(analysis, span, |analysis| {
        check_complete(analysis, &line, text);
        let begins = |command: &WindowsCommand<'_>| !matches!(command.before, Separator::Pipe | Separator::Block);
        for statement in line.commands.chunk_by(|_, next| !begins(next)) {
            let fetches = statement.iter().any(fetches);
            values.piped.clear();
            for (index, command) in statement.iter().enumerate() {
                if !analysis.admit(command.span) {
                    return;
                }
                redirect(analysis, shell, &command.redirects);
                let target = assigned(command);
                let words: Vec<Operand> = called(command, text).iter().flat_map(|word| values.expand(word)).collect();
                match words.first().and_then(|word| Method::of(&word.text)) {
                    Some(method) => method.call(analysis, shell, statement.get(index + 1)),
                    None => run_command(analysis, shell, &words, &values, fetches, command.span),
                }
                let given = gives(command, &words, &values);
                // `Remove-Item (Resolve-Path x)`: what the parentheses give is what the command is about.
                let outer =
                    (command.before == Separator::Block).then(|| statement.get(index.checked_sub(1)?)).flatten();
                if let (Some(outer), Some(given)) = (outer, &given) {
                    let words = called(outer, text);
                    let waits = words.first().is_some_and(|word| takes_files(&word.text.to_ascii_lowercase()))
                        && operands(words.get(1..).unwrap_or_default()).is_empty();
                    if waits {
                        let words: Vec<Operand> = words.into_iter().chain(given.iter().cloned()).collect();
                        run_command(analysis, shell, &words, &values, false, outer.span);
                    }
                }
                if let Some(name) = target {
                    values.set(&name, given.unwrap_or_default());
                } else if let Some(given) = given {
                    values.piped = given;
                }
            }
        }
    });
}

/// The variable that a command gives a value to: `$a = …`, `$a=…`, or `$a in …` of a loop.
fn assigned(command: &WindowsCommand<'_>) -> Option<String> {
    let words: Vec<&WindowsWord<'_>> = command
        .words
        .iter()
        .skip_while(|word| KEYWORDS.iter().any(|known| word.text.eq_ignore_ascii_case(known)))
        .collect();
    let first = words.first().filter(|word| word.text.starts_with('$'))?;
    if let Some((name, _)) = first.text.split_once('=') {
        return Some(name.to_owned());
    }
    let sign = words.get(1)?;
    matches!(&*sign.text.to_ascii_lowercase(), "=" | "+=" | "in").then(|| first.text.clone().into_owned())
}

/// What a command gives to the next one, or to a variable: the files that it lists, or the texts that it is.
fn gives(command: &WindowsCommand<'_>, words: &[Operand], values: &Values) -> Option<Vec<Operand>> {
    let Some((program, rest)) = words.split_first() else {
        // Texts alone: those behind the sign of an assignment, or all.
        let from =
            command.words.iter().position(|word| matches!(&*word.text, "=" | "+=" | "in")).map_or(0, |at| at + 1);
        let attached =
            command.words.first().and_then(|word| Some(Operand::of(word).with_text(word.text.split_once('=')?.1)));
        let attached = attached.filter(|_| from == 0 && assigned(command).is_some());
        let skip = from + usize::from(attached.is_some());
        let texts = attached.into_iter().chain(command.words.iter().skip(skip).map(Operand::of));
        let items = |word: Operand| {
            word.text.split(',').filter(|item| !item.is_empty()).map(|item| word.with_text(item)).collect::<Vec<_>>()
        };
        let found: Vec<Operand> = texts
            .flat_map(items)
            .map(|word| Operand { expands: word.text.contains('$'), ..word })
            .flat_map(|word| values.expand(&word))
            .collect();
        return (!found.is_empty()).then_some(found);
    };
    let named = operands(rest);
    let name = program.text.to_ascii_lowercase();
    match name.as_str() {
        "get-childitem" | "gci" | "ls" | "dir" => {
            let here = [program.with_text(".")];
            let folders = if named.is_empty() { &here[..] } else { &named };
            let below = |folder: &Operand| match folder.text.contains('*') {
                true => folder.clone(),
                false => folder.with_text(&format!("{}/*", folder.text.trim_end_matches(['/', '\\']))),
            };
            Some(folders.iter().map(below).collect())
        }
        "join-path" => Some(match named.as_slice() {
            [folder, name, ..] if !folder.expands => {
                vec![name.with_text(&format!("{}/{}", folder.text.trim_end_matches(['/', '\\']), name.text))]
            }
            [_, name, ..] => vec![name.clone()],
            _ => named,
        }),
        "get-item" | "gi" | "resolve-path" | "test-path" => Some(named),
        _ => None,
    }
}

/// Whether a command brings something from the network to the others of its statement.
fn fetches(command: &WindowsCommand<'_>) -> bool {
    let lower = |word: &WindowsWord<'_>| word.text.to_ascii_lowercase();
    command.words.first().is_some_and(|word| FETCHERS.contains(&lower(word).as_str()))
        || command.words.iter().any(|word| word.text.contains("://") || lower(word).contains("downloadstring"))
}

const FETCHERS: &[&str] =
    &["invoke-webrequest", "iwr", "invoke-restmethod", "irm", "curl", "wget", "start-bitstransfer"];

/// Words of the language before which or behind which a command may stand.
const KEYWORDS: &[&str] = &[
    "if", "elseif", "else", "while", "for", "foreach", "switch", "try", "catch", "finally", "do", "until", "function",
    "filter", "param", "begin", "process", "end", "in", "return", "throw", ".",
];

/// The command and its arguments: without an assignment and keywords before it. A text or a value is no command.
fn called(command: &WindowsCommand<'_>, text: &str) -> Vec<Operand> {
    let mut words: &[WindowsWord<'_>] = &command.words;
    loop {
        match words {
            [target, sign, rest @ ..]
                if target.text.starts_with('$') && matches!(&*sign.text, "=" | "+=" | "in" | "In") =>
            {
                words = rest;
            }
            [keyword, rest @ ..] if KEYWORDS.iter().any(|known| keyword.text.eq_ignore_ascii_case(known)) => {
                words = rest;
            }
            _ => break,
        }
    }
    let Some(first) = words.first() else { return Vec::new() };
    let before = text.get(..first.span.start).unwrap_or_default().trim_end();
    let source = first.span.of(text);
    let value = source.starts_with(['\'', '"', '$', '@', '‘', '’', '“', '”'])
        || source.starts_with(|c: char| c.is_ascii_digit());
    if value && !before.ends_with(['&', '.']) {
        return Vec::new();
    }
    words.iter().map(Operand::of).collect()
}

/// A method of .NET that is called by its full name: `[IO.File]::Delete(…)`.
struct Method(Act, Act);

impl Method {
    fn of(word: &str) -> Option<Self> {
        let (_, name) = word.strip_prefix('[')?.split_once("]::")?;
        let name = name.to_ascii_lowercase();
        if name == "copy" || name == "replace" {
            return Some(Self(Act::FsRead, Act::FsWrite));
        }
        let act = match name.as_str() {
            "delete" => Act::FsDelete,
            "move" => Act::FsMove,
            _ if name.starts_with("writeall") || name.starts_with("appendall") || name.starts_with("create") => {
                Act::FsWrite
            }
            _ if name.starts_with("readall") => Act::FsRead,
            _ => return None,
        };
        Some(Self(act, act))
    }

    /// What it is called with stands in parentheses, which are a block to the reader.
    fn call(&self, analysis: &mut Analysis<'_>, shell: &Shell<'_>, arguments: Option<&WindowsCommand<'_>>) {
        let words = arguments.filter(|block| block.before == Separator::Block).map_or(&[][..], |block| &block.words);
        let items = |word: &WindowsWord<'_>| {
            let word = Operand::of(word);
            word.text.split(',').filter(|item| !item.is_empty()).map(|item| word.with_text(item)).collect::<Vec<_>>()
        };
        let items: Vec<Operand> = words.iter().flat_map(items).collect();
        if let Some(path) = items.first() {
            touch(analysis, shell, self.0, path);
        }
        // What is moved or copied goes to the second one.
        let goes = self.0 != self.1 || self.0 == Act::FsMove;
        if let Some(path) = items.get(1).filter(|_| goes) {
            touch(analysis, shell, self.1, path);
        }
    }
}

fn run_command(
    analysis: &mut Analysis<'_>,
    shell: &mut Shell<'_>,
    words: &[Operand],
    values: &Values,
    fetches: bool,
    span: Span,
) {
    let Some((program, rest)) = words.split_first() else { return };
    let name = program.text.to_ascii_lowercase();
    let mut operands = operands(rest);
    if operands.is_empty() && takes_files(&name) {
        operands.clone_from(&values.piped);
    }
    match name.as_str() {
        "remove-item" | "ri" | "del" | "rm" | "rd" | "rmdir" | "erase" | "clear-content" | "clc" | "clear-item"
        | "cli" => {
            each(analysis, shell, Act::FsDelete, &operands);
        }
        "set-content" | "sc" | "add-content" | "ac" | "out-file" | "new-item" | "ni" | "tee-object" | "tee"
        | "export-csv" | "epcsv" | "export-clixml" | "mkdir" | "md" | "set-item" | "si" | "start-transcript"
        | "set-itemproperty" | "set-acl" => {
            each(analysis, shell, Act::FsWrite, operands.get(..1).unwrap_or_default());
        }
        "get-content" | "gc" | "type" | "cat" | "import-csv" | "ipcsv" | "import-clixml" => {
            each(analysis, shell, Act::FsRead, &operands);
        }
        "get-childitem" | "gci" | "ls" | "dir" | "get-item" | "gi" | "test-path" | "resolve-path" | "rvpa"
        | "get-acl" => look_at(analysis, shell, &operands),
        // The pattern stands first, unless it is named.
        "select-string" | "sls" => {
            let named =
                rest.iter().any(|word| "-pattern".starts_with(&word.text.to_ascii_lowercase()) && word.text.len() > 2);
            let skip = usize::from(!named && operands.len() > 1);
            each(analysis, shell, Act::FsRead, operands.get(skip..).unwrap_or_default());
        }
        "move-item" | "mi" | "mv" | "move" | "rename-item" | "rni" | "ren" => {
            each(analysis, shell, Act::FsMove, &operands);
        }
        "copy-item" | "cp" | "copy" | "ci" | "cpi" => {
            let named = value_of(rest, "-destination");
            let (sources, target) = match &named {
                Some(target) => {
                    (operands.iter().filter(|word| word.text != target.text).cloned().collect(), Some(target))
                }
                None => {
                    (operands.split_last().map(|(_, sources)| sources.to_vec()).unwrap_or_default(), operands.last())
                }
            };
            each(analysis, shell, Act::FsRead, &sources);
            if let Some(target) = target {
                touch(analysis, shell, Act::FsWrite, target);
            }
        }
        // A method of what the pipeline or the parentheses before it give.
        name if name.starts_with(".delete") => each(analysis, shell, Act::FsDelete, &values.piped),
        name if name.starts_with(".moveto") => each(analysis, shell, Act::FsMove, &values.piped),
        "expand-archive" | "compress-archive" => {
            let (source, target) = (operands.first(), operands.get(1).cloned());
            each(analysis, shell, Act::FsRead, source.map(std::slice::from_ref).unwrap_or_default());
            touch(analysis, shell, Act::FsWrite, &target.unwrap_or_else(|| program.with_text(".")));
        }
        "set-location" | "cd" | "sl" | "chdir" | "push-location" | "pushd" => enter(analysis, shell, operands.first()),
        "pop-location" | "popd" => shell.cwd = None,
        name if FETCHERS.contains(&name) => fetch(analysis, shell, rest, &operands, span),
        "invoke-expression" | "iex" => match operands.as_slice() {
            [code] if !code.expands && !fetches => {
                analysis.deeper(span, |analysis| run(analysis, shell, &code.text, Some(span)));
            }
            _ => evaluate(analysis, shell, fetches, span),
        },
        "start-process" | "saps" => {
            if rest.iter().any(|word| word.text.eq_ignore_ascii_case("runas")) {
                analysis.add_target(Act::ExecPrivileged, None, Location::System, span);
            }
            // The list of arguments may be one text.
            let line = operands.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ");
            let expands = operands.iter().any(|word| word.expands);
            if expands {
                run_program(analysis, shell, &operands, span);
            } else {
                analysis.deeper(span, |analysis| run(analysis, shell, &line, Some(span)));
            }
        }
        "cmd" | "cmd.exe" => {
            let words = rest.iter().skip_while(|word| word.text.starts_with('/'));
            let text = words.map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ");
            run_cmd(analysis, shell, &text, Some(span));
        }
        name => {
            if let Some((_, act, place)) = HOST_COMMANDS.iter().find(|(names, _, _)| names.contains(&name)) {
                let target = operands.first().map(|operand| operand.text.as_str());
                analysis.add_target(*act, target, *place, span);
            } else if !only_shows(name) {
                run_program(analysis, shell, words, span);
            }
        }
    }
}

/// Commands that work on the files which the pipeline gives them.
fn takes_files(name: &str) -> bool {
    matches!(
        name,
        "remove-item"
            | "ri"
            | "del"
            | "rm"
            | "rd"
            | "rmdir"
            | "erase"
            | "clear-content"
            | "clc"
            | "move-item"
            | "mi"
            | "mv"
            | "rename-item"
            | "rni"
            | "ren"
            | "set-itemproperty"
            | "set-acl"
            | "get-content"
            | "gc"
            | "cat"
            | "type"
    )
}

/// Commands about the machine rather than about files.
const HOST_COMMANDS: &[(&[&str], Act, Location)] = &[
    (
        &["stop-service", "restart-service", "set-service", "start-service", "set-executionpolicy", "set-mppreference"],
        Act::HostService,
        Location::System,
    ),
    (&["stop-process", "spps", "kill"], Act::HostProcess, Location::System),
    (&["stop-computer", "restart-computer"], Act::HostPower, Location::System),
    (&["format-volume", "clear-disk", "remove-partition", "initialize-disk"], Act::HostDisk, Location::Device),
    (&["register-scheduledtask", "new-service"], Act::HostPersist, Location::System),
    (&["install-module", "install-package", "install-script"], Act::PackageInstall, Location::Remote),
];

/// Commands that look, or change what is in the pipe.
fn only_shows(name: &str) -> bool {
    const VERBS: &[&str] =
        &["get-", "write-", "select-", "where-", "sort-", "measure-", "format-", "convertto-", "convertfrom-", "out-"];
    VERBS.iter().any(|verb| name.starts_with(verb))
        || matches!(name, "echo" | "foreach-object" | "%" | "?" | "new-object" | "join-path" | "split-path")
        // A method of a value: `.DownloadString(…)`.
        || name.starts_with(['.', '['])
}

fn enter(analysis: &mut Analysis<'_>, shell: &mut Shell<'_>, folder: Option<&Operand>) {
    shell.cwd = match folder {
        None => analysis.around.home.clone(),
        Some(folder) => {
            let folder = folder.with_text(&folder.text.replace('\\', "/")).to_arg();
            crate::shell::folder(analysis, shell, &folder)
        }
    };
}

fn fetch(analysis: &mut Analysis<'_>, shell: &Shell<'_>, rest: &[Operand], operands: &[Operand], span: Span) {
    let url = operands.iter().find(|word| word.text.contains("://")).map(|word| word.text.as_str());
    let is = |word: &Operand, names: &[&str]| names.iter().any(|name| word.text.eq_ignore_ascii_case(name));
    let sends = rest.iter().any(|word| is(word, &["-body", "-infile", "post", "put"]));
    let object = Object {
        url: url.map(Into::into),
        host: url.and_then(crate::models::host_of).map(Into::into),
        ..Object::default()
    };
    let act = if sends { Act::NetSend } else { Act::NetFetch };
    analysis.add(act, object, Location::Remote, Sure::Certain, span);
    let value = |names: &[&str]| rest.windows(2).find(|pair| pair.first().is_some_and(|word| is(word, names)));
    if let Some([_, file]) = value(&["-outfile", "-o", "-destination"]) {
        touch(analysis, shell, Act::FsWrite, file);
    }
    if let Some([_, file]) = value(&["-infile"]) {
        touch(analysis, shell, Act::FsRead, file);
    }
}

/// The value of an option, whose name may be cut short.
fn value_of(words: &[Operand], option: &str) -> Option<Operand> {
    let is_it = |word: &Operand| word.text.len() > 2 && option.starts_with(&word.text.to_ascii_lowercase());
    let at = words.iter().position(is_it)?;
    words.get(at + 1).cloned()
}

fn evaluate(analysis: &mut Analysis<'_>, shell: &Shell<'_>, fetches: bool, span: Span) {
    if fetches {
        analysis.add_target(Act::ExecRemote, Some("iex"), Location::Remote, span);
        return;
    }
    let place = shell.cwd.as_deref().map_or(Location::Unknown, |cwd| analysis.place_of(cwd));
    analysis.add_target(Act::ExecDynamic, Some("iex"), place, span);
    analysis.gap(GapReason::DynamicCode, span);
}

/// Options whose value is no path.
const VALUES: &[&str] = &[
    "-filter",
    "-include",
    "-exclude",
    "-encoding",
    "-value",
    "-itemtype",
    "-erroraction",
    "-method",
    "-headers",
    "-pattern",
    "-name",
    "-outfile",
    "-o",
    "-uri",
    "-depth",
    "-verb",
];

/// What is no option and no value of one that is no path. Commas separate the items of a list.
fn operands(words: &[Operand]) -> Vec<Operand> {
    let mut found = Vec::new();
    let mut skip = false;
    for word in words {
        if std::mem::take(&mut skip) && !word.text.contains("://") {
            continue;
        }
        let mut text = word.text.as_str();
        if let Some(option) = text.strip_prefix('-') {
            let (name, value) = text.split_once(':').unwrap_or((text, ""));
            let takes_value = VALUES.iter().any(|known| name.eq_ignore_ascii_case(known));
            if !option.contains(':') || takes_value {
                skip = takes_value && !option.contains(':');
                continue;
            }
            text = value;
        }
        found.extend(text.split(',').filter(|item| !item.is_empty()).map(|item| word.with_text(item)));
    }
    found
}
