//! What the transcript says about tests.

use hookrail_core::{Event, World};
use hookrail_effects::{Act, NoMachine, Surroundings, understand_command};
use serde_json::Value;
use std::path::Path;

/// How the last run of tests ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TestRun {
    pub command: String,
    pub passed: bool,
}

/// The last run of tests since the implementation began, according to the agent's transcript; `None` if there is none or
/// it cannot be read.
pub(super) fn last_test_run(event: &Event, started: Option<jiff::Timestamp>, world: &dyn World) -> Option<TestRun> {
    if event.transcript_path.is_empty() {
        return None;
    }
    let bytes = world.read(&event.cwd.join(&event.transcript_path)).ok()??;
    read_transcript(&String::from_utf8_lossy(&bytes), started)
}

fn read_transcript(text: &str, started: Option<jiff::Timestamp>) -> Option<TestRun> {
    let mut running: Vec<(String, String)> = Vec::new();
    let mut last = None;
    // Most lines are long and about something else.
    for line in text.lines().filter(|line| line.contains("tool_use") || line.contains("tool_result")) {
        let Ok(entry) = serde_json::from_str::<Value>(line) else { continue };
        let time = entry.get("timestamp").and_then(Value::as_str).and_then(|time| time.parse::<jiff::Timestamp>().ok());
        if time.is_some_and(|time| started.is_some_and(|started| time < started)) {
            continue;
        }
        let content = entry.get("message").and_then(|message| message.get("content")).and_then(Value::as_array);
        for part in content.into_iter().flatten() {
            match part.get("type").and_then(Value::as_str) {
                Some("tool_use") => running.extend(test_call(part)),
                Some("tool_result") => last = finished(part, &mut running).or(last),
                _ => {}
            }
        }
    }
    last
}

/// The id and the command of a call that runs tests.
fn test_call(part: &Value) -> Option<(String, String)> {
    let command = part.get("input")?.get("command")?.as_str()?;
    runs_tests(command).then(|| Some((part.get("id")?.as_str()?.to_owned(), command.to_owned())))?
}

fn finished(part: &Value, running: &mut Vec<(String, String)>) -> Option<TestRun> {
    let id = part.get("tool_use_id")?.as_str()?;
    let index = running.iter().position(|(known, _)| known == id)?;
    let (_, command) = running.swap_remove(index);
    let failed = part.get("is_error") == Some(&Value::Bool(true)) || reports_failure(&part.get("content")?.to_string());
    Some(TestRun { command, passed: !failed })
}

/// Whether a command runs tests, by its text alone: the files of then may be others now.
fn runs_tests(command: &str) -> bool {
    understand_command(command, &Surroundings::unknown(Path::new("/")), &NoMachine).has(Act::ExecTest)
}

/// Whether an output says that tests failed, for commands that hide it from their exit code (`cargo test | tail`).
fn reports_failure(output: &str) -> bool {
    let words: Vec<&str> =
        output.split(|c: char| !(c.is_alphanumeric() || c == ':')).filter(|w| !w.is_empty()).collect();
    let counted = words.windows(2).any(|pair| match pair {
        [count, "failed"] => count.parse::<u32>().is_ok_and(|count| count > 0),
        _ => false,
    });
    counted || output.contains("test result: FAILED") || output.contains("--- FAIL:")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_command_that_runs_tests_is_known_by_its_words() {
        for (command, expected) in [
            ("cargo test", true),
            ("cargo nextest run", true),
            ("cd api && RUST_LOG=x cargo test --workspace", true),
            ("npm test", true),
            ("npm run test:unit", true),
            ("pytest -q", true),
            ("uv run pytest", true),
            ("python -m unittest", true),
            ("go test ./...", true),
            ("./gradlew test", true),
            ("./gradlew build", false),
            ("mvn -q test", true),
            ("swift test", true),
            ("dotnet test --no-build", true),
            ("mix test", true),
            ("bundle exec rspec", true),
            ("make test", true),
            ("bash -c 'cd api && npx vitest run'", true),
            ("echo 'npm test'", false),
            ("cargo test 2>&1 | tail -3", true),
            ("test -f x && make", false),
            ("git commit -m 'cargo test'", false),
            ("cat tests/a.rs", false),
            ("cargo build", false),
            ("", false),
        ] {
            assert_eq!(runs_tests(command), expected, "{command}");
        }
    }

    #[test]
    fn the_last_run_since_the_start_counts() {
        let call = |id: &str, command: &str, time: &str| {
            let part = json!({"type": "tool_use", "id": id, "name": "Bash", "input": {"command": command}});
            json!({"type": "assistant", "timestamp": time, "message": {"content": [part]}}).to_string()
        };
        let result = |id: &str, error: bool, text: &str, time: &str| {
            let part = json!({"type": "tool_result", "tool_use_id": id, "is_error": error, "content": text});
            json!({"type": "user", "timestamp": time, "message": {"content": [part]}}).to_string()
        };
        let (old, new) = ("2026-01-01T00:00:00Z", "2026-03-01T00:00:00Z");
        let passed = || vec![call("1", "cargo test", new), result("1", false, "3 passed; 0 failed", new)];
        let failed = || vec![call("2", "npm test", new), result("2", true, "boom", new)];
        let hidden = || vec![call("3", "cargo test | tail", new), result("3", false, "2 passed; 1 failed", new)];
        let early = || vec![call("4", "cargo test", old), result("4", true, "", old)];
        let other = || vec![call("5", "ls", new), result("5", true, "", new), "no json tool_use".to_owned()];
        for (lines, expected) in [
            (vec![], None),
            (vec![passed()], Some(true)),
            (vec![failed()], Some(false)),
            (vec![hidden()], Some(false)),
            (vec![failed(), passed(), other()], Some(true)),
            (vec![passed(), failed()], Some(false)),
            (vec![early(), other()], None),
        ] {
            let text = lines.concat().join("\n");
            let started = "2026-02-16T10:00:00Z".parse().ok();
            assert_eq!(read_transcript(&text, started).map(|run| run.passed), expected, "{text}");
        }
    }
}
