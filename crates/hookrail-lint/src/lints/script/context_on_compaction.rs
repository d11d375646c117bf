use crate::finding::Severity;
use crate::lint::{Check, Lint, Report};
use crate::script::Script;
use hookrail_core::EventName;

pub(crate) static LINT: Lint = Lint {
    code: "context-on-compaction",
    severity: Severity::Error,
    what: "A hook before compaction answers with context for the model.",
    why: "There is no reader: the event has no `hookSpecificOutput`, and the answer is dropped as invalid.",
    fix: "Give the context at `SessionStart` with source `compact`; before compaction only save what is needed.",
    check: Check::Script(check),
};

fn check(script: &Script, report: &mut Report<'_>) {
    if script.event != EventName::PreCompress {
        return;
    }
    let found = ["additionalContext", "hookSpecificOutput"].into_iter().find_map(|word| script.find(word));
    if let Some(span) = found {
        let message = format!("`{}` takes no context; {} drops this answer", script.event_name, script.agent.title);
        report.say_with_hint(&span, message, "answer at `SessionStart` instead, which also comes after a compaction");
    }
}
