use crate::finding::Severity;
use crate::hooks::HookFile;
use crate::lint::{Check, Lint, Report};
use crate::tree::Shape;

pub(crate) static LINT: Lint = Lint {
    code: "hooks-outside",
    severity: Severity::Error,
    what: "An event stands beside `hooks`, not in it.",
    why: "The agent looks for events in `hooks` only, so these hooks never run.",
    fix: "Move it into `\"hooks\": { … }`.",
    check: Check::File(check),
};

fn check(file: &HookFile<'_>, report: &mut Report<'_>) {
    for member in file.root.members() {
        let is_event = hookrail_dialects::all().iter().any(|dialect| dialect.event(&member.key).is_some());
        if is_event && matches!(member.value.value, Shape::List(_)) {
            let message =
                format!("`{}` stands outside of `hooks`, where {} does not look", member.key, file.agent.title);
            let hint = format!("write {{\"hooks\": {{\"{}\": […]}}}}", member.key);
            report.say_with_hint(&member.key_span, message, hint);
        }
    }
}
