//! Time that `hookrail ui` takes to read a long journal.

use super::hook_command::released;
use super::table::{Limit, Row};
use super::{Options, row};
use hookrail_store::{FileStore, JournalRecord, Outcome, StateRoot, Store};
use serde_json::json;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

const RECORDS: u64 = 200_000;
/// How often the page is asked whether the journal is read.
const LOOK: Duration = Duration::from_millis(20);

pub(super) fn measure(_: &Options) -> io::Result<Vec<Row>> {
    Ok(vec![reading(&released()?)?])
}

/// How long it takes until the page knows all of a long journal.
fn reading(binary: &Path) -> io::Result<Row> {
    let folder = tempfile::tempdir()?;
    let store = FileStore::new(StateRoot::at(folder.path().join("state")), || 0);
    for batch in (0..RECORDS).map(record).collect::<Vec<_>>().chunks(64) {
        store.append_all(batch).map_err(io::Error::other)?;
    }
    let mut server = Command::new(binary)
        .args(["ui", "--no-open", "--json"])
        .current_dir(folder.path())
        .env_clear()
        .env("HOME", folder.path())
        .env("HOOKRAIL_STATE_DIR", folder.path().join("state"))
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    let begun = Instant::now();
    let read = server.stdout.take().map_or_else(|| Err(io::Error::other("no output")), wait_until_read);
    let time = begun.elapsed();
    server.kill()?;
    server.wait()?;
    read?;
    let name = "hookrail ui, 200,000 records read";
    Ok(row(name, time.as_secs_f64() * 1e3, "ms", Some(Limit::Absolute(5000.0))))
}

fn record(index: u64) -> JournalRecord {
    JournalRecord {
        ts: i64::try_from(index).unwrap_or_default() * 1000,
        session: format!("session-{}", index / 100),
        agent: "claude".to_owned(),
        event: "BeforeTool".to_owned(),
        hook: "core/protected-paths".to_owned(),
        kind: "native".to_owned(),
        outcome: Outcome::Succeeded,
        tool: Some("Bash".to_owned()),
        subject: Some(format!("cargo test --package crate-{}", index % 50)),
        project: Some("/work/shop".to_owned()),
        input: Some(json!({
            "session_id": "s", "cwd": "/work/shop", "hook_event_name": "PreToolUse", "tool_name": "Bash",
            "tool_input": { "command": format!("cargo test --package crate-{}", index % 50) },
        })),
        ..JournalRecord::default()
    }
}

/// Takes the token, and asks until everything was read.
fn wait_until_read(out: impl Read) -> io::Result<()> {
    let mut line = String::new();
    BufReader::new(out).read_line(&mut line)?;
    let told: serde_json::Value = serde_json::from_str(&line)?;
    let address = told.get("address").and_then(|address| address.as_str()).unwrap_or_default();
    let (host, path) = address.trim_start_matches("http://").split_once('/').unwrap_or_default();
    let welcome = get(host, &format!("/{path}"), "")?;
    let cookie = welcome.lines().find_map(|line| line.strip_prefix("Set-Cookie: ")?.split(';').next());
    let cookie = cookie.ok_or_else(|| io::Error::other("the token is refused"))?;
    loop {
        let state = get(host, "/api/state", cookie)?;
        if state.contains(&format!("\"records\":{RECORDS}")) {
            return Ok(());
        }
        thread::sleep(LOOK);
    }
}

fn get(host: &str, path: &str, cookie: &str) -> io::Result<String> {
    let mut stream = TcpStream::connect(host)?;
    write!(stream, "GET {path} HTTP/1.1\r\nHost: {host}\r\nCookie: {cookie}\r\n\r\n")?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    Ok(answer)
}
