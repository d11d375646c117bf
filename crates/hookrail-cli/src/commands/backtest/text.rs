//! A report on a terminal: the answer in the first screen, then what is behind it.

use crate::screen::{Align, Table, columns, one_line, shorten, visible_width};
use hookrail_backtest::transcripts::PastDecision;
use hookrail_backtest::{Answer, BacktestReport, Decisions, Diff, JudgedCall, Problem, Selected};
use owo_colors::OwoColorize;
use std::io::{self, Write};

/// How many rows of a table are shown.
const ROWS: usize = 12;
/// How many calls of a list are shown.
const CALLS: usize = 20;
/// A text is not cut below this.
const LEAST_ROOM: usize = 24;

pub fn write(report: &BacktestReport, out: &mut dyn Write) -> io::Result<()> {
    if report.history.calls == 0 {
        return write_nothing(report, out);
    }
    write_head(report, out)?;
    write_answer(report, out)?;
    if let Some(selected) = &report.selected {
        return write_selected(selected, out).and_then(|()| write_remarks(report, out));
    }
    if let Some(diff) = &report.diff {
        write_diff(report, diff, out)?;
    }
    write_calls("worth a look", &report.worth_a_look, out)?;
    write_rules(report, out)?;
    write_projects(report, out)?;
    write_remarks(report, out)
}

fn write_nothing(report: &BacktestReport, out: &mut dyn Write) -> io::Result<()> {
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
    let day = |time: &Option<String>| time.as_deref().and_then(|time| time.get(..10)).unwrap_or("?").to_owned();
    writeln!(
        out,
        "{}, {} of {} in {}, {} to {}",
        counted(history.sessions, "session").bold(),
        counted(history.calls, "call").bold(),
        agents.join(", "),
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
    writeln!(out, "would have refused   {}", share(deny, total).red())?;
    for call in &report.worst {
        write_call(call, "  ", out)?;
    }
    writeln!(out, "would have asked     {}", share(ask, total).yellow())?;
    writeln!(out, "would have approved  {} without a prompt", share(allow, total).green())?;
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
    writeln!(
        out,
        "of {} that you approved then, {} would be refused now{}",
        counted(score.approved, "call"),
        number(score.approved_denied).bold(),
        look.red()
    )?;
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
    let then = match call.then {
        PastDecision::Approved => "you approved it",
        PastDecision::Refused => "you refused it",
        PastDecision::Unasked => "it ran without a question",
        PastDecision::Blocked => "it was blocked",
        PastDecision::Unknown => "what you decided is not recorded",
    };
    let mut parts: Vec<String> = Vec::new();
    if !call.rules.is_empty() {
        parts.push(call.rules.join(", ").cyan().to_string());
    }
    parts.push(then.to_owned());
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
        format!("{} in {}: call {}", call.agent, one_line(&call.project), one_line(&call.call)).dimmed()
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

fn write_diff(report: &BacktestReport, diff: &Diff, out: &mut dyn Write) -> io::Result<()> {
    writeln!(
        out,
        "\n{} {}: {} decided otherwise",
        "compared with".bold(),
        one_line(&diff.other),
        counted(diff.changed, "call")
    )?;
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
        writeln!(out, "  {} {} → {}", number(shift.calls), answer(shift.from), answer(shift.to))?;
    }
    for changed in diff.calls.iter().take(CALLS) {
        write_call(&changed.call, "  ", out)?;
        let rules = if changed.other_rules.is_empty() {
            String::new()
        } else {
            format!(" by {}", changed.other_rules.join(", "))
        };
        writeln!(
            out,
            "      {}: {}{}; call {}",
            one_line(&diff.other),
            answer(changed.other).trim(),
            rules.cyan(),
            changed.call.call
        )?;
    }
    Ok(())
}

fn write_rules(report: &BacktestReport, out: &mut dyn Write) -> io::Result<()> {
    if report.rules.is_empty() {
        return Ok(());
    }
    writeln!(out)?;
    let mut table = Table::new([
        ("rule", Align::Left),
        ("refused", Align::Right),
        ("asked", Align::Right),
        ("approved", Align::Right),
        ("you approved", Align::Right),
        ("you refused", Align::Right),
    ]);
    for row in report.rules.iter().take(ROWS) {
        let shadow = if row.withheld { " (shadow)" } else { "" };
        table.row([
            format!("{}{shadow}", one_line(&row.rule)),
            some(row.said.deny),
            some(row.said.ask),
            some(row.said.allow),
            some(row.approved_then),
            some(row.refused_then),
        ]);
    }
    table.write(out)?;
    tell_rest(report.rules.len(), "rules", out)
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
            shorten(&one_line(&row.project), 48),
            number(row.decisions.total()),
            some(row.decisions.deny),
            some(row.decisions.ask),
            some(row.decisions.allow),
            some(row.asked_then),
        ]);
    }
    table.write(out)?;
    tell_rest(report.projects.len(), "projects", out)
}

fn tell_rest(all: usize, what: &str, out: &mut dyn Write) -> io::Result<()> {
    match all.saturating_sub(ROWS) {
        0 => Ok(()),
        rest => writeln!(out, "{}", format!("and {rest} more {what}").dimmed()),
    }
}

/// What was left out, and what it means.
fn write_remarks(report: &BacktestReport, out: &mut dyn Write) -> io::Result<()> {
    let mut remarks: Vec<String> = Vec::new();
    let history = &report.history;
    if history.repeated > 0 {
        remarks.push(format!(
            "{} stood in several transcripts (resumed or forked sessions) and count once",
            counted(history.repeated, "call")
        ));
    }
    if history.may_differ > 0 {
        remarks.push(format!(
            "{} may have been decided otherwise then: files or the repository of today were looked at",
            counted(history.may_differ, "call")
        ));
    }
    let silent: Vec<&str> = report
        .agents
        .iter()
        .filter(|row| row.sessions > 0 && !row.notes_approvals)
        .map(|row| row.title.as_str())
        .collect();
    if !silent.is_empty() {
        remarks.push(format!(
            "{} {} not note what you approve; what ran counts as run without a question",
            silent.join(", "),
            if silent.len() == 1 { "does" } else { "do" }
        ));
    }
    for hook in &report.not_started {
        remarks.push(format!(
            "{} would also be asked of command hook `{}`, which is not started here",
            counted(hook.count, "call"),
            one_line(&hook.name)
        ));
    }
    remarks.extend(report.problems.iter().map(problem));
    for remark in remarks {
        writeln!(out, "{}", format!("- {remark}").dimmed())?;
    }
    Ok(())
}

fn problem(problem: &Problem) -> String {
    let what = match problem.kind.as_str() {
        "broken_line" => counted(problem.count, "broken line"),
        "unreadable_file" => counted(problem.count, "unreadable file"),
        "untested_version" => format!("{} of a version that was not tested", counted(problem.count, "file")),
        "unknown_form" => format!("{} in a form that is not known", counted(problem.count, "file")),
        _ => counted(problem.count, "problem"),
    };
    let agent = hookrail_dialects::agent(&problem.agent).map_or(problem.agent.as_str(), |agent| agent.title);
    let examples: Vec<String> = problem.examples.iter().map(|example| one_line(example)).collect();
    format!("{agent}: {what}: {}", examples.join("; "))
}

fn answer(answer: Answer) -> String {
    let word = format!("{:<5}", answer.as_str());
    match answer {
        Answer::None => word.dimmed().to_string(),
        Answer::Allow => word.green().to_string(),
        Answer::Ask => word.yellow().to_string(),
        Answer::Deny => word.red().to_string(),
    }
}

fn times(count: u64) -> String {
    if count == 1 { "once".to_owned() } else { format!("{} times", number(count)) }
}

fn counted(count: u64, what: &str) -> String {
    format!("{} {what}{}", number(count), if count == 1 { "" } else { "s" })
}

fn share(count: u64, total: u64) -> String {
    let percent = if total == 0 { 0.0 } else { count as f64 * 100.0 / total as f64 };
    format!("{} ({percent:.1} %)", number(count))
}

/// Nothing is not worth a number.
fn some(count: u64) -> String {
    if count == 0 { String::new() } else { number(count) }
}

/// A number with its thousands apart.
fn number(count: u64) -> String {
    let digits = count.to_string();
    let mut parts: Vec<&str> = Vec::new();
    let mut rest = digits.as_str();
    while rest.len() > 3 {
        let (left, right) = rest.split_at(rest.len() - 3);
        parts.push(right);
        rest = left;
    }
    parts.push(rest);
    parts.reverse();
    parts.join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_their_thousands_apart() {
        for (count, expected) in [(0, "0"), (999, "999"), (1000, "1,000"), (1_234_567, "1,234,567")] {
            assert_eq!(number(count), expected);
        }
    }
}
