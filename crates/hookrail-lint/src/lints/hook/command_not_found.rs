use crate::command::Invocation;
use crate::finding::Severity;
use crate::hooks::{Hook, StartedCommand};
use crate::lint::{Check, Lint, Report};

pub(crate) static LINT: Lint = Lint {
    code: "command-not-found",
    severity: Severity::Warning,
    what: "The command starts a program that is not in `PATH`.",
    why: "The hook fails with exit code 127 and the agent goes on, unless its own `PATH` is another one than here.",
    fix: "Install the program, or write its whole path.",
    check: Check::Hook(check),
};

fn check(hook: &Hook<'_>, report: &mut Report<'_>) {
    hook.commands().for_each(|command| complain(&command, report));
}

pub(crate) fn complain(command: &StartedCommand<'_>, report: &mut Report<'_>) {
    if let Invocation::Program { name, .. } = &command.invocation
        && !command.around.has_program(name)
    {
        let message = format!("no program `{name}` in PATH");
        report.say_with_hint(&command.span, message, "install it, or write its whole path");
    }
}
