//! What an agent needs beyond the entries: said, never done, because it is the user's consent.

use super::merge::Document;
use super::target::Target;
use hookrail_dialects::{Gate, Scope};
use hookrail_engine::registry::PathStep;
use serde_json::Value;

/// In plain words, one step each.
pub fn needs(target: &Target, document: &Document) -> Vec<String> {
    let is = |path: &[&str], wanted: bool| {
        let path: Vec<PathStep<'_>> = path.iter().map(|key| PathStep::Key(key)).collect();
        document.json().is_some_and(|document| document.at(&path) == Some(&Value::Bool(wanted)))
    };
    let (file, agent) = (target.file.display(), target.agent.agent());
    let title = agent.title;
    let mut needs = Vec::new();
    match agent.format.gate {
        Gate::TrustedFolder | Gate::None => {}
        Gate::Approval(_) if target.scope == Scope::Project => {
            needs.push(format!("{title} reads this file only in a project you trust; it asks when you start it there."));
        }
        Gate::Approval(_) => {}
        // `hooks.enabled` is the key of old files.
        Gate::Setting(path) if is(path, true) || is(&["hooks", "enabled"], true) => {}
        Gate::Setting(path) => needs.push(format!(
            "{title} runs no hooks until it is told to: set `{}` to `true` in its settings (`{file}`). That switches on \
             every hook there, not only those of hookrail, so it is left to you.",
            path.join(".")
        )),
    }
    // What the administrator wrote needs no approval by a user.
    let needs_consent = !(target.scope == Scope::Managed && matches!(agent.format.gate, Gate::Approval(_)));
    needs.extend(agent.consent.iter().filter(|_| needs_consent).map(|step| (*step).to_owned()));
    if is(&["disableAllHooks"], true) {
        needs.push(format!("`disableAllHooks` is `true` in `{file}`: no hook runs until you take that out."));
    }
    // The switches of `hookrail_dialects::Switches`; the one that a gate names is told of above.
    for switch in [&["hooksConfig", "enabled"][..], &["tools", "enableHooks"], &["enableHooks"]] {
        let told = matches!(agent.format.gate, Gate::Setting(path) if path == switch);
        if !told && is(switch, false) {
            let switch = switch.join(".");
            needs.push(format!("`{switch}` is `false` in `{file}`: no hook runs until you change that."));
        }
    }
    needs
}
