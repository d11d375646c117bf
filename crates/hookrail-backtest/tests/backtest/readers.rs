//! Transcripts that real agents wrote (`cargo xtask agents --transcripts`), read call by call.

use hookrail_backtest::transcripts::{
    CallEnd, Homes, Listed, Outcome, PastCall, PastDecision, READERS, Search, SessionFile, Sink, Step,
    TranscriptProblem,
};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

#[derive(Default)]
struct CollectedSteps {
    prompts: usize,
    calls: Vec<(PastCall, Option<CallEnd>)>,
    trouble: Vec<(PathBuf, TranscriptProblem)>,
    bytes: u64,
}

impl Sink for CollectedSteps {
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

    fn trouble(&mut self, file: &Path, trouble: TranscriptProblem) {
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

fn read(agent: &str, home: &str) -> (Vec<SessionFile>, CollectedSteps) {
    let homes = Homes::of(&|name| (name == "HOME").then(|| home.to_owned()));
    let reader = READERS.iter().find(|reader| reader.agent == agent).unwrap();
    let (mut files, mut found) = (Vec::new(), CollectedSteps::default());
    let search = Search { since: None, joined: true };
    let _ = reader.find(&homes, search, &mut |listed| match listed {
        Listed::Session(session) => {
            let progress = reader.read(&session, &mut found);
            files.extend(session);
            progress
        }
        Listed::Unreadable(folder, why) => {
            found.trouble.push((folder, TranscriptProblem::Unreadable(why)));
            ControlFlow::Continue(())
        }
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

fn check(agent: &str, expected: &[&str]) -> CollectedSteps {
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
            "Bash `ls` main: Ok AutoApproved",
            "Bash `npm test` main: Failed Approved",
            "Bash `git push --force origin main` main: Failed Approved",
            "Bash `rm -rf ~/Pictures` main: NotRun Refused",
            "Write `/home/dev/shop/notes.md` main: Ok Approved",
            "Bash `ls` main: Ok AutoApproved",
            "Bash `npm test` main: Failed Approved",
            "Bash `git push --force origin main` main: Failed Approved",
            "Bash `rm -rf ~/Pictures` main: NotRun Refused",
            "Write `/home/dev/shop/notes.md` main: Ok Approved",
            "Agent `SUBAGENT look` main: Ok AutoApproved",
            "Bash `cat package.json` sub general-purpose: Ok AutoApproved",
            "Bash `cat .env` main: Ok AutoApproved",
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
            // A session that was resumed goes on in its file; a fork has its own calls only.
            "Bash `cat package.json` main: Ok Unknown",
            "Bash `git status` main: Ok Unknown",
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
            // Resumed: the session repeats what it began with.
            "run_shell_command `ls` main: Ok Unknown",
            "write_file `/home/dev/shop/notes.md` main: Ok Unknown",
            "run_shell_command `npm test` main: Failed Unknown",
            "run_shell_command `cat .env` main: Ok Unknown",
            "invoke_agent `SUBAGENT look` main: Ok Unknown",
            "run_shell_command `git status` main: Ok Unknown",
        ],
    );
}

#[test]
fn opencode_keeps_its_calls_in_a_database_whose_log_is_read_and_kept_them_in_files_before() {
    let found = check(
        "opencode",
        &[
            "bash `ls` main: Ok Unknown",
            "write `/home/dev/shop/notes.md` main: Ok Unknown",
            "bash `npm test` main: Failed Unknown",
            "bash `cat .env` main: Ok Unknown",
            "task `SUBAGENT look` main: Ok Unknown",
            "bash `cat package.json` sub general: Ok Unknown",
            "bash `rm -rf ~/Pictures` main: NotRun Refused",
            // A fork repeats what it began with.
            "bash `ls` main: Ok Unknown",
            "write `/home/dev/shop/notes.md` main: Ok Unknown",
            "bash `npm test` main: Failed Unknown",
            "bash `cat .env` main: Ok Unknown",
            "task `SUBAGENT look` main: Ok Unknown",
            "bash `rm -rf ~/Pictures` main: NotRun Refused",
            "bash `git status` main: Ok Unknown",
            // Version 1.1.65.
            "bash `ls -la` main: Ok Unknown",
            "task `SUBAGENT look` main: Ok Unknown",
            "bash `cat package.json` sub general: Ok Unknown",
        ],
    );
    let sessions: std::collections::BTreeSet<&str> =
        found.calls.iter().map(|(call, _)| call.session.as_str()).collect();
    assert_eq!(sessions.len(), 3, "a session, its fork, and one of the older version");
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
            "BrokenLine { line: 2",
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
    use PastDecision::{Approved, AutoApproved, Blocked, Refused, Unknown};
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
        (
            "Exit code 1",
            r#","permissionDecision":{"decision":"accept","source":"config"}"#,
            AutoApproved,
            Outcome::Failed,
        ),
        ("no", r#","permissionDecision":{"decision":"reject","source":"hook"}"#, Blocked, Outcome::NotRun),
        ("no", r#","toolDenialKind":"user-rejected""#, Refused, Outcome::NotRun),
        ("no", r#","toolDenialKind":"permission-rule""#, Blocked, Outcome::NotRun),
    ] {
        let home = with_file(".claude/projects/p/s.jsonl", &result(text, more));
        let (_, found) = read("claude", home.path().to_str().unwrap());
        assert_eq!(found.calls[0].1, Some(CallEnd { outcome, decision }), "{text} {more}");
    }
}

/// A home with these files.
fn with_files(files: &[(&str, String)]) -> tempfile::TempDir {
    let home = tempfile::tempdir().unwrap();
    for (path, content) in files {
        let file = home.path().join(path);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, content).unwrap();
    }
    home
}

/// A line of Claude Code with a call, made at this second.
fn claude_call(second: u32, command: &str) -> String {
    format!(
        r#"{{"type":"assistant","sessionId":"s","cwd":"/p","version":"2.1.1","timestamp":"2026-01-01T00:00:{second:02}Z","message":{{"content":[{{"type":"tool_use","id":"t-{command}","name":"Bash","input":{{"command":"{command}"}}}}]}}}}"#
    ) + "\n"
}

fn codex_call(second: u32, command: &str) -> String {
    format!(
        r#"{{"timestamp":"2026-01-01T00:00:{second:02}Z","type":"response_item","payload":{{"type":"function_call","name":"shell_command","arguments":"{{\"command\":\"{command}\"}}","call_id":"t-{command}"}}}}"#
    ) + "\n"
}

fn gemini_call(second: u32, command: &str) -> String {
    format!(
        r#"{{"id":"m{second}","timestamp":"2026-01-01T00:00:{second:02}Z","type":"gemini","toolCalls":[{{"id":"t-{command}","name":"run_shell_command","args":{{"command":"{command}"}},"status":"success"}}]}}"#
    ) + "\n"
}

#[test]
fn what_sub_agents_did_stands_between_what_their_session_did() {
    let meta = |id: &str, more: &str| {
        format!(
            r#"{{"timestamp":"2026-01-01T00:00:00Z","type":"session_meta","payload":{{"id":"{id}"{more},"cwd":"/p","cli_version":"0.100.0"}}}}"#
        ) + "\n"
    };
    let (one, two) = ("00000000-0000-7000-8000-000000000001", "00000000-0000-7000-8000-000000000002");
    let begin = |session: &str| format!(r#"{{"sessionId":"{session}","startTime":"2026-01-01T00:00:02Z"}}"#) + "\n";
    let cases = [
        (
            "claude",
            vec![
                (".claude/projects/p/s.jsonl".to_owned(), claude_call(1, "a") + &claude_call(5, "e")),
                (".claude/projects/p/s/subagents/agent-1.jsonl".to_owned(), claude_call(2, "b") + &claude_call(6, "f")),
                (".claude/projects/p/s/subagents/agent-2.jsonl".to_owned(), claude_call(3, "c")),
                // As older versions wrote them.
                (".claude/projects/p/agent-3.jsonl".to_owned(), claude_call(4, "d")),
            ],
        ),
        (
            "codex",
            vec![
                (
                    format!(".codex/sessions/2026/01/01/rollout-2026-01-01T00-00-00-{one}.jsonl"),
                    meta(one, "") + &codex_call(1, "a") + &codex_call(5, "e"),
                ),
                (
                    format!(".codex/sessions/2026/01/02/rollout-2026-01-02T00-00-00-{two}.jsonl"),
                    meta(two, &format!(r#","session_id":"{one}","parent_thread_id":"{one}""#))
                        + &codex_call(2, "b")
                        + &codex_call(3, "c")
                        + &codex_call(4, "d")
                        + &codex_call(6, "f"),
                ),
            ],
        ),
        (
            "gemini",
            vec![
                (".gemini/tmp/p/.project_root".to_owned(), "/p".to_owned()),
                (
                    ".gemini/tmp/p/chats/session-2026-01-01T00-00-0badcafe.jsonl".to_owned(),
                    begin("0badcafe-1") + &gemini_call(1, "a") + &gemini_call(5, "e"),
                ),
                (
                    ".gemini/tmp/p/chats/0badcafe-1/sub.jsonl".to_owned(),
                    begin("sub")
                        + &gemini_call(2, "b")
                        + &gemini_call(3, "c")
                        + &gemini_call(4, "d")
                        + &gemini_call(6, "f"),
                ),
            ],
        ),
        ("opencode", opencode_storage()),
    ];
    for (agent, files) in cases {
        let files: Vec<(&str, String)> = files.iter().map(|(path, text)| (path.as_str(), text.clone())).collect();
        let home = with_files(&files);
        let (_, found) = read(agent, home.path().to_str().unwrap());
        let commands: Vec<&str> = found.calls.iter().map(|(call, _)| call.input["command"].as_str().unwrap()).collect();
        assert_eq!(commands, ["a", "b", "c", "d", "e", "f"], "{agent}");
        assert_eq!(found.trouble, [], "{agent}");
        let sessions: std::collections::BTreeSet<&str> =
            found.calls.iter().map(|(call, _)| call.session.as_str()).collect();
        assert_eq!(sessions.len(), 1, "{agent}: {sessions:?}");
        let own: Vec<bool> = found.calls.iter().map(|(call, _)| call.subagent.is_none()).collect();
        assert!(own[0] && !own[1] && own[4] && !own[5], "{agent}: {own:?}");
    }
}

/// A session and one of a sub-agent, in a file per message and part, as opencode wrote them before its database.
fn opencode_storage() -> Vec<(String, String)> {
    let below = |path: &str| format!(".local/share/opencode/storage/{path}");
    let session = |id: &str, parent: &str, second: u32| {
        let text = format!(
            r#"{{ "id": "{id}", "version": "1.1.65", "directory": "/p"{parent}, "time": {{ "created": {second}000 }} }}"#
        );
        (below(&format!("session/project/{id}.json")), text)
    };
    let message = |session: &str, id: u32, second: u32, commands: &[(u32, &str)]| {
        let mut files = vec![(
            below(&format!("message/{session}/msg_{id}.json")),
            format!(
                r#"{{ "id": "msg_{id}", "role": "assistant", "mode": "general", "time": {{ "created": {second}000 }} }}"#
            ),
        )];
        for (second, command) in commands {
            files.push((
                below(&format!("part/msg_{id}/prt_{second}.json")),
                format!(
                    r#"{{ "type": "tool", "callID": "t-{command}", "tool": "bash", "state": {{ "status": "completed", "input": {{ "command": "{command}" }}, "metadata": {{ "exit": 0 }}, "time": {{ "start": {second}000, "end": {second}500 }} }} }}"#
                ),
            ));
        }
        files
    };
    let mut files = vec![session("ses_1", "", 1), session("ses_2", r#", "parentID": "ses_1""#, 2)];
    files.extend(message("ses_1", 1, 1, &[(1, "a"), (5, "e")]));
    files.extend(message("ses_2", 2, 2, &[(2, "b"), (3, "c")]));
    files.extend(message("ses_2", 3, 3, &[(4, "d"), (6, "f")]));
    files
}

#[test]
fn what_is_broken_in_files_per_part_is_named_by_its_file() {
    let mut files = opencode_storage();
    let part = files.iter_mut().find(|(path, _)| path.ends_with("prt_3.json")).unwrap();
    part.1 = "{ \"type\": \"tool\", \"torn".to_owned();
    let files: Vec<(&str, String)> = files.iter().map(|(path, text)| (path.as_str(), text.clone())).collect();
    let home = with_files(&files);
    let (_, found) = read("opencode", home.path().to_str().unwrap());
    assert_eq!(found.calls.len(), 5);
    assert!(found.trouble[0].0.ends_with("part/msg_2/prt_3.json"), "{:?}", found.trouble);
}

#[cfg(unix)]
#[test]
fn a_folder_that_cannot_be_read_is_named() {
    use std::os::unix::fs::PermissionsExt;
    let home = with_files(&[
        (".claude/projects/p/s.jsonl", claude_call(1, "a")),
        (".claude/projects/q/s.jsonl", claude_call(1, "b")),
    ]);
    let folder = home.path().join(".claude/projects/p");
    std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o000)).unwrap();
    // An administrator reads everything.
    let readable = std::fs::read_dir(&folder).is_ok();
    let (_, found) = read("claude", home.path().to_str().unwrap());
    std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o755)).unwrap();
    assert!(readable || (found.calls.len() == 1 && found.trouble[0].0 == folder), "{:?}", found.trouble);
}
