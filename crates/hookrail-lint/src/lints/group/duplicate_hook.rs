use crate::finding::Severity;
use crate::hooks::{Hook, HookFile};
use crate::lint::{Check, Lint, Report};
use std::collections::HashSet;

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
    let mut seen = HashSet::new();
    for hook in file.hooks().filter(|hook| hook.node.member("args").is_none()) {
        if let (Some(this), Some((node, _))) = (key(&hook), hook.command())
            && !seen.insert(this)
        {
            let message = format!("`{}` already has this hook", hook.event_name());
            report.say_with_hint(&node.span, message, "remove one of the two");
        }
    }
}
