//! Checks one file: reads it, asks every lint, then the same for the scripts it names.

use crate::command::Invocation;
use crate::finding::{Finding, Severity, Source};
use crate::hooks::{Folders, Hook, HookFile, Role};
use crate::lint::{Check, Lint, Report};
use crate::lints::{LINTS, file, script};
use crate::recognise::{Kind, kind_of};
use crate::script::{Language, Script};
use crate::surroundings::{Nowhere, Surroundings};
use crate::tree::{self, Looseness, Node, SyntaxError};
use hookrail_dialects::{Agent, Layout, UnknownEvent};
use hookrail_engine::registry::Diagnostic;
use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

mod own;

/// More of one file do not help.
const MOST_FINDINGS: usize = 500;
/// Longer scripts are not looked into.
const SCRIPT_LINES: usize = 5000;
/// Longer command lines are not looked into.
const INLINE_BYTES: usize = 4096;

/// Finds the mistakes in a hook configuration and in the scripts it names, in the order of the file. What `hookrail.toml` may
/// say is the engine's business, which tells what is wrong with it: see [`from_diagnostic`].
#[must_use]
pub fn check(kind: Kind, source: &Arc<Source>, around: &dyn Surroundings) -> Vec<Finding> {
    match kind {
        Kind::Hookrail => own::check(source, around),
        Kind::Agent { agent, role } => check_agent(agent, role, source, around),
    }
}

/// Why an agent will not read a file at all: what makes it drop the whole of it. Nothing if it reads it.
#[must_use]
pub fn unread(agent: &'static Agent, source: &Arc<Source>) -> Vec<Finding> {
    if matches!(agent.format.layout, Layout::Scripts | Layout::Module) {
        return Vec::new();
    }
    let Kind::Agent { role, .. } = kind_of(agent, &source.path) else { return Vec::new() };
    let mut codes = vec![file::SYNTAX.code, file::JSONC.code, file::ROOT_KEY.code];
    if agent.format.unknown_event == UnknownEvent::RejectsFile {
        codes.push(file::UNKNOWN_EVENT.code);
    }
    let mut findings = check_agent(agent, role, source, &Nowhere);
    findings.retain(|finding| codes.contains(&finding.code));
    findings
}

/// What the engine says about `hookrail.toml`, as a finding in the file's text.
#[must_use]
pub fn from_diagnostic(diagnostic: &Diagnostic, source: &Arc<Source>) -> Finding {
    let start = diagnostic.origin.position.map_or(0, |(line, column)| offset(&source.text, line, column));
    let rest = source.text.get(start..).unwrap_or_default();
    let word = marked_length(rest);
    Finding {
        code: file::HOOKRAIL_TOML.code,
        severity: Severity::Error,
        source: source.clone(),
        span: start..start + word,
        message: diagnostic.message.clone(),
        hint: diagnostic.hint.clone(),
    }
}

/// How much is marked of what a finding is about: a whole header, a value in quotes, or else a word.
fn marked_length(rest: &str) -> usize {
    let first = rest.chars().next().unwrap_or_default();
    let end = match first {
        '[' => rest.find('\n'),
        '"' | '\'' => rest.get(1..).and_then(|inner| inner.find([first, '\n'])).map(|at| at + 2),
        _ => rest.find(|c: char| c.is_whitespace() || ".=]".contains(c)),
    };
    end.filter(|end| rest.is_char_boundary(*end)).unwrap_or(rest.len())
}

fn offset(text: &str, line: u32, column: u32) -> usize {
    let lines = text.split_inclusive('\n').take(line.saturating_sub(1) as usize);
    let start: usize = lines.map(str::len).sum();
    let rest = text.get(start..).unwrap_or_default();
    start + rest.char_indices().nth(column.saturating_sub(1) as usize).map_or(rest.len(), |(at, _)| at)
}

fn check_agent(agent: &'static Agent, role: Role, source: &Arc<Source>, around: &dyn Surroundings) -> Vec<Finding> {
    let mut findings = Vec::new();
    match read(source, agent) {
        Ok((root, looseness)) => {
            let folders = folders(&source.path, role, around);
            let file = HookFile { agent, role, source, root: &root, looseness, around, folders };
            LINTS.iter().copied().for_each(|lint| run(lint, &file, &mut findings));
            findings.extend(file.hooks().flat_map(|hook| check_inline(&hook)));
            findings.sort_by_key(|finding| finding.span.start);
            let mut seen = HashSet::new();
            let hooks = file.hooks().filter(|hook| seen.insert((hook.event_name(), hook.command().map(|it| it.1))));
            findings.extend(check_scripts(hooks.flat_map(|hook| scripts(&hook))));
            findings.truncate(MOST_FINDINGS);
        }
        Err(error) => {
            let mut report = Report { lint: &file::SYNTAX, source, findings: &mut findings };
            report.say_with_hint(&error.span, error.message, "none of the file's hooks run until it can be read");
        }
    }
    findings
}

pub(crate) fn read(source: &Source, agent: &Agent) -> Result<(Node, Looseness), SyntaxError> {
    let (root, looseness) = if source.path.extension().is_some_and(|extension| extension == "toml") {
        tree::read_toml(&source.text).map(|root| (root, Looseness::default()))?
    } else {
        tree::read_json(&source.text)?
    };
    Ok((tree::canonical(root, agent, &source.path), looseness))
}

fn run(lint: &'static Lint, file: &HookFile<'_>, findings: &mut Vec<Finding>) {
    let mut report = Report { lint, source: file.source, findings };
    match lint.check {
        Check::File(check) => check(file, &mut report),
        Check::Group(check) => file.groups().for_each(|group| check(&group, &mut report)),
        Check::Hook(check) => file.hooks().for_each(|hook| check(&hook, &mut report)),
        Check::Script(_) | Check::Reading => {}
    }
}

/// Each script once, however many hooks name it; what it does wrong on several events is said once.
fn check_scripts(scripts: impl IntoIterator<Item = Script>) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    for script in scripts {
        let mut found = Vec::new();
        for lint in LINTS.iter().copied() {
            if let Check::Script(check) = lint.check {
                check(&script, &mut Report { lint, source: &script.source, findings: &mut found });
            }
        }
        found.sort_by_key(|finding| finding.span.start);
        found.retain(|finding| !is_waived(finding));
        for finding in found {
            let same = |known: &Finding| {
                known.code == finding.code && known.span == finding.span && known.source.path == finding.source.path
            };
            if !findings.iter().any(same) {
                findings.push(finding);
            }
        }
    }
    findings
}

/// Whether the line says that this is meant: `# hookrail: ignore exit-one`.
fn is_waived(finding: &Finding) -> bool {
    let line = finding.source.text.lines().nth(finding.place().line - 1).unwrap_or_default();
    let codes = line.split_once("hookrail: ignore ").map(|(_, codes)| codes).unwrap_or_default();
    codes.split([' ', ',']).any(|code| code == finding.code)
}

/// A command line that is a small script itself: `grep -q x && exit 1`.
fn check_inline(hook: &Hook<'_>) -> Vec<Finding> {
    let file = hook.file();
    let (Some((node, text)), Some(event)) = (hook.command(), hook.group.event.event()) else { return Vec::new() };
    let speaks = ["exit ", "{", "jq -n"].iter().any(|word| text.contains(word));
    if !speaks || text.len() > INLINE_BYTES || hook.node.member("args").is_some() {
        return Vec::new();
    }
    let source = Arc::new(Source { path: file.source.path.clone(), text: text.to_owned() });
    let script = Script::new(file.agent.into(), event, hook.event_name(), source, Language::Shell);
    let mut findings = check_scripts([script]);
    // Variables in command lines have a lint of their own.
    findings.retain(|finding| finding.code != script::VARIABLE_NEVER_SET.code);
    for finding in &mut findings {
        finding.span = file.part(node, &finding.span);
        finding.source = file.source.clone();
    }
    findings
}

pub(crate) fn scripts(hook: &Hook<'_>) -> Vec<Script> {
    let file = hook.file();
    let Some(event) = hook.group.event.event() else { return Vec::new() };
    let script = |invocation: Invocation| {
        let (source, language) = read_script(&invocation, file.around)?;
        Some(Script::new(file.agent.into(), event.clone(), hook.event_name(), source, language))
    };
    hook.invocations().into_iter().filter_map(script).collect()
}

fn read_script(invocation: &Invocation, around: &dyn Surroundings) -> Option<(Arc<Source>, Language)> {
    let Invocation::Script { path, interpreter, .. } = invocation else { return None };
    let text = around.read_script(path).filter(|text| text.lines().count() <= SCRIPT_LINES)?;
    let language = Language::recognise(path, interpreter.as_deref(), &text)?;
    Some((Arc::new(Source { path: path.clone(), text }), language))
}

/// A file in `.claude` and the like belongs to the folder above, unless that is the user's home; one in `hooks` to the
/// plugin above.
pub(crate) fn folders(path: &Path, role: Role, around: &dyn Surroundings) -> Folders {
    let folder = path.parent();
    let above = folder.and_then(Path::parent);
    let name = folder.and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let users = above.is_some() && above == around.home().as_deref();
    if name == "hooks" && role == Role::HooksOnly {
        return Folders { project: None, plugin: above.map(Path::to_path_buf) };
    }
    if name.starts_with('.') && !users {
        return Folders { project: above.map(Path::to_path_buf), plugin: None };
    }
    let elsewhere = users || around.home().is_some_and(|home| path.starts_with(home.join(".config")));
    Folders { project: (!elsewhere).then(|| around.project()), plugin: None }
}
