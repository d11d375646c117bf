use crate::finding::Severity;
use crate::hooks::{HookFile, Role};
use crate::lint::{Check, Lint, Report, quoted};

pub(crate) static LINT: Lint = Lint {
    code: "root-key",
    severity: Severity::Error,
    what: "A key beside `hooks` in a file that may have none.",
    why: "Codex rejects a hooks.json with any other key than `description` and `hooks`, a `$schema` included.",
    fix: "Remove the key.",
    check: Check::File(check),
};

fn check(file: &HookFile<'_>, report: &mut Report<'_>) {
    let Some(allowed) = file.agent.format.root_allows else { return };
    if file.role != Role::HooksOnly {
        return;
    }
    for member in file.root.members().iter().filter(|member| !allowed.contains(&member.key.as_str())) {
        if file.agent.event(&member.key).is_some() {
            continue;
        }
        let message = format!("{} rejects the whole file because of `{}`", file.agent.title, member.key);
        report.say_with_hint(
            &member.key_span,
            message,
            format!("only {} may stand here", quoted(allowed.iter().copied())),
        );
    }
}
