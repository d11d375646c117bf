//! Versions of the schema, roles, days, and what is kept about a machine.

use crate::machine::{Machine, connect, counted, fleet, now, record};
use hookrail_fleet::database::SCHEMA_VERSION;
use hookrail_fleet::{Departure, Detail};
use hookrail_store::{JournalRecord, Store};
use hookrail_testkit::postgres::Cluster;
use serde_json::json;

#[test]
fn a_writer_sees_and_writes_its_own_rows_only_and_a_reader_writes_nothing() {
    let Some(cluster) = fleet() else { return };
    let (hers, his) = (Machine::new("hers"), Machine::new("his"));
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
    let machine = Machine::new("m1");
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
    let machine = Machine::new("m1");
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
fn drift_is_a_record() {
    let Some(cluster) = fleet() else { return };
    let mut machine = Machine::new("m1");
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
