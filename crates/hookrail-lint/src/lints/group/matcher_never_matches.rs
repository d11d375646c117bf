use crate::finding::Severity;
use crate::hooks::Group;
use crate::lint::{Check, Lint, Report, quoted};
use crate::matcher::{MatcherView, words};
use hookrail_core::spelling;
use hookrail_dialects::Target;

pub(crate) static LINT: Lint = Lint {
    code: "matcher-never-matches",
    severity: Severity::Error,
    what: "A matcher that no tool or word of this agent can match, such as `Write` for Gemini CLI or `bash` for Claude Code.",
    why: "The hook never runs, and nothing says so.",
    fix: "Use this agent's names.",
    check: Check::Group(check),
};

fn check(group: &Group<'_>, report: &mut Report<'_>) {
    let Some((node, text)) = group.matcher() else { return };
    let view = MatcherView::new(group.agent(), text);
    if view.matches_everything() || view.problem.is_some() {
        return;
    }
    let title = group.agent().title;
    match group.event.target() {
        Target::Tool => {
            let alternatives = view.alternatives();
            let hints: Vec<String> = alternatives.iter().filter_map(|it| super::tool_hint(&view, it)).collect();
            if alternatives.iter().all(|it| super::is_hopeless(&view, it)) {
                let hint = match hints.as_slice() {
                    [] => format!("its tools are {}", quoted(group.agent().tool_names())),
                    hints => format!("did you mean `{}`?", hints.join("|")),
                };
                report.say_with_hint(&node.span, format!("`{text}` never matches a tool of {title}"), hint);
            }
        }
        target @ (Target::Words(_) | Target::ExactWords(_)) => {
            let known = words(target).unwrap_or_default();
            let exact = matches!(target, Target::ExactWords(_));
            let alternatives = view.alternatives();
            if exact && alternatives.len() > 1 {
                let message = format!("{title} compares this matcher letter by letter, so `{text}` never matches");
                return report.say_with_hint(&node.span, message, "write one group for each word");
            }
            for alternative in alternatives.iter().filter(|it| !it.text.is_empty() && !view.may_be_word(it, known)) {
                let span = group.file().part(node, &alternative.range);
                let message = format!("`{}` never comes with `{}`", alternative.text, group.event.name());
                report.add(&span, message, spelling::hint(alternative.text, known.iter().copied()));
            }
        }
        Target::Name | Target::Nothing => {}
    }
}
