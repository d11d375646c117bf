use crate::finding::Severity;
use crate::lint::{Check, Lint, Report};
use crate::script::Script;
use crate::script::Stream;

pub(crate) static LINT: Lint = Lint {
    code: "silent-exit-two",
    severity: Severity::Error,
    what: "A script ends with exit code 2 and writes nothing to stderr.",
    why: "Codex and Gemini CLI refuse only with a reason; without one the action goes on.",
    fix: "Write the reason to stderr before the exit.",
    check: Check::Script(check),
};

fn check(script: &Script, report: &mut Report<'_>) {
    let exit = script.exits().into_iter().find(|exit| exit.code == 2);
    let Some(exit) = exit.filter(|_| !script.agent.hearing.silent_exit_two) else { return };
    let prints = script.prints();
    let speaks = |stream: Stream| prints.iter().any(|print| print.stream == stream);
    // Text on stdout is another mistake, or for some agents none; words such as `>&2` may stand behind a function.
    let somehow =
        speaks(Stream::Stdout) || speaks(Stream::Stderr) || script.mentions("stderr") || script.mentions(">&2");
    if !somehow {
        let message = format!("{} ignores exit code 2 without a reason", script.agent.title);
        report.say_with_hint(&exit.span, message, "write the reason to stderr before the exit");
    }
}
