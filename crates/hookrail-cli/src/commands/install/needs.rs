//! What an agent needs beyond the entries: said, never done, because it is the user's consent.

use super::target::Target;
use crate::jsonc::Jsonc;
use crate::screen::one_line;
use hookrail_dialects::{Gate, Scope};
use hookrail_engine::registry::Step;
use serde_json::Value;

/// In plain words, one step each.
pub fn needs(target: &Target, document: &Jsonc) -> Vec<String> {
    let is = |path: &[&str], wanted: bool| {
        let path: Vec<Step<'_>> = path.iter().map(|key| Step::Key(key)).collect();
        document.at(&path) == Some(&Value::Bool(wanted))
    };
    let file = target.file.display();
    let mut needs = Vec::new();
    match target.agent.format().gate {
        Gate::TrustedFolder => needs.push(trusted_folder(target)),
        Gate::Approval(command) => {
            if target.scope == Scope::Project {
                needs.push(
                    "Codex reads this file only in a project you trust; it asks when you start it there.".to_owned(),
                );
            }
            needs.push(format!(
                "Start Codex, type `{command}` and approve the hooks of hookrail. Until then Codex does not run them, and \
                 after each change of an entry it asks again."
            ));
        }
        Gate::Setting(path) => {
            if !is(path, true) {
                needs.push(format!(
                    "LLxprt Code runs no hooks until it is told to: set `{}` to `true` in its settings (`{file}`). That \
                     switches on every hook there, not only those of hookrail, so it is left to you.",
                    path.join(".")
                ));
            }
            needs.push("LLxprt Code runs hooks of a project only after you trusted its folder.".to_owned());
        }
    }
    if is(&["disableAllHooks"], true) {
        needs.push(format!("`disableAllHooks` is `true` in `{file}`: no hook runs until you take that out."));
    }
    if target.agent.name() == "gemini" && is(&["hooksConfig", "enabled"], false) {
        needs.push(format!("`hooksConfig.enabled` is `false` in `{file}`: no hook runs until you change that."));
    }
    if let (Some(allowed), Some(root)) = (target.agent.format().root_allows, document.value().as_object())
        && let Some(key) = root.keys().find(|key| !allowed.contains(&key.as_str()))
    {
        needs.push(format!(
            "Codex refuses all of `{file}` because of its key `{}`; only {} may stand there.",
            one_line(key),
            list(allowed)
        ));
    }
    needs
}

fn trusted_folder(target: &Target) -> String {
    match target.agent.name() {
        "gemini" => "Gemini CLI runs hooks only in a folder you trust, hooks of your user settings included: answer its \
                     question when you start it there, or type `/permissions`. Hooks need a version that has them switched \
                     on; 0.61.0 was tried."
            .to_owned(),
        _ => "Claude Code runs hooks only in a folder you trust: answer its question when you start it there. In a session \
              that is running, `/hooks` shows whether they are loaded."
            .to_owned(),
    }
}

fn list(words: &[&str]) -> String {
    words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(" and ")
}
