//! Whether the journal is as it was written, judged by itself and by anchors that were kept elsewhere.

use crate::error::CliError;
use crate::exit_code::ExitCode;
use crate::screen::{self, one_line};
use hookrail_store::{Anchor, FileStore, Links, Report, Store, careful_read};
use owo_colors::OwoColorize;
use std::io::{self, Write};
use std::path::Path;

/// The longest file of anchors.
const MAX_ANCHORS: u64 = 1 << 20;

/// Prints the newest record's number and hash.
pub fn print_anchor(store: &FileStore, json: bool) -> Result<ExitCode, CliError> {
    let Some(anchor) = store.anchor().map_err(CliError::machine)? else {
        let empty = store.verify().map_err(CliError::machine)?.is_intact();
        return Err(if empty {
            CliError::input("the journal has no records yet, so there is no anchor")
        } else {
            CliError::input("the newest record cannot be used as an anchor")
                .hint("`hookrail log --verify` shows what is wrong with the journal")
        });
    };
    let line = if json {
        let anchor = serde_json::json!({"anchor": anchor.to_string(), "seq": anchor.seq(), "hash": anchor.hash()});
        screen::versioned(anchor).to_string()
    } else {
        anchor.to_string()
    };
    writeln!(anstream::stdout(), "{line}")
        .map_err(|error| CliError::machine(format!("cannot print the anchor: {error}")))?;
    Ok(ExitCode::Success)
}

/// Anchors as given on the command line: each a value, or a file with one on each line.
pub fn read_anchors(given: &[String]) -> Result<Vec<Anchor>, CliError> {
    let mut anchors = Vec::new();
    for text in given {
        match text.parse() {
            Ok(anchor) => anchors.push(anchor),
            Err(not_an_anchor) => match careful_read(Path::new(text), Links::Follow, MAX_ANCHORS) {
                Ok(bytes) => anchors.extend(parse_file(text, &String::from_utf8_lossy(&bytes))?),
                Err(error) => {
                    return Err(CliError::usage(format!(
                        "`{}` is neither an anchor nor a file of them: {error}",
                        one_line(text)
                    ))
                    .hint(not_an_anchor.to_string()));
                }
            },
        }
    }
    Ok(anchors)
}

/// What `hookrail log --anchor` printed, with or without `--json`, once or many times.
fn parse_file(name: &str, text: &str) -> Result<Vec<Anchor>, CliError> {
    let mut anchors = Vec::new();
    for (line, number) in text.lines().map(str::trim).zip(1..) {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let from_json =
            || serde_json::from_str::<serde_json::Value>(line).ok()?.get("anchor")?.as_str().map(str::to_owned);
        let value = if line.starts_with('{') { from_json().unwrap_or_default() } else { line.to_owned() };
        anchors.push(
            value.parse().map_err(|error| CliError::input(format!("`{}`, line {number}: {error}", one_line(name))))?,
        );
    }
    if anchors.is_empty() {
        return Err(CliError::usage(format!("`{}` has no anchor in it", one_line(name)))
            .hint("`hookrail log --anchor >> FILE` adds one"));
    }
    Ok(anchors)
}

/// Checks the journal, says what was found, and ends with a code of its own if something was changed.
pub fn verify(store: &FileStore, anchors: &[Anchor], json: bool) -> Result<ExitCode, CliError> {
    let report = store.verify_anchors(anchors).map_err(CliError::machine)?;
    let mut out = anstream::stdout();
    // With a closed stdout the exit code is the answer.
    let _ = if json { write_json(&mut out, &report, anchors) } else { write_text(&mut out, &report, anchors) };
    Ok(if report.is_intact() { ExitCode::Success } else { ExitCode::Failed })
}

fn problems(report: &Report) -> Vec<String> {
    report.problems.iter().map(|problem| one_line(&problem.to_string())).collect()
}

fn notes(report: &Report) -> Vec<String> {
    report.notes.iter().map(|note| one_line(&note.to_string())).collect()
}

fn write_json(out: &mut impl Write, report: &Report, anchors: &[Anchor]) -> io::Result<()> {
    let line = serde_json::json!({
        "intact": report.is_intact(), "files": report.files, "lines": report.lines, "sound": report.sound,
        "anchors": anchors.len(), "problems": problems(report), "notes": notes(report),
    });
    writeln!(out, "{}", screen::versioned(line))
}

fn write_text(out: &mut impl Write, report: &Report, anchors: &[Anchor]) -> io::Result<()> {
    for problem in problems(report) {
        writeln!(out, "{} {problem}", "changed:".red().bold())?;
    }
    for note in notes(report) {
        writeln!(out, "{} {note}", "note:".cyan().bold())?;
    }
    let verdict = if report.is_intact() { "the journal is as it was written" } else { "the journal was changed" };
    let many = |count: u64| screen::plural(usize::try_from(count).unwrap_or(usize::MAX));
    let (lines, files) = (report.lines, report.files);
    let mut parts = format!("{lines} record{}, {files} file{}", many(lines), many(files));
    if !anchors.is_empty() {
        parts.push_str(&format!(", compared with {} anchor{}", anchors.len(), screen::plural(anchors.len())));
    }
    writeln!(out, "{verdict}: {} of {parts}", report.sound)
}
