//! Reads of what `[core] secret` lists.

use super::listed::Listed;
use crate::changes::Search;
use crate::pattern::{PathPattern, any_matches};
use hookrail_core::display::one_line;
use hookrail_core::{FileKind, HookError, World};
use hookrail_effects::{
    Act, Effect, GivenFor, GivenPath, Location, PathObject, ReadDepth, Repository, Understanding, WorldReader,
};
use std::path::{Path, PathBuf};

/// A read of something listed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum SecretRead {
    /// It is read, as the call spells it.
    Told(String),
    /// There is too much in this folder to be sure.
    Possible(String),
    /// A program of which nothing is known is given it.
    Given { program: String, path: String },
}

/// Something that a call reads although it is listed.
pub(super) fn read_secret(call: &Understanding, world: &dyn World) -> Result<Option<SecretRead>, HookError> {
    let project = &call.around.project;
    let listed = Listed::read("secret", project, world)?;
    if listed.is_empty() {
        return Ok(None);
    }
    let secrets = Secrets { listed, world, project };
    let mut reads = call.effects.list.iter().filter(|effect| reads(effect));
    let read = reads.find_map(|effect| secrets.reached_by(effect, effect.on.path.as_deref()?));
    Ok(read.or_else(|| secrets.given(call)))
}

/// Whether an effect brings the content of a path into reach: it is read, gets another name that is not listed, or is run,
/// which shows the lines that are no commands.
fn reads(effect: &Effect) -> bool {
    !effect.unmet
        && effect.place != Location::Remote
        && (effect.is(Act::FsRead) || matches!(effect.act, Act::FsMove | Act::ExecRun))
}

struct Secrets<'a> {
    listed: Listed,
    world: &'a dyn World,
    project: &'a Path,
}

impl Secrets<'_> {
    fn given(&self, call: &Understanding) -> Option<SecretRead> {
        let listed = |path: &PathObject| self.listed.covers(&path.resolved) || self.listed.covers(path.real());
        let reads = |given: &&GivenPath| matches!(given.purpose, GivenFor::Anything | GivenFor::Reading);
        let given = call.effects.given.iter().filter(reads).find(|given| listed(&given.path))?;
        Some(SecretRead::Given { program: given.program.to_string(), path: given.path.written.to_string() })
    }

    fn reached_by(&self, effect: &Effect, path: &PathObject) -> Option<SecretRead> {
        if path.look == ReadDepth::Name {
            return None;
        }
        let names = || [Some(path.resolved.as_path()), path.through.as_deref()].into_iter().flatten();
        if names().any(|name| self.listed.covers(name)) {
            return Some(SecretRead::Told(path.written.to_string()));
        }
        if !(path.recursive || path.pattern || effect.act == Act::FsMove) {
            return None;
        }
        // A read of a folder reaches what is in it as a change of everything below it would.
        let as_change = Effect { act: Act::FsWrite, ..effect.clone() };
        let deep = path.recursive || effect.act == Act::FsMove;
        let reached = |entry: &Path| {
            // A pattern that names a folder reads nothing in it.
            let is_content = deep || !matches!(self.world.kind(entry), Ok(Some(FileKind::Folder)));
            as_change.touches(entry) && is_content && !self.is_skipped(entry, path.look)
        };
        names().find_map(|name| match self.listed.find_in(name, self.world, reached) {
            Search::Found(found) => {
                let found = found.strip_prefix(self.project).unwrap_or(&found);
                Some(SecretRead::Told(found.display().to_string()))
            }
            Search::TooMuch => Some(SecretRead::Possible(path.written.to_string())),
            Search::Nothing => None,
        })
    }

    /// Whether a search leaves a file out: git ignores it or does not know it, or it is hidden.
    fn is_skipped(&self, file: &Path, look: ReadDepth) -> bool {
        let hidden = match look {
            ReadDepth::Content | ReadDepth::Name => return false,
            ReadDepth::Tracked => return !self.is_tracked(file),
            ReadDepth::Search { hidden } => hidden,
        };
        let relative = file.strip_prefix(self.project).unwrap_or(file);
        let is_hidden = relative.components().any(|part| part.as_os_str().to_string_lossy().starts_with('.'));
        is_hidden && !hidden || any_matches(&self.ignored(), relative)
    }

    fn is_tracked(&self, file: &Path) -> bool {
        let machine = WorldReader(self.world);
        let repository = Repository::around(file, &machine);
        repository.and_then(|repository| repository.known_file(file, &machine)).is_some()
    }

    fn ignored(&self) -> Vec<PathPattern> {
        let file: PathBuf = self.project.join(".gitignore");
        let text = self.world.read(&file).ok().flatten().unwrap_or_default();
        String::from_utf8_lossy(&text).lines().filter_map(PathPattern::parse).collect()
    }
}

pub(super) fn question(path: &str) -> String {
    format!(
        "There are too many files below `{}` to see whether one that is listed under `[core] secret` would be read. A person \
         can allow it; else name the files that are meant",
        one_line(path)
    )
}

pub(super) fn question_about(program: &str, path: &str) -> String {
    format!(
        "`{}` is listed under `[core] secret`, and hookrail does not know what `{}` does with it. A person can allow it, or \
         run it in a terminal",
        one_line(path),
        one_line(program)
    )
}

pub(super) fn refusal(path: &str) -> String {
    format!(
        "`{}` is listed under `[core] secret` and must not be read by a tool. Do not try another way; if something in it is \
         needed, ask the user",
        one_line(path)
    )
}
