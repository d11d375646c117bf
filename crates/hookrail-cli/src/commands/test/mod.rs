//! `hookrail test`: scenarios that say what hooks must do, played against a temporary world.

mod event;
mod expectation;
mod first;
mod markdown;
mod own;
mod play;
mod played;
mod preview;
mod report;
mod sandbox;
mod scenario;
mod source;
mod table;
mod toml_file;
mod update;

pub use preview::Preview;
pub use table::to_toml;

use crate::current_project::{CurrentProject, files_below};
use crate::error::CliError;
use crate::exit_code::ExitCode;
use crate::screen;
use hookrail_core::World;
use hookrail_engine::layers::{LayerFiles, LayerKind};
use hookrail_store::{Links, careful_read};
use play::ScenarioOutcome;
use sandbox::Means;
use scenario::Scenario;
use source::{Mistake, Source};
use std::fmt::Display;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

/// Where a project keeps its scenarios. No tool of an agent may write there.
const USUAL: &str = ".hookrail/tests";
/// A scenario file that is larger is none.
const MOST_BYTES: u64 = 4 << 20;

/// Play scenarios: files and state that are given, events, and what must come of them.
///
/// A scenario is Markdown (prose with `event` and `expect` blocks) or TOML. Each is played in a temporary project with its
/// own home and state, several at a time. Command hooks are not started unless you say so. Only reads, except for those
/// temporary folders; `--update` rewrites the expectations that were not met, and nothing else, in the scenario files;
/// `--init` writes a first scenario from the journal.
#[derive(clap::Args)]
pub struct Test {
    /// Scenario files, or folders of them; if none is named, `.hookrail/tests` of the project and `tests` beside your own
    /// configuration
    #[arg(value_name = "FILE|DIR")]
    paths: Vec<PathBuf>,
    /// Only scenarios with this text in their name or file
    #[arg(long, value_name = "TEXT")]
    name: Option<String>,
    /// Write down what happened wherever something else was expected
    #[arg(long)]
    update: bool,
    /// Write a first scenario into `.hookrail/tests`: the newest refusal here that the journal knows, and a call that passed
    #[arg(long, conflicts_with_all = ["paths", "name", "update"])]
    init: bool,
    /// Let scenarios start command hooks, which are programs that come with them; look at them first
    #[arg(long)]
    run_commands: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Test {
    pub fn run(&self) -> ExitCode {
        self.test().unwrap_or_else(screen::fail)
    }

    fn test(&self) -> Result<ExitCode, CliError> {
        if self.init {
            return self.write_first();
        }
        let begun = Instant::now();
        let files = self.files()?;
        let Ok(scenarios) = self.read(&files)? else { return Ok(ExitCode::Usage) };
        let outcomes = play::play_all(&scenarios, &Means { binary: binary()?, run_commands: self.run_commands });
        let updated = if self.update { save(&scenarios, &outcomes)? } else { 0 };
        let mut out = anstream::stdout();
        // With a closed stdout the exit code is the answer.
        let _ = if self.json {
            writeln!(out, "{}", screen::versioned(report::to_json(&scenarios, &outcomes, updated)))
        } else {
            report::write(&scenarios, &outcomes, begun.elapsed(), &mut out)
        };
        if self.update && !self.json {
            screen::note(format!(
                "{updated} file{} rewritten; look at the change before you keep it",
                screen::plural(updated)
            ));
        }
        let failed = outcomes.iter().any(|outcome| outcome.broken.is_some() || !(outcome.passed() || self.update));
        Ok(if failed { ExitCode::Failed } else { ExitCode::Success })
    }

    /// The files to look into, and whether they were named themselves.
    fn files(&self) -> Result<Vec<PathBuf>, CliError> {
        if !self.paths.is_empty() {
            let found: Result<Vec<Vec<PathBuf>>, CliError> = self.paths.iter().map(|path| collect(path)).collect();
            return Ok(found?.into_iter().flatten().collect());
        }
        let place = CurrentProject::here()?;
        let folders: Vec<PathBuf> = usual_folders(&place).into_iter().filter(|folder| folder.is_dir()).collect();
        if folders.is_empty() {
            return Err(CliError::usage(format!("there are no scenarios in `{USUAL}`"))
                .hint("`hookrail test --init` writes a first one; or name a file or folder"));
        }
        let files: Result<Vec<Vec<PathBuf>>, CliError> = folders.iter().map(|folder| collect(folder)).collect();
        Ok(files?.iter().flatten().map(|file| place.shown(file).to_owned()).collect())
    }

    /// A first scenario, completed by what comes of it.
    fn write_first(&self) -> Result<ExitCode, CliError> {
        let place = CurrentProject::here()?;
        let file = place.project.join(USUAL).join(first::NAME);
        if place.world.kind(&file).map_err(CliError::machine)?.is_some() {
            let shown = place.shown(&file).display();
            return Err(CliError::usage(format!("`{shown}` exists already"))
                .hint("`hookrail test` plays it; add scenarios to it"));
        }
        let (text, source) = first::scenarios(&place)?;
        crate::current_project::write_file(&file, &text)?;
        let scenarios = read_file(&file)?.map_err(|mistake| CliError::internal(mistake.message))?;
        let outcomes = play::play_all(&scenarios, &Means { binary: binary()?, run_commands: false });
        save(&scenarios, &outcomes)?;
        if let Some(broken) = outcomes.iter().find_map(|outcome| outcome.broken.as_ref()) {
            return Err(CliError::machine(broken));
        }
        let shown = place.shown(&file).display();
        if self.json {
            let written = serde_json::json!({ "file": file, "scenarios": scenarios.len() });
            anstream::println!("{:#}", screen::versioned(written));
        } else {
            anstream::println!("wrote {shown}: {source}; `hookrail test` plays it");
        }
        Ok(ExitCode::Success)
    }

    /// Every scenario of these files that is wanted. Mistakes are told, all of them, and then there is nothing to play.
    fn read(&self, files: &[PathBuf]) -> Result<Result<Vec<Scenario>, ()>, CliError> {
        let mut scenarios = Vec::new();
        let mut mistaken = false;
        for file in files {
            match read_file(file)? {
                Ok(found) if found.is_empty() && self.paths.contains(file) => {
                    return Err(CliError::usage(format!("`{}` has no scenario", file.display()))
                        .hint("a scenario needs a block `toml event`"));
                }
                Ok(found) => scenarios.extend(found),
                Err(mistake) => {
                    mistaken = true;
                    anstream::eprintln!("{}", mistake.show(file));
                }
            }
        }
        if mistaken {
            return Ok(Err(()));
        }
        if let Some(name) = &self.name {
            let wanted = |scenario: &Scenario| {
                scenario.name.contains(name) || scenario.source.path.to_string_lossy().contains(name.as_str())
            };
            scenarios.retain(wanted);
        }
        if scenarios.is_empty() {
            let folder = self.paths.first().map_or_else(|| USUAL.into(), |path| path.display().to_string());
            return Err(match &self.name {
                Some(name) => CliError::usage(format!("no scenario in `{folder}` has `{name}` in its name")),
                None => CliError::usage(format!("there are no scenarios in `{folder}`"))
                    .hint("`hookrail test --init` writes a first one"),
            });
        }
        Ok(Ok(scenarios))
    }
}

/// Where scenarios usually are: in the project, and beside the user's own configuration.
fn usual_folders(place: &CurrentProject) -> Vec<PathBuf> {
    let layers = LayerFiles::usual(&place.world, &place.project);
    let user = layers.iter().find(|(kind, _)| *kind == LayerKind::User);
    let user = user.and_then(|(_, file)| Some(file.parent()?.join("tests")));
    std::iter::once(place.project.join(USUAL)).chain(user).collect()
}

fn read_file(path: &Path) -> Result<Result<Vec<Scenario>, Mistake>, CliError> {
    let cannot = |why: &dyn Display| CliError::unreadable(path, why);
    let size = fs::metadata(path).map_err(|error| cannot(&error))?.len();
    if size > MOST_BYTES {
        return Err(cannot(&format_args!("it has {size} bytes; a scenario file has at most {MOST_BYTES}")));
    }
    let bytes = careful_read(path, Links::Follow, MOST_BYTES).map_err(|error| cannot(&error))?;
    let text = String::from_utf8(bytes).map_err(|error| cannot(&error))?;
    let source = Arc::new(Source { path: path.to_owned(), text });
    let toml = path.extension().is_some_and(|extension| extension == "toml");
    Ok(if toml { toml_file::read(&source) } else { markdown::read(&source) })
}

/// A file itself, or every Markdown and TOML file below a folder, sorted.
fn collect(path: &Path) -> Result<Vec<PathBuf>, CliError> {
    let wanted = |path: &Path| path.extension().is_some_and(|extension| extension == "md" || extension == "toml");
    files_below(path, &[], &wanted)
}

fn save(scenarios: &[Scenario], outcomes: &[ScenarioOutcome]) -> Result<usize, CliError> {
    let changes = update::rewrite(scenarios, outcomes);
    for (path, text) in &changes {
        update::save(path, text)
            .map_err(|error| CliError::machine(format!("cannot write `{}`: {error}", path.display())))?;
    }
    Ok(changes.len())
}

/// This very program, which plays each event as a process of its own.
fn binary() -> Result<PathBuf, CliError> {
    std::env::current_exe()
        .map_err(|error| CliError::machine(format!("cannot determine the path of this program: {error}")))
}
