//! The parts of a rule, as bytes and back.

use crate::codec::{ByteReader, Writer};
use crate::condition::{Condition, Entry, Key, Selector};
use crate::example::Examples;
use crate::rule::{CallOutcome, Exception, Layer, Levels, Limit, PastCondition, Period, Rule, RuleDecision, Unless};
use hookrail_core::{Mode, Origin};
use std::sync::Arc;

/// The files that rules stand in, each written once.
pub(crate) type Places = Vec<Arc<str>>;

pub(crate) fn write_rule(writer: &mut Writer, rule: &Rule, places: &[Arc<str>]) {
    writer.text(&rule.id);
    writer.byte(position(Layer::ALL, rule.layer));
    write_origin(writer, &rule.origin, places);
    write_condition(writer, &rule.when);
    writer.byte(position(RuleDecision::ALL, rule.decide));
    writer.option(rule.levels, |writer, levels| {
        for level in [levels.relaxed, levels.strict] {
            writer.option(level, |writer, decision| writer.byte(position(RuleDecision::ALL, decision)));
        }
    });
    writer.text(rule.mode.as_str());
    for text in [&rule.say, &rule.instead, &rule.reason, &rule.source, &rule.until] {
        writer.option(text.as_deref(), Writer::text);
    }
    writer.option(rule.after.as_ref(), write_happening);
    writer.option(rule.unless.as_ref(), |writer, unless| {
        write_happening(writer, &unless.happened);
        writer.option(unless.since.as_ref(), write_happening);
    });
    writer.option(rule.limit, |writer, limit| {
        writer.number(u64::from(limit.count));
        writer.byte(position(Period::ALL, limit.per));
    });
}

pub(crate) fn read_rule(reader: &mut ByteReader<'_>, places: &[Arc<str>]) -> Option<Rule> {
    let id = reader.owned()?;
    let layer = item(Layer::ALL, reader)?;
    let origin = read_origin(reader, places)?;
    let when = read_condition(reader)?;
    let decide = item(RuleDecision::ALL, reader)?;
    let levels = reader.option(|reader| {
        let mut level = || reader.option(|reader| item(RuleDecision::ALL, reader));
        Some(Levels { relaxed: level()?, strict: level()? })
    })?;
    let mode = Mode::parse(reader.text()?)?;
    let mut text = || reader.option(ByteReader::owned);
    let (say, instead, reason, source, until) = (text()?, text()?, text()?, text()?, text()?);
    let after = reader.option(read_happening)?;
    let unless = reader
        .option(|reader| Some(Unless { happened: read_happening(reader)?, since: reader.option(read_happening)? }))?;
    let limit = reader.option(|reader| {
        let count = u32::try_from(reader.number()?).ok()?;
        Some(Limit { count, per: item(Period::ALL, reader)? })
    })?;
    let examples = Examples::default();
    Some(Rule {
        id,
        layer,
        origin,
        when,
        decide,
        levels,
        mode,
        say,
        instead,
        reason,
        source,
        after,
        unless,
        limit,
        until,
        examples,
    })
}

pub(crate) fn write_exception(writer: &mut Writer, exception: &Exception, places: &[Arc<str>]) {
    writer.text(&exception.rule);
    writer.byte(position(Layer::ALL, exception.layer));
    write_origin(writer, &exception.origin, places);
    write_condition(writer, &exception.when);
    writer.option(exception.reason.as_deref(), Writer::text);
    writer.option(exception.until.as_deref(), Writer::text);
}

pub(crate) fn read_exception(reader: &mut ByteReader<'_>, places: &[Arc<str>]) -> Option<Exception> {
    Some(Exception {
        rule: reader.owned()?,
        layer: item(Layer::ALL, reader)?,
        origin: read_origin(reader, places)?,
        when: read_condition(reader)?,
        reason: reader.option(ByteReader::owned)?,
        until: reader.option(ByteReader::owned)?,
    })
}

pub(crate) fn write_condition(writer: &mut Writer, condition: &Condition) {
    writer.list(&condition.selectors, |writer, selector| {
        writer.byte(position(Key::ALL, selector.key));
        writer.list(&selector.entries, |writer, entry| {
            writer.byte(u8::from(entry.negated));
            writer.text(&entry.pattern);
        });
    });
}

fn read_condition(reader: &mut ByteReader<'_>) -> Option<Condition> {
    let selectors = reader.list(|reader| {
        let key = item(Key::ALL, reader)?;
        let entries = reader.list(|reader| {
            let negated = reader.byte()? != 0;
            Some(Entry { negated, pattern: reader.owned()? })
        })?;
        Some(Selector { key, entries })
    })?;
    Some(Condition { selectors })
}

const OUTCOMES: &[CallOutcome] = &[CallOutcome::Ok, CallOutcome::Failed, CallOutcome::Unknown];

fn write_happening(writer: &mut Writer, happening: &PastCondition) {
    write_condition(writer, &happening.when);
    writer.option(happening.outcome, |writer, outcome| writer.byte(position(OUTCOMES, outcome)));
}

fn read_happening(reader: &mut ByteReader<'_>) -> Option<PastCondition> {
    let when = read_condition(reader)?;
    Some(PastCondition { when, outcome: reader.option(|reader| item(OUTCOMES, reader))? })
}

fn write_origin(writer: &mut Writer, origin: &Origin, places: &[Arc<str>]) {
    let place = places.iter().position(|place| *place == origin.place).unwrap_or_default();
    writer.number(place as u64);
    writer.option(origin.position, |writer, (line, column)| {
        writer.number(u64::from(line));
        writer.number(u64::from(column));
    });
}

fn read_origin(reader: &mut ByteReader<'_>, places: &[Arc<str>]) -> Option<Origin> {
    let place = places.get(usize::try_from(reader.number()?).ok()?)?;
    let number = |reader: &mut ByteReader<'_>| u32::try_from(reader.number()?).ok();
    let position = reader.option(|reader| Some((number(reader)?, number(reader)?)))?;
    Some(Origin { place: Arc::clone(place), position })
}

/// Where a value stands in the list of all.
pub(crate) fn position<T: PartialEq + Copy>(all: &[T], value: T) -> u8 {
    all.iter().position(|known| *known == value).and_then(|index| u8::try_from(index).ok()).unwrap_or(u8::MAX)
}

fn item<T: Copy>(all: &[T], reader: &mut ByteReader<'_>) -> Option<T> {
    all.get(usize::from(reader.byte()?)).copied()
}
