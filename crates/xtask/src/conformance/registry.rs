//! Cases of reading configuration.

use super::case::{Case, CaseError};
use super::compare;
use hookrail_core::{ConfigSource, EventName, HookEntry};
use hookrail_engine::registry::{enabled_in, merged_hooks_config};
use hookrail_engine::{Document, FolderTrust, HookFormat, HookRegistry, Layer};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;

pub(super) fn check_registry(case: &Case) -> Result<(), CaseError> {
    let registry = build(case);
    compare::subset("registered", case.expected.get("registered").unwrap_or(&Value::Null), &json!(registry.len()))?;
    if let Some(expected) = case.expected.get("entries") {
        compare_entries(expected, &registry.entries())?;
    }
    if let Some(minimum) = case.expected.get("warnings_min").and_then(Value::as_u64) {
        let warnings = registry.diagnostics();
        if (warnings.len() as u64) < minimum {
            return Err(CaseError::mismatch("warnings_min", minimum, format!("{warnings:?}")));
        }
    }
    for (event, count) in case.expected.get("count_by_event").and_then(Value::as_object).into_iter().flatten() {
        let got = registry.hooks_for_event(&EventName::parse(event)).len();
        compare::subset(&format!("count of {event}"), count, &json!(got))?;
    }
    let after_each = apply_operations(case, &registry)?;
    if let Some(expected) = case.expected.get("active_after_each") {
        compare::subset("active_after_each", expected, &json!(after_each))?;
    }
    match case.expected.get("active") {
        Some(expected) => compare::subset("active", expected, &json!(active(&registry))),
        None => Ok(()),
    }
}

fn build(case: &Case) -> HookRegistry {
    let layer = |source, place: &str, hooks: &Value| {
        Layer::new(source, HookFormat::Protocol, vec![Document::value(place, json!({ "hooks": hooks }))])
    };
    let mut layers = vec![layer(ConfigSource::Project, "settings", case.input.get("hooks").unwrap_or(&Value::Null))];
    for extension in case.input.get("extensions").and_then(Value::as_array).into_iter().flatten() {
        if extension["active"] == Value::Bool(true) {
            layers.push(layer(ConfigSource::Extensions, "extension", &extension["hooks"]));
        }
    }
    let disabled: Vec<(ConfigSource, String)> = case
        .input
        .get("disabled")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(|name| Some((ConfigSource::Runtime, name.as_str()?.to_owned())))
        .collect();
    let trust = match case.input.get("trusted_folder") {
        Some(Value::Bool(false)) => FolderTrust::Untrusted,
        _ => FolderTrust::Trusted,
    };
    HookRegistry::build(&layers, Vec::new(), &disabled, trust)
}

fn apply_operations(case: &Case, registry: &HookRegistry) -> Result<Vec<usize>, CaseError> {
    let operations = case.input.get("ops").and_then(Value::as_array).into_iter().flatten();
    operations
        .map(|operation| {
            let enable = match operation["op"].as_str() {
                Some("enable") => true,
                Some("disable") => false,
                _ => return Err(CaseError::Malformed(format!("unknown operation {operation}"))),
            };
            registry.set_enabled(operation["target"].as_str().unwrap_or_default(), enable);
            Ok(registry.entries().iter().filter(|entry| entry.enabled).count())
        })
        .collect()
}

fn active(registry: &HookRegistry) -> Vec<String> {
    let mut entries = registry.entries();
    entries.retain(|entry| entry.enabled);
    entries.sort_by_key(|entry| entry.source);
    entries.iter().map(|entry| entry.action.subject().to_owned()).collect()
}

fn compare_entries(expected: &Value, got: &[Arc<HookEntry>]) -> Result<(), CaseError> {
    let expected = expected.as_array().map(Vec::as_slice).unwrap_or_default();
    if expected.len() != got.len() {
        return Err(CaseError::mismatch("number of entries", expected.len(), got.len()));
    }
    for (expected, got) in expected.iter().zip(got) {
        compare::subset("entry", expected, &describe(got))?;
    }
    Ok(())
}

fn describe(entry: &HookEntry) -> Value {
    json!({
        "event": entry.event.as_str(),
        "command": Some(entry.action.subject()).filter(|command| !command.is_empty()),
        "name": entry.name,
        "matcher": entry.matcher.text(),
        "source": entry.source.as_str(),
        "enabled": entry.enabled,
        "sequential": entry.sequential,
        "timeout_ms": entry.timeout.as_millis(),
    })
}

pub(super) fn check_config(case: &Case) -> Result<(), CaseError> {
    let settings = case.object("settings");
    let scopes = [("user", ConfigSource::User), ("project", ConfigSource::Project), ("system", ConfigSource::System)];
    let present: Vec<(&Value, ConfigSource)> =
        scopes.iter().filter_map(|(name, source)| Some((settings.get(*name)?, *source))).collect();
    let values = || present.iter().map(|(value, _)| *value);
    compare::subset("enabled", case.expected.get("enabled").unwrap_or(&Value::Null), &json!(enabled_in(values())))?;
    if let Some(expected) = case.expected.get("hooks_config") {
        compare::subset("hooks_config", expected, &Value::Object(merged_hooks_config(values())))?;
    }
    match case.expected.get("commands_by_event") {
        Some(expected) => compare::equal("commands_by_event", expected, &commands_by_event(&present)),
        None => Ok(()),
    }
}

fn commands_by_event(scopes: &[(&Value, ConfigSource)]) -> Value {
    let layers: Vec<Layer> = scopes
        .iter()
        .map(|(value, source)| {
            Layer::new(*source, HookFormat::Protocol, vec![Document::value(source.as_str(), (*value).clone())])
        })
        .collect();
    let registry = HookRegistry::build(&layers, Vec::new(), &[], FolderTrust::Trusted);
    let mut commands: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for event in &EventName::PROTOCOL {
        for entry in registry.hooks_for_event(event) {
            commands.entry(event.to_string()).or_default().push(entry.action.subject().to_owned());
        }
    }
    let commands: Map<String, Value> = commands.into_iter().map(|(event, list)| (event, json!(list))).collect();
    Value::Object(commands)
}
