use crate::finding::Severity;
use crate::hooks::Hook;
use crate::lint::{Check, Lint, Report};
use crate::tree::Shape;
use hookrail_dialects::TimeoutUnit;

pub(crate) static LINT: Lint = Lint {
    code: "timeout-unit",
    severity: Severity::Error,
    what: "A timeout in the wrong unit: Claude Code and Codex count seconds, Gemini CLI and LLxprt Code milliseconds.",
    why: "5 for Gemini CLI is 5 ms: the hook is always cut off and the action goes on. 30000 for Claude Code is more than 8 hours of waiting.",
    fix: "Write the number in the agent's unit.",
    check: Check::Hook(check),
};

/// No hook can be started, asked and answered in less.
const LEAST_MILLISECONDS: f64 = 100.0;
/// No hook is meant to take a quarter of an hour.
const MOST_SECONDS: f64 = 1000.0;

fn check(hook: &Hook<'_>, report: &mut Report<'_>) {
    let Some(member) = hook.node.member("timeout") else { return };
    let format = &hook.agent().format;
    let Shape::Number(number) = member.value.value else { return };
    let title = hook.agent().title;
    match format.timeout_unit {
        TimeoutUnit::Milliseconds if number > 0.0 && number < LEAST_MILLISECONDS => {
            let message = format!("a timeout of {number} is {number} ms for {title}: the hook never finishes");
            report.say_with_hint(
                &member.value.span,
                message,
                format!("for {number} seconds write {}", number * 1000.0),
            );
        }
        TimeoutUnit::Seconds if number >= MOST_SECONDS => {
            let message = format!("a timeout of {number} is {} for {title}", spelled(number));
            let hint = format!("for {number} milliseconds write {}", (number / 1000.0).max(1.0).ceil());
            report.say_with_hint(&member.value.span, message, hint);
        }
        TimeoutUnit::Milliseconds | TimeoutUnit::Seconds | TimeoutUnit::SecondsOrMillis => {}
    }
}

fn spelled(seconds: f64) -> String {
    if seconds >= 7200.0 { format!("{:.1} hours", seconds / 3600.0) } else { format!("{:.0} minutes", seconds / 60.0) }
}
