//! Who still has to say yes: to command hooks of the project, and to hookrail in its agents.

use super::hooks::{AgentHook, Survey};
use super::item::{Area, Item};
use crate::current_project::CurrentProject;
use crate::error::CliError;
use crate::screen::{one_line, plural};
use hookrail_core::World;
use hookrail_engine::Document;
use hookrail_engine::trust::{TrustList, identify};
use serde_json::Value;
use std::path::{Path, PathBuf};

pub fn examine(place: &CurrentProject, survey: &Survey) -> Area {
    let mut items = vec![command_hooks(place)];
    let calls =
        |name: &str| survey.hooks.iter().filter(|hook| hook.is_ours() && hook.agent.name == name).collect::<Vec<_>>();
    if let Some(home) = place.world.env("HOME").filter(|home| !home.is_empty()).map(PathBuf::from) {
        if !calls("claude").is_empty() {
            items.extend(claude(&home, place));
        }
        if !calls("gemini").is_empty() {
            items.push(gemini(&home, place));
        }
        if let [first, ..] = calls("codex").as_slice() {
            items.push(codex(first, &calls("codex"), &home, place));
        }
    }
    Area { title: "Trust", items }
}

fn command_hooks(place: &CurrentProject) -> Item {
    let list = place.state_root().and_then(|root| {
        // Looking must not make the directory.
        if root.path().exists() {
            TrustList::open(&root, &place.world).map(Some).map_err(CliError::machine)
        } else {
            Ok(None)
        }
    });
    let list = match list {
        Ok(list) => list,
        Err(why) => {
            let until = "Until it can be read, no command hook of a project runs.";
            return Item::failed(&why, until, "hookrail trust --list");
        }
    };
    let commands = place.settings.commands();
    let mut count = 0;
    let (mut waiting, mut changed) = (Vec::new(), Vec::new());
    for hook in commands.iter().filter(|hook| hook.layer.comes_with_project()) {
        count += 1;
        let now = identify(hook, &place.project, &place.world);
        let known = list.as_ref().and_then(|list| list.approved(&now));
        let trusted = list.as_ref().is_some_and(|list| list.trusts(&now));
        match known {
            _ if trusted => {}
            Some(_) => changed.push(one_line(&hook.name)),
            None => waiting.push(one_line(&hook.name)),
        }
    }
    if !changed.is_empty() {
        let (verb, plural) = if changed.len() == 1 { ("is", "") } else { ("are", "s") };
        let what =
            format!("{} command hook{plural} {verb} not what you trusted: {}", changed.len(), changed.join(", "));
        return Item::wrong(what, "Until you look again, each fails and its `on_error` decides.").fix("hookrail trust");
    }
    if !waiting.is_empty() {
        let verb = if waiting.len() == 1 { "waits" } else { "wait" };
        let (many, names) = (plural(waiting.len()), waiting.join(", "));
        let what = format!("{} command hook{many} {verb} for your yes: {names}", waiting.len());
        return Item::look(what, "What is not trusted does not run.").fix("hookrail trust");
    }
    match count {
        0 => Item::fine("no command hook comes with this project"),
        count => Item::fine(format!("{count} command hook{} of this project, trusted", plural(count))),
    }
}

fn read_json(path: &Path, world: &dyn World) -> Option<Value> {
    serde_json::from_slice(&world.read(path).ok()??).ok()
}

/// Silent where nothing can be told.
fn claude(home: &Path, place: &CurrentProject) -> Option<Item> {
    let known = read_json(&home.join(".claude.json"), &place.world)?;
    let project = place.project.to_str()?;
    let accepted = known.get("projects")?.get(project)?.get("hasTrustDialogAccepted")?.as_bool()?;
    Some(if accepted {
        Item::fine("Claude Code trusts this folder")
    } else {
        let why = "It runs no hooks in a folder you did not trust, except with `-p`.";
        Item::look("Claude Code does not trust this folder yet", why).fix("start `claude` here and answer its question")
    })
}

fn gemini(home: &Path, place: &CurrentProject) -> Item {
    let file = place
        .world
        .env("GEMINI_CLI_TRUSTED_FOLDERS_PATH")
        .map_or_else(|| home.join(".gemini/trustedFolders.json"), PathBuf::from);
    if place.world.env("GEMINI_CLI_TRUST_WORKSPACE").as_deref() == Some("true") || !asks_for_trust(home, place) {
        return Item::fine("Gemini CLI trusts every folder, as it was told to");
    }
    let rules = read_json(&file, &place.world).unwrap_or_default();
    let why = "Without trust it loads no hooks at all, those of your user settings included.";
    let fix = "start `gemini` here and answer its question, or type /permissions";
    match folder_trust(&rules, &place.project) {
        Some(true) => Item::fine("Gemini CLI trusts this folder"),
        Some(false) => Item::wrong("Gemini CLI was told not to trust this folder", why).fix(fix),
        None => Item::look("Gemini CLI is not known to trust this folder", why).fix(fix),
    }
}

/// Whether the user left the question about folders enabled.
fn asks_for_trust(home: &Path, place: &CurrentProject) -> bool {
    let file = home.join(".gemini/settings.json");
    let text = place.world.read(&file).ok().flatten().unwrap_or_default();
    let settings = Document::parse("", &String::from_utf8_lossy(&text)).ok();
    let setting = settings.as_ref().and_then(|settings| settings.root().pointer("/security/folderTrust/enabled"));
    setting.and_then(Value::as_bool).unwrap_or(true)
}

/// What the nearest rule says.
fn folder_trust(rules: &Value, project: &Path) -> Option<bool> {
    let mut best: Option<(usize, bool)> = None;
    for (folder, rule) in rules.as_object()? {
        let folder = Path::new(folder);
        let (folder, trusted) = match rule.as_str()? {
            "TRUST_FOLDER" => (folder, true),
            "TRUST_PARENT" => (folder.parent().unwrap_or(folder), true),
            "DO_NOT_TRUST" => (folder, false),
            _ => continue,
        };
        let depth = folder.components().count();
        if project.starts_with(folder) && best.is_none_or(|(known, _)| depth > known) {
            best = Some((depth, trusted));
        }
    }
    best.map(|(_, trusted)| trusted)
}

/// Codex runs a hook only after its user approved that very entry; the approvals are in its configuration.
fn codex(first: &AgentHook, hooks: &[&AgentHook], home: &Path, place: &CurrentProject) -> Item {
    let folder =
        place.world.env("CODEX_HOME").filter(|it| !it.is_empty()).map_or_else(|| home.join(".codex"), PathBuf::from);
    let config = place.world.read(&folder.join("config.toml")).ok().flatten().unwrap_or_default();
    let config = String::from_utf8_lossy(&config).into_owned();
    let config = toml_edit::Document::parse(config).ok();
    let at = |path: &[&str]| {
        let root = config.as_ref()?.as_item();
        path.iter().try_fold(root, |item, key| item.get(key)).cloned()
    };
    if at(&["features", "hooks"]).and_then(|item| item.as_bool()) == Some(false) {
        let what = "Codex has hooks switched off";
        return Item::wrong(what, "No hook runs.").fix("take `hooks = false` out of [features] in its config.toml");
    }
    let waiting: Vec<&&AgentHook> =
        hooks.iter().filter(|hook| at(&["hooks", "state", &approval_key(hook)]).is_none()).collect();
    if waiting.is_empty() {
        return Item::fine(format!("Codex: {} hook{} approved, until they change", hooks.len(), plural(hooks.len())));
    }
    let (waiting, all) = (waiting.len(), hooks.len());
    let file = place.shown(&first.file).display();
    let what = format!("Codex: {waiting} of {all} hook{} in {file} not approved", plural(all));
    Item::look(what, "Codex passes over a hook that was not approved, without a word.")
        .fix("start `codex`, type /hooks and approve them")
}

fn approval_key(hook: &AgentHook) -> String {
    let mut event = String::new();
    for c in hook.hook.event.chars() {
        if c.is_uppercase() && !event.is_empty() {
            event.push('_');
        }
        event.extend(c.to_lowercase());
    }
    let (group, handler) = hook.hook.index;
    format!("{}:{event}:{group}:{handler}", hook.file.display())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_nearest_rule_decides_about_a_folder() {
        let rules = json!({"/a": "TRUST_FOLDER", "/a/b": "DO_NOT_TRUST", "/x/y": "TRUST_PARENT"});
        for (project, expected) in
            [("/a/c", Some(true)), ("/a/b/c", Some(false)), ("/x/z", Some(true)), ("/q", None), ("/ab", None)]
        {
            assert_eq!(folder_trust(&rules, Path::new(project)), expected, "{project}");
        }
    }
}
