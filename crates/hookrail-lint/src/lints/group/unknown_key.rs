use crate::finding::Severity;
use crate::hooks::Group;
use crate::lint::{Check, Lint, Report};
use crate::tree::Node;
use hookrail_core::spelling;

pub(crate) static LINT: Lint = Lint {
    code: "unknown-key",
    severity: Severity::Warning,
    what: "A key the agent does not know, in a group or a hook.",
    why: "It is ignored, so what it was to do does not happen; misspelt `timeout` means the default.",
    fix: "Check the spelling, and whether the key belongs to the group or to the hook.",
    check: Check::Group(check),
};

fn check(group: &Group<'_>, report: &mut Report<'_>) {
    let agent = group.agent();
    if group.node.member("hooks").is_some() {
        let known = agent.group_keys;
        let of_hook =
            |key: &str| agent.hook_keys.contains(&key).then(|| format!("`{key}` belongs to each hook, inside `hooks`"));
        complain("group", group.node, known, &of_hook, report);
    }
    for hook in group.hooks() {
        let Some(kind) = hook.kind() else { continue };
        let known: Vec<&str> = [agent.hook_keys, kind.needs, kind.takes].concat();
        let of_group = |key: &str| {
            agent.group_keys.contains(&key).then(|| format!("`{key}` belongs to the group, beside `hooks`"))
        };
        complain(&format!("`{}` hook", kind.name), hook.node, &known, &of_group, report);
    }
}

fn complain(
    what: &str,
    node: &Node,
    known: &[&str],
    elsewhere: &dyn Fn(&str) -> Option<String>,
    report: &mut Report<'_>,
) {
    for member in node.members().iter().filter(|member| !known.contains(&member.key.as_str())) {
        let hint = elsewhere(&member.key).or_else(|| spelling::hint(&member.key, known.iter().copied()));
        report.add(&member.key_span, format!("unknown key `{}` in a {what}", member.key), hint);
    }
}
