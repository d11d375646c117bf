//! What programs read and write that their rows do not describe one by one.

use super::Row;
use super::apply::{GivenOption, Parsed};
use super::usage::{Marks, OptionUse, acts, option, tokens};
use crate::act::Act;
use crate::analysis::Analysis;
use crate::effect::GivenFor;
use crate::flow::Arg;
use crate::shell::{Invocation, Shell};
use std::cell::LazyCell;

/// Notes the files that a program writes by itself, and the values of options whose names say that they lead to something
/// read or written. No table has every option of every tool, but nearly all of them call these `--config` and `--output` or
/// alike.
pub(super) fn give(
    analysis: &mut Analysis<'_>,
    shell: &Shell<'_>,
    rows: &[&'static Row],
    parsed: &Parsed,
    call: &Invocation,
) {
    let Some(row) = rows.last() else { return };
    let implied = Some(row).filter(|_| parsed.marks.has(Marks::WRITES)).into_iter().flat_map(|row| tokens(row));
    let implied: Vec<Arg> = implied.filter_map(|token| token.strip_prefix('>')).map(|name| file(name, call)).collect();
    let (inputs, outputs) = by_options(rows, row, parsed.marks, call);
    if implied.is_empty() && inputs.is_empty() && outputs.is_empty() {
        return;
    }
    let names_folder = |option: &&GivenOption| option.meaning == OptionUse::Value("c");
    let folder = parsed.options.iter().find(names_folder).and_then(|option| option.value.as_ref());
    let cwd = folder.map_or_else(|| shell.cwd.clone(), |folder| crate::shell::folder(analysis, shell, folder));
    analysis.give_for(&call.program, &implied, cwd.as_deref(), GivenFor::WrittenByItself);
    analysis.give_for(&call.program, &inputs, cwd.as_deref(), GivenFor::Reading);
    analysis.give_for(&call.program, &outputs, cwd.as_deref(), GivenFor::Writing);
}

fn file(name: &str, call: &Invocation) -> Arg {
    Arg { glob: name.find('*'), ..Arg::new(name, call.span) }
}

/// The values of options of which no row tells what they are: what is read, and what is written.
fn by_options(rows: &[&'static Row], row: &Row, marks: Marks, call: &Invocation) -> (Vec<Arg>, Vec<Arg>) {
    let (mut inputs, mut outputs) = (Vec::new(), Vec::new());
    // What follows a command that is run belongs to that.
    if marks.has(Marks::COMMAND) || marks.has(Marks::TEXT) {
        return (inputs, outputs);
    }
    let is_maker = |act: Act| matches!(act.family(), "exec" | "package" | "infra");
    let makes = LazyCell::new(|| acts(row).any(is_maker));
    for (index, arg) in call.args.iter().enumerate() {
        if arg.text == "--" {
            break;
        }
        if let Some(file) = arg.text.strip_prefix('@') {
            inputs.push(arg.with_text(file));
            continue;
        }
        if !arg.text.starts_with('-') {
            continue;
        }
        let (name, attached) = match arg.text.split_once('=') {
            Some((name, _)) => (name, Some(arg.after(name.len() + 1))),
            None => (arg.text.as_str(), None),
        };
        // What a row makes is asked for only where it decides.
        let found = if is_output(name, name.starts_with("-o") && *makes) && !is_listed(rows, name) {
            &mut outputs
        } else if is_input(name) && !has_role(rows, name) {
            &mut inputs
        } else {
            continue;
        };
        let next = call.args.get(index + 1).filter(|next| !next.text.starts_with('-')).cloned();
        found.extend(attached.or(next));
    }
    (inputs, outputs)
}

/// Whether a row says what the value of an option is.
fn has_role(rows: &[&'static Row], name: &str) -> bool {
    match option(rows, name) {
        OptionUse::Value(role) => !role.is_empty(),
        _ => is_listed(rows, name),
    }
}

/// Whether an option leads to something that is read, by its name.
fn is_input(option: &str) -> bool {
    let Some(name) = option.strip_prefix("--") else { return false };
    let last = name.rsplit(['-', '_']).next().unwrap_or_default();
    let ending = last.len().checked_sub("file".len()).and_then(|at| last.get(at..));
    let is_file = ending.is_some_and(|ending| ending.eq_ignore_ascii_case("file"));
    if is_file {
        return !last.eq_ignore_ascii_case("profile") && !is_output(option, false);
    }
    matches!(last, "config" | "conf" | "script" | "values" | "input" | "cookies" | "secret" | "import")
}

fn is_listed(rows: &[&'static Row], name: &str) -> bool {
    let names =
        |token: &str| token.get(..token.find(['=', '?', '+', '>', ':', '^']).unwrap_or(token.len())) == Some(name);
    rows.iter().any(|row| tokens(row).filter(|token| token.starts_with('-')).any(names))
}

/// Whether an option leads to something that is written, by its name.
pub(super) fn is_output(option: &str, makes: bool) -> bool {
    let Some(name) = option.strip_prefix("--") else {
        return makes && (option == "-o" || option.len() > 3 && option.starts_with("-out"));
    };
    let name = name.to_ascii_lowercase().replace('_', "-");
    // `--output-format json` is about how, not where.
    if ["format", "style", "type", "mode", "encoding"].iter().any(|what| name.ends_with(what)) || name == "outdated" {
        return false;
    }
    name.starts_with("out")
        || name.contains("output")
        || name.starts_with("dest")
        || name.ends_with("-out")
        || matches!(
            name.as_str(),
            "prefix"
                | "target-dir"
                | "save-path"
                | "download-path"
                | "install-dir"
                | "dist-dir"
                | "log-file"
                | "logfile"
                | "save-to"
                | "report-file"
        )
}

#[cfg(test)]
mod tests {
    use super::{is_input, is_output};

    #[test]
    fn options_that_lead_to_something_written_are_known_by_their_names() {
        for (name, expected) in [
            ("--output", true),
            ("--output-path", true),
            ("--outDir", true),
            ("--out_file", true),
            ("--go_out", true),
            ("--destination", true),
            ("--prefix", true),
            ("-o", true),
            ("--output-format", false),
            ("--grep", false),
            ("--route", false),
            ("-r", false),
        ] {
            assert_eq!(is_output(name, true), expected, "{name}");
        }
        assert!(!is_output("-o", false), "`grep -o`");
        for (name, expected) in [
            ("--env-file", true),
            ("--configFile", true),
            ("--config", true),
            ("--values", true),
            ("--profile", false),
            ("--log-file", false),
            ("--grep", false),
            ("-f", false),
        ] {
            assert_eq!(is_input(name), expected, "{name}");
        }
    }
}
