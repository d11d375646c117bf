//! Commands of git that only look: what they read and print.

use super::Reading;
use super::files::below;
use super::git::tracked;
use super::git_acts::act;
use super::git_branches::branch_name;
use super::git_here::Here;
use super::git_words::{Words, pathspec};
use crate::act::Act;
use crate::analysis::Extent;
use crate::flow::{Arg, Flow, Taint};
use crate::object::ReadDepth;
use crate::paths::tidy;
use crate::repository::Repository;
use crate::shell::Ending;
use hookrail_core::FileKind;

pub(super) fn reading(r: &mut Reading<'_, '_, '_>, command: &str, rest: Vec<Arg>, here: &Here) -> Flow {
    act(r, Act::GitRead, None);
    let mut words = Words::new(
        rest,
        &["--output", "-n", "-S", "-G", "-L", "--format", "--pretty", "--since", "--until", "--author", "-e"],
    );
    if let Some(file) = words.value(&["--output"]) {
        r.touch(Act::FsWrite, &file, Extent::Single);
    }
    read_contents(r, command, &words);
    if answers(command, &words) {
        r.shell.ending = Some(if names_nothing(r, command, &words, here) { Ending::DoesNotHold } else { Ending::Open });
    }
    let short = words.has(&["--abbrev-ref", "--symbolic-full-name"]) && words.operand(0) == Some("HEAD");
    match command {
        "ls-files" => {
            let filled = |format: Box<str>| -> Box<str> {
                let lines = words.operands.iter().take(8).map(|path| format.replace("$__", &path.text));
                if words.operands.is_empty() { format } else { lines.collect::<Vec<_>>().join("\n").into() }
            };
            let template = template(&words).map(filled);
            let named = words.all_paths();
            Flow { template, ..Flow::names(if named.is_empty() { tracked(r) } else { with_folders(r, named) }) }
        }
        // Whoever gets the name of a content reads that content by it.
        "ls-tree" if words.operands.len() > 1 => Flow::names(words.operands.split_off(1)),
        "hash-object" if !words.operands.is_empty() => Flow::names(words.operands),
        "rev-parse" if words.operand(0).is_some_and(|name| name.contains(':')) => Flow::names(words.operands),
        "diff" | "log" | "show" if words.has(&["--name-only"]) => Flow::names(limited(r)),
        "rev-parse" if words.has(&["--git-dir", "--absolute-git-dir", "--git-common-dir"]) => match &here.repository {
            Some(repository) if words.has(&["--git-common-dir"]) => Flow::literal(repository.common.to_string_lossy()),
            Some(repository) => Flow::literal(repository.git_folder.to_string_lossy()),
            None => Flow::unknown(Taint::NONE),
        },
        "rev-parse" if words.has(&["--show-toplevel"]) => match &here.repository {
            Some(Repository { root: Some(root), .. }) => Flow::literal(root.to_string_lossy()),
            _ => Flow::literal(r.analysis.around.project.to_string_lossy()),
        },
        "rev-parse" if short => branch_name(here),
        "grep" if words.has(&["-l", "--files-with-matches"]) => Flow::names(limited(r)),
        _ if prints_commit(command, &words) => Flow::literal(ANY_COMMIT),
        _ => Flow { template: template(&words), ..Flow::unknown(Taint::NONE) },
    }
}

/// Names of folders stand for what is in them.
fn with_folders(r: &Reading<'_, '_, '_>, named: Vec<Arg>) -> Vec<Arg> {
    let is_folder = |arg: &Arg| {
        let cwd = r.shell.cwd.as_deref().filter(|_| arg.known() && arg.glob.is_none());
        cwd.is_some_and(|cwd| r.analysis.machine.kind(&tidy(cwd.join(&arg.text))) == Some(FileKind::Folder))
    };
    let each = |arg: Arg| if is_folder(&arg) { vec![below(&arg, "**"), arg] } else { vec![arg] };
    named.into_iter().flat_map(each).collect()
}

/// Whether a command asks for a commit or a branch that is not there, and nothing of this call can have made it.
fn names_nothing(r: &Reading<'_, '_, '_>, command: &str, words: &Words, here: &Here) -> bool {
    let asks = command == "rev-parse" || command == "show-ref" && words.has(&["--verify"]);
    let [name] = words.operands.as_slice() else { return false };
    asks && name.known()
        && name.firm
        && here.repository.is_some()
        && !here.is_commit(r, &name.text)
        && crate::shell::is_run_once(r.analysis, r.shell)
        && r.analysis.effects.list.iter().all(|effect| effect.unmet || effect.act.only_reads())
}

/// Stands for a commit that is looked up at run time.
const ANY_COMMIT: &str = "0000000000000000000000000000000000000000";

/// Whether a command prints the name of one commit, and no branch.
fn prints_commit(command: &str, words: &Words) -> bool {
    let format = words.value(&["--format", "--pretty"]).map(|format| format.text);
    match command {
        "rev-parse" => words.operands.len() == 1 && words.has_only(&["--short", "--verify", "-q", "--quiet"]),
        "merge-base" => words.operands.len() == 2 && words.has_only(&[]),
        "rev-list" => words.has(&["-1", "--max-count"]) || words.value(&["-n"]).is_some_and(|count| count.text == "1"),
        "describe" => !words.has(&["--all"]),
        "log" | "show" => {
            let hash = matches!(format.as_deref(), Some("%H" | "%h" | "format:%H" | "format:%h" | "tformat:%H"));
            hash && (words.has(&["-1", "-s"]) || words.value(&["-n"]).is_some_and(|count| count.text == "1"))
        }
        _ => false,
    }
}

/// What a format prints, with `$__` for what is filled in.
fn template(words: &Words) -> Option<Box<str>> {
    let format = words.value(&["--format", "--pretty"]).filter(Arg::known)?.text;
    let mut rest = format.trim_start_matches("tformat:").trim_start_matches("format:");
    let mut text = String::new();
    while let Some((before, behind)) = rest.split_once('%') {
        text.push_str(before);
        rest = match behind.chars().next() {
            Some('%') => {
                text.push('%');
                behind.get(1..).unwrap_or_default()
            }
            Some('n') => {
                text.push('\n');
                behind.get(1..).unwrap_or_default()
            }
            Some('(') => {
                text.push_str("$__");
                behind.split_once(')').map_or("", |(_, rest)| rest)
            }
            Some(letter) => {
                text.push_str("$__");
                behind.get(letter.len_utf8()..).unwrap_or_default()
            }
            None => "",
        };
    }
    text.push_str(rest);
    (text != "$__").then(|| text.into())
}

/// The paths behind `--`, or every file that is tracked.
fn limited(r: &Reading<'_, '_, '_>) -> Vec<Arg> {
    let paths: Vec<Arg> = r.call.args.iter().skip_while(|arg| arg.text != "--").skip(1).cloned().collect();
    if paths.is_empty() { tracked(r) } else { paths }
}

/// Whether the status of a command is its answer.
fn answers(command: &str, words: &Words) -> bool {
    match command {
        "diff" | "diff-index" | "diff-files" | "diff-tree" | "log" => words.has(&["--quiet", "--exit-code"]),
        "merge-base" => words.has(&["--is-ancestor"]),
        "rev-parse" => words.has(&["--verify", "-q", "--quiet"]),
        "ls-files" => words.has(&["--error-unmatch"]),
        "ls-remote" => words.has(&["--exit-code"]),
        "cat-file" => words.has(&["-e"]),
        "show-ref" | "grep" | "check-ignore" | "check-ref-format" | "describe" => true,
        _ => false,
    }
}

/// The files whose content a reading command shows: `show HEAD:file`, `diff -- file`, `blame file`.
fn read_contents(r: &mut Reading<'_, '_, '_>, command: &str, words: &Words) {
    let patches = words.has(&["-p", "-u", "-U", "--patch", "--unified", "--patch-with-stat", "--patch-with-raw", "-W"]);
    let names_only = !patches
        && words.has(&[
            "--name-only",
            "--name-status",
            "--stat",
            "--shortstat",
            "--numstat",
            "--summary",
            "-s",
            "--no-patch",
            "-l",
            "--files-with-matches",
            "-c",
            "--count",
            "-q",
            "--quiet",
            "--check",
            "--raw",
        ]);
    let shows = match command {
        "show" | "diff" | "difftool" => !names_only,
        "diff-tree" | "diff-index" | "diff-files" => patches,
        "log" | "whatchanged" | "reflog" => patches || !names_only && words.has(&["-L", "--cc"]),
        "blame" | "annotate" | "format-patch" | "fast-export" => true,
        "cat-file" => !words.has(&["-t", "-s", "-e"]),
        "grep" => !names_only,
        _ => false,
    };
    if !shows {
        return;
    }
    let mut files: Vec<Arg> = words.paths.iter().flat_map(pathspec).collect();
    // `-L 1,9:file`
    let lines = words.value(&["-L"]).filter(|_| command == "log");
    files.extend(lines.and_then(|lines| Some(lines.after(lines.text.rfind(':')? + 1))));
    // `cat-file --batch` reads names.
    let input =
        r.call.stdin.text.clone().filter(|_| command == "cat-file" && words.has(&["--batch", "--batch-command"]));
    let input: Vec<Arg> =
        input.iter().flat_map(|text| text.split_whitespace()).map(|name| Arg::new(name, r.call.span)).collect();
    let listed = r.call.stdin.names.clone();
    for operand in words.operands.iter().chain(&input).chain(listed.iter().filter(|_| command == "cat-file")) {
        // `REVISION:path`, and `:0:path` for what is staged.
        let named = operand.text.trim_start_matches(':').trim_start_matches(|c: char| c.is_ascii_digit());
        let staged = operand.text.starts_with(':') && named.starts_with(':');
        let named = if staged { Some(("", named.trim_start_matches(':'))) } else { operand.text.split_once(':') };
        match named {
            Some((_, path)) if !path.is_empty() && !path.starts_with(['/', '(', '!', '^']) => {
                files.push(operand.after(operand.text.len() - path.len()));
            }
            _ if operand.text.starts_with(':') => files.extend(pathspec(operand)),
            _ if is_there(r, operand) => files.push(operand.clone()),
            _ => {}
        }
    }
    let searches = command == "grep";
    if searches && files.is_empty() {
        files.push(Arg::new(".", r.call.span));
    }
    let before = r.analysis.effects.list.len();
    for file in files.iter().filter(|file| !file.text.starts_with(':')) {
        r.touch(Act::FsRead, file, if searches { Extent::Below } else { Extent::Single });
    }
    if searches {
        r.analysis.searched(before, ReadDepth::Tracked);
    }
}

fn is_there(r: &Reading<'_, '_, '_>, arg: &Arg) -> bool {
    let Some(cwd) = r.shell.cwd.as_deref().filter(|_| arg.known()) else { return false };
    r.analysis.machine.kind(&tidy(cwd.join(&arg.text))).is_some()
}
