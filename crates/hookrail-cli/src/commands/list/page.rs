//! An inventory on a terminal.

use super::inventory::{CommandRow, EventRow, HookRow, Inventory, PackRow};
use super::shadow::Shadow;
use crate::screen::{Align, Table, columns, one_line, wrap};
use hookrail_core::{Mode, OnError};
use owo_colors::OwoColorize;
use std::io::{self, Write};

const WAITS: &str = "it comes with the project and waits for your yes (`hookrail trust`)";
/// How far what is said about a hook stands to the right.
const MARGIN: usize = 4;

pub fn write(inventory: &Inventory, all: bool, out: &mut dyn Write) -> io::Result<()> {
    if let Some(why) = &inventory.paused {
        writeln!(out, "{} no hook runs: {}\n", "paused".yellow().bold(), one_line(why))?;
    }
    let (shown, off): (Vec<&PackRow>, Vec<&PackRow>) = inventory.packs.iter().partition(|pack| all || !pack.is_off());
    shown.iter().try_for_each(|pack| write_pack(pack, out))?;
    if !inventory.commands.is_empty() {
        write_commands(&inventory.commands, out)?;
    }
    if !off.is_empty() {
        write_off(&off, out)?;
    }
    write_layers(inventory, out)
}

fn write_pack(pack: &PackRow, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}  {}\n", pack.name.bold(), pack.about.dimmed())?;
    let shared = pack.shared_shadows();
    for shadow in &shared {
        write_shadow(shadow, out)?;
    }
    if !shared.is_empty() {
        writeln!(out)?;
    }
    if pack.hooks.is_empty() {
        writeln!(out, "  its rules are listed by `hookrail rules`\n")?;
    }
    let name = pack.hooks.iter().map(|hook| hook.name().len()).max().unwrap_or_default();
    for hook in &pack.hooks {
        let source = match &hook.place {
            Some(place) => format!("{} {}", hook.layer, one_line(place).dimmed()),
            None => hook.layer.dimmed().to_string(),
        };
        let head = format!("{} {:name$}  {}  ", mark(hook.mode), hook.name(), word(hook.mode));
        writeln!(out, "  {head}{source}")?;
        for line in wrap(hook.about, columns().saturating_sub(MARGIN)) {
            writeln!(out, "{:MARGIN$}{line}", "")?;
        }
        write_note("on", &events(hook), out)?;
        if hook.events.iter().all(|event| event.missing) {
            write_note(&"never runs:".yellow().to_string(), "the agent has none of its events", out)?;
        }
        if hook.preview && hook.mode == Mode::Off {
            let how = format!("enabled by `[hooks.\"{}\"] mode = \"enforce\"`, and not by its pack", hook.id);
            write_note("preview:", &how, out)?;
        }
        if hook.on_error != OnError::Allow {
            write_note("if it fails", hook.on_error.as_str(), out)?;
        }
        let own = hook.shadowed.iter().filter(|shadow| !shared.contains(shadow));
        own.into_iter().try_for_each(|shadow| write_shadow(shadow, out))?;
        writeln!(out)?;
    }
    Ok(())
}

fn write_shadow(shadow: &Shadow, out: &mut dyn Write) -> io::Result<()> {
    let what = format!("`{} = \"{}\"`", shadow.key, one_line(&shadow.value));
    let text = format!("{} {} says {}: {}", shadow.layer, one_line(&shadow.place), what, shadow.why);
    write_note(&"no effect:".yellow().to_string(), &text, out)
}

fn write_note(name: &str, text: &str, out: &mut dyn Write) -> io::Result<()> {
    let mut lines = wrap(&format!("{name} {text}"), columns().saturating_sub(MARGIN)).into_iter();
    lines.try_for_each(|line| writeln!(out, "{:MARGIN$}{}", "", line.dimmed()))
}

fn events(hook: &HookRow) -> String {
    if hook.hears_all() {
        return "every event".to_owned();
    }
    hook.events.iter().map(event).collect::<Vec<_>>().join(", ")
}

fn event(event: &EventRow) -> String {
    match event.native {
        Some(native) if native != event.name => format!("{} ({native})", event.name),
        _ if event.missing => {
            format!("{} {}", one_line(&event.name).strikethrough(), "(the agent has no such event)".yellow())
        }
        _ => one_line(&event.name),
    }
}

fn write_commands(commands: &[CommandRow], out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}  {}\n", "commands".bold(), "hooks of your own, from hookrail.toml".dimmed())?;
    let name = commands.iter().map(|hook| one_line(&hook.name).chars().count()).max().unwrap_or_default();
    for hook in commands {
        let mark = if hook.barred.is_some() { "○".yellow().to_string() } else { mark(hook.mode) };
        let source = format!("{} {}", hook.layer, one_line(&hook.place).dimmed());
        writeln!(out, "  {mark} {:name$}  {}  {source}", one_line(&hook.name), word(hook.mode))?;
        writeln!(out, "{:MARGIN$}{}", "", one_line(&hook.command).cyan())?;
        let matcher =
            hook.matcher.as_deref().map(|matcher| format!(", matcher {}", one_line(matcher))).unwrap_or_default();
        write_note("on", &format!("{}{matcher}", event(&hook.event)), out)?;
        if let Some(why) = &hook.barred {
            let why = if why.contains("is not trusted") { WAITS } else { why };
            write_note(&"does not run:".yellow().to_string(), &one_line(why), out)?;
        }
        if let Some(twin) = &hook.same_as {
            let text = format!("`{}` of a higher layer runs the same command, where both match", one_line(twin));
            write_note(&"no effect:".yellow().to_string(), &text, out)?;
        }
        writeln!(out)?;
    }
    Ok(())
}

/// Packs that are off, a line each.
fn write_off(packs: &[&PackRow], out: &mut dyn Write) -> io::Result<()> {
    writeln!(
        out,
        "{}  {}\n",
        "off".bold(),
        "`[packs.NAME] enabled = true` in a hookrail.toml switches a pack on".dimmed()
    )?;
    let mut table = Table::new([("", Align::Left); 2]);
    for pack in packs {
        table.row([format!("  ○ {}", pack.name), pack.about.to_owned()]);
    }
    table.write(out)?;
    for pack in packs {
        for hook in pack.hooks.iter().filter(|hook| !hook.shadowed.is_empty() || hook.layer != "default") {
            let place = hook.place.as_deref().unwrap_or_default();
            write_note(hook.id, &format!("is off by {} {}", hook.layer, one_line(place)), out)?;
        }
    }
    writeln!(out)
}

fn write_layers(inventory: &Inventory, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}  {}\n", "configuration".bold(), "the highest first; a lower one may only be stricter".dimmed())?;
    let mut table = Table::new([("", Align::Left), ("", Align::Left)]);
    for file in &inventory.layers {
        let path = one_line(&file.shown);
        let path = if file.exists { path } else { format!("{path} (not there)").dimmed().to_string() };
        table.row([format!("  {} {}", if file.exists { "●" } else { "○" }, file.layer), path]);
    }
    table.write(out)
}

fn mark(mode: Mode) -> String {
    match mode {
        Mode::Enforce => "●".green().to_string(),
        Mode::Warn | Mode::Shadow => "●".yellow().to_string(),
        Mode::Off => "○".dimmed().to_string(),
    }
}

fn word(mode: Mode) -> String {
    match mode {
        Mode::Enforce => format!("{:7}", mode.as_str()).green().to_string(),
        Mode::Warn | Mode::Shadow => format!("{:7}", mode.as_str()).yellow().to_string(),
        Mode::Off => format!("{:7}", mode.as_str()).dimmed().to_string(),
    }
}
