use crate::finding::Severity;
use crate::hooks::Group;
use crate::lint::{Check, Lint, Report};
use crate::matcher::MatcherView;

pub(crate) static LINT: Lint = Lint {
    code: "matcher-regex",
    severity: Severity::Error,
    what: "A matcher that is neither names nor a regular expression.",
    why: "It only matches a tool of exactly that name, which there is none of; the hook never runs.",
    fix: "Escape what is special, or write names with `|` between them.",
    check: Check::Group(check),
};

fn check(group: &Group<'_>, report: &mut Report<'_>) {
    let Some((node, text)) = group.matcher() else { return };
    if let Some(problem) = MatcherView::new(group.agent(), text).problem {
        let hint =
            if text.starts_with('*') { "write `.*` for anything" } else { "a list of names is written `Write|Edit`" };
        report.say_with_hint(&node.span, format!("matcher `{text}` {problem}"), hint);
    }
}
