use crate::place::{CONFIG, PLAN, Place, SESSION, STATE, TEAM, assert_has, state};
use serde_json::{Value, json};

fn completed() -> Value {
    json!({"task_id": "1", "task_subject": "Lexer", "teammate_name": "impl-1", "team_name": TEAM})
}

/// A repository with one commit that has `src/lexer.rs` in it, and its id. The implementation began before it, or after.
fn repository(started: &str) -> (Place, String) {
    let mut state = state();
    state["started"] = json!(started);
    let place = Place::busy().file(STATE, &state.to_string()).file("old.rs", "old");
    let place = Place { project: place.project.git_init("main"), home: place.home };
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

#[test]
fn agent_mode_asks_for_a_thorough_look_and_prompt_mode_for_a_light_one() {
    // covers: ORCH-3.4 ORCH-3.5
    let (place, commit) = repository(EARLY);
    let place = place.task(TEAM, "1", &report(&commit, &["src/lexer.rs"]));
    for (mode, parts) in
        [("agent", ["thoroughly", "Task #1: Lexer", PLAN]), ("prompt", ["Light check", "Task #1: Lexer", PLAN])]
    {
        place.project.write(CONFIG, &format!("hooks:\n  task_verification: {mode}\n"));
        let spec = place.fire_spec("TaskCompleted", &completed());
        assert_eq!(spec.json()["hookSpecificOutput"]["hookEventName"], "TaskCompleted");
        assert_has(&spec.context(), &parts);
        let agent = place.fire("TaskCompleted", &completed());
        assert_has(&agent.message(), &parts);
        assert!(agent.json().get("hookSpecificOutput").is_none(), "Claude Code would reject it: {agent:?}");
    }
}

#[test]
fn a_report_that_is_so_passes_wherever_the_task_list_is() {
    for list in [TEAM, SESSION] {
        let (place, commit) = repository(EARLY);
        place.project.git(&["rm", "--quiet", "old.rs"]);
        place.project.write("src/later.rs", "changed since");
        let place = place.task(list, "1", &report(&commit, &["src/lexer.rs", "src/later.rs", "old.rs"]));
        let said = place.fire("TaskCompleted", &completed());
        assert_has(&said.message(), &["thoroughly"]);
        assert!(!said.out.contains("although"), "{said:?}");
    }
}

#[test]
fn a_report_that_is_not_so_is_refused_once_and_then_passes_with_a_warning() {
    let cases: &[(&str, &str, Reporter, &str)] = &[
        ("no such commit", EARLY, |_| report("0123abcd", &[]), "commit `0123abcd` does not exist"),
        ("an old commit", LATE, |commit| report(commit, &[]), "is older than the start"),
        ("no such file", EARLY, |commit| report(commit, &["src/none.rs"]), "file `src/none.rs` does not exist"),
        ("another file", LATE, |commit| report(commit, &["old.rs"]), "file `old.rs` is not in the commit"),
        ("failed tests", EARLY, |_| json!({"tests_passed": false}), "`tests_passed` is false"),
    ];
    for (about, started, metadata, expected) in cases {
        let (place, commit) = repository(started);
        let place = place.task(TEAM, "1", &metadata(&commit));
        let first = place.fire("TaskCompleted", &completed());
        assert_eq!((first.code, first.out.as_str()), (Some(2), ""), "{about}: {first:?}");
        assert_has(&first.err, &["Task #1: Lexer is not complete yet", expected, "Do not repeat"]);
        let second = place.fire("TaskCompleted", &completed());
        assert_has(&second.message(), &["was completed although", expected]);
        let mut other = completed();
        other["task_id"] = json!("2");
        let place = place.task(TEAM, "2", &metadata(&commit));
        let spec = place.fire_spec("TaskCompleted", &other).json();
        assert_eq!(spec["decision"], "block", "each task has its own turn: {about}");
        assert_has(spec["reason"].as_str().unwrap(), &[expected]);
    }
}

#[test]
fn all_that_is_wrong_is_told_at_once() {
    let (place, _) = repository(EARLY);
    let metadata = json!({"commit": "0123abcd", "files_changed": ["none.rs"], "tests_passed": false});
    let said = place.task(TEAM, "1", &metadata).fire("TaskCompleted", &completed());
    assert_has(&said.err, &["does not exist", "`none.rs`", "`tests_passed`"]);
}

#[test]
fn what_is_missing_or_malformed_never_refuses() {
    // covers: ORCH-8.6
    let place = || repository(EARLY).0;
    let gone = json!({"tests_passed": true, "design_doc": "docs/none.md"});
    for (about, place, expected) in [
        ("no task file", place(), "Verify task completion"),
        ("no metadata", place().task(TEAM, "1", &Value::Null), "Verify task completion"),
        ("no object", place().task(TEAM, "1", &json!("done")), "Light check"),
        ("no commit id", place().task(TEAM, "1", &json!({"commit": "--help"})), "Light check"),
        ("no list", place().task(TEAM, "1", &json!({"files_changed": 3})), "Light check"),
        ("no document", place().task(TEAM, "1", &gone), "`docs/none.md` that the task names does not exist"),
    ] {
        let said = place.fire("TaskCompleted", &completed());
        assert_has(&said.message(), &[expected]);
        assert_eq!(said.err, "", "{about}");
    }
}

#[test]
fn without_a_repository_a_commit_is_not_held_against_anybody() {
    let place = Place::busy().file("src/a.rs", "").task(TEAM, "1", &report("0123abcd", &["src/a.rs"]));
    assert_has(&place.fire("TaskCompleted", &completed()).message(), &["thoroughly"]);
}

#[test]
fn a_task_has_a_name_whatever_the_event_says() {
    let place = Place::busy();
    for (fields, expected) in [
        (json!({"task_id": "7", "task_subject": "Say \"hi\""}), "Task #7: Say \"hi\""),
        (json!({"task_id": "7"}), "Task #7"),
        (json!({"task_subject": "Lexer"}), "Lexer"),
        (json!({}), "the completed task"),
    ] {
        assert_has(&place.fire_spec("TaskCompleted", &fields).context(), &[expected]);
    }
}
