use crate::finding::Severity;
use crate::hooks::{Hook, HookFile};
use crate::lint::{Check, Lint, Report};

pub(crate) static LINT: Lint = Lint {
    code: "duplicate-hook",
    severity: Severity::Warning,
    what: "The same hook twice for one event and matcher.",
    why: "Some agents run it twice; its second answer can only repeat or contradict the first.",
    fix: "Remove one.",
    check: Check::File(check),
};

fn check(file: &HookFile<'_>, report: &mut Report<'_>) {
    let key = |hook: &Hook<'_>| {
        let matcher = hook.group.matcher().map_or("", |(_, text)| text).trim_matches('*').to_owned();
        let condition = hook.node.get(&["if"]).and_then(|node| node.text()).unwrap_or_default().to_owned();
        hook.command().map(|(_, command)| (hook.event_name().to_owned(), matcher, condition, command.to_owned()))
    };
    let hooks: Vec<_> = file.hooks().filter(|hook| hook.node.member("args").is_none()).collect();
    for (index, hook) in hooks.iter().enumerate() {
        let Some(this) = key(hook) else { continue };
        if hooks.iter().take(index).filter_map(key).any(|earlier| earlier == this)
            && let Some((node, _)) = hook.command()
        {
            report.say_with_hint(
                &node.span,
                format!("`{}` already has this hook", hook.event_name()),
                "remove one of the two",
            );
        }
    }
}
