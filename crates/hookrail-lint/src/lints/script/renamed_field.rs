use crate::finding::Severity;
use crate::lint::{Check, Lint, Report};
use crate::script::Script;
use hookrail_core::EventName;

pub(crate) static LINT: Lint = Lint {
    code: "renamed-field",
    severity: Severity::Warning,
    what: "A script after a tool reads `tool_result`.",
    why: "Claude Code and Codex send `tool_response`; the script never sees a result.",
    fix: "Read `tool_response`.",
    check: Check::Script(check),
};

fn check(script: &Script, report: &mut Report<'_>) {
    let wanted = matches!(script.event, EventName::AfterTool) && !script.mentions("tool_response");
    if let Some(span) = script.find("tool_result").filter(|_| wanted) {
        report.say_with_hint(&span, format!("{} sends no `tool_result`", script.agent.title), "read `tool_response`");
    }
}
