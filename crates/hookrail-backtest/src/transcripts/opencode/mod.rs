//! opencode: `~/.local/share/opencode/opencode.db`, an SQLite database; older versions wrote a JSON file per session, message and part
//! below `storage`.
//!
//! A part of the type `tool` is a call together with its end. A session with a parent is a sub-agent's. A fork copies parts, call
//! ids included. What a person approved is not noted, what was refused is.

mod database;
mod storage;

use super::folders::OnListed;
use super::lines::Line;
use super::outcome::of_status;
use super::{CallEnd, Homes, Outcome, PastCall, PastDecision, Search, SessionFile, Sink, Source, Step};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// The newest version whose transcripts were tested.
const TESTED: (u64, u64) = (1, 18);

pub(super) fn find(homes: &Homes, search: Search, found: OnListed<'_>) -> ControlFlow<()> {
    let Some(home) = &homes.opencode else { return ControlFlow::Continue(()) };
    let database = database::file(home);
    // A newer version takes what is in the folders over into the database, and leaves the folders as they are.
    let moved = database.as_ref().map(database::session_ids).unwrap_or_default();
    if let Some(file) = database {
        search.give(vec![file], found)?;
    }
    storage::find(home, &moved, search, found)
}

pub(super) fn open(file: &SessionFile) -> Box<dyn Source + '_> {
    if file.path.extension().is_some_and(|ending| ending == "json") {
        return storage::open(file);
    }
    Box::new(database::Rows(file))
}

/// What the steps of a session have in common.
struct Session {
    /// The session that a person started.
    root: String,
    directory: PathBuf,
    subagent: Option<String>,
}

#[derive(Deserialize)]
struct MessagePart<'a> {
    #[serde(borrow, rename = "type", default)]
    kind: Cow<'a, str>,
    #[serde(borrow, default)]
    tool: Cow<'a, str>,
    #[serde(borrow, rename = "callID", default)]
    call: Cow<'a, str>,
    #[serde(borrow)]
    state: Option<ToolState<'a>>,
}

#[derive(Deserialize)]
struct ToolState<'a> {
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
    end: Option<i64>,
}

/// Gives the call of a part, and its end.
fn take_part(line: Line<'_>, session: &Session, created: i64, place: &Path, sink: &mut dyn Sink) {
    let Some(part) = line.parse::<MessagePart<'_>>(place, sink) else { return };
    let (Some(state), "tool") = (&part.state, &*part.kind) else { return };
    let time = state.time.as_ref();
    let millis = time.and_then(|time| time.start).unwrap_or(created);
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
        let millis = time.and_then(|time| time.end).unwrap_or(millis);
        sink.step(Step::End { session: session.root.clone(), call: part.call.into_owned(), millis, end });
    }
}

fn end_of(state: &ToolState<'_>) -> Option<CallEnd> {
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
