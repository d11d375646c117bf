//! A machine made of a few files.

use hookrail_lint::{Finding, FoundFile, Source, Surroundings};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Files of the project `/p`, with their text; those whose name ends in `!` may not be executed.
#[derive(Debug)]
pub struct ProjectFiles<'a>(pub &'a [(&'a str, &'a str)]);

impl Surroundings for ProjectFiles<'_> {
    fn look(&self, path: &Path) -> FoundFile {
        let path = path.to_string_lossy();
        match self.0.iter().find(|(name, _)| path.strip_prefix("/p/") == Some(name.trim_end_matches('!'))) {
            Some((name, _)) => FoundFile::File { executable: !name.ends_with('!') },
            None => FoundFile::Nothing,
        }
    }

    fn read_script(&self, path: &Path) -> Option<String> {
        let path = path.to_string_lossy();
        let found = self.0.iter().find(|(name, _)| path.strip_prefix("/p/") == Some(name.trim_end_matches('!')))?;
        Some(found.1.to_owned())
    }

    fn has_program(&self, name: &str) -> bool {
        name != "nowhere"
    }

    fn home(&self) -> Option<PathBuf> {
        Some("/home/me".into())
    }

    fn project(&self) -> PathBuf {
        "/p".into()
    }
}

/// The path an agent's hooks of the project stand in.
pub fn path_of(agent: &str) -> &'static str {
    match agent {
        "claude" => "/p/.claude/settings.json",
        "plugin" => "/p/hooks/hooks.json",
        "gemini" => "/p/.gemini/settings.json",
        "llxprt" => "/p/.llxprt/settings.json",
        "codex" => "/p/.codex/hooks.json",
        "codex-toml" => "/p/.codex/config.toml",
        "hookrail" => "/p/.hookrail/hookrail.toml",
        other => unreachable!("no agent `{other}`"),
    }
}

pub fn findings(agent: &str, text: &str, files: &[(&str, &str)]) -> Vec<Finding> {
    let source = Arc::new(Source { path: path_of(agent).into(), text: text.to_owned() });
    let kind = hookrail_lint::recognise(&source.path, text);
    kind.map(|kind| hookrail_lint::check(kind, &source, &ProjectFiles(files))).unwrap_or_default()
}

/// A finding as the tables of these tests write it: code, line and column, the marked text.
pub fn shown(finding: &Finding) -> String {
    let place = finding.place();
    let marked = finding.source.text.get(finding.span.clone()).unwrap_or("?").lines().next().unwrap_or_default();
    format!("{} {}:{} {marked}", finding.code, place.line, place.column)
}
