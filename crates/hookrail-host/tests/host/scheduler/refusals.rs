use crate::scheduler::fixture::{FakeTool, HookedProject};
use hookrail_host::{ToolCallRequest, ToolCallStatus, ToolEnding, ToolRestriction, ToolResult, ToolScheduler};
use serde_json::{Value, json};
use std::sync::Arc;

struct Case {
    name: &'static str,
    call: ToolCallRequest,
    restriction: ToolRestriction,
    /// What a BeforeTool hook answers.
    before: Value,
    error: &'static str,
    ending: ToolEnding,
    /// How often BeforeTool hooks, the tool and AfterTool hooks were reached.
    reached: [usize; 3],
}

fn check(case: Case) {
    let hooked = HookedProject::new().answer("BeforeTool", &case.before).record("AfterTool");
    let tools = [
        FakeTool::echo(),
        FakeTool::new("fail", |_| ToolResult::failed("disk full")),
        FakeTool::new("panic", |text| panic!("cannot stand {text}")),
    ];
    let all = tools.iter().map(|tool| Arc::new(tool.clone()) as _).collect();
    let scheduler = ToolScheduler::new(Arc::new(hooked.config()), all);
    let outcomes = scheduler.schedule(&[case.call], &case.restriction, &mut |_| {});
    let name = case.name;
    assert_eq!(outcomes.len(), 1, "{name}");
    assert_eq!(outcomes[0].result.llm_content, json!(case.error), "{name}");
    assert_eq!(outcomes[0].ending, case.ending, "{name}");
    assert!(outcomes[0].is_error(), "{name}");
    assert_eq!(outcomes[0].statuses.last(), Some(&ToolCallStatus::Idle), "{name}");
    let ran = tools.iter().map(|tool| tool.runs().len()).sum();
    assert_eq!([hooked.asked("BeforeTool").len(), ran, hooked.asked("AfterTool").len()], case.reached, "{name}");
}

#[test]
fn calls_that_cannot_be_made_are_an_error_to_the_model() {
    // covers: HOOK-057 HOOK-168
    let call = |name: &str| ToolCallRequest::new(name, json!({"text": "a"}));
    let only_fail = ToolRestriction::Only(vec!["fail".to_owned()]);
    let silent = json!({});
    let cases = [
        Case {
            name: "no such tool",
            call: call("ecko"),
            restriction: ToolRestriction::None,
            before: silent.clone(),
            error: "there is no tool `ecko`; the tools are `echo`, `fail`, `panic`",
            ending: ToolEnding::NotRun,
            reached: [0, 0, 0],
        },
        Case {
            name: "not in the list",
            call: call("echo"),
            restriction: only_fail,
            before: silent.clone(),
            error: "the tool `echo` is not available: only `fail` may be called in this turn",
            ending: ToolEnding::NotRun,
            reached: [0, 0, 0],
        },
        Case {
            name: "no tools at all",
            call: call("echo"),
            restriction: ToolRestriction::NoTools,
            before: silent.clone(),
            error: "the tool `echo` is not available: no tool may be called in this turn",
            ending: ToolEnding::NotRun,
            reached: [0, 0, 0],
        },
        Case {
            name: "arguments the tool refuses",
            call: ToolCallRequest::new("echo", json!({"text": 1})),
            restriction: ToolRestriction::None,
            before: silent.clone(),
            error: "invalid arguments for the tool `echo`: `text` must be a string",
            ending: ToolEnding::NotRun,
            reached: [0, 0, 0],
        },
        Case {
            name: "arguments that are no object",
            call: ToolCallRequest::new("echo", json!(["a"])),
            restriction: ToolRestriction::None,
            before: silent.clone(),
            error: "invalid arguments for the tool `echo`: they must be an object",
            ending: ToolEnding::NotRun,
            reached: [0, 0, 0],
        },
        Case {
            name: "arguments a hook spoiled: neither they nor the original ones run",
            call: call("echo"),
            restriction: ToolRestriction::None,
            before: json!({"hookSpecificOutput": {"tool_input": {"text": null}}}),
            error: "a hook changed the arguments: invalid arguments for the tool `echo`: `text` must be a string",
            ending: ToolEnding::NotRun,
            reached: [1, 0, 0],
        },
        Case {
            name: "a tool that fails",
            call: call("fail"),
            restriction: ToolRestriction::None,
            before: silent.clone(),
            error: "disk full",
            ending: ToolEnding::Ran,
            reached: [1, 1, 1],
        },
        Case {
            name: "a tool that panics",
            call: call("panic"),
            restriction: ToolRestriction::None,
            before: silent,
            error: "the tool `panic` crashed: cannot stand a",
            ending: ToolEnding::Ran,
            reached: [1, 1, 1],
        },
    ];
    cases.into_iter().for_each(check);
}
