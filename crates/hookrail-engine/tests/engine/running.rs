//! Hooks of every kind through the whole engine: what they are told, what becomes of what they say, and that nothing they
//! do can hold it up.

use crate::support::{TestHook, TestLogger, handler, object, one_command, output};
use hookrail_core::planner::create_execution_plan;
use hookrail_core::{
    ConfigSource, Decision, Event, EventName, Failure, HookAction, HookEntry, HookError, Occasion, OnError, Outcome,
    Verdict,
};
use hookrail_engine::runner::process::Limits;
use hookrail_engine::{CancelToken, Config, Engine, FolderTrust, HookRunner, RealWorld, RunnerSettings, SilentLogger};
use hookrail_store::{FileStore, StateRoot};
use hookrail_testkit::process::within;
use hookrail_testkit::project::TempProject;
use hookrail_testkit::translator::TestTranslator;
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Nothing in this file may take longer.
const LIMIT: Duration = Duration::from_secs(30);

fn command(event: EventName, command: &str) -> HookEntry {
    HookEntry::new(event, HookAction::Command { command: command.to_owned() }, ConfigSource::User)
}

fn before_tool(config: &Config) -> Verdict {
    handler(config).fire_before_tool_event("write_file", &object(&json!({ "path": "a" })), None)
}

#[test]
fn a_command_hook_reads_one_json_object_with_base_and_event_fields() {
    // covers: HOOK-015 HOOK-061 HOOK-062 HOOK-144 HOOK-161 HOOK-215 HOOK-155 HOOK-014
    let project = TempProject::new();
    let config =
        Config::new("session-7", project.path()).enable_hooks(true).hooks(&one_command("BeforeTool", "cat > input"));
    assert!(before_tool(&config).success());
    let mut input: Value = serde_json::from_str(&project.read("input")).unwrap();
    let timestamp = input.as_object_mut().unwrap().remove("timestamp").unwrap();
    let timestamp = timestamp.as_str().unwrap();
    assert!(timestamp.len() == 24 && timestamp.ends_with('Z') && timestamp.contains('T'), "{timestamp}");
    let known = input.as_object_mut().unwrap().remove("hookrail").unwrap();
    assert_eq!(known["effects"][0]["act"], "fs.write", "what hookrail knows stands beside the fields of the protocol");
    assert_eq!(
        input,
        json!({
            "session_id": "session-7",
            "transcript_path": "",
            "cwd": project.path(),
            "hook_event_name": "BeforeTool",
            "tool_name": "write_file",
            "tool_input": { "path": "a" },
        })
    );
}

#[test]
fn the_six_other_events_reach_their_hooks_too() {
    // covers: HOOK-081 HOOK-203
    let events = [
        (EventName::BeforeAgent, json!({ "prompt": "do it" })),
        (EventName::AfterAgent, json!({ "prompt": "do it", "prompt_response": "done" })),
        (EventName::SessionStart, json!({ "source": "startup" })),
        (EventName::SessionEnd, json!({ "reason": "exit" })),
        (EventName::PreCompress, json!({ "trigger": "auto" })),
        (EventName::Notification, json!({ "message": "m" })),
    ];
    for (event, payload) in events {
        let project = TempProject::new();
        let config =
            Config::new("s", project.path()).enable_hooks(true).hooks(&one_command(event.as_str(), "cat > input"));
        assert!(handler(&config).fire_event(event.clone(), &object(&payload)).success());
        let input: Value = serde_json::from_str(&project.read("input")).unwrap();
        assert_eq!(input["hook_event_name"], json!(event.as_str()));
        for (key, value) in object(&payload) {
            assert_eq!(input[&key], value, "{event} {key}");
        }
    }
}

#[test]
fn only_hooks_whose_matcher_fits_the_tool_run_and_model_events_have_no_matcher() {
    // covers: HOOK-021 HOOK-022 HOOK-032 HOOK-041 HOOK-051 HOOK-059 HOOK-162 HOOK-163
    let hooks = |event: &str| {
        json!({ event: [
            { "matcher": "write_.*", "hooks": [{ "type": "command", "command": "touch matching" }] },
            { "matcher": "read_.*", "hooks": [{ "type": "command", "command": "touch other" }] },
            { "hooks": [{ "type": "command", "command": "touch always" }] },
        ] })
    };
    for (event, runs_other) in [
        ("BeforeTool", false),
        ("AfterTool", false),
        ("BeforeModel", true),
        ("AfterModel", true),
        ("BeforeToolSelection", true),
    ] {
        let project = TempProject::new();
        let config = Config::new("s", project.path()).enable_hooks(true).hooks(&hooks(event));
        let handler = handler(&config);
        let (input, request) = (object(&json!({})), json!({ "model": "m", "contents": [] }));
        let translator = &ECHO;
        let verdict = match event {
            "BeforeTool" => handler.fire_before_tool_event("write_file", &input, None),
            "AfterTool" => handler.fire_after_tool_event("write_file", &input, &json!({})),
            "BeforeModel" => handler.fire_before_model_event(&request, translator),
            "AfterModel" => handler.fire_after_model_event(&request, &json!({}), translator),
            _ => handler.fire_before_tool_selection_event(&request, translator),
        };
        assert!(verdict.success());
        assert!(project.exists("matching") && project.exists("always"), "{event}");
        assert_eq!(project.exists("other"), runs_other, "{event}");
    }
}

/// The request at which the translator below panics.
const BREAK: &str = "break";

/// A translator that marks what passes through it.
const ECHO: TestTranslator = TestTranslator {
    request: |request| {
        assert_ne!(request, BREAK, "told to break");
        json!({ "translated request": request })
    },
    response: |response| json!({ "translated response": response }),
    ..TestTranslator::all(Value::clone)
};

#[test]
fn hooks_see_model_calls_in_the_stable_form_only() {
    // covers: HOOK-034 HOOK-035 HOOK-044 HOOK-045 HOOK-050 HOOK-054 HOOK-143 HOOK-205
    for event in ["BeforeModel", "AfterModel", "BeforeToolSelection"] {
        let project = TempProject::new();
        let config = Config::new("s", project.path()).enable_hooks(true).hooks(&one_command(event, "cat > input"));
        let (request, response) = (json!({ "q": 1 }), json!({ "a": 2 }));
        let _ = match event {
            "BeforeModel" => handler(&config).fire_before_model_event(&request, &ECHO),
            "AfterModel" => handler(&config).fire_after_model_event(&request, &response, &ECHO),
            _ => handler(&config).fire_before_tool_selection_event(&request, &ECHO),
        };
        let input: Value = serde_json::from_str(&project.read("input")).unwrap();
        assert_eq!(input["llm_request"], json!({ "translated request": { "q": 1 } }), "{event}");
        let expected = if event == "AfterModel" { json!({ "translated response": { "a": 2 } }) } else { Value::Null };
        assert_eq!(input["llm_response"], expected, "{event}");
    }
}

#[test]
fn a_failing_hook_is_logged_and_changes_nothing_on_any_event() {
    // covers: HOOK-023 HOOK-031 HOOK-042 HOOK-052 HOOK-060 HOOK-068 HOOK-069 HOOK-119 HOOK-209
    let failures = [
        ("echo broken >&2; exit 7", "exit code 7"),
        ("kill -SEGV $$", "killed by SIGSEGV"),
        ("sleep 5", "timed out after 200 ms"),
        ("{ echo '{\"decision\":\"block\"}'; exit 1; }", "exit code 1"),
    ];
    for event in ["BeforeTool", "AfterTool", "BeforeModel", "AfterModel", "BeforeToolSelection"] {
        for (script, logged) in failures {
            let logger = TestLogger::default();
            let mut entry = command(EventName::parse(event), script);
            entry.timeout = Duration::from_millis(200);
            let config = Config::new("s", "/tmp").enable_hooks(true).entry(entry).logger(Arc::new(logger.clone()));
            let handler = handler(&config);
            let verdict = match event {
                "BeforeTool" => before_tool(&config),
                "AfterTool" => handler.fire_after_tool_event("t", &object(&json!({})), &json!({})),
                "BeforeModel" => handler.fire_before_model_event(&json!({}), &ECHO),
                "AfterModel" => handler.fire_after_model_event(&json!({}), &json!({}), &ECHO),
                _ => handler.fire_before_tool_selection_event(&json!({}), &ECHO),
            };
            assert!(!verdict.success() && !verdict.is_blocking() && !verdict.should_stop(), "{event} {script}");
            assert!(output(&verdict).specific_json().is_empty(), "{event} {script}");
            let lines = logger.0.lines();
            assert!(lines.iter().any(|line| line.starts_with("warn") && line.contains(logged)), "{logged}: {lines:?}");
            if script.contains("broken") {
                assert!(lines.iter().any(|line| line.contains("stderr: broken")), "{lines:?}");
                assert_eq!(output(&verdict).system_message(), Some("Warning: broken"));
            }
        }
    }
}

#[test]
fn one_failing_hook_does_not_cost_the_outputs_of_the_others() {
    // covers: HOOK-112 HOOK-165 HOOK-166 HOOK-213 HOOK-214
    let config = Config::new("s", "/tmp")
        .enable_hooks(true)
        .entry(command(EventName::AfterTool, "echo '{\"systemMessage\":\"one\"}'"))
        .entry(command(EventName::AfterTool, "exit 3"))
        .entry(command(EventName::AfterTool, "echo '{\"systemMessage\":\"two\"}'"));
    let verdict = handler(&config).fire_after_tool_event("t", &object(&json!({})), &json!({}));
    assert!(!verdict.success());
    assert_eq!(output(&verdict).system_message(), Some("one\ntwo"));
    assert_eq!(verdict.runs().iter().map(hookrail_core::HookRun::success).collect::<Vec<_>>(), [true, false, true]);
}

#[test]
fn on_error_decides_for_hooks_that_cannot_do_their_work() {
    let scripts = ["exit 1", "kill -KILL $$", "sleep 5", "no-such-program-7f3a", "exec 2>&-; exit 126"];
    for (on_error, expected) in
        [(OnError::Allow, Decision::None), (OnError::Ask, Decision::Ask), (OnError::Deny, Decision::Block)]
    {
        for script in scripts {
            let mut entry = command(EventName::BeforeTool, script);
            entry.on_error = on_error;
            entry.timeout = Duration::from_millis(200);
            let config = Config::new("s", "/tmp").enable_hooks(true).entry(entry);
            let verdict = before_tool(&config);
            let decision = if verdict.decision() == Decision::Allow { Decision::None } else { verdict.decision() };
            assert_eq!(decision, expected, "{script} {on_error}");
        }
    }
}

#[test]
fn a_hook_that_denies_on_error_ends_a_chain() {
    let project = TempProject::new();
    let mut guard = command(EventName::BeforeTool, "exit 1");
    guard.on_error = OnError::Deny;
    guard.sequential = true;
    let config = Config::new("s", project.path())
        .enable_hooks(true)
        .entry(guard)
        .entry(command(EventName::BeforeTool, "touch second"));
    assert_eq!(before_tool(&config).decision(), Decision::Block);
    assert!(!project.exists("second"));
}

#[test]
fn a_hook_of_type_plugin_is_accepted_and_fails_open() {
    // covers: HOOK-195
    let hooks = json!({ "BeforeTool": [{ "hooks": [{ "type": "plugin", "name": "later" }] }] });
    let config = Config::new("s", "/tmp").enable_hooks(true).hooks(&hooks);
    let verdict = before_tool(&config);
    assert!(!verdict.success() && verdict.decision() == Decision::None);
    assert!(matches!(verdict.runs()[0].failure(), Some(Failure::NotStarted(_))), "{:?}", verdict.runs());
    assert_eq!(config.get_hook_system().unwrap().get_registry().unwrap().len(), 1);
}

#[test]
fn native_and_command_hooks_merge_in_plan_order_whoever_is_faster() {
    // covers: HOOK-108
    let slow = TestHook::hook("slow-native", EventName::AfterTool, |_| {
        std::thread::sleep(Duration::from_millis(300));
        Ok(Outcome::silent().with_message("native"))
    });
    let config = Config::new("s", "/tmp")
        .enable_hooks(true)
        .native_hook(&slow)
        .entry(command(EventName::AfterTool, "sleep 0.1; echo first"))
        .entry(command(EventName::AfterTool, "echo second"));
    let verdict = handler(&config).fire_after_tool_event("t", &object(&json!({})), &json!({}));
    assert_eq!(output(&verdict).system_message(), Some("native\nfirst\nsecond"));
}

#[test]
fn a_native_hook_that_panics_fails_or_hangs_is_only_a_failed_hook() {
    // covers: HOOK-110 HOOK-111
    let hooks = [
        TestHook::hook("panics", EventName::BeforeTool, |_| panic!("out of cheese")),
        TestHook::hook("fails", EventName::BeforeTool, |_| Err(HookError::new("no state".to_owned()))),
        TestHook::hook("hangs", EventName::BeforeTool, |_| {
            std::thread::sleep(Duration::from_secs(3600));
            Ok(Outcome::silent())
        }),
        TestHook::hook("works", EventName::BeforeTool, |_| Ok(Outcome::deny("works"))),
    ];
    let mut config = Config::new("s", "/tmp").enable_hooks(true);
    for hook in &hooks {
        let mut entry =
            HookEntry::new(EventName::BeforeTool, HookAction::Native(Arc::clone(hook)), ConfigSource::Runtime);
        // The others are quick, but not on every machine: the trace of a panic takes its time.
        entry.timeout = if hook.id() == "hangs" { Duration::from_millis(300) } else { LIMIT };
        config = config.entry(entry);
    }
    let verdict = within(LIMIT, move || before_tool(&config));
    let failures: Vec<Option<Failure>> = verdict.runs().iter().map(|run| run.failure().cloned()).collect();
    assert_eq!(
        failures,
        [
            Some(Failure::Panicked("out of cheese".to_owned())),
            Some(Failure::Error("no state".to_owned())),
            Some(Failure::TimedOut(Duration::from_millis(300))),
            None,
        ]
    );
    assert_eq!(verdict.decision(), Decision::Block, "the hook behind the hanging one was heard");
}

#[test]
fn a_hundred_hanging_native_hooks_cost_one_deadline_not_a_hundred() {
    let mut config = Config::new("s", "/tmp").enable_hooks(true);
    for _ in 0..100 {
        let hook = TestHook::hook("hangs", EventName::BeforeTool, |_| {
            std::thread::sleep(Duration::from_secs(3600));
            Ok(Outcome::silent())
        });
        let mut entry = HookEntry::new(EventName::BeforeTool, HookAction::Native(hook), ConfigSource::Runtime);
        entry.timeout = Duration::from_millis(500);
        config = config.entry(entry);
    }
    let verdict = within(LIMIT, move || before_tool(&config));
    assert_eq!(verdict.runs().len(), 1, "the same hook runs once");
    let mut config = Config::new("s", "/tmp").enable_hooks(true);
    const NAMES: [&str; 40] = {
        let mut names = [""; 40];
        let all = "0123456789012345678901234567890123456789";
        let mut index = 0;
        while index < 40 {
            names[index] = all.split_at(index).0;
            index += 1;
        }
        names
    };
    for name in NAMES {
        let hook = TestHook::hook(name, EventName::BeforeTool, |_| {
            std::thread::sleep(Duration::from_secs(3600));
            Ok(Outcome::silent())
        });
        let mut entry = HookEntry::new(EventName::BeforeTool, HookAction::Native(hook), ConfigSource::Runtime);
        entry.timeout = Duration::from_millis(500);
        config = config.entry(entry);
    }
    let started = Instant::now();
    let verdict = within(LIMIT, move || before_tool(&config));
    assert!(verdict.runs().iter().all(hookrail_core::HookRun::timed_out) && verdict.runs().len() == 40);
    assert!(started.elapsed() < Duration::from_secs(10), "{:?}", started.elapsed());
}

#[test]
fn cancelling_ends_commands_and_native_hooks_at_once() {
    let project = TempProject::new();
    let cancel = CancelToken::new();
    let hook = TestHook::hook("hangs", EventName::BeforeTool, |_| {
        std::thread::sleep(Duration::from_secs(3600));
        Ok(Outcome::silent())
    });
    let config = Config::new("s", project.path())
        .enable_hooks(true)
        .native_hook(&hook)
        .entry(command(EventName::BeforeTool, "echo started > started; sleep 3600"))
        .cancel_token(cancel.clone());
    let started = project.at("started");
    std::thread::spawn(move || {
        hookrail_testkit::process::wait_until(LIMIT, || started.exists());
        cancel.cancel();
    });
    let verdict = within(LIMIT, move || before_tool(&config));
    assert!(verdict.runs().iter().all(|run| run.failure() == Some(&Failure::Cancelled)), "{:?}", verdict.runs());
}

#[test]
fn what_a_timed_out_hook_printed_is_kept_but_not_obeyed() {
    let mut entry = command(EventName::BeforeTool, "echo '{\"decision\":\"deny\"}'; echo half >&2; sleep 30");
    entry.timeout = Duration::from_millis(500);
    let limits = Limits { grace: Duration::from_millis(200), ..Limits::default() };
    let config = Config::new("s", "/tmp").enable_hooks(true).entry(entry).limits(limits);
    let verdict = before_tool(&config);
    let run = &verdict.runs()[0];
    assert!(run.timed_out() && run.output.is_none() && verdict.decision() == Decision::None);
    assert_eq!((run.stdout.as_str(), run.stderr.as_str()), ("{\"decision\":\"deny\"}\n", "half\n"));
}

#[test]
fn the_project_directory_is_exported_and_expanded_whatever_it_is_called() {
    // covers: HOOK-188
    for name in ["plain", "with space", "it's", "$(touch owned)", "new\nline", "\"quoted\""] {
        let project = TempProject::new();
        let cwd = project.path().join(name);
        std::fs::create_dir(&cwd).unwrap();
        let script = "printf '%s\\n' \"$LLXPRT_PROJECT_DIR\" $GEMINI_PROJECT_DIR \"$CLAUDE_PROJECT_DIR\" > out";
        let config = Config::new("s", &cwd).enable_hooks(true).hooks(&one_command("BeforeTool", script));
        assert!(before_tool(&config).success(), "{name}");
        let line = format!("{}\n", cwd.display());
        assert_eq!(std::fs::read_to_string(cwd.join("out")).unwrap(), line.repeat(3), "{name}");
        assert!(!cwd.join("owned").exists());
    }
}

#[test]
fn two_hundred_hooks_at_once_all_answer() {
    let started = Arc::new(AtomicUsize::new(0));
    let mut config = Config::new("s", "/tmp").enable_hooks(true);
    for index in 0..200 {
        config = config.entry(command(
            EventName::BeforeTool,
            &format!("cat >/dev/null; echo '{{\"systemMessage\":\"{index}\"}}'"),
        ));
        started.fetch_add(1, Ordering::SeqCst);
    }
    let verdict = within(LIMIT, move || before_tool(&config));
    let expected: Vec<String> = (0..200).map(|index| index.to_string()).collect();
    assert_eq!(output(&verdict).system_message(), Some(expected.join("\n").as_str()));
}

#[test]
fn a_log_line_before_the_json_or_two_objects_are_text_and_never_a_decision() {
    // covers: HOOK-064 HOOK-114
    for stdout in ["log: starting\\n{\\\"decision\\\":\\\"deny\\\"}", "{\\\"decision\\\":\\\"deny\\\"}\\n{}"] {
        let config = Config::new("s", "/tmp")
            .enable_hooks(true)
            .hooks(&one_command("BeforeTool", &format!("printf \"{stdout}\"")));
        let verdict = before_tool(&config);
        assert_eq!(verdict.decision(), Decision::Allow, "{stdout}");
        assert!(output(&verdict).system_message().unwrap().contains("deny"));
    }
}

#[test]
fn whatever_breaks_inside_the_engine_ends_as_on_error_says_and_in_a_log_line() {
    // covers: HOOK-113 HOOK-147
    for (on_error, decision) in [("allow", Decision::None), ("ask", Decision::Ask), ("deny", Decision::Block)] {
        let logger = TestLogger::default();
        let hook = json!({ "type": "command", "command": "true", "on_error": on_error });
        let config = Config::new("s", "/tmp")
            .enable_hooks(true)
            .hooks(&json!({ "BeforeModel": [{ "hooks": [hook] }] }))
            .logger(Arc::new(logger.clone()));
        let verdict = handler(&config).fire_before_model_event(&json!(BREAK), &ECHO);
        assert_eq!((verdict.decision(), verdict.success()), (decision, on_error == "allow"), "{on_error}");
        assert!(on_error != "allow" || verdict.final_output().is_none() && verdict.runs().is_empty());
        assert!(logger.0.lines().iter().any(|line| line.starts_with("warn") && line.contains("BeforeModel")));
        // Nothing is translated for an event without hooks, so nothing breaks (HOOK-011).
        let other = handler(&config).fire_before_tool_selection_event(&json!(BREAK), &ECHO);
        assert!(other.success() && other.notices().is_empty(), "{:?}", other.notices());
    }
}

#[test]
fn a_hook_cannot_forge_log_lines() {
    let logger = TestLogger::default();
    let config = Config::new("s", "/tmp")
        .enable_hooks(true)
        .hooks(&one_command("BeforeTool", "printf 'a\\nwarn: forged\\033[31m' >&2; exit 1"))
        .logger(Arc::new(logger.clone()));
    let _ = before_tool(&config);
    for line in logger.0.lines() {
        assert!(!line.chars().any(char::is_control), "{line:?}");
    }
}

#[test]
fn on_the_callers_own_thread_a_hook_that_hangs_is_answered_for_by_the_clock() {
    let entry = |hook: Arc<dyn hookrail_core::NativeHook>, on_error| {
        let mut entry = HookEntry::new(EventName::BeforeTool, HookAction::Native(hook), ConfigSource::Runtime);
        (entry.timeout, entry.on_error) = (Duration::from_millis(300), on_error);
        entry
    };
    let works = TestHook::hook("works", EventName::BeforeTool, |_| Ok(Outcome::silent().with_message("first")));
    let hangs = TestHook::hook("hangs", EventName::BeforeTool, |_| {
        std::thread::sleep(Duration::from_secs(3600));
        Ok(Outcome::silent())
    });
    let last = TestHook::hook("last", EventName::BeforeTool, |_| Ok(Outcome::silent()));
    let config = Config::new("s", "/")
        .entry(entry(works, OnError::Allow))
        .entry(entry(hangs, OnError::Deny))
        .entry(entry(last, OnError::Allow));
    let event = Arc::new(Event {
        name: EventName::BeforeTool,
        native_name: String::new(),
        session_id: "s".to_owned(),
        cwd: "/".into(),
        timestamp: String::new(),
        transcript_path: String::new(),
        tool: None,
        payload: object(&json!({ "tool_name": "Write" })),
    });
    let engine = Engine::open(&config).unwrap();
    let (sender, receiver) = std::sync::mpsc::channel();
    std::thread::spawn(move || engine.decide_or_end(&event, move |verdict| sender.send(verdict).unwrap()));
    let verdict = receiver.recv_timeout(LIMIT).expect("the clock answers");
    let runs = verdict.runs();
    let ends: Vec<(&str, bool)> = runs.iter().map(|run| (&*run.hook.id, run.timed_out())).collect();
    assert_eq!(ends, [("works", false), ("hangs", true), ("last", true)]);
    assert_eq!(verdict.decision(), Decision::Block, "the hanging hook's on_error");
    assert_eq!(output(&verdict).system_message(), Some("first"), "what came back in time counts");
}

#[test]
fn texts_too_long_for_a_model_are_cut_and_kept_elsewhere() {
    let long = "x".repeat(50_000);
    let said = json!({ "decision": "deny", "reason": long, "systemMessage": long, "hookSpecificOutput": { "additionalContext": long } });
    let state = tempfile::tempdir().unwrap();
    let root = StateRoot::at(state.path().join("state"));
    let project = TempProject::new().file("answer.json", &said.to_string());
    let config = Config::new("s", project.path())
        .enable_hooks(true)
        .hooks(&one_command("BeforeTool", "cat answer.json"))
        .overflow(Arc::new(FileStore::new(root, || 0)));
    let verdict = before_tool(&config);
    let output = output(&verdict);
    for text in [output.reason(), output.system_message(), output.additional_context()] {
        let text = text.unwrap();
        assert!(text.chars().count() <= 10_000, "{}", text.len());
        let (_, place) = text.trim_end_matches(']').split_once("all of it is in ").unwrap();
        assert_eq!(std::fs::read_to_string(place).unwrap().trim_end(), long, "nothing is lost");
    }
    assert!(verdict.is_blocking());
}

#[test]
#[allow(clippy::disallowed_methods, reason = "the runner is asked without the engine around it")]
fn a_runner_refuses_what_no_registry_should_have_given_it() {
    let event = Event {
        name: EventName::BeforeTool,
        native_name: String::new(),
        session_id: "s-1".to_owned(),
        cwd: std::env::temp_dir(),
        timestamp: String::new(),
        transcript_path: String::new(),
        tool: None,
        payload: object(&json!({ "tool_name": "x" })),
    };
    let (project, user) = (ConfigSource::Project, ConfigSource::User);
    let (trusted, untrusted) = (FolderTrust::Trusted, FolderTrust::Untrusted);
    for (name, source, trust, text, refusal) in [
        ("a project's hook in a folder that is not trusted", project, untrusted, "true", Some("is not trusted")),
        ("a user's hook in such a folder", user, untrusted, "true", None),
        ("a project's hook in a trusted folder", project, trusted, "true", None),
        ("a command of blanks", user, trusted, " ", Some("missing command")),
    ] {
        let hook =
            Arc::new(HookEntry::new(event.name.clone(), HookAction::Command { command: text.to_owned() }, source));
        let plan = create_execution_plan(&[hook], &Occasion::new(&event.name, None)).unwrap();
        let settings = RunnerSettings { trust, ..RunnerSettings::default() };
        let runner = HookRunner::new(settings, Arc::new(RealWorld::default()), Arc::new(SilentLogger));
        let runs = runner.execute(&plan, &event, &CancelToken::new());
        let failure = runs[0].failure().map(ToString::to_string);
        assert_eq!(failure.is_some(), refusal.is_some(), "{name}: {failure:?}");
        assert!(failure.unwrap_or_default().contains(refusal.unwrap_or_default()), "{name}");
    }
}
