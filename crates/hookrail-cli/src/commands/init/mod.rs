//! A first `hookrail.toml`.

mod answers;
mod example;
mod prompt;
mod template;

use super::install::find_packs;
use crate::current_project::CurrentProject;
use crate::error::CliError;
use crate::exit_code::ExitCode;
use crate::screen::{self, Align, Table};
use answers::{InitAnswers, check_path};
use hookrail_core::{Mode, World};
use hookrail_engine::layers::{LayerFiles, LayerKind, json_schema};
use hookrail_rules::Level;
use owo_colors::OwoColorize;
use serde_json::json;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use template::Owner;

/// Write a first `hookrail.toml`, with everything explained.
///
/// On a terminal it asks what you want, guardrails first, unless flags say so; it shows what answers mean with commands that
/// are judged under them, none of which runs. Beside the file it writes the schema that editors check it with, and in a
/// project a `.gitignore` for what is yours alone.
///
/// Writes `.hookrail/` of the project, or with `--scope user` your own configuration; a file that is there stays, unless
/// `--force` is given, and then a copy is kept in the state directory.
#[derive(clap::Args)]
pub struct Init {
    /// Whose configuration
    #[arg(long, value_enum, default_value = "project")]
    scope: InitScope,
    /// How strict the rules of pack safety are: relaxed, balanced or strict
    #[arg(long, value_name = "LEVEL", value_parser = parse_level)]
    level: Option<Level>,
    /// A path no tool may write, as in .gitignore (repeats)
    #[arg(long = "protect", value_name = "PATH")]
    protected: Vec<String>,
    /// A path no tool may even read (repeats)
    #[arg(long = "secret", value_name = "PATH")]
    secrets: Vec<String>,
    /// Allow reading, editing, building and testing in the project without a question
    #[arg(long)]
    daily_work: bool,
    /// Enable this pack (repeats)
    #[arg(long = "pack", value_name = "PACK")]
    packs: Vec<String>,
    /// How the packs act: enforce, or warn
    #[arg(long, value_enum, value_name = "MODE")]
    mode: Option<InitMode>,
    /// Record every event, which `hookrail replay` needs
    #[arg(long)]
    event_log: bool,
    /// Keep nothing of events in the journal
    #[arg(long, conflicts_with = "event_log")]
    minimal: bool,
    /// Do not ask; take what the flags say and the defaults: safety at level balanced, nothing allowed
    #[arg(long)]
    yes: bool,
    /// Replace a configuration that is there
    #[arg(long)]
    force: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum InitScope {
    /// This project: `.hookrail/hookrail.toml`
    Project,
    /// All your projects
    User,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum InitMode {
    /// Block what must not happen
    Enforce,
    /// Say what would be blocked
    Warn,
}

/// What was written.
struct Written {
    file: PathBuf,
    backup: Option<PathBuf>,
    beside: Vec<PathBuf>,
}

/// The schema beside the file, for editors.
const SCHEMA: &str = "hookrail.schema.json";

impl Init {
    pub fn run(&self) -> ExitCode {
        let work = || {
            let place = CurrentProject::here()?;
            let file = self.file(&place)?;
            self.refuse_to_overwrite(&file, &place)?;
            let answers = self.answers()?;
            let written = self.write(&file, &answers, &place)?;
            self.tell(&written, &answers, &place);
            Ok(ExitCode::Success)
        };
        work().unwrap_or_else(screen::fail)
    }

    fn owner(&self) -> Owner {
        match self.scope {
            InitScope::Project => Owner::Project,
            InitScope::User => Owner::User,
        }
    }

    fn file(&self, place: &CurrentProject) -> Result<PathBuf, CliError> {
        let wanted = match self.scope {
            InitScope::Project => LayerKind::Project,
            InitScope::User => LayerKind::User,
        };
        let files = LayerFiles::usual(&place.world, &place.project);
        let file = files.iter().find(|(kind, _)| *kind == wanted).map(|(_, path)| path.to_owned());
        file.ok_or_else(|| CliError::machine("cannot determine your configuration folder: `HOME` is not set"))
    }

    fn refuse_to_overwrite(&self, file: &Path, place: &CurrentProject) -> Result<(), CliError> {
        let there = place.world.kind(file).map_err(CliError::machine)?.is_some();
        if there && !self.force {
            let shown = place.shown(file).display();
            return Err(
                CliError::usage(format!("`{shown}` exists already")).hint("edit it, or write a new one with `--force`")
            );
        }
        Ok(())
    }

    /// From flags, or from a person who gave none.
    fn answers(&self) -> Result<InitAnswers, CliError> {
        let says_something = self.level.is_some()
            || !self.secrets.is_empty()
            || self.daily_work
            || !self.packs.is_empty()
            || self.mode.is_some()
            || self.event_log
            || !self.protected.is_empty()
            || self.minimal
            || self.yes
            || self.json;
        if !says_something && io::stdin().is_terminal() && io::stderr().is_terminal() {
            return InitAnswers::ask(&mut io::stdin().lock(), &example::show);
        }
        let packs = find_packs(&self.packs)?;
        self.protected.iter().chain(&self.secrets).try_for_each(|path| check_path(path))?;
        let mode = match self.mode {
            Some(InitMode::Warn) => Mode::Warn,
            Some(InitMode::Enforce) | None => Mode::Enforce,
        };
        Ok(InitAnswers {
            level: self.level.unwrap_or_default(),
            protected: self.protected.clone(),
            secrets: self.secrets.clone(),
            daily_work: self.daily_work,
            packs,
            mode,
            event_log: self.event_log,
            minimal: self.minimal,
        })
    }

    fn write(&self, file: &Path, answers: &InitAnswers, place: &CurrentProject) -> Result<Written, CliError> {
        let world = &place.world;
        let put = |path: &Path, text: &str| world.write(path, text.as_bytes()).map_err(CliError::machine);
        let backup = self.back_up(file, place)?;
        put(file, &template::render(answers, self.owner()))?;
        let folder = file.parent().unwrap_or(Path::new("."));
        let schema = folder.join(SCHEMA);
        put(&schema, &format!("{:#}\n", json_schema()))?;
        let mut beside = vec![schema];
        let ignore = folder.join(".gitignore");
        let ignored = world.kind(&ignore).map_err(CliError::machine)?.is_some();
        if self.scope == InitScope::Project && !ignored {
            put(&ignore, "# Yours alone.\n/local.toml\n")?;
            beside.push(ignore);
        }
        Ok(Written { file: file.to_owned(), backup, beside })
    }

    fn back_up(&self, file: &Path, place: &CurrentProject) -> Result<Option<PathBuf>, CliError> {
        let Some(bytes) = place.world.read(file).map_err(CliError::machine)? else { return Ok(None) };
        let root = place.state_root()?;
        root.check().map_err(CliError::machine)?;
        let whose = if self.scope == InitScope::User { "user" } else { "project" };
        let backup = root.path().join(format!("init/backups/{whose}-{}.toml", place.world.now_millis()));
        place.world.write(&backup, &bytes).map_err(CliError::machine)?;
        Ok(Some(backup))
    }

    fn tell(&self, written: &Written, answers: &InitAnswers, place: &CurrentProject) {
        if self.json {
            let Written { file, backup, beside } = written;
            anstream::println!("{:#}", screen::versioned(json!({ "file": file, "backup": backup, "beside": beside })));
            return;
        }
        let mut table = Table::new([("", Align::Left), ("", Align::Left)]);
        table.row(["wrote".green().to_string(), place.shown(&written.file).display().to_string()]);
        for path in &written.beside {
            table.row(["wrote".green().to_string(), place.shown(path).display().to_string()]);
        }
        if let Some(backup) = &written.backup {
            table.row(["kept".dimmed().to_string(), backup.display().to_string()]);
        }
        // A closed stdout does not undo the work.
        let _ = table.write(&mut anstream::stdout());
        let scope = if self.scope == InitScope::User { " --scope user" } else { "" };
        let mut next =
            format!("next: look at it, then put hookrail into your agent, such as `hookrail install claude{scope}`");
        if answers.daily_work && self.scope == InitScope::Project {
            next.push_str("; `hookrail trust` lets the rules of this project that allow count");
        }
        if self.scope == InitScope::Project && answers.level < Level::default() {
            let level = answers.level.name();
            let why = format!(
                "`level = \"{level}\"` has no effect here: a project may only be stricter than your own configuration, which is \
                 written by `hookrail init --scope user --level {level}`"
            );
            screen::note(screen::wrap(&why, screen::columns().saturating_sub(6)).join("\n"));
        }
        if answers.daily_work {
            let rests = "allowed without a question is a call all of whose words are known: no unknown option, variable or script, and \
                         every effect inside the rules; tests and builds still run the project's own code";
            screen::note(screen::wrap(rests, screen::columns().saturating_sub(6)).join("\n"));
        }
        screen::note(screen::wrap(&next, screen::columns().saturating_sub(6)).join("\n"));
    }
}

/// What `hookrail init --yes --scope user` writes.
pub fn default_configuration() -> String {
    template::render(&InitAnswers::default(), Owner::User)
}

fn parse_level(text: &str) -> Result<Level, CliError> {
    Level::parse(text).ok_or_else(|| {
        let names: Vec<&str> = Level::ALL.iter().map(|level| level.name()).collect();
        CliError::unknown("level", text, names)
    })
}
