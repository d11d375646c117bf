//! Scenarios in TOML: `[given]` for all of them, then `[[scenario]]` with `[[scenario.step]]`.

use super::expectation::Expectation;
use super::scenario::{Given, Scenario, ScenarioStep};
use super::source::{Mistake, Piece, Source};
use super::table::Fields;
use serde_json::{Map, Value};
use std::sync::Arc;

pub fn read(source: &Arc<Source>) -> Result<Vec<Scenario>, Mistake> {
    let whole = Piece { source: Arc::clone(source), range: 0..source.text.len() };
    let root = Fields::toml(&whole)?;
    root.only(&["given", "scenario"])?;
    let mut background = Given::default();
    background.read(&root.inner(&["given"], root.table("given")?))?;
    entries(&root, "scenario")?.into_iter().map(|fields| scenario(&fields, &background)).collect()
}

fn scenario(fields: &Fields, background: &Given) -> Result<Scenario, Mistake> {
    fields.only(&["name", "given", "step"])?;
    let Some(name) = fields.text("name")? else {
        return Err(fields.mistake(&["step"], "this scenario has no `name`"));
    };
    let mut given = background.clone();
    given.read(&fields.inner(&["given"], fields.table("given")?))?;
    let start = fields.span(&["name"]).map_or(0, |span| span.start);
    let place = Piece { source: Arc::clone(&fields.piece.source), range: start..start };
    let mut scenario = Scenario::new(name, &place, given);
    for step in entries(fields, "step")? {
        step.only(&["event", "expect"])?;
        let event = step.inner(&["event"], step.table("event")?);
        let expect = Expectation::read(&step.inner(&["expect"], step.table("expect")?))?;
        scenario.steps.push(ScenarioStep { event, expect: expect.standing_at(step.span(&["expect"])) });
    }
    if scenario.steps.is_empty() {
        return Err(fields.mistake(&["name"], "this scenario has no `[[scenario.step]]`"));
    }
    Ok(scenario)
}

/// The tables of a `[[key]]`.
fn entries(fields: &Fields, key: &str) -> Result<Vec<Fields>, Mistake> {
    let wrong = || fields.mistake(&[key], format!("`{key}` must be written as `[[{key}]]`"));
    let list = match fields.values.get(key) {
        None => return Ok(Vec::new()),
        Some(Value::Array(list)) => list,
        Some(_) => return Err(wrong()),
    };
    let inner = |(index, value): (usize, &Value)| {
        let table: Map<String, Value> = value.as_object().cloned().ok_or_else(wrong)?;
        Ok(fields.inner(&[key, &index.to_string()], table))
    };
    list.iter().enumerate().map(inner).collect()
}
