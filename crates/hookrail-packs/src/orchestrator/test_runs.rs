//! What the transcript says about tests.

use crate::limits::TRANSCRIPT_BYTES;
use hookrail_core::{Event, World};
use hookrail_effects::{Act, EmptyWorld, Surroundings, understand_command};
use memchr::memmem;
use serde_json::Value;
use std::ops::ControlFlow;
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
    let mut search = Search { started, ..Search::default() };
    let path = event.cwd.join(&event.transcript_path);
    let _ = world.lines_from_end(&path, TRANSCRIPT_BYTES, &mut |line| search.see(line));
    search.last()
}

/// Looks for the newest result of a call that ran tests, from the end of a transcript on. A result stands after its call.
#[derive(Default)]
struct Search {
    started: Option<jiff::Timestamp>,
    /// The results so far, the newest first.
    results: Vec<CallResult>,
}

/// What a call came to.
struct CallResult {
    id: String,
    passed: bool,
    call: FoundCall,
}

/// Whether the call of a result was met, and what it was.
enum FoundCall {
    NotYet,
    Other,
    Tests { command: String },
}

impl Search {
    fn see(&mut self, line: &[u8]) -> ControlFlow<()> {
        // Most lines are long and about something else.
        if memmem::find(line, b"tool_use").is_none() && memmem::find(line, b"tool_result").is_none() {
            return ControlFlow::Continue(());
        }
        let text = String::from_utf8_lossy(line);
        let Ok(entry) = serde_json::from_str::<Value>(&text) else { return ControlFlow::Continue(()) };
        let time = entry.get("timestamp").and_then(Value::as_str).and_then(|time| time.parse::<jiff::Timestamp>().ok());
        if time.is_some_and(|time| self.started.is_some_and(|started| time < started)) {
            return ControlFlow::Break(());
        }
        let content = entry.get("message").and_then(|message| message.get("content")).and_then(Value::as_array);
        for part in content.into_iter().flatten().rev() {
            match part.get("type").and_then(Value::as_str) {
                Some("tool_use") => self.meet_call(part),
                Some("tool_result") => self.results.extend(result_of(part)),
                _ => {}
            }
        }
        let newest = self.results.iter().find(|result| !matches!(result.call, FoundCall::Other));
        match newest.map(|result| &result.call) {
            Some(FoundCall::Tests { .. }) => ControlFlow::Break(()),
            Some(FoundCall::NotYet | FoundCall::Other) | None => ControlFlow::Continue(()),
        }
    }

    fn meet_call(&mut self, part: &Value) {
        let Some(id) = part.get("id").and_then(Value::as_str) else { return };
        if let Some(result) = self.results.iter_mut().find(|result| result.id == id) {
            result.call = test_command(part).map_or(FoundCall::Other, |command| FoundCall::Tests { command });
        }
    }

    fn last(self) -> Option<TestRun> {
        self.results.into_iter().find_map(|result| match result.call {
            FoundCall::Tests { command } => Some(TestRun { command, passed: result.passed }),
            FoundCall::NotYet | FoundCall::Other => None,
        })
    }
}

/// The command of a call that runs tests.
fn test_command(part: &Value) -> Option<String> {
    let command = part.get("input")?.get("command")?.as_str()?;
    runs_tests(command).then(|| command.to_owned())
}

fn result_of(part: &Value) -> Option<CallResult> {
    let id = part.get("tool_use_id")?.as_str()?.to_owned();
    let failed = part.get("is_error") == Some(&Value::Bool(true)) || reports_failure(&part.get("content")?.to_string());
    Some(CallResult { id, passed: !failed, call: FoundCall::NotYet })
}

/// Whether a command runs tests, by its text alone: the files of then may be others now.
fn runs_tests(command: &str) -> bool {
    understand_command(command, &Surroundings::unknown(Path::new("/")), &EmptyWorld).has(Act::ExecTest)
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
            // Of two runs at the same time the one counts that ended last.
            (
                vec![vec![passed()[0].clone(), failed()[0].clone(), passed()[1].clone(), failed()[1].clone()]],
                Some(false),
            ),
            (
                vec![vec![passed()[0].clone(), failed()[0].clone(), failed()[1].clone(), passed()[1].clone()]],
                Some(true),
            ),
            (vec![passed(), vec![failed()[1].clone()]], Some(true)),
        ] {
            let text = lines.concat().join("\n");
            let started = "2026-02-16T10:00:00Z".parse().ok();
            let mut search = Search { started, ..Search::default() };
            let _ = text.lines().rev().try_for_each(|line| search.see(line.as_bytes()));
            assert_eq!(search.last().map(|run| run.passed), expected, "{text}");
        }
    }
}
