//! What is counted as records arrive.

use crate::machine::{Machine, connect, fleet, now, record};
use hookrail_fleet::database::queries::{Grouping, RecordFilter};
use hookrail_store::{JournalRecord, Outcome, Store};
use std::collections::BTreeMap;

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
    for table in ["daily_totals", "daily_machines", "daily_projects"] {
        assert_eq!(cluster.sql(&format!("SELECT sum(runs) FROM hookrail.{table}")), "12000", "{table}");
    }
    for table in ["daily_event_totals", "daily_event_machines", "daily_event_projects"] {
        let by_verdict = format!("SELECT verdict, sum(events) FROM hookrail.{table} GROUP BY 1 ORDER BY 1");
        assert_eq!(cluster.sql(&by_verdict), "0|2800\n4|400\n5|800", "{table}");
    }
    let sessions = "SELECT session, counts, ended FROM hookrail.sessions ORDER BY 1";
    let expected =
        "s0|{600,0,0,0,200,200,0}|f\ns1|{800,0,0,0,0,200,0}|f\ns2|{600,0,0,0,200,200,0}|f\ns3|{800,0,0,0,0,200,0}|t";
    assert_eq!(cluster.sql(sessions), expected);
}

#[test]
fn counts_of_any_period_are_those_of_its_records() {
    let Some(cluster) = fleet() else { return };
    let (machine, now, hour) = (Machine::new("m1"), now(), 3_600_000);
    // One an hour for four days, so that periods begin and end within days.
    let event = |age: i64| {
        [0, 1].map(|part| JournalRecord {
            ts: now - age * hour,
            part,
            hook: if (age + i64::from(part)) % 3 == 0 { "rule/a" } else { "rule/b" }.to_owned(),
            project: Some(if age % 5 == 0 { "/p" } else { "/q" }.to_owned()),
            ..record("x")
        })
    };
    let records: Vec<JournalRecord> = (0..96).flat_map(event).collect();
    // Only the first record of an event names the project.
    let written =
        records.iter().map(|it| JournalRecord { project: it.project.clone().filter(|_| it.part == 0), ..it.clone() });
    machine.journal().append_all(&written.collect::<Vec<_>>()).unwrap();
    machine.ship(&cluster).unwrap();
    let mut reader = connect(&cluster, "rita").unwrap();
    let ages =
        [(None, None), (Some(30), None), (Some(50), Some(3)), (Some(3), None), (None, Some(26)), (Some(2), Some(4))];
    type Label = fn(&JournalRecord) -> &str;
    let groupings: [(Grouping, Label); 5] = [
        (Grouping::Hook, |it| &it.hook),
        (Grouping::Project, |it| it.project.as_deref().unwrap()),
        (Grouping::Agent, |it| &it.agent),
        (Grouping::Machine, |_| "m1.example"),
        (Grouping::Person, |_| "ann"),
    ];
    for (oldest, newest) in ages {
        let (since, until) = (oldest.map(|age| now - age * hour), newest.map(|age| now - age * hour));
        let is_within = |it: &&JournalRecord| since.is_none_or(|at| it.ts >= at) && until.is_none_or(|at| it.ts <= at);
        for project in [None, Some("/p")] {
            let filter = RecordFilter {
                since,
                until,
                projects: project.iter().map(|it| (*it).to_owned()).collect(),
                ..RecordFilter::default()
            };
            for (grouping, label) in groupings {
                let mut expected: BTreeMap<String, u64> = BTreeMap::new();
                let wanted = records
                    .iter()
                    .filter(is_within)
                    .filter(|it| project.is_none_or(|name| it.project.as_deref() == Some(name)));
                wanted.for_each(|it| *expected.entry(label(it).to_owned()).or_default() += 1);
                let mut counted: BTreeMap<String, u64> = BTreeMap::new();
                for runs in reader.runs(&filter, grouping).unwrap() {
                    *counted.entry(runs.label).or_default() += runs.runs;
                }
                assert_eq!(counted, expected, "{oldest:?} {newest:?} {project:?} {grouping:?}");
            }
        }
    }
}
