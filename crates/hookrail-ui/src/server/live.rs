//! Server-sent events: what is new in the journal, as it is written.

use super::Shared;
use super::request::Request;
use super::response::{Response, SECURITY_HEADERS};
use crate::journal::{Filter, Index, Reading};
use serde_json::{Value, json};
use std::io::{self, Write};
use std::net::TcpStream;
use std::sync::PoisonError;
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
    let mut reading = shared.tail.reading();
    let mut known = usize::MAX;
    loop {
        let update = update(shared, &filter, &reading, &mut known);
        write!(out, "data: {update}\n\n")?;
        loop {
            let next = shared.tail.wait(reading.version, HEARTBEAT);
            if next.version > reading.version {
                std::thread::sleep(GATHER);
                reading = shared.tail.reading();
                break;
            }
            out.write_all(b": still here\n\n")?;
        }
    }
}

/// What changed since `known` events matched: their number, the new ones, and the sessions they belong to.
fn update(shared: &Shared, filter: &Filter, reading: &Reading, known: &mut usize) -> Value {
    let index = shared.tail.index();
    let mut searches = shared.searches.lock().unwrap_or_else(PoisonError::into_inner);
    let found = searches.find(filter, &index);
    // The newest one that is known may have got further runs.
    let from = (*known).saturating_sub(1).min(found.len()).max(found.len().saturating_sub(MOST_ROWS));
    let rows: Vec<Value> = if *known == usize::MAX {
        Vec::new()
    } else {
        found.iter().skip(from).filter_map(|place| shown(&index, *place)).collect()
    };
    *known = found.len();
    json!({
        "total": index.rows().len(),
        "records": index.records(),
        "matched": found.len(),
        "from": found.len() - rows.len(),
        "rows": rows,
        "caught_up": reading.is_caught_up,
        "trouble": reading.trouble,
        "sessions": super::api::newest_sessions(&index, filter),
    })
}

fn shown(index: &Index, place: u32) -> Option<Value> {
    let row = index.rows().get(place as usize)?;
    serde_json::to_value(row.shown(index.names())).ok()
}
