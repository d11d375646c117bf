//! What a tool call changes, for the guards that keep files as they are.

use hookrail_core::{Event, FileKind, Outcome, ToolKind, World};
use hookrail_effects::{Act, Effect, Effects, PathObject};
use std::cell::Cell;
use std::path::{Path, PathBuf};

/// Whether a tool call may change files at all. It is asked for every event, so it does not look any further.
pub(crate) fn may_change_files(event: &Event) -> bool {
    event.tool.as_ref().is_some_and(|tool| match tool.kind {
        ToolKind::Write { .. }
        | ToolKind::Edit { .. }
        | ToolKind::Shell { .. }
        | ToolKind::Mcp { .. }
        | ToolKind::Other => true,
        ToolKind::Read { .. }
        | ToolKind::WebFetch { .. }
        | ToolKind::Subagent { .. }
        | ToolKind::Skill { .. }
        | ToolKind::AskUser { .. } => false,
    })
}

/// Asks about a call that was not read to its end; `guarded` names what it may change. Every guard of files asks, because
/// none of them may be the only one that runs.
pub(crate) fn question_about_unread(effects: &Effects, guarded: &str) -> Option<Outcome> {
    effects.over_limit().then(|| {
        Outcome::ask(&format!(
            "This call is too long or too deep to be read to its end, and it may change {guarded}. A person can allow it; else \
             run it in smaller parts"
        ))
    })
}

/// Whether a call changes a file, by its name or by where links lead.
pub(crate) fn changes_file(effects: &Effects, file: &Path, world: &dyn World) -> bool {
    names_of(file, world).iter().any(|name| effects.touching(name).next().is_some())
}

/// A file by its own name, which a link in its place can be deleted under, and by that of where links lead.
pub(crate) fn names_of(file: &Path, world: &dyn World) -> [PathBuf; 2] {
    [file.to_owned(), world.resolve(file)]
}

/// Where a call changes a folder or something in it, links followed.
pub(crate) fn changes_within(effects: &Effects, folder: &Path, world: &dyn World) -> Vec<PathBuf> {
    let names = names_of(folder, world);
    let within = |effect: &Effect, path: &PathObject| {
        names.iter().any(|name| effect.touches_within(name) && !makes_only(effect, path, name))
    };
    let changes = effects.changed_paths().filter(|(effect, path)| within(effect, path));
    changes.map(|(_, path)| path.real().to_owned()).collect()
}

/// So many entries are looked at for one event: a few large `node_modules`.
const MAX_ENTRIES: usize = 200_000;

/// What a search below a folder comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Search {
    Found(PathBuf),
    Nothing,
    /// There is too much to look at, so it may be there.
    TooMuch,
}

impl Search {
    /// Whether what was looked for is there, or may be.
    pub(crate) fn is_possible(&self) -> bool {
        *self != Self::Nothing
    }
}

/// Searches below folders, which have a limit together.
#[derive(Debug)]
pub(crate) struct FolderSearch {
    left: Cell<usize>,
}

impl Default for FolderSearch {
    fn default() -> Self {
        Self { left: Cell::new(MAX_ENTRIES) }
    }
}

impl FolderSearch {
    /// A search that gives up earlier.
    pub(crate) fn short() -> Self {
        Self { left: Cell::new(MAX_ENTRIES / 20) }
    }

    /// Something below a folder, or below the folder that a pattern starts from, that `wanted` says yes to.
    pub(crate) fn find_below(&self, start: &Path, world: &dyn World, wanted: impl Fn(&Path) -> bool) -> Search {
        let plain = start.ancestors().find(|folder| !folder.to_string_lossy().contains(['*', '?', '[', '$']));
        let mut folders = vec![plain.unwrap_or(start).to_owned()];
        while let Some(folder) = folders.pop() {
            for (name, kind) in world.list_kinds(&folder).ok().flatten().unwrap_or_default() {
                let Some(left) = self.left.get().checked_sub(1) else { return Search::TooMuch };
                self.left.set(left);
                let entry = folder.join(&name);
                if wanted(&entry) {
                    return Search::Found(entry);
                }
                if kind == FileKind::Folder && name != ".git" {
                    folders.push(entry);
                }
            }
        }
        Search::Nothing
    }
}

/// Whether an effect makes a folder, at most: `mkdir -p` does nothing to one that exists.
fn makes_only(effect: &Effect, path: &PathObject, folder: &Path) -> bool {
    effect.act == Act::FsWrite && !path.recursive && !path.pattern && path.real() == folder
}
