use crate::command::Invocation;
use crate::finding::Severity;
use crate::hooks::Hook;
use crate::lint::{Check, Lint, Report};
use crate::surroundings::Found;

pub(crate) static LINT: Lint = Lint {
    code: "script-missing",
    severity: Severity::Error,
    what: "The command names a script that is not there.",
    why: "Claude Code and Codex go on without the hook; Gemini CLI refuses everything it guards.",
    fix: "Correct the path, or add the script.",
    check: Check::Hook(check),
};

fn check(hook: &Hook<'_>, report: &mut Report<'_>) {
    let Some((node, _)) = hook.command() else { return };
    for invocation in hook.invocations() {
        if let Invocation::Script { path, word, .. } = invocation
            && hook.file().around.look(&path) == Found::Nothing
        {
            let message = format!("there is no `{}`", path.display());
            report.say_with_hint(&hook.file().part(node, &word), message, "correct the path, or add the script");
        }
    }
}
