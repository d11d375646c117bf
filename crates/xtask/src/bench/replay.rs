//! `hookrail replay` of a busy week: one event among ten thousand would be decided differently.

use super::stopwatch::race;
use super::table::{Limit, Row};
use super::{Options, row};
use hookrail_store::{FileStore, JournalRecord, Outcome, StateRoot, Store};
use serde_json::json;
use std::io;
use std::path::Path;
use std::process::Command;

const EVENTS: u64 = 10_000;
const NEEDLE: u64 = 7_303;

pub(super) fn measure(options: &Options) -> io::Result<Vec<Row>> {
    let folder = tempfile::tempdir()?;
    let trial = folder.path().join("trial.toml");
    std::fs::write(&trial, "[core]\nprotected = [\"/secrets/\"]\n")?;
    let records: Vec<JournalRecord> = (0..EVENTS).map(|index| record(folder.path(), index)).collect();
    let store = FileStore::new(StateRoot::at(folder.path().join("state")), || 0);
    store.append_all(&records).map_err(io::Error::other)?;
    let program = super::hook_command::released()?;
    let replay = || {
        let mut command = Command::new(&program);
        command.args(["replay", "--json", "--config"]).arg(&trial).current_dir(folder.path()).env_clear();
        command.env("HOME", folder.path()).env("HOOKRAIL_STATE_DIR", folder.path().join("state")).output()
    };
    check(&String::from_utf8_lossy(&replay()?.stdout))?;
    // A replay that cannot run would win; it was seen to find what it must.
    let [time] = race(options.rounds.div_ceil(5), [&mut || drop(replay())]);
    let name = "hookrail replay, 10,000 events";
    Ok(vec![row(name, time.as_secs_f64() * 1e3, "ms", Some(Limit::Absolute(1000.0)))])
}

fn record(project: &Path, index: u64) -> JournalRecord {
    let path = if index == NEEDLE { "secrets/prod.env".to_owned() } else { format!("src/secrets_{index}.rs") };
    let session = format!("session-{}", index % 40);
    JournalRecord {
        session: session.clone(),
        agent: "claude".to_owned(),
        event: "BeforeTool".to_owned(),
        hook: "core/protected-paths".to_owned(),
        kind: "native".to_owned(),
        outcome: Outcome::Succeeded,
        tool: Some("Write".to_owned()),
        subject: Some(path.clone()),
        project: Some(project.display().to_string()),
        input: Some(json!({
            "session_id": session, "transcript_path": "/t", "cwd": project, "hook_event_name": "BeforeTool",
            "timestamp": "2026-11-06T19:20:00.000Z", "tool_name": "Write",
            "tool_input": { "file_path": path, "content": "fn main() {}\n".repeat(20) }, "native_event_name": "PreToolUse",
        })),
        ..JournalRecord::default()
    }
}

/// Makes sure that what is measured finds the one change.
fn check(report: &str) -> io::Result<()> {
    let report: serde_json::Value = serde_json::from_str(report)?;
    let seqs: Vec<_> =
        report.pointer("/changes").and_then(|changes| changes.as_array()).into_iter().flatten().collect();
    match seqs.as_slice() {
        [change] if change.get("seq") == Some(&json!(NEEDLE + 1)) && report.get("replayed") == Some(&json!(EVENTS)) => {
            Ok(())
        }
        _ => Err(io::Error::other(format!("the replay did not find the one change: {report}"))),
    }
}
