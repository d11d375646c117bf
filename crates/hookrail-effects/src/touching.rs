//! Which effects change a given path.

use crate::act::Act;
use crate::effect::{Effect, Effects};
use crate::location::Location;
use crate::object::PathObject;
use crate::paths::{Beginning, Concern, PathPattern, names, pattern_names_within};
use hookrail_core::tidy_path::{is_same, is_within};
use std::path::Path;

impl Effects {
    /// The effects that change a path: the path itself, by whatever name, a folder above it that is deleted, moved, linked
    /// or gets other permissions, everything below a folder, or a pattern that may name it. The path is absolute and tidy;
    /// to find what happens through links, ask for the resolved path, too.
    pub fn touching<'e>(&'e self, path: &'e Path) -> impl Iterator<Item = &'e Effect> {
        self.list.iter().filter(move |effect| effect.touches(path))
    }

    /// The paths that are changed, for guards that match patterns of their own.
    pub fn changed_paths(&self) -> impl Iterator<Item = (&Effect, &PathObject)> {
        self.list
            .iter()
            .filter(|effect| effect.changes_something_here())
            .filter_map(|effect| Some((effect, effect.on.path.as_deref()?)))
    }
}

impl Effect {
    /// Whether a path of this machine is changed: conditions hold, and it does not happen on another machine.
    fn changes_something_here(&self) -> bool {
        self.act.changes_path() && !self.unmet && self.place != Location::Remote
    }

    /// Whether this effect changes a path. See [`Effects::touching`].
    #[must_use]
    pub fn touches(&self, path: &Path) -> bool {
        self.touches_any([path])
    }

    /// Whether this effect changes one of several paths. See [`Effects::touching`].
    #[must_use]
    pub fn touches_any<'p>(&self, paths: impl IntoIterator<Item = &'p Path>) -> bool {
        let Some(object) = self.on.path.as_deref().filter(|_| self.changes_something_here()) else { return false };
        let below = object.recursive || self.act.reaches_below();
        let object_names = [Some(object.resolved.as_path()), object.through.as_deref()];
        if !object.pattern {
            let is_changed = |name: &Path, path: &Path| is_same(name, path) || below && is_within(path, name);
            return paths.into_iter().any(|path| object_names.into_iter().flatten().any(|name| is_changed(name, path)));
        }
        let patterns = object_names.map(|name| name.map(|name| (Beginning::of(name), PathPattern::of(name))));
        let is_changed = |(beginning, pattern): &(Beginning<'_>, PathPattern<'_>), path: &Path| {
            let concern = if beginning.fits(path) { pattern.concerns(names(path)) } else { None };
            concern == Some(Concern::Named) || below && concern.is_some()
        };
        paths.into_iter().any(|path| patterns.iter().flatten().any(|pattern| is_changed(pattern, path)))
    }

    /// Whether this effect changes a folder or something in it. A link in the folder that leads out of it is in it if it is
    /// deleted, moved or made, and is not if something is written through it.
    #[must_use]
    pub fn touches_within(&self, folder: &Path) -> bool {
        let Some(object) = self.on.path.as_deref().filter(|_| self.changes_something_here()) else { return false };
        let of_link = matches!(self.act, Act::FsDelete | Act::FsMove | Act::FsLink);
        let text = (of_link || object.pattern).then_some(object.resolved.as_path());
        let mut names = [text, Some(object.real())].into_iter().flatten();
        let within = |name: &Path| {
            if object.pattern { pattern_names_within(name, folder) } else { is_within(name, folder) }
        };
        names.any(within) || self.touches(folder)
    }
}

impl Act {
    /// Whether what is done to a folder happens to what is in it.
    #[must_use]
    pub const fn reaches_below(self) -> bool {
        matches!(self, Self::FsDelete | Self::FsMove | Self::FsPermissions)
    }
}
