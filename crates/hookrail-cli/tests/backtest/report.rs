use super::TranscriptFixture;
use hookrail_testkit::folders::files_below;
use serde_json::Value;
use std::io::Read;
use std::process::Stdio;
use std::time::{Duration, Instant};

fn json(place: &TranscriptFixture, args: &[&str]) -> Value {
    let (code, out, err) = place.hookrail(&[&["backtest", "--json"], args].concat());
    assert_eq!((code, err.as_str()), (Some(0), ""), "{out}");
    serde_json::from_str(&out).unwrap()
}

#[test]
fn the_first_screen_answers() {
    let (code, out, err) = TranscriptFixture::all().hookrail(&["backtest"]);
    assert_eq!((code, err.as_str()), (Some(0), ""));
    let first: Vec<&str> = out.lines().take(24).collect();
    for expected in [
        "10 sessions, 39 calls of Claude Code, Codex, Gemini CLI, opencode in 1 project",
        "tried: what `hookrail init --yes` writes",
        "would have refused",
        "rm -rf ~/Pictures",
        "would have asked",
        "without a prompt",
        "you were asked 8 times",
        "of 4 calls that you approved then, 1 would be refused now — look here first",
    ] {
        assert!(first.iter().any(|line| line.contains(expected)), "{expected}\n{out}");
    }
}

#[test]
fn what_is_printed_for_programs_is_as_the_schema_says() {
    let place = TranscriptFixture::all();
    let (code, schema, err) = place.hookrail(&["schema", "backtest"]);
    assert_eq!((code, err.as_str()), (Some(0), ""));
    let schema: Value = serde_json::from_str(&schema).unwrap();
    assert_eq!(schema["properties"]["version"]["const"], hookrail_backtest::VERSION);
    place.home.write(".claude/projects/p/broken.jsonl", "{\"torn\n");
    place.project.write(
        "other.toml",
        "[safety]\nlevel = \"strict\"\n[[command]]\nname = \"spy\"\nevent = \"BeforeTool\"\ncommand = \"true\"\n",
    );
    for args in [
        &[][..],
        &["--agent", "claude", "--rule", "safety/delete-outside", "--diff", "other.toml"],
        &["--config", "other.toml"],
        &["--since", "2999-01-01"],
    ] {
        hookrail_testkit::json_schema::check(&schema, "", &json(&place, args));
    }
    let mut more = json(&place, &[]);
    more["surprise"] = Value::Null;
    let told = std::panic::catch_unwind(|| hookrail_testkit::json_schema::check(&schema, "", &more));
    assert!(told.is_err(), "what is not described is not as the schema says");
}

#[test]
fn on_a_narrow_screen_no_line_is_wider() {
    let place = TranscriptFixture::all();
    let mut command = place.command(&["backtest"]);
    command.env("COLUMNS", "60").env("NO_COLOR", "1");
    let (code, out, _) = hookrail_testkit::program::talk(&mut command, "");
    assert_eq!(code, Some(0));
    let tables: Vec<&str> = out.lines().skip_while(|line| !line.starts_with("rule ")).collect();
    let table = tables.iter().take_while(|line| !line.is_empty() && !line.starts_with("- "));
    let wide: Vec<&&str> = table.filter(|line| line.chars().count() > 60).collect();
    assert!(tables.len() > 3 && wide.is_empty(), "{wide:?}\n{out}");
    let calls = out.lines().filter(|line| line.starts_with("  2026-"));
    assert!(calls.clone().count() > 3 && calls.clone().all(|line| line.chars().count() <= 60), "{out}");
    assert!(!out.contains('\u{1b}'));
}

#[test]
fn what_a_hostile_transcript_says_steers_neither_the_terminal_nor_the_page() {
    let place = TranscriptFixture::empty();
    let hostile =
        "rm -rf ~/x # \u{1b}[2J\u{1b}]0;owned\u{7}\u{202e}\u{200b}</script><img src=x onerror=alert(1)>\r\n\u{85}";
    let line = serde_json::json!({
        "type": "assistant", "sessionId": hostile, "cwd": format!("/p/{hostile}"), "version": "2.1.1",
        "timestamp": "2026-11-01T10:00:00Z", "gitBranch": hostile,
        "message": { "content": [
            { "type": "tool_use", "id": hostile, "name": "Bash", "input": { "command": hostile } },
            { "type": "tool_use", "id": "t2", "name": hostile, "input": { "command": hostile, "path": hostile } },
        ] },
    });
    place.home.write(".claude/projects/p/s.jsonl", &format!("{line}\n{{\"torn\": \"\u{1b}[31m\n"));
    let (code, out, err) = place.hookrail(&["backtest", "--html", "page.html", "--rule", "safety/delete-outside"]);
    assert_eq!(code, Some(0), "{err}");
    let page = place.project.read("page.html");
    for text in [&out, &err, &page] {
        for steering in ['\u{1b}', '\u{7}', '\u{202e}', '\u{200b}', '\r', '\u{85}'] {
            assert!(!text.contains(steering), "{steering:?}\n{text}");
        }
    }
    assert!(out.contains("rm -rf ~/x") && page.contains("rm -rf ~/x"), "{out}");
    assert!(!page.contains("</script") && !page.contains("<img") && page.contains("&lt;img"), "{page}");
    assert!(!page.contains("http://") && !page.contains("https://"), "a page that names no address loads none");
}

#[test]
fn the_default_configuration_is_what_init_writes() {
    let place = TranscriptFixture::all();
    let (code, _, err) = place.hookrail(&["init", "--yes", "--scope", "user"]);
    assert_eq!(code, Some(0), "{err}");
    let written = place.home.at(".config/hookrail/hookrail.toml").display().to_string();
    let (mut usual, mut from_file) = (json(&place, &[]), json(&place, &["--config", &written]));
    for report in [&mut usual, &mut from_file] {
        report["configuration"] = Value::Null;
        report["made"] = Value::Null;
    }
    assert_eq!(usual, from_file);
    assert_eq!(usual["problems"].as_array().unwrap().len(), 0);
}

#[test]
fn flags_say_which_calls_count() {
    let place = TranscriptFixture::all();
    for (args, calls) in [
        (&["--agent", "codex"][..], 10),
        (&["--agent", "codex", "--agent", "gemini-cli"], 20),
        (&["--project", "/home/dev/shop"], 39),
        (&["--project", "/home/dev/none"], 0),
        (&["--since", "2026-11-01"], 39),
        (&["--since", "2999-01-01"], 0),
    ] {
        assert_eq!(json(&place, args)["history"]["calls"], calls, "{args:?}");
    }
}

#[test]
fn a_rule_lists_its_calls_and_a_mistake_in_its_name_is_told() {
    let place = TranscriptFixture::all();
    let report = json(&place, &["--rule", "safety/delete-outside"]);
    let calls = report["selected"]["calls"].as_array().unwrap();
    assert_eq!(calls.len(), 4);
    assert!(calls.iter().all(|call| call["subject"] == "rm -rf ~/Pictures"), "{calls:?}");
    for (args, told) in [
        (&["backtest", "--rule", "safety/delete-outsid"][..], "did you mean `safety/delete-outside`?"),
        (&["backtest", "--agent", "cursor"], "those of claude, codex, gemini, opencode can"),
        (&["backtest", "--agent", "cluade"], "did you mean `claude`?"),
        (&["backtest", "--since", "nonsense"], "nonsense"),
        (&["backtest", "--fail-on", "nonsense"], "such as `false-deny>1%`"),
        (&["backtest", "--config", "none.toml"], "cannot read `none.toml`"),
        (&["backtest", "--fail-on", "false-denny>1%"], "did you mean `false-deny`?"),
        (&["backtest", "--scenario", "none"], "no transcript has a call `none`"),
        (&["try", "--call", "none"], "no transcript has a call `none`"),
        (&["explain", "--call", "none"], "no transcript has a call `none`"),
    ] {
        let (code, out, err) = place.hookrail(args);
        assert_eq!((code, out.as_str()), (Some(1), ""), "{args:?}");
        assert!(err.contains(told), "{args:?}: {err}");
    }
    place.project.write("broken.toml", "[core\n");
    let (code, _, err) = place.hookrail(&["backtest", "--config", "broken.toml"]);
    assert!(code == Some(1) && err.contains("broken.toml:1:"), "{err}");
}

#[test]
fn limits_decide_the_exit_code() {
    let place = TranscriptFixture::all();
    for (limit, code) in [("false-deny>1%", 3), ("false-deny>25%", 0), ("deny>100", 0), ("ask>0", 3), ("missed>0", 0)] {
        let (found, _, err) = place.hookrail(&["backtest", "--fail-on", limit]);
        assert_eq!(found, Some(code), "{limit}: {err}");
        assert_eq!(err.contains(" is over "), code == 3, "{limit}: {err}");
    }
}

#[test]
fn a_call_of_the_report_is_tried_explained_and_kept_as_a_scenario_that_passes() {
    let place = TranscriptFixture::with(&["gemini", "opencode"]);
    let report = json(&place, &[]);
    for call in report["worth_a_look"].as_array().unwrap() {
        let name = call["call"].as_str().unwrap();
        let subject = call["subject"].as_str().unwrap();
        for command in ["try", "explain"] {
            let (code, out, err) = place.hookrail(&[command, "--call", name]);
            assert_eq!((code, err.as_str()), (Some(0), ""), "{command} {name}");
            assert!(out.contains(subject), "{command}: {out}");
        }
        let (code, out, err) = place.hookrail(&["backtest", "--scenario", name]);
        assert_eq!((code, err.as_str()), (Some(0), ""));
        place.project.write(format!(".hookrail/tests/{name}.toml"), &out);
    }
    place.home.write(".config/hookrail/hookrail.toml", "");
    let (code, out, err) = place.hookrail(&["test"]);
    assert_eq!(code, Some(0), "{out}{err}");
}

#[test]
fn broken_lines_and_untested_versions_are_named() {
    let place = TranscriptFixture::with(&["claude"]);
    let line = r#"{"type":"user","version":"8.0.1","sessionId":"x","message":{"content":"hello"}}"#;
    place.home.write(".claude/projects/-home-dev-shop/zzz.jsonl", &format!("{line}\n{{\"torn"));
    let (code, out, err) = place.hookrail(&["backtest"]);
    assert_eq!((code, err.as_str()), (Some(0), ""));
    assert!(out.contains("Claude Code: 1 broken line: ") && out.contains("zzz.jsonl:2: it is no JSON object"), "{out}");
    assert!(out.contains("1 file of a version that was not tested: 8.0.1"), "{out}");
}

#[test]
fn a_page_that_cannot_be_written_does_not_cost_the_report() {
    let place = TranscriptFixture::with(&["claude"]);
    place.project.write("taken", "a file is in the place of a folder");
    let (code, out, err) = place.hookrail(&["backtest", "--html", "taken/page.html"]);
    assert!(code == Some(1) && err.contains("page.html"), "{err}");
    assert!(out.contains("8 calls of Claude Code"), "{out}");
}

#[test]
fn without_transcripts_it_says_where_they_would_be() {
    let (code, out, _) = TranscriptFixture::empty().hookrail(&["backtest"]);
    assert_eq!(code, Some(0));
    assert!(out.contains("no calls found in 0 files of transcripts") && out.contains("~/.codex"), "{out}");
}

#[test]
fn nothing_is_written_and_nothing_is_started() {
    let place = TranscriptFixture::all();
    let before = files(&place);
    json(&place, &[]);
    assert_eq!(files(&place), before);
}

fn files(place: &TranscriptFixture) -> Vec<std::path::PathBuf> {
    [&place.home, &place.project].map(|project| files_below(project.path()).unwrap()).concat()
}

/// Enough history that a backtest is still reading when it is interrupted.
fn long_history(place: &TranscriptFixture, sessions: usize) {
    let text = include_str!("../../../hookrail-backtest/tests/fixtures/long-session.jsonl");
    for session in 0..sessions {
        let copy: String = (0..40)
            .map(|index| {
                text.replace("SESSION", &format!("s{session}")).replace("CALL", &format!("c{session}-{index}"))
            })
            .collect();
        place.home.write(format!(".claude/projects/p{session}/s{session}.jsonl"), &copy);
    }
}

/// Waits until a process handles interrupts, as the kernel knows; on a busy machine that takes long.
fn wait_until_it_listens(process: u32) {
    let status = format!("/proc/{process}/status");
    let handles = || {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let caught = text.lines().find_map(|line| line.strip_prefix("SigCgt:")?.trim().get(8..).map(str::to_owned));
        caught.is_some_and(|caught| u64::from_str_radix(&caught, 16).unwrap() & 0b10 != 0)
    };
    let begun = Instant::now();
    while !handles() && begun.elapsed() < Duration::from_secs(30) {
        std::thread::sleep(Duration::from_millis(5));
    }
    std::thread::sleep(Duration::from_millis(100));
}

#[test]
fn an_interrupt_ends_it_with_what_was_found() {
    let place = TranscriptFixture::empty();
    long_history(&place, 60);
    let mut command = place.command(&["backtest", "--json"]);
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    wait_until_it_listens(child.id());
    let killed = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    let begun = Instant::now();
    let mut out = String::new();
    child.stdout.take().unwrap().read_to_string(&mut out).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0), "an interrupted backtest is no failure");
    assert!(begun.elapsed() < Duration::from_secs(20));
    let report: Value = serde_json::from_str(&out).unwrap();
    let (complete, calls) = (report["complete"].as_bool().unwrap(), report["history"]["calls"].as_u64().unwrap());
    assert!(!complete && calls < 60 * 40 * 4, "{complete} {calls}");
}

#[test]
fn a_bar_on_the_terminal_tells_how_far_it_is_and_stdout_has_the_report_alone() {
    // What takes less than a second has no bar, so a quick machine gets more to do.
    let shown_in = |sessions: &usize| {
        let (shown, report) = backtest_on_a_terminal(*sessions);
        let calls = Value::from(sessions * 40 * 4);
        assert_eq!((&report["complete"], &report["history"]["calls"]), (&Value::Bool(true), &calls));
        shown.contains("reading transcripts") && shown.contains(" left")
    };
    assert!([60, 240, 960].iter().any(shown_in));
}

/// What a terminal shows while so many sessions are read, and the report.
fn backtest_on_a_terminal(sessions: usize) -> (String, Value) {
    let place = TranscriptFixture::empty();
    long_history(&place, sessions);
    let out = place.project.at("report.json");
    let line = format!("'{}' backtest --json > '{}'", env!("CARGO_BIN_EXE_hookrail"), out.display());
    let command = place.command(&[]);
    let mut terminal = std::process::Command::new("script");
    terminal.args(["-qfec", &line, "/dev/null"]).current_dir(command.get_current_dir().unwrap()).env_clear();
    terminal.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?)))).env("TERM", "xterm");
    let shown = terminal.stdin(Stdio::null()).output().unwrap();
    let report = serde_json::from_str(&std::fs::read_to_string(out).unwrap()).unwrap();
    (String::from_utf8_lossy(&shown.stdout).into_owned(), report)
}
