use crate::finding::Severity;
use crate::lint::{Check, Lint, Report};
use crate::script::Script;

pub(crate) static LINT: Lint = Lint {
    code: "exit-one",
    severity: Severity::Error,
    what: "A script that means to refuse ends with exit code 1.",
    why: "Exit code 1 is a failed hook to every agent: it is noted, and the action goes on. Only 2 refuses.",
    fix: "Exit with 2 and write the reason to stderr.",
    check: Check::Script(check),
};

const REFUSING: [&str; 14] = [
    "block",
    "deny",
    "denied",
    "forbid",
    "refus",
    "not allowed",
    "prohibit",
    "reject",
    "dangerous",
    "protected",
    "must not",
    "violat",
    "disallow",
    "abort",
];
/// How far above an exit the words for it stand.
const REACH: usize = 3;

fn check(script: &Script, report: &mut Report<'_>) {
    if !script.may_refuse() && !script.may_keep_going() {
        return;
    }
    let lines = script.lines();
    for exit in script.exits().into_iter().filter(|exit| exit.code == 1) {
        let near = lines.iter().take(exit.line + 1).skip((exit.line + 1).saturating_sub(REACH + 1));
        let words: String = near.map(|line| line.code.to_lowercase()).collect::<Vec<_>>().join("\n");
        if REFUSING.iter().any(|word| words.contains(word)) {
            let message = format!("exit code 1 does not stop {}; the action goes on", script.agent.title);
            report.say_with_hint(&exit.span, message, "exit with 2 and write the reason to stderr");
        }
    }
}
