//! All about one rule.

use super::history::{History, Hits};
use super::inventory::{Inventory, ListedRule};
use super::list::{day, decision_word, rule_json};
use super::toml_text;
use crate::current_project::CurrentProject;
use crate::error::CliError;
use crate::exit_code::ExitCode;
use crate::screen::{columns, one_line, plural, shorten, versioned, wrap};
use hookrail_rules::{Example, Rule, RuleDecision};
use owo_colors::OwoColorize;
use serde_json::{Value, json};
use std::io::{self, Write};

/// The columns before what is said: the widest name and two spaces.
const MARGIN: usize = 11;

pub fn run(id: &str, place: &CurrentProject, as_json: bool) -> Result<ExitCode, CliError> {
    let inventory = Inventory::of(place);
    let found = inventory.find(id);
    if found.is_empty() {
        let known = inventory.rules.iter().map(|listed| listed.rule.id.as_str());
        return Err(CliError::unknown("rule", id, known).hint("`hookrail rules` lists those in force"));
    }
    let history = History::read(place)?;
    if as_json {
        let rules: Vec<Value> = found.iter().map(|listed| full_json(listed, &inventory, &history, place)).collect();
        anstream::println!("{:#}", versioned(json!({ "rules": rules })));
        return Ok(ExitCode::Success);
    }
    let mut out = anstream::stdout();
    // A closed stdout is not an error.
    let _ = found.iter().enumerate().try_for_each(|(index, listed)| {
        if index > 0 {
            writeln!(out)?;
        }
        write(listed, &inventory, &history.of(&listed.rule), place, &mut out)
    });
    Ok(ExitCode::Success)
}

fn write(
    listed: &ListedRule,
    inventory: &Inventory,
    hits: &Hits,
    place: &CurrentProject,
    out: &mut dyn Write,
) -> io::Result<()> {
    let rule = &listed.rule;
    let whose = listed.pack.map_or_else(|| rule.layer.name().to_owned(), |pack| format!("pack {pack}"));
    writeln!(out, "{} ({whose}, {})", one_line(&rule.id).bold(), Inventory::shown_origin(&rule.origin, place))?;
    for (name, text) in said(listed) {
        write_field(name, &text, out)?;
    }
    for example in &rule.examples.list {
        write_field("example", &example_text(example), out)?;
    }
    for exception in inventory.exceptions.iter().filter(|exception| exception.reaches(rule)) {
        let origin = Inventory::shown_origin(&exception.origin, place);
        let until = exception.until.as_ref().map(|until| format!(" until {until}")).unwrap_or_default();
        write_field("except", &format!("{}{until} ({origin})", toml_text::condition(&exception.when)), out)?;
    }
    for note in &listed.notes {
        write_field("warning", note, out)?;
    }
    let held = match hits.last {
        None => "never".to_owned(),
        Some(millis) => format!("{} time{}, last on {}", hits.count, plural_of(hits.count), day(millis)),
    };
    write_field("held", &held, out)?;
    for hit in hits.newest.iter().rev() {
        let subject = shorten(&one_line(&hit.subject), columns().saturating_sub(MARGIN + 24).max(16));
        write_field("", &format!("{} {} {subject} (record {})", day(hit.millis), hit.decision, hit.seq), out)?;
    }
    Ok(())
}

fn plural_of(count: u64) -> &'static str {
    plural(usize::try_from(count).unwrap_or(usize::MAX))
}

/// What a rule says, by the names it has in its file.
fn said(listed: &ListedRule) -> Vec<(&'static str, String)> {
    let rule = &listed.rule;
    let mut said = vec![("decides", decides(listed)), ("when", toml_text::condition(&rule.when))];
    let mut add = |name: &'static str, text: Option<String>| said.extend(text.map(|text| (name, text)));
    add("after", rule.after.as_ref().map(toml_text::happening));
    add("unless", rule.unless.as_ref().map(|unless| toml_text::happening(&unless.happened)));
    let since = rule.unless.as_ref().and_then(|unless| unless.since.as_ref());
    add("since", since.map(toml_text::happening));
    add("limit", rule.limit.map(|limit| format!("{} per {}", limit.count, limit.per.name())));
    add("until", rule.until.clone());
    add("say", rule.say.clone());
    add("instead", rule.instead.clone());
    add("reason", rule.reason.clone());
    add("source", rule.source.clone().filter(|source| source != "own"));
    said
}

fn decides(listed: &ListedRule) -> String {
    let word = decision_word(listed).to_owned();
    let name = |decision: Option<RuleDecision>| decision.map_or("off", RuleDecision::name);
    match listed.rule.levels {
        None => word,
        Some(levels) => format!(
            "{word} (relaxed: {}, balanced: {}, strict: {})",
            name(levels.relaxed),
            listed.rule.decide.name(),
            name(levels.strict)
        ),
    }
}

fn example_text(example: &Example) -> String {
    let expected = example.expected.map_or("nothing", RuleDecision::name);
    format!("{expected}: {}", example.call.shown())
}

fn write_field(name: &str, text: &str, out: &mut dyn Write) -> io::Result<()> {
    let lines = wrap(&one_line(text), columns().saturating_sub(MARGIN));
    for (index, line) in lines.iter().enumerate() {
        let name = if index == 0 { name } else { "" };
        writeln!(out, "  {}{line}", format!("{name:width$}", width = MARGIN - 2).dimmed())?;
    }
    Ok(())
}

pub fn full_json(listed: &ListedRule, inventory: &Inventory, history: &History, place: &CurrentProject) -> Value {
    let rule: &Rule = &listed.rule;
    let mut value = rule_json(listed, history, place);
    let example = |example: &Example| json!({ "expected": example.expected.map(RuleDecision::name), "call": example.call.shown() });
    let exceptions = inventory.exceptions.iter().filter(|exception| exception.reaches(rule));
    let hits = history
        .of(rule)
        .newest
        .into_iter()
        .map(|hit| json!({ "record": hit.seq, "decision": hit.decision, "subject": hit.subject }));
    let more = json!({
        "when": toml_text::condition(&rule.when),
        "say": rule.say,
        "instead": rule.instead,
        "reason": rule.reason,
        "source": rule.source,
        "until": rule.until,
        "examples": rule.examples.list.iter().map(example).collect::<Vec<_>>(),
        "exceptions": exceptions.map(|exception| toml_text::condition(&exception.when)).collect::<Vec<_>>(),
        "newest": hits.collect::<Vec<_>>(),
    });
    if let (Some(fields), Value::Object(more)) = (value.as_object_mut(), more) {
        fields.extend(more);
    }
    value
}
