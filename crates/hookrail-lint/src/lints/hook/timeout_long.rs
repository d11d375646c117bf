use crate::finding::Severity;
use crate::hooks::Hook;
use crate::lint::{Check, Lint, Report};
use crate::tree::Shape;
use hookrail_dialects::TimeoutUnit;

pub(crate) static LINT: Lint = Lint {
    code: "timeout-long",
    severity: Severity::Warning,
    what: "A timeout of more than ten minutes, or more than the agent grants on this event.",
    why: "A hook that hangs holds the agent up that long; beyond what is granted the number has no effect.",
    fix: "Write what the hook really needs.",
    check: Check::Hook(check),
};

const LONG_SECONDS: f64 = 600.0;

fn check(hook: &Hook<'_>, report: &mut Report<'_>) {
    let Some(member) = hook.node.member("timeout") else { return };
    let format = &hook.agent().format;
    let Shape::Number(number) = member.value.value else { return };
    let seconds = match format.timeout_unit {
        TimeoutUnit::Milliseconds => number / 1000.0,
        TimeoutUnit::SecondsOrMillis if number >= 1000.0 => number / 1000.0,
        TimeoutUnit::SecondsOrMillis => number,
        // More than that is `timeout-unit`.
        TimeoutUnit::Seconds if number < 1000.0 => number,
        TimeoutUnit::Seconds => return,
    };
    let event = hook.group.event.event();
    let granted = format.event_timeouts.iter().find(|special| Some(&special.event) == event.as_ref());
    let granted = granted.and_then(|special| special.at_most).map(|most| most.as_secs_f64());
    if let Some(most) = granted.filter(|most| seconds > *most) {
        let message = format!("{} grants at most {most} s on `{}`", hook.agent().title, hook.event_name());
        report.say(&member.value.span, message);
    } else if seconds > LONG_SECONDS {
        let message = format!("a hook that hangs holds the agent up for {:.0} minutes", seconds / 60.0);
        report.say(&member.value.span, message);
    }
}
