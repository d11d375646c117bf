use crate::finding::Severity;
use crate::lint::{Check, Lint, Report};
use crate::script::Script;
use crate::script::Stream;

pub(crate) static LINT: Lint = Lint {
    code: "text-beside-json",
    severity: Severity::Error,
    what: "A script writes other text to stdout beside its JSON answer.",
    why: "The agents take stdout for JSON only if nothing else is on it; a log line before a deny lets the tool run.",
    fix: "Write everything but the answer to stderr.",
    check: Check::Script(check),
};

fn check(script: &Script, report: &mut Report<'_>) {
    let prints = script.prints();
    let stdout = || prints.iter().filter(|print| print.stream == Stream::Stdout);
    let answers = script.answers_with_refusal() || script.mentions("hookSpecificOutput");
    let Some(last_answer) = stdout().filter(|print| print.json).map(|print| print.line).max().filter(|_| answers)
    else {
        return;
    };
    let exits = script.exits();
    // Text right before an exit is the other way to answer, not something beside this one.
    let leaves = |line: usize| exits.iter().any(|exit| exit.line >= line && exit.line <= line + 2);
    for print in stdout().filter(|print| !print.json && print.literal && !print.caught && print.line < last_answer) {
        if !leaves(print.line) {
            let message = "this goes to stdout beside the JSON answer, which is then not read";
            report.say_with_hint(&print.span, message, "write it to stderr");
        }
    }
}
