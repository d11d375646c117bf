use crate::finding::Severity;
use crate::lint::{Check, Lint, Report};
use crate::script::Script;

pub(crate) static LINT: Lint = Lint {
    code: "endless-stop",
    severity: Severity::Warning,
    what: "A hook that refuses to stop does not look at `stop_hook_active`.",
    why: "It refuses again each time: Claude Code gives up after eight rounds, Codex and Gemini CLI never do.",
    fix: "Let the agent stop if `stop_hook_active` is true.",
    check: Check::Script(check),
};

fn check(script: &Script, report: &mut Report<'_>) {
    if !script.may_keep_going() || script.mentions("stop_hook_active") || script.mentions("stopHookActive") {
        return;
    }
    let by_exit = || script.exits().into_iter().find(|exit| exit.code == 2).map(|exit| exit.span);
    let by_answer = || script.assigns("decision", &["block", "deny"]).map(|(span, _)| span);
    if let Some(span) = by_answer().or_else(by_exit) {
        let end = if script.agent.hearing.cuts_endless_stop { "until it is cut off" } else { "for ever" };
        let message = format!("this can keep {} going {end}", script.agent.title);
        report.say_with_hint(&span, message, "do not refuse while `stop_hook_active` is true");
    }
}
