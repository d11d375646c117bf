use crate::finding::Severity;
use crate::hooks::Group;
use crate::lint::{Check, Lint, Report, quoted};
use crate::matcher::{Alternative, MatcherView};
use hookrail_dialects::Target;

pub(crate) static LINT: Lint = Lint {
    code: "matcher-unanchored",
    severity: Severity::Warning,
    what: "A pattern that also matches names which merely contain it.",
    why: "The hook runs for tools or subagents it was not written for: `Write.*` also means `TodoWrite`.",
    fix: "Anchor it: `^(?:…)$`.",
    check: Check::Group(check),
};

fn check(group: &Group<'_>, report: &mut Report<'_>) {
    let Some((node, text)) = group.matcher() else { return };
    let view = MatcherView::new(group.agent(), text);
    match group.event.target() {
        Target::Tool => {
            let caught = view.caught_unanchored();
            if !caught.is_empty() {
                let message = format!("`{text}` is not anchored, so it also matches {}", quoted(caught));
                report.say_with_hint(&node.span, message, format!("if that is not meant, write `{}`", anchored(text)));
            }
        }
        // A colon, as in `plugin:agent`, turns a name into a pattern.
        Target::Name
            if view.is_loose()
                && text.contains(':')
                && !text.starts_with('^')
                && view.alternatives().iter().all(Alternative::is_plain) =>
        {
            let message = format!("`{text}` is read as a pattern and matches every name that contains it");
            report.say_with_hint(&node.span, message, format!("write `{}`", anchored(text)));
        }
        Target::Name | Target::Words(_) | Target::ExactWords(_) | Target::Nothing => {}
    }
}

fn anchored(text: &str) -> String {
    if text.contains('|') { format!("^(?:{text})$") } else { format!("^{text}$") }
}
