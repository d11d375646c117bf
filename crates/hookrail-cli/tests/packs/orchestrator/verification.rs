use crate::orchestrator::project::{CONFIG, PLAN, SESSION, STATE, TEAM, TeamProject, TeamReply, assert_has, state};
use serde_json::{Value, json};

const THOROUGH: &str = "Verify this task completion against the design doc at docs/plans/2026-02-16-parser-design.md. Task: \
                        Lexer. Check: 1) Files mentioned exist and contain expected changes. 2) A commit was created. 3) \
                        Task spec requirements from the design doc are met.";
const LIGHT: &str = "Lightweight verification: check that the task completion for 'Lexer' includes a commit SHA, list of \
                     files changed, and test results. Design doc: docs/plans/2026-02-16-parser-design.md.";

fn completed() -> Value {
    json!({"task_id": "1", "task_subject": "Lexer", "teammate_name": "impl-1", "team_name": TEAM})
}

/// A repository with one commit that has `src/lexer.rs` in it, and its id. The implementation began before it, or after.
fn repository(started: &str) -> (TeamProject, String) {
    let mut state = state();
    state["started"] = json!(started);
    let place = TeamProject::busy().file(STATE, &state.to_string()).file("old.rs", "old");
    let place = TeamProject { project: place.project.git_init("main"), home: place.home };
    place.project.write("src/lexer.rs", "fn lex() {}");
    place.project.git(&["add", "src"]);
    place.project.git(&["commit", "--quiet", "--message", "Lexer"]);
    let commit = place.project.git(&["rev-parse", "--short", "HEAD"]).trim().to_owned();
    (place, commit)
}

const EARLY: &str = "1990-01-01T00:00:00Z";
const LATE: &str = "2190-01-01T00:00:00Z";

/// What an implementer says about a commit.
type Reporter = fn(&str) -> Value;

fn report(commit: &str, files: &[&str]) -> Value {
    json!({"commit": commit, "files_changed": files, "tests_passed": true, "design_doc": PLAN})
}

/// Refused, with these parts in what the model reads.
#[track_caller]
fn assert_refused(said: &TeamReply, about: &str, parts: &[&str]) {
    assert_eq!((said.code, said.out.as_str()), (Some(2), ""), "{about}: {said:?}");
    assert_has(&said.err, parts);
}

#[test]
fn the_first_completion_is_refused_with_the_check_list_and_the_second_passes() {
    // covers: ORCH-3.4 ORCH-3.5
    for (mode, words) in [("agent", THOROUGH), ("prompt", LIGHT)] {
        let (place, commit) = repository(EARLY);
        let place = place.task(TEAM, "1", &report(&commit, &["src/lexer.rs"]));
        place.project.write(CONFIG, &format!("hooks:\n  task_verification: {mode}\n"));
        let first = place.fire("TaskCompleted", &completed());
        assert_refused(&first, mode, &["Task #1: Lexer is not verified yet", words, "file `src/lexer.rs` has changed"]);
        place.fire("TaskCompleted", &completed()).assert_silent(mode);
        let mut other = completed();
        other["task_id"] = json!("2");
        assert_refused(&place.fire("TaskCompleted", &other), "each task has its own turn", &[words]);
    }
}

#[test]
fn in_the_documents_form_every_completion_has_its_context_and_none_is_refused() {
    // covers: ORCH-3.4 ORCH-3.5
    for (mode, words) in [("agent", THOROUGH), ("prompt", LIGHT)] {
        let (place, commit) = repository(EARLY);
        let place = place.task(TEAM, "1", &report(&commit, &["src/lexer.rs"]));
        place.project.write(CONFIG, &format!("hooks:\n  task_verification: {mode}\n"));
        for time in ["first", "second"] {
            let answer = place.fire_spec("TaskCompleted", &completed());
            assert_eq!(answer.json()["hookSpecificOutput"]["hookEventName"], "TaskCompleted", "{time}");
            assert!(answer.json().get("decision").is_none(), "{time}: {answer:?}");
            assert!(answer.context().starts_with(words), "{time}: {answer:?}");
        }
    }
}

#[test]
fn a_report_that_is_so_passes_wherever_the_task_list_is() {
    for list in [TEAM, SESSION] {
        let (place, commit) = repository(EARLY);
        place.project.git(&["rm", "--quiet", "old.rs"]);
        place.project.write("src/later.rs", "changed since");
        let place = place.task(list, "1", &report(&commit, &["src/lexer.rs", "src/later.rs", "old.rs"]));
        assert_refused(&place.fire("TaskCompleted", &completed()), list, &["is not verified yet"]);
        place.fire("TaskCompleted", &completed()).assert_silent(list);
    }
}

#[test]
fn a_report_that_is_not_so_is_refused_three_times_and_then_passes_with_a_warning() {
    let cases: &[(&str, &str, Reporter, &str)] = &[
        ("no such commit", EARLY, |_| report("0123abcd", &[]), "commit `0123abcd` does not exist"),
        ("an old commit", LATE, |commit| report(commit, &[]), "is older than the start"),
        ("no such file", EARLY, |commit| report(commit, &["src/none.rs"]), "file `src/none.rs` does not exist"),
        ("another file", LATE, |commit| report(commit, &["old.rs"]), "file `old.rs` is not in the commit"),
        ("no commit named", LATE, |_| json!({"files_changed": ["old.rs"]}), "`old.rs` has not changed since the start"),
        ("failed tests", EARLY, |_| json!({"tests_passed": false}), "`tests_passed` is false"),
    ];
    for (about, started, metadata, expected) in cases {
        let (place, commit) = repository(started);
        let place = place.task(TEAM, "1", &metadata(&commit));
        for _ in 0..3 {
            let parts = ["Task #1: Lexer is not complete yet", expected, "Do not repeat", THOROUGH];
            assert_refused(&place.fire("TaskCompleted", &completed()), about, &parts);
        }
        assert_has(&place.fire("TaskCompleted", &completed()).message(), &["was completed although", expected]);
        let mut other = completed();
        other["task_id"] = json!("2");
        let place = place.task(TEAM, "2", &metadata(&commit));
        let spec = place.fire_spec("TaskCompleted", &other).json();
        assert_eq!(spec["decision"], "block", "each task has its own turn: {about}");
        assert_has(spec["reason"].as_str().unwrap(), &[expected]);
    }
}

#[test]
fn what_is_put_right_passes_at_once() {
    let (place, commit) = repository(EARLY);
    let place = place.task(TEAM, "1", &report("0123abcd", &[]));
    assert_refused(&place.fire("TaskCompleted", &completed()), "wrong", &["`0123abcd` does not exist"]);
    let place = place.task(TEAM, "1", &report(&commit, &["src/lexer.rs"]));
    place.fire("TaskCompleted", &completed()).assert_silent("put right");
}

#[test]
fn all_that_is_wrong_is_told_at_once() {
    let (place, _) = repository(EARLY);
    let metadata = json!({"commit": "0123abcd", "files_changed": ["none.rs"], "tests_passed": false});
    let said = place.task(TEAM, "1", &metadata).fire("TaskCompleted", &completed());
    assert_has(&said.err, &["does not exist", "`none.rs`", "`tests_passed`"]);
}

/// A plan whose tasks name files, begun before or after everything in the repository.
fn planned(started: &str, task: &str) -> TeamProject {
    let plan = format!("# P\n\n## Tasks\n\n| # | Task | Status |\n|--|--|--|\n| 1 | Lexer: {task} | wip |\n");
    repository(started).0.file(PLAN, &plan)
}

#[test]
fn without_metadata_the_plan_the_repository_and_the_transcript_are_evidence() {
    let result = |error: bool| {
        let call = json!({"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "cargo test"}});
        let result = json!({"type": "tool_result", "tool_use_id": "t1", "is_error": error, "content": "done"});
        let line = |role: &str, part: Value| json!({"type": role, "message": {"role": role, "content": [part]}});
        format!("{}\n{}\n", line("assistant", call), line("user", result))
    };
    let described = |text: &str| {
        let mut event = completed();
        event["task_description"] = json!(text);
        event
    };
    for (about, place, event, transcript, contradicted) in [
        ("changed", planned(EARLY, "write `src/lexer.rs`"), completed(), None, None),
        ("unchanged", planned(LATE, "write `src/lexer.rs`"), completed(), None, Some("`src/lexer.rs`, which the task")),
        ("gone", planned(EARLY, "write `src/none.rs`"), completed(), None, Some("`src/none.rs`, which the task names")),
        ("one of two", planned(EARLY, "`src/lexer.rs` like `old.rs`"), completed(), None, None),
        (
            "described",
            planned(LATE, "x"),
            described("Change old.rs in `old.rs`"),
            None,
            Some("`old.rs`, which the task"),
        ),
        ("no files", planned(LATE, "write it"), completed(), None, None),
        ("passed", planned(EARLY, "write it"), completed(), Some(result(false)), None),
        ("failed", planned(EARLY, "write it"), completed(), Some(result(true)), Some("tests failed (`cargo test`)")),
    ] {
        let mut event = event;
        if let Some(text) = transcript {
            place.project.write("t.jsonl", &text);
            event["transcript_path"] = json!(place.project.at("t.jsonl"));
        }
        let first = place.fire("TaskCompleted", &event);
        let second = place.fire("TaskCompleted", &event);
        match contradicted {
            None => {
                assert_refused(&first, about, &["is not verified yet"]);
                assert_eq!(second.code, Some(0), "{about}: {second:?}");
            }
            Some(part) => {
                assert_refused(&first, about, &["is not complete yet", part]);
                assert_refused(&second, about, &[part]);
            }
        }
    }
}

#[test]
fn what_is_missing_or_malformed_is_said_and_refused_once_at_most() {
    // covers: ORCH-8.6
    let place = || repository(EARLY).0;
    let gone = json!({"tests_passed": true, "design_doc": "docs/none.md"});
    for (about, place, expected) in [
        ("no task file", place(), "verify task completion"),
        ("no metadata", place().task(TEAM, "1", &Value::Null), "verify task completion"),
        ("no object", place().task(TEAM, "1", &json!("done")), LIGHT),
        ("no commit id", place().task(TEAM, "1", &json!({"commit": "--help"})), LIGHT),
        ("no list", place().task(TEAM, "1", &json!({"files_changed": 3})), LIGHT),
        ("no document", place().task(TEAM, "1", &gone), "`docs/none.md` that the task names does not exist"),
    ] {
        assert_refused(&place.fire("TaskCompleted", &completed()), about, &["is not verified yet", expected]);
        let second = place.fire("TaskCompleted", &completed());
        assert_eq!((second.code, second.err.as_str()), (Some(0), ""), "{about}");
        let spec = place.fire_spec("TaskCompleted", &completed());
        assert_has(&spec.context(), &[expected]);
        assert!(spec.json().get("decision").is_none(), "{about}: {spec:?}");
    }
}

#[test]
fn without_a_repository_a_commit_is_not_held_against_anybody() {
    let place = TeamProject::busy().file("src/a.rs", "").task(TEAM, "1", &report("0123abcd", &["src/a.rs"]));
    assert_refused(&place.fire("TaskCompleted", &completed()), "first", &[THOROUGH]);
    place.fire("TaskCompleted", &completed()).assert_silent("second");
}

#[test]
fn a_task_has_a_name_whatever_the_event_says() {
    let place = TeamProject::busy();
    for (fields, expected) in [
        (json!({"task_id": "7", "task_subject": "Say \"hi\""}), "Task #7: Say \"hi\""),
        (json!({"task_id": "7"}), "Task #7"),
        (json!({"task_subject": "Lexer"}), "Lexer"),
        (json!({}), "the completed task"),
    ] {
        assert_has(&place.fire_spec("TaskCompleted", &fields).context(), &[expected]);
    }
}
