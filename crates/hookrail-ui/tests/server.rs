//! The server, asked as a browser asks it.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a broken expectation must fail the test")]

use hookrail_store::{FileStore, JournalRecord, Outcome, StateRoot, Store};
use hookrail_ui::{AllowRequest, CommandBackend, JournalSource, Proposal, Refused, Server, ShownProposal};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Commands that tell what they were asked.
#[derive(Default)]
struct RecordedRequests {
    writes: Arc<AtomicU64>,
    read_only: Mutex<bool>,
}

struct Shown(Arc<AtomicU64>);

impl Proposal for Shown {
    fn shown(&self) -> ShownProposal {
        ShownProposal {
            rule: "r".to_owned(),
            before: "deny".to_owned(),
            after: "none".to_owned(),
            still: Vec::new(),
            files: Vec::new(),
        }
    }

    fn write(&self) -> Result<Vec<PathBuf>, Refused> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Ok(vec![PathBuf::from("/written")])
    }
}

impl CommandBackend for RecordedRequests {
    fn explain(&self, head: &JournalRecord) -> Result<Value, Refused> {
        Ok(json!({ "explained": head.subject }))
    }

    fn compare(&self, _: &JournalRecord) -> Result<Value, Refused> {
        Err(Refused("it cannot be decided again\nhint: nothing to do".to_owned()))
    }

    fn rules(&self, project: Option<&Path>) -> Result<Value, Refused> {
        Ok(json!({ "project": project, "rules": [{ "id": "r", "layer": "user" }, { "id": "never", "layer": "user" }] }))
    }

    fn doctor(&self, _: Option<&Path>) -> Result<Value, Refused> {
        Ok(json!({}))
    }

    fn verified(&self) -> Result<Value, Refused> {
        Ok(json!({}))
    }

    fn backtest(&self) -> Result<Value, Refused> {
        Ok(json!({ "version": 1 }))
    }

    fn may_write(&self) -> Result<(), Refused> {
        if *self.read_only.lock().unwrap() { Err(Refused("an agent started this".to_owned())) } else { Ok(()) }
    }

    fn propose(&self, request: &AllowRequest) -> Result<Box<dyn Proposal>, Refused> {
        if request.record == 0 {
            Err(Refused("no such record".to_owned()))
        } else {
            Ok(Box::new(Shown(self.writes.clone())))
        }
    }
}

struct Fixture {
    _folder: tempfile::TempDir,
    store: Arc<FileStore>,
    machine: Arc<RecordedRequests>,
    host: String,
    cookie: String,
}

impl Fixture {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = Arc::new(FileStore::new(StateRoot::at(folder.path().join("state")), || 0));
        let machine = Arc::new(RecordedRequests::default());
        let source = Arc::new(JournalSource::follow(Arc::clone(&store) as _));
        let server = Server::bind(0, source, Arc::clone(&machine) as _, || 0).unwrap();
        let entrance = server.entrance();
        server.start();
        let (host, path) = entrance.trim_start_matches("http://").split_once('/').unwrap();
        let mut fixture = Self { _folder: folder, store, machine, host: host.to_owned(), cookie: String::new() };
        let welcome = fixture.send(&format!("GET /{path} HTTP/1.1\r\nHost: {host}\r\n\r\n"));
        let cookie = welcome.lines().find_map(|line| line.strip_prefix("Set-Cookie: ")).unwrap();
        fixture.cookie = cookie.split(';').next().unwrap().to_owned();
        fixture
    }

    fn send(&self, request: &str) -> String {
        let mut stream = TcpStream::connect(&self.host).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        String::from_utf8_lossy(&answer).into_owned()
    }

    fn get(&self, path: &str) -> (u16, Value) {
        read(&self.send(&format!("GET {path} HTTP/1.1\r\nHost: {}\r\nCookie: {}\r\n\r\n", self.host, self.cookie)))
    }

    fn post(&self, path: &str, body: &Value) -> (u16, Value) {
        let (host, body) = (&self.host, body.to_string());
        read(&self.send(&format!(
            "POST {path} HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\nCookie: {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            self.cookie,
            body.len()
        )))
    }

    fn record(&self, number: u64, outcome: Outcome) {
        let mut record = JournalRecord {
            ts: i64::try_from(number).unwrap(),
            session: format!("s{}", number % 2),
            event: "BeforeTool".to_owned(),
            hook: "rule/r".to_owned(),
            subject: Some(format!("command {number}")),
            project: Some("/p".to_owned()),
            outcome,
            input: Some(json!({})),
            ..JournalRecord::default()
        };
        record.extra.insert("rule".to_owned(), json!("r"));
        record.extra.insert("layer".to_owned(), json!("user"));
        self.store.append(&record).unwrap();
    }

    fn wait_for(&self, events: u64) {
        let seen = || self.get("/api/state").1["events"] == json!(events);
        assert!(hookrail_testkit::process::wait_until(Duration::from_secs(10), seen), "{events} events");
    }
}

fn read(answer: &str) -> (u16, Value) {
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    (status, serde_json::from_str(body).unwrap_or_default())
}

#[test]
fn events_have_places_that_do_not_move_and_filters_admit_some() {
    let fixture = Fixture::new();
    for number in 1..=5 {
        fixture.record(number, if number == 3 { Outcome::Blocked } else { Outcome::Succeeded });
    }
    fixture.wait_for(5);
    let subjects = |path: &str| -> Vec<Value> {
        let rows = fixture.get(path).1["rows"].as_array().unwrap().clone();
        rows.iter().map(|row| row["subject"].clone()).collect()
    };
    for (path, expected) in [
        ("/api/events?from=1&count=2", vec!["command 2", "command 3"]),
        ("/api/events?count=2", vec!["command 4", "command 5"]),
        ("/api/events?decision=deny", vec!["command 3"]),
        ("/api/events?session=s0", vec!["command 2", "command 4"]),
        ("/api/events?q=COMMAND%205", vec!["command 5"]),
        ("/api/events?q=nothing", vec![]),
    ] {
        assert_eq!(subjects(path), expected, "{path}");
    }
    fixture.record(6, Outcome::Succeeded);
    fixture.wait_for(6);
    assert_eq!(subjects("/api/events?from=1&count=2"), ["command 2", "command 3"]);
}

#[test]
fn what_is_asked_for_wrongly_is_named() {
    let fixture = Fixture::new();
    fixture.record(1, Outcome::Blocked);
    fixture.wait_for(1);
    for (path, status, expected) in [
        ("/api/events?from=x", 400, "`from` is not a number"),
        ("/api/events?decision=maybe", 400, "`maybe` is no decision"),
        ("/api/event?record=0", 404, "no record 0"),
        ("/api/rules?project=/elsewhere", 404, "no event of the journal"),
        ("/api/compare?record=1", 422, "it cannot be decided again"),
        ("/api/nothing", 404, "no such address"),
        ("/etc/passwd", 404, "no such file"),
        ("/../../etc/passwd", 404, "no such file"),
    ] {
        let (got, answer) = fixture.get(path);
        assert_eq!(got, status, "{path}");
        assert!(answer["error"].as_str().unwrap().contains(expected), "{path}: {answer}");
    }
    assert_eq!(fixture.get("/api/compare?record=1").1["hint"], json!("nothing to do"));
    assert_eq!(fixture.get("/api/explain?record=1").1, json!({ "explained": "command 1" }));
    let rules = fixture.get("/api/rules?project=/p").1;
    assert_eq!((&rules["rules"][0]["hits"], &rules["rules"][1]["hits"]), (&json!(1), &json!(0)));
}

#[test]
fn only_the_change_that_was_shown_last_is_made_and_only_once() {
    let fixture = Fixture::new();
    let writes = || fixture.machine.writes.load(Ordering::Relaxed);
    assert_eq!(fixture.post("/api/allow", &json!({ "record": 0 })).0, 422);
    assert_eq!(fixture.post("/api/allow", &json!({ "record": 1, "more": 1 })).0, 400);
    let older = fixture.post("/api/allow", &json!({ "record": 1 })).1["id"].clone();
    let newer = fixture.post("/api/allow", &json!({ "record": 1, "once": true })).1["id"].clone();
    assert_eq!(fixture.post("/api/allow/confirm", &json!({ "id": older })).0, 409);
    assert_eq!(writes(), 0);
    assert_eq!(fixture.post("/api/allow/confirm", &json!({ "id": newer })), (200, json!({ "written": ["/written"] })));
    assert_eq!(fixture.post("/api/allow/confirm", &json!({ "id": newer })).0, 409);
    assert_eq!(writes(), 1);
    *fixture.machine.read_only.lock().unwrap() = true;
    assert_eq!(fixture.post("/api/allow", &json!({ "record": 1 })).0, 403);
}

#[test]
fn the_files_of_the_page_are_sent_as_they_are_kept() {
    let fixture = Fixture::new();
    for path in ["/", "/live", "/rules?id=x", "/app.js", "/app.css", "/icon.svg"] {
        let request = format!("GET {path} HTTP/1.1\r\nHost: {}\r\nCookie: {}\r\n\r\n", fixture.host, fixture.cookie);
        let answer = fixture.send(&request);
        assert!(answer.starts_with("HTTP/1.1 200 ") && answer.contains("Content-Encoding: gzip\r\n"), "{path}");
    }
}

#[test]
fn a_stream_tells_of_new_events_and_the_sessions_they_belong_to() {
    let fixture = Fixture::new();
    fixture.record(1, Outcome::Succeeded);
    fixture.wait_for(1);
    let mut stream = TcpStream::connect(&fixture.host).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    let (host, cookie) = (&fixture.host, &fixture.cookie);
    write!(stream, "GET /api/live?decision=deny HTTP/1.1\r\nHost: {host}\r\nCookie: {cookie}\r\n\r\n").unwrap();
    let mut heard = String::new();
    let mut hear = |part: &str| {
        let mut piece = [0; 4096];
        while !heard.contains(part) {
            let count = stream.read(&mut piece).unwrap();
            assert!(count > 0, "{heard}");
            heard.push_str(&String::from_utf8_lossy(&piece[..count]));
        }
    };
    hear("\"matched\":0");
    fixture.record(2, Outcome::Succeeded);
    fixture.record(3, Outcome::Blocked);
    hear("\"subject\":\"command 3\"");
    hear("\"id\":\"s1\"");
    assert!(!heard.contains("\"subject\":\"command 2\""), "{heard}");
}
