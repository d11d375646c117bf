use crate::finding::Severity;
use crate::hooks::HookFile;
use crate::lint::{Check, Lint, Report};

pub(crate) static LINT: Lint = Lint {
    code: "jsonc",
    severity: Severity::Error,
    what: "A comment, a trailing comma or a byte order mark in a file whose agent reads plain JSON.",
    why: "Claude Code drops the whole settings file, Codex the whole hooks file, and Gemini CLI, which takes comments, does not start with a trailing comma.",
    fix: "Remove it. A `description` can say what a comment said.",
    check: Check::File(check),
};

fn check(file: &HookFile<'_>, report: &mut Report<'_>) {
    let style = file.agent.json;
    let found = [
        ("comments", &file.looseness.comment, style.comments),
        ("trailing commas", &file.looseness.trailing_comma, style.trailing_commas),
        ("a byte order mark", &file.looseness.byte_order_mark, style.byte_order_mark),
    ];
    for (what, span, accepted) in found {
        if let (Some(span), false) = (span, accepted) {
            let message = format!("{} does not read a file with {what}", file.agent.title);
            report.say_with_hint(span, message, "remove it; until then no hook of this file runs");
        }
    }
}
