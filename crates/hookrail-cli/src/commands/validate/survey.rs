//! Files, checked.

use super::disk::Disk;
use super::files::ConfigFile;
use crate::current_project::CurrentProject;
use crate::error::CliError;
use crate::screen::Progress;
use hookrail_engine::layers::{ConfigCache, LayerFiles, LayerKind, Settings};
use hookrail_lint::{Finding, Kind, ListedHook, Severity, Source};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// No configuration is longer.
const CONFIG_BYTES: u64 = 4 * 1024 * 1024;

/// A file and what is wrong with it.
#[derive(Debug)]
pub struct CheckedFile {
    pub path: PathBuf,
    /// `None` if it could not be read or recognised.
    pub kind: Option<Kind>,
    /// What is wrong in it and in its scripts, or why that is unknown.
    pub findings: Result<Vec<Finding>, CliError>,
    source: Option<Arc<Source>>,
}

/// Everything that was checked.
#[derive(Debug)]
pub struct Survey {
    pub files: Vec<CheckedFile>,
}

impl Survey {
    pub fn of(files: &[ConfigFile], place: &CurrentProject) -> Self {
        let disk = Disk::new(place);
        let progress = Progress::new("checking", files.len() as u64);
        let check = |file: &ConfigFile| {
            let checked = check_file(file, &disk, place);
            progress.advance(1);
            checked
        };
        Self { files: files.iter().map(check).collect() }
    }

    /// Without the findings of some codes.
    pub fn without(mut self, codes: &[&str]) -> Self {
        for findings in self.files.iter_mut().filter_map(|file| file.findings.as_mut().ok()) {
            findings.retain(|finding| !codes.contains(&finding.code));
        }
        self
    }

    pub fn findings(&self) -> impl Iterator<Item = &Finding> {
        self.files.iter().flat_map(|file| file.findings.iter().flatten())
    }

    pub fn count(&self, severity: Severity) -> usize {
        self.findings().filter(|finding| finding.severity == severity).count()
    }

    pub fn unreadable(&self) -> impl Iterator<Item = (&Path, &CliError)> {
        self.files.iter().filter_map(|file| Some((file.path.as_path(), file.findings.as_ref().err()?)))
    }
}

impl CheckedFile {
    /// The command hooks it tells its agent about.
    pub fn hooks(&self, place: &CurrentProject) -> Vec<ListedHook> {
        let found = self.kind.zip(self.source.as_ref());
        found.map(|(kind, source)| hookrail_lint::list(kind, source, &Disk::new(place))).unwrap_or_default()
    }

    pub fn count(&self, severity: Severity) -> usize {
        self.findings.iter().flatten().filter(|finding| finding.severity == severity).count()
    }
}

fn check_file(file: &ConfigFile, disk: &Disk<'_>, place: &CurrentProject) -> CheckedFile {
    let mut checked = CheckedFile { path: file.path.clone(), kind: file.kind, findings: Ok(Vec::new()), source: None };
    let source = match read(&file.path) {
        Ok(text) => Arc::new(Source { path: file.path.clone(), text }),
        Err(why) => {
            checked.findings = Err(why);
            return checked;
        }
    };
    checked.source = Some(source.clone());
    checked.kind = file.kind.or_else(|| hookrail_lint::recognise(&source.path, &source.text));
    checked.findings = match checked.kind {
        Some(kind) => {
            let mut findings = if matches!(kind, Kind::Hookrail) { diagnose(&source, place) } else { Vec::new() };
            findings.extend(hookrail_lint::check(kind, &source, disk));
            Ok(findings)
        }
        None => Err(CliError::input("not a hook configuration that hookrail knows")
            .hint("name the agent it is for with `--agent`")),
    };
    checked
}

/// Read by the engine, exactly as `hookrail hook` would.
fn diagnose(source: &Arc<Source>, place: &CurrentProject) -> Vec<Finding> {
    // A file at an unusual place is read as one that comes with a project, which may say the least.
    let usual = LayerFiles::usual(&place.world, &place.project);
    let kind = usual.iter().find(|(_, path)| *path == source.path).map_or(LayerKind::Project, |(kind, _)| kind);
    let layer = LayerFiles::new(vec![(kind, source.path.clone())]);
    let mut settings = ConfigCache::in_state(None).load(&layer, &place.world);
    hookrail_packs::check_names(&mut |group, known| settings.check_names(group, known));
    let found = settings.diagnostics().iter().map(|diagnostic| hookrail_lint::from_diagnostic(diagnostic, source));
    let warnings = warnings(source, place, &settings);
    found.chain(without_effect(source, place)).chain(warnings).collect()
}

/// What is doubtful about the rules of this file, among those of all layers if it is one of them.
fn warnings(source: &Arc<Source>, place: &CurrentProject, alone: &Settings) -> Vec<Finding> {
    let own = source.path.to_string_lossy();
    let usual = LayerFiles::usual(&place.world, &place.project);
    let settings = if usual.iter().any(|(_, path)| path == source.path) { &place.settings } else { alone };
    let found = settings.warnings().iter().filter(|warning| *warning.origin.place == *own);
    let finding = |found| Finding { severity: Severity::Warning, ..hookrail_lint::from_diagnostic(found, source) };
    found.map(finding).collect()
}

/// What this file says for nothing, because of the other layers that count here.
fn without_effect(source: &Arc<Source>, place: &CurrentProject) -> Vec<Finding> {
    let own = source.path.to_string_lossy();
    let found = place
        .settings
        .without_effect(&hookrail_engine::firm_names(hookrail_packs::packs()))
        .into_iter()
        .filter(|found| *found.origin.place == *own);
    let finding = |found| Finding { severity: Severity::Warning, ..hookrail_lint::from_diagnostic(&found, source) };
    found.map(finding).collect()
}

fn read(path: &Path) -> Result<String, CliError> {
    let found = std::fs::metadata(path).map_err(CliError::machine)?;
    if !found.is_file() {
        return Err(
            CliError::usage("it is not a file").hint("name a file, or leave it out to check all of this project")
        );
    }
    if found.len() > CONFIG_BYTES {
        return Err(CliError::input(format!("too large: {} MiB", found.len() / (1024 * 1024))));
    }
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(CliError::machine)?;
    file.take(CONFIG_BYTES).read_to_end(&mut bytes).map_err(CliError::machine)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
