//! opencode: `~/.local/share/opencode/opencode.db`, an SQLite database.
//!
//! A row of `part` whose `data` has the type `tool` is a call together with its end; its folder is that of the row of `session`, and a
//! session with a `parent_id` is a sub-agent's. A fork copies rows, call ids included. What a person approved is not noted, what was
//! refused is. Versions before the database wrote a file per part.

use super::outcome::of_status;
use super::sqlite::{Database, Field, Table};
use super::{CallEnd, Homes, Outcome, PastCall, PastDecision, SessionFile, Sink, Step, Trouble, check_version};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};
use std::io;
use std::ops::ControlFlow;
use std::path::PathBuf;

/// The newest version whose transcripts were tested.
const TESTED: (u64, u64) = (1, 18);
/// The tables that calls stand in.
const NEEDED: [&str; 2] = ["session", "part"];

pub(super) fn find(homes: &Homes, found: &mut dyn FnMut(SessionFile) -> ControlFlow<()>) -> ControlFlow<()> {
    let Some(home) = &homes.opencode else { return ControlFlow::Continue(()) };
    if let Some(mut file) = SessionFile::at(&home.join("opencode.db"), None) {
        // What was written last may stand in the log alone.
        if let Some(log) = SessionFile::at(&home.join("opencode.db-wal"), None) {
            file.bytes += log.bytes;
            file.written = file.written.max(log.written);
        }
        found(file)?;
    }
    ControlFlow::Continue(())
}

/// What the steps of a session have in common.
struct Session {
    /// The session that a person started.
    root: String,
    directory: PathBuf,
    subagent: Option<String>,
}

#[derive(Deserialize)]
struct Part<'a> {
    #[serde(borrow, rename = "type", default)]
    kind: Cow<'a, str>,
    #[serde(borrow, default)]
    tool: Cow<'a, str>,
    #[serde(borrow, rename = "callID", default)]
    call: Cow<'a, str>,
    #[serde(borrow)]
    state: Option<State<'a>>,
}

#[derive(Deserialize)]
struct State<'a> {
    #[serde(borrow, default)]
    status: Cow<'a, str>,
    input: Option<Map<String, Value>>,
    metadata: Option<Metadata>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
    time: Option<Time>,
}

#[derive(Deserialize)]
struct Metadata {
    exit: Option<i64>,
}

#[derive(Deserialize)]
struct Time {
    start: Option<i64>,
}

pub(super) fn read(file: &SessionFile, sink: &mut dyn Sink) -> ControlFlow<()> {
    let mut progress = ControlFlow::Continue(());
    if let Err(error) = read_database(file, sink, &mut progress) {
        sink.trouble(&file.path, Trouble::Unreadable(error.to_string()));
    }
    progress
}

fn read_database(file: &SessionFile, sink: &mut dyn Sink, progress: &mut ControlFlow<()>) -> io::Result<()> {
    let mut database = Database::open(&file.path)?;
    let [sessions, parts] = NEEDED.map(|name| database.table(name));
    let (Some(sessions), Some(parts)) = (sessions?, parts?) else {
        sink.trouble(&file.path, Trouble::UnknownForm("it has no tables `session` and `part`".to_owned()));
        return Ok(());
    };
    let sessions = read_sessions(&mut database, &sessions, file, sink)?;
    let columns = ["session_id", "time_created", "data"].map(|name| parts.column(name));
    let [Some(session), Some(created), Some(data)] = columns else {
        sink.trouble(&file.path, Trouble::UnknownForm("table `part` has other columns".to_owned()));
        return Ok(());
    };
    let mut number = 0;
    database.rows(&parts, &mut |fields| {
        number += 1;
        let text = |index: usize| fields.get(index).and_then(Field::text).unwrap_or_default();
        let data = text(data);
        let created = fields.get(created).and_then(Field::integer).unwrap_or_default();
        if let Some(session) = sessions.get(text(session)) {
            take_part(data, session, created, file, number, sink);
        }
        *progress = sink.advance(data.len() as u64);
        *progress
    })
}

fn read_sessions(
    database: &mut Database,
    table: &Table,
    file: &SessionFile,
    sink: &mut dyn Sink,
) -> io::Result<HashMap<String, Session>> {
    let columns = ["id", "parent_id", "directory", "agent", "version"].map(|name| table.column(name));
    let mut parents: HashMap<String, (Option<String>, PathBuf, Option<String>)> = HashMap::new();
    let mut versions = BTreeSet::new();
    database.rows(table, &mut |fields| {
        let [id, parent, directory, agent, version] =
            columns.map(|column| column.and_then(|index| fields.get(index)).and_then(Field::text).map(str::to_owned));
        versions.extend(version);
        let directory = PathBuf::from(directory.unwrap_or_default());
        parents.insert(id.unwrap_or_default(), (parent, directory, agent));
        ControlFlow::Continue(())
    })?;
    for version in versions {
        check_version(&file.path, &version, TESTED, sink);
    }
    let root = |id: &str| {
        let mut id = id.to_owned();
        // A chain of sub-agents is short; a circle, which is a mistake, ends too.
        for _ in 0..64 {
            match parents.get(&id) {
                Some((Some(parent), ..)) => id.clone_from(parent),
                _ => break,
            }
        }
        id
    };
    let known = parents.iter().map(|(id, (parent, directory, agent))| {
        let subagent = parent.as_ref().map(|_| agent.clone().unwrap_or_default());
        (id.clone(), Session { root: root(id), directory: directory.clone(), subagent })
    });
    Ok(known.collect())
}

fn take_part(data: &str, session: &Session, created: i64, file: &SessionFile, number: u64, sink: &mut dyn Sink) {
    if !data.contains(r#""type":"tool""#) {
        // What a person says is a part of its own; the parts of the model's turns begin with other types.
        if session.subagent.is_none() && data.starts_with(r#"{"type":"text""#) && !data.contains(r#""time":"#) {
            sink.step(Step::Prompt { session: session.root.clone(), millis: created });
        }
        return;
    }
    let part = match serde_json::from_str::<Part<'_>>(data) {
        Ok(part) => part,
        Err(error) => {
            return sink.trouble(&file.path, Trouble::BrokenLine { line: number, why: error.to_string() });
        }
    };
    let (Some(state), "tool") = (&part.state, &*part.kind) else { return };
    let millis = state.time.as_ref().and_then(|time| time.start).unwrap_or(created);
    sink.step(Step::Call(Box::new(PastCall {
        session: session.root.clone(),
        id: part.call.clone().into_owned(),
        tool: part.tool.clone().into_owned(),
        input: state.input.clone().unwrap_or_default(),
        cwd: session.directory.clone(),
        branch: None,
        mode: None,
        subagent: session.subagent.clone(),
        millis,
    })));
    if let Some(end) = end_of(state) {
        sink.step(Step::End { session: session.root.clone(), call: part.call.into_owned(), end });
    }
}

fn end_of(state: &State<'_>) -> Option<CallEnd> {
    let error = state.error.map(RawValue::get).unwrap_or_default();
    let refused = error.contains("rejected permission") || error.contains("user dismissed");
    let blocked = error.contains("specified a rule which prevents you from using");
    let (outcome, decision) = match &*state.status {
        "error" if refused => (Outcome::NotRun, PastDecision::Refused),
        "error" if blocked => (Outcome::NotRun, PastDecision::Blocked),
        "error" => (Outcome::Failed, PastDecision::Unknown),
        "completed" => {
            let exit = state.metadata.as_ref().and_then(|metadata| metadata.exit);
            (exit.map_or(Outcome::Ok, of_status), PastDecision::Unknown)
        }
        // It had not ended when the session did.
        _ => return None,
    };
    Some(CallEnd { outcome, decision })
}
