//! PowerShell and `cmd` command lines: words, pipes and the commands that matter.

use crate::act::Act;
use crate::analysis::{Analysis, Extent};
use crate::effect::{GapReason, Sure};
use crate::flow::{Arg, Flow};
use crate::location::Location;
use crate::object::Object;
use crate::shell::{Shell, run_args};
use hookrail_shell::ast::Span;

/// Follows a PowerShell command line.
pub(crate) fn run(analysis: &mut Analysis<'_>, shell: &mut Shell<'_>, text: &str, span: Span) {
    analysis.inside(span, |analysis| {
        for pipeline in split(text, &[';', '\n']) {
            let commands = split(&pipeline, &['|']);
            let mut fetched = false;
            for command in &commands {
                let words = words(command);
                fetched = run_command(analysis, shell, &words, fetched, span);
            }
        }
    });
}

/// Follows a `cmd` command line.
pub(crate) fn run_cmd(analysis: &mut Analysis<'_>, shell: &mut Shell<'_>, text: &str, span: Span) {
    analysis.inside(span, |analysis| {
        for command in split(text, &['&', '|', '\n']) {
            let all: Vec<String> =
                words(&command).into_iter().map(|word| word.trim_matches(['"', '\\']).to_owned()).collect();
            let Some((program, rest)) = all.split_first() else { continue };
            let operands: Vec<&String> = rest.iter().filter(|word| !word.starts_with('/')).collect();
            match program.to_ascii_lowercase().as_str() {
                "del" | "erase" | "rd" | "rmdir" => each(analysis, shell, Act::FsDelete, &operands, span),
                "copy" | "xcopy" | "robocopy" | "type" | "more" => each(analysis, shell, Act::FsRead, &operands, span),
                "move" | "ren" | "rename" => each(analysis, shell, Act::FsMove, &operands, span),
                "md" | "mkdir" => each(analysis, shell, Act::FsWrite, &operands, span),
                "format" | "diskpart" => analysis.add_target(
                    Act::HostDisk,
                    operands.first().map(|word| word.as_str()),
                    Location::Device,
                    span,
                ),
                "dir" | "echo" | "cd" | "set" | "cls" | "ver" => {}
                _ => {
                    let args = all.iter().map(|word| Arg::new(word.clone(), span)).collect();
                    run_args(analysis, shell, args, Vec::new(), &Flow::default(), span);
                }
            }
        }
    });
}

fn each(analysis: &mut Analysis<'_>, shell: &Shell<'_>, act: Act, operands: &[&String], span: Span) {
    for operand in operands {
        path(analysis, shell, act, operand, span);
    }
}

/// Windows paths have a drive or backslashes; they are outside of what this machine can place.
fn path(analysis: &mut Analysis<'_>, shell: &Shell<'_>, act: Act, text: &str, span: Span) {
    let home = analysis.around.home.as_ref().map(|home| home.to_string_lossy().into_owned());
    let mut text = text.to_owned();
    if let Some(home) = home {
        for name in ["$HOME", "$env:USERPROFILE", "$env:HOME", "%USERPROFILE%", "$Home", "$home"] {
            text = text.replace(name, &home);
        }
        if text == "~" || text.starts_with("~/") || text.starts_with("~\\") {
            text = format!("{home}{}", text.trim_start_matches('~'));
        }
    }
    let windows = text.as_bytes().get(1) == Some(&b':');
    if windows {
        let object = Object { target: Some(text.as_str().into()), ..Object::default() };
        analysis.add(act, object, Location::Outside, Sure::Certain, span);
        return;
    }
    let text = text.replace('\\', "/");
    let hole = text.find('$');
    let glob = text.find('*');
    let arg = Arg { hole, glob, ..Arg::new(text, span) };
    analysis.touch(act, &arg, shell.cwd.as_deref(), Extent::Below);
}

/// Runs one command and returns whether it gives something from the network to the next.
fn run_command(
    analysis: &mut Analysis<'_>,
    shell: &mut Shell<'_>,
    words: &[String],
    fetched: bool,
    span: Span,
) -> bool {
    let Some((program, rest)) = words.split_first() else { return false };
    let lower = program.to_ascii_lowercase();
    let operands: Vec<&String> = operands(rest);
    match lower.as_str() {
        "remove-item" | "ri" | "del" | "rm" | "rd" | "rmdir" | "erase" | "clear-content" => {
            each(analysis, shell, Act::FsDelete, &operands, span);
        }
        "set-content" | "sc" | "add-content" | "ac" | "out-file" | "new-item" | "ni" | "tee-object" => {
            each(analysis, shell, Act::FsWrite, &operands.into_iter().take(1).collect::<Vec<_>>(), span);
        }
        "get-content" | "gc" | "type" | "cat" | "import-csv" => each(analysis, shell, Act::FsRead, &operands, span),
        "get-childitem" | "gci" | "ls" | "dir" | "get-item" | "gi" | "test-path" | "select-string" | "resolve-path" => {
            for operand in &operands {
                path(analysis, shell, Act::FsRead, operand, span);
            }
        }
        "move-item" | "mi" | "mv" | "rename-item" => each(analysis, shell, Act::FsMove, &operands, span),
        "copy-item" | "cp" | "copy" | "ci" => {
            if let Some((target, sources)) = operands.split_last() {
                each(analysis, shell, Act::FsRead, sources, span);
                path(analysis, shell, Act::FsWrite, target, span);
            }
        }
        "set-location" | "cd" | "sl" | "chdir" => {
            let folder = operands.first().map(|word| Arg::new(word.replace('\\', "/"), span));
            shell.cwd = folder.and_then(|folder| crate::shell::folder(analysis, shell, &folder));
        }
        "invoke-webrequest" | "iwr" | "invoke-restmethod" | "irm" | "curl" | "wget" | "start-bitstransfer" => {
            let url = operands.iter().find(|word| word.contains("://")).map(|word| word.as_str());
            let sends = rest
                .iter()
                .any(|word| matches!(word.to_ascii_lowercase().as_str(), "-body" | "-infile" | "post" | "put"));
            let object = Object {
                url: url.map(Into::into),
                host: url.and_then(crate::models::host_of).map(Into::into),
                ..Object::default()
            };
            analysis.add(
                if sends { Act::NetSend } else { Act::NetFetch },
                object,
                Location::Remote,
                Sure::Certain,
                span,
            );
            return true;
        }
        "invoke-expression" | "iex" => {
            let remote = fetched
                || rest.iter().any(|word| word.contains("://") || word.to_ascii_lowercase().contains("downloadstring"));
            analysis.add_target(if remote { Act::ExecRemote } else { Act::ExecDynamic }, None, Location::Remote, span);
            if !remote {
                analysis.gap(GapReason::DynamicCode, span);
            }
        }
        "stop-process" | "spps" | "kill" => {
            analysis.add_target(Act::HostProcess, operands.first().map(|word| word.as_str()), Location::System, span);
        }
        "stop-service" | "restart-service" | "set-service" | "start-service" => {
            analysis.add_target(Act::HostService, None, Location::System, span);
        }
        "stop-computer" | "restart-computer" => analysis.add_target(Act::HostPower, None, Location::System, span),
        "format-volume" | "clear-disk" | "remove-partition" => {
            analysis.add_target(Act::HostDisk, None, Location::Device, span);
        }
        "register-scheduledtask" | "new-service" => analysis.add_target(Act::HostPersist, None, Location::System, span),
        "install-module" | "install-package" | "install-script" => {
            analysis.add_target(
                Act::PackageInstall,
                operands.first().map(|word| word.as_str()),
                Location::Remote,
                span,
            );
        }
        "set-executionpolicy" | "set-mppreference" => {
            analysis.add_target(Act::HostService, None, Location::System, span);
        }
        "start-process" | "&" => {
            let args = operands.iter().map(|word| Arg::new(word.as_str(), span)).collect();
            run_args(analysis, shell, args, Vec::new(), &Flow::default(), span);
        }
        "cmd" | "cmd.exe" => {
            let text = rest.iter().skip_while(|word| word.starts_with('/')).cloned().collect::<Vec<_>>().join(" ");
            run_cmd(analysis, shell, &text, span);
        }
        name if name.starts_with("get-")
            || name.starts_with("write-")
            || name.starts_with("select-")
            || name.starts_with("where-")
            || name.starts_with("sort-")
            || name.starts_with("measure-")
            || name.starts_with("format-")
            || name.starts_with("convertto-")
            || name.starts_with("convertfrom-")
            || name.starts_with('$')
            || name.starts_with("out-")
            || name == "echo"
            || name == "foreach-object" => {}
        _ => {
            let args = words.iter().map(|word| Arg::new(word.clone(), span)).collect();
            run_args(analysis, shell, args, Vec::new(), &Flow::default(), span);
        }
    }
    false
}

/// What is no option and no value of one that is no path.
fn operands(words: &[String]) -> Vec<&String> {
    let mut found = Vec::new();
    let mut skip = false;
    for word in words {
        if std::mem::take(&mut skip) {
            continue;
        }
        if word.starts_with('-') {
            skip = matches!(
                word.to_ascii_lowercase().as_str(),
                "-filter"
                    | "-include"
                    | "-exclude"
                    | "-encoding"
                    | "-value"
                    | "-itemtype"
                    | "-erroraction"
                    | "-method"
                    | "-headers"
                    | "-pattern"
            );
            continue;
        }
        found.push(word);
    }
    found
}

fn split(text: &str, separators: &[char]) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut quote = None;
    for c in text.chars() {
        match quote {
            Some(open) if c == open => quote = None,
            None if c == '\'' || c == '"' => quote = Some(c),
            None if separators.contains(&c) => {
                parts.push(String::new());
                continue;
            }
            _ => {}
        }
        if let Some(part) = parts.last_mut() {
            part.push(c);
        }
    }
    parts.retain(|part| !part.trim().is_empty());
    parts
}

fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let (mut word, mut quote, mut any) = (String::new(), None, false);
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (None, '\'' | '"') => {
                quote = Some(c);
                any = true;
            }
            (Some('"') | None, '`') => word.extend(chars.next()),
            (None, c) if c.is_whitespace() => {
                if any || !word.is_empty() {
                    words.push(std::mem::take(&mut word));
                }
                any = false;
            }
            (_, c) => word.push(c),
        }
    }
    if any || !word.is_empty() {
        words.push(word);
    }
    words
}
