//! What the tests have in common: hooks, sessions and the watchdog beside them.

use crate::support::{handler, object};
use hookrail_core::{
    ConfigSource, Decision, EventName, HookAction, HookEntry, HookRun, HttpAction, OnError, PromptAction, Verdict,
};
use hookrail_engine::{Config, Document, HookFormat, HttpPolicy, Layer, PromptEndpoint, Provider};
use hookrail_network::Internet;
use hookrail_testkit::model_server::ModelServer;
use hookrail_testkit::process::within;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

/// The watchdog of one event. Far beyond what any of them takes on a loaded machine.
pub const HANG: Duration = Duration::from_secs(30);

/// Longer than the watchdog waits.
pub const FOREVER: Duration = Duration::from_secs(120);

pub const KEY: &str = "sk-test-0123456789abcdef";

pub const PROVIDERS: [Provider; 3] = [Provider::Anthropic, Provider::OpenAi, Provider::Gemini];

pub fn entry(action: HookAction) -> HookEntry {
    HookEntry { timeout: FOREVER, ..HookEntry::new(EventName::BeforeTool, action, ConfigSource::User) }
}

pub fn prompt_hook(prompt: &str) -> HookEntry {
    entry(HookAction::Prompt(PromptAction { prompt: prompt.to_owned(), model: None }))
}

pub fn http_hook(url: &str, headers: &[(&str, &str)]) -> HookEntry {
    let headers = headers.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).collect();
    entry(HookAction::Http(HttpAction { url: url.to_owned(), headers, ..HttpAction::default() }))
}

pub fn command_hook(command: &str) -> HookEntry {
    entry(HookAction::Command { command: command.to_owned() })
}

/// An endpoint with a key.
pub fn endpoint_at(provider: Provider, root: &str) -> PromptEndpoint {
    let version = match provider {
        Provider::OpenAi => "/v1",
        Provider::Anthropic | Provider::Gemini => "",
    };
    PromptEndpoint::new(provider, "test-model").base_url(format!("{root}{version}")).api_key(KEY)
}

pub fn endpoint(provider: Provider, server: &ModelServer) -> PromptEndpoint {
    endpoint_at(provider, &server.base_url())
}

/// A session with these hooks that may ask services on loopback.
pub fn session(hooks: impl IntoIterator<Item = HookEntry>) -> Config {
    let policy = HttpPolicy { allow_private: true, ..HttpPolicy::default() };
    let config = Config::new("s", std::env::temp_dir()).enable_hooks(true).http_policy(policy);
    let config = config.network(Arc::new(Internet::default()));
    hooks.into_iter().fold(config, Config::entry)
}

/// Settings in hookrail's own format, which has prompt and HTTP hooks.
pub fn own_format(hooks: &Value) -> Layer {
    let document = Document::value("settings", json!({ "hooks": hooks }));
    Layer::new(ConfigSource::User, HookFormat::Hookrail, vec![document])
}

#[track_caller]
pub fn fire(config: &Arc<Config>) -> Verdict {
    let config = Arc::clone(config);
    within(HANG, move || {
        let input = object(&json!({ "path": "src/main.rs" }));
        handler(&config).fire_before_tool_event("write_file", &input, None)
    })
}

/// The one run of a session with one hook.
#[track_caller]
pub fn run(config: Config) -> HookRun {
    let verdict = fire(&Arc::new(config));
    assert_eq!(verdict.runs().len(), 1);
    verdict.runs().first().unwrap().clone()
}

pub fn decision(run: &HookRun) -> Decision {
    run.output.as_ref().map_or(Decision::None, |output| output.decision)
}

/// What a failed hook decides under each policy.
pub const POLICIES: [(OnError, Decision); 3] =
    [(OnError::Allow, Decision::None), (OnError::Ask, Decision::Ask), (OnError::Deny, Decision::Block)];
