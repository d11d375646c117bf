//! The report in the Static Analysis Results Interchange Format, version 2.1.0.

use super::survey::Survey;
use hookrail_lint::{Finding, LINTS, Lint, Severity};
use serde_json::{Map, Value, json};
use std::path::Path;

const SCHEMA: &str = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";
/// The folder that paths are relative to, which a code host knows by its own name.
const BASE: &str = "SRCROOT";

/// One run of the lints. Files below `folder` are named relative to it, which is what code hosts look up.
pub fn log(survey: &Survey, folder: &Path) -> Value {
    let results: Vec<Value> = survey.findings().map(|finding| result(finding, folder)).collect();
    let notifications: Vec<Value> =
        survey.unreadable().map(|(path, why)| notification(path, &why.to_string(), folder)).collect();
    let mut base = uri(folder);
    base.push('/');
    json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": driver() },
            "invocations": [{
                "executionSuccessful": notifications.is_empty(),
                "toolExecutionNotifications": notifications,
            }],
            "originalUriBaseIds": { BASE: { "uri": base } },
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    })
}

fn driver() -> Value {
    json!({
        "name": "hookrail",
        "semanticVersion": env!("CARGO_PKG_VERSION"),
        "informationUri": env!("CARGO_PKG_REPOSITORY"),
        "rules": LINTS.iter().map(|lint| rule(lint)).collect::<Vec<_>>(),
    })
}

fn rule(lint: &Lint) -> Value {
    let markdown = format!("{}\n\n**Why it matters:** {}\n\n**What to do:** {}", lint.what, lint.why, lint.fix);
    json!({
        "id": lint.code,
        "shortDescription": { "text": lint.what },
        "fullDescription": { "text": format!("{} {}", lint.what, lint.why) },
        "help": { "text": lint.fix, "markdown": markdown },
        "defaultConfiguration": { "level": level(lint.severity) },
    })
}

fn result(finding: &Finding, folder: &Path) -> Value {
    let mut result = Map::new();
    result.insert("ruleId".to_owned(), json!(finding.code));
    if let Some(index) = LINTS.iter().position(|lint| lint.code == finding.code) {
        result.insert("ruleIndex".to_owned(), json!(index));
    }
    result.insert("level".to_owned(), json!(level(finding.severity)));
    let text = match &finding.hint {
        Some(hint) => format!("{}\n{hint}", finding.message),
        None => finding.message.clone(),
    };
    result.insert("message".to_owned(), json!({ "text": text }));
    let location = json!({
        "physicalLocation": { "artifactLocation": artifact(&finding.source.path, folder), "region": region(finding) },
    });
    result.insert("locations".to_owned(), json!([location]));
    Value::Object(result)
}

fn region(finding: &Finding) -> Value {
    let start = finding.place();
    let (end_line, end_column) = finding.end();
    json!({ "startLine": start.line, "startColumn": start.column, "endLine": end_line, "endColumn": end_column })
}

/// A file that could not be checked is no result of a rule; it is a failure of the run.
fn notification(path: &Path, why: &str, folder: &Path) -> Value {
    json!({
        "level": "error",
        "message": { "text": why },
        "locations": [{ "physicalLocation": { "artifactLocation": artifact(path, folder) } }],
    })
}

fn artifact(path: &Path, folder: &Path) -> Value {
    match path.strip_prefix(folder) {
        Ok(inner) => json!({ "uri": encode(&forward(inner)), "uriBaseId": BASE }),
        Err(_) => json!({ "uri": uri(path) }),
    }
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    }
}

/// An absolute path as a `file` URI; on Windows the drive's letter is a part of the path.
fn uri(path: &Path) -> String {
    let path = encode(&forward(path));
    if path.starts_with('/') { format!("file://{path}") } else { format!("file:///{path}") }
}

fn forward(path: &Path) -> String {
    let path = path.to_string_lossy();
    if cfg!(windows) { path.replace('\\', "/") } else { path.into_owned() }
}

/// Percent-encodes what may not stand in the path of a URI.
fn encode(path: &str) -> String {
    use std::fmt::Write;
    path.bytes().fold(String::with_capacity(path.len()), |mut uri, byte| {
        if byte.is_ascii_alphanumeric() || b"-._~/!$&'()*+,;=@".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            let _ = write!(uri, "%{byte:02X}");
        }
        uri
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_becomes_a_uri_that_reads_back_as_the_path() {
        let cases = [
            ("/a/b.json", "file:///a/b.json"),
            ("/a b/ü#?.json", "file:///a%20b/%C3%BC%23%3F.json"),
            ("/100%/x:y", "file:///100%25/x%3Ay"),
        ];
        for (path, expected) in cases {
            assert_eq!(uri(Path::new(path)), expected);
        }
    }
}
