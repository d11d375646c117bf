//! The engine as an agent embeds it.

#![allow(clippy::disallowed_methods, reason = "the steps of the pipeline are measured one by one")]

use super::stopwatch::{each, race};
use super::table::{Limit, Row};
use super::{Options, allocations, row};
use hookrail_core::aggregator::aggregate_results;
use hookrail_core::{
    ConfigSource, Event, EventName, HookAction, HookEntry, HookError, HookOutput, HookProfile, HookRun, NativeHook,
    Order, Outcome, RunStatus, World,
};
use hookrail_engine::Config;
use hookrail_host::fire_before_tool_hook;
use serde_json::{Map, Value, json};
use std::hint::black_box;
use std::io::Write;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

/// What every measured command hook does: read the event, say nothing.
const COMMAND: &str = "cat >/dev/null";

pub(super) fn measure(options: &Options) -> std::io::Result<Vec<Row>> {
    let input = json!({ "file_path": "src/main.rs", "content": "fn main() {}\n" });
    let input = input.as_object().cloned().unwrap_or_default();
    let mut rows = idle(options, &input);
    for hooks in [1, 8, 64] {
        rows.push(commands(options, &input, hooks));
    }
    for hooks in [1, 16] {
        rows.push(native(options, &input, hooks));
    }
    rows.push(aggregation(options));
    Ok(rows)
}

/// What hooks cost an agent that uses none.
fn idle(options: &Options, input: &Map<String, Value>) -> Vec<Row> {
    let off = Config::new("bench", "/");
    let none = Config::new("bench", "/").enable_hooks(true);
    let mut rows = Vec::new();
    for (name, config) in [("hooks switched off", &off), ("no hook configured", &none)] {
        let fire = || drop(black_box(fire_before_tool_hook(config, "Write", input)));
        fire();
        rows.push(row(name, micros(each(options.rounds, 10_000, fire)), "µs", Some(Limit::Absolute(1.0))));
        let allocations = allocations::count(fire);
        rows.push(row(&format!("{name}: allocations"), allocations as f64, "", Some(Limit::Absolute(0.0))));
    }
    rows
}

fn commands(options: &Options, input: &Map<String, Value>, hooks: usize) -> Row {
    let entry = |index: usize| {
        // The comment makes each a hook of its own.
        let action = HookAction::Command { command: format!("{COMMAND} # {index}") };
        HookEntry::new(EventName::BeforeTool, action, ConfigSource::User)
    };
    let config =
        (0..hooks).fold(Config::new("bench", "/tmp").enable_hooks(true), |config, index| config.entry(entry(index)));
    let payload = json!({ "tool_name": "Write", "tool_input": input }).to_string();
    drop(fire_before_tool_hook(&config, "Write", input));
    let rounds = options.rounds.max(3) * 8 / hooks.clamp(1, 8);
    let [engine, by_hand] = race(
        rounds,
        [&mut || drop(black_box(fire_before_tool_hook(&config, "Write", input))), &mut || {
            spawn_by_hand(hooks, &payload);
        }],
    );
    let limit = Limit::Ratio { baseline: micros(by_hand), times: 1.15 };
    let name = format!("{hooks} command hook{} against spawning by hand", if hooks == 1 { "" } else { "s" });
    row(&name, micros(engine), "µs", Some(limit))
}

/// The least that must be done: start them all, feed them, collect what they print.
fn spawn_by_hand(count: usize, payload: &str) {
    let start = |index: usize| {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", &format!("{COMMAND} # {index}")]).current_dir("/tmp");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().ok()
    };
    let mut children: Vec<_> = (0..count).filter_map(start).collect();
    for child in &mut children {
        if let Some(mut stdin) = child.stdin.take() {
            // A child that does not read is not what is measured here.
            let _ = stdin.write_all(payload.as_bytes());
        }
    }
    for child in children {
        drop(child.wait_with_output());
    }
}

/// A native hook that looks at one field.
#[derive(Debug)]
pub(super) struct OneFieldHook(pub(super) String);

impl NativeHook for OneFieldHook {
    fn id(&self) -> &str {
        &self.0
    }

    fn events(&self) -> &[EventName] {
        &[EventName::BeforeTool]
    }

    fn profile(&self) -> HookProfile {
        HookProfile { may_wait: false, ..HookProfile::DEFAULT }
    }

    fn check(&self, event: &Event, _: &dyn World) -> Result<Outcome, HookError> {
        let path = event.tool_input().and_then(|input| input.get("file_path")?.as_str());
        Ok(if path == Some("never") { Outcome::deny("never") } else { Outcome::silent() })
    }
}

fn native(options: &Options, input: &Map<String, Value>, hooks: usize) -> Row {
    let config = (0..hooks).fold(Config::new("bench", "/").enable_hooks(true), |config, index| {
        let hook: Arc<dyn NativeHook> = Arc::new(OneFieldHook(format!("bench/{index}")));
        config.native_hook(&hook)
    });
    let time = each(options.rounds, 200, || drop(black_box(fire_before_tool_hook(&config, "Write", input))));
    let limit = Limit::Absolute(if hooks == 1 { 10.0 } else { 50.0 });
    row(&format!("{hooks} native hook{}", if hooks == 1 { "" } else { "s" }), micros(time), "µs", Some(limit))
}

fn aggregation(options: &Options) -> Row {
    let action = HookAction::Command { command: "x".to_owned() };
    let hook = HookEntry::new(EventName::BeforeTool, action, ConfigSource::User).reference();
    let output = json!({
        "decision": "allow",
        "reason": "looks fine",
        "systemMessage": "checked",
        "hookSpecificOutput": { "additionalContext": "context", "tool_input": { "a": 1, "b": "two" } },
    });
    let output = HookOutput::from_json(&EventName::BeforeTool, output);
    let run = HookRun::new(hook, RunStatus::Succeeded, output, Duration::ZERO);
    let runs = vec![run; 64];
    let merge = || drop(black_box(aggregate_results(&EventName::BeforeTool, runs.clone(), Order::Parallel)));
    row("aggregation of 64 outputs", micros(each(options.rounds, 50, merge)), "µs", Some(Limit::Absolute(150.0)))
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}
