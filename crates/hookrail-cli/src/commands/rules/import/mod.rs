//! `hookrail rules import`: agents' own permission lists, as rules about what calls do.

mod claude;
mod codex;
mod gemini;
mod opencode;
mod permission;
mod settings_file;
mod translate;

use super::inventory::read_text;
use super::toml_text::appended;
use crate::current_project::{CurrentProject, spelled, write_file};
use crate::error::CliError;
use crate::exit_code::ExitCode;
use crate::screen::{self, columns, one_line, plural, wrap};
use hookrail_core::World;
use hookrail_engine::layers::{LayerFiles, LayerKind};
use hookrail_rules::{Layer, compile, safety};
use permission::{Permission, Untranslated};
use serde_json::json;
use std::path::{Path, PathBuf};

/// Turn agents' own permission lists into rules
///
/// Reads the lists of Claude Code (`permissions.allow`, `ask`, `deny`), Codex (prefix rules), Gemini CLI (`tools.allowed`,
/// `tools.exclude`) and OpenCode (`permission`) and prints a `[[rule]]` for each entry whose meaning is clear. What cannot be
/// translated is listed, with the
/// reason. With `--write` it changes your `hookrail.toml`, or with `--scope` the project's: the rules are added behind what is
/// there. Otherwise it only reads.
#[derive(clap::Args)]
pub struct Import {
    /// claude, codex, gemini, opencode; all of them if none is named
    #[arg(value_name = "AGENT")]
    agents: Vec<String>,
    /// Add the rules to a hookrail.toml instead of printing them
    #[arg(long)]
    write: bool,
    /// Whose hookrail.toml
    #[arg(long, value_enum, default_value = "user", requires = "write")]
    scope: ImportScope,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum ImportScope {
    /// Your own, for all projects
    User,
    /// The project's, for all who work on it
    Project,
    /// Yours in this project alone
    Local,
}

/// Reads the permissions of an agent.
type PermissionReader = fn(&CurrentProject) -> FoundPermissions;

const AGENTS: &[(&str, PermissionReader)] =
    &[("claude", claude::read), ("codex", codex::read), ("gemini", gemini::read), ("opencode", opencode::read)];

/// What an agent's files hold.
#[derive(Default)]
struct FoundPermissions {
    /// The files that were looked at.
    files: Vec<PathBuf>,
    permissions: Vec<Permission>,
    /// What is wrong with files that are there.
    errors: Vec<String>,
}

impl FoundPermissions {
    fn in_files(files: Vec<PathBuf>, read: impl Fn(&Path) -> Result<Vec<Permission>, CliError>) -> Self {
        let mut found = Self::default();
        for file in &files {
            match read(file) {
                Ok(permissions) => found.permissions.extend(permissions),
                Err(error) => found.errors.push(error.message),
            }
        }
        Self { files, ..found }
    }

    fn add(&mut self, other: Self) {
        self.files.extend(other.files);
        self.permissions.extend(other.permissions);
        self.errors.extend(other.errors);
    }
}

/// A permission, and the rule it became or why it did not.
struct Imported {
    permission: Permission,
    rule: Result<String, Untranslated>,
}

impl Import {
    pub fn run(&self, place: &CurrentProject) -> Result<ExitCode, CliError> {
        let readers = self.readers()?;
        let mut found = FoundPermissions::default();
        for read in readers {
            found.add(read(place));
        }
        // A list that is only half read would be taken for the whole.
        if !found.errors.is_empty() {
            let hint = "correct the file, or name the agents whose lists are to be imported";
            return Err(CliError::input(found.errors.join("\n")).hint(hint));
        }
        let looked = found.files;
        let imported = translate_all(found.permissions, place);
        if imported.is_empty() && !self.json {
            let files: Vec<String> = looked.iter().map(|path| format!("`{}`", shown(path, place))).collect();
            let hint = if files.is_empty() { String::new() } else { format!("; looked at {}", files.join(", ")) };
            screen::note(format!("there are no permission lists to import{hint}"));
            return Ok(ExitCode::Success);
        }
        if self.write {
            return self.add(&imported, place);
        }
        self.print(&imported, None, place);
        Ok(ExitCode::Success)
    }

    fn readers(&self) -> Result<Vec<PermissionReader>, CliError> {
        let find = |name: &String| {
            let found = AGENTS.iter().find(|(known, _)| *known == name.to_lowercase());
            found.map(|(_, read)| *read).ok_or_else(|| {
                let names: Vec<&str> = AGENTS.iter().map(|(name, _)| *name).collect();
                match hookrail_dialects::agent(name) {
                    Some(agent) => CliError::usage(format!("{} has no permission lists to import", agent.title))
                        .hint(format!("{} have", names.join(", "))),
                    None => CliError::unknown("agent", name, names),
                }
            })
        };
        if self.agents.is_empty() {
            return Ok(AGENTS.iter().map(|(_, read)| *read).collect());
        }
        self.agents.iter().map(find).collect()
    }

    /// Adds the rules that are not there yet.
    fn add(&self, imported: &[Imported], place: &CurrentProject) -> Result<ExitCode, CliError> {
        let wanted = match self.scope {
            ImportScope::User => LayerKind::User,
            ImportScope::Project => LayerKind::Project,
            ImportScope::Local => LayerKind::Local,
        };
        let files = LayerFiles::usual(&place.world, &place.project);
        let file = files.iter().find(|(kind, _)| *kind == wanted).map(|(_, path)| path.to_owned());
        let file = file.ok_or(CliError::machine("cannot determine your configuration folder: `HOME` is not set"))?;
        let before = place.world.read(&file).map_err(CliError::machine)?.unwrap_or_default();
        let before = String::from_utf8(before)
            .map_err(|_| CliError::input(format!("`{}` is not UTF-8 text", file.display())))?;
        let known = read_text(wanted.of_rules(), "", &before).map_err(|(_, why)| {
            let shown = shown(&file, place);
            CliError::input(format!("`{shown}` is not TOML: {why}"))
                .hint(format!("`hookrail rules check {shown}` shows where"))
        })?;
        let is_new = |text: &str| {
            let ids = rule_ids(text);
            !known.rules.iter().any(|rule| ids.contains(&rule.id))
        };
        let added: Vec<&str> =
            imported.iter().filter_map(|imported| imported.rule.as_deref().ok()).filter(|text| is_new(text)).collect();
        if !added.is_empty() {
            write_file(&file, &appended(&before, &added.join("\n")))?;
        }
        self.print(imported, Some((&file, added.len())), place);
        Ok(ExitCode::Success)
    }

    fn print(&self, imported: &[Imported], written: Option<(&Path, usize)>, place: &CurrentProject) {
        if self.json {
            let one = |imported: &Imported| {
                json!({
                    "agent": imported.permission.agent,
                    "file": imported.permission.file,
                    "entry": imported.permission.entry,
                    "decision": imported.permission.decision.name(),
                    "rule": imported.rule.as_ref().ok(),
                    "untranslated": imported.rule.as_ref().err(),
                })
            };
            let written = written.map(|(file, count)| json!({ "file": file, "added": count }));
            let all: Vec<_> = imported.iter().map(one).collect();
            anstream::println!("{:#}", screen::versioned(json!({ "permissions": all, "written": written })));
            return;
        }
        if written.is_none() {
            let rules: Vec<&str> = imported.iter().filter_map(|imported| imported.rule.as_deref().ok()).collect();
            anstream::print!("{}", rules.join("\n"));
        }
        for imported in imported {
            let Err(why) = &imported.rule else { continue };
            let Permission { entry, file, .. } = &imported.permission;
            screen::warn(
                wrap(&format!("`{entry}` in {} is left out: {why}", shown(file, place)), columns()).join("\n"),
            );
        }
        if let Some((file, count)) = written {
            for imported in imported {
                let Some(id) = imported.rule.as_ref().ok().and_then(|rule| rule_ids(rule).into_iter().next()) else {
                    continue;
                };
                anstream::println!("`{}` is rule `{id}`", one_line(&imported.permission.entry));
            }
            let shown = shown(file, place);
            anstream::println!("{count} rule{} added to `{shown}`", plural(count));
        } else if imported.iter().any(|imported| imported.rule.is_ok()) {
            screen::note("`--write` adds these rules to your hookrail.toml");
        }
    }
}

fn shown(path: &Path, place: &CurrentProject) -> String {
    one_line(&spelled(&path.display().to_string(), &place.project, &place.world))
}

/// Every permission as a rule that is right by its own examples.
fn translate_all(permissions: Vec<Permission>, place: &CurrentProject) -> Vec<Imported> {
    let mut ids: Vec<String> = Vec::new();
    let mut seen: Vec<Permission> = Vec::new();
    let mut all = Vec::new();
    for permission in permissions {
        let is_same = |other: &Permission| other.entry == permission.entry && other.decision == permission.decision;
        if seen.iter().any(is_same) {
            continue;
        }
        seen.push(permission.clone());
        let id = unique(&permission.id(), &ids);
        let file = shown(&permission.file, place);
        let rule = translate::rule(&permission, &id, &file).and_then(checked);
        if rule.is_ok() {
            ids.push(id);
        }
        all.push(Imported { permission, rule });
    }
    all
}

fn unique(id: &str, known: &[String]) -> String {
    let free = |id: &String| !known.contains(id);
    let numbered = (2..).map(|number| format!("{id}-{number}"));
    std::iter::once(id.to_owned()).chain(numbered.take(known.len() + 1)).find(free).unwrap_or_default()
}

/// A rule whose own examples fail does not mean what the entry meant.
fn checked(text: String) -> Result<String, Untranslated> {
    let file = read_text(Layer::User, "imported", &text).map_err(|(_, why)| Untranslated::new(why))?;
    let faults = compile(vec![file], &[safety::rules()]).faults;
    match faults.iter().find(|fault| fault.severity == hookrail_rules::Severity::Error) {
        Some(fault) => Err(Untranslated::new(format!("as a rule it would not hold: {}", fault.message))),
        None => Ok(text),
    }
}

fn rule_ids(text: &str) -> Vec<String> {
    let file = read_text(Layer::User, "imported", text).unwrap_or_default();
    file.rules.into_iter().map(|rule| rule.id).collect()
}
