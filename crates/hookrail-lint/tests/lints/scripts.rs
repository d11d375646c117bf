use crate::machine::{findings, shown};

/// Where the script runs, its name, its text, and what is found in it.
type Case<'a> = (&'a str, &'a str, &'a str, &'a str, &'a [&'a str]);

fn check(cases: &[Case<'_>]) {
    for (agent, event, name, script, expected) in cases {
        let interpreter = match name.rsplit('.').next() {
            Some("py") => "python3",
            Some("mjs") => "node",
            _ => "bash",
        };
        let hook = format!("{{\"type\": \"command\", \"command\": \"{interpreter} {name}\"}}");
        let text = format!(
            "{{\"hooksConfig\": {{\"enabled\": true}}, \"hooks\": {{\"{event}\": [{{\"hooks\": [{hook}]}}]}}}}"
        );
        let text = if *agent == "codex" { text.replace("\"hooksConfig\": {\"enabled\": true}, ", "") } else { text };
        let got: Vec<String> = findings(agent, &text, &[(name, script)]).iter().map(shown).collect();
        assert_eq!(got, *expected, "{agent} {event} {script}");
    }
}

const GOOD_DENY: &str = r#"#!/bin/bash
input=$(cat)
echo "looking at it" >&2
if grep -q secret <<<"$input"; then
  echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no"}}'
fi
exit 0
"#;

const GOOD_EXIT: &str = r#"import json, sys
event = json.load(sys.stdin)
if event["tool_name"] == "Bash":
    print("blocked: no shell today", file=sys.stderr)
    sys.exit(2)
# exit(1) when blocked
sys.exit(0)
"#;

#[test]
fn good_scripts_have_no_findings() {
    check(&[
        ("claude", "PreToolUse", "a.sh", GOOD_DENY, &[]),
        ("codex", "PreToolUse", "a.sh", GOOD_DENY, &[]),
        ("claude", "PreToolUse", "a.py", GOOD_EXIT, &[]),
        ("gemini", "BeforeTool", "a.py", GOOD_EXIT, &[]),
        ("claude", "PreToolUse", "a.mjs", "console.error('denied');\nprocess.exit(2);\n", &[]),
        ("claude", "PreToolUse", "a.sh", "jq . || exit 1\n", &[]),
        ("claude", "PostToolUse", "a.sh", "npm test || { echo 'tests rejected'; exit 1; }\n", &[]),
    ]);
}

#[test]
fn answers_that_are_not_heard_are_found() {
    let without_event = r#"echo '{"hookSpecificOutput":{"permissionDecision":"deny"}}'"#;
    let outside = "print(json.dumps({\n  'permissionDecision': 'deny',\n  'permissionDecisionReason': 'x'}))\n";
    let deny = "console.log(JSON.stringify({ decision: 'deny', reason: 'x' }));\n";
    let permission = GOOD_DENY;
    check(&[
        ("claude", "PreToolUse", "a.sh", without_event, &["answer-without-event 1:31 permissionDecision"]),
        ("claude", "PreToolUse", "a.py", outside, &["decision-not-heard 2:4 permissionDecision': 'deny"]),
        ("claude", "PreToolUse", "a.mjs", deny, &["decision-not-heard 1:30 decision: 'deny"]),
        ("codex", "PreToolUse", "a.mjs", deny, &["decision-not-heard 1:30 decision: 'deny"]),
        ("gemini", "BeforeTool", "a.mjs", deny, &[]),
        ("gemini", "BeforeTool", "a.sh", permission, &["decision-not-heard 5:62 permissionDecision\":\"deny"]),
        ("codex", "PreToolUse", "a.sh", r#"echo '{"decision":"block"}'"#, &["reason-missing 1:9 decision\":\"block"]),
        ("claude", "PreToolUse", "a.sh", r#"echo '{"decision":"block","reason":"x"}'"#, &[]),
        (
            "codex",
            "PreToolUse",
            "a.sh",
            r#"echo '{"decision":"block","reason":"x","suppressOutput":true}'"#,
            &["rejected-answer 1:41 suppressOutput"],
        ),
        (
            "claude",
            "PreToolUse",
            "a.sh",
            r#"echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}'"#,
            &["explicit-allow 1:60 permissionDecision\":\"allow"],
        ),
        (
            "claude",
            "PreCompact",
            "a.sh",
            r#"echo '{"hookSpecificOutput":{"hookEventName":"PreCompact","additionalContext":"x"}}'"#,
            &["context-on-compaction 1:60 additionalContext"],
        ),
        (
            "claude",
            "PreToolUse",
            "a.sh",
            "echo \"checking\"\ntrue\ntrue\necho '{\"decision\":\"block\",\"reason\":\"x\"}'\n",
            &["text-beside-json 1:1 echo \"checking\""],
        ),
        (
            "claude",
            "PreToolUse",
            "a.py",
            "print('checking')\nx = 1\ny = 2\nz = 3\nprint(json.dumps({'decision': 'block', 'reason': 'x'}))\n",
            &["text-beside-json 1:1 print('checking'"],
        ),
    ]);
}

#[test]
fn what_a_function_hands_back_is_not_taken_for_a_log_line() {
    let script = "resolve() {\n  echo \"path of $1\"\n}\nwhere=$(resolve x)\ntrue\ntrue\n\
                  echo '{\"decision\":\"block\",\"reason\":\"x\"}'\n";
    let variable = "echo \"$where\"\ntrue\ntrue\ntrue\necho '{\"decision\":\"block\",\"reason\":\"x\"}'\n";
    check(&[("claude", "PreToolUse", "a.sh", script, &[]), ("claude", "PreToolUse", "a.sh", variable, &[])]);
}

#[test]
fn exits_that_do_not_do_what_was_meant_are_found() {
    check(&[
        ("claude", "PreToolUse", "a.sh", "echo 'Blocked: no' >&2\nexit 1\n", &["exit-one 2:1 exit 1"]),
        (
            "claude",
            "PreToolUse",
            "a.py",
            "print('denied', file=sys.stderr)\nsys.exit(1)\n",
            &["exit-one 2:1 sys.exit(1)"],
        ),
        (
            "gemini",
            "BeforeTool",
            "a.mjs",
            "console.error('not allowed');\nprocess.exit(1);\n",
            &["exit-one 2:1 process.exit(1)"],
        ),
        ("claude", "PreToolUse", "a.sh", "echo 'no rm'\nexit 2\n", &["reason-on-stdout 1:1 echo 'no rm'"]),
        ("codex", "PreToolUse", "a.py", "print('no rm')\nsys.exit(2)\n", &["reason-on-stdout 1:1 print('no rm'"]),
        ("gemini", "BeforeTool", "a.sh", "echo 'no rm'\nexit 2\n", &[]),
        (
            "claude",
            "PreToolUse",
            "a.sh",
            "cat <<EOF\n{\n\"continue\": false,\n\"additionalContext\": \"x\"\n}\nEOF\nexit 2\n",
            &["reason-on-stdout 1:1 cat <<EOF", "context-outside 4:2 additionalContext"],
        ),
        ("gemini", "BeforeTool", "a.sh", "grep -q rm && exit 2\n", &["silent-exit-two 1:15 exit 2"]),
        ("codex", "PreToolUse", "a.sh", "grep -q rm && exit 2\n", &["silent-exit-two 1:15 exit 2"]),
        ("claude", "PreToolUse", "a.sh", "grep -q rm && exit 2\n", &[]),
    ]);
}

#[test]
fn hooks_that_never_let_an_agent_stop_are_found() {
    let blocking = "echo '{\"decision\":\"block\",\"reason\":\"go on\"}'\n";
    let careful =
        "grep -q '\"stop_hook_active\":true' && exit 0\necho '{\"decision\":\"block\",\"reason\":\"go on\"}'\n";
    check(&[
        ("claude", "Stop", "a.sh", blocking, &["endless-stop 1:9 decision\":\"block"]),
        ("gemini", "AfterAgent", "a.sh", "echo more >&2\nexit 2\n", &["endless-stop 2:1 exit 2"]),
        ("claude", "Stop", "a.sh", careful, &[]),
        ("claude", "PreToolUse", "a.sh", blocking, &[]),
    ]);
}

#[test]
fn events_read_from_the_wrong_place_are_found() {
    check(&[
        ("claude", "PreToolUse", "a.sh", "echo \"$TOOL_INPUT\" | grep rm\n", &["event-variable 1:7 $TOOL_INPUT"]),
        ("claude", "PreToolUse", "a.sh", "TOOL_INPUT=$(cat)\necho \"$TOOL_INPUT\" | grep rm\n", &[]),
        (
            "claude",
            "PreToolUse",
            "a.py",
            "os.environ.get('CLAUDE_TOOL_INPUT')\n",
            &["event-variable 1:4 environ.get('CLAUDE_TOOL_INPUT'"],
        ),
        (
            "gemini",
            "BeforeTool",
            "a.mjs",
            "const x = process.env.TOOL_INPUT;\n",
            &["event-variable 1:11 process.env.TOOL_INPUT"],
        ),
        ("claude", "PostToolUse", "a.sh", "jq .tool_result\n", &["renamed-field 1:5 tool_result"]),
        ("claude", "PostToolUse", "a.sh", "jq '.tool_response // .tool_result'\n", &[]),
        ("claude", "PreToolUse", "a.mjs", "if (e.tool_name !== 'Task') return;\n", &["renamed-tool 1:17 !== 'Task'"]),
        ("claude", "PreToolUse", "a.mjs", "if (!['Task', 'Agent'].includes(e.tool_name)) return;\n", &[]),
    ]);
}

#[test]
fn a_script_of_many_events_is_complained_about_once() {
    let group = r#"[{"hooks": [{"type": "command", "command": "bash a.sh"}]}]"#;
    let text = format!("{{\"hooks\": {{\"PreToolUse\": {group}, \"UserPromptSubmit\": {group}}}}}");
    let got: Vec<String> =
        findings("claude", &text, &[("a.sh", "echo denied >&2\nexit 1\n")]).iter().map(shown).collect();
    assert_eq!(got, ["exit-one 2:1 exit 1"]);
}

#[test]
fn command_hooks_of_hookrail_itself_are_looked_into() {
    let entry = |command: &str| format!("[[command]]\nname = \"x\"\nevent = \"BeforeTool\"\ncommand = \"{command}\"\n");
    let files = [("deny.sh", "echo denied >&2\nexit 1\n"), ("plain.sh!", "exit 0\n")];
    let cases = [
        ("bash deny.sh", "exit-one 2:1 exit 1"),
        ("./plain.sh", "script-not-executable 4:12 ./plain.sh"),
        ("bash gone.sh", "script-missing 4:17 gone.sh"),
        ("nowhere", "command-not-found 4:12 nowhere"),
    ];
    for (command, expected) in cases {
        let got: Vec<String> = findings("hookrail", &entry(command), &files).iter().map(shown).collect();
        assert_eq!(got, [expected], "{command}");
    }
    assert_eq!(findings("hookrail", &entry("sh plain.sh"), &files), []);
}

#[test]
fn small_scripts_in_the_command_line_are_looked_into() {
    let cases: [(&str, &str, &[&str]); 5] = [
        ("claude", "grep -q rm && { echo 'Blocked' >&2; exit 1; }", &["exit-one 1:106 exit 1"]),
        ("claude", "echo '{\\\"decision\\\": \\\"deny\\\"}'", &["decision-not-heard 1:79 decision\\\": \\\"deny"]),
        ("claude", "echo $TOOL_INPUT; exit 0", &["unset-variable 1:75 $TOOL_INPUT"]),
        ("claude", "grep -q rm && { echo 'Blocked' >&2; exit 2; }", &[]),
        ("codex", "grep -q rm && exit 2", &["silent-exit-two 1:84 exit 2"]),
    ];
    for (agent, command, expected) in cases {
        let text = format!(
            "{{\"hooks\": {{\"PreToolUse\": [{{\"hooks\": [{{\"type\": \"command\", \"command\": \"{command}\"}}]}}]}}}}"
        );
        let got: Vec<String> = findings(agent, &text, &[]).iter().map(shown).collect();
        assert_eq!(got, expected, "{agent} {command}");
    }
}

#[test]
fn a_script_may_say_that_something_is_meant() {
    let script = |note: &str| format!("echo denied >&2\nexit 1 # hookrail: {note}\n");
    check(&[
        ("claude", "PreToolUse", "a.sh", &script("ignore exit-one"), &[]),
        ("claude", "PreToolUse", "a.sh", &script("ignore endless-stop, exit-one"), &[]),
        ("claude", "PreToolUse", "a.sh", &script("ignore endless-stop"), &["exit-one 2:1 exit 1"]),
        ("claude", "PreToolUse", "a.sh", &script("ignored"), &["exit-one 2:1 exit 1"]),
    ]);
}
