//! What the page asks for.

use super::Shared;
use super::access::random;
use super::request::Request;
use super::response::Response;
use crate::assets;
use crate::journal::{Filter, Index, Overview, ShownSession, Span};
use crate::machine::{AllowRequest, Refused};
use hookrail_store::JournalRecord;
use serde::Deserialize;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::PoisonError;

/// So many events are sent at once.
const MOST_EVENTS: usize = 500;
/// So many sessions are sent at once, the newest first.
const MOST_SESSIONS: usize = 60;
/// An event has at most so many records; a journal that was put together by hand is not read to its end.
const MOST_RUNS: usize = 512;

pub fn answer(shared: &Shared, request: &Request) -> Response {
    let result = match (request.method.as_str(), request.path.as_str()) {
        ("GET", path) if !path.starts_with("/api/") => return asset(path),
        ("GET", "/api/state") => Ok(state(shared)),
        ("GET", "/api/events") => events(shared, request),
        ("GET", "/api/sessions") => sessions(shared, request),
        ("GET", "/api/overview") => overview(shared, request),
        ("GET", "/api/event") => event(shared, request),
        ("GET", "/api/explain") => with_head(shared, request, |head| shared.machine.explain(head)),
        ("GET", "/api/compare") => with_head(shared, request, |head| shared.machine.compare(head)),
        ("GET", "/api/rules") => {
            in_project(shared, request, |project| shared.machine.rules(project)).map(|rules| with_hits(shared, rules))
        }
        ("GET", "/api/doctor") => in_project(shared, request, |project| shared.machine.doctor(project)),
        ("GET", "/api/verify") => shared.machine.verified().map_err(Problem::from),
        ("GET", "/api/backtest") => Ok(shared.backtest.shown()),
        ("POST", "/api/backtest") => Ok(shared.backtest.start(&shared.machine)),
        ("POST", "/api/allow") => propose(shared, request),
        ("POST", "/api/allow/confirm") => confirm(shared, request),
        ("GET" | "POST", _) => Err(Problem(404, "there is no such address".to_owned())),
        _ => Err(Problem(405, "only GET and POST are answered".to_owned())),
    };
    match result {
        Ok(value) => Response::json(200, &value),
        Err(Problem(status, why)) => Response::problem(status, why),
    }
}

/// A status and why.
#[derive(Debug)]
struct Problem(u16, String);

impl Problem {
    /// The request is wrong.
    fn bad(why: &str) -> Self {
        Self(400, why.to_owned())
    }
}

impl From<Refused> for Problem {
    fn from(refused: Refused) -> Self {
        Self(422, refused.0)
    }
}

/// Pages have addresses of their own, which are all the same file.
fn asset(path: &str) -> Response {
    match assets::find(path) {
        Some(asset) => Response::gzip(asset.content_type, asset.gzip),
        None => Response::problem(404, "there is no such file"),
    }
}

fn state(shared: &Shared) -> Value {
    let index = shared.tail.index();
    let reading = shared.tail.reading();
    let writable = shared.machine.may_write();
    json!({
        "version": env!("CARGO_PKG_VERSION"),
        "now": (shared.clock)(),
        "events": index.rows().len(),
        "records": index.records(),
        "unreadable": index.unreadable(),
        "caught_up": reading.is_caught_up,
        "trouble": reading.trouble,
        "facets": index.facets(),
        "read_only": writable.err().map(|why| why.0),
    })
}

fn number<T: std::str::FromStr>(request: &Request, name: &str, usual: T) -> Result<T, Problem> {
    let Some(text) = request.parameter(name) else { return Ok(usual) };
    text.parse().map_err(|_| Problem::bad(&format!("`{name}` is not a number")))
}

/// Events by their place among those that match, counted from the oldest: places do not move when events are added.
fn events(shared: &Shared, request: &Request) -> Result<Value, Problem> {
    let filter = Filter::parse(&request.query).map_err(|error| Problem::bad(&error.to_string()))?;
    let index = shared.tail.index();
    let mut searches = shared.searches.lock().unwrap_or_else(PoisonError::into_inner);
    let found = searches.find(&filter, &index);
    let count = number(request, "count", 100_usize)?.min(MOST_EVENTS);
    let from = number(request, "from", found.len().saturating_sub(count))?.min(found.len());
    let rows: Vec<_> = found
        .iter()
        .skip(from)
        .take(count)
        .filter_map(|place| index.rows().get(*place as usize))
        .map(|row| row.shown(index.names()))
        .collect();
    Ok(json!({ "matched": found.len(), "from": from, "rows": rows }))
}

fn sessions(shared: &Shared, request: &Request) -> Result<Value, Problem> {
    let filter = Filter::parse(&request.query).map_err(|error| Problem::bad(&error.to_string()))?;
    Ok(json!({ "sessions": newest_sessions(&shared.tail.index(), &filter) }))
}

/// Sessions of the wanted project and agent, those that were active last first.
pub fn newest_sessions(index: &Index, filter: &Filter) -> Vec<ShownSession> {
    let names = index.names();
    let is = |wanted: &Option<String>, name| wanted.as_deref().is_none_or(|wanted| wanted == names.text(name));
    let mut wanted: Vec<_> = index
        .sessions()
        .iter()
        .filter(|session| is(&filter.project, session.project) && is(&filter.agent, session.agent))
        .collect();
    wanted.sort_by_key(|session| std::cmp::Reverse(session.last));
    wanted.into_iter().take(MOST_SESSIONS).map(|session| session.shown(names)).collect()
}

fn overview(shared: &Shared, request: &Request) -> Result<Value, Problem> {
    let span = Span {
        now: (shared.clock)(),
        days: number(request, "days", 14_u16)?.clamp(1, 366),
        offset: number(request, "offset", 0_i64)?.clamp(-24 * 60, 24 * 60),
        project: request.parameter("project").filter(|text| !text.is_empty()).map(str::to_owned),
    };
    serde_json::to_value(Overview::of(&shared.tail.index(), &span)).map_err(|error| Problem(500, error.to_string()))
}

/// Every record of the event that has this record.
fn records_of(shared: &Shared, request: &Request) -> Result<Vec<(u64, JournalRecord)>, Problem> {
    let wanted: u64 = number(request, "record", 0)?;
    let gone = || Problem(404, format!("the journal has no record {wanted} any more"));
    let (first, at) = {
        let index = shared.tail.index();
        let row = index.event_of(wanted).ok_or_else(gone)?;
        (row.seq, row.at)
    };
    let read = shared.store.records(at).map_err(|error| Problem(500, error.to_string()))?;
    let mut records: Vec<(u64, JournalRecord)> = Vec::new();
    for entry in read.flatten().take(MOST_RUNS) {
        if entry.record.part == 0 && !records.is_empty() || entry.seq < first {
            break;
        }
        records.push((entry.seq, entry.record));
    }
    if records.first().is_none_or(|(seq, _)| *seq != first) { Err(gone()) } else { Ok(records) }
}

fn event(shared: &Shared, request: &Request) -> Result<Value, Problem> {
    let records = records_of(shared, request)?;
    let with_number = |(seq, record): &(u64, JournalRecord)| {
        let mut value = serde_json::to_value(record).unwrap_or_default();
        if let Some(fields) = value.as_object_mut() {
            fields.insert("seq".to_owned(), (*seq).into());
        }
        value
    };
    let index = shared.tail.index();
    let row = records.first().and_then(|(seq, _)| index.event_of(*seq)).map(|row| row.shown(index.names()));
    Ok(json!({ "row": row, "records": records.iter().map(with_number).collect::<Vec<_>>() }))
}

fn with_head(
    shared: &Shared,
    request: &Request,
    ask: impl FnOnce(&JournalRecord) -> Result<Value, Refused>,
) -> Result<Value, Problem> {
    let records = records_of(shared, request)?;
    let (_, head) = records.first().ok_or_else(|| Problem(404, "the event has no records".to_owned()))?;
    Ok(ask(head)?)
}

/// Asks about the project that the request names, if the journal knows it; otherwise about the one the server was started in.
fn in_project(
    shared: &Shared,
    request: &Request,
    ask: impl FnOnce(Option<&Path>) -> Result<Value, Refused>,
) -> Result<Value, Problem> {
    let wanted = request.parameter("project").filter(|project| !project.is_empty());
    if let Some(project) = wanted
        && shared.tail.index().names().find(project).is_none()
    {
        return Err(Problem(404, "no event of the journal happened in this project".to_owned()));
    }
    Ok(ask(wanted.map(Path::new))?)
}

/// Rules with what the journal knows of them: `rules` itself reads the whole journal for that, the index has it.
fn with_hits(shared: &Shared, mut rules: Value) -> Value {
    let index = shared.tail.index();
    let hits: Vec<_> = index.rule_hits().collect();
    for rule in rules.get_mut("rules").and_then(Value::as_array_mut).into_iter().flatten() {
        let text = |key: &str| rule.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        let (id, layer) = (text("id"), text("layer"));
        let found = hits.iter().find(|hits| hits.rule == id && hits.layer == layer);
        let events: Vec<_> = found
            .iter()
            .flat_map(|hits| hits.newest.iter().rev())
            .filter_map(|seq| index.event_of(*seq))
            .map(|row| row.shown(index.names()))
            .collect();
        if let Some(fields) = rule.as_object_mut() {
            fields.insert("hits".to_owned(), found.map_or(0, |hits| hits.count).into());
            fields.insert("last_hit".to_owned(), found.map(|hits| hits.last).into());
            fields.insert("newest".to_owned(), serde_json::to_value(events).unwrap_or_default());
        }
    }
    rules
}

fn propose(shared: &Shared, request: &Request) -> Result<Value, Problem> {
    let wanted: AllowRequest =
        serde_json::from_slice(&request.body).map_err(|error| Problem::bad(&error.to_string()))?;
    shared.machine.may_write().map_err(|why| Problem(403, why.0))?;
    let proposal = shared.machine.propose(&wanted)?;
    let id = random().map_err(|error| Problem(500, error.to_string()))?;
    let shown = proposal.shown();
    *shared.proposal.lock().unwrap_or_else(PoisonError::into_inner) = Some((id.clone(), proposal));
    Ok(json!({ "id": id, "proposal": shown }))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Confirmation {
    id: String,
}

/// Makes the very change that was shown: what is sent back is only its id.
fn confirm(shared: &Shared, request: &Request) -> Result<Value, Problem> {
    let Confirmation { id } =
        serde_json::from_slice(&request.body).map_err(|error| Problem::bad(&error.to_string()))?;
    shared.machine.may_write().map_err(|why| Problem(403, why.0))?;
    let mut kept = shared.proposal.lock().unwrap_or_else(PoisonError::into_inner);
    let proposal = match kept.take() {
        Some((known, proposal)) if known == id => proposal,
        other => {
            *kept = other;
            return Err(Problem(409, "this is not the change that was shown last\nhint: look at it again".to_owned()));
        }
    };
    let written = proposal.write().map_err(|refused| Problem(409, refused.0))?;
    Ok(json!({ "written": written }))
}
