//! Every rule that counts here, as its file has it.

use crate::current_project::{CurrentProject, spelled};
use hookrail_core::{HookPack, Mode, Origin, World};
use hookrail_engine::Diagnostic;
use hookrail_engine::layers::{LayerFiles, LayerKind};
use hookrail_rules::{Exception, Layer, Level, Rule, RuleDecision, RuleFile, Source, read, safety};
use std::path::Path;
use toml_edit::Document;

/// The pack whose rules come with hookrail.
pub const SAFETY: &str = "safety";

/// One rule, with what is known about it apart from what it did.
#[derive(Debug)]
pub struct ListedRule {
    pub rule: Rule,
    /// What it decides here; `None` if it is switched off.
    pub decision: Option<RuleDecision>,
    pub mode: Mode,
    /// The pack it comes with.
    pub pack: Option<&'static str>,
    /// What is doubtful or wrong about it.
    pub notes: Vec<String>,
}

/// All of them.
#[derive(Debug)]
pub struct Inventory {
    pub level: Level,
    pub rules: Vec<ListedRule>,
    pub exceptions: Vec<Exception>,
}

impl Inventory {
    /// The rules of every layer, the highest first, then those of pack `safety`.
    pub fn of(place: &CurrentProject) -> Self {
        let settings = &place.settings;
        let level = settings.safety_level().value;
        let read = files(place);
        let said: Vec<&Diagnostic> = settings.diagnostics().iter().chain(settings.warnings()).collect();
        let own = settings.rules().rules().map(|rule| {
            let examples = written(&rule, &read).map(|written| written.examples.clone());
            let rule = Rule { examples: examples.unwrap_or_default(), ..rule };
            let decision = (rule.mode != Mode::Off).then_some(rule.decide);
            ListedRule { decision, mode: rule.mode, pack: None, notes: notes(&rule.origin, &said), rule }
        });
        let mut rules: Vec<ListedRule> = own.collect();
        rules.extend(safety::files().into_iter().flat_map(|file| file.rules).map(|rule| of_pack(rule, place, level)));
        Self { level, rules, exceptions: settings.rules().exceptions().to_vec() }
    }

    /// The rules of this id, or of what the journal calls them.
    pub fn find(&self, id: &str) -> Vec<&ListedRule> {
        let own = id.strip_prefix("rule/").unwrap_or(id);
        let exact: Vec<&ListedRule> = self.rules.iter().filter(|listed| listed.rule.id == own).collect();
        if !exact.is_empty() {
            return exact;
        }
        // People leave out the pack.
        let is_short = |listed: &&ListedRule| listed.rule.id.split_once('/').is_some_and(|(_, name)| name == own);
        self.rules.iter().filter(is_short).collect()
    }

    /// Where a rule stands, as a person would write it.
    pub fn shown_origin(origin: &Origin, place: &CurrentProject) -> String {
        spelled(&origin.to_string(), &place.project, &place.world)
    }
}

fn of_pack(rule: Rule, place: &CurrentProject, level: Level) -> ListedRule {
    let pack = hookrail_packs::find(SAFETY);
    let default = pack.map_or(Mode::Enforce, |pack| pack.default_mode);
    let firm = pack.is_some_and(HookPack::is_firm);
    let mode = place.settings.mode(&rule.id, default, firm).value;
    let decision = rule.decision_at(level).filter(|_| mode != Mode::Off);
    ListedRule { rule, decision, mode, pack: Some(SAFETY), notes: Vec::new() }
}

/// What was said about the line a rule begins on.
fn notes(origin: &Origin, said: &[&Diagnostic]) -> Vec<String> {
    let line = |origin: &Origin| (origin.place.clone(), origin.position.map(|(line, _)| line));
    let about = said.iter().filter(|diagnostic| line(&diagnostic.origin) == line(origin));
    about.map(|diagnostic| diagnostic.message.clone()).collect()
}

/// A rule as it is written, with its examples, which the compiled form does not have.
fn written<'f>(rule: &Rule, files: &'f [RuleFile]) -> Option<&'f Rule> {
    let mut all = files.iter().flat_map(|file| &file.rules);
    all.find(|written| written.id == rule.id && written.origin == rule.origin)
}

/// The rules of every file that can be read.
fn files(place: &CurrentProject) -> Vec<RuleFile> {
    let files = LayerFiles::usual(&place.world, &place.project);
    let read = |(kind, path): (LayerKind, &Path)| {
        let bytes = place.world.read(path).ok().flatten()?;
        read_text(kind.of_rules(), &path.display().to_string(), &String::from_utf8_lossy(&bytes)).ok()
    };
    files.iter().filter_map(read).collect()
}

/// The rules of a text, or where it is no TOML and why.
pub fn read_text(layer: Layer, place: &str, text: &str) -> Result<RuleFile, (usize, String)> {
    let document = Document::parse(text)
        .map_err(|error| (error.span().map_or(0, |span| span.start), error.message().to_owned()))?;
    let agents: Vec<&'static str> = hookrail_dialects::all().iter().map(|dialect| dialect.name()).collect();
    let position = |offset: usize| position(text, offset);
    let source = Source { layer, place, position: &position, agents: &agents, pack: None };
    Ok(read(document.get("rule"), document.get("exception"), &source))
}

/// Line and column of a byte, both from 1.
pub fn position(text: &str, offset: usize) -> (u32, u32) {
    let (line, column) = hookrail_engine::registry::positions::line_and_column(text, offset);
    (u32::try_from(line).unwrap_or(u32::MAX), u32::try_from(column).unwrap_or(u32::MAX))
}
