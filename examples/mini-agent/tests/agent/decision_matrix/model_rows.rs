use crate::decision_matrix::matrix::{BLOCKED, COMPLETED, Row, STOPPED, check, write_then_done};
use hookrail_testkit::model_server::Turn;
use serde_json::{Value, json};

fn row(name: &'static str, event: &'static str, says: Value) -> Row {
    Row {
        name,
        event,
        says,
        turns: vec![Turn::text("from the model")],
        exit: COMPLETED,
        stdout: "from the model\n",
        check: |_| {},
    }
}

fn response(text: &str) -> Value {
    json!({"llm_response": {"candidates": [{"content": {"role": "model", "parts": [text]}, "finishReason": "STOP"}]}})
}

#[test]
fn before_model_can_block_answer_rewrite_add_and_stop() {
    // covers: HOOK-036 HOOK-037 HOOK-038 HOOK-039 HOOK-040 HOOK-063 HOOK-156 HOOK-179
    check(vec![
        Row {
            stdout: "from the cache\n",
            check: |played| assert_eq!((played.asked(), played.turns_left), (0, 1), "no request was made"),
            ..row(
                "answer in the model's place",
                "BeforeModel",
                json!({"decision": "block", "reason": "cached", "hookSpecificOutput": response("from the cache")}),
            )
        },
        Row {
            exit: BLOCKED,
            stdout: "",
            check: |played| {
                assert_eq!(played.asked(), 0);
                let notice = "a hook blocked the request to the model: secret in prompt";
                assert!(played.stderr.contains(notice), "{}", played.stderr);
            },
            ..row("block", "BeforeModel", json!({"decision": "deny", "reason": "secret in prompt"}))
        },
        Row {
            check: |played| {
                let request = &played.requests[0];
                assert_eq!(request.model(), "cheaper");
                assert_eq!(request.last_user_text(), "stay");
                assert_eq!(request.body["generationConfig"]["temperature"], 0.1);
                assert_eq!(
                    request.tool_names(),
                    ["run_shell_command", "read_file", "write_file", "ask_user", "task"],
                    "what hooks do not see stays"
                );
            },
            ..row(
                "rewrite",
                "BeforeModel",
                json!({"hookSpecificOutput": {"llm_request": {
                    "model": "cheaper", "messages": [{"role": "user", "content": "stay"}], "config": {"temperature": 0.1},
                }}}),
            )
        },
        Row {
            check: |played| assert_eq!(played.requests[0].texts(), ["go", "and mind the style guide"]),
            ..row(
                "add messages",
                "BeforeModel",
                json!({"hookSpecificOutput": {"llm_request": {"messages": [
                    {"role": "user", "content": "go"}, {"role": "user", "content": "and mind the style guide"},
                ]}}}),
            )
        },
        Row {
            check: |played| {
                assert_eq!(played.requests[0].texts(), ["go", "\n\n[System] careful"]);
                assert!(!played.stderr.contains("careful"), "{}", played.stderr);
            },
            ..row("system message", "BeforeModel", json!({"systemMessage": "careful"}))
        },
        Row {
            exit: STOPPED,
            stdout: "",
            check: |played| {
                assert_eq!((played.asked(), played.turns_left), (0, 1));
                assert!(played.stderr.contains("a hook stopped the agent: over quota"), "{}", played.stderr);
            },
            ..row("stop", "BeforeModel", json!({"continue": false, "stopReason": "over quota"}))
        },
    ]);
}

#[test]
fn after_model_can_replace_hide_and_stop_but_not_block() {
    // covers: HOOK-046 HOOK-047 HOOK-048 HOOK-049 HOOK-063 HOOK-156 HOOK-180
    check(vec![
        Row {
            stdout: "[redacted]\n",
            ..row("change", "AfterModel", json!({"hookSpecificOutput": response("[redacted]")}))
        },
        Row {
            turns: write_then_done(),
            stdout: "not today\n",
            check: |played| {
                assert_eq!(played.written(), None, "the call went with the answer");
                assert_eq!(played.asked(), 1);
            },
            ..row("replace", "AfterModel", json!({"hookSpecificOutput": response("not today")}))
        },
        Row {
            turns: write_then_done(),
            stdout: "",
            check: |played| {
                assert_eq!(played.written().as_deref(), Some("from the model"), "it is still worked on");
                assert_eq!(played.requests[1].texts(), ["go", "writing"], "and the model knows what it said");
            },
            ..row("suppress", "AfterModel", json!({"suppressOutput": true}))
        },
        Row {
            turns: write_then_done(),
            check: |played| {
                assert_eq!(played.requests[1].texts(), ["go", "writing", "\n\n[System] cite sources"]);
                assert!(!played.stderr.contains("cite sources"), "{}", played.stderr);
            },
            stdout: "writing\ndone\n",
            ..row("system message", "AfterModel", json!({"systemMessage": "cite sources"}))
        },
        Row {
            turns: write_then_done(),
            exit: STOPPED,
            stdout: "",
            check: |played| {
                assert_eq!(played.written(), None);
                assert_eq!((played.asked(), played.turns_left), (1, 1));
                assert!(played.stderr.contains("a hook stopped the agent: off topic"), "{}", played.stderr);
            },
            ..row("stop", "AfterModel", json!({"continue": false, "stopReason": "off topic"}))
        },
        Row {
            turns: write_then_done(),
            stdout: "writing\ndone\n",
            check: |played| {
                assert_eq!(played.written().as_deref(), Some("from the model"));
                assert!(played.requests[1].mentions("[System] too wordy"));
            },
            ..row("a block comes too late", "AfterModel", json!({"decision": "block", "reason": "too wordy"}))
        },
    ]);
}
