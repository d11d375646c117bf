//! What is counted as records arrive.

use crate::machine::{Machine, fleet, record};
use hookrail_store::{JournalRecord, Outcome, Store};

#[test]
fn events_and_sessions_are_counted_once_whatever_batches_they_come_in() {
    let Some(cluster) = fleet() else { return };
    let machine = Machine::new("m1");
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
