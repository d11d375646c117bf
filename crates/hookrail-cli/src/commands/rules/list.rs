//! The list of rules.

use super::history::{History, Hits, RuleProposal};
use super::inventory::{Inventory, ListedRule};
use crate::current_project::{CurrentProject, spelled};
use crate::error::CliError;
use crate::exit_code::ExitCode;
use crate::screen::{self, columns, one_line, plural, shorten, versioned, visible_width, wrap};
use hookrail_core::Mode;
use hookrail_engine::timestamp_of;
use hookrail_rules::RuleDecision;
use owo_colors::OwoColorize;
use serde_json::{Value, json};
use std::io::{self, Write};

/// Room for the longest id; a longer one pushes the rest aside.
const ID_ROOM: usize = 34;

pub fn run(place: &CurrentProject, as_json: bool) -> Result<ExitCode, CliError> {
    let inventory = Inventory::of(place);
    let history = History::read(place)?;
    if as_json {
        anstream::println!("{:#}", versioned(json(&inventory, &history, place)));
        return Ok(ExitCode::Success);
    }
    // What is wrong with a rule that is listed stands below it; what is wrong otherwise is told here.
    for diagnostic in place.settings.diagnostics() {
        if !inventory.rules.iter().any(|listed| listed.notes.contains(&diagnostic.message)) {
            screen::warn(diagnostic);
        }
    }
    let mut out = anstream::stdout();
    // A closed stdout is not an error.
    let _ = write(&inventory, &history, place, &mut out);
    Ok(ExitCode::Success)
}

fn write(inventory: &Inventory, history: &History, place: &CurrentProject, out: &mut dyn Write) -> io::Result<()> {
    let widest = inventory.rules.iter().map(|listed| visible_width(&listed.rule.id)).max().unwrap_or_default();
    let room = widest.min(ID_ROOM);
    let mut last = String::new();
    for listed in &inventory.rules {
        let file = heading(listed, inventory, place);
        if file != last {
            let gap = if last.is_empty() { "" } else { "\n" };
            writeln!(out, "{gap}{}", file.bold())?;
            last = file;
        }
        write_rule(listed, &history.of(&listed.rule), room, out)?;
    }
    write_summary(inventory, history, out)?;
    history.proposals.iter().try_for_each(|proposal| write_proposal(proposal, out))
}

/// The file a rule stands in.
fn heading(listed: &ListedRule, inventory: &Inventory, place: &CurrentProject) -> String {
    let origin = spelled(&listed.rule.origin.place, &place.project, &place.world);
    match listed.pack {
        Some(_) => format!("{} (pack, level {})", one_line(&origin), inventory.level.name()),
        None => format!("{} ({})", one_line(&origin), listed.rule.layer.name()),
    }
}

fn write_rule(listed: &ListedRule, hits: &Hits, room: usize, out: &mut dyn Write) -> io::Result<()> {
    let id = one_line(&listed.rule.id);
    let padding = " ".repeat(room.saturating_sub(visible_width(&id)));
    let line = listed.rule.origin.position.map_or_else(String::new, |(line, _)| format!(":{line}"));
    let text = format!("  {id}{padding}  {}  {}  {}", said(listed), counted(hits), line.dimmed());
    writeln!(out, "{}", text.trim_end())?;
    for note in &listed.notes {
        for line in wrap(&one_line(note), columns().saturating_sub(6)) {
            writeln!(out, "      {}", line.yellow())?;
        }
    }
    Ok(())
}

/// What a rule decides, in a word of five letters.
fn said(listed: &ListedRule) -> String {
    let word = format!("{:5}", decision_word(listed));
    match listed.decision {
        _ if listed.mode == Mode::Warn => word.yellow().to_string(),
        Some(RuleDecision::Deny) => word.red().to_string(),
        Some(RuleDecision::Ask | RuleDecision::Warn) => word.yellow().to_string(),
        Some(RuleDecision::Allow) => word.green().to_string(),
        None => word.dimmed().to_string(),
    }
}

pub fn decision_word(listed: &ListedRule) -> &'static str {
    match (listed.mode, listed.decision) {
        (_, None) => "off",
        (Mode::Warn, Some(_)) => "warn",
        (_, Some(decision)) => decision.name(),
    }
}

/// How often and when last, in sixteen columns.
fn counted(hits: &Hits) -> String {
    match hits.last {
        None => format!("{:>16}", "never").dimmed().to_string(),
        Some(millis) => format!("{:>4}× {}", hits.count, day(millis)),
    }
}

pub fn day(millis: i64) -> String {
    timestamp_of(millis).chars().take(10).collect()
}

fn write_summary(inventory: &Inventory, history: &History, out: &mut dyn Write) -> io::Result<()> {
    let rules = &inventory.rules;
    let never = rules.iter().filter(|listed| history.of(&listed.rule).count == 0).count();
    let doubtful = rules.iter().filter(|listed| !listed.notes.is_empty()).count();
    let exceptions = inventory.exceptions.len();
    let mut parts = vec![format!("{} rule{}", rules.len(), plural(rules.len())), format!("{never} never held")];
    if exceptions > 0 {
        parts.push(format!("{exceptions} exception{}", plural(exceptions)));
    }
    if doubtful > 0 {
        parts.push(format!("{doubtful} with warnings"));
    }
    writeln!(out, "\n{}", parts.join(", "))
}

fn write_proposal(proposal: &RuleProposal, out: &mut dyn Write) -> io::Result<()> {
    let about = shorten(&one_line(&proposal.about), 60);
    let text = format!(
        "approved {} times: `{about}`, which rule `{}` asks about; `hookrail allow {}` stops the question",
        proposal.count,
        one_line(&proposal.rule),
        proposal.seq
    );
    wrap(&text, columns()).iter().try_for_each(|line| writeln!(out, "{line}"))
}

fn json(inventory: &Inventory, history: &History, place: &CurrentProject) -> Value {
    let rules: Vec<Value> = inventory.rules.iter().map(|listed| rule_json(listed, history, place)).collect();
    let exception = |exception: &hookrail_rules::Exception| {
        json!({
            "rule": exception.rule,
            "layer": exception.layer.name(),
            "file": *exception.origin.place,
            "line": exception.origin.position.map(|(line, _)| line),
            "when": super::toml_text::condition(&exception.when),
            "reason": exception.reason,
            "until": exception.until,
        })
    };
    let proposal = |proposal: &RuleProposal| {
        json!({
            "rule": proposal.rule, "approved": proposal.count, "about": proposal.about, "record": proposal.seq,
        })
    };
    json!({
        "level": inventory.level.name(),
        "rules": rules,
        "exceptions": inventory.exceptions.iter().map(exception).collect::<Vec<_>>(),
        "proposals": history.proposals.iter().map(proposal).collect::<Vec<_>>(),
    })
}

pub fn rule_json(listed: &ListedRule, history: &History, place: &CurrentProject) -> Value {
    let hits = history.of(&listed.rule);
    let origin = &listed.rule.origin;
    json!({
        "id": listed.rule.id,
        "layer": listed.rule.layer.name(),
        "pack": listed.pack,
        "file": *origin.place,
        "line": origin.position.map(|(line, _)| line),
        "shown": Inventory::shown_origin(origin, place),
        "decision": listed.decision.map(RuleDecision::name),
        "mode": listed.mode.as_str(),
        "hits": hits.count,
        "last_hit": hits.last.map(timestamp_of),
        "notes": listed.notes,
    })
}
