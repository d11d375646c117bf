use crate::finding::Severity;
use crate::hooks::Hook;
use crate::lint::{Check, Lint, Report};
use crate::tree::Shape;
use hookrail_dialects::TimeoutUnit;

pub(crate) static LINT: Lint = Lint {
    code: "timeout-value",
    severity: Severity::Error,
    what: "A timeout that is not a number above zero.",
    why: "Depending on the agent the hook is dropped, or ends at once.",
    fix: "Write a bare number, in the agent's unit.",
    check: Check::Hook(check),
};

fn check(hook: &Hook<'_>, report: &mut Report<'_>) {
    let Some(member) = hook.node.member("timeout") else { return };
    let unit = match hook.agent().format.timeout_unit {
        TimeoutUnit::Milliseconds => "milliseconds",
        TimeoutUnit::Seconds | TimeoutUnit::SecondsOrMillis => "seconds",
    };
    let message = match &member.value.value {
        Shape::Number(number) if *number > 0.0 => return,
        Shape::Number(number) => format!("a timeout of {number} is no time"),
        _ => format!("`timeout` is {}, not a number", member.value.kind()),
    };
    report.say_with_hint(&member.value.span, message, format!("write a number of {unit}"));
}
