//! A report on a terminal: the answer in the first screen, then what is behind it.

use crate::current_project::below_home;
use crate::screen::{Align, Table, columns, one_line, shorten, visible_width};
use hookrail_backtest::{
    BacktestReport, CallDecision, CallSource, ChangedCall, Decisions, Diff, JudgedCall, Selected, counted, number,
    share,
};
use hookrail_engine::RealWorld;
use owo_colors::OwoColorize;
use std::io::{self, Write};
use std::path::Path;

/// How many rows of a table are shown.
const ROWS: usize = 12;
/// How many calls of a list are shown.
pub const CALLS: usize = 20;
/// How much of a line the numbers of a project take.
const PROJECT_NUMBERS: usize = 49;
/// A screen that is narrower has fewer columns of a table.
const WIDE: usize = 80;
/// A text is not cut below this.
const LEAST_ROOM: usize = 24;

/// Writes a report, with at most so many of the calls about which two configurations differ.
pub fn write(report: &BacktestReport, changes: usize, out: &mut dyn Write) -> io::Result<()> {
    if report.history.calls + report.history.other_events == 0 {
        return write_nothing(report, out);
    }
    write_head(report, out)?;
    write_answer(report, out)?;
    if let Some(selected) = &report.selected {
        return write_selected(selected, out).and_then(|()| write_remarks(report, out));
    }
    if let Some(diff) = &report.diff {
        write_diff(report, diff, changes, out)?;
    }
    write_calls("worth a look", &report.worth_a_look, out)?;
    write_rules(report, out)?;
    write_projects(report, out)?;
    write_remarks(report, out)
}

fn write_nothing(report: &BacktestReport, out: &mut dyn Write) -> io::Result<()> {
    if report.source == CallSource::Journal {
        let none = report.problems.is_empty();
        writeln!(out, "{}", if none { "the journal has no such events" } else { "no event can be decided again" })?;
        return write_remarks(report, out);
    }
    let files = report.history.files;
    writeln!(out, "no calls found in {} of transcripts", counted(files, "file"))?;
    write_remarks(report, out)?;
    if files == 0 {
        writeln!(out, "transcripts are looked for in ~/.claude, ~/.codex, ~/.gemini and ~/.local/share/opencode")?;
    }
    Ok(())
}

fn write_head(report: &BacktestReport, out: &mut dyn Write) -> io::Result<()> {
    let history = &report.history;
    let agents: Vec<&str> = report.agents.iter().filter(|row| row.sessions > 0).map(|row| row.title.as_str()).collect();
    let agents = if agents.is_empty() { String::new() } else { format!(" of {}", agents.join(", ")) };
    let day = |time: &Option<String>| time.as_deref().and_then(|time| time.get(..10)).unwrap_or("?").to_owned();
    let others = match history.other_events {
        0 => String::new(),
        others => format!(" and {}", counted(others, "other event")),
    };
    writeln!(
        out,
        "{}, {}{others}{agents} in {}, {} to {}",
        counted(history.sessions, "session").bold(),
        counted(history.calls, "call").bold(),
        counted(history.projects, "project"),
        day(&history.first),
        day(&history.last)
    )?;
    writeln!(out, "tried: {}", one_line(&report.configuration))?;
    if !report.complete {
        writeln!(out, "{}", "interrupted: this is what was found so far".yellow())?;
    }
    writeln!(out)
}

/// The first screen: what would have happened, and what to look at first.
fn write_answer(report: &BacktestReport, out: &mut dyn Write) -> io::Result<()> {
    let Decisions { deny, ask, allow, .. } = report.decisions;
    let total = report.decisions.total();
    writeln!(out, "would have refused   {}", part(deny, total).red())?;
    for call in &report.worst {
        write_call(call, "  ", out)?;
    }
    writeln!(out, "would have asked     {}", part(ask, total).yellow())?;
    writeln!(out, "would have approved  {} without a prompt", part(allow, total).green())?;
    let asked = &report.interruptions;
    writeln!(
        out,
        "you were asked {} ({:.1} a day); with this configuration {} ({:.1} a day)",
        times(asked.before),
        asked.before_per_day,
        times(asked.after),
        asked.after_per_day
    )?;
    let score = &report.score;
    let look = if score.approved_denied > 0 { " — look here first" } else { "" };
    // The journal does not know what a person decided.
    if report.source == CallSource::Transcripts {
        writeln!(
            out,
            "of {} that you approved then, {} would be refused now{}",
            counted(score.approved, "call"),
            number(score.approved_denied).bold(),
            look.red()
        )?;
    }
    if score.refused > 0 {
        writeln!(
            out,
            "of {} that you refused then, {} would be refused or asked about now",
            counted(score.refused, "call"),
            number(score.refused_stopped)
        )?;
    }
    Ok(())
}

fn write_calls(title: &str, calls: &[JudgedCall], out: &mut dyn Write) -> io::Result<()> {
    if calls.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n{}", title.bold())?;
    for call in calls {
        write_call(call, "  ", out)?;
        write_detail(call, "      ", out)?;
    }
    writeln!(
        out,
        "  {}",
        "`hookrail try --call CALL` and `hookrail explain --call CALL` show why, `hookrail backtest --scenario CALL` keeps it tested".dimmed()
    )
}

/// One line: what would be decided, what it was about.
fn write_call(call: &JudgedCall, margin: &str, out: &mut dyn Write) -> io::Result<()> {
    let day = call.time.get(..16).unwrap_or(&call.time).replace('T', " ");
    let times = if call.times > 1 { format!(" ×{}", number(call.times)) } else { String::new() };
    let head = format!("{margin}{}  {}  ", day.dimmed(), answer(call.now));
    let room = columns().saturating_sub(visible_width(&head) + visible_width(&times)).max(LEAST_ROOM);
    let what = format!("{} {}", call.tool, call.subject);
    writeln!(out, "{head}{}{}", shorten(&one_line(&what), room), times.dimmed())
}

/// Why, what was decided then, and how to get at it.
fn write_detail(call: &JudgedCall, margin: &str, out: &mut dyn Write) -> io::Result<()> {
    let mut parts: Vec<String> = Vec::new();
    if !call.rules.is_empty() {
        parts.push(call.rules.join(", ").cyan().to_string());
    }
    parts.push(call.then.sentence().to_owned());
    if call.cannot_ask {
        parts.push("the agent cannot ask".to_owned());
    }
    if call.may_differ {
        parts.push("may have been decided otherwise with the files of then".to_owned());
    }
    writeln!(out, "{margin}{}", parts.join("; "))?;
    writeln!(
        out,
        "{margin}{}",
        format!(
            "{} in {}: call {}",
            call.agent,
            one_line(&below_home(Path::new(&call.project), &RealWorld::default())),
            one_line(&call.call)
        )
        .dimmed()
    )
}

fn write_selected(selected: &Selected, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out)?;
    if selected.calls.is_empty() {
        return writeln!(out, "{} had no opinion on any call", selected.rule.cyan());
    }
    writeln!(out, "{} of {}, the newest first", "calls".bold(), selected.rule.cyan())?;
    for call in selected.calls.iter().take(CALLS) {
        write_call(call, "  ", out)?;
        write_detail(call, "      ", out)?;
    }
    let more = selected.left_off + selected.calls.len().saturating_sub(CALLS) as u64;
    if more > 0 {
        writeln!(out, "  {}", format!("and {} more; `--json` has the newest 200", number(more)).dimmed())?;
    }
    Ok(())
}

fn write_diff(report: &BacktestReport, diff: &Diff, most: usize, out: &mut dyn Write) -> io::Result<()> {
    let changed = match diff.changed {
        0 => "nothing would change".to_owned(),
        changed => format!("{} decided otherwise", counted(changed, "call")),
    };
    writeln!(out, "\n{} {}: {changed}", "compared with".bold(), one_line(&diff.other))?;
    if diff.changed == 0 {
        return Ok(());
    }
    let mut table = Table::new([("", Align::Left), ("this", Align::Right), ("the other", Align::Right)]);
    let (one, two) = (&report.decisions, &diff.decisions);
    for (name, this, other) in [
        ("  refused", one.deny, two.deny),
        ("  asked", one.ask, two.ask),
        ("  approved without a prompt", one.allow, two.allow),
        ("  questions to you", report.interruptions.after, diff.asked),
    ] {
        table.row([name.to_owned(), number(this), number(other)]);
    }
    table.write(out)?;
    for shift in &diff.shifts {
        // What was decided then comes before what is decided now.
        let (from, to) =
            if report.source == CallSource::Journal { (shift.to, shift.from) } else { (shift.from, shift.to) };
        writeln!(out, "  {} {} → {}", number(shift.calls), coloured(from, from.as_str()), coloured(to, to.as_str()))?;
    }
    diff.calls.iter().take(most).try_for_each(|changed| write_changed(changed, diff, out))?;
    tell_rest(diff.calls.len(), most, "calls; `--json` has them", out)
}

/// A call about which two configurations differ, and what makes the difference.
fn write_changed(changed: &ChangedCall, diff: &Diff, out: &mut dyn Write) -> io::Result<()> {
    let by = |rules: &[String]| if rules.is_empty() { String::new() } else { format!(" by {}", rules.join(", ")) };
    write_call(&changed.call, "  ", out)?;
    let here = by(&changed.call.rules);
    let here = if here.is_empty() { here } else { format!("{}; ", here.trim_start()) };
    let other = format!(
        "{}: {}{}",
        one_line(&diff.other),
        coloured(changed.other, changed.other.as_str()),
        by(&changed.other_rules)
    );
    writeln!(out, "      {}{other}; call {}", here.cyan(), one_line(&changed.call.call))
}

fn write_rules(report: &BacktestReport, out: &mut dyn Write) -> io::Result<()> {
    if report.rules.is_empty() {
        return Ok(());
    }
    writeln!(out)?;
    // A narrow screen has room for what would happen only.
    let numbers = [("refused", 7), ("asked", 5), ("approved", 8), ("you approved", 12), ("you refused", 11)];
    let shown = if columns() < WIDE { 3 } else { numbers.len() };
    let numbers = numbers.get(..shown).unwrap_or_default();
    let taken: usize = numbers.iter().map(|(_, width)| width + 2).sum();
    let room = columns().saturating_sub(taken).max(LEAST_ROOM);
    let head = numbers.iter().map(|(name, _)| (*name, Align::Right));
    let mut table = Table::new(std::iter::once(("rule", Align::Left)).chain(head));
    for row in report.rules.iter().take(ROWS) {
        let shadow = if row.withheld { " (shadow)" } else { "" };
        let counts = [row.said.deny, row.said.ask, row.said.allow, row.approved_then, row.refused_then];
        let name = shorten(&one_line(&row.rule), room.saturating_sub(shadow.len())) + shadow;
        table.row(std::iter::once(name).chain(counts.into_iter().take(shown).map(some)));
    }
    table.write(out)?;
    tell_rest(report.rules.len(), ROWS, "rules", out)
}

fn write_projects(report: &BacktestReport, out: &mut dyn Write) -> io::Result<()> {
    if report.projects.len() < 2 {
        return Ok(());
    }
    writeln!(out)?;
    let mut table = Table::new([
        ("project", Align::Left),
        ("calls", Align::Right),
        ("refused", Align::Right),
        ("asked", Align::Right),
        ("approved", Align::Right),
        ("asked then", Align::Right),
    ]);
    for row in report.projects.iter().take(ROWS) {
        table.row([
            shorten(&one_line(&row.project), columns().saturating_sub(PROJECT_NUMBERS).clamp(16, 48)),
            number(row.decisions.total()),
            some(row.decisions.deny),
            some(row.decisions.ask),
            some(row.decisions.allow),
            some(row.asked_then),
        ]);
    }
    table.write(out)?;
    tell_rest(report.projects.len(), ROWS, "projects", out)
}

fn tell_rest(all: usize, shown: usize, what: &str, out: &mut dyn Write) -> io::Result<()> {
    match all.saturating_sub(shown) {
        0 => Ok(()),
        rest => writeln!(out, "{}", format!("and {rest} more {what}").dimmed()),
    }
}

/// What was left out, and what it means.
fn write_remarks(report: &BacktestReport, out: &mut dyn Write) -> io::Result<()> {
    let remarks = report.remarks();
    remarks.iter().try_for_each(|remark| writeln!(out, "{}", format!("- {remark}").dimmed()))
}

/// A decision, as wide as the widest.
fn answer(answer: CallDecision) -> String {
    coloured(answer, &format!("{:<5}", answer.as_str()))
}

fn coloured(answer: CallDecision, word: &str) -> String {
    match answer {
        CallDecision::None => word.dimmed().to_string(),
        CallDecision::Allow => word.green().to_string(),
        CallDecision::Ask => word.yellow().to_string(),
        CallDecision::Deny => word.red().to_string(),
    }
}

fn times(count: u64) -> String {
    if count == 1 { "once".to_owned() } else { format!("{} times", number(count)) }
}

fn part(count: u64, total: u64) -> String {
    format!("{} ({})", number(count), share(count, total))
}

/// Nothing is not worth a number.
fn some(count: u64) -> String {
    if count == 0 { String::new() } else { number(count) }
}
