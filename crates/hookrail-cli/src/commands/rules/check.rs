//! `hookrail rules check`: every example of every rule, judged.

use super::inventory::{position, read_text};
use crate::current_project::CurrentProject;
use crate::error::CliError;
use crate::exit_code::ExitCode;
use crate::screen::{self, Level, Snippet, one_line, plural, versioned};
use hookrail_core::Origin;
use hookrail_engine::layers::{LayerFiles, LayerKind};
use hookrail_rules::{Fault, RuleFile, Severity, compile, safety};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// A file with rules.
struct Checked {
    place: String,
    text: String,
}

/// What was found in all files.
struct Findings {
    files: Vec<Checked>,
    rules: usize,
    examples: usize,
    faults: Vec<Fault>,
}

pub fn run(named: &[PathBuf], place: &CurrentProject, as_json: bool) -> Result<ExitCode, CliError> {
    let findings = check(&files(named, place)?, place);
    let errors = findings.faults.iter().filter(|fault| fault.severity == Severity::Error).count();
    if as_json {
        anstream::println!("{:#}", versioned(to_json(&findings, errors)));
    } else {
        print(&findings, errors, place);
    }
    Ok(if errors > 0 { ExitCode::Failed } else { ExitCode::Success })
}

/// The files to look at, with the layer each counts as.
fn files(named: &[PathBuf], place: &CurrentProject) -> Result<Vec<(LayerKind, PathBuf, String)>, CliError> {
    let usual = LayerFiles::usual(&place.world, &place.project);
    if named.is_empty() {
        let present = usual.iter().filter(|(_, path)| path.is_file());
        return present.map(|(kind, path)| Ok((kind, path.to_owned(), read(path)?))).collect();
    }
    // A file at an unusual place counts as the user's, whose rules may say everything.
    let kind = |path: &Path| usual.iter().find(|(_, known)| *known == path).map_or(LayerKind::User, |(kind, _)| kind);
    let absolute = |path: &PathBuf| place.folder.join(path);
    named.iter().map(|path| Ok((kind(&absolute(path)), path.clone(), read(path)?))).collect()
}

fn read(path: &Path) -> Result<String, CliError> {
    std::fs::read_to_string(path)
        .map_err(|error| CliError::machine(format!("`{}` cannot be read: {error}", path.display())))
}

fn check(files: &[(LayerKind, PathBuf, String)], place: &CurrentProject) -> Findings {
    let mut findings = Findings { files: Vec::new(), rules: 0, examples: 0, faults: Vec::new() };
    let mut read_files: Vec<RuleFile> = Vec::new();
    for (kind, path, text) in files {
        let shown = place.shown(path).display().to_string();
        match read_text(kind.of_rules(), &shown, text) {
            Ok(file) => read_files.push(file),
            Err((offset, why)) => {
                let origin = Origin::new(&shown, Some(position(text, offset)));
                findings.faults.push(Fault::error(origin, format!("this is not TOML: {}", one_line(&why))));
            }
        }
        findings.files.push(Checked { place: shown, text: text.clone() });
    }
    let rules = || read_files.iter().flat_map(|file| &file.rules);
    findings.rules = rules().count();
    findings.examples = rules().map(|rule| rule.examples.list.len()).sum();
    findings.faults.extend(compile(read_files, &[safety::rules()]).faults);
    findings
}

fn print(findings: &Findings, errors: usize, place: &CurrentProject) {
    for fault in &findings.faults {
        anstream::println!("{}\n", snippet(fault, findings));
    }
    if findings.files.is_empty() {
        let files = LayerFiles::usual(&place.world, &place.project);
        let user = files.iter().find(|(kind, _)| *kind == LayerKind::User).map(|(_, path)| path.display().to_string());
        let user = user.unwrap_or_else(|| "hookrail.toml".to_owned());
        screen::note(format!("there is no configuration here yet; `hookrail init` writes one, yours is `{user}`"));
    }
    let (rules, examples) = (findings.rules, findings.examples);
    let warnings = findings.faults.len() - errors;
    let result = match (errors, warnings) {
        (0, 0) => "no mistakes found".to_owned(),
        _ => crate::commands::validate::counted(errors, warnings),
    };
    anstream::println!("{rules} rule{}, {examples} example{}: {result}", plural(rules), plural(examples));
}

/// A fault with the line it is about.
fn snippet(fault: &Fault, findings: &Findings) -> String {
    let source = findings.files.iter().find(|file| *file.place == *fault.origin.place);
    let text = source.map(|file| file.text.as_str()).unwrap_or_default();
    let (line, column) = fault.origin.position.unwrap_or((1, 1));
    let (line, column) = (line as usize, column as usize);
    let hint = fault.hint.as_deref().map(one_line);
    Snippet {
        level: match fault.severity {
            Severity::Warning => Level::Warning,
            Severity::Error => Level::Error,
        },
        code: None,
        message: &fault.message,
        file: &fault.origin.place,
        source: text,
        line,
        column,
        length: quoted_length(text, line, column),
        hint: hint.as_deref(),
    }
    .to_string()
}

/// How long the text in quotes or the head of a table is that begins at a column; 0 if there is none.
fn quoted_length(text: &str, line: usize, column: usize) -> usize {
    let line = text.lines().nth(line.saturating_sub(1)).unwrap_or_default();
    let mut rest = line.chars().skip(column.saturating_sub(1));
    let quote = match rest.next() {
        Some(quote @ ('"' | '\'')) => quote,
        Some('[') => return line.trim_end().chars().count().saturating_sub(column.saturating_sub(1)),
        _ => return 0,
    };
    let (mut length, mut escaped) = (1, false);
    for c in rest {
        length += 1;
        if c == quote && !escaped {
            return length;
        }
        escaped = c == '\\' && quote == '"' && !escaped;
    }
    0
}

fn to_json(findings: &Findings, errors: usize) -> Value {
    let fault = |fault: &Fault| {
        json!({
            "severity": if fault.severity == Severity::Error { "error" } else { "warning" },
            "file": *fault.origin.place,
            "line": fault.origin.position.map(|(line, _)| line),
            "column": fault.origin.position.map(|(_, column)| column),
            "message": fault.message,
            "hint": fault.hint,
        })
    };
    json!({
        "files": findings.files.iter().map(|file| &file.place).collect::<Vec<_>>(),
        "rules": findings.rules,
        "examples": findings.examples,
        "errors": errors,
        "faults": findings.faults.iter().map(fault).collect::<Vec<_>>(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_whole_example_is_underlined() {
        let text = "a\nexamples = { deny = [\"rm -rf \\\"x\\\" y\", 'b c'] }\n";
        assert_eq!(quoted_length(text, 2, 22), r#""rm -rf \"x\" y""#.len());
        assert_eq!(quoted_length(text, 2, 40), "'b c'".len());
        assert_eq!(quoted_length("[[rule]]\n", 1, 1), "[[rule]]".len());
        assert_eq!(quoted_length(text, 1, 1), 0);
        assert_eq!(quoted_length(text, 9, 9), 0);
    }
}
