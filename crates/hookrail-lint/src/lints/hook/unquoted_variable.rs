use crate::command::variable;
use crate::finding::Severity;
use crate::hooks::Hook;
use crate::lint::{Check, Lint, Report};

pub(crate) static LINT: Lint = Lint {
    code: "unquoted-variable",
    severity: Severity::Warning,
    what: "`$CLAUDE_PROJECT_DIR` or a variable like it outside of double quotes.",
    why: "In a folder whose name has a space the command falls apart, and the hook does not run.",
    fix: "Put it in double quotes: `\"$CLAUDE_PROJECT_DIR\"/hook.sh`, with `\\\"` in JSON.",
    check: Check::Hook(check),
};

const FOLDERS: [&str; 5] =
    ["CLAUDE_PROJECT_DIR", "GEMINI_PROJECT_DIR", "LLXPRT_PROJECT_DIR", "CLAUDE_PLUGIN_ROOT", "PLUGIN_ROOT"];

fn check(hook: &Hook<'_>, report: &mut Report<'_>) {
    let Some((node, text)) = hook.command().filter(|_| hook.node.member("args").is_none()) else { return };
    let mut quote = None;
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), c) if open == c => quote = None,
            (None, '$') => {
                let Some((name, length)) = text.get(at..).and_then(variable) else { continue };
                if FOLDERS.contains(&name) {
                    let message = format!("`${name}` is not quoted; a folder with a space breaks the command");
                    let hint = format!("write \\\"${name}\\\" in JSON");
                    report.say_with_hint(&hook.file().part(node, &(at..at + length)), message, hint);
                }
            }
            _ => {}
        }
    }
}
