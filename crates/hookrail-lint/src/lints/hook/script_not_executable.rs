use crate::command::Invocation;
use crate::finding::Severity;
use crate::hooks::Hook;
use crate::lint::{Check, Lint, Report};
use crate::surroundings::Found;

pub(crate) static LINT: Lint = Lint {
    code: "script-not-executable",
    severity: Severity::Error,
    what: "The command runs a file that may not be executed.",
    why: "The shell refuses with exit code 126, which no agent takes for a refusal of the action.",
    fix: "`chmod +x` the file, or name its interpreter.",
    check: Check::Hook(check),
};

fn check(hook: &Hook<'_>, report: &mut Report<'_>) {
    let Some((node, _)) = hook.command() else { return };
    for invocation in hook.invocations() {
        if let Invocation::Script { path, interpreter: None, word } = invocation
            && hook.file().around.look(&path) == (Found::File { executable: false })
        {
            let message = format!("`{}` is not executable", path.display());
            report.say_with_hint(&hook.file().part(node, &word), message, format!("chmod +x '{}'", path.display()));
        }
    }
}
