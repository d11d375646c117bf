use crate::finding::Severity;
use crate::lint::{Check, Lint, Report};
use crate::script::Script;

pub(crate) static LINT: Lint = Lint {
    code: "context-outside",
    severity: Severity::Error,
    what: "A script answers with `additionalContext` outside of `hookSpecificOutput`.",
    why: "Claude Code and Gemini CLI do not look there, and Codex drops the whole answer; the model never sees the context.",
    fix: "Put it into `hookSpecificOutput`, with `hookEventName`.",
    check: Check::Script(check),
};

fn check(script: &Script, report: &mut Report<'_>) {
    if let Some(span) = script.find("additionalContext").filter(|_| !script.mentions("hookSpecificOutput")) {
        let message = format!("{} reads `additionalContext` only inside of `hookSpecificOutput`", script.agent.title);
        let hint = format!("write {{\"hookSpecificOutput\": {{\"hookEventName\": \"{}\", …}}}}", script.event_name);
        report.say_with_hint(&span, message, hint);
    }
}
