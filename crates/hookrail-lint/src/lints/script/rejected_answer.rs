use crate::finding::Severity;
use crate::lint::{Check, Lint, Report};
use crate::script::Script;
use hookrail_core::EventName;

pub(crate) static LINT: Lint = Lint {
    code: "rejected-answer",
    severity: Severity::Error,
    what: "A script for Codex answers with a key or word Codex does not take at that event.",
    why: "Codex drops the whole answer, the refusal in it included, and goes on.",
    fix: "Answer with what Codex knows: deny with a reason, context, or nothing.",
    check: Check::Script(check),
};

fn check(script: &Script, report: &mut Report<'_>) {
    if !script.agent.hearing.strict || script.event != EventName::BeforeTool {
        return;
    }
    let keys =
        ["suppressOutput", "stopReason"].into_iter().filter_map(|key| Some((script.find(key)?, format!("`{key}`"))));
    let ask = script.assigns("permissionDecision", &["ask"]).map(|(span, _)| (span, "`ask`".to_owned()));
    for (span, what) in keys.chain(ask) {
        let message = format!("{} drops an answer with {what} at `{}`", script.agent.title, script.event_name);
        report.say_with_hint(&span, message, "deny with a reason, or answer nothing");
    }
}
