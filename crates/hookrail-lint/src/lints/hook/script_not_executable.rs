use crate::command::Invocation;
use crate::finding::Severity;
use crate::hooks::{Hook, StartedCommand};
use crate::lint::{Check, Lint, Report};
use crate::surroundings::FoundFile;

pub(crate) static LINT: Lint = Lint {
    code: "script-not-executable",
    severity: Severity::Error,
    what: "The command runs a file that may not be executed.",
    why: "The shell refuses with exit code 126, which no agent takes for a refusal of the action.",
    fix: "`chmod +x` the file, or name its interpreter.",
    check: Check::Hook(check),
};

fn check(hook: &Hook<'_>, report: &mut Report<'_>) {
    hook.commands().for_each(|command| complain(&command, report));
}

pub(crate) fn complain(command: &StartedCommand<'_>, report: &mut Report<'_>) {
    if let Invocation::Script { path, interpreter: None, .. } = &command.invocation
        && command.around.look(path) == (FoundFile::File { executable: false })
    {
        let message = format!("`{}` is not executable", path.display());
        report.say_with_hint(&command.span, message, format!("chmod +x '{}'", path.display()));
    }
}
