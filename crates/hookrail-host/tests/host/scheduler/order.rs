use crate::scheduler::fixture::{FakeTool, HookedProject};
use hookrail_core::{Event, EventName, HookError, NativeHook, Outcome, World};
use hookrail_engine::{CancelToken, Config};
use hookrail_host::{
    ToolCallRequest, ToolCallStatus, ToolCallUpdate, ToolEnding, ToolRestriction, ToolResult, ToolScheduler,
};
use hookrail_testkit::process::within;
use serde_json::{Value, json};
use std::collections::HashSet;
use std::sync::{Arc, Barrier, Condvar, Mutex};
use std::time::Duration;

const HANG: Duration = Duration::from_secs(60);

fn calls(texts: &[&str]) -> Vec<ToolCallRequest> {
    texts.iter().map(|text| ToolCallRequest::new("echo", json!({ "text": text }))).collect()
}

fn text_of(call: &ToolCallRequest) -> String {
    call.args["text"].as_str().unwrap().to_owned()
}

/// Lets a test wait for names to be recorded.
#[derive(Debug, Default)]
struct CallOrder {
    called: Mutex<HashSet<String>>,
    bell: Condvar,
}

impl CallOrder {
    fn call(&self, name: &str) {
        self.called.lock().unwrap().insert(name.to_owned());
        self.bell.notify_all();
    }

    fn wait_for(&self, name: &str) {
        let missing = |called: &mut HashSet<String>| !called.contains(name);
        drop(self.bell.wait_timeout_while(self.called.lock().unwrap(), HANG, missing).unwrap());
    }
}

#[test]
fn calls_run_at_the_same_time_and_results_keep_their_order() {
    within(HANG, || {
        // covers: HOOK-129
        let together = Barrier::new(3);
        let done = Arc::new(CallOrder::default());
        let finished = Arc::clone(&done);
        let tool = FakeTool::new("echo", move |text| {
            together.wait();
            // The last call is done first.
            match text {
                "a" => finished.wait_for("b"),
                "b" => finished.wait_for("c"),
                _ => {}
            }
            ToolResult::text(text)
        });
        let scheduler = ToolScheduler::new(Arc::new(Config::new("s", "/")), vec![Arc::new(tool)]);
        let mut published = Vec::new();
        let mut idle = Vec::new();
        let outcomes =
            scheduler.schedule(&calls(&["a", "b", "c"]), &ToolRestriction::None, &mut |update| match update {
                ToolCallUpdate::Published(outcome) => published.push(text_of(&outcome.call)),
                ToolCallUpdate::Status { call, status: ToolCallStatus::Idle } => {
                    done.call(&text_of(call));
                    idle.push(text_of(call));
                }
                ToolCallUpdate::Status { .. } => {}
            });
        let results: Vec<&Value> = outcomes.iter().map(|outcome| &outcome.result.llm_content).collect();
        assert_eq!(results, ["a", "b", "c"]);
        assert_eq!(published, ["a", "b", "c"]);
        assert_eq!(idle, ["c", "b", "a"], "the test made them end in this order");
    });
}

#[test]
fn a_blocked_call_goes_from_executing_to_idle_is_published_and_never_tried_again() {
    // covers: HOOK-017 HOOK-129 HOOK-130 HOOK-177 HOOK-204
    let hooked = HookedProject::new().answer("BeforeTool", &json!({"decision": "block", "reason": "not on a Friday"}));
    let tool = FakeTool::echo();
    let scheduler = ToolScheduler::new(Arc::new(hooked.config()), vec![Arc::new(tool.clone())]);
    let mut updates = Vec::new();
    let outcomes = scheduler.schedule(&calls(&["a"]), &ToolRestriction::None, &mut |update| {
        updates.push(match update {
            ToolCallUpdate::Status { status, .. } => format!("{status:?}"),
            ToolCallUpdate::Published(outcome) => format!("published {}", outcome.result.llm_content),
        });
    });
    assert_eq!(updates, ["Validating", "Executing", "Idle", "published \"not on a Friday\""]);
    let [outcome] = outcomes.as_slice() else { panic!("one call, one outcome: {outcomes:?}") };
    assert_eq!(outcome.statuses, [ToolCallStatus::Validating, ToolCallStatus::Executing, ToolCallStatus::Idle]);
    assert_eq!(outcome.ending, ToolEnding::Blocked);
    assert!(outcome.is_error());
    assert_eq!(outcome.stop, None);
    assert_eq!(hooked.asked("BeforeTool").len(), 1);
    assert_eq!(tool.runs(), [] as [&str; 0]);
}

/// Blocks nothing, but takes its time about a call: it answers when `roll` has called `until`.
#[derive(Debug)]
struct SlowHook {
    call: &'static str,
    roll: Arc<CallOrder>,
    until: &'static str,
}

impl NativeHook for SlowHook {
    fn id(&self) -> &str {
        "test/slow"
    }

    fn events(&self) -> &[EventName] {
        &[EventName::BeforeTool]
    }

    fn check(&self, event: &Event, _: &dyn World) -> Result<Outcome, HookError> {
        if event.tool_input().is_some_and(|input| input["text"] == self.call) {
            self.roll.wait_for(self.until);
        }
        Ok(Outcome::silent())
    }
}

#[test]
fn after_a_stop_no_call_starts_and_every_call_has_a_result() {
    within(HANG, || {
        // covers: HOOK-020 HOOK-177
        let roll = Arc::new(CallOrder::default());
        let slow: Arc<dyn NativeHook> = Arc::new(SlowHook { call: "late", roll: Arc::clone(&roll), until: "stop" });
        let stop =
            "grep -q '\"text\":\"stop\"' && echo '{\"continue\": false, \"stopReason\": \"budget is spent\"}'; true";
        let hooked = HookedProject::new().hook("BeforeTool", stop).record("AfterTool");
        let tool = FakeTool::echo();
        let config = hooked.config().native_hook(&slow);
        let scheduler = ToolScheduler::new(Arc::new(config), vec![Arc::new(tool.clone())]);
        let outcomes = scheduler.schedule(&calls(&["stop", "late"]), &ToolRestriction::None, &mut |update| {
            if let ToolCallUpdate::Status { call, status: ToolCallStatus::Idle } = update {
                roll.call(&text_of(call));
            }
        });
        let seen: Vec<_> =
            outcomes.iter().map(|o| (o.ending, o.stop.as_deref(), o.result.llm_content.clone())).collect();
        let not_run = "the tool `echo` was not run: a hook stopped the agent";
        assert_eq!(
            seen,
            [
                (ToolEnding::Blocked, Some("budget is spent"), json!("budget is spent")),
                (ToolEnding::NotRun, None, json!(not_run)),
            ]
        );
        assert_eq!(tool.runs(), [] as [&str; 0]);
        assert_eq!(hooked.asked("AfterTool"), [] as [Value; 0], "nothing ran, so nothing is over");
    });
}

#[test]
fn a_cancelled_session_starts_no_tool() {
    let cancel = CancelToken::new();
    cancel.cancel();
    let tool = FakeTool::echo();
    let config = Arc::new(Config::new("s", "/"));
    let scheduler = ToolScheduler::new(config, vec![Arc::new(tool.clone())]).cancel_token(cancel);
    let outcomes = scheduler.schedule(&calls(&["a"]), &ToolRestriction::None, &mut |_| {});
    assert_eq!(outcomes[0].result.llm_content, json!("the tool `echo` was not run: the user cancelled"));
    assert_eq!(outcomes[0].ending, ToolEnding::NotRun);
    assert_eq!(tool.runs(), [] as [&str; 0]);
}

#[test]
fn five_hundred_calls_all_get_their_result() {
    let scheduler = ToolScheduler::new(Arc::new(Config::new("s", "/")), vec![Arc::new(FakeTool::echo())]);
    let texts: Vec<String> = (0..500).map(|n| n.to_string()).collect();
    let calls = calls(&texts.iter().map(String::as_str).collect::<Vec<_>>());
    let mut published = 0;
    let outcomes = scheduler.schedule(&calls, &ToolRestriction::None, &mut |update| {
        published += usize::from(matches!(update, ToolCallUpdate::Published(_)));
    });
    let echoed: Vec<Value> = outcomes.into_iter().map(|outcome| outcome.result.llm_content).collect();
    let expected: Vec<Value> = texts.iter().map(|text| json!(format!("echo: {text}"))).collect();
    assert_eq!(echoed, expected);
    assert_eq!(published, 500);
}

#[test]
fn before_tool_fires_directly_before_the_tool_and_after_tool_directly_after_it() {
    // covers: HOOK-014 HOOK-025
    let hooked = HookedProject::new()
        .hook("BeforeTool", "echo before >> order.txt")
        .hook("AfterTool", "echo after >> order.txt");
    let path = hooked.project.at("order.txt");
    let tool = FakeTool::new("echo", move |_| {
        let so_far = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, so_far + "tool\n").unwrap();
        ToolResult::text("done")
    });
    let scheduler = ToolScheduler::new(Arc::new(hooked.config()), vec![Arc::new(tool)]);
    let mut published_at = String::new();
    scheduler.schedule(&calls(&["a"]), &ToolRestriction::None, &mut |update| {
        if let ToolCallUpdate::Published(_) = update {
            published_at = hooked.project.read("order.txt");
        }
    });
    assert_eq!(published_at, "before\ntool\nafter\n");
}

#[test]
fn hooks_of_calls_that_run_together_run_together() {
    within(HANG, || {
        let roll = Arc::new(CallOrder::default());
        let meeting: Arc<dyn NativeHook> = Arc::new(SlowHook { call: "a", roll: Arc::clone(&roll), until: "b" });
        let config = Config::new("s", "/").enable_hooks(true).native_hook(&meeting);
        let scheduler = ToolScheduler::new(Arc::new(config), vec![Arc::new(FakeTool::echo())]);
        let outcomes = scheduler.schedule(&calls(&["a", "b"]), &ToolRestriction::None, &mut |update| {
            if let ToolCallUpdate::Status { call, status: ToolCallStatus::Idle } = update {
                roll.call(&text_of(call));
            }
        });
        assert!(outcomes.iter().all(|outcome| outcome.ending == ToolEnding::Ran), "{outcomes:?}");
    });
}
