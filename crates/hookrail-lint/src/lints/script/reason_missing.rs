use crate::finding::Severity;
use crate::lint::{Check, Lint, Report};
use crate::script::Script;

pub(crate) static LINT: Lint = Lint {
    code: "reason-missing",
    severity: Severity::Error,
    what: "A script refuses without a reason where the agent asks for one.",
    why: "Codex drops a refusal without a reason that is not empty, and the tool runs.",
    fix: "Add `permissionDecisionReason`, or `reason` beside `decision`.",
    check: Check::Script(check),
};

fn check(script: &Script, report: &mut Report<'_>) {
    if !script.agent.hearing.strict {
        return;
    }
    let forms = [
        ("permissionDecision", ["deny", "deny"], "permissionDecisionReason"),
        ("decision", ["block", "deny"], "reason"),
    ];
    for (field, words, reason) in forms {
        if let Some((span, _)) = script.assigns(field, &words).filter(|_| !script.mentions(reason)) {
            let message = format!("{} drops a refusal without `{reason}`", script.agent.title);
            report.say_with_hint(&span, message, format!("add `{reason}`, and do not leave it empty"));
        }
    }
}
