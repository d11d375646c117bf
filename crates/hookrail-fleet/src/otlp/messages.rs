//! Records as OTLP messages. Field numbers are those of `opentelemetry-proto` 1.x; attributes follow the semantic conventions for
//! generative AI (`gen_ai.*`), hosts and users, and `hookrail.*` for what has no convention.

use super::Signal;
use super::protobuf::Message;
use hookrail_store::{Entry, JournalRecord, Outcome};
use std::collections::BTreeMap;

/// `SEVERITY_NUMBER_INFO`, `…_WARN`, `…_ERROR`.
const SEVERITY: [(u64, &str); 3] = [(9, "INFO"), (13, "WARN"), (17, "ERROR")];
/// `SPAN_KIND_INTERNAL` and `STATUS_CODE_ERROR`.
const INTERNAL: u64 = 1;
const ERROR: u64 = 2;
/// `AGGREGATION_TEMPORALITY_DELTA`: a process that ends keeps no sums.
const DELTA: u64 = 1;
/// The upper bounds of the buckets of durations, in seconds.
const BOUNDS: [f64; 10] = [0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1.0, 10.0];

/// Who sends.
#[derive(Clone, Copy, Debug)]
pub(super) struct Source<'a> {
    pub host: &'a str,
    pub host_id: &'a str,
    pub person: &'a str,
    pub os: &'a str,
    pub version: &'a str,
}

/// The request that exports these records.
pub(super) fn request(signal: Signal, source: &Source<'_>, entries: &[Entry]) -> Vec<u8> {
    let mut scoped = Message::default();
    let mut scope = Message::default();
    scope.text(1, "hookrail");
    scope.text(2, source.version);
    scoped.message(1, &scope);
    match signal {
        Signal::Logs => entries.iter().for_each(|entry| scoped.message(2, &log(entry))),
        // What the journal notes about itself is no run.
        Signal::Traces => runs(entries).for_each(|entry| scoped.message(2, &span(entry, source))),
        Signal::Metrics => {
            scoped.message(2, &run_counter(entries));
            scoped.message(2, &duration_histogram(entries));
        }
    }
    let (mut resource, mut of_resource, mut request) = (Message::default(), Message::default(), Message::default());
    let attributes = [
        ("service.name", "hookrail"),
        ("service.version", source.version),
        ("host.name", source.host),
        ("host.id", source.host_id),
        ("os.type", source.os),
        ("user.name", source.person),
    ];
    attributes.iter().for_each(|(key, value)| resource.message(1, &text_attribute(key, value)));
    of_resource.message(1, &resource);
    of_resource.message(2, &scoped);
    request.message(1, &of_resource);
    request.into_bytes()
}

fn runs(entries: &[Entry]) -> impl Iterator<Item = &Entry> {
    entries.iter().filter(|entry| entry.record.kind != "journal")
}

fn log(entry: &Entry) -> Message {
    let record = &entry.record;
    let mut log = Message::default();
    log.fixed64(1, nanos(record.ts));
    let (number, word) = match record.outcome {
        Outcome::Succeeded | Outcome::Skipped | Outcome::Unknown => SEVERITY[0],
        Outcome::Blocked | Outcome::Warned => SEVERITY[1],
        Outcome::Failed => SEVERITY[2],
    };
    log.number(2, number);
    log.text(3, word);
    let told = record.reason.as_deref().or(record.error.as_deref());
    let told = told.map_or_else(|| format!("{} {}", record.hook, outcome(record)), str::to_owned);
    let mut body = Message::default();
    body.bytes(1, told.as_bytes());
    log.message(5, &body);
    attributes(record).iter().for_each(|attribute| log.message(6, attribute));
    log.message(6, &number_attribute("hookrail.seq", entry.seq));
    log.message(6, &text_attribute("hookrail.hash", entry.link.hash()));
    if let Some(input) = &record.input {
        log.message(6, &text_attribute("hookrail.input", &input.to_string()));
    }
    log.bytes(9, &trace_id(record));
    log.bytes(10, &span_id(entry));
    log.fixed64(11, nanos(record.ts));
    log.text(12, "hookrail.hook.run");
    log
}

fn span(entry: &Entry, _source: &Source<'_>) -> Message {
    let record = &entry.record;
    let mut span = Message::default();
    span.bytes(1, &trace_id(record));
    span.bytes(2, &span_id(entry));
    span.text(5, &format!("hook {}", record.hook));
    span.number(6, INTERNAL);
    let end = nanos(record.ts);
    span.fixed64(7, end.saturating_sub(record.duration_us.saturating_mul(1000)));
    span.fixed64(8, end);
    attributes(record).iter().for_each(|attribute| span.message(9, attribute));
    if record.outcome == Outcome::Failed {
        let mut status = Message::default();
        status.text(2, record.error.as_deref().unwrap_or_default());
        status.number(3, ERROR);
        span.message(15, &status);
    }
    span
}

/// What a record says of itself, wherever it is sent.
fn attributes(record: &JournalRecord) -> Vec<Message> {
    let outcome = outcome(record);
    let texts = [
        ("gen_ai.conversation.id", Some(record.session.as_str())),
        ("gen_ai.agent.name", Some(record.agent.as_str())),
        ("gen_ai.operation.name", record.tool.as_ref().map(|_| "execute_tool")),
        ("gen_ai.tool.name", record.tool.as_deref()),
        ("hookrail.event", Some(record.event.as_str())),
        ("hookrail.hook", Some(record.hook.as_str())),
        ("hookrail.hook.kind", Some(record.kind.as_str())),
        ("hookrail.outcome", Some(outcome.as_str())),
        ("hookrail.decision", record.decision.as_deref()),
        ("hookrail.subject", record.subject.as_deref()),
        ("hookrail.project", record.project.as_deref()),
        ("error.message", record.error.as_deref()),
    ];
    let filled = texts.into_iter().filter_map(|(key, value)| Some((key, value.filter(|value| !value.is_empty())?)));
    let mut attributes: Vec<Message> = filled.map(|(key, value)| text_attribute(key, value)).collect();
    attributes.push(number_attribute("hookrail.duration_us", record.duration_us));
    attributes
}

/// What runs are counted by: few values each, or a collector has to keep too many series.
type Series = (String, String, String, String, String);

fn series(record: &JournalRecord) -> Series {
    let decision = record.decision.clone().unwrap_or_default();
    (record.agent.clone(), record.event.clone(), record.hook.clone(), outcome(record), decision)
}

fn series_attributes(series: &Series) -> Vec<Message> {
    let (agent, event, hook, outcome, decision) = series;
    let texts = [
        ("gen_ai.agent.name", agent),
        ("hookrail.event", event),
        ("hookrail.hook", hook),
        ("hookrail.outcome", outcome),
        ("hookrail.decision", decision),
    ];
    texts.iter().filter(|(_, value)| !value.is_empty()).map(|(key, value)| text_attribute(key, value)).collect()
}

fn by_series(entries: &[Entry]) -> BTreeMap<Series, Vec<&JournalRecord>> {
    let mut all: BTreeMap<Series, Vec<&JournalRecord>> = BTreeMap::new();
    runs(entries).for_each(|entry| all.entry(series(&entry.record)).or_default().push(&entry.record));
    all
}

/// First and last time of some records.
fn period(records: &[&JournalRecord]) -> (u64, u64) {
    let times = || records.iter().map(|record| nanos(record.ts));
    (times().min().unwrap_or_default(), times().max().unwrap_or_default())
}

fn run_counter(entries: &[Entry]) -> Message {
    let mut sum = Message::default();
    for (series, records) in by_series(entries) {
        let mut point = Message::default();
        let (first, last) = period(&records);
        point.fixed64(2, first);
        point.fixed64(3, last);
        point.fixed64(6, records.len() as u64);
        series_attributes(&series).iter().for_each(|attribute| point.message(7, attribute));
        sum.message(1, &point);
    }
    sum.number(2, DELTA);
    sum.number(3, 1);
    let mut metric = Message::default();
    metric.text(1, "hookrail.hook.runs");
    metric.text(2, "Runs of hooks");
    metric.text(3, "{run}");
    metric.message(7, &sum);
    metric
}

fn duration_histogram(entries: &[Entry]) -> Message {
    let mut histogram = Message::default();
    for (series, records) in by_series(entries) {
        let mut counts = [0u64; BOUNDS.len() + 1];
        let mut total = 0.0;
        for record in &records {
            let seconds = std::time::Duration::from_micros(record.duration_us).as_secs_f64();
            total += seconds;
            let bucket = BOUNDS.iter().position(|bound| seconds <= *bound).unwrap_or(BOUNDS.len());
            counts.iter_mut().skip(bucket).take(1).for_each(|count| *count += 1);
        }
        let mut point = Message::default();
        let (first, last) = period(&records);
        point.fixed64(2, first);
        point.fixed64(3, last);
        point.fixed64(4, records.len() as u64);
        point.double(5, total);
        point.packed(6, counts);
        point.packed(7, BOUNDS.map(f64::to_bits));
        series_attributes(&series).iter().for_each(|attribute| point.message(9, attribute));
        histogram.message(1, &point);
    }
    histogram.number(2, DELTA);
    let mut metric = Message::default();
    metric.text(1, "hookrail.hook.duration");
    metric.text(2, "How long runs of hooks took");
    metric.text(3, "s");
    metric.message(9, &histogram);
    metric
}

fn text_attribute(key: &str, value: &str) -> Message {
    let (mut any, mut attribute) = (Message::default(), Message::default());
    any.bytes(1, value.as_bytes());
    attribute.text(1, key);
    attribute.message(2, &any);
    attribute
}

fn number_attribute(key: &str, value: u64) -> Message {
    let (mut any, mut attribute) = (Message::default(), Message::default());
    any.chosen_number(3, value);
    attribute.text(1, key);
    attribute.message(2, &any);
    attribute
}

fn outcome(record: &JournalRecord) -> String {
    let word = serde_json::to_value(record.outcome).ok().and_then(|word| word.as_str().map(str::to_owned));
    word.unwrap_or_default()
}

/// What a clock says that was set before 1970 is taken for 1970.
fn nanos(millis: i64) -> u64 {
    u64::try_from(millis).unwrap_or_default().saturating_mul(1_000_000)
}

/// A session is a trace.
fn trace_id(record: &JournalRecord) -> [u8; 16] {
    let hash = blake3::hash(format!("{}\n{}", record.agent, record.session).as_bytes());
    hash.as_bytes().first_chunk().copied().unwrap_or_default()
}

/// A record is a span, whenever it is sent.
fn span_id(entry: &Entry) -> [u8; 8] {
    blake3::hash(entry.link.hash().as_bytes()).as_bytes().first_chunk().copied().unwrap_or_default()
}
