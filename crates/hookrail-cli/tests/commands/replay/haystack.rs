use crate::replay::project::ReplayProject;
use hookrail_store::{JournalRecord, Outcome, Store};
use serde_json::{Value, json};

const EVENTS: usize = 10_000;
const NEEDLE: usize = 7_303;

/// What an agent does all day; nothing of it is near the needle but in spelling.
fn ordinary(index: usize) -> (&'static str, Value, String) {
    let write = |path: String| ("Write", json!({ "file_path": path, "content": "fn main() {}\n" }), path);
    match index % 5 {
        0 => write(format!("src/module_{index}.rs")),
        1 => write(format!("src/secrets_{index}/mod.rs")),
        2 => write(format!("docs/secrets-{index}.md")),
        3 => {
            let command = format!("cargo test -p part_{index} && cat secrets/list");
            ("Bash", json!({ "command": command }), command)
        }
        _ => write(format!("vendor/secrets.d/{index}")),
    }
}

fn record(place: &ReplayProject, index: usize) -> JournalRecord {
    let (tool, input, subject) = if index == NEEDLE {
        ("Write", json!({ "file_path": "secrets/prod.env", "content": "x" }), "secrets/prod.env".to_owned())
    } else {
        ordinary(index)
    };
    let session = format!("session-{}", index % 40);
    let project = place.project.path().display().to_string();
    JournalRecord {
        ts: 1_794_000_000_000 + i64::try_from(index).unwrap() * 1000,
        session: session.clone(),
        agent: "claude".to_owned(),
        event: "BeforeTool".to_owned(),
        hook: "core/protected-paths".to_owned(),
        kind: "native".to_owned(),
        source: "default".to_owned(),
        outcome: Outcome::Succeeded,
        tool: Some(tool.to_owned()),
        subject: Some(subject),
        project: Some(project.clone()),
        input: Some(json!({
            "session_id": session, "transcript_path": "/t", "cwd": project, "hook_event_name": "BeforeTool",
            "timestamp": "2026-11-06T19:20:00.000Z", "tool_name": tool, "tool_input": input, "native_event_name": "PreToolUse",
        })),
        ..JournalRecord::default()
    }
}

#[test]
fn exactly_the_seeded_change_is_found_among_ten_thousand_events() {
    let place = ReplayProject::new();
    let records: Vec<JournalRecord> = (0..EVENTS).map(|index| record(&place, index)).collect();
    place.store().append_all(&records).unwrap();

    let trial = place.trial("[core]\nprotected = [\"/secrets/\"]\n");
    let report = place.replay(&["--config", &trial]);
    assert_eq!((&report["events"], &report["replayed"]), (&json!(EVENTS), &json!(EVENTS)));
    let changes = report["changes"].as_array().unwrap();
    assert_eq!(changes.len(), 1, "{changes:?}");
    let change = &changes[0];
    assert_eq!(change["seq"], json!(NEEDLE + 1));
    assert_eq!(change["subject"], "secrets/prod.env");
    assert_eq!((&change["before"]["answer"], &change["after"]["answer"]), (&json!("none"), &json!("block")));
    assert_eq!(change["after"]["hooks"][0]["hook"], "core/protected-paths");
    assert_eq!(change["uncertain"], false);

    assert_eq!(place.changes(&[]), [], "nothing changed since under the configuration that is in force");
    assert_eq!(place.records().len(), EVENTS, "a replay leaves no trace in the journal");
}
