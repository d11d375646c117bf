//! The hook configurations of agents: mistakes in them, and hooks that get in each other's way.

use super::item::{Area, Item};
use crate::commands::install::HookCommand;
use crate::commands::validate::{self, usual_files};
use crate::current_project::CurrentProject;
use crate::screen::plural;
use hookrail_core::Matcher;
use hookrail_lint::{Agent, Finding, Kind, LINTS, ListedHook, Severity};
use std::path::PathBuf;

/// More mistakes of one file are counted, not shown.
const SHOWN: usize = 4;

/// What agents are told on this machine.
pub struct Survey {
    pub configurations: validate::Survey,
    pub hooks: Vec<AgentHook>,
}

/// A command hook of an agent.
pub struct AgentHook {
    pub agent: &'static Agent,
    pub file: PathBuf,
    pub hook: ListedHook,
}

impl Survey {
    pub fn of(place: &CurrentProject) -> Self {
        let configurations = validate::Survey::of(&usual_files(place), place);
        let hooks = configurations.files.iter().flat_map(|file| {
            let agent = match file.kind {
                Some(Kind::Agent { agent, .. }) => Some(agent),
                Some(Kind::Hookrail) | None => None,
            };
            let listed = file.hooks(place);
            agent.into_iter().flat_map(move |agent| {
                let file = file.path.clone();
                listed.clone().into_iter().map(move |hook| AgentHook { agent, file: file.clone(), hook })
            })
        });
        Self { hooks: hooks.collect(), configurations }
    }
}

impl AgentHook {
    /// `hookrail hook`, whoever wrote it.
    pub fn is_ours(&self) -> bool {
        HookCommand::calls_hookrail(&self.hook.command)
    }

    /// Whether some event runs both.
    pub fn meets(&self, other: &Self) -> bool {
        let overlap = || self.tools().any(|tool| other.matches(tool));
        self.agent.name == other.agent.name && self.hook.event == other.hook.event && overlap()
    }

    fn matcher(&self) -> Matcher {
        Matcher::compile(self.hook.matcher.as_deref(), self.agent.matcher_style()).0
    }

    fn matches(&self, tool: &str) -> bool {
        self.matcher().matches_name(tool)
    }

    /// The tools it runs for; a word of its matcher stands for those that cannot be listed.
    fn tools(&self) -> impl Iterator<Item = &str> {
        let matcher = self.matcher();
        let words = self.hook.matcher.as_deref().unwrap_or("*").split('|');
        self.agent.tool_names().map(|tool| -> &str { tool }).chain(words).filter(move |tool| matcher.matches_name(tool))
    }
}

pub fn examine(place: &CurrentProject, survey: &Survey) -> Area {
    let files = survey.configurations.files.iter().filter(|file| matches!(file.kind, Some(Kind::Agent { .. })));
    let mut items = Vec::new();
    for file in files {
        let path = place.shown(&file.path).display().to_string();
        match &file.findings {
            Err(why) => items.push(Item::wrong(format!("{path}: {why}"), "It is unknown what hooks it has.")),
            Ok(findings) => items.extend(mistakes(&path, findings, place)),
        }
    }
    items.extend(conflicts(place, survey));
    if items.is_empty() {
        let foreign = survey.hooks.iter().filter(|hook| !hook.is_ours()).count();
        items.push(Item::fine(match foreign {
            0 => "no hooks of others".to_owned(),
            count => format!("{count} hook{} of others, no known mistakes", plural(count)),
        }));
    }
    Area { title: "Hook files", items }
}

/// The worst first; what is too much is counted.
pub fn mistakes(path: &str, findings: &[Finding], place: &CurrentProject) -> Vec<Item> {
    let mut findings: Vec<&Finding> = findings.iter().collect();
    findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
    let fix = format!("hookrail validate '{path}'");
    let mut items: Vec<Item> = findings.iter().take(SHOWN).map(|finding| mistake(finding, place)).collect();
    let more = findings.len().saturating_sub(SHOWN);
    if more > 0 {
        let what = format!("{path}: {more} more mistake{}", plural(more));
        items.push(Item::look(what, "They are listed with their lines.").fix(fix));
    }
    items
}

fn mistake(finding: &Finding, place: &CurrentProject) -> Item {
    let at = finding.place();
    let what = format!("{}:{}:{} {}", place.shown(&finding.source.path).display(), at.line, at.column, finding.message);
    let why = LINTS.iter().find(|lint| lint.code == finding.code).map(|lint| lint.why).unwrap_or_default();
    let item = match finding.severity {
        Severity::Error => Item::wrong(what, why),
        Severity::Warning => Item::look(what, why),
    };
    item.fix(finding.hint.clone().unwrap_or_else(|| format!("hookrail validate --explain {}", finding.code)))
}

/// Hooks of others that change or refuse the same things as hookrail.
fn conflicts(place: &CurrentProject, survey: &Survey) -> Vec<Item> {
    let mut items = Vec::new();
    for foreign in survey.hooks.iter().filter(|hook| !hook.is_ours()) {
        let met = survey.hooks.iter().any(|own| own.is_ours() && own.meets(foreign));
        let (does, why) = match (foreign.hook.rewrites, foreign.hook.refuses) {
            (true, _) => ("rewrites", "Both answer at once, and only one of two rewrites is kept."),
            (false, true) => ("refuses", "Both answer at once; the model may hear the other one's reason only."),
            (false, false) => continue,
        };
        if met {
            let at = foreign.hook.place;
            let file = place.shown(&foreign.file).display();
            let what = format!("{file}:{}:{} also {does} at `{}`", at.line, at.column, foreign.hook.event);
            items.push(Item::look(what, why).fix("let hookrail run it: a [[command]] in hookrail.toml"));
        }
    }
    items
}
