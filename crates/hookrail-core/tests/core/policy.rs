//! What callers ask an output for.

use hookrail_core::{EventName, HookOutput, Translator, create_hook_output, create_specific_hook_output};
use serde_json::{Map, Value, json};

/// Marks what it translates.
#[derive(Debug)]
struct Marks;

impl Translator for Marks {
    fn to_hook_request(&self, request: &Value) -> Value {
        json!({ "to": request })
    }
    fn from_hook_request(&self, request: &Value, base: Option<&Value>) -> Value {
        json!({ "from": request, "base": base })
    }
    fn to_hook_response(&self, response: &Value) -> Value {
        json!({ "to": response })
    }
    fn from_hook_response(&self, response: &Value) -> Value {
        json!({ "from": response })
    }
    fn to_hook_tool_config(&self, config: &Value) -> Value {
        json!({ "to": config })
    }
    fn from_hook_tool_config(&self, config: &Value) -> Value {
        json!({ "from": config })
    }
    fn empty_response(&self) -> Value {
        json!({})
    }
    fn text_response(&self, text: &str) -> Value {
        json!({ "text": text })
    }
    fn apply_tool_config(&self, _: &mut Value, _: &Value) {}
}

fn object(value: &Value) -> Map<String, Value> {
    value.as_object().unwrap().clone()
}

fn output(event: &EventName, fields: &Value) -> HookOutput {
    HookOutput::from_json(event, fields.clone()).unwrap()
}

fn specific(fields: &Value) -> Value {
    json!({ "hookSpecificOutput": fields })
}

#[test]
fn an_output_says_whether_it_blocks_or_stops_and_why() {
    // covers: HOOK-213 HOOK-171
    // What a hook prints, whether it blocks, whether it stops, the reason, and the reason of a block.
    for (fields, blocks, stops, reason, error) in [
        (json!({}), false, false, "No reason provided", None),
        (json!({ "decision": "allow", "reason": "fine" }), false, false, "fine", None),
        (json!({ "decision": "block", "reason": "no" }), true, false, "no", Some("no")),
        (json!({ "decision": "deny" }), true, false, "No reason provided", Some("No reason provided")),
        (json!({ "decision": "deny", "reason": "" }), true, false, "No reason provided", Some("No reason provided")),
        (json!({ "continue": false, "stopReason": "enough", "reason": "no" }), false, true, "enough", None),
        (json!({ "continue": false, "stopReason": "", "reason": "no" }), false, true, "no", None),
        (
            json!({ "continue": false, "decision": "deny", "stopReason": "enough" }),
            true,
            true,
            "enough",
            Some("enough"),
        ),
        (
            specific(&json!({ "permissionDecision": "deny", "permissionDecisionReason": "no" })),
            true,
            false,
            "no",
            Some("no"),
        ),
    ] {
        let output = output(&EventName::BeforeTool, &fields);
        assert_eq!((output.is_blocking_decision(), output.should_stop_execution()), (blocks, stops), "{fields}");
        assert_eq!((output.get_effective_reason(), output.blocking_error()), (reason, error), "{fields}");
    }
}

#[test]
fn the_plain_factory_reads_no_permission_decision_and_the_other_one_does() {
    // covers: HOOK-200
    let fields = object(&specific(&json!({ "permissionDecision": "deny" })));
    assert!(!create_hook_output("BeforeTool", fields.clone()).is_blocking_decision());
    assert!(create_specific_hook_output(&EventName::BeforeTool, fields).is_blocking_decision());
    let config = object(&specific(&json!({ "toolConfig": { "mode": "NONE" } })));
    assert!(create_hook_output("BeforeToolSelection", config).tool_config().is_some());
}

#[test]
fn the_class_of_an_output_is_that_of_its_event() {
    for (event, class) in [
        (EventName::BeforeTool, "BeforeTool"),
        (EventName::BeforeModel, "BeforeModel"),
        (EventName::AfterModel, "AfterModel"),
        (EventName::BeforeToolSelection, "BeforeToolSelection"),
        (EventName::AfterAgent, "AfterAgent"),
        (EventName::AfterTool, "Default"),
        (EventName::SessionStart, "Default"),
        (EventName::PermissionRequest, "Default"),
    ] {
        assert_eq!(output(&event, &json!({})).class_name(), class, "{event}");
    }
}

#[test]
fn what_hooks_changed_is_laid_over_what_was_there() {
    let original = object(&json!({ "path": "a", "mode": 1 }));
    let changing = output(&EventName::BeforeTool, &specific(&json!({ "tool_input": { "path": "b" } })));
    assert_eq!(changing.modified_tool_input(), Some(&object(&json!({ "path": "b" }))));
    assert_eq!(changing.apply_tool_input(&original), object(&json!({ "path": "b", "mode": 1 })));
    let mute = output(&EventName::BeforeTool, &json!({}));
    assert_eq!((mute.modified_tool_input(), mute.apply_tool_input(&original)), (None, original));

    let request = json!({ "model": "big" });
    let changing = output(&EventName::BeforeModel, &specific(&json!({ "llm_request": { "model": "small" } })));
    let changed = json!({ "from": { "model": "small" }, "base": request });
    assert_eq!(changing.apply_llm_request_modifications(&request, &Marks), changed);
    assert_eq!(changing.modified_request(), Some(&object(&json!({ "model": "small" }))));
    let mute = output(&EventName::BeforeModel, &json!({}));
    assert_eq!((mute.apply_llm_request_modifications(&request, &Marks), mute.modified_request()), (request, None));

    let config = json!({ "mode": "NONE" });
    let restricting = output(&EventName::BeforeToolSelection, &specific(&json!({ "toolConfig": config })));
    let tools = json!({ "tools": [1] });
    let restricted = json!({ "tools": [1], "toolConfig": { "from": config } });
    assert_eq!(restricting.apply_tool_config_modifications(&tools, &Marks), restricted);
    assert_eq!(restricting.apply_tool_config_modifications(&json!(1), &Marks), json!(1));
    let mute = output(&EventName::BeforeToolSelection, &json!({}));
    assert_eq!((mute.apply_tool_config_modifications(&tools, &Marks), mute.tool_config()), (tools, None));
}

#[test]
fn a_response_of_a_hook_takes_the_place_of_the_models() {
    // covers: HOOK-194
    let parts = |parts: Value| json!({ "candidates": [{ "content": { "role": "model", "parts": parts } }] });
    let answer = |response: &Value| specific(&json!({ "llm_response": response }));
    let stop = json!({ "continue": false, "stopReason": "enough" });
    for (name, event, fields, synthetic, modified) in [
        (
            "an answer before the model",
            EventName::BeforeModel,
            answer(&parts(json!(["x"]))),
            Some(json!({ "from": parts(json!(["x"])) })),
            None,
        ),
        ("a stop before the model makes none up", EventName::BeforeModel, stop.clone(), None, None),
        (
            "an answer after the model",
            EventName::AfterModel,
            answer(&parts(json!(["x"]))),
            None,
            Some(json!({ "from": parts(json!(["x"])) })),
        ),
        (
            "an answer without parts empties",
            EventName::AfterModel,
            answer(&parts(json!([]))),
            None,
            Some(json!({ "from": parts(json!([])) })),
        ),
        (
            "a text alone",
            EventName::AfterModel,
            answer(&json!({ "text": "x" })),
            None,
            Some(json!({ "from": { "text": "x" } })),
        ),
        ("an empty text says nothing", EventName::AfterModel, answer(&json!({ "text": "" })), None, None),
        ("an empty shell says nothing", EventName::AfterModel, answer(&json!({})), None, None),
        (
            "a candidate without parts says nothing",
            EventName::AfterModel,
            answer(&json!({ "candidates": [{}] })),
            None,
            None,
        ),
        ("a stop after the model says why", EventName::AfterModel, stop, None, Some(json!({ "text": "enough" }))),
        ("another event", EventName::AfterTool, answer(&parts(json!(["x"]))), None, None),
    ] {
        let output = output(&event, &fields);
        assert_eq!(output.get_synthetic_response(&Marks), synthetic, "{name}");
        assert_eq!(output.get_modified_response(&Marks), modified, "{name}");
    }
}

#[test]
fn only_the_end_of_a_turn_can_forget_the_conversation() {
    let clearing = specific(&json!({ "clearContext": true }));
    assert!(output(&EventName::AfterAgent, &clearing).should_clear_context());
    assert!(!output(&EventName::AfterAgent, &json!({})).should_clear_context());
    assert!(!output(&EventName::AfterTool, &clearing).should_clear_context());
}
