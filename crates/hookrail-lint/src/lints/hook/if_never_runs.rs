use crate::finding::Severity;
use crate::hooks::Hook;
use crate::lint::{Check, Lint, Report};
use hookrail_dialects::Target;

pub(crate) static LINT: Lint = Lint {
    code: "if-never-runs",
    severity: Severity::Error,
    what: "`if` on an event that is not about a tool.",
    why: "Claude Code evaluates `if` on tool events only; elsewhere a hook with one never runs.",
    fix: "Remove `if` and decide in the hook.",
    check: Check::Hook(check),
};

fn check(hook: &Hook<'_>, report: &mut Report<'_>) {
    let Some(member) = hook.node.member("if").filter(|_| hook.agent().hook_keys.contains(&"if")) else { return };
    if hook.group.event.target() != Target::Tool {
        let message = format!("a hook with `if` never runs on `{}`", hook.event_name());
        report.say_with_hint(&member.key_span, message, "remove `if` and decide in the hook");
    }
}
