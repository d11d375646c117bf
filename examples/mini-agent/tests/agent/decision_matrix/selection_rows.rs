use crate::decision_matrix::matrix::{COMPLETED, Row, STOPPED, check, write_then_done};
use serde_json::{Value, json};

fn row(name: &'static str, says: Value) -> Row {
    let event = "BeforeToolSelection";
    Row { name, event, says, turns: write_then_done(), exit: COMPLETED, stdout: "writing\ndone\n", check: |_| {} }
}

fn tool_config(config: &Value) -> Value {
    json!({"hookSpecificOutput": {"toolConfig": config}})
}

#[test]
fn before_tool_selection_can_restrict_change_the_mode_and_stop_but_not_block() {
    // covers: HOOK-055 HOOK-056 HOOK-057 HOOK-058 HOOK-063 HOOK-156 HOOK-168 HOOK-181
    check(vec![
        Row {
            check: |played| {
                let calling = json!({"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["read_file"]}});
                assert_eq!(played.requests[0].tool_choice(), Some(&calling));
                assert_eq!(played.requests[0].tool_names().len(), 5, "definitions are not touched");
                assert_eq!(played.written(), None, "the model called it nevertheless");
                let error = "the tool `write_file` is not available: only `read_file` may be called in this turn";
                assert_eq!(played.results(), [error]);
            },
            ..row("restrict", tool_config(&json!({"mode": "ANY", "allowedFunctionNames": ["read_file"]})))
        },
        Row {
            check: |played| {
                let calling = &played.requests[0].tool_choice().unwrap()["functionCallingConfig"];
                assert_eq!(calling["allowedFunctionNames"], json!(["write_file"]));
                assert_eq!(calling["mode"], "VALIDATED", "how the API says: free to choose, but among these");
                assert_eq!(played.written().as_deref(), Some("from the model"));
            },
            ..row("restrict by names alone", tool_config(&json!({"allowedFunctionNames": ["write_file"]})))
        },
        Row {
            check: |played| {
                let calling = json!({"functionCallingConfig": {"mode": "ANY"}});
                assert_eq!(played.requests[0].tool_choice(), Some(&calling));
                assert_eq!(played.written().as_deref(), Some("from the model"));
            },
            ..row("mode", tool_config(&json!({"mode": "ANY"})))
        },
        Row {
            check: |played| {
                let calling = json!({"functionCallingConfig": {"mode": "NONE"}});
                assert_eq!(played.requests[0].tool_choice(), Some(&calling));
                assert_eq!(played.written(), None);
                let error = "the tool `write_file` is not available: no tool may be called in this turn";
                assert_eq!(played.results(), [error]);
            },
            ..row("none", tool_config(&json!({"mode": "NONE"})))
        },
        Row {
            exit: STOPPED,
            stdout: "",
            check: |played| {
                assert_eq!(played.asked(), 0);
                assert!(played.stderr.contains("a hook stopped the agent: no tools today"), "{}", played.stderr);
            },
            ..row("stop", json!({"continue": false, "stopReason": "no tools today"}))
        },
        Row {
            check: |played| {
                assert_eq!(played.written().as_deref(), Some("from the model"));
                assert_eq!(played.requests[0].tool_choice(), None);
                assert!(played.requests[0].mentions("[System] prefer reading"));
            },
            ..row("a block blocks nothing", json!({"decision": "block", "reason": "prefer reading"}))
        },
    ]);
}
