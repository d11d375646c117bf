//! What a `find` selects: where, and by which names and paths.

use super::Reading;
use super::files::below;
use crate::analysis::Analysis;
use crate::flow::Arg;
use crate::paths::{matches_glob, tidy};
use hookrail_core::FileKind;

/// So many entries of a tree are looked at.
const MAX_SEEN: usize = 400;
/// So many files are named one by one.
const MAX_FOUND: usize = 16;

/// A pattern over a name or a whole path.
struct Pattern {
    text: Arg,
    /// Whether letters of either case match.
    folds: bool,
    whole: bool,
}

impl Pattern {
    fn matches(&self, name: &str, path: &str) -> bool {
        let text = if self.whole { path } else { name };
        match self.folds {
            true => matches_glob(&self.text.text.to_lowercase(), &text.to_lowercase()),
            false => matches_glob(&self.text.text, text),
        }
    }
}

pub(super) struct Selection {
    pub roots: Vec<Arg>,
    patterns: Vec<Pattern>,
    /// Beginnings of paths that are selected, with a slash at the end.
    folders: Vec<Arg>,
    excluded: Vec<Pattern>,
    /// Whether only what is directly in the roots is selected.
    pub shallow: bool,
    /// Whether links to folders are gone through.
    pub follows: bool,
    /// Whether links alone are selected.
    pub only_links: bool,
}

impl Selection {
    pub(super) fn of(roots: Vec<Arg>, follows: bool) -> Self {
        Self {
            roots,
            patterns: Vec::new(),
            folders: Vec::new(),
            excluded: Vec::new(),
            shallow: false,
            follows,
            only_links: false,
        }
    }

    /// Adds what an option such as `-name` selects, or leaves out.
    pub(super) fn add(&mut self, option: &str, text: &Arg, not: bool) {
        let whole = option.ends_with("path") || option.ends_with("wholename");
        let folds = option.starts_with("-i");
        let pattern = Pattern { text: text.clone(), folds, whole };
        if not {
            self.excluded.push(pattern);
        } else if let Some(folder) = selected_folder(&text.text).filter(|_| whole && !folds) {
            self.folders.push(text.with_text(folder));
        } else if !matches!(text.text.as_str(), "*" | "." | ".." | "./*") {
            self.patterns.push(pattern);
        }
    }

    /// `-path ./x -prune -o`: what was selected so far is left out.
    pub(super) fn prune(&mut self) {
        self.excluded.append(&mut self.patterns);
        for folder in std::mem::take(&mut self.folders) {
            let text = folder.with_text(format!("./{}", folder.text.trim_end_matches('/')));
            self.excluded.push(Pattern { text, folds: false, whole: true });
        }
    }

    /// Whether everything below the roots is selected.
    pub(super) fn is_everything(&self) -> bool {
        self.patterns.is_empty()
            && self.folders.is_empty()
            && self.excluded.is_empty()
            && !self.shallow
            && !self.only_links
    }

    fn excludes(&self, name: &str, path: &str) -> bool {
        self.excluded.iter().any(|not| not.matches(name, path) || not.whole && not.matches(name, &format!("{path}/")))
    }

    /// The files it may find, as arguments for a command.
    pub(super) fn found(&self, r: &Reading<'_, '_, '_>) -> Vec<Arg> {
        let mut found = Vec::new();
        for root in &self.roots {
            for folder in &self.folders {
                found.push(below(root, &format!("{}**", folder.text)));
            }
            if self.only_links && self.patterns.is_empty() && self.folders.is_empty() {
                let any = Pattern { text: Arg::new("*", root.span), folds: false, whole: false };
                let (links, complete) = self.search(r, root, &any);
                found.extend(links);
                found.extend((!complete).then(|| below(root, "**")));
            } else if self.patterns.is_empty() && self.folders.is_empty() {
                // Everything below, hidden files included.
                match self.beside_excluded(r, root) {
                    Some(rest) => found.extend(rest),
                    None => found.push(below(root, "**")),
                }
            }
            for pattern in &self.patterns {
                let name = &pattern.text.text;
                if Analysis::generated_name(name) {
                    found.push(below(root, name));
                    continue;
                }
                let (matches, complete) = self.search(r, root, pattern);
                if !complete || matches.is_empty() && !pattern.whole && !self.only_links {
                    let last = crate::shell::base_name(name);
                    let under = if self.shallow { last.to_owned() } else { format!("**/{last}") };
                    found.push(Arg { glob: Some(root.text.len() + 1), ..below(root, &under) });
                }
                found.extend(matches);
            }
        }
        found
    }

    /// What is directly in a root, without what is left out.
    fn beside_excluded(&self, r: &Reading<'_, '_, '_>, root: &Arg) -> Option<Vec<Arg>> {
        let start = tidy(&r.shell.cwd.as_deref()?.join(&root.text));
        let names = r.analysis.machine.list(&start).filter(|_| !self.excluded.is_empty())?;
        if names.len() > MAX_FOUND * 4 {
            return None;
        }
        let text = root.text.trim_end_matches('/');
        let kept = names.iter().filter(|name| !self.excludes(name, &format!("{text}/{name}")));
        // A pattern may be about something deeper.
        let is_deep = |not: &Pattern| !not.whole || not.text.text.trim_end_matches("/*").matches('/').count() > 1;
        if self.excluded.iter().any(is_deep) {
            return None;
        }
        let each = |name: &String| match r.analysis.machine.kind(&start.join(name)) {
            Some(FileKind::Folder) => below(root, &format!("{name}/**")),
            _ => below(root, name),
        };
        Some(kept.map(each).collect())
    }

    /// Looks for a pattern in the upper levels of the tree, and tells whether that was all.
    fn search(&self, r: &Reading<'_, '_, '_>, root: &Arg, pattern: &Pattern) -> (Vec<Arg>, bool) {
        let Some(cwd) = &r.shell.cwd else { return (Vec::new(), false) };
        let start = tidy(&cwd.join(&root.text));
        let mut folders = vec![(start, root.text.trim_end_matches('/').to_owned())];
        let (mut found, mut seen, mut complete) = (Vec::new(), 0, true);
        while let Some((folder, text)) = folders.pop() {
            for name in r.analysis.machine.list(&folder).unwrap_or_default() {
                seen += 1;
                if seen > MAX_SEEN || found.len() >= MAX_FOUND {
                    return (found, false);
                }
                let written = format!("{text}/{name}");
                if self.excludes(&name, &written) {
                    continue;
                }
                let is_link = r.analysis.machine.kind(&folder.join(&name)) == Some(FileKind::Link);
                if pattern.matches(&name, &written) && (is_link || !self.only_links) {
                    found.push(root.with_text(written.clone()));
                }
                let inner = folder.join(&name);
                let deep = written.matches('/').count() < root.text.matches('/').count() + 3;
                let generated = matches!(name.as_str(), "node_modules" | "target" | ".git");
                if self.shallow || generated {
                    continue;
                }
                if is_link && !self.follows {
                    continue;
                }
                if deep {
                    folders.push((inner, written));
                } else {
                    complete &= r.analysis.machine.kind(&inner) != Some(FileKind::Folder);
                }
            }
        }
        (found, complete)
    }
}

/// The beginning of a path that `-path './src/*'` selects.
fn selected_folder(pattern: &str) -> Option<&str> {
    let relative = pattern.strip_prefix("./")?;
    let wild = relative.find(['*', '?', '['])?;
    let literal = relative.get(..wild).unwrap_or_default();
    literal.rfind('/').and_then(|slash| literal.get(..=slash))
}
