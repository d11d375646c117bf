use crate::decision_matrix::matrix::{COMPLETED, Row, STOPPED, check, write_then_done};
use serde_json::{Value, json};

fn row(name: &'static str, event: &'static str, says: Value) -> Row {
    Row { name, event, says, turns: write_then_done(), exit: COMPLETED, stdout: "writing\ndone\n", check: |_| {} }
}

#[test]
fn before_tool_can_block_rewrite_and_stop() {
    // covers: HOOK-017 HOOK-019 HOOK-020 HOOK-063 HOOK-156 HOOK-177
    check(vec![
        Row {
            check: |played| {
                assert_eq!(played.written(), None);
                assert_eq!(played.results(), ["read only today"]);
                assert!(played.stderr.contains("!! write_file read only today"), "{}", played.stderr);
            },
            ..row("block", "BeforeTool", json!({"decision": "block", "reason": "read only today"}))
        },
        Row {
            check: |played| {
                assert_eq!(played.written().as_deref(), Some("from the hook"));
                assert_eq!(played.results(), ["wrote 13 bytes to `out.txt`"]);
            },
            ..row("rewrite", "BeforeTool", json!({"hookSpecificOutput": {"tool_input": {"content": "from the hook"}}}))
        },
        Row {
            check: |played| {
                assert_eq!(played.written(), None, "neither the hook's arguments nor the model's");
                let error = "a hook changed the arguments: invalid arguments for the tool `write_file`: \
                    `content` must be a string";
                assert_eq!(played.results(), [error]);
            },
            ..row("rewrite to nonsense", "BeforeTool", json!({"hookSpecificOutput": {"tool_input": {"content": 7}}}))
        },
        Row {
            exit: STOPPED,
            stdout: "writing\n",
            check: |played| {
                assert_eq!(played.written(), None);
                assert_eq!((played.asked(), played.turns_left), (1, 1), "the loop is over");
                assert!(played.stderr.contains("a hook stopped the agent: budget is spent"), "{}", played.stderr);
            },
            ..row("stop", "BeforeTool", json!({"continue": false, "stopReason": "budget is spent"}))
        },
        Row {
            check: |played| {
                assert_eq!(played.written().as_deref(), Some("from the model"));
                assert_eq!(played.results(), ["wrote 14 bytes to `out.txt`"]);
            },
            ..row("allow", "BeforeTool", json!({"decision": "allow"}))
        },
    ]);
}

#[test]
fn after_tool_can_add_hide_and_stop_but_not_undo() {
    // covers: HOOK-027 HOOK-028 HOOK-029 HOOK-030 HOOK-063 HOOK-131 HOOK-156 HOOK-178
    check(vec![
        Row {
            check: |played| {
                assert_eq!(played.results(), ["wrote 14 bytes to `out.txt`\n\nrun the tests now"]);
                assert!(!played.stderr.contains("run the tests now"), "{}", played.stderr);
            },
            ..row("context", "AfterTool", json!({"hookSpecificOutput": {"additionalContext": "run the tests now"}}))
        },
        Row {
            check: |played| {
                assert_eq!(played.results(), ["wrote 14 bytes to `out.txt`\n\n[System] keep it short"]);
                assert!(!played.stderr.contains("keep it short"), "{}", played.stderr);
            },
            ..row("system message", "AfterTool", json!({"systemMessage": "keep it short"}))
        },
        Row {
            check: |played| {
                assert_eq!(played.results(), ["wrote 14 bytes to `out.txt`"]);
                assert!(played.stderr.contains("-> write_file"), "{}", played.stderr);
                assert!(!played.stderr.contains("wrote 14 bytes"), "{}", played.stderr);
            },
            ..row("suppress", "AfterTool", json!({"suppressOutput": true}))
        },
        Row {
            exit: STOPPED,
            stdout: "writing\n",
            check: |played| {
                assert_eq!(played.written().as_deref(), Some("from the model"));
                assert_eq!((played.asked(), played.turns_left), (1, 1), "the loop is over");
                assert!(played.stderr.contains("a hook stopped the agent: enough"), "{}", played.stderr);
            },
            ..row("stop", "AfterTool", json!({"continue": false, "stopReason": "enough"}))
        },
        Row {
            check: |played| {
                assert_eq!(played.written().as_deref(), Some("from the model"));
                assert_eq!(played.results(), ["wrote 14 bytes to `out.txt`\n\nthe linter objects"]);
            },
            ..row("a block comes too late", "AfterTool", json!({"decision": "block", "reason": "the linter objects"}))
        },
    ]);
}
