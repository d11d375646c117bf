//! What the page asks for.

use super::Shared;
use super::access::random;
use super::request::Request;
use super::response::Response;
use crate::assets;
use crate::journal::{Filter, Span};
use crate::machine::{AllowRequest, Refused};
use crate::source::{EventPage, FoundEvent, ShownHits};
use hookrail_store::JournalRecord;
use serde::Deserialize;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::PoisonError;

/// So many events are sent at once.
const MOST_EVENTS: usize = 500;

pub fn answer(shared: &Shared, request: &Request) -> Response {
    let result = match (request.method.as_str(), request.path.as_str()) {
        ("GET", path) if !path.starts_with("/api/") => return asset(path),
        ("GET", "/api/state") => state(shared),
        ("GET", "/api/events") => events(shared, request),
        ("GET", "/api/sessions") => sessions(shared, request),
        ("GET", "/api/overview") => overview(shared, request),
        ("GET", "/api/event") => event(shared, request),
        ("GET", "/api/explain") => with_head(shared, request, |head| shared.machine.explain(head)),
        ("GET", "/api/compare") => with_head(shared, request, |head| shared.machine.compare(head)),
        ("GET", "/api/rules") => in_project(shared, request, |project| shared.machine.rules(project))
            .and_then(|rules| with_hits(shared, rules)),
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

fn state(shared: &Shared) -> Result<Value, Problem> {
    let progress = shared.source.progress();
    let writable = shared.machine.may_write();
    Ok(json!({
        "version": env!("CARGO_PKG_VERSION"),
        "now": (shared.clock)(),
        "events": progress.events,
        "records": progress.records,
        "unreadable": progress.unreadable,
        "caught_up": progress.is_caught_up,
        "trouble": progress.trouble,
        "facets": shared.source.facets()?,
        "read_only": writable.err().map(|why| why.0),
    }))
}

fn number<T: std::str::FromStr>(request: &Request, name: &str, usual: T) -> Result<T, Problem> {
    let Some(text) = request.parameter(name) else { return Ok(usual) };
    text.parse().map_err(|_| Problem::bad(&format!("`{name}` is not a number")))
}

fn filter(request: &Request) -> Result<Filter, Problem> {
    Filter::parse(&request.query).map_err(|error| Problem::bad(&error.to_string()))
}

fn events(shared: &Shared, request: &Request) -> Result<Value, Problem> {
    let count = number(request, "count", 100_usize)?.min(MOST_EVENTS);
    let from = request.parameter("from").map(|_| number(request, "from", 0)).transpose()?;
    let EventPage { matched, from, rows } = shared.source.events(&filter(request)?, from, count)?;
    Ok(json!({ "matched": matched, "from": from, "rows": rows }))
}

fn sessions(shared: &Shared, request: &Request) -> Result<Value, Problem> {
    Ok(json!({ "sessions": shared.source.sessions(&filter(request)?)? }))
}

fn overview(shared: &Shared, request: &Request) -> Result<Value, Problem> {
    let span = Span {
        now: (shared.clock)(),
        days: number(request, "days", 14_u16)?.clamp(1, 366),
        offset: number(request, "offset", 0_i64)?.clamp(-24 * 60, 24 * 60),
        project: given(request, "project"),
        machine: given(request, "machine"),
        person: given(request, "person"),
    };
    serde_json::to_value(shared.source.overview(&span)?).map_err(|error| Problem(500, error.to_string()))
}

fn given(request: &Request, name: &str) -> Option<String> {
    request.parameter(name).filter(|text| !text.is_empty()).map(str::to_owned)
}

fn found(shared: &Shared, request: &Request) -> Result<FoundEvent, Problem> {
    let wanted = request.parameter("record").unwrap_or("0");
    shared.source.event(wanted).map_err(|refused| Problem(404, refused.0))
}

fn event(shared: &Shared, request: &Request) -> Result<Value, Problem> {
    let FoundEvent { row, records, .. } = found(shared, request)?;
    Ok(json!({ "row": row, "records": records }))
}

fn with_head(
    shared: &Shared,
    request: &Request,
    ask: impl FnOnce(&JournalRecord) -> Result<Value, Refused>,
) -> Result<Value, Problem> {
    Ok(ask(&found(shared, request)?.head)?)
}

/// Asks about the project that the request names, if the journal knows it; otherwise about the one the server was started in.
fn in_project(
    shared: &Shared,
    request: &Request,
    ask: impl FnOnce(Option<&Path>) -> Result<Value, Refused>,
) -> Result<Value, Problem> {
    let wanted = request.parameter("project").filter(|project| !project.is_empty());
    if let Some(project) = wanted
        && !shared.source.knows_project(project)?
    {
        return Err(Problem(404, "no event of the journal happened in this project".to_owned()));
    }
    Ok(ask(wanted.map(Path::new))?)
}

/// Rules with what is known of their hits: `rules` itself reads the whole journal for that, the source has it.
fn with_hits(shared: &Shared, mut rules: Value) -> Result<Value, Problem> {
    let hits = shared.source.rule_hits()?;
    for rule in rules.get_mut("rules").and_then(Value::as_array_mut).into_iter().flatten() {
        let text = |key: &str| rule.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        let (id, layer) = (text("id"), text("layer"));
        let fits = |hits: &&ShownHits| hits.rule == id && hits.layer.as_ref().is_none_or(|known| *known == layer);
        let found = hits.iter().find(fits);
        if let Some(fields) = rule.as_object_mut() {
            fields.insert("hits".to_owned(), found.map_or(0, |hits| hits.count).into());
            fields.insert("last_hit".to_owned(), found.map(|hits| hits.last).into());
            fields.insert("newest".to_owned(), found.map_or_else(Vec::new, |hits| hits.newest.clone()).into());
        }
    }
    Ok(rules)
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
