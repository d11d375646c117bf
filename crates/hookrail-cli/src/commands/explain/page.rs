//! An explanation on a terminal.

use super::considered::{Considered, HookDisposition, HookReply, OutputTexts};
use super::ladder::{self, paint};
use super::merging::Merged;
use super::others;
use super::report::{Bytes, Explanation, Subject};
use crate::current_project::below_home;
use crate::screen::{Align, Table, bar, columns, duration, one_line, plural, visible_width, wrap};
use hookrail_core::{Decision, Mode};
use hookrail_engine::RealWorld;
use owo_colors::OwoColorize;
use std::io::{self, Write};
use std::time::Duration;

/// How wide the longest bar of a time is.
const BAR: usize = 10;

pub fn write(explanation: &Explanation, out: &mut dyn Write) -> io::Result<()> {
    write_head(explanation, out)?;
    if let Some(call) = &explanation.call {
        call.write(out)?;
    }
    write_planned(explanation, out)?;
    others::write(explanation, out)?;
    if !explanation.merge.is_empty() {
        heading("merge", how(explanation.order), out)?;
        ladder::write(&explanation.merge, out)?;
    }
    write_verdict(&explanation.verdict, out)?;
    write_answer(&explanation.answer, explanation.agent, out)?;
    write_changes(explanation, out)?;
    let times = &explanation.times;
    let time = |micros| duration(Duration::from_micros(micros));
    let line = format!(
        "{}: configuration and plan {}, hooks {} together",
        time(times.total),
        time(times.plan),
        time(times.hooks)
    );
    writeln!(out, "\n{}", line.dimmed())
}

fn how(order: Option<&'static str>) -> &'static str {
    match order {
        Some("sequential") => "one after the other; the strongest opinion counts",
        _ => "in plan order; the strongest opinion counts",
    }
}

pub fn heading(name: &str, rest: &str, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "\n{}  {}", name.bold(), rest.dimmed())
}

fn write_head(explanation: &Explanation, out: &mut dyn Write) -> io::Result<()> {
    let Subject { name, native, known, tool, about, session, project, .. } = &explanation.event;
    let what = [tool, about].into_iter().flatten().map(|text| one_line(text)).collect::<Vec<_>>().join(" ");
    let room = columns().saturating_sub(visible_width(name) + 2);
    let head = format!("{}  {}", one_line(name).bold(), shorten(&what, room).cyan());
    match (name.is_empty(), what.is_empty()) {
        (true, _) => writeln!(out, "{}", "no event".bold())?,
        (false, true) => writeln!(out, "{}", one_line(name).bold())?,
        (false, false) => writeln!(out, "{head}")?,
    }
    let native = if native == name { String::new() } else { format!(" calls it {}", one_line(native)) };
    let session =
        if session.is_empty() { "no session id".to_owned() } else { format!("session {}", one_line(session)) };
    let line = format!(
        "{}{native} · {session} · project {}",
        explanation.agent,
        one_line(&below_home(project, &RealWorld::default()))
    );
    wrap(&line, columns()).iter().try_for_each(|line| writeln!(out, "{}", line.dimmed()))?;
    if !known {
        writeln!(out, "{} {}", "note:".cyan().bold(), unheard(&explanation.event))?;
    }
    for complaint in &explanation.complaints {
        let lines: Vec<String> = complaint.lines().map(one_line).collect();
        writeln!(out, "{} {}", "warning:".yellow().bold(), lines.join("\n"))?;
    }
    Ok(())
}

/// What is odd about an event that hookrail has no word for.
fn unheard(event: &Subject) -> String {
    if event.native.is_empty() {
        return "the payload does not say which event it is (`hook_event_name`)".to_owned();
    }
    let guess = event.guess.map(|guess| format!("\nhint: did you mean `{guess}`?")).unwrap_or_default();
    format!(
        "hookrail has no word for the event `{}`; only command hooks can listen to it{guess}",
        one_line(&event.native)
    )
}

fn write_planned(explanation: &Explanation, out: &mut dyn Write) -> io::Result<()> {
    let planned: Vec<(&Considered, &HookReply)> =
        explanation.hooks.iter().filter_map(|hook| Some((hook, hook.run.as_ref()?))).collect();
    let unreached = || explanation.hooks.iter().filter(|hook| hook.fate == HookDisposition::NotReached);
    if planned.is_empty() {
        return heading("hooks", "none applies", out);
    }
    heading("hooks", "that apply, in plan order", out)?;
    let longest = planned.iter().map(|(_, said)| said.micros).max().unwrap_or_default();
    let mut table = Table::new([("", Align::Left); 5]);
    for (hook, said) in &planned {
        let time = if hook.fate == HookDisposition::Skipped {
            String::new()
        } else {
            duration(Duration::from_micros(said.micros))
        };
        let drawn = if time.is_empty() { String::new() } else { bar(said.micros, longest, BAR) };
        let mode =
            if hook.mode == Mode::Enforce { String::new() } else { format!("{} ", hook.mode).yellow().to_string() };
        let from = if hook.kind == "native" { &hook.source } else { hook.kind };
        let source = format!("{mode}{}", one_line(from).dimmed());
        table.row([
            format!("  {} {}", mark(hook, said), one_line(&hook.hook)),
            word(hook, said),
            format!("{time:>7}"),
            drawn.cyan().to_string(),
            source,
        ]);
    }
    table.write(out)?;
    for (hook, said) in planned {
        write_said(hook, said, out)?;
    }
    unreached().try_for_each(|hook| writeln!(out, "  {} {}: {}", "○".dimmed(), one_line(&hook.hook), hook.why))
}

fn mark(hook: &Considered, said: &HookReply) -> String {
    match hook.fate {
        HookDisposition::Ran => paint(said.decision, "●"),
        HookDisposition::Failed => "✗".red().to_string(),
        _ => "○".yellow().to_string(),
    }
}

fn word(hook: &Considered, said: &HookReply) -> String {
    match (hook.fate, said.decision) {
        (HookDisposition::Failed, Decision::None) => "failed".red().to_string(),
        (HookDisposition::Failed, decision) => format!("{} {}", "failed:".red(), paint(decision, decision.as_str())),
        (HookDisposition::Skipped, _) => "not run".yellow().to_string(),
        (_, Decision::None) if hook.mode != Mode::Enforce && said.withheld.is_some() => {
            "would object".yellow().to_string()
        }
        (_, Decision::None) if !said.texts.rewrite.is_empty() => "rewrites".cyan().to_string(),
        (_, Decision::None) => "no opinion".dimmed().to_string(),
        (_, decision) => paint(decision, decision.as_str()),
    }
}

/// What a hook said, where it said something.
fn write_said(hook: &Considered, said: &HookReply, out: &mut dyn Write) -> io::Result<()> {
    let rewrite = said.texts.rewrite_text();
    let why = Some(&hook.why).filter(|why| !why.is_empty());
    let message = said.texts.message.as_ref().filter(|message| Some(*message) != why);
    let from = Some(&hook.source).filter(|_| hook.kind != "native");
    let parts = [
        ("from", from),
        ("why", why),
        ("reason", said.texts.reason.as_ref()),
        ("message", message),
        ("context", said.texts.context.as_ref()),
        ("rewrite", rewrite.as_ref()),
    ];
    if parts.iter().all(|(_, text)| text.is_none()) {
        return Ok(());
    }
    writeln!(out, "  {}", one_line(&hook.hook).bold())?;
    parts.iter().try_for_each(|(name, text)| text.map_or(Ok(()), |text| write_part(name, text, out)))
}

pub fn write_part(name: &str, text: &str, out: &mut dyn Write) -> io::Result<()> {
    const MARGIN: usize = 12;
    const MOST_LINES: usize = 12;
    let harmless: Vec<String> = text.lines().map(one_line).collect();
    let lines = wrap(&harmless.join("\n"), columns().saturating_sub(MARGIN));
    for (number, line) in lines.iter().take(MOST_LINES).enumerate() {
        let name = if number == 0 { name } else { "" };
        writeln!(out, "    {:MARGIN$}{line}", name.dimmed(), MARGIN = MARGIN - 4)?;
    }
    match lines.len().saturating_sub(MOST_LINES) {
        0 => Ok(()),
        more => {
            writeln!(out, "{:MARGIN$}{}", "", format!("… {more} more line{}; --json has all", plural(more)).dimmed())
        }
    }
}

fn write_verdict(verdict: &Merged, out: &mut dyn Write) -> io::Result<()> {
    let word = match verdict.decision {
        Decision::None => "no hook objects: the agent goes on as if there were no hooks",
        Decision::Allow => "allowed; an agent's own permission questions are not skipped",
        Decision::Ask => "a person is asked",
        Decision::Block => "this must not happen",
        Decision::Stop => "the agent must stop",
    };
    writeln!(
        out,
        "\n{}  {} {}",
        "verdict".bold(),
        paint(verdict.decision, verdict.decision.as_str()).bold(),
        format!("({word})").dimmed()
    )?;
    let rewrite = verdict.texts.rewrite_text();
    let OutputTexts { reason, message, context, .. } = &verdict.texts;
    for (name, text) in [("reason", reason), ("message", message), ("context", context), ("rewrite", &rewrite)] {
        if let Some(text) = text {
            write_part(name, text, out)?;
        }
    }
    verdict
        .conflicts
        .iter()
        .try_for_each(|conflict| writeln!(out, "    {} {}", "conflict".yellow(), one_line(conflict)))
}

/// The very bytes; control characters are shown as blanks, because this is a terminal.
fn write_answer(answer: &Bytes, agent: &str, out: &mut dyn Write) -> io::Result<()> {
    heading("answer", &format!("what {agent} would get from `hookrail hook`"), out)?;
    writeln!(out, "  exit code {}", answer.exit_code)?;
    for (name, text) in [("stdout", &answer.stdout), ("stderr", &answer.stderr)] {
        if text.is_empty() {
            writeln!(out, "  {name}    {}", "nothing".dimmed())?;
            continue;
        }
        writeln!(out, "  {name}    {}", format!("{} byte{}", text.len(), plural(text.len())).dimmed())?;
        for line in text.lines().map(one_line) {
            for part in pieces(&line, columns().saturating_sub(4)) {
                writeln!(out, "  {} {}", "│".dimmed(), part.cyan())?;
            }
        }
    }
    Ok(())
}

fn write_changes(explanation: &Explanation, out: &mut dyn Write) -> io::Result<()> {
    if !explanation.would_change.is_empty() {
        heading("changes", "by the hooks that ran; here they happened in memory only", out)?;
        for change in &explanation.would_change {
            let bytes = change.bytes.map(|bytes| format!(" ({bytes} byte{})", plural(bytes))).unwrap_or_default();
            writeln!(out, "  {:6}  {}{}", change.what, one_line(&change.path.display().to_string()), bytes.dimmed())?;
        }
    }
    if !explanation.not_started.is_empty() {
        let names =
            explanation.not_started.iter().map(|name| format!("`{}`", one_line(name))).collect::<Vec<_>>().join(", ");
        let text = format!("without {names}: commands are not started here, and they may decide otherwise");
        write_note(&text, out)?;
        writeln!(out, "hint: `--run-commands` starts them; what they change stays changed")?;
    }
    match explanation.model_questions {
        0 => Ok(()),
        count => {
            write_note(&format!("a model would have been asked {count} time{}; here it was not", plural(count)), out)
        }
    }
}

fn write_note(text: &str, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out)?;
    wrap(&format!("{} {text}", "note:".cyan().bold()), columns()).iter().try_for_each(|line| writeln!(out, "{line}"))
}

fn shorten(text: &str, room: usize) -> String {
    if visible_width(text) <= room {
        return text.to_owned();
    }
    let mut short: String = text.chars().take(room.saturating_sub(1)).collect();
    short.push('…');
    short
}

/// A long line in pieces of so many characters.
pub fn pieces(line: &str, room: usize) -> Vec<String> {
    let letters: Vec<char> = line.chars().collect();
    letters.chunks(room.max(1)).map(|piece| piece.iter().collect()).collect()
}
