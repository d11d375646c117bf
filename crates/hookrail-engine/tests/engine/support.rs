//! What the tests of the engine share.

use hookrail_core::{Event, EventName, HookError, HookOutput, NativeHook, Outcome, World};
use hookrail_engine::{Config, DebugLogger, HookEventHandler, Level};
use hookrail_testkit::log::CapturedLog;
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// A logger whose lines can be looked at.
#[derive(Clone, Debug, Default)]
pub struct TestLogger(pub CapturedLog);

impl DebugLogger for TestLogger {
    fn enabled(&self, _: Level) -> bool {
        true
    }

    fn log(&self, level: Level, line: &str) {
        self.0.push(if level == Level::Warn { "warn" } else { "debug" }, line);
    }
}

type Check = dyn Fn(&Event) -> Result<Outcome, HookError> + Send + Sync;

/// A native hook made of a closure.
pub struct TestHook {
    id: &'static str,
    events: Vec<EventName>,
    check: Box<Check>,
}

impl std::fmt::Debug for TestHook {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.id)
    }
}

impl TestHook {
    pub fn hook(
        id: &'static str,
        event: EventName,
        check: impl Fn(&Event) -> Result<Outcome, HookError> + Send + Sync + 'static,
    ) -> Arc<dyn NativeHook> {
        Arc::new(Self { id, events: vec![event], check: Box::new(check) })
    }
}

impl NativeHook for TestHook {
    fn id(&self) -> &str {
        self.id
    }

    fn events(&self) -> &[EventName] {
        &self.events
    }

    fn check(&self, event: &Event, _: &dyn World) -> Result<Outcome, HookError> {
        (self.check)(event)
    }
}

/// The handler of a session, ready to fire.
pub fn handler(config: &Config) -> &HookEventHandler {
    let system = config.get_hook_system().expect("hooks are enabled");
    system.initialize().expect("the configuration can be read");
    system.get_event_handler().expect("initialised")
}

pub fn object(value: &Value) -> Map<String, Value> {
    value.as_object().cloned().expect("an object")
}

/// `hooks` settings with one command hook.
pub fn one_command(event: &str, command: &str) -> Value {
    json!({ event: [{ "hooks": [{ "type": "command", "command": command }] }] })
}

pub fn output(verdict: &hookrail_core::Verdict) -> HookOutput {
    verdict.final_output().cloned().unwrap_or_default()
}
