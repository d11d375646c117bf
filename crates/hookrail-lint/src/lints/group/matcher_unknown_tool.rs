use crate::finding::Severity;
use crate::hooks::Group;
use crate::lint::{Check, Lint, Report};
use crate::matcher::MatcherView;
use hookrail_dialects::Target;

pub(crate) static LINT: Lint = Lint {
    code: "matcher-unknown-tool",
    severity: Severity::Warning,
    what: "A part of a matcher names a tool this agent is not known to have.",
    why: "That part never matches, unless the tool is new or comes from an extension.",
    fix: "Check the spelling; for a tool of an MCP server write its whole name.",
    check: Check::Group(check),
};

fn check(group: &Group<'_>, report: &mut Report<'_>) {
    let Some((node, text)) = group.matcher().filter(|_| group.event.target() == Target::Tool) else { return };
    let view = MatcherView::new(group.agent(), text);
    if view.matches_everything() || view.problem.is_some() {
        return;
    }
    let alternatives = view.alternatives();
    let dead: Vec<_> = alternatives.iter().filter(|it| !it.text.is_empty() && !view.may_be_tool(it)).collect();
    if alternatives.iter().all(|it| super::is_hopeless(&view, it)) {
        return; // `matcher-never-matches` says so.
    }
    for alternative in dead {
        let message = format!("{} has no tool `{}`", group.agent().title, alternative.text);
        let hint = super::tool_hint(&view, alternative).map(|hint| format!("did you mean `{hint}`?"));
        report.add(&group.file().part(node, &alternative.range), message, hint);
    }
}
