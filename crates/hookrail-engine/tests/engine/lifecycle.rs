//! When a hook system exists, when it reads its configuration, and what it costs when it does not.

use crate::support::{TestHook, TestLogger, handler, object, one_command};
use hookrail_core::{ConfigSource, EventName, Outcome};
use hookrail_engine::registry::HookSourceError;
use hookrail_engine::{
    Config, Document, HookEventHandler, HookFormat, HookRegistry, HookSource, HookSystem,
    HookSystemNotInitializedError, Layer, Status,
};
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Counts how often it is asked, and fails as often as it is told to.
#[derive(Debug, Default)]
struct Counting {
    asked: AtomicUsize,
    failures: usize,
}

#[derive(Clone, Debug)]
struct Shared(Arc<Counting>);

impl HookSource for Shared {
    fn load(&self) -> Result<Layer, HookSourceError> {
        let asked = self.0.asked.fetch_add(1, Ordering::SeqCst);
        if asked < self.0.failures {
            return Err(HookSourceError("the settings service is down".to_owned()));
        }
        let document = Document::value("test", json!({ "hooks": one_command("BeforeTool", "true") }));
        Ok(Layer::new(ConfigSource::User, HookFormat::Protocol, vec![document]))
    }
}

fn counting(failures: usize) -> Arc<Counting> {
    Arc::new(Counting { asked: AtomicUsize::new(0), failures })
}

#[test]
fn without_enable_hooks_there_is_no_hook_system_and_nothing_is_read() {
    // covers: HOOK-002 HOOK-010 HOOK-013
    let source = counting(0);
    let config = Config::new("s", "/").source(Shared(Arc::clone(&source)));
    assert!(!config.get_enable_hooks());
    assert!(config.get_hook_system().is_none());
    assert_eq!(source.asked.load(Ordering::SeqCst), 0);
}

#[test]
fn the_hook_system_comes_on_first_demand_and_reads_on_initialize() {
    // covers: HOOK-001 HOOK-206 HOOK-009 HOOK-142 HOOK-175
    let source = counting(0);
    let config = Config::new("s", "/").enable_hooks(true).source(Shared(Arc::clone(&source)));
    let system: &HookSystem = config.get_hook_system().unwrap();
    assert_eq!(system.get_status(), Status { initialized: false, total_hooks: 0 });
    assert_eq!(source.asked.load(Ordering::SeqCst), 0, "constructing reads nothing");
    system.initialize().unwrap();
    assert_eq!(system.get_status(), Status { initialized: true, total_hooks: 1 });
    assert!(std::ptr::eq(system, config.get_hook_system().unwrap()), "there is one per session");
}

#[test]
fn initialize_reads_once_however_often_and_from_wherever_it_is_called() {
    // covers: HOOK-003 HOOK-004
    let source = counting(0);
    let config = Config::new("s", "/").enable_hooks(true).source(Shared(Arc::clone(&source)));
    std::thread::scope(|scope| {
        for _ in 0..16 {
            scope.spawn(|| config.get_hook_system().unwrap().initialize().unwrap());
        }
    });
    assert_eq!(source.asked.load(Ordering::SeqCst), 1);
}

#[test]
fn a_failed_initialize_leaves_nothing_behind_and_the_next_one_tries_again() {
    // errata B18
    let source = counting(2);
    let config = Config::new("s", "/").enable_hooks(true).source(Shared(Arc::clone(&source)));
    let system = config.get_hook_system().unwrap();
    for _ in 0..2 {
        assert!(system.initialize().is_err());
        assert_eq!(system.get_status(), Status { initialized: false, total_hooks: 0 });
    }
    system.initialize().unwrap();
    assert_eq!(system.get_status(), Status { initialized: true, total_hooks: 1 });
}

#[test]
fn accessors_before_initialize_are_a_named_error() {
    // covers: HOOK-005 HOOK-148 HOOK-006
    let config = Config::new("s", "/").enable_hooks(true);
    let system = config.get_hook_system().unwrap();
    assert_eq!(system.get_registry().err(), Some(HookSystemNotInitializedError));
    assert_eq!(system.get_event_handler().err(), Some(HookSystemNotInitializedError));
    system.initialize().unwrap();
    let registry: &HookRegistry = system.get_registry().unwrap();
    let handler: &HookEventHandler = system.get_event_handler().unwrap();
    assert!(std::ptr::eq(registry, system.get_registry().unwrap()), "shared across events");
    assert!(std::ptr::eq(handler, system.get_event_handler().unwrap()), "shared across events");
}

#[test]
fn an_event_nobody_listens_to_starts_nothing_and_is_a_success() {
    // covers: HOOK-011 HOOK-012 HOOK-145
    let project = hookrail_testkit::project::TempProject::new();
    let hooks =
        json!({ "BeforeTool": [{ "matcher": "Write", "hooks": [{ "type": "command", "command": "touch ran" }] }] });
    let config = Config::new("s", project.path()).enable_hooks(true).hooks(&hooks);
    let verdicts = [
        handler(&config).fire_before_tool_event("Read", &object(&json!({})), None),
        handler(&config).fire_after_tool_event("Write", &object(&json!({})), &json!({})),
        handler(&config).fire_event(EventName::SessionStart, &object(&json!({ "source": "startup" }))),
    ];
    for verdict in verdicts {
        assert!(verdict.success() && verdict.final_output().is_none() && verdict.runs().is_empty());
        assert!(verdict.errors().is_empty() && verdict.total_duration().is_zero());
    }
    assert!(!project.exists("ran"));
}

#[test]
fn every_firing_leaves_a_debug_line_with_event_count_time_and_health() {
    // covers: HOOK-146
    let logger = TestLogger::default();
    let hook = TestHook::hook("quiet", EventName::BeforeTool, |_| Ok(Outcome::silent()));
    let config = Config::new("s", "/").enable_hooks(true).native_hook(&hook).logger(Arc::new(logger.clone()));
    let _ = handler(&config).fire_before_tool_event("Read", &object(&json!({})), None);
    let line = logger.0.lines().into_iter().find(|line| line.starts_with("debug: BeforeTool")).expect("a line");
    for part in ["1 hooks", " ms", "success", "decision none"] {
        assert!(line.contains(part), "{line} lacks {part}");
    }
}
