//! From a wish to a change of a file, and from there to the disk.

use super::command_line::{HookCommand, Program};
use super::content::{baseline, verify, without_ours};
use super::merge::{Document, Merger, ShapeError};
use super::needs::needs;
use super::record::{InstallRecord, Ledger, RecordedEntry, hash, scope_word};
use super::registration::{Registration, Registrations, Verifier};
use super::settings_file::{FileError, SettingsFile};
use super::switch::{RecordedSwitch, SwitchChange};
use super::target::Target;
use super::warnings::{program_warnings, twice};
use crate::current_project::CurrentProject;
use crate::error::CliError;
use crate::hook::args::Selection;
use crate::jsonc::SyntaxError;
use crate::screen::{Level, Snippet};
use hookrail_core::World;
use hookrail_dialects::{Agent, Scope};
use hookrail_engine::layers::{ConfigCache, LayerFiles, Settings};
use hookrail_lint::Source;
use hookrail_packs::{ModelHook, model_hooks};
use std::path::PathBuf;
use std::sync::Arc;

/// What happens to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Our entries are new in it.
    Install,
    /// Our entries were there, and are now others.
    Update,
    /// It is as it should be.
    Keep,
    /// Our entries go.
    Uninstall,
    /// It is not there any more, or has none of our entries.
    Forget,
}

/// A change that is ready to be made.
#[derive(Debug)]
pub struct FileChange {
    pub target: Target,
    pub action: Action,
    pub file: SettingsFile,
    /// What the file will hold; `None` if there will be no file.
    pub after: Option<String>,
    /// A setting beside the entries that keeps users from switching them off.
    pub switch: Option<SwitchChange>,
    /// What is to be remembered of it; `None` forgets.
    record: Option<InstallRecord>,
    pub command: Option<String>,
    pub registrations: Vec<Registration>,
    /// Hooks that never run in this agent.
    pub idle: Vec<String>,
    /// The checks that a model of the agent could make in place of a hook.
    pub offers: Vec<&'static ModelHook>,
    pub warnings: Vec<String>,
    pub needs: Vec<String>,
}

/// Why a change cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum ChangeError {
    #[error(transparent)]
    File(#[from] FileError),
    #[error("{}:{line}:{column}: {message}", .file.display())]
    Content { file: PathBuf, source_text: String, line: usize, column: usize, message: String },
    #[error("{}:{line}:{column}: {message}\nhint: {hint}", .file.display())]
    Unread { file: PathBuf, source_text: String, line: usize, column: usize, message: String, hint: String },
    #[error("`{}` could not be changed safely, so nothing was changed\nhint: this is a mistake in hookrail; please report it with the file", .0.display())]
    Unsafe(PathBuf),
    #[error(transparent)]
    Other(#[from] CliError),
}

impl From<ChangeError> for CliError {
    fn from(error: ChangeError) -> Self {
        let (file, text, at, message, hint) = match &error {
            ChangeError::Content { file, source_text, line, column, message } => {
                (file, source_text, (*line, *column), message, None)
            }
            ChangeError::Unread { file, source_text, line, column, message, hint } => {
                (file, source_text, (*line, *column), message, Some(hint.as_str()))
            }
            ChangeError::Other(error) => return error.clone(),
            ChangeError::File(_) | ChangeError::Unsafe(_) => return Self::machine(error),
        };
        Self::in_source(&Snippet {
            level: Level::Error,
            code: None,
            message: &format!("{message}, so nothing was changed"),
            file: &file.display().to_string(),
            source: text,
            line: at.0,
            column: at.1,
            length: 0,
            hint,
        })
    }
}

impl FileChange {
    /// What installing would do; `None` if no hook needs the one event a file is for.
    pub fn install(
        target: Target,
        selection: &Selection,
        verifier: Option<Verifier>,
        place: &CurrentProject,
        ledger: &Ledger<'_>,
    ) -> Result<Option<Self>, ChangeError> {
        let name = target.agent.name();
        let settings = settings_for(target.scope, place);
        let gathered = Registrations::gather(target.agent, selection, verifier, &settings);
        check_verifier(verifier, &gathered, target.agent.agent())?;
        let Registrations { entries: mut wanted, idle, offers } = gathered;
        if let Some(event) = target.event {
            wanted.retain(|registration| registration.event == event);
            if wanted.is_empty() {
                return Ok(None);
            }
        }
        if wanted.is_empty() {
            let what = match selection.packs.as_slice() {
                [] => "no hook that is enabled has anything".to_owned(),
                [pack] => format!("pack `{pack}` has nothing"),
                packs => format!("packs `{}` have nothing", packs.join("`, `")),
            };
            return Err(CliError::usage(format!("{what} to do in {name}")).into());
        }
        let program = Program::for_scope(target.scope, &place.world)?;
        let command = HookCommand::new(&program, name, &selection.packs)?.line();
        let file = SettingsFile::read(&target.file)?;
        let known = ledger.find(name, &target.file);
        let is_ours = ours(name, known);
        let merger = Merger { agent: target.agent, file: &target.file, is_ours: &is_ours };
        let before = parse(&file, &merger)?;
        let mut document = before.clone();
        let made_before = known.map(|record| record.made.as_slice()).unwrap_or_default();
        let made = merger.put(&mut document, &wanted, &command, made_before).map_err(|error| shape(&file, error))?;
        verify(&merger, &before, &document, &wanted, &command, &file)?;
        let after = file.dress(&document.text());
        check_readable(&target, &file, &after)?;
        let switch = SwitchChange::install(&target, known.and_then(|record| record.switch.as_ref()))?;
        let is_kept = file.content() == Some(after.as_str()) && switch.as_ref().is_none_or(|it| !it.changes_file());
        let action = match (is_kept, merger.find(&before).is_empty()) {
            (true, _) => Action::Keep,
            (false, true) => Action::Install,
            (false, false) => Action::Update,
        };
        if action != Action::Keep {
            file.check_writable()?;
        }
        let entries = wanted.iter().map(|it| entry(it, &target, &command)).collect();
        let record = InstallRecord {
            agent: name.to_owned(),
            scope: scope_word(target.scope).to_owned(),
            file: target.file.clone(),
            project: target.project(place),
            command: command.clone(),
            binary: program.started(),
            packs: selection.packs.iter().map(|pack| (*pack).to_owned()).collect(),
            verifier: verifier.map(|verifier| verifier.kind().to_owned()),
            entries,
            hash: hash(&after),
            before: baseline(&file, &before, known, &merger),
            made: made_before.iter().chain(made.iter().filter(|place| !made_before.contains(place))).cloned().collect(),
            made_folders: known.map(|record| record.made_folders.clone()).unwrap_or_default(),
            switch: None,
            since: known.filter(|_| action == Action::Keep).map_or_else(|| place.world.now_millis(), |it| it.since),
            version: env!("CARGO_PKG_VERSION").to_owned(),
        };
        let mut warnings: Vec<String> = settings.diagnostics().iter().map(ToString::to_string).collect();
        warnings.extend(program_warnings(&program));
        warnings.extend(twice(&target, &document, &merger, place));
        Ok(Some(Self {
            needs: needs(&target, &document),
            after: Some(after),
            switch,
            record: Some(record),
            command: Some(command),
            registrations: wanted,
            target,
            action,
            file,
            idle,
            offers: if verifier.is_none() { offers } else { Vec::new() },
            warnings,
        }))
    }

    /// What uninstalling would do; `None` if hookrail is not there.
    pub fn uninstall(target: Target, ledger: &Ledger<'_>) -> Result<Option<Self>, ChangeError> {
        let name = target.agent.name();
        let known = ledger.find(name, &target.file);
        let file = SettingsFile::read(&target.file)?;
        let (action, after) = match (file.content(), known) {
            (None, None) => return Ok(None),
            // Whether it is sound is not our business then.
            (Some(content), None) if !content.contains("hookrail") => return Ok(None),
            (None, Some(_)) => (Action::Forget, None),
            (Some(content), Some(record)) if hash(content) == record.hash => (Action::Uninstall, record.before.clone()),
            (Some(content), _) => {
                let is_ours = ours(name, known);
                let merger = Merger { agent: target.agent, file: &target.file, is_ours: &is_ours };
                let document = parse(&file, &merger)?;
                match (merger.find(&document).is_empty(), known) {
                    (true, None) => return Ok(None),
                    (true, Some(_)) => (Action::Forget, Some(content.to_owned())),
                    (false, _) => (Action::Uninstall, without_ours(&file, &document, known, &merger)?),
                }
            }
        };
        if action == Action::Uninstall {
            file.check_writable()?;
        }
        let switch = known.and_then(|record| record.switch.as_ref()).map(SwitchChange::uninstall).transpose()?;
        Ok(Some(Self {
            target,
            action,
            file,
            after,
            switch,
            record: None,
            command: None,
            registrations: Vec::new(),
            idle: Vec::new(),
            offers: Vec::new(),
            warnings: Vec::new(),
            needs: Vec::new(),
        }))
    }

    pub fn changes_file(&self) -> bool {
        self.after.as_deref() != self.file.content()
    }

    pub fn changes_anything(&self) -> bool {
        self.changes_file() || self.switch.as_ref().is_some_and(SwitchChange::changes_file)
    }

    /// Changes the file and remembers it. Returns where the earlier content was saved.
    pub fn make(&mut self, ledger: &mut Ledger<'_>) -> Result<Option<PathBuf>, ChangeError> {
        let name = self.target.agent.name();
        let mut backup = None;
        // The folder of both files goes with the entries, so they come first and go last.
        let is_uninstall = self.record.is_none();
        let mut switch = if is_uninstall { self.make_switch()? } else { None };
        if self.changes_file() {
            let earlier = self.file.content();
            backup = earlier.map(|text| ledger.back_up(name, self.target.scope, text)).transpose()?;
            match &self.after {
                Some(content) => {
                    let made = self.file.write(content)?;
                    if self.target.event.is_some() {
                        self.file.make_executable()?;
                    }
                    if let Some(record) = &mut self.record {
                        record.made_folders.extend(made);
                    }
                }
                None => {
                    let known = ledger.find(name, &self.target.file);
                    self.file.delete(known.map(|record| record.made_folders.as_slice()).unwrap_or_default())?;
                }
            }
        }
        if !is_uninstall {
            switch = self.make_switch()?;
        }
        let noted = match self.record.take() {
            Some(record) => ledger.put(InstallRecord { switch, ..record }),
            None => ledger.forget(name, &self.target.file),
        };
        noted.map_err(|why| self.undo(&why.to_string()))?;
        Ok(backup)
    }

    fn make_switch(&mut self) -> Result<Option<RecordedSwitch>, ChangeError> {
        let made = self.switch.as_mut().map(SwitchChange::make).transpose();
        made.map(Option::flatten).map_err(|why| self.undo(&why.to_string()))
    }

    /// An installation that is not recorded could not be removed exactly.
    fn undo(&self, why: &str) -> ChangeError {
        let mut message = why.to_owned();
        for file in std::iter::once(&self.file).chain(self.switch.as_ref().map(|switch| &switch.file)) {
            let path = file.path.display();
            message.push_str(&match restore(file) {
                Ok(()) => format!("\n`{path}` is as it was"),
                Err(error) => format!("\n`{path}` was changed, and could not be changed back: {error}"),
            });
        }
        CliError::machine(message).into()
    }
}

/// Makes a file what it was when it was read.
fn restore(file: &SettingsFile) -> Result<(), FileError> {
    let now = SettingsFile::read(&file.path)?;
    match file.content() {
        before if before == now.content() => Ok(()),
        Some(content) => now.write(content).map(drop),
        None => now.delete(&[]),
    }
}

/// Commands and prompts that install wrote: the recorded one, and what looks like it, because records stay on one machine and files
/// of a project do not.
pub fn ours<'a>(agent: &'a str, known: Option<&'a InstallRecord>) -> impl Fn(&str) -> bool + 'a {
    move |text| {
        let is_known = known.is_some_and(|record| record.command == text);
        is_known || HookCommand::is_written(text, agent) || model_hooks().any(|model| model.prompt == text)
    }
}

/// What counts for a file: those of the user apply everywhere, so what a project wants has no place in them.
pub fn settings_for(scope: Scope, place: &CurrentProject) -> Settings {
    match scope {
        Scope::Project | Scope::Local => place.settings.clone(),
        Scope::Managed | Scope::User => {
            let files = LayerFiles::usual(&place.world, &place.project);
            let own = files.iter().filter(|(kind, _)| !kind.comes_with_project());
            let own = own.map(|(kind, path)| (kind, path.to_owned())).collect();
            ConfigCache::in_state(None).load(&LayerFiles::new(own), &place.world)
        }
    }
}

/// A model that is asked for must be there, and have something to do.
fn check_verifier(verifier: Option<Verifier>, gathered: &Registrations, agent: &Agent) -> Result<(), ChangeError> {
    let Some(kind) = verifier.map(Verifier::kind) else { return Ok(()) };
    if gathered.offers.iter().any(|model| model.kind == kind) {
        return Ok(());
    }
    let error = if model_hooks().any(|model| agent.hook_type(model.kind).is_some()) {
        CliError::usage("no enabled hook has a check that a model could make")
            .hint("enable pack `orchestrator`, or add `--pack orchestrator`")
    } else {
        CliError::usage(format!("{} has no hooks of type `{kind}`", agent.title))
            .hint("leave `--verifier` out: hookrail verifies the tasks itself")
    };
    Err(error.into())
}

/// Nothing is installed into a file that its agent will not read: no hook in it would run, and there would be no sign of it.
fn check_readable(target: &Target, file: &SettingsFile, after: &str) -> Result<(), ChangeError> {
    let source = Source { path: target.file.clone(), text: after.to_owned() };
    let Some(finding) = hookrail_lint::unread(target.agent.agent(), &Arc::new(source)).into_iter().next() else {
        return Ok(());
    };
    let place = finding.place();
    let (line, column, hint) = (place.line, place.column, finding.hint.unwrap_or_default());
    Err(ChangeError::Unread {
        file: file.path.clone(),
        source_text: after.strip_prefix('\u{feff}').unwrap_or(after).to_owned(),
        line,
        column,
        message: finding.message,
        hint,
    })
}

fn parse(file: &SettingsFile, merger: &Merger<'_>) -> Result<Document, ChangeError> {
    merger
        .parse(file.text())
        .map_err(|SyntaxError { line, column, message }| content_error(file, line, column, message))
}

fn shape(file: &SettingsFile, error: ShapeError) -> ChangeError {
    content_error(file, error.line, error.column, error.message)
}

pub fn content_error(file: &SettingsFile, line: usize, column: usize, message: String) -> ChangeError {
    ChangeError::Content { file: file.path.clone(), source_text: file.text().to_owned(), line, column, message }
}

fn entry(registration: &Registration, target: &Target, command: &str) -> RecordedEntry {
    RecordedEntry { event: registration.event.to_owned(), group: registration.group(target.agent, command) }
}
