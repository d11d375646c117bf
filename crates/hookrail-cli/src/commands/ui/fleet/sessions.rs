use hookrail_fleet::database::page::{EventMark, SessionOfMachine};
use hookrail_ui::{Counts, Verdict};
use serde_json::{Value, json};

/// A session as the page reads it. Its sub-agents are those of its newest events.
pub fn shown(session: &SessionOfMachine) -> Value {
    let mut lanes: Vec<(&str, Vec<&EventMark>)> = vec![("", Vec::new())];
    for mark in &session.newest {
        match lanes.iter_mut().find(|(id, _)| *id == mark.lane) {
            Some((_, marks)) => marks.push(mark),
            None => lanes.push((&mark.lane, vec![mark])),
        }
    }
    let lanes: Vec<Value> = lanes.iter().map(|(id, marks)| lane(id, marks, session)).collect();
    json!({
        "id": session.session,
        "machine": session.machine,
        "person": session.person,
        "agent": session.agent,
        "project": session.project,
        "first": session.first,
        "last": session.last,
        "events": session.counts.iter().sum::<u64>(),
        "counts": counts(&session.counts),
        "ended": session.ended,
        "lanes": lanes,
    })
}

fn lane(id: &str, marks: &[&EventMark], session: &SessionOfMachine) -> Value {
    let title = marks.iter().rev().map(|mark| mark.lane_title.as_str()).find(|title| !title.is_empty());
    let drawn: Vec<Value> = marks.iter().map(|mark| json!([mark.key.to_string(), verdict(mark.verdict)])).collect();
    json!({
        "id": id,
        "title": title.unwrap_or_default(),
        "events": marks.len(),
        "first": marks.first().map_or(session.first, |mark| mark.at),
        "last": marks.last().map_or(session.last, |mark| mark.at),
        "ended": !id.is_empty() && marks.last().is_some_and(|mark| mark.event == "SubagentStop"),
        "marks": drawn,
    })
}

/// The verdict of a number of `hookrail.verdict`.
pub fn verdict(number: u8) -> Verdict {
    Verdict::ALL.get(usize::from(number)).copied().unwrap_or_default()
}

/// Counts by verdict, from none to stop.
pub fn counts(numbers: &[u64]) -> Counts {
    let mut counts = Counts::default();
    for (verdict, events) in Verdict::ALL.into_iter().zip(numbers) {
        counts.add_many(verdict, *events);
    }
    counts
}
