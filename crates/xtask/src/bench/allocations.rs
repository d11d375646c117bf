//! Counts allocations of this thread, to prove that a path makes none.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

struct Counting;

thread_local! {
    static COUNT: Cell<u64> = const { Cell::new(0) };
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[expect(unsafe_code, reason = "counting needs an allocator; it hands everything on to the system's unchanged")]
// SAFETY: every call is passed to `System` with the arguments it was given, which is all the contract asks for.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // A thread that is being torn down has no counter any more, and is not measured.
        let _ = COUNT.try_with(|count| count.set(count.get() + 1));
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }
}

/// How often `work` allocates on this thread.
pub(super) fn count(work: impl FnOnce()) -> u64 {
    let before = COUNT.with(Cell::get);
    work();
    COUNT.with(Cell::get) - before
}

#[cfg(test)]
mod tests {
    use super::*;
    use hookrail_core::EventName;
    use hookrail_engine::Config;
    use hookrail_host::ToolResult;
    use serde_json::{Map, Value, json};

    #[test]
    fn allocations_are_counted() {
        assert_eq!(count(|| drop(std::hint::black_box(Box::new(1)))), 1);
        assert_eq!(count(|| ()), 0);
    }

    type EntryPoint = fn(&Config, &Map<String, Value>, &Value);

    /// Every function of the host that an agent calls around an operation.
    const ENTRY_POINTS: [(&str, EntryPoint); 8] = [
        ("fire_before_tool_hook", |config, input, _| drop(hookrail_host::fire_before_tool_hook(config, "Read", input))),
        ("fire_after_tool_hook", |config, input, json| {
            drop(hookrail_host::fire_after_tool_hook(config, "Read", input, json));
        }),
        ("fire_before_model_hook", |config, _, json| drop(hookrail_host::fire_before_model_hook(config, json))),
        ("fire_after_model_hook", |config, _, json| drop(hookrail_host::fire_after_model_hook(config, json, json))),
        ("fire_before_tool_selection_hook", |config, _, json| {
            drop(hookrail_host::fire_before_tool_selection_hook(config, json));
        }),
        ("fire_event_hook", |config, input, _| {
            drop(hookrail_host::fire_event_hook(config, EventName::AfterAgent, input));
        }),
        ("execute_tool_with_hooks", |config, input, _| {
            drop(hookrail_host::execute_tool_with_hooks(config, "Read", input, |_| ToolResult::default()));
        }),
        ("run_tool_with_hooks", |config, input, _| {
            drop(hookrail_host::run_tool_with_hooks(config, "Read", input, |_| Ok(ToolResult::default())));
        }),
    ];

    #[test]
    fn an_event_without_hooks_allocates_nothing() {
        // covers: HOOK-011
        let session = || Config::new("s", "/");
        let other_tool =
            json!({"BeforeTool": [{"matcher": "Write", "hooks": [{"type": "command", "command": "true"}]}]});
        let other_event = json!({"SessionEnd": [{"hooks": [{"type": "command", "command": "true"}]}]});
        let sessions = [
            ("switched off", session()),
            ("none configured", session().enable_hooks(true)),
            ("for another tool", session().enable_hooks(true).hooks(&other_tool)),
            ("for another event", session().enable_hooks(true).hooks(&other_event)),
        ];
        // What would be copied is large enough to be noticed.
        let json = json!({"model": "m", "contents": [{"role": "user", "parts": [{"text": "x".repeat(10_000)}]}]});
        let input = json.as_object().cloned().unwrap_or_default();
        for (which, config) in &sessions {
            for (name, call) in ENTRY_POINTS {
                call(config, &input, &json);
                assert_eq!(count(|| call(config, &input, &json)), 0, "{name}, {which}");
            }
        }
    }
}
