//! What holds for any payload and anything hooks may say.

use crate::keys::codex_complaint;
use crate::measured::{Effect, MEASURED, effect};
use crate::verdicts::verdict;
use crate::{fixtures, verdicts};
use hookrail_core::Decision;
use hookrail_dialects::{detect, dialect};
use proptest::prelude::*;
use serde_json::{Map, Value};

/// Field names that agents and hooks use, and some that none uses.
const WORDS: &[&str] = &[
    "hook_event_name",
    "session_id",
    "sessionId",
    "cwd",
    "timestamp",
    "transcript_path",
    "tool_name",
    "toolName",
    "tool_input",
    "toolArgs",
    "tool_response",
    "tool_result",
    "command",
    "file_path",
    "path",
    "questions",
    "question",
    "replacements",
    "filePath",
    "mcp_context",
    "mcp_server",
    "mcp_server_name",
    "server_name",
    "name",
    "workspace_roots",
    "decision",
    "reason",
    "continue",
    "stopReason",
    "systemMessage",
    "suppressOutput",
    "hookSpecificOutput",
    "permissionDecision",
    "permissionDecisionReason",
    "additionalContext",
    "llm_response",
    "toolConfig",
    "watchPaths",
    "",
];

const TEXTS: &[&str] = &[
    "PreToolUse",
    "BeforeTool",
    "preToolUse",
    "Stop",
    "AfterAgent",
    "PreCompact",
    "SessionEnd",
    "beforeMCPExecution",
    "Bash",
    "apply_patch",
    "Write",
    "mcp__a__b",
    "mcp__",
    "mcp_a",
    "MCP:",
    "str_replace_editor",
    "block",
    "deny",
    "ask",
    "allow",
    "*** Add File: x",
    "{\"a\":1}",
    "\u{0}\u{feff}",
    "",
];

fn json() -> impl Strategy<Value = Value> {
    let text =
        prop_oneof![4 => proptest::sample::select(TEXTS).prop_map(Value::from), 1 => ".{0,12}".prop_map(Value::from)];
    let leaf = prop_oneof![
        4 => text,
        1 => Just(Value::Null),
        1 => any::<bool>().prop_map(Value::from),
        1 => any::<i64>().prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 6, |inner| {
        let key = prop_oneof![8 => proptest::sample::select(WORDS).prop_map(str::to_owned), 1 => ".{0,6}"];
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::vec((key, inner), 0..8)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

fn object() -> impl Strategy<Value = Map<String, Value>> {
    let field = (proptest::sample::select(WORDS).prop_map(str::to_owned), json());
    proptest::collection::vec(field, 0..10).prop_map(|fields| fields.into_iter().collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn any_object_can_be_read_and_any_verdict_written(payload in object(), output in object()) {
        let found = detect(&payload, &|_| None);
        prop_assert!(hookrail_dialects::all().iter().any(|dialect| dialect.name() == found.name()));
        for dialect in hookrail_dialects::all() {
            let event = dialect.decode(payload.clone());
            let answer = dialect.encode(&event, &verdict(&event.name, Value::Object(output.clone())));
            match answer.exit_code {
                0 => {
                    prop_assert_eq!(&answer.stderr, "");
                    let silent = answer.stdout.is_empty();
                    prop_assert!(silent || serde_json::from_str::<Map<String, Value>>(&answer.stdout).is_ok());
                }
                code => {
                    prop_assert_eq!(code, 2);
                    prop_assert!(answer.stdout.is_empty() && !answer.stderr.trim().is_empty());
                }
            }
        }
    }

    #[test]
    fn codex_accepts_every_answer_to_anything_hooks_say(output in object()) {
        let keys = fixtures::read("codex-keys.json");
        let codex = dialect("codex").expect("codex");
        for native in codex.native_events() {
            let event = codex.decode(verdicts::payload(codex, native));
            let answer = codex.encode(&event, &verdict(&event.name, Value::Object(output.clone())));
            prop_assert_eq!(codex_complaint(&keys, native, &answer), None, "{} {:?}", native, answer);
        }
    }

    #[test]
    fn whatever_else_hooks_say_a_refusal_before_a_tool_refuses(output in object(), payload in object()) {
        for (agent, native) in MEASURED {
            let dialect = dialect(agent).expect(agent);
            let mut payload = payload.clone();
            payload.insert("hook_event_name".to_owned(), Value::from(native));
            let event = dialect.decode(payload);
            let verdict = verdict(&event.name, Value::Object(output.clone()));
            let answer = dialect.encode(&event, &verdict);
            if verdict.decision() >= Decision::Ask {
                prop_assert_eq!(effect(agent, &answer), Effect::Blocked, "{} {:?}", agent, answer);
            } else {
                prop_assert_eq!(effect(agent, &answer), Effect::Ran, "{} {:?}", agent, answer);
            }
        }
    }
}
