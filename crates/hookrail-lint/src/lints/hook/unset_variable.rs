use crate::command::variable;
use crate::finding::Severity;
use crate::hooks::{Hook, Role};
use crate::lint::{Check, Lint, Report};

pub(crate) static LINT: Lint = Lint {
    code: "unset-variable",
    severity: Severity::Error,
    what: "A command uses a variable that its agent does not set.",
    why: "It is empty. Agents hand the event over on stdin; only the project's folder comes as a variable, under each agent's own name.",
    fix: "Read stdin (`jq -r .tool_input.command`), and use the agent's own variable.",
    check: Check::Hook(check),
};

/// Variables that are passed around in examples, but that no agent sets.
pub(crate) const NEVER_SET: [&str; 14] = [
    "TOOL_INPUT",
    "TOOL_NAME",
    "TOOL_OUTPUT",
    "TOOL_RESULT",
    "CLAUDE_TOOL_INPUT",
    "CLAUDE_TOOL_NAME",
    "CLAUDE_TOOL_OUTPUT",
    "CLAUDE_FILE_PATH",
    "CLAUDE_FILE_PATHS",
    "CLAUDE_HOOK_EVENT",
    "CLAUDE_NOTIFICATION",
    "HOOK_INPUT",
    "HOOK_EVENT",
    "PROMPT_TEXT",
];
const PROJECT: [&str; 3] = ["CLAUDE_PROJECT_DIR", "GEMINI_PROJECT_DIR", "LLXPRT_PROJECT_DIR"];

fn check(hook: &Hook<'_>, report: &mut Report<'_>) {
    let Some((node, text)) = hook.command() else { return };
    let agent = hook.agent();
    for (at, _) in text.match_indices('$') {
        let Some((name, length)) = text.get(at..).and_then(variable) else { continue };
        let span = hook.file().part(node, &(at..at + length));
        if NEVER_SET.contains(&name) && !text.contains(&format!("{name}=")) {
            let hint = "the event comes as JSON on stdin; take it apart with `jq`";
            report.say_with_hint(&span, format!("no agent sets `${name}`"), hint);
        } else if PROJECT.contains(&name) && !agent.project_variables.contains(&name) {
            let hint = match agent.project_variables.first() {
                Some(own) => format!("write `${own}`"),
                None => format!("{} has no such variable; commands run in the project's folder", agent.title),
            };
            report.say_with_hint(&span, format!("{} does not set `${name}`", agent.title), hint);
        } else if name == "CLAUDE_PLUGIN_ROOT" && hook.file().role == Role::Settings {
            let hint = "it holds in a plugin's hooks.json only; use `$CLAUDE_PROJECT_DIR`";
            report.say_with_hint(&span, format!("`${name}` is an error in settings"), hint);
        }
    }
}
