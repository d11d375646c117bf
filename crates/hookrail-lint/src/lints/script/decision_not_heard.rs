use crate::finding::Severity;
use crate::lint::{Check, Lint, Report};
use crate::script::Script;
use hookrail_core::EventName;

pub(crate) static LINT: Lint = Lint {
    code: "decision-not-heard",
    severity: Severity::Error,
    what: "A script refuses in another agent's words: `decision: deny` for Claude Code or Codex, `permissionDecision` for Gemini CLI or outside of `hookSpecificOutput`.",
    why: "The agent does not read it, and the tool runs.",
    fix: "Claude Code and Codex: `hookSpecificOutput.permissionDecision`. Gemini CLI and LLxprt Code: `decision` and `reason` at the top.",
    check: Check::Script(check),
};

fn check(script: &Script, report: &mut Report<'_>) {
    let (hearing, title) = (script.agent.hearing, script.agent.title);
    if let Some((span, _)) = script.assigns("permissionDecision", &["deny", "ask"]) {
        if !hearing.permission_decision {
            let hint = "answer {\"decision\": \"deny\", \"reason\": \"…\"}";
            report.say_with_hint(&span, format!("{title} does not read `permissionDecision`"), hint);
        } else if !script.mentions("hookSpecificOutput") && script.agent.name != "llxprt" {
            let hint = "put it into \"hookSpecificOutput\": {\"hookEventName\": …}";
            report.say_with_hint(&span, "`permissionDecision` is only read inside of `hookSpecificOutput`", hint);
        }
    }
    let asked = script.event == EventName::PermissionRequest;
    if let Some((span, word)) = script.assigns("decision", &["deny", "allow", "ask", "block", "approve"])
        && !hearing.decisions.contains(&word.as_str())
        && !asked
    {
        report.say_with_hint(&span, format!("{title} does not know `decision: {word}`"), own_form(script));
    }
}

fn own_form(script: &Script) -> &'static str {
    match script.event {
        EventName::BeforeTool => {
            "answer {\"hookSpecificOutput\": {\"hookEventName\": \"PreToolUse\", \"permissionDecision\": \"deny\", …}}"
        }
        _ => "answer {\"decision\": \"block\", \"reason\": \"…\"}",
    }
}
