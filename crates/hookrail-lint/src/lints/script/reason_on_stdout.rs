use crate::finding::Severity;
use crate::lint::{Check, Lint, Report};
use crate::script::Script;
use crate::script::Stream;

pub(crate) static LINT: Lint = Lint {
    code: "reason-on-stdout",
    severity: Severity::Error,
    what: "A script ends with exit code 2 and writes the reason to stdout.",
    why: "The reason is read from stderr. The model is told nothing, and Codex does not even refuse.",
    fix: "Write the reason to stderr: `>&2`, `file=sys.stderr`, `console.error`.",
    check: Check::Script(check),
};

/// How far above an exit its reason stands.
const REACH: usize = 3;

fn check(script: &Script, report: &mut Report<'_>) {
    if script.agent.hearing.reason_on_stdout {
        return;
    }
    let prints = script.prints();
    for exit in script.exits().into_iter().filter(|exit| exit.code == 2) {
        let near = |stream: Stream| {
            prints
                .iter()
                .find(|print| print.stream == stream && print.line <= exit.line && print.end + REACH >= exit.line)
        };
        if let (Some(print), None) = (near(Stream::Stdout), near(Stream::Stderr)) {
            let effect = if script.agent.hearing.silent_exit_two { "the reason is lost" } else { "nothing is refused" };
            let message = format!("{} reads the reason of exit code 2 from stderr: {effect}", script.agent.title);
            report.say_with_hint(&print.span, message, "write it to stderr");
        }
    }
}
