use crate::finding::Severity;
use crate::lint::{Check, Lint, Report};
use crate::script::Script;

pub(crate) static LINT: Lint = Lint {
    code: "answer-without-event",
    severity: Severity::Error,
    what: "A script answers with `hookSpecificOutput` but without `hookEventName` in it.",
    why: "Claude Code, Codex and Gemini CLI drop such an answer: the tool runs although it was denied, and context is lost.",
    fix: "Add `\"hookEventName\": \"PreToolUse\"`, with the name of the event that runs the script.",
    check: Check::Script(check),
};

fn check(script: &Script, report: &mut Report<'_>) {
    if !script.mentions("hookSpecificOutput") || script.mentions("hookEventName") {
        return;
    }
    let span = script.find("permissionDecision").or_else(|| script.find("hookSpecificOutput")).unwrap_or_default();
    let message = format!("this answer has no `hookEventName`, so {} drops it", script.agent.title);
    report.say_with_hint(
        &span,
        message,
        format!("add \"hookEventName\": \"{}\" to `hookSpecificOutput`", script.event_name),
    );
}
