//! `hookrail hook`, as agents call it: one process per event.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a broken expectation must fail the test")]

use hookrail_testkit::program::{program, talk};
use hookrail_testkit::project::TempProject;
use serde_json::{Value, json};

/// A project, a home folder and a state folder of its own.
struct HookProject {
    project: TempProject,
    home: TempProject,
}

struct HookReply {
    code: Option<i32>,
    out: String,
    err: String,
}

impl HookReply {
    fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or(Value::Null)
    }
}

impl HookProject {
    fn new() -> Self {
        Self { project: TempProject::new(), home: TempProject::new() }
    }

    fn with(config: &str) -> Self {
        let place = Self::new();
        place.project.write(".hookrail/hookrail.toml", config);
        place
    }

    /// The user's own layer.
    fn user(self, config: &str) -> Self {
        self.home.write(".config/hookrail/hookrail.toml", config);
        self
    }

    fn hookrail(&self, args: &[&str], stdin: &str) -> HookReply {
        let mut command = program(env!("CARGO_BIN_EXE_hookrail"), &self.project, &self.home);
        let (code, out, err) = talk(command.args(args), stdin);
        HookReply { code, out, err }
    }

    fn fire(&self, event: &Value) -> HookReply {
        self.hookrail(&["hook"], &event.to_string())
    }

    fn write_event(&self, path: &str) -> Value {
        self.claude("PreToolUse", &json!({ "tool_name": "Write", "tool_input": { "file_path": path, "content": "x" } }))
    }

    fn claude(&self, event: &str, fields: &Value) -> Value {
        let mut payload = json!({
            "session_id": "s1",
            "transcript_path": "/t.jsonl",
            "cwd": self.project.path(),
            "permission_mode": "default",
            "hook_event_name": event,
        });
        payload.as_object_mut().unwrap().extend(fields.as_object().cloned().unwrap_or_default());
        payload
    }

    fn journal(&self) -> Vec<Value> {
        let Ok(files) = std::fs::read_dir(self.home.at("state/journal")) else { return Vec::new() };
        let mut paths: Vec<_> =
            files.map(|file| file.unwrap().path()).filter(|path| path.extension().is_some()).collect();
        paths.sort();
        let text: String = paths.iter().map(|path| std::fs::read_to_string(path).unwrap()).collect();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

#[test]
fn a_guard_refuses_in_the_form_each_agent_honours() {
    let place = HookProject::new();
    let own = place.project.at(".hookrail/hookrail.toml").display().to_string();
    let shell = format!("rm {own}");
    let cwd = place.project.path();
    let claude = place.write_event(&own);
    let gemini = json!({"session_id": "s", "transcript_path": "", "cwd": cwd, "hook_event_name": "BeforeTool", "timestamp": "2026-01-01T00:00:00.000Z", "tool_name": "write_file", "tool_input": {"file_path": own, "content": ""}});
    let codex = json!({"session_id": "s", "turn_id": "1", "transcript_path": "/r.jsonl", "cwd": cwd, "hook_event_name": "PreToolUse", "model": "gpt-5.5", "permission_mode": "default", "tool_name": "Bash", "tool_input": {"command": shell}, "tool_use_id": "c"});
    for (agent, event) in [("claude", claude), ("gemini", gemini.clone()), ("llxprt", gemini), ("codex", codex)] {
        let said = place.hookrail(&["hook", "--agent", agent], &event.to_string());
        assert_eq!(said.code, Some(0), "{agent}: {}", said.err);
        let answer = said.json();
        let reason = match agent {
            "gemini" | "llxprt" => {
                assert_eq!(answer["decision"], "deny", "{agent}: {}", said.out);
                &answer["reason"]
            }
            _ => {
                assert_eq!(answer["hookSpecificOutput"]["permissionDecision"], "deny", "{agent}: {}", said.out);
                assert_eq!(answer["hookSpecificOutput"]["hookEventName"], "PreToolUse");
                &answer["hookSpecificOutput"]["permissionDecisionReason"]
            }
        };
        assert!(reason.as_str().unwrap().contains("is protected"), "{agent}: {reason}");
    }
    let records = place.journal();
    let guards = records.iter().filter(|record| record["hook"] == "core/protected-paths");
    assert_eq!(guards.count(), 4);
}

#[test]
fn no_opinion_is_silence_and_leaves_nothing_behind() {
    let place = HookProject::new();
    let events = [
        place.write_event("src/main.rs"),
        place.claude("PreToolUse", &json!({ "tool_name": "Read", "tool_input": { "file_path": "x" } })),
        place.claude("Stop", &json!({ "stop_hook_active": false })),
        place.claude("NobodyKnowsThis", &json!({ "x": 1 })),
    ];
    for event in events {
        let said = place.fire(&event);
        assert_eq!((said.code, said.out.as_str(), said.err.as_str()), (Some(0), "", ""), "{event}");
    }
    let hooks: Vec<Value> = place.journal().iter().map(|record| record["hook"].clone()).collect();
    assert_eq!(hooks, ["core/protected-paths"], "only the hook that looked is recorded, and it has no work at a read");
}

#[test]
fn an_event_nobody_can_read_is_refused_if_a_guard_of_tool_calls_fails_closed_and_always_recorded() {
    let place = HookProject::new();
    let inputs = [
        ("", "no event on stdin"),
        ("  \n", "no event on stdin"),
        ("{\"a\":", "not a JSON object"),
        ("[]", "not a JSON object"),
        ("null", "not a JSON object"),
    ];
    for (stdin, part) in inputs {
        for (args, code) in [(&["hook"][..], 2), (&["hook", "--pack", "orchestrator"][..], 0)] {
            let said = place.hookrail(args, stdin);
            assert_eq!((said.code, said.out.as_str()), (Some(code), ""), "{args:?} {stdin:?}");
            assert!(said.err.contains(part) && said.err.lines().count() == 1, "{stdin:?}: {}", said.err);
        }
    }
    assert_eq!(place.journal().len(), 10);
    assert!(place.journal().iter().all(|record| record["outcome"] == "failed"));
}

#[test]
fn a_wrong_command_line_is_exit_code_one_and_says_what_there_is() {
    let place = HookProject::new();
    for (args, part) in [
        (&["hook", "--agent", "cluade"][..], "did you mean `claude`?"),
        (&["hook", "--pack", "planing"][..], "did you mean `planning`?"),
        (&["hook", "core/protect"][..], "did you mean `core/protected-paths`?"),
        (&["hook", "--contract", "x"][..], "expected one of agent, spec"),
        (&["hook", "--frob"][..], "unknown flag `--frob`"),
        (&["hook", "--agent"][..], "`--agent` needs a value"),
        (&["hook", "core/event-log", "core/protected-paths"][..], "only one hook can be named"),
    ] {
        let said = place.hookrail(args, "{}");
        assert_eq!((said.code, said.out.as_str()), (Some(1), ""), "{args:?}");
        assert!(said.err.contains(part), "{args:?}: {}", said.err);
    }
}

#[test]
fn warn_mode_tells_the_user_and_lets_the_agent_go_on() {
    let place =
        HookProject::new().user("[hooks.\"core/protected-paths\"]\nmode = \"warn\"\n[packs.safety]\nenabled = false\n");
    let said = place.fire(&place.write_event(".claude/settings.json"));
    let answer = said.json();
    assert!(answer["hookSpecificOutput"]["permissionDecision"].is_null(), "{}", said.out);
    assert!(answer["systemMessage"].as_str().unwrap().contains("would have blocked this"), "{}", said.out);
    let record = place.journal().pop().unwrap();
    assert_eq!((record["outcome"].as_str(), record["decision"].as_str()), (Some("warned"), Some("block")));
}

#[test]
fn a_project_cannot_switch_off_the_guard_of_hookrails_own_files() {
    let place = HookProject::with("[hooks.\"core/protected-paths\"]\nmode = \"off\"\n[packs.core]\nenabled = false\n");
    let said = place.fire(&place.write_event(".claude/settings.json"));
    assert_eq!(said.json()["hookSpecificOutput"]["permissionDecision"], "deny", "{}", said.out);
    let place = HookProject::new().user("[packs.core]\nenabled = false\n[packs.safety]\nenabled = false\n");
    assert_eq!(place.fire(&place.write_event(".claude/settings.json")).out, "", "its user can");
}

#[test]
fn an_exception_of_one_layer_does_not_undo_what_another_protects() {
    let place = HookProject::with("[core]\nprotected = [\"*.pem\", \"!secrets/\", \"!public.pem\"]\n")
        .user("[core]\nprotected = [\"secrets/\", \"!*.pem\"]\n");
    for (path, denied) in [("secrets/a", true), ("a.pem", true), ("public.pem", false), ("src/main.rs", false)] {
        let said = place.fire(&place.write_event(path));
        assert_eq!(said.out.contains("deny"), denied, "{path}: {}", said.out);
    }
}

#[test]
fn configured_paths_are_protected_too() {
    let place = HookProject::with("[core]\nprotected = [\"secrets/\", \"*.key\"]\n");
    for (path, denied) in [("secrets/a", true), ("x/y.key", true), ("src/a.rs", false)] {
        let said = place.fire(&place.write_event(path));
        assert_eq!(said.json()["hookSpecificOutput"]["permissionDecision"] == "deny", denied, "{path}: {}", said.out);
    }
}

#[test]
fn mistakes_in_the_configuration_are_told_once_a_session_and_the_rest_holds() {
    let place = HookProject::with("[core]\nprotected = [\"secrets/\"]\n[packs.core]\nmoed = \"warn\"\n");
    let first = place.fire(&place.write_event("secrets/a"));
    let message = first.json()["systemMessage"].as_str().unwrap_or_default().to_owned();
    assert!(
        message.contains("hookrail.toml:4:1: unknown key `moed`") && message.contains("did you mean `mode`?"),
        "{}",
        first.out
    );
    assert_eq!(first.json()["hookSpecificOutput"]["permissionDecision"], "deny", "what could be read is in force");
    let second = place.fire(&place.write_event("secrets/a"));
    assert!(second.json()["systemMessage"].is_null(), "{}", second.out);
    let mut other = place.write_event("src/a");
    other["session_id"] = json!("s2");
    assert!(place.fire(&other).out.contains("unknown key"), "another session, another user perhaps");
    let place = HookProject::with("[hooks.\"core/protectd-paths\"]\nmode = \"warn\"\n");
    let said = place.fire(&place.write_event("src/a"));
    assert!(said.out.contains("hookrail.toml:1:8: there is no `core/protectd-paths`"), "{}", said.out);
    assert!(said.out.contains("did you mean `core/protected-paths`?"), "{}", said.out);
}

#[test]
fn a_file_nobody_could_ever_read_keeps_tools_from_being_used_unless_its_user_says_otherwise() {
    let tool = |place: &HookProject| place.write_event("src/a");
    let stop = |place: &HookProject| place.claude("Stop", &json!({ "stop_hook_active": false }));
    let broken = "[packs\n";
    let said = |word: &str| format!("[config]\non_error = \"{word}\"\n");
    let cases = [
        (HookProject::with(broken), "deny"),
        (HookProject::new().user(broken), "deny"),
        (HookProject::with(&said("allow")).user(broken), "deny"),
        (HookProject::with(broken).user(&said("deny")), "deny"),
        (HookProject::with(broken).user(&said("ask")), "ask"),
        (HookProject::with(broken).user(&said("allow")), ""),
    ];
    for (index, (place, expected)) in cases.iter().enumerate() {
        let heard = place.fire(&tool(place));
        let answer = heard.json();
        assert!(answer["systemMessage"].as_str().unwrap_or_default().contains("this is not TOML"), "{}", heard.out);
        let decision = answer["hookSpecificOutput"]["permissionDecision"].as_str().unwrap_or_default();
        assert_eq!(decision, *expected, "{index}: {}", heard.out);
        assert!(expected.is_empty() || heard.out.contains("cannot be read"), "{}", heard.out);
    }
    let (place, _) = &cases[0];
    let heard = place.fire(&stop(place));
    assert!(heard.json()["decision"].is_null() && heard.code == Some(0), "other events are only told: {}", heard.out);
}

#[test]
fn a_file_that_could_be_read_before_holds_until_it_can_be_read_again() {
    let good = "[core]\nprotected = [\"secrets/\"]\n";
    for broken in ["[core\n", "[core]\nprotected = [\"other/\"", "\u{0}"] {
        let place = HookProject::with(good);
        assert!(place.fire(&place.write_event("secrets/a")).out.contains("deny"));
        place.project.write(".hookrail/hookrail.toml", broken);
        let refused = place.fire(&place.write_event("secrets/a"));
        assert_eq!(refused.json()["hookSpecificOutput"]["permissionDecision"], "deny", "{}", refused.out);
        let message = refused.json()["systemMessage"].as_str().unwrap_or_default().to_owned();
        assert!(message.contains("is in force until it can be read"), "{}", refused.out);
        let passed = place.fire(&place.write_event("src/a"));
        assert!(passed.json()["hookSpecificOutput"].is_null(), "{}", passed.out);
        let explained = place.hookrail(&["explain"], &place.write_event("secrets/a").to_string());
        assert!(explained.out.contains("`secrets/a` is protected"), "{}{}", explained.out, explained.err);
        place.project.write(".hookrail/hookrail.toml", "");
        assert_eq!(place.fire(&place.write_event("secrets/a")).out, "", "an empty file can be read");
    }
    let place = HookProject::with(good);
    assert!(place.fire(&place.write_event("secrets/a")).out.contains("deny"));
    std::fs::remove_file(place.project.at(".hookrail/hookrail.toml")).unwrap();
    std::fs::create_dir(place.project.at(".hookrail/hookrail.toml")).unwrap();
    assert!(place.fire(&place.write_event("secrets/a")).out.contains("is protected"), "a folder in its place");
}

const LINT: &str =
    "[[command]]\nname = \"lint\"\nevent = \"BeforeTool\"\nmatcher = \"Write\"\ncommand = \"sh hooks/lint.sh\"\n";

#[test]
fn command_hooks_of_the_user_run_beside_native_ones_in_one_answer() {
    let place = HookProject::new().user("[[command]]\nname = \"no\"\nevent = \"BeforeTool\"\ncommand = \"echo '{\\\"decision\\\":\\\"deny\\\",\\\"reason\\\":\\\"from the command\\\"}'\"\n");
    let said = place.fire(&place.write_event(".claude/settings.json"));
    let reason = said.json()["hookSpecificOutput"]["permissionDecisionReason"].as_str().unwrap_or_default().to_owned();
    assert!(reason.contains("is protected") && reason.contains("from the command"), "{}", said.out);
    let only_the_pack =
        place.hookrail(&["hook", "--pack", "core"], &place.write_event(".claude/settings.json").to_string());
    assert!(!only_the_pack.out.contains("from the command"), "{}", only_the_pack.out);
}

#[test]
fn command_hooks_of_a_project_wait_for_a_yes_that_ends_with_a_change() {
    let place = HookProject::with(LINT);
    place.project.write("hooks/lint.sh", "echo linted >> ran");
    let event = place.write_event("src/a");
    let said = place.fire(&event);
    assert!(!place.project.exists("ran"));
    assert!(said.json()["systemMessage"].as_str().unwrap_or_default().contains("run `hookrail trust`"), "{}", said.out);
    assert_eq!(place.fire(&event).out, "", "told once a session");
    let refused = place.hookrail(&["trust"], "");
    assert_eq!(refused.code, Some(1), "no person can be asked");
    assert!(refused.out.contains("sh hooks/lint.sh") && refused.out.contains("runs hooks/lint.sh"), "{}", refused.out);
    assert_eq!(place.hookrail(&["trust", "--yes"], "").code, Some(0));
    place.fire(&event);
    assert_eq!(place.project.read("ran"), "linted\n");
    assert!(place.hookrail(&["trust", "--list"], "").out.contains("lint"));
    place.project.write("hooks/lint.sh", "echo evil >> ran");
    place.fire(&event);
    assert_eq!(place.project.read("ran"), "linted\n", "the script changed");
    assert_eq!(place.hookrail(&["trust", "--yes"], "").code, Some(0));
    assert_eq!(place.hookrail(&["trust", "--revoke", "lint"], "").code, Some(0));
    place.fire(&event);
    assert_eq!(place.project.read("ran"), "linted\n", "the yes was taken back");
    assert_eq!(place.hookrail(&["trust", "--revoke"], "").code, Some(1), "nothing left to revoke");
}

#[test]
fn a_hook_that_keeps_failing_rests_for_the_session_and_says_so_once() {
    let place = HookProject::new().user("[breaker]\nthreshold = 2\n[[command]]\nname = \"broken\"\nevent = \"BeforeTool\"\ncommand = \"echo x >> ran; exit 1\"\n");
    let event = place.write_event("src/a");
    let messages: Vec<bool> =
        (0..4).map(|_| place.fire(&event).out.contains("is disabled for the rest of this session")).collect();
    assert_eq!(messages, [false, true, false, false]);
    assert_eq!(place.project.read("ran").lines().count(), 2);
    let outcomes: Vec<Value> = place
        .journal()
        .iter()
        .filter(|record| record["hook"] == "broken")
        .map(|record| record["outcome"].clone())
        .collect();
    assert_eq!(outcomes, ["failed", "failed", "skipped", "skipped"]);
    let mut other = event;
    other["session_id"] = json!("another");
    place.fire(&other);
    assert_eq!(place.project.read("ran").lines().count(), 3, "another session begins anew");
}

#[test]
fn denials_never_open_the_breaker() {
    let place = HookProject::new().user("[breaker]\nthreshold = 1\n");
    for _ in 0..3 {
        let said = place.fire(&place.write_event(".claude/settings.json"));
        assert_eq!(said.json()["hookSpecificOutput"]["permissionDecision"], "deny", "{}", said.out);
    }
}

#[test]
fn while_the_development_file_exists_no_hook_runs() {
    let place = HookProject::new().user("[dev_mode]\nfile = \".dev-mode\"\n");
    place.project.write(".dev-mode", "");
    assert_eq!(place.fire(&place.write_event(".claude/settings.json")).out, "");
    assert_eq!(place.journal()[0]["outcome"], "skipped");
    std::fs::remove_file(place.project.at(".dev-mode")).unwrap();
    assert!(place.fire(&place.write_event(".claude/settings.json")).out.contains("deny"));
}

#[test]
fn one_hook_can_be_asked_alone_and_in_the_form_of_its_document() {
    let place = HookProject::new();
    let event = place.write_event(".claude/settings.json").to_string();
    assert!(place.hookrail(&["hook", "core/protected-paths"], &event).out.contains("deny"));
    let spec = place.hookrail(&["hook", "core/protected-paths", "--contract=spec"], &event);
    assert_eq!(spec.json()["decision"], "block", "{}", spec.out);
}

#[test]
fn the_event_log_records_what_no_other_hook_looks_at() {
    let place = HookProject::new().user("[hooks.\"core/event-log\"]\nmode = \"enforce\"\n");
    assert_eq!(place.fire(&place.claude("Stop", &json!({}))).out, "");
    let record = place.journal().pop().unwrap();
    assert_eq!((record["hook"].as_str(), record["event"].as_str()), (Some("core/event-log"), Some("AfterAgent")));
}

#[test]
fn without_a_place_for_state_hooks_still_decide() {
    let place = HookProject::new();
    std::fs::create_dir_all(place.home.at("state")).unwrap();
    std::fs::write(place.home.at("state/journal"), "a file where a folder should be").unwrap();
    let said = place.fire(&place.write_event(".claude/settings.json"));
    assert!(said.out.contains("deny"), "{}", said.out);
    assert!(said.err.contains("journal"), "{}", said.err);
}

#[test]
fn a_large_event_is_answered_like_a_small_one() {
    let place = HookProject::new();
    let mut event = place.write_event(".claude/settings.json");
    event["tool_input"]["content"] = json!("x".repeat(5 << 20));
    assert!(place.fire(&event).out.contains("deny"));
}

#[test]
fn a_hook_that_the_installed_entries_do_not_reach_is_reported_at_the_next_event_once() {
    let place = HookProject::new();
    let installed = place.hookrail(&["install", "claude", "--scope", "local"], "");
    assert_eq!(installed.code, Some(0), "{}{}", installed.out, installed.err);
    let event = place.write_event("src/a");
    assert_eq!(place.fire(&event).out, "", "what is installed reaches what is configured");
    let place = place.user(&LINT.replace("BeforeTool", "AfterAgent"));
    let message = |event: &Value| place.fire(event).json()["systemMessage"].as_str().unwrap_or_default().to_owned();
    let first = message(&event);
    assert!(first.contains("do not reach `Stop`") && first.contains("`hookrail install claude`"), "{first}");
    assert_eq!(message(&event), "", "it is told once");
    let mut start = place.claude("SessionStart", &json!({ "source": "startup" }));
    assert_eq!(message(&start), "", "the session knows");
    start["session_id"] = json!("s2");
    assert_eq!(message(&start), first, "another session does not");
    assert_eq!(place.hookrail(&["install", "claude", "--scope", "local"], "").code, Some(0));
    start["session_id"] = json!("s3");
    assert_eq!(message(&start), "", "they are reached now");
}

/// A guard that refuses every stop, unless it is told that one was refused before.
const STOP_GUARD: &str = r#"
[[command]]
name = "stop"
event = "AfterAgent"
command = "grep -q '\"stop_hook_active\":true' || { echo 'the tests have not run' >&2; exit 2; }"
"#;

#[test]
fn a_stop_is_refused_once_a_turn_by_agents_that_do_not_say_so_and_never_while_tools_are_asked_for() {
    let prompt = |text: &str| json!({"hook_event_name": "BeforeAgent", "prompt": text});
    let stop = |prompt: &str, said: &str| json!({"hook_event_name": "AfterAgent", "prompt": prompt, "prompt_response": said, "stop_hook_active": false});
    let answer =
        |blocks: Value| json!({"hook_event_name": "AfterModel", "llm_response": {"speaker": "ai", "blocks": blocks}});
    let call = json!([{"type": "text", "text": "I look"}, {"type": "tool_call", "name": "run_shell_command"}]);
    let llxprt = [
        (prompt("go"), false),
        // The model has only asked for tools so far.
        (stop("go", ""), false),
        // It said something and asked for tools; the answer came in two pieces.
        (answer(call), false),
        (answer(json!([])), false),
        (stop("go", "I look"), false),
        (answer(json!([{"type": "text", "text": "done"}])), false),
        (stop("go", "I look. done"), true),
        (stop("the tests have not run", "still done"), false),
        (stop("go", "done again"), false),
        (prompt("go"), false),
        (stop("go", "done"), true),
    ];
    let plain = |event: &str| json!({"hook_event_name": event, "event_type": event});
    let openhands = [(plain("Stop"), true), (plain("Stop"), false), (plain("Stop"), true)];
    for (agent, events) in [
        ("llxprt", &llxprt[..]),
        ("vibe", &[(plain("post_agent"), true), (plain("post_agent"), false)]),
        ("openhands", &openhands),
    ] {
        let place = HookProject::new().user(STOP_GUARD);
        for (number, (event, refused)) in events.iter().enumerate() {
            let mut event = event.clone();
            event["session_id"] = json!("s1");
            event["cwd"] = json!(place.project.path());
            event["working_dir"] = json!(place.project.path());
            event["timestamp"] = json!("2026-11-15T17:41:41.375Z");
            let said = place.hookrail(&["hook", "--agent", agent], &event.to_string());
            assert_eq!(
                said.out.contains("the tests have not run"),
                *refused,
                "{agent} {number}: {} {}",
                said.out,
                said.err
            );
        }
    }
}

#[test]
fn context_that_gemini_drops_after_clear_is_repeated_at_the_next_prompt_and_only_there() {
    let start = r#"
[[command]]
name = "start"
event = "SessionStart"
command = '''echo '{"hookSpecificOutput":{"additionalContext":"the moon is full"}}' '''
"#;
    for (source, repeated) in [("clear", true), ("startup", false), ("resume", false)] {
        let place = HookProject::new().user(start);
        let fire = |event: &str, field: &str, value: &str| {
            let event = json!({
                "hook_event_name": event, "session_id": "s1", "cwd": place.project.path(), "transcript_path": "",
                "timestamp": "2026-11-15T17:41:41.375Z", field: value,
            });
            place.hookrail(&["hook", "--agent", "gemini"], &event.to_string()).out.contains("the moon is full")
        };
        let heard = [
            fire("SessionStart", "source", source),
            fire("BeforeAgent", "prompt", "a"),
            fire("BeforeAgent", "prompt", "b"),
        ];
        assert_eq!(heard, [true, repeated, false], "{source}");
    }
}

#[test]
fn a_patch_that_the_agent_wrapped_once_more_is_seen_through() {
    let place = HookProject::new().user("[core]\nprotected = [\"secrets/\"]\n");
    let patch = "*** Begin Patch\n*** Update File: secrets/a.txt\n@@\n-alpha\n+X\n*** End Patch";
    for (input, refused) in [
        (json!({"input": patch}), true),
        (json!({"input": json!({"input": patch}).to_string()}), true),
        (json!({"input": json!({"input": patch.replace("secrets", "src")}).to_string()}), false),
    ] {
        let event = json!({
            "session_id": "s1", "cwd": place.project.path(), "hook_event_name": "PreToolUse", "permission_mode": "auto-high",
            "tool_name": "ApplyPatch", "tool_input": input,
        });
        let said = place.hookrail(&["hook", "--agent", "droid"], &event.to_string());
        assert_eq!(said.out.contains("is protected"), refused, "{input}: {}", said.out);
    }
}
