//! The program itself: its command line, its tools, its messages.

use hookrail_testkit::model_server::{ModelServer, Script, Turn};
use hookrail_testkit::process::{wait_until, within};
use hookrail_testkit::project::TempProject;
use serde_json::{Value, json};
use std::io::Write;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

const HANG: Duration = Duration::from_secs(60);

fn agent(project: &TempProject, server: &ModelServer, args: &[&str]) -> Command {
    let mut agent = Command::new(env!("CARGO_BIN_EXE_mini-agent"));
    agent.current_dir(project.path()).env_remove("GEMINI_API_KEY").env("NO_PROXY", "127.0.0.1");
    agent.args(["--base-url", &server.base_url()]).args(args);
    agent
}

fn run(mut agent: Command, stdin: &str) -> Output {
    let stdin = stdin.to_owned();
    within(HANG, move || {
        let mut agent = agent.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        // The agent may have ended without reading.
        let _ = agent.stdin.take().unwrap().write_all(stdin.as_bytes());
        agent.wait_with_output().unwrap()
    })
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

#[test]
fn a_prompt_is_an_argument_or_standard_input() {
    for (args, stdin) in [(vec!["how are you?"], ""), (vec![], "how are you?\n"), (vec!["-"], "how are you?\n")] {
        let server = ModelServer::start(Turn::text("fine, thanks"));
        let output = run(agent(&TempProject::new(), &server, &args), stdin);
        assert_eq!((output.status.code(), stdout(&output).as_str()), (Some(0), "fine, thanks\n"), "{args:?}");
        let request = &server.requests()[0];
        assert_eq!(request.last_user_text(), "how are you?", "{args:?}");
        assert_eq!((request.model(), request.query.as_str()), ("gemini-2.5-flash", "alt=sse"), "{args:?}");
        assert_eq!(request.header("x-goog-api-key"), None, "{args:?}");
    }
}

#[test]
fn the_key_comes_from_the_environment_or_the_command_line() {
    for (args, expected) in [(vec!["hi"], "from-env"), (vec!["--api-key", "from-args", "hi"], "from-args")] {
        let server = ModelServer::start(Turn::text("ok"));
        let project = TempProject::new();
        let mut agent = agent(&project, &server, &args);
        agent.env("GEMINI_API_KEY", "from-env");
        assert!(run(agent, "").status.success());
        assert_eq!(server.requests()[0].header("x-goog-api-key"), Some(expected));
    }
}

#[test]
fn tools_work_in_the_directory_and_files_outside_stay_out_of_reach() {
    let project = TempProject::new().file("work/a.txt", "alpha").file("secret.txt", "sesame");
    let calls = [
        ("run_shell_command", json!({"command": "cat a.txt; pwd; exit 3"})),
        ("read_file", json!({"file_path": "a.txt"})),
        ("read_file", json!({"file_path": "../secret.txt"})),
        ("write_file", json!({"file_path": "new/b.txt", "content": "beta"})),
        ("write_file", json!({"file_path": "../secret.txt", "content": "oops"})),
        ("read_file", json!({"file_path": "missing.txt"})),
        ("run_shell_command", json!({"command": " "})),
        ("run_shell_command", json!({"command": "sleep 60", "timeout_seconds": 1})),
        ("run_shell_command", json!({"command": "echo bye; kill -9 $$"})),
    ];
    let server = ModelServer::start([Turn::tool_calls(calls), Turn::text("done")]);
    let mut agent = agent(&project, &server, &["go"]);
    agent.current_dir(project.at("work"));
    let output = run(agent, "");
    assert_eq!((output.status.code(), stdout(&output).as_str()), (Some(0), "done\n"), "{}", stderr(&output));
    let results: Vec<String> = server.requests()[1].tool_results().into_iter().map(|result| result.text).collect();
    let expected = [
        format!("alpha{}\n(exit code 3)", project.at("work").display()),
        "alpha".to_owned(),
        "`../secret.txt` is outside the working directory".to_owned(),
        "wrote 4 bytes to `new/b.txt`".to_owned(),
        "`../secret.txt` is outside the working directory".to_owned(),
        "`missing.txt` cannot be read: No such file or directory (os error 2)".to_owned(),
        "invalid arguments for the tool `run_shell_command`: `command` is empty".to_owned(),
        "(ended because it took too long)".to_owned(),
        "bye\n(ended by SIGKILL)".to_owned(),
    ];
    assert_eq!(results, expected);
    assert_eq!(project.read("work/new/b.txt"), "beta");
    assert_eq!(project.read("secret.txt"), "sesame");
}

#[test]
fn the_answer_is_on_stdout_and_everything_else_on_stderr() {
    let server = ModelServer::start([
        Turn::text_and_calls("Let me see.", [("run_shell_command", json!({"command": "printf 'a\\033[31m'"}))]),
        Turn::text("All \u{1b}[31mred\u{1b}[0m."),
    ]);
    let output = run(agent(&TempProject::new(), &server, &["go"]), "");
    assert_eq!(stdout(&output), "Let me see.\nAll \\u{1b}[31mred\\u{1b}[0m.\n");
    let call = "-> run_shell_command {\"command\":\"printf 'a\\\\033[31m'\"}\n<- run_shell_command a\\u{1b}[31m\n";
    assert_eq!(stderr(&output), call);
}

#[test]
fn a_hook_may_say_what_it_is_busy_with() {
    let hook = json!({"type": "command", "command": "true", "statusMessage": "looking at it"});
    let settings = json!({"enableHooks": true, "hooks": {"BeforeTool": [{"hooks": [hook]}]}});
    let project = TempProject::new().file(".llxprt/settings.json", &settings.to_string());
    let call = ("run_shell_command", json!({"command": "true"}));
    let server = ModelServer::start([Turn::tool_calls([call]), Turn::text("done")]);
    let output = run(agent(&project, &server, &["go"]), "");
    assert!(stderr(&output).lines().any(|line| line == ".. looking at it"), "{}", stderr(&output));
}

#[test]
fn what_goes_wrong_is_said_with_what_to_do() {
    let settings = TempProject::new().file(".llxprt/settings.json", "{\"enableHooks\": tru}");
    let plain = TempProject::new();
    let cases: [(&TempProject, Turn, &[&str], &str); 6] = [
        (
            &plain,
            Turn::error(429, "slow down"),
            &["go"],
            "error: the model's provider refused the request with status 429: slow down\n",
        ),
        (&plain, Turn::abort_after("half an ans"), &["go"], "error: the model's answer broke off: "),
        (
            &plain,
            Turn::text(""),
            &["--model", "../x", "go"],
            "error: cannot reach the model: `../x` is not the name of a model\n",
        ),
        (
            &plain,
            Turn::text(""),
            &["  "],
            "error: there is nothing to do\nhint: give a prompt as argument or on standard input\n",
        ),
        (
            &plain,
            Turn::text(""),
            &["--settings", "nowhere.json", "go"],
            "error: the settings `nowhere.json` cannot be read: No such file",
        ),
        (&settings, Turn::text(""), &["go"], "error: the settings are not JSON: "),
    ];
    for (project, turn, args, message) in cases {
        let server = ModelServer::start(turn);
        let output = run(agent(project, &server, args), "");
        assert_eq!(output.status.code(), Some(1), "{args:?}");
        assert!(stderr(&output).starts_with(message), "{args:?}: {}", stderr(&output));
    }
    let server = ModelServer::start(Script::default());
    let mut google = agent(&plain, &server, &[]);
    google.args(["--base-url", "https://generativelanguage.googleapis.com"]);
    assert_eq!(run(google, "go").status.code(), Some(2), "an option given twice is a usage error");
    let mut keyless = Command::new(env!("CARGO_BIN_EXE_mini-agent"));
    keyless.env_remove("GEMINI_API_KEY").arg("go");
    let output = run(keyless, "");
    let message = "error: no API key for `https://generativelanguage.googleapis.com`\nhint: set GEMINI_API_KEY or use --api-key\n";
    assert_eq!(stderr(&output), message);
}

#[test]
fn a_broken_stream_fires_no_after_model_hook() {
    // covers: HOOK-207
    let settings = settings(&json!({"AfterModel": "echo seen >> after-model.txt"}));
    let project = TempProject::new().file(".llxprt/settings.json", &settings);
    let server = ModelServer::start([Turn::abort_after("half an answer"), Turn::text("whole")]);
    let output = run(agent(&project, &server, &["go"]), "");
    assert_eq!((output.status.code(), stdout(&output).as_str()), (Some(1), ""), "it was held back for the hook");
    assert!(!project.exists("after-model.txt"));
    assert!(run(agent(&project, &server, &["go"]), "").status.success());
    assert_eq!(project.read("after-model.txt"), "seen\n", "once per answer");
}

/// Settings with one command for each event.
fn settings(hooks: &Value) -> String {
    let group = |command: &Value| json!([{"hooks": [{"type": "command", "command": command}]}]);
    let hooks: Value =
        hooks.as_object().unwrap().iter().map(|(event, command)| (event.clone(), group(command))).collect();
    json!({"enableHooks": true, "hooks": hooks}).to_string()
}

#[test]
fn settings_are_found_switched_on_and_selected() {
    let block = json!({"BeforeModel": "echo no >&2; exit 2"});
    let off = settings(&block).replace("true", "false");
    let one_disabled =
        settings(&block).replacen('{', "{\"hooksConfig\": {\"disabled\": [\"echo no >&2; exit 2\"]},", 1);
    let cases = [
        (".llxprt/settings.json", settings(&block), vec!["go"], 3),
        ("mine.json", settings(&block), vec!["go"], 0),
        ("mine.json", settings(&block), vec!["--settings", "mine.json", "go"], 3),
        ("mine.json", off, vec!["--settings", "mine.json", "go"], 0),
        ("mine.json", one_disabled, vec!["--settings", "mine.json", "go"], 0),
    ];
    for (path, text, args, code) in cases {
        let project = TempProject::new().file(path, &text);
        let server = ModelServer::start(Turn::text("ok"));
        let output = run(agent(&project, &server, &args), "");
        assert_eq!(output.status.code(), Some(code), "{path} {args:?}: {}", stderr(&output));
    }
}

/// The blocks of a language in the README.
fn readme_blocks(language: &str) -> Vec<&'static str> {
    let fence = format!("```{language}\n");
    let readme = include_str!("../../README.md");
    readme.split(&fence).skip(1).map(|rest| rest.split_once("```").unwrap().0).collect()
}

#[test]
fn the_hook_of_the_readme_keeps_the_agent_from_pushing() {
    let script = readme_blocks("sh").into_iter().find(|block| block.starts_with("#!")).unwrap();
    let project =
        TempProject::new().file(".llxprt/settings.json", readme_blocks("json")[0]).script("no-push.sh", script);
    let calls = [
        ("run_shell_command", json!({"command": "touch a; git push"})),
        ("run_shell_command", json!({"command": "echo pull"})),
    ];
    let server = ModelServer::start([Turn::tool_calls(calls), Turn::text("ok")]);
    assert!(run(agent(&project, &server, &["go"]), "").status.success());
    let results: Vec<String> = server.requests()[1].tool_results().into_iter().map(|result| result.text).collect();
    assert_eq!(results, ["pushing is left to people", "pull"]);
    assert!(!project.exists("a"));
}

#[test]
fn hooks_of_the_session_run_in_order_and_to_their_end() {
    // covers: HOOK-203
    let note = |name: &str| format!("sleep 0.1; echo {name} >> events.txt");
    let events = ["SessionStart", "BeforeAgent", "AfterAgent", "SessionEnd"];
    let hooks: Value = events.iter().map(|name| ((*name).to_owned(), json!(note(name)))).collect();
    let project = TempProject::new().file(".llxprt/settings.json", &settings(&hooks));
    let server = ModelServer::start(Turn::text("ok"));
    assert!(run(agent(&project, &server, &["go"]), "").status.success());
    assert_eq!(project.read("events.txt"), "SessionStart\nBeforeAgent\nAfterAgent\nSessionEnd\n");
}

#[test]
fn a_failing_hook_is_warned_about_and_stops_nothing() {
    let project =
        TempProject::new().file(".llxprt/settings.json", &settings(&json!({"BeforeModel": "echo oops >&2; exit 1"})));
    let server = ModelServer::start(Turn::text("ok"));
    let output = run(agent(&project, &server, &["go"]), "");
    assert_eq!((output.status.code(), stdout(&output).as_str()), (Some(0), "ok\n"));
    assert!(stderr(&output).starts_with("warning: hook `echo oops >&2; exit 1` ("), "{}", stderr(&output));
}

#[test]
fn a_person_may_prefer_live_answers_and_hear_of_hooks() {
    let rewrite = json!({"hookSpecificOutput": {"llm_response": {"text": "better"}}});
    let hooks = settings(&json!({ "AfterModel": format!("cat <<'END'\n{rewrite}\nEND\n") }));
    let project = TempProject::new().file(".llxprt/settings.json", &hooks);
    for (args, shown, talks) in [(vec!["go"], "better\n", false), (vec!["--live", "--verbose", "go"], "good\n", true)] {
        let server = ModelServer::start(Turn::text("good"));
        let output = run(agent(&project, &server, &args), "");
        assert_eq!(stdout(&output), shown, "{args:?}");
        assert_eq!(stderr(&output).contains("hooks: AfterModel: 1 hooks"), talks, "{args:?}: {}", stderr(&output));
    }
}

#[test]
fn an_endless_model_is_given_up_on() {
    let script = Script::new([]).otherwise(Turn::tool_call("run_shell_command", json!({"command": "true"})));
    let server = ModelServer::start(script);
    let output = run(agent(&TempProject::new(), &server, &["--max-turns", "3", "go"]), "");
    assert_eq!(output.status.code(), Some(5));
    assert_eq!(server.requests().len(), 3);
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_what_runs() {
    let project = TempProject::new();
    let command = "touch started; sleep 600 & echo $! > pid; wait";
    let server = ModelServer::start(Turn::tool_call("run_shell_command", json!({ "command": command })));
    let mut agent = agent(&project, &server, &["go"]).stdin(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    assert!(wait_until(HANG, || project.exists("pid") && project.read("pid").ends_with('\n')));
    let sleeper: u32 = project.read("pid").trim().parse().unwrap();
    let interrupt = Command::new("kill").args(["-INT", &agent.id().to_string()]).status().unwrap();
    assert!(interrupt.success());
    let status = within(HANG, move || agent.wait().unwrap());
    assert_eq!(status.code(), Some(130));
    assert!(wait_until(HANG, || !hookrail_testkit::process::alive(sleeper)));
}
