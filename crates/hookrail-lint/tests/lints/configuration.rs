use crate::machine::{findings, shown};

/// A hook file of an agent, what stands below `hooks`, and what is found.
type Case<'a> = (&'a str, &'a str, &'a [&'a str]);

const FILES: &[(&str, &str)] = &[("ok.sh", "exit 0\n"), ("plain.sh!", "exit 0\n")];

fn check(cases: &[Case<'_>]) {
    for (agent, hooks, expected) in cases {
        let text = format!("{{\"hooks\": {hooks}}}");
        check_text(agent, &text, expected);
    }
}

fn check_text(agent: &str, text: &str, expected: &[&str]) {
    let got: Vec<String> = findings(agent, text, FILES).iter().map(shown).collect();
    assert_eq!(got, expected, "{agent}: {text}");
}

/// A group with one good hook.
macro_rules! hook {
    ($matcher:literal) => {
        concat!(r#"[{"matcher": ""#, $matcher, r#"", "hooks": [{"type": "command", "command": "true"}]}]"#)
    };
    () => {
        r#"[{"hooks": [{"type": "command", "command": "true"}]}]"#
    };
}

#[test]
fn a_good_file_has_no_findings() {
    let gemini = concat!(r#"{"hooks": {"BeforeTool": "#, hook!("^(write_file|replace)$"), "}} // why not");
    let llxprt = concat!(r#"{"hooksConfig": {"enabled": true}, "hooks": {"BeforeTool": "#, hook!("ast_edit"), "}}");
    let claude = concat!(
        r#"{"$schema": "x", "hooks": {"PreToolUse": "#,
        hook!("Bash|mcp__memory__.*"),
        r#", "SessionStart": "#,
        hook!("startup|compact"),
        r#", "SubagentStop": "#,
        hook!("^team:lead$"),
        "}}"
    );
    let codex = concat!(r#"{"description": "x", "hooks": {"PreToolUse": "#, hook!("Write|Edit"), "}}");
    let toml = "[[hooks.PreToolUse]]\nmatcher = \"Bash\"\n[[hooks.PreToolUse.hooks]]\ntype = \"command\"\ncommand = \"true\"\n\
                [hooks.state.\"x:pre_tool_use:0:0\"]\ntrusted_hash = \"sha256:1\"\n";
    for (agent, text) in [
        ("gemini", gemini),
        ("llxprt", llxprt),
        ("claude", claude),
        ("codex", codex),
        ("codex-toml", toml),
        ("claude", "{}"),
    ] {
        check_text(agent, text, &[]);
    }
}

#[test]
fn files_that_cannot_be_read_are_told_with_the_place() {
    check_text("claude", "{\n  \"hooks\": {\n", &["syntax 2:12 {"]);
    check_text("claude", "{\"a\": 1\n \"b\": 2}", &["syntax 1:8 "]);
    check_text("codex-toml", "hooks = [", &["syntax 1:10 "]);
}

#[test]
fn what_an_agent_does_not_read_beside_json_is_told() {
    check_text("claude", "{ // x\n\"hooks\": {},}", &["jsonc 1:3 // x", "jsonc 2:12 ,"]);
    check_text("codex", "{/* x */\"hooks\": {}}", &["jsonc 1:2 /* x */"]);
    check_text("gemini", "{ // x\n\"hooks\": {},}", &["jsonc 2:12 ,"]);
    check_text("gemini", "\u{feff}{}", &["jsonc 1:1 \u{feff}"]);
    check_text("claude", "\u{feff}{}", &[]);
}

#[test]
fn the_shape_of_a_file_is_checked() {
    let outside = concat!(r#"{"PreToolUse": "#, hook!(), "}");
    check_text("claude", outside, &["hooks-outside 1:2 \"PreToolUse\""]);
    check_text("plugin", outside, &["hooks-outside 1:2 \"PreToolUse\""]);
    check_text("codex", r#"{"$schema": "x", "hooks": {}}"#, &["root-key 1:2 \"$schema\""]);
    check(&[
        ("claude", "[]", &["wrong-shape 1:11 []"]),
        ("claude", r#"{"Stop": {}}"#, &["wrong-shape 1:20 {}"]),
        ("claude", r#"{"Stop": ["x"]}"#, &["wrong-shape 1:21 \"x\""]),
        ("claude", r#"{"Stop": [{}]}"#, &["wrong-shape 1:21 {}"]),
        ("claude", r#"{"Stop": [{"hooks": []}]}"#, &["wrong-shape 1:31 []"]),
        ("claude", r#"{"Stop": [{"hooks": ["x"]}]}"#, &["wrong-shape 1:32 \"x\""]),
        (
            "claude",
            r#"{"Stop": [{"type": "command", "command": "true"}]}"#,
            &["wrong-shape 1:21 {\"type\": \"command\", \"command\": \"true\"}"],
        ),
        (
            "claude",
            r#"{"PreToolUse": [{"matcher": ["Bash"], "hooks": [{"type": "command", "command": "true"}]}]}"#,
            &["wrong-shape 1:39 [\"Bash\"]"],
        ),
        (
            "claude",
            concat!(r#"{"Stop": "#, hook!(), r#", "Stop": "#, hook!(), "}"),
            &["duplicate-key 1:12 \"Stop\"", "duplicate-hook 1:126 \"true\""],
        ),
    ]);
}

#[test]
fn unknown_events_suggest_what_was_meant() {
    let cases = [
        ("claude", "preToolUse", "PreToolUse"),
        ("claude", "BeforeTool", "PreToolUse"),
        ("gemini", "PreToolUse", "BeforeTool"),
        ("gemini", "Stop", "AfterAgent"),
        ("codex", "PostToolUes", "PostToolUse"),
        ("llxprt", "PreCompact", "PreCompress"),
    ];
    for (agent, name, meant) in cases {
        let text = format!("{{\"hooks\": {{\"{name}\": []}}}}");
        let found = findings(agent, &text, FILES);
        let hint = found.first().and_then(|finding| finding.hint.clone());
        let found: Vec<String> = found.iter().map(shown).collect();
        assert_eq!(found, [format!("unknown-event 1:12 \"{name}\"")], "{agent} {name}");
        assert_eq!(hint, Some(format!("did you mean `{meant}`?")), "{agent} {name}");
    }
}

#[test]
fn hooks_that_are_switched_off_are_told() {
    let with = |setting: &str| format!(concat!("{{{}\"hooks\": {{\"SessionEnd\": ", "{}", "}}}}"), setting, hook!());
    check_text("claude", &with("\"disableAllHooks\": true, "), &["hooks-off 1:21 true"]);
    check_text("gemini", &with("\"hooksConfig\": {\"enabled\": false}, "), &["hooks-off 1:29 false"]);
    check_text("llxprt", &with(""), &["hooks-off 1:2 \"hooks\""]);
    check_text("llxprt", &with("\"hooksConfig\": {\"enabled\": true}, "), &[]);
    let old = |setting: &str, enabled: bool| {
        format!(concat!("{{{}\"hooks\": {{\"enabled\": {}, \"SessionEnd\": ", "{}", "}}}}"), setting, enabled, hook!())
    };
    check_text("llxprt", &old("", true), &[]);
    check_text("llxprt", &old("", false), &["hooks-off 1:23 false"]);
    check_text("llxprt", &old("\"hooksConfig\": {\"enabled\": true}, ", false), &[]);
}

#[test]
fn matchers_are_held_against_the_agents_own_names() {
    check(&[
        (
            "gemini",
            concat!(r#"{"BeforeTool": "#, hook!("Write|Edit"), "}"),
            &["matcher-never-matches 1:39 \"Write|Edit\""],
        ),
        ("gemini", concat!(r#"{"BeforeTool": "#, hook!("Bash|replace"), "}"), &["matcher-unknown-tool 1:40 Bash"]),
        (
            "claude",
            concat!(r#"{"PreToolUse": "#, hook!("run_shell_command"), "}"),
            &["matcher-never-matches 1:39 \"run_shell_command\""],
        ),
        ("claude", concat!(r#"{"PreToolUse": "#, hook!("bash"), "}"), &["matcher-never-matches 1:39 \"bash\""]),
        (
            "claude",
            concat!(r#"{"PreToolUse": "#, hook!("mcp__memory"), "}"),
            &["matcher-never-matches 1:39 \"mcp__memory\""],
        ),
        ("claude", concat!(r#"{"PreToolUse": "#, hook!("Frobnicate"), "}"), &["matcher-unknown-tool 1:40 Frobnicate"]),
        (
            "gemini",
            concat!(r#"{"BeforeTool": "#, hook!("WriteFile|Edit"), "}"),
            &["matcher-never-matches 1:39 \"WriteFile|Edit\""],
        ),
        (
            "codex",
            concat!(r#"{"PreToolUse": "#, hook!("Read|Grep"), "}"),
            &["matcher-never-matches 1:39 \"Read|Grep\""],
        ),
        (
            "codex",
            concat!(r#"{"PreToolUse": "#, hook!("write_file"), "}"),
            &["matcher-never-matches 1:39 \"write_file\""],
        ),
        (
            "gemini",
            concat!(r#"{"BeforeTool": "#, hook!("mcp__a__b"), "}"),
            &["matcher-never-matches 1:39 \"mcp__a__b\""],
        ),
        (
            "gemini",
            concat!(r#"{"SessionStart": "#, hook!("startup|resume"), "}"),
            &["matcher-never-matches 1:41 \"startup|resume\""],
        ),
        (
            "claude",
            concat!(r#"{"SessionStart": "#, hook!("startup|reload"), "}"),
            &["matcher-never-matches 1:50 reload"],
        ),
        ("gemini", concat!(r#"{"PreCompress": "#, hook!("automatic"), "}"), &["matcher-never-matches 1:41 automatic"]),
        ("claude", concat!(r#"{"PreToolUse": "#, hook!("Write.*"), "}"), &["matcher-unanchored 1:39 \"Write.*\""]),
        (
            "claude",
            concat!(r#"{"SubagentStop": "#, hook!("team:lead"), "}"),
            &["matcher-unanchored 1:41 \"team:lead\""],
        ),
        ("gemini", concat!(r#"{"BeforeTool": "#, hook!("write"), "}"), &["matcher-unanchored 1:39 \"write\""]),
        ("claude", concat!(r#"{"PreToolUse": "#, hook!(""), "}"), &["matcher-empty 1:39 \"\""]),
        ("claude", concat!(r#"{"PreToolUse": "#, hook!("Write|"), "}"), &["matcher-empty 1:39 \"Write|\""]),
        ("claude", concat!(r#"{"Stop": "#, hook!("Bash"), "}"), &["matcher-ignored 1:33 \"Bash\""]),
        ("gemini", concat!(r#"{"BeforeModel": "#, hook!("x"), "}"), &["matcher-ignored 1:40 \"x\""]),
        ("claude", concat!(r#"{"Stop": "#, hook!(""), "}"), &[]),
        ("claude", concat!(r#"{"PreToolUse": "#, hook!("[Bash"), "}"), &["matcher-regex 1:39 \"[Bash\""]),
        ("claude", concat!(r#"{"PreToolUse": "#, hook!("*Edit"), "}"), &["matcher-regex 1:39 \"*Edit\""]),
    ]);
}

#[test]
fn the_fields_of_a_hook_are_checked() {
    let claude = |event: &str, fields: &str, expected: &[&str]| {
        check_text("claude", &format!("{{\"hooks\": {{\"{event}\": [{{\"hooks\": [\n{{{fields}}}]}}]}}}}"), expected);
    };
    claude("Stop", r#""command": "true""#, &["hook-type 2:1 {\"command\": \"true\"}"]);
    claude("Stop", r#""type": "comand", "command": "true""#, &["hook-type 2:10 \"comand\""]);
    claude("Stop", r#""type": 1"#, &["hook-type 2:10 1"]);
    claude("Stop", r#""type": "command""#, &["missing-field 2:1 {\"type\": \"command\"}"]);
    claude("Stop", r#""type": "command", "command": " ""#, &["missing-field 2:32 \" \""]);
    claude("Stop", r#""type": "http""#, &["missing-field 2:1 {\"type\": \"http\"}"]);
    claude("SessionStart", r#""type": "prompt", "prompt": "x""#, &["hook-not-run 2:10 \"prompt\""]);
    claude("Stop", r#""type": "prompt", "prompt": "x""#, &[]);
    claude("Stop", r#""type": "command", "command": "true", "timeout": 30000"#, &["timeout-unit 2:51 30000"]);
    claude("Stop", r#""type": "command", "command": "true", "timeout": 700"#, &["timeout-long 2:51 700"]);
    claude("SessionEnd", r#""type": "command", "command": "true", "timeout": 90"#, &["timeout-long 2:51 90"]);
    claude("Stop", r#""type": "command", "command": "true", "timeout": "5s""#, &["timeout-value 2:51 \"5s\""]);
    claude("Stop", r#""type": "command", "command": "true", "timeout": 0"#, &["timeout-value 2:51 0"]);
    claude("Stop", r#""type": "command", "command": "true", "timout": 5"#, &["unknown-key 2:40 \"timout\""]);
    claude("Stop", r#""type": "command", "command": "true", "matcher": "x""#, &["unknown-key 2:40 \"matcher\""]);
    claude("Stop", r#""type": "command", "command": "true", "if": "Bash(git *)""#, &["if-never-runs 2:40 \"if\""]);
    claude("PreToolUse", r#""type": "command", "command": "true", "if": "Bash(git *)""#, &[]);
    check(&[
        (
            "gemini",
            r#"{"AfterTool": [{"hooks": [{"type": "command", "command": "true", "timeout": 5}]}]}"#,
            &["timeout-unit 1:87 5"],
        ),
        (
            "gemini",
            r#"{"AfterTool": [{"hooks": [{"type": "prompt", "prompt": "x"}]}]}"#,
            &["hook-type 1:46 \"prompt\""],
        ),
        ("codex", r#"{"Stop": [{"hooks": [{"type": "prompt", "prompt": "x"}]}]}"#, &["hook-not-run 1:41 \"prompt\""]),
        (
            "claude",
            r#"{"Stop": [{"timeout": 5, "hooks": [{"type": "command", "command": "true"}]}]}"#,
            &["unknown-key 1:22 \"timeout\""],
        ),
    ]);
}

#[test]
fn commands_are_looked_into() {
    let check = |agent: &str, command: &str, expected: &[&str]| {
        let event = if agent == "gemini" { "AfterAgent" } else { "Stop" };
        let json = command.replace('"', "\\\"");
        let hook = format!("{{\"type\": \"command\", \"command\":\n\"{json}\"}}");
        check_text(agent, &format!("{{\"hooks\": {{\"{event}\": [{{\"hooks\": [{hook}]}}]}}}}"), expected);
    };
    check("claude", "bash ok.sh", &[]);
    check("claude", "\"$CLAUDE_PROJECT_DIR\"/ok.sh", &[]);
    check("claude", "bash gone.sh", &["script-missing 2:7 gone.sh"]);
    check("claude", "./plain.sh --x", &["script-not-executable 2:2 ./plain.sh"]);
    check("claude", "sh plain.sh", &[]);
    check("claude", "nowhere --x", &["command-not-found 2:2 nowhere"]);
    check("claude", "$CLAUDE_PROJECT_DIR/ok.sh", &["unquoted-variable 2:2 $CLAUDE_PROJECT_DIR"]);
    check("claude", "echo $TOOL_INPUT", &["unset-variable 2:7 $TOOL_INPUT"]);
    check("claude", "TOOL_INPUT=1 sh -c 'echo $TOOL_INPUT'", &[]);
    check("claude", "\"${CLAUDE_PLUGIN_ROOT}\"/x.sh", &["unset-variable 2:4 ${CLAUDE_PLUGIN_ROOT}"]);
    check("codex", "sh \"$CLAUDE_PROJECT_DIR\"/x.sh", &["unset-variable 2:7 $CLAUDE_PROJECT_DIR"]);
    check("gemini", "sh \"$CLAUDE_PROJECT_DIR\"/ok.sh", &[]);
}

#[test]
fn scripts_of_settings_for_every_project_are_not_missed_in_this_one() {
    let text = r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "bash hooks/only-there.sh"}]}]}}"#;
    let source = hookrail_lint::Source { path: "/home/me/.claude/settings.json".into(), text: text.to_owned() };
    let kind = hookrail_lint::recognise(&source.path, text).unwrap();
    assert_eq!(hookrail_lint::check(kind, &source.into(), &crate::machine::ProjectFiles(&[])), []);
}

#[test]
fn a_plugins_scripts_are_found_below_its_folder() {
    let text = r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "bash \"${CLAUDE_PLUGIN_ROOT}/gone.sh\""}]}]}}"#;
    let codes: Vec<&str> = findings("plugin", text, FILES).iter().map(|finding| finding.code).collect();
    assert_eq!(codes, ["script-missing"]);
    let text = text.replace("gone.sh", "ok.sh");
    assert_eq!(findings("plugin", &text, FILES), []);
}
