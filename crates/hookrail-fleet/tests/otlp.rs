//! What a collector gets, decoded with the official definitions.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a broken expectation must fail the test")]

use hookrail_fleet::otlp::{OtlpError, Sender};
use hookrail_fleet::{Departure, Detail};
use hookrail_store::{FileStore, JournalRecord, Outcome, StateRoot, Store};
use opentelemetry_proto::tonic::collector::logs::v1::{
    ExportLogsPartialSuccess, ExportLogsServiceRequest, ExportLogsServiceResponse,
};
use opentelemetry_proto::tonic::collector::metrics::v1::ExportMetricsServiceRequest;
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::KeyValue;
use opentelemetry_proto::tonic::common::v1::any_value::Value as AnyValue;
use opentelemetry_proto::tonic::metrics::v1::metric::Data;
use opentelemetry_proto::tonic::metrics::v1::number_data_point::Value as Number;
use prost::Message;
use serde_json::json;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// A request as it arrived: path, headers, body.
type Arrived = (String, Vec<String>, Vec<u8>);
/// What the collector answers to a path: a status and a body.
type CollectorReply = fn(&str, usize) -> (u16, Vec<u8>);

struct Collector {
    url: String,
    arrived: Arc<Mutex<Vec<Arrived>>>,
}

impl Collector {
    fn start(answer: CollectorReply) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let arrived: Arc<Mutex<Vec<Arrived>>> = Arc::default();
        let kept = Arc::clone(&arrived);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                serve(stream.unwrap(), &kept, answer);
            }
        });
        Self { url, arrived }
    }

    fn bodies(&self, path: &str) -> Vec<Vec<u8>> {
        let arrived = self.arrived.lock().unwrap();
        arrived.iter().filter(|(at, _, _)| at == path).map(|(_, _, body)| body.clone()).collect()
    }

    fn sender(&self) -> Sender {
        Sender {
            endpoint: format!("{}/", self.url),
            headers: "authorization=Bearer x, x-team = a".to_owned(),
            host: "machine".to_owned(),
            host_id: "key".to_owned(),
            person: "ann".to_owned(),
            os: "linux".to_owned(),
            version: "0.1.0".to_owned(),
        }
    }
}

fn serve(stream: TcpStream, kept: &Mutex<Vec<Arrived>>, answer: CollectorReply) {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).unwrap();
    let path = line.split(' ').nth(1).unwrap().to_owned();
    let (mut headers, mut length) = (Vec::new(), 0);
    loop {
        let mut header = String::new();
        reader.read_line(&mut header).unwrap();
        let header = header.trim().to_lowercase();
        if header.is_empty() {
            break;
        }
        if let Some(value) = header.strip_prefix("content-length: ") {
            length = value.parse().unwrap();
        }
        headers.push(header);
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    let count = {
        let mut kept = kept.lock().unwrap();
        kept.push((path.clone(), headers, body));
        kept.len()
    };
    let (status, text) = answer(&path, count);
    let mut stream = reader.into_inner();
    write!(stream, "HTTP/1.1 {status} X\r\ncontent-length: {}\r\nconnection: close\r\n\r\n", text.len()).unwrap();
    stream.write_all(&text).unwrap();
}

fn journal(folder: &std::path::Path, count: usize) -> FileStore {
    let store = FileStore::new(StateRoot::at(folder.join("state")), || 0);
    let records: Vec<JournalRecord> = (0..count).map(record).collect();
    store.append_all(&records).unwrap();
    store
}

fn record(number: usize) -> JournalRecord {
    JournalRecord {
        ts: 1_794_823_200_000 + i64::try_from(number).unwrap(),
        session: "s1".to_owned(),
        agent: "claude".to_owned(),
        event: "BeforeTool".to_owned(),
        hook: "safety/rules".to_owned(),
        kind: "native".to_owned(),
        outcome: match number % 3 {
            0 => Outcome::Blocked,
            1 => Outcome::Failed,
            _ => Outcome::Succeeded,
        },
        decision: (number.is_multiple_of(3)).then(|| "block".to_owned()),
        reason: (number.is_multiple_of(3)).then(|| "no".to_owned()),
        error: (number % 3 == 1).then(|| "broke".to_owned()),
        duration_us: 700,
        tool: Some("Bash".to_owned()),
        subject: Some("export GITHUB_TOKEN=ghp_0123456789abcdefghijklmnopqrstuvwxyz".to_owned()),
        input: Some(json!({"tool_name": "Bash"})),
        ..JournalRecord::default()
    }
}

fn attribute(attributes: &[KeyValue], key: &str) -> Option<String> {
    let found = attributes.iter().find(|attribute| attribute.key == key)?.value.clone()?.value?;
    Some(match found {
        AnyValue::StringValue(text) => text,
        AnyValue::IntValue(number) => number.to_string(),
        other => format!("{other:?}"),
    })
}

const FULL: Departure = Departure { detail: Detail::Full };

#[test]
fn records_arrive_as_logs_spans_and_metrics_once_each() {
    let (folder, collector) = (tempfile::tempdir().unwrap(), Collector::start(|_, _| (200, Vec::new())));
    let store = journal(folder.path(), 6);
    assert_eq!(collector.sender().send(&store, FULL, folder.path()).unwrap(), 6);
    assert_eq!(collector.sender().send(&store, FULL, folder.path()).unwrap(), 0, "nothing is sent again");
    let arrived = collector.arrived.lock().unwrap().clone();
    assert_eq!(arrived.len(), 3);
    for header in ["content-type: application/x-protobuf", "authorization: bearer x", "x-team: a"] {
        assert!(arrived[0].1.iter().any(|it| it == header), "{header} in {:?}", arrived[0].1);
    }
    assert!(arrived.iter().all(|(_, _, body)| !String::from_utf8_lossy(body).contains("ghp_0123")), "no secret leaves");

    let logs = ExportLogsServiceRequest::decode(collector.bodies("/v1/logs")[0].as_slice()).unwrap();
    let resource = &logs.resource_logs[0];
    let of_resource = &resource.resource.as_ref().unwrap().attributes;
    for (key, value) in
        [("service.name", "hookrail"), ("host.name", "machine"), ("user.name", "ann"), ("host.id", "key")]
    {
        assert_eq!(attribute(of_resource, key).as_deref(), Some(value), "{key}");
    }
    let scope = &resource.scope_logs[0];
    assert_eq!(scope.scope.as_ref().unwrap().name, "hookrail");
    assert_eq!(scope.log_records.len(), 6);
    let first = &scope.log_records[0];
    assert_eq!(first.time_unix_nano, 1_794_823_200_000_000_000);
    assert_eq!((first.severity_number, first.severity_text.as_str()), (13, "WARN"));
    assert_eq!(first.body.clone().unwrap().value, Some(AnyValue::StringValue("no".to_owned())));
    let expected = [
        ("gen_ai.conversation.id", "s1"),
        ("gen_ai.agent.name", "claude"),
        ("gen_ai.operation.name", "execute_tool"),
        ("gen_ai.tool.name", "Bash"),
        ("hookrail.hook", "safety/rules"),
        ("hookrail.outcome", "blocked"),
        ("hookrail.decision", "block"),
        ("hookrail.seq", "1"),
        ("hookrail.duration_us", "700"),
    ];
    for (key, value) in expected {
        assert_eq!(attribute(&first.attributes, key).as_deref(), Some(value), "{key}");
    }

    let traces = ExportTraceServiceRequest::decode(collector.bodies("/v1/traces")[0].as_slice()).unwrap();
    let spans = &traces.resource_spans[0].scope_spans[0].spans;
    assert_eq!(spans.len(), 6);
    assert_eq!(spans[0].name, "hook safety/rules");
    assert_eq!(spans[0].end_time_unix_nano - spans[0].start_time_unix_nano, 700_000);
    assert_eq!((spans[0].trace_id.len(), spans[0].span_id.len()), (16, 8));
    assert!(spans.iter().all(|span| span.trace_id == spans[0].trace_id), "a session is a trace");
    assert_eq!(
        (&first.trace_id, &first.span_id),
        (&spans[0].trace_id, &spans[0].span_id),
        "log and span belong together"
    );
    assert_eq!(spans[1].status.as_ref().map(|status| (status.code, status.message.as_str())), Some((2, "broke")));

    let metrics = ExportMetricsServiceRequest::decode(collector.bodies("/v1/metrics")[0].as_slice()).unwrap();
    let metrics = &metrics.resource_metrics[0].scope_metrics[0].metrics;
    let Some(Data::Sum(sum)) = &metrics[0].data else { panic!("{metrics:?}") };
    assert!(metrics[0].name == "hookrail.hook.runs" && sum.is_monotonic && sum.aggregation_temporality == 1);
    assert_eq!(sum.data_points.len(), 3, "one series per outcome");
    assert!(sum.data_points.iter().all(|point| point.value == Some(Number::AsInt(2))));
    let Some(Data::Histogram(histogram)) = &metrics[1].data else { panic!("{metrics:?}") };
    let point = &histogram.data_points[0];
    assert_eq!((point.count, point.bucket_counts.len(), point.explicit_bounds.len()), (2, 11, 10));
    assert_eq!(point.bucket_counts[2], 2, "700 µs are between half a millisecond and one");
    assert!((point.sum.unwrap() - 0.0014).abs() < 1e-9);
}

#[test]
fn what_a_collector_did_not_take_is_sent_again_and_nothing_else() {
    // The first request, of logs, succeeds; the second, of traces, fails.
    let collector = Collector::start(|_, count| if count == 2 { (503, b"busy".to_vec()) } else { (200, Vec::new()) });
    let folder = tempfile::tempdir().unwrap();
    let store = journal(folder.path(), 3);
    let error = collector.sender().send(&store, FULL, folder.path()).unwrap_err();
    assert!(matches!(&error, OtlpError::Web(error) if error.is_passing()), "{error}");
    store.append_all(&[record(9)]).unwrap();
    assert_eq!(collector.sender().send(&store, FULL, folder.path()).unwrap(), 1);
    let spans = |body: &Vec<u8>| {
        ExportTraceServiceRequest::decode(body.as_slice()).unwrap().resource_spans[0].scope_spans[0].spans.len()
    };
    assert_eq!(collector.bodies("/v1/logs").len(), 2);
    assert_eq!(collector.bodies("/v1/traces").iter().map(spans).collect::<Vec<_>>(), [3, 4]);
    assert_eq!(collector.bodies("/v1/metrics").len(), 1);
}

#[test]
fn a_collector_that_rejects_records_is_told_of_and_not_asked_again() {
    fn reject(path: &str, _: usize) -> (u16, Vec<u8>) {
        let partial = ExportLogsPartialSuccess { rejected_log_records: 2, error_message: "too old".to_owned() };
        let answer = ExportLogsServiceResponse { partial_success: Some(partial) };
        (200, if path == "/v1/logs" { answer.encode_to_vec() } else { Vec::new() })
    }
    let (folder, collector) = (tempfile::tempdir().unwrap(), Collector::start(reject));
    let store = journal(folder.path(), 3);
    assert!(matches!(collector.sender().send(&store, FULL, folder.path()), Err(OtlpError::Rejected(2))));
    assert_eq!(collector.sender().send(&store, FULL, folder.path()).unwrap(), 0);
    assert_eq!(collector.bodies("/v1/logs").len(), 1);
    assert_eq!(collector.bodies("/v1/traces").len(), 1);
}

#[test]
fn with_minimal_privacy_nothing_of_the_event_is_sent() {
    let (folder, collector) = (tempfile::tempdir().unwrap(), Collector::start(|_, _| (200, Vec::new())));
    let store = journal(folder.path(), 3);
    collector.sender().send(&store, Departure { detail: Detail::Minimal }, folder.path()).unwrap();
    for (path, _, body) in collector.arrived.lock().unwrap().iter() {
        let text = String::from_utf8_lossy(body);
        assert!(!text.contains("GITHUB_TOKEN") && !text.contains("hookrail.input"), "{path}");
    }
    let sender = Sender { endpoint: "localhost:4318".to_owned(), ..collector.sender() };
    assert!(matches!(sender.send(&store, FULL, folder.path()), Err(OtlpError::Endpoint(_))));
}

/// What this collector passes on is packed, whatever it is told.
fn unpacked(body: &[u8]) -> Vec<u8> {
    if !body.starts_with(&[0x1f, 0x8b]) {
        return body.to_vec();
    }
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(body).unwrap();
    let gzip = std::process::Command::new("gzip").arg("-dc").stdin(file.reopen().unwrap()).output().unwrap();
    assert!(gzip.status.success());
    gzip.stdout
}

#[expect(clippy::disallowed_methods, reason = "a test asks which tools it has")]
fn variable(name: &str) -> String {
    std::env::var(name).unwrap_or_default()
}

/// A collector that others wrote: rotel, from PyPI. It passes on what it takes to a server that decodes with the official
/// definitions.
struct RealCollector {
    process: std::process::Child,
    endpoint: String,
}

impl RealCollector {
    fn start(folder: &std::path::Path, target: &str) -> Option<Self> {
        let program = variable("HOOKRAIL_TEST_COLLECTOR");
        if program.is_empty() {
            let what = "HOOKRAIL_TEST_COLLECTOR names no collector: HOOKRAIL_TEST_COLLECTOR=$(.ci/collector)";
            assert_ne!(variable("HOOKRAIL_TEST_TOOLS"), "required", "{what}");
            #[expect(clippy::print_stderr, reason = "whoever reads the tests must know")]
            {
                eprintln!("NOT RUN: {what}");
            }
            return None;
        }
        let free = || TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let (http, grpc) = (free(), free());
        let process = std::process::Command::new(program)
            .arg("start")
            .args(["--otlp-http-endpoint", &format!("127.0.0.1:{http}")])
            .args(["--otlp-grpc-endpoint", &format!("127.0.0.1:{grpc}")])
            .args(["--exporter", "otlp", "--otlp-exporter-protocol", "http", "--otlp-exporter-endpoint", target])
            .stdout(std::fs::File::create(folder.join("collector.log")).unwrap())
            .stderr(std::fs::File::create(folder.join("collector.err")).unwrap())
            .spawn()
            .unwrap();
        let collector = Self { process, endpoint: format!("http://127.0.0.1:{http}") };
        let begun = std::time::Instant::now();
        while TcpStream::connect(("127.0.0.1", http)).is_err() {
            let log = std::fs::read_to_string(folder.join("collector.err")).unwrap_or_default();
            assert!(begun.elapsed() < std::time::Duration::from_secs(20), "the collector does not listen: {log}");
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
        Some(collector)
    }
}

impl Drop for RealCollector {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[test]
fn a_real_collector_takes_logs_spans_and_metrics_and_passes_them_on() {
    let folder = tempfile::tempdir().unwrap();
    let behind = Collector::start(|_, _| (200, Vec::new()));
    let Some(real) = RealCollector::start(folder.path(), &behind.sender().endpoint) else { return };
    let store = journal(folder.path(), 6);
    let sender = Sender { endpoint: real.endpoint.clone(), ..behind.sender() };
    assert_eq!(sender.send(&store, FULL, folder.path()).unwrap(), 6);
    let begun = std::time::Instant::now();
    let paths = ["/v1/logs", "/v1/traces", "/v1/metrics"];
    while paths.iter().any(|path| behind.bodies(path).is_empty()) {
        let log = std::fs::read_to_string(folder.path().join("collector.err")).unwrap_or_default();
        assert!(begun.elapsed() < std::time::Duration::from_secs(60), "nothing is passed on: {log}");
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    let logs = ExportLogsServiceRequest::decode(unpacked(&behind.bodies("/v1/logs")[0]).as_slice()).unwrap();
    let records = &logs.resource_logs[0].scope_logs[0].log_records;
    assert_eq!(records.len(), 6);
    assert_eq!(attribute(&records[0].attributes, "gen_ai.tool.name").as_deref(), Some("Bash"));
    let traces = ExportTraceServiceRequest::decode(unpacked(&behind.bodies("/v1/traces")[0]).as_slice()).unwrap();
    let spans = &traces.resource_spans[0].scope_spans[0].spans;
    assert_eq!((spans.len(), spans[0].name.as_str()), (6, "hook safety/rules"));
    assert_eq!(spans[0].trace_id, records[0].trace_id);
    let metrics = ExportMetricsServiceRequest::decode(unpacked(&behind.bodies("/v1/metrics")[0]).as_slice()).unwrap();
    let names: Vec<&str> =
        metrics.resource_metrics[0].scope_metrics[0].metrics.iter().map(|metric| metric.name.as_str()).collect();
    assert_eq!(names, ["hookrail.hook.runs", "hookrail.hook.duration"]);
}
