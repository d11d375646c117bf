//! Model requests: showing them to hooks and taking changes back, whatever the provider.

use super::Object;
use super::conversation::{self, TurnFormat};
use super::settings::{self, Setting};
use super::stable::{self, Message, Proposal};
use super::tool_config::ToolConfig;
use serde_json::{Value, json};
use std::borrow::Cow;

/// What a provider's requests look like.
pub(super) trait RequestFormat: TurnFormat {
    fn settings(&self) -> &'static [Setting];

    /// The object that holds the settings.
    fn settings_in<'a>(&self, request: &'a Object) -> Option<&'a Object> {
        Some(request)
    }

    /// The same to write to, made if it is missing.
    fn settings_of<'a>(&self, request: &'a mut Object) -> Option<&'a mut Object> {
        Some(request)
    }

    /// The conversation as a list of turns. Most providers call it `messages`.
    fn turns<'a>(&self, request: &'a Object) -> Vec<Cow<'a, Value>> {
        let messages = request.get("messages").and_then(Value::as_array);
        messages.into_iter().flatten().map(Cow::Borrowed).collect()
    }

    fn set_turns(&self, request: &mut Object, turns: Vec<Value>) {
        request.insert("messages".to_owned(), turns.into());
    }

    /// Puts a hook's system messages where they belong and returns the other messages. Most providers take them as
    /// turns.
    fn settle_system(&self, _request: &mut Object, proposals: Vec<Proposal>) -> Vec<Proposal> {
        proposals
    }

    fn tool_config(&self, request: &Object) -> ToolConfig;

    fn set_tool_config(&self, request: &mut Object, config: ToolConfig);
}

/// A request as hooks see it.
pub(super) fn show(format: &impl RequestFormat, request: &Value) -> Value {
    let nothing = Object::new();
    let request = request.as_object().unwrap_or(&nothing);
    let mut shown = Object::new();
    if let Some(model @ Value::String(_)) = request.get("model") {
        shown.insert("model".to_owned(), model.clone());
    }
    let messages = messages(format, &format.turns(request));
    shown.insert("messages".to_owned(), messages.iter().map(Message::to_hook).collect());
    let config = settings::show(format.settings(), format.settings_in(request).unwrap_or(&nothing));
    if !config.is_empty() {
        shown.insert("config".to_owned(), config.into());
    }
    let tool_config = format.tool_config(request);
    if !tool_config.is_empty() {
        shown.insert("toolConfig".to_owned(), tool_config.to_hook().into());
    }
    Value::Object(shown)
}

fn messages(format: &impl RequestFormat, turns: &[Cow<Value>]) -> Vec<Message> {
    turns.iter().filter_map(|turn| conversation::show(format, turn)).collect()
}

/// A hook's request on top of the request it was shown.
pub(super) fn rewrite(format: &impl RequestFormat, hook: &Value, base: Option<&Value>) -> Value {
    let nothing = Object::new();
    let base = match base {
        Some(Value::Object(base)) => base,
        Some(Value::Null) | None => &nothing,
        Some(base @ (Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_))) => return base.clone(),
    };
    let mut request = base.clone();
    if let Some(model @ Value::String(_)) = hook.get("model") {
        request.insert("model".to_owned(), model.clone());
    }
    rewrite_turns(format, &mut request, base, hook);
    rewrite_settings(format, &mut request, hook.get("config").unwrap_or(&Value::Null));
    restrict(format, &mut request, hook.get("toolConfig").unwrap_or(&Value::Null));
    Value::Object(request)
}

fn rewrite_turns(format: &impl RequestFormat, request: &mut Object, base: &Object, hook: &Value) {
    let turns = format.turns(base);
    let Some(proposals) = stable::proposals(hook, &messages(format, &turns)) else { return };
    let proposals = format.settle_system(request, proposals);
    if let Some(turns) = conversation::merge(format, &turns, &proposals) {
        format.set_turns(request, turns);
    }
}

fn rewrite_settings(format: &impl RequestFormat, request: &mut Object, config: &Value) {
    let nothing = Object::new();
    let changes = settings::changes(format.settings(), format.settings_in(request).unwrap_or(&nothing), config);
    if changes.is_empty() {
        return;
    }
    if let Some(settings) = format.settings_of(request) {
        settings.extend(changes.into_iter().map(|(name, value)| (name.to_owned(), value)));
    }
}

/// Restricts a request to the tools that a hook's tool config leaves.
pub(super) fn restrict(format: &impl RequestFormat, request: &mut Object, tool_config: &Value) {
    let wanted = ToolConfig::from_hook(tool_config);
    let current = format.tool_config(request);
    if !wanted.is_empty() && wanted != current {
        format.set_tool_config(request, wanted.over(current));
    }
}

/// The object in a field, made if there is none; a value of another type stays and nothing is written.
pub(super) fn object_in<'a>(request: &'a mut Object, field: &str) -> Option<&'a mut Object> {
    let value = request.entry(field).or_insert(Value::Null);
    if value.is_null() {
        *value = json!({});
    }
    value.as_object_mut()
}
