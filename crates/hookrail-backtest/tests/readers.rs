//! Transcripts that real agents wrote (`cargo xtask agents --transcripts`), read call by call.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a broken expectation must fail the test"
)]

use hookrail_backtest::transcripts::{
    CallEnd, Homes, Outcome, PastCall, PastDecision, READERS, SessionFile, Sink, Step, Trouble,
};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

#[derive(Default)]
struct Found {
    prompts: usize,
    calls: Vec<(PastCall, Option<CallEnd>)>,
    trouble: Vec<(PathBuf, Trouble)>,
    bytes: u64,
}

impl Sink for Found {
    fn step(&mut self, step: Step) {
        match step {
            Step::Prompt { .. } => self.prompts += 1,
            Step::Call(call) => self.calls.push((*call, None)),
            Step::End { call, end, .. } => {
                let open = self.calls.iter_mut().rev().find(|(known, past)| known.id == call && past.is_none());
                open.unwrap_or_else(|| panic!("`{call}` ended without a beginning")).1 = Some(end);
            }
        }
    }

    fn trouble(&mut self, file: &Path, trouble: Trouble) {
        self.trouble.push((file.to_owned(), trouble));
    }

    fn advance(&mut self, bytes: u64) -> ControlFlow<()> {
        self.bytes += bytes;
        ControlFlow::Continue(())
    }
}

fn home(agent: &str) -> String {
    format!("{}/tests/fixtures/{agent}", env!("CARGO_MANIFEST_DIR"))
}

fn read(agent: &str, home: &str) -> (Vec<SessionFile>, Found) {
    let homes = Homes::of(&|name| (name == "HOME").then(|| home.to_owned()));
    let reader = READERS.iter().find(|reader| reader.agent == agent).unwrap();
    let (mut files, mut found) = (Vec::new(), Found::default());
    let _ = reader.find(&homes, &mut |file| {
        let progress = reader.read(&file, &mut found);
        files.push(file);
        progress
    });
    (files, found)
}

/// A call in one line: what it is, who made it, how it ended and what was decided.
fn line((call, end): &(PastCall, Option<CallEnd>)) -> String {
    let subject = ["command", "file_path", "filePath", "message", "prompt", "agent_name"];
    let subject = subject.iter().find_map(|key| call.input.get(*key)?.as_str()).unwrap_or_default();
    let subject = subject.lines().next().unwrap_or_default();
    let who = call.subagent.as_ref().map_or("main".to_owned(), |name| format!("sub {name}").trim_end().to_owned());
    let end = end.map_or("unfinished".to_owned(), |end| format!("{:?} {:?}", end.outcome, end.decision));
    format!("{} `{subject}` {who}: {end}", call.tool)
}

fn check(agent: &str, expected: &[&str]) -> Found {
    let (files, found) = read(agent, &home(agent));
    let mut lines: Vec<String> = found.calls.iter().map(line).collect();
    // Which session comes first depends on its random name.
    lines.sort();
    let mut expected = expected.to_vec();
    expected.sort_unstable();
    assert_eq!(lines, expected, "{agent}");
    assert_eq!(found.trouble, [], "{agent}");
    assert!(files.iter().map(|file| file.bytes).sum::<u64>() >= found.bytes && found.bytes > 0, "{agent}");
    for (call, _) in &found.calls {
        assert_eq!(call.cwd, Path::new("/home/dev/shop"), "{call:?}");
        assert!(call.millis > 1_790_000_000_000 && !call.session.is_empty() && !call.id.is_empty(), "{call:?}");
    }
    found
}

#[test]
fn claude_code_tells_what_a_person_decided_and_a_fork_repeats_it() {
    let found = check(
        "claude",
        &[
            "Bash `ls` main: Ok Unasked",
            "Bash `npm test` main: Failed Approved",
            "Bash `git push --force origin main` main: Failed Approved",
            "Bash `rm -rf ~/Pictures` main: NotRun Refused",
            "Write `/home/dev/shop/notes.md` main: Ok Approved",
            "Bash `ls` main: Ok Unasked",
            "Bash `npm test` main: Failed Approved",
            "Bash `git push --force origin main` main: Failed Approved",
            "Bash `rm -rf ~/Pictures` main: NotRun Refused",
            "Write `/home/dev/shop/notes.md` main: Ok Approved",
            "Agent `SUBAGENT look` main: Ok Unasked",
            "Bash `cat package.json` sub general-purpose: Ok Unasked",
            "Bash `cat .env` main: Ok Unasked",
        ],
    );
    assert!(found.prompts >= 2);
    let sessions: std::collections::BTreeSet<&str> =
        found.calls.iter().map(|(call, _)| call.session.as_str()).collect();
    assert_eq!(sessions.len(), 2, "a sub-agent's calls are those of its session");
    assert!(found.calls.iter().all(|(call, _)| call.branch.as_deref() == Some("main")));
    assert!(found.calls.iter().any(|(call, _)| call.mode.as_deref() == Some("default")));
}

#[test]
fn codex_tells_commands_as_its_hooks_do_and_whom_it_asked_follows() {
    let found = check(
        "codex",
        &[
            "Bash `ls` main: Ok Unknown",
            "apply_patch `*** Begin Patch` main: Ok Unknown",
            "Bash `npm test` main: Failed Unknown",
            "Bash `cat .env` main: Ok Unknown",
            "spawn_agent `SUBAGENT look` main: Unknown Unknown",
            "Bash `cat package.json` sub: NotRun Unknown",
            "Bash `touch approved.txt` main: Ok Approved",
            "Bash `rm -rf ~/Pictures` main: NotRun Refused",
        ],
    );
    let modes: Vec<&str> = found.calls.iter().filter_map(|(call, _)| call.mode.as_deref()).collect();
    assert!(modes.contains(&"never") && modes.contains(&"on-request"), "{modes:?}");
}

#[test]
fn gemini_cli_tells_calls_with_their_results_and_those_of_sub_agents() {
    check(
        "gemini",
        &[
            "run_shell_command `touch approved.txt` main: Ok Unknown",
            "run_shell_command `rm -rf ~/Pictures` main: NotRun Refused",
            "run_shell_command `ls` main: Ok Unknown",
            "write_file `/home/dev/shop/notes.md` main: Ok Unknown",
            "run_shell_command `npm test` main: Failed Unknown",
            "run_shell_command `cat .env` main: Ok Unknown",
            "invoke_agent `SUBAGENT look` main: Ok Unknown",
            "run_shell_command `cat package.json` sub: Ok Unknown",
            "complete_task `` sub: Ok Unknown",
        ],
    );
}

#[test]
fn opencode_keeps_its_calls_in_a_database_whose_log_is_read() {
    check(
        "opencode",
        &[
            "bash `ls` main: Ok Unknown",
            "write `/home/dev/shop/notes.md` main: Ok Unknown",
            "bash `npm test` main: Failed Unknown",
            "bash `cat .env` main: Ok Unknown",
            "task `SUBAGENT look` main: Ok Unknown",
            "bash `cat package.json` sub general: Ok Unknown",
            "bash `rm -rf ~/Pictures` main: NotRun Refused",
        ],
    );
}

/// A home with one transcript of an agent.
fn with_file(path: &str, content: &str) -> tempfile::TempDir {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join(path);
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(file, content).unwrap();
    home
}

#[test]
fn what_cannot_be_read_is_named_and_the_rest_is_read() {
    let call = r#"{"type":"assistant","sessionId":"s","cwd":"/p","version":"2.1.1","timestamp":"2026-01-01T00:00:00Z","message":{"content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"ls"}}]}}"#;
    let cases = [
        ("claude", ".claude/projects/p/s.jsonl", format!("{{\"type\":\"assistant\",\"tool_use\"\n{call}\n"), "BrokenLine { line: 1"),
        ("claude", ".claude/projects/p/s.jsonl", format!("{{\"tool_use\": \"tool_use\", \"type\": 7}}\n{call}"), "BrokenLine { line: 1"),
        ("claude", ".claude/projects/p/s.jsonl", call.replace("2.1.1", "9.7.0"), "UntestedVersion(\"9.7.0\")"),
        (
            "codex",
            ".codex/sessions/2026/01/01/rollout-1.jsonl",
            concat!(
                r#"{"type":"session_meta","payload":{"id":"s","cwd":"/p","cli_version":"7.1.0"}}"#, "\n",
                r#"{"type":"response_item","payload":{"type":"function_call","name":"shell","arguments":"{\"command\":[\"bash\",\"-lc\",\"ls\"]}","call_id":"t1"}}"#
            ).to_owned(),
            "UntestedVersion(\"7.1.0\")",
        ),
        (
            "gemini",
            ".gemini/tmp/p/chats/session-1.json",
            r#"{"sessionId":"s","messages":[{"id":"m","type":"gemini","timestamp":"2026-01-01T00:00:00Z","toolCalls":[{"id":"t1","name":"run_shell_command","args":{"command":"ls"},"status":"success"}]},"odd"]}"#.to_owned(),
            "BrokenLine { line: 0",
        ),
    ];
    for (agent, path, content, expected) in cases {
        let home = with_file(path, &content);
        let (_, found) = read(agent, home.path().to_str().unwrap());
        let told = format!("{:?}", found.trouble);
        assert!(found.trouble.len() == 1 && told.contains(expected), "{agent}: {told}");
        assert_eq!(found.calls.len(), 1, "{agent} {content}");
        assert_eq!(found.calls[0].0.input["command"], "ls", "{agent}");
    }
}

#[test]
fn a_file_in_an_unknown_form_is_told() {
    let cases = [
        ("gemini", ".gemini/tmp/p/chats/session-1.json", "[1, 2]", "UnknownForm"),
        ("gemini", ".gemini/tmp/p/chats/session-1.json", "{\"messages\": [{\"a\"", "UnknownForm"),
        ("opencode", ".local/share/opencode/opencode.db", "no database", "Unreadable(\"it is no SQLite database\")"),
    ];
    for (agent, path, content, expected) in cases {
        let home = with_file(path, content);
        let (files, found) = read(agent, home.path().to_str().unwrap());
        assert_eq!((files.len(), found.calls.len()), (1, 0), "{agent} {content}");
        let told = format!("{:?}", found.trouble);
        assert!(found.trouble.len() == 1 && told.contains(expected), "{agent}: {told}");
    }
}

#[test]
fn older_forms_of_a_refusal_are_known() {
    let result = |text: &str, more: &str| {
        format!(
            concat!(
                r#"{{"type":"assistant","sessionId":"s","cwd":"/p","message":{{"content":[{{"type":"tool_use","id":"t","name":"Bash","input":{{"command":"ls"}}}}]}}}}"#,
                "\n",
                r#"{{"type":"user","sessionId":"s","cwd":"/p"{more},"message":{{"content":[{{"type":"tool_result","tool_use_id":"t","is_error":true,"content":"{text}"}}]}}}}"#,
            ),
            text = text,
            more = more
        )
    };
    use PastDecision::{Approved, Blocked, Refused, Unasked, Unknown};
    for (text, more, decision, outcome) in [
        (
            "The user doesn't want to proceed with this tool use. The tool use was rejected",
            "",
            Refused,
            Outcome::NotRun,
        ),
        ("Permission to use Bash with command rm has been denied.", "", Blocked, Outcome::NotRun),
        ("PreToolUse:Bash hook error: no", "", Blocked, Outcome::NotRun),
        ("Exit code 1", "", Unknown, Outcome::Failed),
        (
            "Exit code 1",
            r#","permissionDecision":{"decision":"accept","source":"user_permanent"}"#,
            Approved,
            Outcome::Failed,
        ),
        ("Exit code 1", r#","permissionDecision":{"decision":"accept","source":"config"}"#, Unasked, Outcome::Failed),
        ("no", r#","permissionDecision":{"decision":"reject","source":"hook"}"#, Blocked, Outcome::NotRun),
        ("no", r#","toolDenialKind":"user-rejected""#, Refused, Outcome::NotRun),
        ("no", r#","toolDenialKind":"permission-rule""#, Blocked, Outcome::NotRun),
    ] {
        let home = with_file(".claude/projects/p/s.jsonl", &result(text, more));
        let (_, found) = read("claude", home.path().to_str().unwrap());
        assert_eq!(found.calls[0].1, Some(CallEnd { outcome, decision }), "{text} {more}");
    }
}
