//! New records arrive, once, whatever they hold.

use crate::machine::{Machine, breaks, counted, fleet, now, record};
use hookrail_fleet::database::Shipped;
use hookrail_store::{JournalRecord, Store};
use serde_json::json;

#[test]
fn new_records_are_shipped_once_and_nothing_is_shipped_again() {
    let Some(cluster) = fleet() else { return };
    let machine = Machine::new("m1");
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
fn two_processes_that_ship_the_same_journal_share_the_work() {
    let Some(cluster) = fleet() else { return };
    let machine = Machine::new("m1");
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
fn clocks_that_are_wrong_are_told_and_do_not_decide_where_records_go() {
    let Some(cluster) = fleet() else { return };
    let mut machine = Machine::new("m1");
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
    let machine = Machine::new("m1");
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
