use crate::finding::Severity;
use crate::hooks::HookFile;
use crate::lint::{Check, Lint, Report};
use crate::tree::Node;
use std::collections::HashSet;

pub(crate) static LINT: Lint = Lint {
    code: "duplicate-key",
    severity: Severity::Error,
    what: "The same key twice in one object, such as two `PreToolUse`.",
    why: "Only the last one counts; the hooks of the others never run.",
    fix: "Put both lists into one.",
    check: Check::File(check),
};

fn check(file: &HookFile<'_>, report: &mut Report<'_>) {
    if let Some(hooks) = file.hooks_member() {
        walk(file.root, report, false);
        walk(&hooks.value, report, true);
    }
}

/// Only what is about hooks is looked into; the rest of the settings is none of our business.
fn walk(node: &Node, report: &mut Report<'_>, deep: bool) {
    let members = node.members();
    let mut later = HashSet::new();
    for member in members.iter().rev().filter(|member| !later.insert(&member.key)).collect::<Vec<_>>() {
        let message = format!("`{}` comes again later in this object, and only the last one counts", member.key);
        report.say_with_hint(&member.key_span, message, "put both into one");
    }
    if deep {
        members.iter().map(|member| &member.value).chain(node.items()).for_each(|inner| walk(inner, report, true));
    }
}
