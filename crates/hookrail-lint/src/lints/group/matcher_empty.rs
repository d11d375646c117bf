use crate::finding::Severity;
use crate::hooks::Group;
use crate::lint::{Check, Lint, Report};
use crate::matcher::MatcherView;
use hookrail_dialects::Target;

pub(crate) static LINT: Lint = Lint {
    code: "matcher-empty",
    severity: Severity::Warning,
    what: "An empty matcher, or an empty part as in `Write|`.",
    why: "An empty pattern matches every tool. In a list of names an empty name matches none.",
    fix: "Leave the matcher out or write `*` if everything is meant; else remove the `|`.",
    check: Check::Group(check),
};

fn check(group: &Group<'_>, report: &mut Report<'_>) {
    let Some((node, text)) = group.matcher().filter(|_| group.event.target() == Target::Tool) else { return };
    let view = MatcherView::new(group.agent(), text);
    if text.trim().is_empty() {
        return report.say_with_hint(&node.span, "an empty matcher matches every tool", "write \"*\" if that is meant");
    }
    if !view.matches_everything() && view.alternatives().iter().any(|it| it.text.is_empty()) {
        let effect = if view.is_pattern() { "matches every tool" } else { "names nothing" };
        report.say_with_hint(
            &node.span,
            format!("an empty part of `{text}` {effect}"),
            "remove the `|` that is too many",
        );
    }
}
