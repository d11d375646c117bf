use crate::finding::Severity;
use crate::lint::{Check, Lint, Report};
use crate::lints::hook::unset_variable::NEVER_SET;
use crate::script::Language;
use crate::script::Script;
use regex_lite::Regex;
use std::ops::Range;

pub(crate) static LINT: Lint = Lint {
    code: "event-variable",
    severity: Severity::Error,
    what: "A script reads the event from a variable such as `$TOOL_INPUT`.",
    why: "No agent sets it; the script sees an empty text and lets everything pass.",
    fix: "Read JSON from stdin.",
    check: Check::Script(check),
};

fn check(script: &Script, report: &mut Report<'_>) {
    for name in NEVER_SET {
        if let Some(span) = reading(script, name) {
            let hint = match script.language {
                Language::Shell => "read stdin: input=$(cat); jq -r '.tool_input' <<<\"$input\"",
                Language::Python => "read stdin: json.load(sys.stdin)",
                Language::Node => "read stdin: JSON.parse(fs.readFileSync(0, 'utf8'))",
            };
            report.say_with_hint(&span, format!("no agent sets `{name}`; the event comes on stdin"), hint);
        }
    }
}

/// Where the variable is read, unless the script itself gives it a value.
fn reading(script: &Script, name: &str) -> Option<Range<usize>> {
    let pattern = match script.language {
        Language::Shell => format!(r"\$\{{?{name}\b"),
        Language::Python => format!(r#"(?:environ(?:\.get)?|getenv)\s*[\[(]\s*["']{name}["']"#),
        Language::Node => format!(r#"process\.env(?:\.{name}\b|\[["']{name}["']\])"#),
    };
    let given = format!(r"(?m)(?:^|[\s;(]){name}=|\bread\b[^\n]*\b{name}\b");
    if script.language == Language::Shell && Regex::new(&given).is_ok_and(|given| given.is_match(&script.code)) {
        return None;
    }
    Regex::new(&pattern).ok()?.find(&script.code).map(|found| found.range())
}
