//! What a person, or a program, is told.

use super::survey::{CheckedFile, Survey};
use crate::current_project::CurrentProject;
use crate::screen::{self, Align, Level, Snippet, Table, columns, one_line, plural, wrap};
use anstream::println;
use hookrail_lint::{Finding, LINTS, Lint, Severity};
use owo_colors::OwoColorize;
use serde_json::{Value, json};
use std::path::Path;

/// The findings with their lines, then every file, then the sum.
pub fn print(survey: &Survey, place: &CurrentProject) {
    if survey.files.is_empty() {
        screen::note("no hook configuration holds here; `hookrail init` writes one, `hookrail install` tells an agent");
        return;
    }
    for finding in survey.findings() {
        println!("{}\n", snippet(finding, place));
    }
    for (path, why) in survey.unreadable() {
        screen::fail(why.clone().while_doing(format_args!("`{}`", shown(path, place))));
    }
    let mut table = Table::new([("", Align::Left), ("", Align::Left), ("", Align::Left), ("", Align::Left)]);
    for file in &survey.files {
        let agent = file.kind.map(|kind| kind.title()).unwrap_or_default();
        let path = shown(&file.path, place);
        table.row([mark(file), path, agent.dimmed().to_string(), result(file)]);
    }
    // A closed stdout is not an error.
    let _ = table.write(&mut anstream::stdout());
    println!("{}", summary(survey));
}

/// One finding with the line it is about.
fn snippet(finding: &Finding, place: &CurrentProject) -> String {
    let at = finding.place();
    let hint = finding.hint.as_deref().map(one_line);
    Snippet {
        level: match finding.severity {
            Severity::Warning => Level::Warning,
            Severity::Error => Level::Error,
        },
        code: Some(finding.code),
        message: &finding.message,
        file: &shown(&finding.source.path, place),
        source: &finding.source.text,
        line: at.line,
        column: at.column,
        length: at.length,
        hint: hint.as_deref(),
    }
    .to_string()
}

fn shown(path: &Path, place: &CurrentProject) -> String {
    one_line(&place.shown(path).display().to_string())
}

fn mark(file: &CheckedFile) -> String {
    if file.findings.is_err() || file.count(Severity::Error) > 0 {
        "✗".red().bold().to_string()
    } else if file.count(Severity::Warning) > 0 {
        "!".yellow().bold().to_string()
    } else {
        "✓".green().bold().to_string()
    }
}

fn result(file: &CheckedFile) -> String {
    if file.findings.is_err() {
        return "could not be checked".red().to_string();
    }
    match (file.count(Severity::Error), file.count(Severity::Warning)) {
        (0, 0) => "fine".to_owned(),
        (errors, warnings) => counted(errors, warnings),
    }
}

/// `2 errors, 1 warning`
pub fn counted(errors: usize, warnings: usize) -> String {
    let mut parts = Vec::new();
    if errors > 0 {
        parts.push(format!("{errors} error{}", plural(errors)).red().to_string());
    }
    if warnings > 0 {
        parts.push(format!("{warnings} warning{}", plural(warnings)).yellow().to_string());
    }
    parts.join(", ")
}

fn summary(survey: &Survey) -> String {
    let files = format!("{} file{} checked", survey.files.len(), plural(survey.files.len()));
    let (errors, warnings) = (survey.count(Severity::Error), survey.count(Severity::Warning));
    match (errors, warnings, survey.unreadable().next()) {
        (0, 0, None) => format!("{files}: no mistakes found"),
        (0, 0, Some(_)) => files,
        _ => {
            let counted = counted(errors, warnings);
            format!("{files}: {counted}; `hookrail validate --explain CODE` says more about one")
        }
    }
}

pub fn json(survey: &Survey) -> Value {
    let file = |file: &CheckedFile| {
        let findings: Vec<Value> = file.findings.iter().flatten().map(finding_json).collect();
        let mut value = json!({
            "path": file.path,
            "agent": file.kind.map(|kind| kind.name()),
            "findings": findings,
        });
        if let (Err(why), Some(fields)) = (&file.findings, value.as_object_mut()) {
            fields.insert("error".to_owned(), json!(why.to_string()));
        }
        value
    };
    json!({
        "files": survey.files.iter().map(file).collect::<Vec<_>>(),
        "errors": survey.count(Severity::Error),
        "warnings": survey.count(Severity::Warning),
        "unreadable": survey.unreadable().count(),
    })
}

pub fn finding_json(finding: &Finding) -> Value {
    let at = finding.place();
    let why = LINTS.iter().find(|lint| lint.code == finding.code).map(|lint| lint.why);
    json!({
        "code": finding.code,
        "severity": finding.severity.as_str(),
        "file": finding.source.path,
        "line": at.line,
        "column": at.column,
        "length": at.length,
        "message": finding.message,
        "hint": finding.hint,
        "why": why,
    })
}

pub fn lint_json(lint: &Lint) -> Value {
    json!({
        "code": lint.code,
        "severity": lint.severity.as_str(),
        "what": lint.what,
        "why": lint.why,
        "fix": lint.fix,
    })
}

pub fn print_lint(lint: &Lint) {
    let severity = match lint.severity {
        Severity::Error => lint.severity.as_str().red().to_string(),
        Severity::Warning => lint.severity.as_str().yellow().to_string(),
    };
    println!("{} ({severity})", lint.code.bold());
    for (head, text) in [("what", lint.what), ("why", lint.why), ("fix", lint.fix)] {
        for (number, line) in wrap(text, columns().saturating_sub(6)).iter().enumerate() {
            println!("{:4}  {line}", if number == 0 { head } else { "" }.dimmed());
        }
    }
}
