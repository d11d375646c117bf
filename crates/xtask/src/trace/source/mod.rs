//! The `covers:` comments in the workspace's sources.

mod cursor;
mod rust;
mod typescript;

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use super::files::{self, TraceError, has_extension, relative};

/// Where tests live, and the languages they are written in.
const ROOTS: &[(&str, Language)] =
    &[("crates", Language::Rust), ("examples", Language::Rust), ("clients", Language::TypeScript)];

/// Folders that hold what was built or fetched, not what was written.
const FOREIGN: &[&str] = &["target", "node_modules", "dist"];

/// A comment `// covers: HOOK-107 HOOK-108`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mention {
    pub line: usize,
    pub ids: Vec<String>,
    pub home: Home,
}

/// What a comment stands in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Home {
    /// `line` is where the test begins.
    Test {
        name: String,
        line: usize,
    },
    SkippedTest {
        name: String,
    },
    Nowhere,
}

impl Mention {
    /// Reads a line comment, if it begins with `covers:`. Doc comments count, so that a misplaced one is noticed.
    fn read(comment: &str, line: usize, home: &Home) -> Option<Self> {
        let text = comment.trim_start_matches(['/', '!']);
        let (keyword, list) = text.split_once(':')?;
        if !keyword.trim().eq_ignore_ascii_case("covers") {
            return None;
        }
        let ids = list.split([',', ' ', '\t', '\r']).filter(|id| !id.is_empty()).map(str::to_owned).collect();
        Some(Self { line, ids, home: home.clone() })
    }
}

/// A source file that has such comments, its path relative to the workspace.
#[derive(Debug)]
pub struct SourceFile {
    pub path: String,
    pub mentions: Vec<Mention>,
}

#[derive(Debug, Clone, Copy)]
enum Language {
    Rust,
    TypeScript,
}

impl Language {
    fn owns(self, path: &Path) -> bool {
        match self {
            Self::Rust => has_extension(path, &["rs"]),
            Self::TypeScript => has_extension(path, &["ts", "mts", "js", "mjs"]),
        }
    }

    fn mentions(self, source: &str) -> Vec<Mention> {
        match self {
            Self::Rust => rust::mentions(source),
            Self::TypeScript => typescript::mentions(source),
        }
    }
}

/// Scans the workspace at `root`, in the order of the paths.
pub fn scan(root: &Path) -> Result<Vec<SourceFile>, TraceError> {
    let mut found = Vec::new();
    for &(folder, language) in ROOTS {
        let mut paths = Vec::new();
        collect_paths(&root.join(folder), language, &mut paths)?;
        for path in paths {
            let mentions = language.mentions(&files::read(&path)?);
            if !mentions.is_empty() {
                found.push(SourceFile { path: relative(root, &path), mentions });
            }
        }
    }
    Ok(found)
}

fn collect_paths(folder: &Path, language: Language, paths: &mut Vec<PathBuf>) -> Result<(), TraceError> {
    for path in files::list(folder)? {
        if path.is_dir() {
            if !is_foreign(&path) {
                collect_paths(&path, language, paths)?;
            }
        } else if language.owns(&path) {
            paths.push(path);
        }
    }
    Ok(())
}

fn is_foreign(folder: &Path) -> bool {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    name.starts_with('.') || FOREIGN.contains(&name.as_ref())
}
