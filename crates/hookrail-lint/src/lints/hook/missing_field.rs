use crate::finding::Severity;
use crate::hooks::Hook;
use crate::lint::{Check, Lint, Report};
use crate::tree::Node;

pub(crate) static LINT: Lint = Lint {
    code: "missing-field",
    severity: Severity::Error,
    what: "A hook lacks what its type needs: a `command`, a `url`, a `prompt`.",
    why: "The agent drops the hook.",
    fix: "Add the field, as text that is not empty.",
    check: Check::Hook(check),
};

fn check(hook: &Hook<'_>, report: &mut Report<'_>) {
    let Some(kind) = hook.kind() else { return };
    for field in kind.needs {
        match hook.node.member(field) {
            None => report.say(&hook.node.span, format!("a `{}` hook needs `{field}`", kind.name)),
            Some(member) if member.value.text().is_none() => {
                report.say(&member.value.span, format!("`{field}` is {}, not text", Node::kind(&member.value)));
            }
            Some(member) if member.value.text().is_some_and(|text| text.trim().is_empty()) => {
                report.say(&member.value.span, format!("`{field}` is empty"));
            }
            Some(_) => {}
        }
    }
}
