//! What a person sees of a replay.

use super::opinion::Answer;
use super::rerun::{Change, Gap, Tally, Trial};
use crate::hook::rehearsal::Commands;
use crate::screen::{columns, one_line, plural, shorten, versioned, visible_width};
use hookrail_engine::timestamp_of;
use owo_colors::OwoColorize;
use serde_json::json;
use std::io::{self, Write};

/// Before the lines that explain one.
const MARGIN: usize = 4;
/// A text is not cut below this.
const LEAST_ROOM: usize = 16;

pub fn write_json(tally: &Tally, out: &mut dyn Write) -> io::Result<()> {
    let gaps = |gap: Gap| tally.gaps.get(&gap).copied().unwrap_or_default();
    let report = json!({
        "events": tally.events,
        "replayed": tally.replayed(),
        "changes": tally.changes,
        "not_replayed": {
            "not_kept": gaps(Gap::NotKept), "too_large": gaps(Gap::TooLarge), "unknown": gaps(Gap::Unknown),
        },
        "uncertain": tally.uncertain,
        "unknown_commands": tally.unknown_commands,
        "untrusted_commands": tally.untrusted_commands,
        "every_event_known": tally.events == tally.logged,
        "projects": tally.projects,
        "report": tally.report,
    });
    writeln!(out, "{}", versioned(report))
}

pub fn write(tally: &Tally, trial: &Trial, limit: usize, out: &mut dyn Write) -> io::Result<()> {
    if tally.events == 0 {
        return writeln!(out, "the journal has no such events");
    }
    let shown = if limit == 0 { tally.changes.len() } else { limit.min(tally.changes.len()) };
    let left_out = tally.changes.len() - shown;
    if left_out > 0 {
        writeln!(out, "{}", format!("({left_out} older changes; `--limit 0` shows all)").dimmed())?;
    }
    tally.changes.iter().skip(left_out).try_for_each(|change| write_change(change, out))?;
    if shown > 0 {
        writeln!(out)?;
    }
    write_summary(tally, trial, out)
}

fn write_change(change: &Change, out: &mut dyn Write) -> io::Result<()> {
    let what = [change.tool.as_deref(), change.subject.as_deref()].into_iter().flatten().collect::<Vec<_>>().join(" ");
    let time = change.time.get(..19).unwrap_or(&change.time).replace('T', " ");
    let head = format!(
        "{}  {} → {}  {}  ",
        time.dimmed(),
        coloured(change.before.answer),
        coloured(change.after.answer).bold(),
        change.event
    );
    let room = columns().saturating_sub(visible_width(&head)).max(LEAST_ROOM);
    writeln!(out, "{head}{}", shorten(&one_line(&what), room))?;
    // The hooks that object more give the reasons; where none does any more, those that did.
    let (opinion, verb) =
        if change.after.answer > change.before.answer { (&change.after, "") } else { (&change.before, "no longer ") };
    for voice in opinion.decisive() {
        let hook = one_line(&voice.hook);
        let reason = voice.reason.as_deref().map(|reason| format!(": {}", one_line(reason))).unwrap_or_default();
        let room = columns().saturating_sub(MARGIN + verb.len() + visible_width(&hook)).max(LEAST_ROOM);
        writeln!(out, "{:MARGIN$}{verb}{}{}", "", hook.cyan(), shorten(&reason, room))?;
    }
    if change.uncertain {
        let doubt = "the journal did not keep all of this event, so this may be wrong";
        writeln!(out, "{:MARGIN$}{}", "", doubt.yellow())?;
    }
    Ok(())
}

fn write_summary(tally: &Tally, trial: &Trial, out: &mut dyn Write) -> io::Result<()> {
    let shifts = tally.shifts();
    let parts: Vec<String> = shifts
        .iter()
        .map(|((before, after), count)| format!("{count} {} → {}", before.as_str(), after.as_str()))
        .collect();
    let changes = tally.changes.len();
    let detail = if parts.is_empty() { String::new() } else { format!(" ({})", parts.join(", ")) };
    let day =
        |millis: Option<i64>| timestamp_of(millis.unwrap_or_default()).get(..16).unwrap_or_default().replace('T', " ");
    let verdict = if changes == 0 {
        "nothing would change".to_owned()
    } else {
        format!("{changes} change{}{detail}", plural(changes))
    };
    writeln!(
        out,
        "{}: {} event{} of {} project{}, {} to {}",
        verdict.bold(),
        tally.replayed(),
        plural(usize::try_from(tally.replayed()).unwrap_or_default()),
        tally.projects.len(),
        plural(tally.projects.len()),
        day(tally.first),
        day(tally.last)
    )?;
    if let Some((layer, file)) = &trial.file {
        writeln!(out, "decided with {} in place of the {} layer", file.display(), layer.as_str())?;
    }
    remarks(tally, trial).iter().try_for_each(|remark| writeln!(out, "{}", remark.dimmed()))
}

/// What was left out, and what it means.
fn remarks(tally: &Tally, trial: &Trial) -> Vec<String> {
    let mut remarks = Vec::new();
    let mut say = |count: u64, text: &str| {
        if count > 0 {
            remarks.push(format!("- {count} {text}"));
        }
    };
    let gaps = |gap: Gap| tally.gaps.get(&gap).copied().unwrap_or_default();
    say(
        gaps(Gap::NotKept),
        "not decided again: the journal did not keep the event (privacy `minimal`, or an older version)",
    );
    say(gaps(Gap::TooLarge), "not decided again: the event was too large for the journal");
    say(gaps(Gap::Unknown), "not decided again: this version has no such agent, pack or hook");
    say(tally.uncertain, "decided from an event that was cut or had a secret in it");
    for (hook, count) in &tally.unknown_commands {
        say(*count, &format!("would also ask command hook `{}`, which was not asked then", one_line(hook)));
    }
    for (hook, count) in &tally.untrusted_commands {
        say(*count, &format!("without command hook `{}`, which is not trusted", one_line(hook)));
    }
    if !tally.unknown_commands.is_empty() && trial.commands == Commands::Leave {
        remarks.push("- command hooks are not run again; `--run-commands` does it".to_owned());
    }
    if tally.logged < tally.events {
        remarks.push(format!(
            "- {} event{} known; events that no hook looked at are recorded only with `core/event-log`",
            tally.events,
            plural(usize::try_from(tally.events).unwrap_or(usize::MAX))
        ));
    }
    remarks
}

fn coloured(answer: Answer) -> String {
    let word = format!("{:>6}", answer.as_str());
    match answer {
        Answer::None => word.dimmed().to_string(),
        Answer::Failed | Answer::Warned | Answer::Ask => word.yellow().to_string(),
        Answer::Allow => word.green().to_string(),
        Answer::Block | Answer::Stop => word.red().to_string(),
    }
}
