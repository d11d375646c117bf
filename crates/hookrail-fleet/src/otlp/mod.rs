//! The journal as OpenTelemetry: logs, spans and metrics over OTLP/HTTP with protobuf.
//!
//! A record becomes a log record; a hook run becomes a span, in the trace of its session; runs and durations become metrics.
//! Ids are derived from the record's own hash, so that what is sent twice after a fault is recognised as the same.

mod marks;
mod messages;
mod protobuf;

use crate::departure::Departure;
use crate::web::{self, WebError};
use hookrail_store::{Entry, FileStore, Store, StoreError};
use marks::{ExportedPosition, ExportedPositions};
use messages::Source;
use std::path::Path;

/// How many records go at once.
const BATCH: usize = 1000;
/// What a collector answers is short.
const ANSWER_BYTES: u64 = 64 * 1024;

/// What is sent, each to an address of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Signal {
    Logs,
    Traces,
    Metrics,
}

impl Signal {
    const ALL: [Self; 3] = [Self::Logs, Self::Traces, Self::Metrics];

    fn path(self) -> &'static str {
        match self {
            Self::Logs => "/v1/logs",
            Self::Traces => "/v1/traces",
            Self::Metrics => "/v1/metrics",
        }
    }
}

/// Who sends.
#[derive(Clone, Debug)]
pub struct Sender {
    /// The collector, such as `http://localhost:4318`.
    pub endpoint: String,
    /// Headers as `OTEL_EXPORTER_OTLP_HEADERS` has them: `name=value,name=value`.
    pub headers: String,
    pub host: String,
    pub host_id: String,
    pub person: String,
    pub os: String,
    pub version: String,
}

#[derive(Debug, thiserror::Error)]
pub enum OtlpError {
    #[error("`{0}` is not the address of a collector\nhint: write `http://host:4318` or `https://…`")]
    Endpoint(String),
    #[error(transparent)]
    Web(#[from] WebError),
    #[error("the collector rejected {0} of the records")]
    Rejected(u64),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("cannot keep what was sent: {0}")]
    Marks(std::io::Error),
}

impl Sender {
    /// Sends everything that was not sent to this collector yet, and keeps in `folder` how far it came. Returns how many records
    /// the logs have now.
    pub fn send(&self, journal: &FileStore, departure: Departure, folder: &Path) -> Result<u64, OtlpError> {
        let base = self.endpoint.trim_end_matches('/');
        if !base.starts_with("http://") && !base.starts_with("https://") {
            return Err(OtlpError::Endpoint(self.endpoint.clone()));
        }
        let mut marks = ExportedPositions::read(folder, base);
        let mut sent = 0;
        for signal in Signal::ALL {
            loop {
                let batch = read(journal, marks.of(signal), departure)?;
                let Some(last) = batch.last() else { break };
                let mark = ExportedPosition { seq: last.seq, hash: last.link.hash().to_owned(), ts: last.record.ts };
                let body = messages::request(signal, &self.source(), &batch);
                let answer = web::post(&format!("{base}{}", signal.path()), &self.headers(), &body, ANSWER_BYTES)?;
                if signal == Signal::Logs {
                    sent += batch.len() as u64;
                }
                marks.put(signal, mark);
                marks.save(folder).map_err(OtlpError::Marks)?;
                // What a collector rejected it would reject again.
                if let Some(rejected) = protobuf::rejected(&answer) {
                    return Err(OtlpError::Rejected(rejected));
                }
            }
        }
        Ok(sent)
    }

    fn source(&self) -> Source<'_> {
        Source { host: &self.host, host_id: &self.host_id, person: &self.person, os: &self.os, version: &self.version }
    }

    fn headers(&self) -> Vec<(String, String)> {
        let named = self.headers.split(',').filter_map(|pair| pair.split_once('='));
        let named = named.map(|(name, value)| (name.trim().to_owned(), value.trim().to_owned()));
        let named = named.filter(|(name, _)| !name.is_empty());
        named.chain([("content-type".to_owned(), "application/x-protobuf".to_owned())]).collect()
    }
}

/// What the journal has after a mark. If the record at the mark is another one, the journal was replaced: then what is newer than
/// the mark by its time goes.
fn read(journal: &FileStore, mark: &ExportedPosition, departure: Departure) -> Result<Vec<Entry>, OtlpError> {
    let all =
        |from: u64| -> Result<_, OtlpError> { Ok(journal.records(journal.before(from)?)?.filter_map(Result::ok)) };
    let is_same = mark.seq == 0
        || all(mark.seq)?.find(|entry| entry.seq >= mark.seq).is_some_and(|entry| {
            // Records before the first one that is left were removed because of their age.
            entry.seq > mark.seq || entry.link.hash() == mark.hash
        });
    let is_new = |entry: &Entry| if is_same { entry.seq > mark.seq } else { entry.record.ts > mark.ts };
    let entries = all(if is_same { mark.seq } else { 0 })?.filter(is_new).take(BATCH);
    Ok(entries.map(|entry| Entry { record: departure.prepare(entry.record), ..entry }).collect())
}
