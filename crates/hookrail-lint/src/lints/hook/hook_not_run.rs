use crate::finding::Severity;
use crate::hooks::Hook;
use crate::lint::{Check, Lint, Report};

pub(crate) static LINT: Lint = Lint {
    code: "hook-not-run",
    severity: Severity::Error,
    what: "A prompt or agent hook where the agent does not run such hooks.",
    why: "Codex skips them; Claude Code has no conversation to ask about when a session or a subagent starts.",
    fix: "Use a `command` hook.",
    check: Check::Hook(check),
};

fn check(hook: &Hook<'_>, report: &mut Report<'_>) {
    let (Some(kind), Some(member)) = (hook.kind(), hook.node.member("type")) else { return };
    let title = hook.agent().title;
    let message = match kind.not_on {
        None => format!("{title} does not run `{}` hooks", kind.name),
        Some(events) if events.contains(&hook.event_name()) => {
            format!("{title} does not run `{}` hooks on `{}`", kind.name, hook.event_name())
        }
        Some(_) => return,
    };
    report.say_with_hint(&member.value.span, message, "use a `command` hook");
}
