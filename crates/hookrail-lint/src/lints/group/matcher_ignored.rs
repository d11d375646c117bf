use crate::finding::Severity;
use crate::hooks::Group;
use crate::lint::{Check, Lint, Report};
use crate::matcher::MatcherView;
use hookrail_dialects::Target;

pub(crate) static LINT: Lint = Lint {
    code: "matcher-ignored",
    severity: Severity::Warning,
    what: "A matcher on an event that has nothing to match.",
    why: "The agent ignores it: the hook always runs.",
    fix: "Remove the matcher and decide in the hook.",
    check: Check::Group(check),
};

fn check(group: &Group<'_>, report: &mut Report<'_>) {
    let Some((node, text)) = group.matcher().filter(|_| group.event.target() == Target::Nothing) else { return };
    if !MatcherView::new(group.agent(), text).matches_everything() {
        let message = format!("{} ignores the matcher of `{}`", group.agent().title, group.event.name());
        report.say_with_hint(&node.span, message, "remove it; the hook runs every time");
    }
}
