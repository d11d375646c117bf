use crate::finding::Severity;
use crate::hooks::Hook;
use crate::lint::{Check, Lint, Report};
use hookrail_core::spelling;

pub(crate) static LINT: Lint = Lint {
    code: "hook-type",
    severity: Severity::Error,
    what: "A hook without `type`, or with one the agent does not know.",
    why: "The agent drops the hook.",
    fix: "Write `\"type\": \"command\"`.",
    check: Check::Hook(check),
};

fn check(hook: &Hook<'_>, report: &mut Report<'_>) {
    let types = || hook.agent().types.iter().map(|kind| kind.name);
    let Some(member) = hook.node.member("type") else {
        if hook.agent().type_optional {
            return;
        }
        return report.say_with_hint(&hook.node.span, "this hook has no `type`", "add \"type\": \"command\"");
    };
    let Some(text) = member.value.text() else {
        return report.say(&member.value.span, format!("`type` is {}, not text", member.value.kind()));
    };
    if hook.kind().is_none() {
        let message = format!("{} has no hooks of type `{text}`", hook.agent().title);
        report.add(&member.value.span, message, spelling::hint(text, types()));
    }
}
