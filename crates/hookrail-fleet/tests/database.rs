//! The journal in a real PostgreSQL, with everything that can go wrong on the way.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a broken expectation must fail the test")]

use hookrail_fleet::database::{Database, DatabaseError, MachineReport, SCHEMA_VERSION, Shipped};
use hookrail_fleet::postgres::{Address, Credentials};
use hookrail_fleet::{Departure, Detail};
use hookrail_store::{FileStore, JournalRecord, Outcome, StateRoot, Store};
use hookrail_testkit::postgres::Cluster;
use serde_json::json;
use std::fs;
use std::path::PathBuf;

/// The day on which the records of these tests are written, if the test is not about days: today, by the machine's clock.
fn now() -> i64 {
    let now = std::time::UNIX_EPOCH.elapsed().unwrap();
    i64::try_from(now.as_millis()).unwrap()
}

fn connect(cluster: &Cluster, user: &str) -> Result<Database, DatabaseError> {
    let address = Address::parse(&cluster.address(user)).unwrap();
    let credentials = Credentials::find(&address, None, &|_| None).unwrap();
    Database::connect(&address, &credentials)
}

/// A database with the schema, two writers and a reader.
fn fleet() -> Option<Cluster> {
    Cluster::start().map(with_schema)
}

/// The same in a server that the test may end.
fn own_fleet() -> Option<Cluster> {
    Cluster::start_own().map(with_schema)
}

fn with_schema(cluster: Cluster) -> Cluster {
    connect(&cluster, "postgres").unwrap().migrate().unwrap();
    let roles = "CREATE ROLE alice LOGIN IN ROLE hookrail_writer; CREATE ROLE bob LOGIN IN ROLE hookrail_writer; \
        CREATE ROLE rita LOGIN IN ROLE hookrail_reader";
    assert_eq!(cluster.sql(roles), "");
    cluster
}

/// A machine with a journal.
struct ShippingMachine {
    folder: tempfile::TempDir,
    report: MachineReport,
}

impl ShippingMachine {
    fn new(key: &str) -> Self {
        let report = MachineReport {
            key: key.to_owned(),
            name: format!("{key}.example"),
            person: "ann".to_owned(),
            os: "linux".to_owned(),
            version: "0.1.0".to_owned(),
            policy: Some(("acme".to_owned(), 3)),
            policy_state: "in-force".to_owned(),
            entries: json!([]),
            intact: true,
            now: now(),
        };
        Self { folder: tempfile::tempdir().unwrap(), report }
    }

    fn journal(&self) -> FileStore {
        FileStore::new(StateRoot::at(self.folder.path().join("state")), now).with_segment_bytes(64 * 1024)
    }

    fn write(&self, count: usize) {
        let records: Vec<JournalRecord> = (0..count).map(|number| record(&format!("call {number}"))).collect();
        self.journal().append_all(&records).unwrap();
    }

    fn ship(&self, cluster: &Cluster) -> Result<Shipped, DatabaseError> {
        connect(cluster, "alice")?.ship(&self.report, &self.journal(), Departure { detail: Detail::Full })
    }

    /// The files of the journal, oldest first.
    fn files(&self) -> Vec<PathBuf> {
        let files = fs::read_dir(self.journal().journal_path()).unwrap().map(|entry| entry.unwrap().path());
        let mut files: Vec<PathBuf> = files.filter(|file| file.extension().is_some_and(|it| it == "jsonl")).collect();
        files.sort();
        files
    }

    /// Changes the lines of the first file.
    fn tamper(&self, change: impl FnOnce(&mut Vec<String>)) {
        let file = self.files().remove(0);
        let text = fs::read_to_string(&file).unwrap();
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        change(&mut lines);
        fs::write(file, lines.join("\n") + "\n").unwrap();
    }
}

fn record(subject: &str) -> JournalRecord {
    JournalRecord {
        ts: now(),
        session: "s1".to_owned(),
        agent: "claude".to_owned(),
        event: "BeforeTool".to_owned(),
        hook: "safety/rules".to_owned(),
        kind: "native".to_owned(),
        source: "pack safety".to_owned(),
        outcome: Outcome::Succeeded,
        duration_us: 420,
        tool: Some("Bash".to_owned()),
        subject: Some(subject.to_owned()),
        project: Some("/home/ann/project".to_owned()),
        ..JournalRecord::default()
    }
}

/// How many records there are, how many different ones, and the highest number.
fn counted(cluster: &Cluster) -> String {
    cluster.sql("SELECT count(*), count(DISTINCT (machine, hash)), max(seq) FROM hookrail.records")
}

fn breaks(cluster: &Cluster) -> String {
    cluster.sql("SELECT epoch, kind, place FROM hookrail.breaks ORDER BY id")
}

#[test]
fn new_records_are_shipped_once_and_nothing_is_shipped_again() {
    let Some(cluster) = fleet() else { return };
    let machine = ShippingMachine::new("m1");
    assert_eq!(machine.ship(&cluster).unwrap(), Shipped::default(), "no journal yet");
    machine.write(700);
    assert_eq!(machine.ship(&cluster).unwrap().records, 700);
    assert!(machine.files().len() > 1, "the journal has several files");
    assert_eq!(machine.ship(&cluster).unwrap().records, 0);
    machine.write(5);
    assert_eq!(machine.ship(&cluster).unwrap().records, 5);
    assert_eq!(counted(&cluster), "705|705|705");
    assert_eq!(breaks(&cluster), "");
    let row = cluster.sql(
        "SELECT m.name, m.person, m.policy, m.policy_serial, r.agent, r.hook, r.outcome, r.tool, r.subject, r.project, r.rest->>'source', \
         r.segment FROM hookrail.records r JOIN hookrail.machines m ON m.id = r.machine WHERE r.seq = 3",
    );
    assert_eq!(row, "m1.example|ann|acme|3|claude|safety/rules|succeeded|Bash|call 2|/home/ann/project|pack safety|1");
    assert_eq!(cluster.sql("SELECT sum(runs) FROM hookrail.daily WHERE hook = 'safety/rules'"), "705");
}

#[test]
fn a_server_that_goes_away_in_the_middle_loses_nothing_and_doubles_nothing() {
    let Some(cluster) = own_fleet() else { return };
    let machine = ShippingMachine::new("m1");
    machine.write(30_000);
    let outcome = std::thread::scope(|scope| {
        let shipping = scope.spawn(|| machine.ship(&cluster));
        let arrived = "SELECT coalesce(max(last_seq), 0) FROM hookrail.machines";
        while cluster.sql(arrived) == "0" && !shipping.is_finished() {}
        cluster.crash();
        shipping.join().unwrap()
    });
    let error = outcome.unwrap_err();
    assert!(error.is_passing(), "{error}");
    let error = machine.ship(&cluster).unwrap_err();
    assert!(error.is_passing() && error.to_string().contains("cannot reach the database"), "{error}");
    machine.write(10);
    cluster.resume();
    let arrived: u64 = cluster.sql("SELECT count(*) FROM hookrail.records").parse().unwrap();
    assert!((1..30_000).contains(&arrived), "{arrived} arrived before the crash");
    assert_eq!(machine.ship(&cluster).unwrap().records, 30_010 - arrived);
    assert_eq!(counted(&cluster), "30010|30010|30010");
    assert_eq!(breaks(&cluster), "");
    assert_eq!(cluster.sql("SELECT sum(runs) FROM hookrail.daily"), "30010");
}

#[test]
fn a_sync_that_is_killed_in_the_middle_of_a_batch_leaves_nothing_of_it() {
    let Some(cluster) = fleet() else { return };
    let machine = ShippingMachine::new("m1");
    machine.write(100);
    machine.ship(&cluster).unwrap();
    machine.write(100);
    {
        let mut database = connect(&cluster, "alice").unwrap();
        let client = database.client();
        client.execute("BEGIN").unwrap();
        client.query("SELECT * FROM hookrail.resume(1)", &[]).unwrap();
        let row = "1\t1\t1\t101\t2026-11-16\t2026-11-16\ts\ta\te\th\tk\tsucceeded\t1\t0\t\\\\x00\t\\\\x00\tt\n";
        let columns =
            "machine,epoch,segment,seq,day,ts,session,agent,event,hook,kind,outcome,duration_us,part,prev,hash,sound";
        let day = cluster.sql("SELECT (now() AT TIME ZONE 'UTC')::date");
        let copy = format!("COPY hookrail.records ({columns}) FROM STDIN");
        client.copy_in(&copy, row.replace("2026-11-16", &day).as_bytes()).unwrap();
    }
    assert_eq!(counted(&cluster), "100|100|100");
    assert_eq!(machine.ship(&cluster).unwrap().records, 100);
    assert_eq!(counted(&cluster), "200|200|200");
    assert_eq!(breaks(&cluster), "");
}

#[test]
fn two_processes_that_ship_the_same_journal_share_the_work() {
    let Some(cluster) = fleet() else { return };
    let machine = ShippingMachine::new("m1");
    machine.write(22_000);
    let shipped: u64 = std::thread::scope(|scope| {
        let processes: Vec<_> = (0..3).map(|_| scope.spawn(|| machine.ship(&cluster))).collect();
        processes.into_iter().map(|process| process.join().unwrap().unwrap().records).sum()
    });
    assert_eq!(shipped, 22_000, "no record was counted by two of them");
    assert_eq!(counted(&cluster), "22000|22000|22000");
    assert_eq!(breaks(&cluster), "");
}

#[test]
fn a_server_without_room_keeps_what_it_has_and_takes_the_rest_later() {
    let Some(cluster) = fleet() else { return };
    let machine = ShippingMachine::new("m1");
    machine.write(10);
    machine.ship(&cluster).unwrap();
    let full = "CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE disk_full; END $$; \
        CREATE TRIGGER full_disk BEFORE INSERT ON hookrail.records FOR EACH ROW EXECUTE FUNCTION full_disk()";
    assert_eq!(cluster.sql(full), "");
    machine.write(10);
    let error = machine.ship(&cluster).unwrap_err();
    assert!(error.is_passing() && error.to_string().contains("53100"), "{error}");
    assert_eq!(cluster.sql("DROP TRIGGER full_disk ON hookrail.records"), "");
    assert_eq!(machine.ship(&cluster).unwrap().records, 10);
    assert_eq!(counted(&cluster), "20|20|20");
}

#[test]
fn a_disk_that_is_really_full_loses_nothing_and_doubles_nothing() {
    let Some((cluster, disk)) = Cluster::start_on_small_disk(160 << 10) else { return };
    let (cluster, machine) = (with_schema(cluster), ShippingMachine::new("m1"));
    machine.write(2000);
    assert_eq!(machine.ship(&cluster).unwrap().records, 2000);
    machine.write(40_000);
    let ballast = disk.join("ballast");
    let fill = |file: &PathBuf| {
        let mut dd = std::process::Command::new("dd");
        drop(dd.args(["if=/dev/zero", "bs=64k"]).arg(format!("of={}", file.display())).output().unwrap());
    };
    fill(&ballast);
    // A little room, so that a batch begins.
    let size = fs::metadata(&ballast).unwrap().len();
    fs::File::options().write(true).open(&ballast).unwrap().set_len(size - (6 << 20)).unwrap();
    let error = machine.ship(&cluster).unwrap_err();
    assert!(error.is_passing(), "{error}");
    fs::remove_file(&ballast).unwrap();
    // A server that cannot write its log ends itself, as it should.
    if machine.ship(&cluster).is_err() {
        cluster.restart();
    }
    machine.ship(&cluster).unwrap();
    assert_eq!(counted(&cluster), "42000|42000|42000");
    assert_eq!(breaks(&cluster), "");
    assert_eq!(cluster.sql("SELECT sum(runs) FROM hookrail.daily"), "42000");
    assert_eq!(cluster.sql("SELECT sum(events) FROM hookrail.daily_events"), "42000");
}

#[test]
fn a_server_process_that_is_killed_in_the_middle_of_a_batch_leaves_nothing_of_it() {
    let Some(cluster) = own_fleet() else { return };
    let machine = ShippingMachine::new("m1");
    machine.write(30_000);
    let busy = "SELECT pid FROM pg_stat_activity WHERE application_name = 'hookrail' AND state = 'active' AND query LIKE 'COPY%'";
    let killed = std::thread::scope(|scope| {
        let shipping = scope.spawn(|| machine.ship(&cluster));
        let mut pid = String::new();
        while pid.is_empty() && !shipping.is_finished() {
            pid = cluster.sql(busy);
        }
        let killed = std::process::Command::new("kill").args(["-9", &pid]).status().unwrap().success();
        let outcome = shipping.join().unwrap();
        assert!(outcome.is_err() || !killed, "{outcome:?}");
        killed
    });
    assert!(killed, "a batch was under way");
    let begun = std::time::Instant::now();
    while machine.ship(&cluster).is_err() {
        assert!(begun.elapsed() < std::time::Duration::from_secs(60), "the server does not come back");
        std::thread::sleep(std::time::Duration::from_millis(200));
    }
    assert_eq!(counted(&cluster), "30000|30000|30000");
    assert_eq!(breaks(&cluster), "");
    assert_eq!(cluster.sql("SELECT sum(runs) FROM hookrail.daily_totals"), "30000");
}

#[test]
fn every_way_to_tamper_with_a_journal_is_recorded_and_what_is_left_arrives_once() {
    type Tampering = fn(&mut Vec<String>);
    let cases: [(&str, Tampering, &str, &str); 5] = [
        ("changed", |lines| lines[4] = lines[4].replace("call 4", "call x"), "1|changed|seq 5", "20|20|20"),
        ("removed", |lines| drop(lines.remove(4)), "1|gap|seq 6", "19|19|20"),
        ("two removed", |lines| drop(lines.drain(4..6)), "1|gap|seq 7", "18|18|20"),
        ("repeated", |lines| lines.insert(9, lines[4].clone()), "1|repeated|000000000001.jsonl:10", "20|20|20"),
        (
            "unreadable",
            |lines| lines[4] = "garbage".to_owned(),
            "1|unreadable|000000000001.jsonl:5\n1|gap|seq 6",
            "19|19|20",
        ),
    ];
    let Some(cluster) = fleet() else { return };
    for (name, tamper, expected, expected_counts) in cases {
        let machine = ShippingMachine::new(name);
        machine.write(20);
        machine.tamper(tamper);
        machine.ship(&cluster).unwrap();
        assert_eq!(breaks(&cluster), expected, "{name}");
        assert_eq!(counted(&cluster), expected_counts, "{name}");
        machine.ship(&cluster).unwrap();
        assert_eq!(breaks(&cluster), expected, "{name}: told once");
        assert_eq!(cluster.sql("TRUNCATE hookrail.breaks, hookrail.records, hookrail.daily, hookrail.sessions"), "");
    }
}

#[test]
fn a_journal_that_was_replaced_after_shipping_goes_on_from_the_last_record_in_common() {
    let Some(cluster) = fleet() else { return };
    let (machine, copy) = (ShippingMachine::new("m1"), tempfile::tempdir().unwrap());
    machine.write(30);
    let run = |from: PathBuf, to: PathBuf| {
        let status = std::process::Command::new("cp").arg("-a").arg(from).arg(to).status().unwrap();
        assert!(status.success());
    };
    run(machine.folder.path().join("state"), copy.path().join("state"));
    machine.write(10);
    machine.ship(&cluster).unwrap();
    // The state directory is put back to what it was, and a session goes on from there.
    fs::remove_dir_all(machine.folder.path().join("state")).unwrap();
    run(copy.path().join("state"), machine.folder.path().join("state"));
    let shipped = machine.ship(&cluster).unwrap();
    assert_eq!((shipped.records, shipped.started_over), (0, 1));
    assert_eq!(breaks(&cluster), "1|rewound|seq 40");
    machine.journal().append_all(&[record("another 31"), record("another 32")]).unwrap();
    assert_eq!(machine.ship(&cluster).unwrap().records, 2);
    assert_eq!(counted(&cluster), "42|42|40", "30 in common, 10 that are gone from the machine, 2 new ones");
    assert_eq!(machine.ship(&cluster).unwrap(), Shipped::default());
    assert_eq!(cluster.sql("SELECT epoch, last_seq FROM hookrail.machines"), "2|32");
}

#[test]
fn clocks_that_are_wrong_are_told_and_do_not_decide_where_records_go() {
    let Some(cluster) = fleet() else { return };
    let mut machine = ShippingMachine::new("m1");
    let day = 24 * 60 * 60 * 1000;
    let times = [0, now() - 10 * day, now() + 400 * day, i64::MAX, i64::MIN, now()];
    let records: Vec<JournalRecord> = times.iter().map(|ts| JournalRecord { ts: *ts, ..record("x") }).collect();
    machine.journal().append_all(&records).unwrap();
    machine.report.now = now() + 3_600_000;
    assert_eq!(machine.ship(&cluster).unwrap().records, 6);
    let days = "SELECT (now() AT TIME ZONE 'UTC')::date - day FROM hookrail.records ORDER BY seq";
    assert_eq!(cluster.sql(days), "0\n10\n0\n0\n0\n0");
    assert_eq!(cluster.sql("SELECT round(clock_offset_ms / 3600000.0) FROM hookrail.machines"), "1");
    assert_eq!(
        cluster.sql("SELECT extract(year FROM max(ts)), extract(year FROM min(ts)) FROM hookrail.records"),
        "9999|1"
    );
}

#[test]
fn texts_that_postgresql_cannot_hold_arrive_without_what_it_cannot_hold() {
    let Some(cluster) = fleet() else { return };
    let machine = ShippingMachine::new("m1");
    let hostile = "a\0b\t\n\r\\N\\.\u{1b}'; DROP TABLE records; --\u{202e}";
    let odd = JournalRecord {
        subject: Some(hostile.to_owned()),
        session: hostile.to_owned(),
        input: Some(json!({ "k\0": hostile, "n": [1e300, -0.0, u64::MAX] })),
        ..record("x")
    };
    machine.journal().append_all(&[record("before"), odd, record("after")]).unwrap();
    assert_eq!(machine.ship(&cluster).unwrap().records, 3);
    assert_eq!(counted(&cluster), "3|3|3");
    let kept = cluster.sql("SELECT length(subject), rest->'input'->'n'->>2 FROM hookrail.records WHERE seq = 2");
    assert_eq!(kept, format!("{}|{}", hostile.chars().count(), u64::MAX));
}

#[test]
fn a_writer_sees_and_writes_its_own_rows_only_and_a_reader_writes_nothing() {
    let Some(cluster) = fleet() else { return };
    let (hers, his) = (ShippingMachine::new("hers"), ShippingMachine::new("his"));
    hers.write(3);
    hers.ship(&cluster).unwrap();
    his.write(2);
    let departure = Departure { detail: Detail::Full };
    connect(&cluster, "bob").unwrap().ship(&his.report, &his.journal(), departure).unwrap();
    let error = connect(&cluster, "bob").unwrap().ship(&hers.report, &hers.journal(), departure).unwrap_err();
    assert!(error.to_string().contains("was registered by the login alice"), "{error}");
    let values = "(1,1,1,9,(now() AT TIME ZONE 'UTC')::date,now(),'','','','','','',1,0,'\\x00','\\x00',true)";
    let columns =
        "machine,epoch,segment,seq,day,ts,session,agent,event,hook,kind,outcome,duration_us,part,prev,hash,sound";
    let insert = format!("INSERT INTO hookrail.records ({columns}) VALUES {values}");
    let cases: [(&str, &str, Result<&str, &str>); 18] = [
        ("bob", "SELECT count(*) FROM hookrail.machines", Ok("1")),
        ("bob", "SELECT count(*) FROM hookrail.my_records", Ok("2")),
        ("bob", "SELECT count(*) FROM hookrail.records", Err("42501")),
        ("bob", "SELECT count(*) FROM hookrail.daily", Err("42501")),
        ("bob", "SELECT count(*) FROM hookrail.sessions", Err("42501")),
        ("bob", "SELECT count(*) FROM hookrail.daily_events", Err("42501")),
        ("rita", "SELECT count(*) FROM hookrail.sessions", Ok("2")),
        ("bob", "SELECT hookrail.resume(1)", Err("42501")),
        ("bob", "SELECT hookrail.start_over(1, 'x', 'y', 0, '00')", Err("42501")),
        ("bob", "UPDATE hookrail.machines SET login = 'bob'", Err("42501")),
        ("bob", "DELETE FROM hookrail.records", Err("42501")),
        ("bob", "SELECT hookrail.retire()", Err("42501")),
        ("bob", &insert, Err("42501")),
        ("alice", "SELECT count(*) FROM hookrail.my_records", Ok("3")),
        ("rita", "SELECT count(*) FROM hookrail.records", Ok("5")),
        ("rita", "SELECT count(*) FROM hookrail.machines", Ok("2")),
        ("rita", &insert, Err("42501")),
        ("rita", "SELECT hookrail.ensure_days(ARRAY[]::date[])", Err("42501")),
    ];
    for (user, statement, expected) in cases {
        let result = connect(&cluster, user).unwrap().client().query(statement, &[]);
        match (&result, expected) {
            (Ok(rows), Ok(value)) => assert_eq!(rows[0].get(0), Some(value), "{user}: {statement}"),
            (Err(error), Err(code)) => assert_eq!(error.code(), Some(code), "{user}: {statement}: {error}"),
            _ => panic!("{user}: {statement}: {result:?}"),
        }
    }
    assert_eq!(counted(&cluster), "5|5|3");
}

#[test]
fn the_schema_is_made_step_by_step_by_whoever_comes_first() {
    let Some(cluster) = Cluster::start() else { return };
    let machine = ShippingMachine::new("m1");
    let database = || connect(&cluster, "postgres").unwrap();
    let departure = Departure { detail: Detail::Full };
    let error = database().ship(&machine.report, &machine.journal(), departure).unwrap_err().to_string();
    assert!(error.contains("hookrail fleet migrate"), "{error}");
    let mut before: Vec<usize> = std::thread::scope(|scope| {
        let processes: Vec<_> = (0..3).map(|_| scope.spawn(|| database().migrate().unwrap())).collect();
        processes.into_iter().map(|process| process.join().unwrap()).collect()
    });
    before.sort_unstable();
    assert_eq!(before, [0, SCHEMA_VERSION, SCHEMA_VERSION]);
    assert_eq!(cluster.sql("INSERT INTO hookrail.migrations (version) VALUES (999)"), "");
    let error = database().ship(&machine.report, &machine.journal(), departure).unwrap_err().to_string();
    assert!(error.contains("update hookrail"), "{error}");
    assert!(database().migrate().unwrap_err().to_string().contains("update hookrail"));
}

#[test]
fn records_are_partitioned_by_day_and_dropped_when_they_are_too_old() {
    let Some(cluster) = fleet() else { return };
    let machine = ShippingMachine::new("m1");
    let day = 24 * 60 * 60 * 1000;
    let records: Vec<JournalRecord> =
        (0..60).map(|age| JournalRecord { ts: now() - age * day, ..record("x") }).collect();
    machine.journal().append_all(&records).unwrap();
    machine.ship(&cluster).unwrap();
    let partitions = "SELECT count(*) FROM pg_inherits WHERE inhparent = 'hookrail.records'::regclass";
    assert_eq!(cluster.sql(partitions), "61", "sixty days and tomorrow");
    assert_eq!(connect(&cluster, "postgres").unwrap().retain(30).unwrap(), 29);
    assert_eq!(cluster.sql("SELECT count(*) FROM hookrail.records"), "31");
    assert_eq!(cluster.sql("SELECT count(*) FROM hookrail.daily"), "31");
    assert_eq!(machine.ship(&cluster).unwrap().records, 0, "what was dropped does not come back");
}

#[test]
fn events_and_sessions_are_counted_once_whatever_batches_they_come_in() {
    let Some(cluster) = fleet() else { return };
    let machine = ShippingMachine::new("m1");
    // Events of three runs, whose second one decides; more of them than go at once.
    let runs = |number: usize| {
        [0, 1, 2].map(|part| JournalRecord {
            part,
            session: format!("s{}", number % 4),
            event: if number == 3999 { "SessionEnd".to_owned() } else { "BeforeTool".to_owned() },
            project: (part == 0).then(|| "/p".to_owned()),
            decision: (part == 1 && number.is_multiple_of(10)).then(|| "ask".to_owned()),
            outcome: if part == 1 && number % 5 == 1 { Outcome::Blocked } else { Outcome::Succeeded },
            duration_us: 100,
            ..record("x")
        })
    };
    let records: Vec<JournalRecord> = (0..4000).flat_map(runs).collect();
    for part in records.chunks(300) {
        machine.journal().append_all(part).unwrap();
    }
    let shipped = machine.ship(&cluster).unwrap();
    assert!(shipped.records == 12_000 && shipped.batches > 1, "{shipped:?}");
    let by_verdict =
        "SELECT verdict, sum(events), min(project), min(bucket) FROM hookrail.daily_events GROUP BY 1 ORDER BY 1";
    assert_eq!(cluster.sql(by_verdict), "0|2800|/p|17\n4|400|/p|17\n5|800|/p|17");
    assert_eq!(cluster.sql("SELECT sum(runs) FROM hookrail.daily WHERE project = '/p'"), "12000", "later runs too");
    for table in ["daily_totals", "daily_machines"] {
        assert_eq!(cluster.sql(&format!("SELECT sum(runs) FROM hookrail.{table}")), "12000", "{table}");
    }
    let sessions = "SELECT session, counts, ended FROM hookrail.sessions ORDER BY 1";
    let expected =
        "s0|{600,0,0,0,200,200,0}|f\ns1|{800,0,0,0,0,200,0}|f\ns2|{600,0,0,0,200,200,0}|f\ns3|{800,0,0,0,0,200,0}|t";
    assert_eq!(cluster.sql(sessions), expected);
}

#[test]
fn a_page_lists_the_newest_events_that_match_and_what_arrives_later() {
    use hookrail_fleet::database::page::{CountFilter, EventFilter, EventGrouping, RecordKey};
    let Some(cluster) = fleet() else { return };
    let machine = ShippingMachine::new("m1");
    let event = |number: i64, hook: &str, decision: Option<&str>, project: &str, lane: &str| {
        [0, 1].map(|part| JournalRecord {
            ts: now() - 100_000 + number,
            part,
            hook: if part == 1 { hook.to_owned() } else { "core/event-log".to_owned() },
            decision: decision.filter(|_| part == 1).map(str::to_owned),
            outcome: if part == 1 && decision == Some("block") { Outcome::Blocked } else { Outcome::Succeeded },
            project: (part == 0).then(|| project.to_owned()),
            input: (part == 0).then(|| json!({ "agent_id": lane })),
            ..record(&format!("command {number}"))
        })
    };
    let write = |events: Vec<[JournalRecord; 2]>| machine.journal().append_all(&events.concat()).unwrap();
    write(vec![
        event(1, "rule/a", Some("block"), "/p", ""),
        event(2, "rule/b", Some("ask"), "/q", "sub"),
        event(3, "rule/a", None, "/p", ""),
    ]);
    machine.ship(&cluster).unwrap();
    let mut reader = connect(&cluster, "rita").unwrap();
    reader.limit_questions(20).unwrap();
    let some = |text: &str| Some(text.to_owned());
    let all = EventFilter::default;
    let cases = [
        ("everything", all(), "1 2 3"),
        ("denied", EventFilter { verdicts: vec![5], ..all() }, "1"),
        ("denied or asked", EventFilter { verdicts: vec![4, 5], ..all() }, "1 2"),
        ("nothing decided", EventFilter { verdicts: vec![0], ..all() }, "3"),
        ("a hook", EventFilter { hook: some("rule/a"), ..all() }, "1 3"),
        ("a hook that denied", EventFilter { hook: some("rule/a"), verdicts: vec![5], ..all() }, "1"),
        ("a project", EventFilter { project: some("/p"), ..all() }, "1 3"),
        ("a project and a hook", EventFilter { project: some("/q"), hook: some("rule/b"), ..all() }, "2"),
        ("a sub-agent", EventFilter { lane: some("sub"), ..all() }, "2"),
        ("the main agent", EventFilter { lane: some(""), ..all() }, "1 3"),
        ("a text", EventFilter { text: some("COMMAND 2"), ..all() }, "2"),
        ("a text with signs of patterns", EventFilter { text: some("%_"), ..all() }, ""),
        ("a machine", EventFilter { machines: vec!["m1.example".to_owned()], ..all() }, "1 2 3"),
        ("another machine", EventFilter { machines: vec!["m2".to_owned()], ..all() }, ""),
        ("another person", EventFilter { people: vec!["bob".to_owned()], ..all() }, ""),
        ("a session", EventFilter { session: some("s1"), ..all() }, "1 2 3"),
        ("another agent", EventFilter { agent: some("codex"), ..all() }, ""),
    ];
    let named = |reader: &mut Database, keys: &[RecordKey]| {
        let events = reader.events(keys).unwrap();
        let names = events.iter().map(|event| {
            assert_eq!(event.records.len(), 2, "{event:?}");
            event.records[0].1.record.subject.as_deref().unwrap().replace("command ", "")
        });
        names.collect::<Vec<_>>().join(" ")
    };
    for (name, filter, expected) in &cases {
        let keys = reader.newest_events(filter, None, 100).unwrap();
        assert_eq!(named(&mut reader, &keys), *expected, "{name}");
    }
    let newest = reader.newest_events(&all(), None, 2).unwrap();
    assert_eq!(named(&mut reader, &newest), "2 3", "the newest, the oldest first");
    let (before, moment) = (reader.arrival().unwrap(), reader.moment().unwrap());
    assert_eq!(cluster.sql("UPDATE hookrail.records SET received = received - interval '1 hour'"), "");
    write(vec![event(0, "rule/c", None, "/p", "")]);
    machine.ship(&cluster).unwrap();
    assert_ne!(reader.arrival().unwrap(), before);
    let later = reader.newest_events(&all(), Some(&moment), 100).unwrap();
    assert_eq!(named(&mut reader, &later), "0", "what happened before and arrived later");
    let sessions = reader.newest_sessions(&all(), 10, 10).unwrap();
    assert_eq!(
        (sessions.len(), sessions[0].counts.clone(), sessions[0].newest.len()),
        (1, vec![2, 0, 0, 0, 1, 1, 0], 4)
    );
    let lanes: Vec<&str> = sessions[0].newest.iter().map(|mark| mark.lane.as_str()).collect();
    assert_eq!(lanes, ["", "sub", "", ""]);
    let week = CountFilter { days: 7, ..CountFilter::default() };
    let projects = reader.events_by(&week, EventGrouping::Project).unwrap();
    let projects: Vec<(&str, u64)> = projects.iter().map(|it| (it.name.as_str(), it.counts.iter().sum())).collect();
    assert_eq!(projects, [("/p", 3), ("/q", 1)]);
    assert_eq!(reader.count_sessions(&week).unwrap(), 1);
    let hits = reader.newest_of_hooks(&["rule/a".to_owned(), "rule/b".to_owned()], 5).unwrap();
    assert_eq!(hits.iter().map(|(hook, _)| hook.as_str()).collect::<Vec<_>>(), ["rule/a", "rule/b"]);
}

#[test]
fn drift_is_a_record() {
    let Some(cluster) = fleet() else { return };
    let mut machine = ShippingMachine::new("m1");
    machine.ship(&cluster).unwrap();
    machine.ship(&cluster).unwrap();
    machine.report.intact = false;
    machine.report.entries = json!([{ "agent": "claude", "state": "altered" }]);
    machine.ship(&cluster).unwrap();
    machine.report.policy = Some(("acme".to_owned(), 4));
    machine.ship(&cluster).unwrap();
    let states = "SELECT policy_serial, intact, entries->0->>'state' FROM hookrail.states ORDER BY since";
    assert_eq!(cluster.sql(states), "3|t|\n3|f|altered\n4|f|altered");
}

#[test]
fn a_password_is_proven_by_scram_and_a_wrong_one_is_refused() {
    let Some(cluster) = own_fleet() else { return };
    assert_eq!(cluster.sql("ALTER ROLE alice PASSWORD 'right'"), "");
    let conf = cluster.socket().join("data/pg_hba.conf");
    fs::write(&conf, "local all alice scram-sha-256\nlocal all bob md5\nlocal all all trust\n").unwrap();
    assert_eq!(cluster.sql("ALTER ROLE bob PASSWORD 'right'; SELECT pg_reload_conf()"), "t");
    let try_with = |user: &str, password: Option<&str>| {
        let address = Address::parse(&cluster.address(user)).unwrap();
        let env = |name: &str| (name == "PGPASSWORD").then_some(password).flatten().map(str::to_owned);
        let credentials = Credentials::find(&address, None, &env).unwrap();
        Database::connect(&address, &credentials).map(drop).map_err(|error| error.to_string())
    };
    for user in ["alice", "bob"] {
        assert_eq!(try_with(user, Some("right")), Ok(()), "{user}");
        assert!(try_with(user, Some("wrong")).unwrap_err().contains("28P01"), "{user}");
        assert!(try_with(user, None).unwrap_err().contains("hint: set PGPASSWORD"), "{user}");
    }
}

#[test]
fn over_a_network_the_server_has_to_prove_who_it_is() {
    let Some(cluster) = own_fleet() else { return };
    let (port, authority) = cluster.resume_on_network(true);
    let root = format!("?sslrootcert={}", authority.display());
    let try_with = |host: &str, query: &str| {
        let address = Address::parse(&format!("postgres://alice@{host}:{port}/postgres{query}")).unwrap();
        let credentials = Credentials::find(&address, None, &|_| None).unwrap();
        let mut database = Database::connect(&address, &credentials).map_err(|error| error.to_string())?;
        let rows = database.client().query("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()", &[]);
        Ok::<_, String>(rows.unwrap()[0].text(0))
    };
    assert_eq!(try_with("localhost", &root), Ok("t".to_owned()));
    assert!(try_with("127.0.0.1", &root).unwrap_err().contains("TLS with 127.0.0.1 failed"), "another name");
    assert!(try_with("localhost", "").unwrap_err().contains("TLS with localhost failed"), "an unknown authority");
    assert_eq!(try_with("localhost", "?sslmode=disable"), Ok("f".to_owned()), "this machine only");
    let (port, _) = cluster.resume_on_network(false);
    let address = Address::parse(&format!("postgres://alice@localhost:{port}/postgres{root}")).unwrap();
    let credentials = Credentials::find(&address, None, &|_| None).unwrap();
    let error = Database::connect(&address, &credentials).unwrap_err().to_string();
    assert!(error.contains("does not offer TLS"), "{error}");
}
