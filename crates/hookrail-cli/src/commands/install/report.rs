//! What a person, or a program, is told about changes.

use super::change::{Action, FileChange};
use super::record::scope_word;
use super::settings_file::SettingsFile;
use crate::current_project::CurrentProject;
use crate::screen::{Align, Table, columns, one_line, wrap};
use diffy::DiffOptions;
use owo_colors::OwoColorize;
use serde_json::{Value, json};
use std::io::{self, Write};
use std::path::PathBuf;

/// A change that was made, or in a dry run would be.
pub struct ReportedChange<'a> {
    pub change: &'a FileChange,
    pub backup: Option<PathBuf>,
}

impl ReportedChange<'_> {
    pub fn json(&self, dry_run: bool) -> Value {
        let Self { change, backup } = self;
        let events: Vec<Value> = change
            .registrations
            .iter()
            .map(|it| json!({ "event": it.event, "matcher": it.matcher, "timeout": it.timeout, "type": it.kind() }))
            .collect();
        let mut told = json!({
            "agent": change.target.agent.name(),
            "scope": scope_word(change.target.scope),
            "file": change.target.file,
            "action": change.action.word(),
            "changed": change.changes_anything() && !dry_run,
            "switch": change.switch.as_ref().map(|switch| json!({ "file": switch.file.path, "setting": switch.name })),
            "command": change.command,
            "events": events,
            "idle": change.idle,
            "offers": change.offers.iter().map(|model| model.kind).collect::<Vec<_>>(),
            "backup": backup,
            "warnings": change.warnings,
            "needs": change.needs,
        });
        if let (true, Some(fields)) = (dry_run, told.as_object_mut()) {
            fields.insert("diff".to_owned(), json!(diff(change)));
        }
        told
    }

    pub fn write(&self, place: &CurrentProject, out: &mut dyn Write) -> io::Result<()> {
        let Self { change, backup } = self;
        let file = place.shown(&change.target.file).display().to_string();
        let outcome = change.action.outcome(change.after.is_none());
        writeln!(out, "{} {}  {}", change.target.agent.name().bold(), outcome.green(), one_line(&file))?;
        if change.file.is_link() {
            writeln!(out, "  {} {}", "link to".dimmed(), one_line(&change.file.target.display().to_string()))?;
        }
        if change.action == Action::Install || change.action == Action::Update {
            self.write_events(out)?;
        }
        if let Some(switch) = change.switch.as_ref().filter(|switch| switch.changes_file()) {
            let file = one_line(&place.shown(&switch.file.path).display().to_string());
            let change = if switch.after.is_some() {
                format!("{} = true in {file}", switch.name)
            } else {
                format!("{file} removed")
            };
            writeln!(out, "  {}    {change}", "also".dimmed())?;
        }
        if let Some(backup) = backup {
            writeln!(out, "  {}  {}", "backup".dimmed(), one_line(&backup.display().to_string()))?;
        }
        self.write_needs(out)
    }

    fn write_events(&self, out: &mut dyn Write) -> io::Result<()> {
        let change = self.change;
        let unit = match change.target.agent.format().timeout_unit {
            hookrail_dialects::TimeoutUnit::Seconds | hookrail_dialects::TimeoutUnit::SecondsOrMillis => "s",
            hookrail_dialects::TimeoutUnit::Milliseconds => "ms",
        };
        let mut table = Table::new([("", Align::Left), ("", Align::Left), ("", Align::Right), ("", Align::Left)]);
        for entry in &change.registrations {
            let tools = entry.matcher.clone().unwrap_or_else(|| "all".to_owned());
            table.row([String::new(), entry.event.to_owned(), format!("{} {unit}", entry.timeout), tools]);
        }
        table.write(out)?;
        if let Some(command) = &change.command {
            writeln!(out, "  {}    {}", "runs".dimmed(), one_line(command))?;
        }
        self.write_offers(out)?;
        if !change.idle.is_empty() {
            let agent = change.target.agent.name();
            let idle = change.idle.join(", ");
            writeln!(out, "  {}    {idle} never runs here: {agent} has no such event or tool", "note".dimmed())?;
        }
        Ok(())
    }

    fn write_offers(&self, out: &mut dyn Write) -> io::Result<()> {
        let agent = self.change.target.agent.agent();
        for model in &self.change.offers {
            let what =
                format!("a hook of type `{}` of {} could do the work of {}", model.kind, agent.title, model.hook);
            writeln!(out, "  {}    {what}: --verifier {}", "note".dimmed(), model.kind)?;
        }
        Ok(())
    }

    fn write_needs(&self, out: &mut dyn Write) -> io::Result<()> {
        if self.change.needs.is_empty() || self.change.action == Action::Keep {
            return Ok(());
        }
        writeln!(out, "  {}", "still needed:".yellow())?;
        for need in &self.change.needs {
            for (number, line) in wrap(need, columns().saturating_sub(4)).iter().enumerate() {
                writeln!(out, "  {} {line}", if number == 0 { "-" } else { " " })?;
            }
        }
        Ok(())
    }

    pub fn write_diff(&self, out: &mut dyn Write) -> io::Result<()> {
        for line in diff(self.change).lines() {
            let line = line.split('\t').map(one_line).collect::<Vec<_>>().join("\t");
            let line = line.trim_end_matches(' ');
            match line.chars().next() {
                Some('+') => writeln!(out, "{}", line.green())?,
                Some('-') => writeln!(out, "{}", line.red())?,
                Some('@') => writeln!(out, "{}", line.cyan())?,
                _ => writeln!(out, "{line}")?,
            }
        }
        Ok(())
    }
}

/// The changes of files in the form `patch` reads; nothing if there are none.
fn diff(change: &FileChange) -> String {
    let own = diff_of(&change.file, change.after.as_deref());
    own + &change.switch.as_ref().map(|switch| diff_of(&switch.file, switch.after.as_deref())).unwrap_or_default()
}

fn diff_of(file: &SettingsFile, after: Option<&str>) -> String {
    let name = file.path.display().to_string();
    let named = |exists: bool| if exists { name.clone() } else { "/dev/null".to_owned() };
    let mut options = DiffOptions::new();
    options.set_original_filename(named(file.exists())).set_modified_filename(named(after.is_some()));
    let (before, after) = (file.content().unwrap_or_default(), after.unwrap_or_default());
    let patch = options.create_patch(before, after);
    if patch.hunks().is_empty() { String::new() } else { patch.to_string() }
}

impl Action {
    fn word(self) -> &'static str {
        match self {
            Self::Install => "install",
            Self::Update => "update",
            Self::Keep => "keep",
            Self::Uninstall => "uninstall",
            Self::Forget => "forget",
        }
    }

    fn outcome(self, deleted: bool) -> &'static str {
        match (self, deleted) {
            (Self::Install, _) => "installed",
            (Self::Update, _) => "updated",
            (Self::Keep, _) => "nothing to do",
            (Self::Uninstall, true) => "uninstalled, file removed",
            (Self::Uninstall, false) => "uninstalled",
            (Self::Forget, _) => "was gone already",
        }
    }
}
