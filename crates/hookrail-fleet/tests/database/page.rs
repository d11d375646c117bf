//! What a page lists.

use crate::machine::{Machine, connect, fleet, now, record};
use hookrail_fleet::database::Database;
use hookrail_fleet::database::page::{CountFilter, EventFilter, EventGrouping, RecordKey};
use hookrail_store::{JournalRecord, Outcome, Store};
use serde_json::json;

#[test]
fn a_page_lists_the_newest_events_that_match_and_what_arrives_later() {
    let Some(cluster) = fleet() else { return };
    let machine = Machine::new("m1");
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
