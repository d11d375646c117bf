//! What only a person may change: agents' hook files and what belongs to hookrail.

use crate::act::Act;
use crate::analysis::Analysis;
use crate::object::PathObject;
use crate::paths::{Beginning, Concern, PathPattern, names};
use hookrail_core::tidy_path::{below, is_same, is_tidy, is_within};
use std::borrow::Cow;
use std::cell::LazyCell;
use std::path::Path;

/// A file or folder that is guarded, relative to the project and to the home folder, or absolute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Guarded {
    /// Components may be patterns; a slash at the end means everything below.
    pub path: Cow<'static, str>,
}

const fn guarded(path: &'static str) -> Guarded {
    Guarded { path: Cow::Borrowed(path) }
}

/// hookrail's own folders and the files in which well-known agents keep hooks and permissions.
pub const DEFAULT_GUARDED: &[Guarded] = &[
    guarded(".hookrail/"),
    guarded(".config/hookrail/"),
    guarded("/etc/hookrail/"),
    guarded(".claude/settings.json"),
    guarded(".claude/settings.local.json"),
    guarded(".claude/hooks/"),
    guarded(".claude.json"),
    guarded("/etc/claude-code/"),
    guarded(".codex/hooks.json"),
    guarded(".codex/config.toml"),
    guarded(".codex/rules/"),
    guarded(".gemini/settings.json"),
    guarded(".gemini/hooks/"),
    guarded(".llxprt/settings.json"),
    guarded(".config/llxprt-code/settings.json"),
    guarded(".qwen/settings.json"),
    guarded(".cursor/hooks.json"),
    guarded(".cursor/mcp.json"),
    guarded(".cursor/cli.json"),
    guarded(".factory/settings.json"),
    guarded(".factory/hooks.json"),
    guarded(".github/hooks/"),
    guarded(".copilot/config.json"),
    guarded(".opencode/plugin/"),
    guarded(".opencode/plugins/"),
    guarded("opencode.json"),
    guarded(".config/opencode/"),
    guarded(".windsurf/hooks.json"),
    guarded(".codeium/windsurf/hooks.json"),
    guarded(".kiro/hooks/"),
    guarded(".kiro/settings/"),
    guarded(".amazonq/cli-agents/"),
    guarded(".mcp.json"),
];

/// How a change of a path concerns something guarded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GuardedRelation {
    /// It is the path itself, or below a guarded folder.
    Inside,
    /// It is a folder above it.
    Above,
}

/// Whether a path is guarded or a folder above something guarded, with project and home as the roots.
pub(crate) fn reach(path: &Path, list: &[Guarded], roots: &[&Path]) -> Option<GuardedRelation> {
    // A folder far above (`/`, the home folder) needs no comparison with every entry.
    if roots.iter().any(|root| is_within(root, path)) {
        return Some(GuardedRelation::Above);
    }
    let names = || roots.iter().filter_map(|root| below(path, root)).chain([path]);
    // Names with another first letter are neither the same nor around each other.
    let first_of = |name: &[u8]| name.first().map_or(0, |first| 1_u64 << (first % 64));
    let firsts = names().fold(0, |firsts, name| firsts | first_of(name.as_os_str().as_encoded_bytes()));
    let mut above = None;
    for entry in list.iter().filter(|entry| firsts & first_of(entry.path.as_bytes()) != 0) {
        for path in names() {
            let (trimmed, whole_folder) = entry.path.strip_suffix('/').map_or((&*entry.path, false), |it| (it, true));
            let trimmed = Path::new(trimmed);
            if is_same(path, trimmed) || (whole_folder && is_within(path, trimmed)) {
                return Some(GuardedRelation::Inside);
            }
            if is_within(trimmed, path) {
                above = Some(GuardedRelation::Above);
            }
        }
    }
    above
}

/// The same for a pattern that is not expanded.
pub(crate) fn pattern_reach(pattern: &Path, list: &[Guarded], roots: &[&Path]) -> Option<GuardedRelation> {
    let (beginning, pattern) = (Beginning::of(pattern), LazyCell::new(|| PathPattern::of(pattern)));
    let are_tidy = roots.iter().all(|root| is_tidy(root));
    let mut above = None;
    for root in roots {
        let within = beginning.within(root);
        for entry in list.iter().filter(|entry| !are_tidy || within.fits(&entry.path)) {
            let trimmed = entry.path.trim_end_matches('/');
            // An absolute entry is in no root.
            let root = if trimmed.starts_with('/') { Path::new("") } else { root };
            match pattern.concerns(names(root).chain(names(Path::new(trimmed)))) {
                Some(Concern::Named) => return Some(GuardedRelation::Inside),
                Some(Concern::Above) => above = Some(GuardedRelation::Above),
                None => {}
            }
        }
    }
    above
}

impl Analysis<'_> {
    /// Reports whether an act changes something guarded, or a folder above it.
    pub(crate) fn changes_guard(&self, act: Act, path: &PathObject) -> bool {
        let project = self.around.project.as_path();
        let roots: &[&Path] = match self.around.home.as_deref() {
            Some(home) => &[project, home],
            None => &[project],
        };
        let find = if path.pattern { pattern_reach } else { reach };
        let of = |at: &Path| find(at, &self.around.guarded, roots);
        // What git does not know, somewhere in the tree: nothing of it is aimed at a guard.
        let everything = path.pattern
            && path.resolved.ends_with("**")
            && path.resolved.parent().is_some_and(|folder| roots.iter().any(|root| is_within(root, folder)));
        if everything {
            return false;
        }
        let found = [of(&path.resolved), path.through.as_deref().and_then(of)];
        if found == [None, None] {
            return false;
        }
        // A folder far above is its own, worse effect, unless everything below it is written.
        let whole = roots.iter().any(|root| is_within(root, &path.resolved));
        found.contains(&Some(GuardedRelation::Inside))
            || found.contains(&Some(GuardedRelation::Above))
                && !whole
                && (act != Act::FsWrite && act != Act::HostPersist && act != Act::FsLink || path.recursive)
                && self.above_something(path)
    }

    /// A folder above guarded files counts only if one of them is there: `.github` is above `.github/hooks`, which most
    /// projects do not have.
    fn above_something(&self, path: &PathObject) -> bool {
        let roots = [Some(self.around.project.as_path()), self.around.home.as_deref()];
        let pattern = path.pattern.then(|| PathPattern::of(&path.resolved));
        self.around.guarded.iter().any(|entry| {
            roots.iter().flatten().any(|root| {
                let full = root.join(entry.path.trim_end_matches('/'));
                let below = is_within(&full, &path.resolved)
                    || pattern.as_ref().is_some_and(|pattern| pattern.concerns(names(&full)).is_some())
                    || path.through.as_ref().is_some_and(|through| is_within(&full, through));
                below && self.machine.kind(&full).is_some()
            })
        })
    }
}
