//! A call that was tried, on a terminal.

use super::report::{AgentReport, HookRow, TryReport};
use crate::commands::explain::considered::{HookDisposition, OutputTexts};
use crate::commands::explain::page::{heading, pieces, write_part};
use crate::current_project::below_home;
use crate::screen::{Align, Table, columns, one_line, shorten, visible_width, write_wrapped};
use hookrail_engine::RealWorld;
use owo_colors::OwoColorize;
use std::io::{self, Write};

pub fn write(report: &TryReport, out: &mut dyn Write) -> io::Result<()> {
    write_head(report, out)?;
    if let Some(call) = report.understood() {
        call.write(out)?;
    }
    write_hooks(report, out)?;
    write_verdict(report, out)?;
    write_notes(report, out)
}

fn write_head(report: &TryReport, out: &mut dyn Write) -> io::Result<()> {
    let asked = report.agents.iter().find(|agent| agent.answer.is_some());
    let (tool, input) = asked.map(|agent| (agent.tool.as_str(), &agent.input)).unzip();
    let about = input.and_then(|input| input.values().find_map(|value| value.as_str())).unwrap_or_default();
    let tool = one_line(tool.unwrap_or(report.kind));
    let room = columns().saturating_sub(visible_width(&tool) + 2);
    let first = about.lines().find(|line| !line.trim().is_empty()).unwrap_or("nothing");
    writeln!(out, "{}  {}", tool.bold(), shorten(one_line(first).trim(), room).cyan())?;
    let line = format!("in {} · nothing is executed", one_line(&below_home(&report.cwd, &RealWorld::default())));
    writeln!(out, "{}", line.dimmed())?;
    let mut complaints: Vec<&String> = Vec::new();
    for complaint in report.agents.iter().flat_map(|agent| &agent.complaints) {
        if !complaints.contains(&complaint) {
            complaints.push(complaint);
            let lines: Vec<String> = complaint.lines().map(one_line).collect();
            writeln!(out, "{} {}", "warning:".yellow().bold(), lines.join("\n"))?;
        }
    }
    Ok(())
}

/// The hooks that looked: once for all agents whose hooks said the same.
fn write_hooks(report: &TryReport, out: &mut dyn Write) -> io::Result<()> {
    let mut groups: Vec<(Vec<&str>, &[HookRow])> = Vec::new();
    for agent in report.agents.iter().filter(|agent| agent.answer.is_some()) {
        match groups.iter_mut().find(|(_, hooks)| *hooks == agent.hooks) {
            Some((titles, _)) => titles.push(agent.title),
            None => groups.push((vec![agent.title], &agent.hooks)),
        }
    }
    let several = groups.len() > 1;
    for (titles, hooks) in groups {
        let whose = if several { format!(" at the call of {}", titles.join(", ")) } else { String::new() };
        if hooks.is_empty() {
            heading("hooks", &format!("none looked{whose}"), out)?;
            continue;
        }
        heading("hooks", &format!("that looked{whose}"), out)?;
        let mut table = Table::new([("", Align::Left); 3]);
        for row in hooks {
            let word = match row.fate {
                HookDisposition::Skipped => "not run".yellow().to_string(),
                HookDisposition::Failed => "failed".red().to_string(),
                _ if row.decision == "none" => "no opinion".dimmed().to_string(),
                _ => paint(row.decision),
            };
            let why = if row.why.is_empty() { String::new() } else { one_line(&row.why).dimmed().to_string() };
            table.row([format!("  {}", one_line(&row.hook)), word, why]);
        }
        table.write(out)?;
    }
    Ok(())
}

fn paint(word: &str) -> String {
    match word {
        "allow" => word.green().to_string(),
        "ask" => word.yellow().to_string(),
        "deny" => word.red().to_string(),
        "stop" => word.magenta().bold().to_string(),
        _ => word.dimmed().to_string(),
    }
}

fn write_verdict(report: &TryReport, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "\n{}  {}", "verdict".bold(), paint(report.verdict).bold())?;
    let mut said: Vec<(&str, &str)> = Vec::new();
    for agent in &report.agents {
        let rewrite = agent.texts.rewrite_text();
        let OutputTexts { reason, message, context, .. } = &agent.texts;
        for (name, text) in [("reason", reason), ("message", message), ("context", context), ("rewrite", &rewrite)] {
            if let Some(text) = text.as_ref().filter(|text| !said.contains(&(name, text.as_str()))) {
                write_part(name, text, out)?;
            }
        }
        let texts = [("reason", reason), ("message", message), ("context", context)];
        said.extend(texts.iter().filter_map(|(name, text)| Some((*name, text.as_deref()?))));
    }
    report.agents.iter().try_for_each(|agent| write_agent(agent, out))
}

/// What one agent is told, in the form it honours.
fn write_agent(agent: &AgentReport, out: &mut dyn Write) -> io::Result<()> {
    let Some(answer) = &agent.answer else {
        let why = agent.note.as_deref().unwrap_or_default();
        return writeln!(out, "  {}  {}", agent.title.bold(), format!("not asked: {why}").dimmed());
    };
    let call = format!("{} at {}", one_line(&agent.tool), one_line(&agent.event));
    writeln!(out, "  {}  {}  {}", agent.title.bold(), paint(agent.verdict), call.dimmed())?;
    if let Some(note) = &agent.note {
        write_wrapped(4, note, out)?;
    }
    if answer.stdout.is_empty() && answer.exit_code == 0 {
        return writeln!(out, "    {}", "is told nothing and goes on as if there were no hooks".dimmed());
    }
    let (name, text) =
        if answer.exit_code == 2 { ("stderr, exit code 2", &answer.stderr) } else { ("stdout", &answer.stdout) };
    writeln!(out, "    {}", format!("is told on {name}").dimmed())?;
    for line in text.lines().map(one_line) {
        for part in pieces(&line, columns().saturating_sub(6)) {
            writeln!(out, "    {} {}", "│".dimmed(), part.cyan())?;
        }
    }
    Ok(())
}

fn write_notes(report: &TryReport, out: &mut dyn Write) -> io::Result<()> {
    let mut note = |text: &str| -> io::Result<()> {
        writeln!(out)?;
        let lines = crate::screen::wrap(&format!("{} {text}", "note:".cyan().bold()), columns());
        lines.iter().try_for_each(|line| writeln!(out, "{line}"))
    };
    if report.assumed {
        note(
            "no agent was found here, neither in PATH nor with hookrail installed; this is what Claude Code would be told",
        )?;
    }
    let mut left: Vec<&str> = report.agents.iter().flat_map(AgentReport::not_started).collect();
    left.dedup();
    if !left.is_empty() {
        let names = left.iter().map(|name| format!("`{}`", one_line(name))).collect::<Vec<_>>().join(", ");
        note(&format!("without {names}: commands are not started here, and they may decide otherwise"))?;
    }
    Ok(())
}
