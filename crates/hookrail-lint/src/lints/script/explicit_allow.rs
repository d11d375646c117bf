use crate::finding::Severity;
use crate::lint::{Check, Lint, Report};
use crate::script::Script;
use hookrail_core::EventName;

pub(crate) static LINT: Lint = Lint {
    code: "explicit-allow",
    severity: Severity::Warning,
    what: "A script answers with an explicit allow.",
    why: "In Claude Code that skips the question the user would have been asked; Codex drops an allow without `updatedInput`.",
    fix: "Answer nothing if there is nothing to object to.",
    check: Check::Script(check),
};

fn check(script: &Script, report: &mut Report<'_>) {
    if script.event != EventName::BeforeTool || script.mentions("updatedInput") {
        return;
    }
    let Some((span, _)) = script.assigns("permissionDecision", &["allow"]) else { return };
    let message = match (script.agent.hearing.strict, script.agent.hearing.permission_decision) {
        (true, _) => format!("{} drops an allow without `updatedInput`", script.agent.title),
        (false, true) => "an explicit allow skips the question the user would be asked".to_owned(),
        (false, false) => return,
    };
    report.say_with_hint(&span, message, "print nothing if there is nothing to object to");
}
