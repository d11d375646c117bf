use crate::agents::OtherWords;
use crate::finding::Severity;
use crate::hooks::HookFile;
use crate::lint::{Check, Lint, Report, did_you_mean};

pub(crate) static LINT: Lint = Lint {
    code: "unknown-event",
    severity: Severity::Error,
    what: "An event this agent does not have: misspelt, in the wrong case, or another agent's word.",
    why: "The agent passes over it in silence, so its hooks never run.",
    fix: "Write the name as suggested; case counts.",
    check: Check::File(check),
};

fn check(file: &HookFile<'_>, report: &mut Report<'_>) {
    for section in file.sections().filter(|section| section.event().is_none()) {
        let message = format!("{} has no event `{}`", file.agent.title, section.name());
        report.add(&section.member.key_span, message, did_you_mean(file.agent.suggest_event(section.name())));
    }
}
