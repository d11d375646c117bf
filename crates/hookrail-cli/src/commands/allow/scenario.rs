//! A scenario that keeps an exception tested.

use super::exception::Narrow;
use super::refused::Refused;
use crate::commands::rules::toml_text::quoted;
use crate::commands::test::to_toml;
use crate::current_project::CurrentProject;
use hookrail_core::{FileKind, ToolKind, World};
use hookrail_engine::layers::LayerKind;
use serde_json::{Map, Value};
use std::path::{Path, PathBuf};

/// Where it goes, and its text; `None` if the call cannot be told in a scenario.
pub fn of(
    narrow: &Narrow,
    refused: &Refused,
    configuration: &Path,
    kind: LayerKind,
    place: &CurrentProject,
) -> Option<(PathBuf, String)> {
    let slug: String = narrow.rule.chars().map(|c| if c.is_alphanumeric() { c } else { '-' }).collect();
    let path = configuration.parent()?.join(format!("tests/allow-{slug}-{}.toml", refused.seq));
    let whose = if kind == LayerKind::User { "user" } else { "project" };
    let subject = refused.subject.lines().next().unwrap_or_default();
    let name = match narrow.decision {
        "none" => format!("{} lets {} {subject} pass", narrow.rule, refused.tool),
        // Another rule still has something against it.
        _ => format!("{} has nothing against {} {subject}", narrow.rule, refused.tool),
    };
    let mut given = format!("agent = {}\n{whose} = true\n", quoted(refused.agent));
    let files = files(refused, place);
    if !files.is_empty() {
        let entries: Vec<String> = files.iter().map(|path| format!("{} = \"\"", quoted(path))).collect();
        given.push_str(&format!("files = {{ {} }}\n", entries.join(", ")));
    }
    let text = format!(
        "# Written by `hookrail allow {}`: what it allowed stays allowed.\n\
         [[scenario]]\nname = {}\n\n[scenario.given]\n{given}\n[[scenario.step]]\nevent = {}\nexpect = {{ decision = {} }}\n",
        refused.seq,
        quoted(&neutral(&name, place)),
        to_toml(&event(refused, place)?),
        quoted(narrow.decision)
    );
    Some((path, text))
}

/// The call, short where scenarios have a short form.
fn event(refused: &Refused, place: &CurrentProject) -> Option<Value> {
    let tool = refused.event.tool.as_ref()?;
    let mut event = Map::new();
    let mut set = |key: &str, text: &str| {
        event.insert(key.to_owned(), Value::from(neutral(text, place)));
    };
    match &tool.kind {
        ToolKind::Shell { command, .. } => set("shell", command),
        ToolKind::Read { path } => set("read", path),
        ToolKind::WebFetch { url } => set("fetch", url),
        ToolKind::Write { path, content } => {
            set("write", path);
            set("content", content);
        }
        _ => {
            for key in ["hook_event_name", "tool_name", "tool_input"] {
                event.insert(key.to_owned(), neutral_value(refused.payload.get(key)?.clone(), place));
            }
        }
    }
    Some(Value::Object(event))
}

/// What the call is about and what is really there: some rules look whether a folder is one.
fn files(refused: &Refused, place: &CurrentProject) -> Vec<String> {
    let Some(understood) = hookrail_effects::of(&refused.event, &place.world) else { return Vec::new() };
    let mut files = Vec::new();
    for effect in &understood.effects.list {
        let Some(path) = effect.on.path.as_deref().filter(|path| !path.pattern) else { continue };
        let Some(inner) = of_scenario(&path.resolved, place) else { continue };
        let file = match place.world.kind(&path.resolved) {
            Ok(Some(FileKind::File)) => inner,
            Ok(Some(FileKind::Folder)) => format!("{inner}/kept"),
            _ => continue,
        };
        let is_git = Path::new(&file).components().any(|part| part.as_os_str() == ".git");
        let is_configuration = file.starts_with(".hookrail/") || file.starts_with("~/.config/hookrail/");
        if !is_git && !is_configuration && !files.contains(&file) {
            files.push(file);
        }
    }
    files
}

/// A path as scenarios write it: in the project, or behind `~/`.
fn of_scenario(path: &Path, place: &CurrentProject) -> Option<String> {
    let text = |inner: &Path| Some(inner.to_str()?.to_owned()).filter(|text| !text.is_empty());
    if let Ok(inner) = path.strip_prefix(&place.project) {
        return text(inner);
    }
    let home = place.world.env("HOME").filter(|home| !home.is_empty())?;
    Some(format!("~/{}", text(path.strip_prefix(home).ok()?)?))
}

/// A text that names the folders of a scenario instead of those of this machine.
fn neutral(text: &str, place: &CurrentProject) -> String {
    let text = text.replace(&place.project.display().to_string(), "{{project}}");
    match place.world.env("HOME").filter(|home| home.len() > 1) {
        Some(home) => text.replace(&home, "{{home}}"),
        None => text,
    }
}

fn neutral_value(value: Value, place: &CurrentProject) -> Value {
    match value {
        Value::String(text) => Value::String(neutral(&text, place)),
        Value::Array(items) => items.into_iter().map(|item| neutral_value(item, place)).collect(),
        Value::Object(fields) => fields.into_iter().map(|(key, value)| (key, neutral_value(value, place))).collect(),
        other => other,
    }
}
