//! Plugins for Claude Code and extensions for Gemini CLI, one of each per pack, and the marketplace that lists the plugins.

use super::Generated;
use crate::TaskError;
use hookrail_dialects::{Dialect, Target, ToolReach};
use hookrail_packs::{CATALOGUE, Pack, PluginHook};
use serde_json::{Map, Value, json};
use std::time::Duration;

const VERSION: &str = env!("CARGO_PKG_VERSION");
const LICENSE: &str = env!("CARGO_PKG_LICENSE");
const REPOSITORY: &str = env!("CARGO_PKG_REPOSITORY");

pub(super) fn files() -> Result<Vec<Generated>, TaskError> {
    let agent =
        |name: &str| hookrail_dialects::dialect(name).ok_or_else(|| TaskError::Usage(format!("no agent `{name}`")));
    let (claude, gemini) = (agent("claude")?, agent("gemini")?);
    let mut files = vec![file(".claude-plugin/marketplace.json", &marketplace())];
    for pack in CATALOGUE.iter().filter(|pack| !pack.plugin.is_empty()) {
        let folder = format!("plugins/{}", pack.name);
        files.push(file(&format!("{folder}/.claude-plugin/plugin.json"), &plugin(pack)));
        files.push(file(&format!("{folder}/hooks/hooks.json"), &plugin_hooks(pack)));
        files.extend(scripts(pack, &folder));
        let hooks = extension_hooks(pack, claude, gemini);
        if !hooks.is_empty() {
            files.push(file(&format!("{folder}/gemini/gemini-extension.json"), &extension(pack)));
            files.push(file(&format!("{folder}/gemini/hooks/hooks.json"), &json!({ "hooks": hooks })));
        }
    }
    Ok(files)
}

fn file(path: &str, content: &Value) -> Generated {
    Generated { path: path.to_owned(), content: format!("{content:#}\n") }
}

fn marketplace() -> Value {
    let plugins = CATALOGUE.iter().filter(|pack| !pack.plugin.is_empty()).map(|pack| {
        json!({
            "name": pack.name,
            "source": format!("./plugins/{}", pack.name),
            "description": description(pack),
            "version": VERSION,
            "license": LICENSE,
        })
    });
    json!({
        "name": "hookrail",
        "description": "Hooks that hold coding agents to their promises, one plugin per pack of hookrail",
        "owner": { "name": "hookrail", "url": REPOSITORY },
        "plugins": plugins.collect::<Vec<_>>(),
    })
}

fn plugin(pack: &Pack) -> Value {
    json!({
        "name": pack.name,
        "version": VERSION,
        "description": description(pack),
        "author": { "name": "hookrail", "url": REPOSITORY },
        "homepage": REPOSITORY,
        "license": LICENSE,
        "keywords": ["hooks", "hookrail"],
    })
}

fn extension(pack: &Pack) -> Value {
    // Extensions have no marketplace that their name belongs to.
    json!({ "name": format!("hookrail-{}", pack.name), "version": VERSION, "description": description(pack) })
}

fn description(pack: &Pack) -> String {
    let mut about = pack.about.chars();
    let first = about.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}. Needs the program hookrail.", about.as_str())
}

/// What a pack's plugin for Claude Code registers. Other agents read such plugins as well, so the agent is not named.
fn plugin_hooks(pack: &Pack) -> Value {
    let mut events = Map::new();
    for hook in pack.plugin {
        let entries: Vec<Value> = match hook.prompt {
            None => commands(pack, hook)
                .into_iter()
                .map(|command| json!({ "type": "command", "command": command, "timeout": hook.timeout_seconds }))
                .collect(),
            Some(prompt) => vec![json!({ "type": "prompt", "prompt": prompt, "timeout": hook.timeout_seconds })],
        };
        push(&mut events, hook.event, hook.matcher.map(|matcher| with_mcp(pack, hook.event, matcher)), &entries);
    }
    json!({ "description": description(pack), "hooks": events })
}

/// One command for the whole pack, or one for each hook that is to be switched by itself.
fn commands(pack: &Pack, hook: &PluginHook) -> Vec<String> {
    let singly = pack.contract.called_singly(hook);
    if singly.is_empty() {
        return vec![command(pack)];
    }
    singly.iter().map(|name| guarded(&format!("{}/{name}", pack.name))).collect()
}

/// A script per hook, for whoever tests or registers hooks as the pack's document does.
fn scripts(pack: &Pack, folder: &str) -> Vec<Generated> {
    if !pack.contract.ships_scripts() {
        return Vec::new();
    }
    let script = |id: &str| {
        let name = id.split_once('/').map_or(id, |(_, name)| name);
        Generated {
            path: format!("{folder}/hooks/{name}.sh"),
            content: format!(
                "#!/bin/sh\ncommand -v hookrail >/dev/null || exit 0; exec hookrail hook {id} --agent claude --contract spec\n"
            ),
        }
    };
    pack.hooks.iter().map(|hook| script(hook.id())).collect()
}

/// A matcher that reaches the tools of MCP servers as well, for the guards that judge them.
fn with_mcp(pack: &Pack, event: &str, matcher: &str) -> String {
    let claude = hookrail_dialects::agent("claude").filter(|_| pack.name == "core");
    let tools = claude.filter(|claude| claude.target(event) == Target::Tool);
    tools
        .and_then(|claude| claude.mcp().pattern())
        .map_or_else(|| matcher.to_owned(), |mcp| format!("^({matcher}|{mcp})$"))
}

/// The same in the words and units of Gemini CLI, as far as it has such events and tools.
fn extension_hooks(pack: &Pack, claude: &dyn Dialect, gemini: &dyn Dialect) -> Map<String, Value> {
    let mut events = Map::new();
    if pack.contract.agents().is_some_and(|agents| !agents.contains(&gemini.name())) {
        return events;
    }
    let format = gemini.format();
    // One entry per event: matchers that are apart in Claude Code may overlap here, and one call must not be judged twice.
    let mut needs: Vec<(&str, ToolReach, u32)> = Vec::new();
    for hook in pack.plugin.iter().filter(|hook: &&PluginHook| hook.prompt.is_none()) {
        let Some(event) = claude.event(hook.event).and_then(|event| gemini.native_event(&event)) else { continue };
        let reach = ToolReach::translate(hook.matcher, gemini);
        match needs.iter_mut().find(|(name, ..)| *name == event) {
            Some((_, all, seconds)) => {
                *all = all.clone().and(reach);
                *seconds = hook.timeout_seconds.max(*seconds);
            }
            None => needs.push((event, reach, hook.timeout_seconds)),
        }
    }
    for (event, reach, seconds) in needs.into_iter().filter(|(_, reach, _)| !reach.is_nothing()) {
        let timeout = format.timeout_unit.write(Duration::from_secs(seconds.into()));
        let entry = json!({ "type": "command", "command": command(pack), "timeout": timeout });
        push(&mut events, event, reach.matcher(gemini.agent(), event), &[entry]);
    }
    events
}

/// A plugin is installed where the program may be missing: then it is silent, and `hookrail doctor` reports it.
fn command(pack: &Pack) -> String {
    guarded(&format!("--pack {}", pack.name))
}

/// Without hookrail an entry does nothing, and says nothing.
fn guarded(what: &str) -> String {
    format!("command -v hookrail >/dev/null || exit 0; hookrail hook {what}")
}

fn push(events: &mut Map<String, Value>, event: &str, matcher: Option<String>, entries: &[Value]) {
    let mut group = Map::new();
    if let Some(matcher) = matcher {
        group.insert("matcher".to_owned(), json!(matcher));
    }
    group.insert("hooks".to_owned(), json!(entries));
    let groups = events.entry(event).or_insert_with(|| json!([]));
    if let Some(groups) = groups.as_array_mut() {
        groups.push(Value::Object(group));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_committed_artefacts_are_those_of_the_catalogue() {
        for file in files().unwrap() {
            let path = std::path::Path::new(crate::ROOT).join(&file.path);
            let present = std::fs::read_to_string(&path).unwrap_or_default();
            assert_eq!(present, file.content, "{}: run `cargo xtask generate`", file.path);
        }
    }

    #[test]
    fn every_pack_is_in_the_marketplace_and_extensions_speak_the_words_of_gemini() {
        let files = files().unwrap();
        let find = |path: &str| {
            let found = files.iter().find(|file| file.path == path).map(|file| file.content.as_str());
            found.map(|content| serde_json::from_str::<Value>(content).unwrap())
        };
        let listed = find(".claude-plugin/marketplace.json").unwrap();
        let listed: Vec<&str> =
            listed["plugins"].as_array().unwrap().iter().map(|it| it["name"].as_str().unwrap()).collect();
        let packs = CATALOGUE.iter().filter(|pack| !pack.hooks.is_empty()).map(|pack| pack.name);
        assert_eq!(listed, packs.collect::<Vec<_>>());
        let core = find("plugins/core/gemini/hooks/hooks.json").unwrap();
        let expected = json!({ "hooks": { "BeforeTool": [{
            "hooks": [{ "type": "command", "command": "command -v hookrail >/dev/null || exit 0; hookrail hook --pack core", "timeout": 15_000 }],
        }]}});
        assert_eq!(core, expected, "in milliseconds, with Gemini's tools, and without events it does not have");
        assert_eq!(find("plugins/fsm/gemini/hooks/hooks.json"), None, "Gemini CLI has no task list to fill");
    }
}
