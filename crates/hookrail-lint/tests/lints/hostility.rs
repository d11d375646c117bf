use crate::machine::findings;
use hookrail_lint::Finding;
use proptest::prelude::*;
use std::time::{Duration, Instant};

const AGENTS: [&str; 7] = ["claude", "plugin", "gemini", "llxprt", "codex", "codex-toml", "hookrail"];

/// Every finding can be shown: it lies in its source, at the borders of characters.
fn can_be_shown(findings: &[Finding]) {
    for finding in findings {
        assert!(finding.source.text.get(finding.span.clone()).is_some(), "{finding:?}");
        assert!(finding.place().line >= 1);
    }
}

fn with_script(name: &str, script: &str) -> Vec<Finding> {
    let text =
        format!("{{\"hooks\": {{\"Stop\": [{{\"hooks\": [{{\"type\": \"command\", \"command\": \"./{name}\"}}]}}]}}}}");
    findings("claude", &text, &[(name, script)])
}

/// Pieces that mean something, in an order that means nothing.
fn pieces(words: &'static [&'static str]) -> impl Strategy<Value = String> {
    proptest::collection::vec(prop_oneof![proptest::sample::select(words).prop_map(str::to_owned), "\\PC{0,3}"], 0..40)
        .prop_map(|pieces| pieces.concat())
}

const CONFIG: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    ":",
    ",",
    "\"hooks\"",
    "\"PreToolUse\"",
    "\"matcher\"",
    "\"Write|\\u00e9\"",
    "\"command\"",
    "\"type\"",
    "\"timeout\"",
    "5",
    "-1",
    "\"$TOOL_INPUT \\\"x\"",
    "// x\n",
    "\n",
    "[[hooks.Stop]]\n",
    "command = 'é $X'\n",
    "null",
    "\"^(a|b\"",
];
const SCRIPT: &[&str] = &[
    "echo ",
    "\"",
    "'",
    "é",
    "exit 1",
    "exit 2",
    "\n",
    "{",
    "}",
    "f() {",
    "<<EOF",
    "EOF",
    "#",
    "//",
    "/*",
    "*/",
    "print(",
    ")",
    "$(",
    "permissionDecision",
    ": ",
    "deny",
    "decision",
    "\\",
    "process.exit(2)",
    "jq -n",
    "|",
    ">&2",
    "additionalContext",
    "console.log(",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_text_makes_a_lint_fail(text in "\\PC{0,200}", mixed in pieces(CONFIG)) {
        for agent in AGENTS {
            can_be_shown(&findings(agent, &text, &[]));
            can_be_shown(&findings(agent, &mixed, &[]));
        }
    }

    #[test]
    fn no_command_or_matcher_makes_a_lint_fail(command in "\\PC{0,60}", matcher in "[A-Za-z|^$()\\[\\]*é,. _:-]{0,30}") {
        let text = |text: &str| text.replace('\\', "\\\\").replace('"', "\\\"");
        let hook = format!("{{\"type\": \"command\", \"command\": \"{}\"}}", text(&command));
        for (agent, event) in [("claude", "PreToolUse"), ("gemini", "BeforeTool"), ("codex", "SessionStart")] {
            let file = format!("{{\"hooks\": {{\"{event}\": [{{\"matcher\": \"{}\", \"hooks\": [{hook}]}}]}}}}", text(&matcher));
            can_be_shown(&findings(agent, &file, &[]));
        }
    }

    #[test]
    fn no_script_makes_a_lint_fail(text in "\\PC{0,200}", mixed in pieces(SCRIPT)) {
        for name in ["a.sh", "a.py", "a.mjs"] {
            can_be_shown(&with_script(name, &text));
            can_be_shown(&with_script(name, &mixed));
        }
    }
}

#[test]
fn large_files_do_not_take_for_ever() {
    let hook = r#"{"type": "comand", "command": "bash a.sh", "timeout": 99999}"#;
    let group = format!("{{\"matcher\": \"bash|{}\", \"hooks\": [{}]}}", "x|".repeat(100), vec![hook; 200].join(","));
    let many = format!("{{\"hooks\": {{\"PreToolUse\": [{}]}}}}", vec![group; 20].join(","));
    let deep = format!("{{\"hooks\": {}", "[".repeat(100_000));
    let matcher =
        format!("{{\"hooks\": {{\"PreToolUse\": [{{\"matcher\": \"{}\", \"hooks\": []}}]}}}}", "a|".repeat(100_000));
    let script = "echo \"a\" <<E\nf() {\n".repeat(60_000);
    let begun = Instant::now();
    for text in [&many, &deep, &matcher] {
        assert!(findings("claude", text, &[("a.sh", &script)]).len() <= 500);
    }
    with_script("a.sh", &script);
    with_script("a.sh", &"echo \"a\" <<E\nf() {\n".repeat(2400));
    assert!(begun.elapsed() < Duration::from_secs(60), "{:?}", begun.elapsed());
}
