//! Server-sent events: what is new in the journal, as it is written.

use super::Shared;
use super::request::Request;
use super::response::{Response, SECURITY_HEADERS};
use crate::journal::Filter;
use crate::machine::Refused;
use crate::source::{EventPage, Progress};
use serde_json::{Value, json};
use std::io::{self, Write};
use std::net::TcpStream;
use std::time::Duration;

/// A line without a meaning is sent so often, which tells whether the page is still there.
const HEARTBEAT: Duration = Duration::from_secs(10);
/// Events come in bursts; so long they are gathered.
const GATHER: Duration = Duration::from_millis(40);
/// More new events than this are not sent one by one: the page asks for those it shows.
const MOST_ROWS: usize = 200;

pub fn stream(shared: &Shared, request: &Request, mut out: &TcpStream) -> io::Result<()> {
    let filter = match Filter::parse(&request.query) {
        Ok(filter) => filter,
        Err(error) => return Response::problem(400, error.to_string()).send(out),
    };
    let head = format!("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n{SECURITY_HEADERS}\r\n");
    out.write_all(head.as_bytes())?;
    let mut progress = shared.source.progress();
    let mut known = None;
    loop {
        let update = update(shared, &filter, &progress, &mut known);
        write!(out, "data: {update}\n\n")?;
        loop {
            let next = shared.source.wait(progress.version, HEARTBEAT);
            if next.version > progress.version {
                std::thread::sleep(GATHER);
                progress = shared.source.progress();
                break;
            }
            out.write_all(b": still here\n\n")?;
        }
    }
}

/// What changed since `known` events matched: their number, the new ones, and the sessions they belong to.
fn update(shared: &Shared, filter: &Filter, progress: &Progress, known: &mut Option<usize>) -> Value {
    let (page, sessions) = match new_events(shared, filter, *known) {
        Ok(page) => {
            *known = Some(page.matched);
            (page, shared.source.sessions(filter))
        }
        Err(refused) => (EventPage::default(), Err(refused)),
    };
    let refused = sessions.as_ref().err().map(|refused| refused.0.clone());
    json!({
        "total": progress.events,
        "records": progress.records,
        "matched": page.matched,
        "from": page.from,
        "rows": page.rows,
        "caught_up": progress.is_caught_up,
        "trouble": progress.trouble.clone().or(refused),
        "sessions": sessions.unwrap_or_else(|_| json!([])),
    })
}

/// The newest one that is known may have got further runs. At first the page asks for what it shows.
fn new_events(shared: &Shared, filter: &Filter, known: Option<usize>) -> Result<EventPage, Refused> {
    let Some(known) = known else { return shared.source.events(filter, None, 0) };
    let page = shared.source.events(filter, Some(known.saturating_sub(1)), MOST_ROWS)?;
    let is_whole = page.from + page.rows.len() >= page.matched;
    if is_whole { Ok(page) } else { shared.source.events(filter, None, MOST_ROWS) }
}
