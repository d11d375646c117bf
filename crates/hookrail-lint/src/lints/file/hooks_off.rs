use crate::finding::Severity;
use crate::hooks::{HookFile, Role};
use crate::lint::{Check, Lint, Report};
use crate::tree::Shape;

pub(crate) static LINT: Lint = Lint {
    code: "hooks-off",
    severity: Severity::Warning,
    what: "The file has hooks and a setting that switches them off, or lacks the one that switches them on.",
    why: "No hook of the file runs. LLxprt Code runs none until `hooksConfig.enabled` is true.",
    fix: "Change the setting, in this file or in the user's.",
    check: Check::File(check),
};

const NEW: &[&str] = &["hooksConfig", "enabled"];
const OLD: &[&str] = &["hooks", "enabled"];

const SWITCHES: [(&[&str], bool); 7] = [
    (&["disableAllHooks"], true),
    (NEW, false),
    (OLD, false),
    (&["tools", "enableHooks"], false),
    (&["enableHooks"], false),
    (&["features", "hooks"], false),
    (&["features", "codex_hooks"], false),
];

fn check(file: &HookFile<'_>, report: &mut Report<'_>) {
    if file.hooks().next().is_none() || file.role != Role::Settings {
        return;
    }
    let missing = |path: &[&str]| file.root.get(path).is_none();
    for (path, off) in SWITCHES {
        // The key of old files counts where the new one is missing, as in `hookrail_dialects::Switches`.
        if path == OLD && !missing(NEW) {
            continue;
        }
        if let Some(node) = file.root.get(path).filter(|node| node.value == Shape::Flag(off)) {
            let setting = path.join(".");
            report.say_with_hint(
                &node.span,
                format!("`{setting}` switches the hooks of this file off"),
                opposite(&setting, off),
            );
        }
    }
    if let Some(hookrail_dialects::Gate::Setting(path)) = Some(file.agent.format.gate)
        && missing(path)
        && missing(OLD)
        && let Some(hooks) = file.hooks_member()
    {
        let message = format!("{} runs no hooks until `{}` is true", file.agent.title, path.join("."));
        let specified = file.root.get(&["enableHooks"]).is_some_and(|node| node.value == Shape::Flag(true));
        let hint = if specified {
            "set it here or in the user's settings; `enableHooks` counts where `hookrail serve` runs the hooks"
        } else {
            "set it here or in the user's settings"
        };
        report.say_with_hint(&hooks.key_span, message, hint);
    }
}

fn opposite(setting: &str, off: bool) -> String {
    format!("set `{setting}` to {}", !off)
}
