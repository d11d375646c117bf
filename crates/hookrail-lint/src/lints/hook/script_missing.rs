use crate::command::Invocation;
use crate::finding::Severity;
use crate::hooks::{Hook, StartedCommand};
use crate::lint::{Check, Lint, Report};
use crate::surroundings::FoundFile;

pub(crate) static LINT: Lint = Lint {
    code: "script-missing",
    severity: Severity::Error,
    what: "The command names a script that is not there.",
    why: "The hook cannot start. Claude Code and Codex go on without it; Gemini CLI refuses everything it guards.",
    fix: "Correct the path, or add the script.",
    check: Check::Hook(check),
};

fn check(hook: &Hook<'_>, report: &mut Report<'_>) {
    hook.commands().for_each(|command| complain(&command, report));
}

pub(crate) fn complain(command: &StartedCommand<'_>, report: &mut Report<'_>) {
    if let Invocation::Script { path, .. } = &command.invocation
        && command.around.look(path) == FoundFile::Nothing
    {
        let message = format!("there is no `{}`", path.display());
        report.say_with_hint(&command.span, message, "correct the path, or add the script");
    }
}
