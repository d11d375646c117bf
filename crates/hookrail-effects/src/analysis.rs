//! The collector: what is found while a call is read, and the limits of reading.

use crate::act::Act;
use crate::effect::{Effect, Effects, Gap, GapReason, GivenFor, GivenPath, Step, Sure};
use crate::flow::Arg;
use crate::location::{Location, RecentPlaces, is_database, is_disk, is_generated, locate};
use crate::machine::ReadOnlyWorld;
use crate::mentions::Mentions;
use crate::object::{Object, PathObject, ReadDepth};
use crate::paths::{PathPattern, name_of, names, tidy};
use crate::persist::runs_later;
use crate::proof::DoubtReason;
use crate::resolve::NamedPath;
use crate::secrets::{is_secret_folder, is_secret_path, may_name_secret};
use crate::surroundings::Surroundings;
use hookrail_core::FileKind;
use hookrail_core::tidy_path::is_within;
use hookrail_shell::ast::Span;
use std::path::{Path, PathBuf};

/// So many simple commands are followed, those of functions, loops and scripts included.
const MAX_COMMANDS: usize = 4096;
/// So many bytes arguments may have together.
const MAX_EXPANDED: usize = 512 * 1024;
/// So deep texts, functions and compound commands may stand in each other.
const MAX_DEPTH: usize = 80;
/// So many arguments all programs may get together: `sudo sudo sudo …` passes on what is left each time.
const MAX_ARGUMENTS: usize = 64 * 1024;
/// So many paths are looked at: each costs a few questions to the machine.
const MAX_PATHS: usize = 8192;
/// So many effects are kept; more are a gap.
const MAX_EFFECTS: usize = 1024;
const MAX_GAPS: usize = 32;
/// So many gaps that name something are kept; more are over the limit.
const MAX_NAMED_GAPS: usize = 256;
/// So many paths that programs may write are kept; more are a gap.
const MAX_GIVEN: usize = 1024;

/// A folder of the host that a container sees.
#[derive(Clone, Debug)]
pub(crate) struct Mount {
    pub inside: PathBuf,
    pub host: PathBuf,
    pub writable: bool,
}

/// The reading of one call.
pub(crate) struct Analysis<'m> {
    pub around: &'m Surroundings,
    pub machine: &'m dyn ReadOnlyWorld,
    pub effects: Effects,
    pub via: Vec<Step>,
    /// Inside of a text that is an argument every span is the argument's.
    pub outer: Option<Span>,
    /// Inside of a container: what it sees of the host.
    pub mounts: Option<Vec<Mount>>,
    /// The program that is being read.
    pub program: Box<str>,
    /// What substitutions are made of whose output is only known at run time, by where they stand.
    pub unknown_outputs: Vec<(Span, Box<str>)>,
    /// Secrets that were staged in this call.
    pub staged_secret: bool,
    /// Other folders that the command which is being read may run in.
    pub elsewhere: Vec<PathBuf>,
    /// How many sets of possible values stand around what is being read: none of what they lead to is certain.
    pub ways: usize,
    /// How many conditions that do not hold stand around what is being read.
    pub unmet: usize,
    /// Whether time passed in which others may have changed files.
    pub waited: bool,
    /// Whether a shell goes on when `exec` finds no program: `execfail` was named.
    pub survives_exec: bool,
    /// Symbolic links that this call has made, and where they lead.
    pub links: Vec<(PathBuf, PathBuf)>,
    /// How many shell texts were followed: a claim that rests on a script counts them.
    pub texts: usize,
    /// Paths of which it is known where they lie.
    places: RecentPlaces,
    commands: usize,
    paths: usize,
    arguments: usize,
    /// Bytes of all arguments so far.
    pub expanded: usize,
    depth: usize,
}

/// How a path is treated: by itself, or with everything below it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    Single,
    Below,
}

/// What a path stands for if it is a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Names {
    /// The link itself.
    Entry,
    /// What it leads to.
    Content,
}

impl<'m> Analysis<'m> {
    pub(crate) fn new(around: &'m Surroundings, machine: &'m dyn ReadOnlyWorld) -> Self {
        Self {
            around,
            machine,
            effects: Effects::default(),
            via: Vec::new(),
            outer: None,
            mounts: None,
            program: "".into(),
            staged_secret: false,
            elsewhere: Vec::new(),
            unknown_outputs: Vec::new(),
            ways: 0,
            unmet: 0,
            waited: false,
            survives_exec: false,
            links: Vec::new(),
            texts: 0,
            places: RecentPlaces::default(),
            commands: 0,
            paths: 0,
            arguments: 0,
            expanded: 0,
            depth: 0,
        }
    }

    /// Counts a command, or a round of a loop; `false` when there were too many.
    pub(crate) fn admit(&mut self, span: Span) -> bool {
        self.commands += 1;
        let full = self.effects.list.len() >= MAX_EFFECTS;
        let admitted = self.commands < MAX_COMMANDS && self.expanded < MAX_EXPANDED && !full;
        if !admitted {
            self.over_limit(span);
        }
        admitted
    }

    /// Counts the arguments of a program; `false` when there were too many.
    pub(crate) fn admit_arguments(&mut self, count: usize, span: Span) -> bool {
        self.arguments += count;
        let admitted = self.arguments <= MAX_ARGUMENTS;
        if !admitted {
            self.over_limit(span);
        }
        admitted
    }

    /// Whether anything more would be kept.
    pub(crate) fn has_room(&self) -> bool {
        self.effects.list.len() < MAX_EFFECTS && self.paths < MAX_PATHS && self.expanded < MAX_EXPANDED
    }

    /// Counts a path; `false` when there were too many, or no effect would be kept any more.
    fn admit_path(&mut self, bytes: usize, span: Span) -> bool {
        self.paths += 1;
        self.expanded += bytes;
        let admitted = self.paths <= MAX_PATHS && self.expanded < MAX_EXPANDED && self.effects.list.len() < MAX_EFFECTS;
        if !admitted {
            self.over_limit(span);
        }
        admitted
    }

    /// Notes, once, that the rest is not read.
    pub(crate) fn over_limit(&mut self, span: Span) {
        if !self.effects.gaps.iter().any(|gap| gap.why == GapReason::OverLimit) {
            self.gap(GapReason::OverLimit, span);
        }
    }

    /// The first of some things, so many of them; that there are more is noted.
    pub(crate) fn limited<T>(&mut self, mut things: impl Iterator<Item = T>, most: usize, span: Span) -> Vec<T> {
        let kept = things.by_ref().take(most).collect();
        if things.next().is_some() {
            self.over_limit(span);
        }
        kept
    }

    /// Goes one level deeper, if that is allowed.
    pub(crate) fn deeper<T: Default>(&mut self, span: Span, inner: impl FnOnce(&mut Self) -> T) -> T {
        if self.depth >= MAX_DEPTH {
            self.gap(GapReason::OverLimit, span);
            return T::default();
        }
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        result
    }

    /// Reads something that a wrapper or a script runs; its effects say so.
    pub(crate) fn within<T>(&mut self, step: &str, inner: impl FnOnce(&mut Self) -> T) -> T {
        self.via.push(Step(step.into()));
        let result = inner(self);
        self.via.pop();
        result
    }

    /// Reads a text that stands at `span` of the call.
    pub(crate) fn inside<T>(&mut self, span: Span, inner: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.outer;
        self.outer = before.or(Some(span));
        let result = inner(self);
        self.outer = before;
        result
    }

    /// Keeps the call from being proven.
    pub(crate) fn doubt(&mut self, why: DoubtReason, word: &str, span: Span) {
        self.effects.proof.doubt(why, word, self.outer.unwrap_or(span));
    }

    /// Reports whether this call has written to a file, or to something around it, before.
    pub(crate) fn has_written(&self, file: &Path) -> bool {
        self.effects.list.iter().any(|effect| {
            let Some(path) =
                effect.on.path.as_deref().filter(|_| effect.act.changes_path() && effect.act != Act::FsPermissions)
            else {
                return false;
            };
            let pattern = path.pattern && PathPattern::of(path.real()).concerns(names(file)).is_some();
            pattern || is_within(file, &path.resolved) || is_within(file, path.real())
        })
    }

    /// Reports whether anything that this call did before may have changed a file.
    pub(crate) fn may_have_changed(&self, file: &Path) -> bool {
        let moves_tree = |act: Act| matches!(act, Act::GitBranch | Act::GitDiscard | Act::GitRewrite);
        let anywhere = |effect: &Effect| effect.act.changes_path() && effect.place == Location::Unknown;
        self.has_written(file) || self.effects.list.iter().any(|effect| moves_tree(effect.act) || anywhere(effect))
    }

    /// Notes that a part is not understood.
    pub(crate) fn gap(&mut self, why: GapReason, span: Span) {
        self.gap_with(why, span, Vec::new());
    }

    /// Notes that what is done with some words is not known.
    pub(crate) fn gap_about(&mut self, why: GapReason, span: Span, words: &[Arg], cwd: Option<&Path>) {
        let mut names = self.named_by(words, span, cwd);
        names.extend(self.moved_to(cwd));
        self.gap_with(why, span, names);
    }

    /// The paths that words name. What is not looked up any more is over the limit.
    fn named_by(&mut self, words: &[Arg], span: Span, cwd: Option<&Path>) -> Vec<PathObject> {
        if self.paths >= MAX_PATHS {
            self.over_limit(span);
            return Vec::new();
        }
        let mentions = crate::mentions::of_words(self, words, cwd);
        self.paths += mentions.looked_up;
        if mentions.cut_off {
            self.over_limit(span);
        }
        mentions.names
    }

    /// Notes which paths a program without a model is given.
    pub(crate) fn give(&mut self, program: &str, words: &[Arg], cwd: Option<&Path>) {
        let mut named = self.named_by(words, words.first().map(|word| word.span).unwrap_or_default(), cwd);
        named.extend(self.moved_to(cwd));
        self.give_paths(program, named, GivenFor::Anything);
    }

    /// Notes which paths a program with a model may read or write that its row does not describe.
    pub(crate) fn give_for(&mut self, program: &str, words: &[Arg], cwd: Option<&Path>, purpose: GivenFor) {
        let named = self.named_by(words, words.first().map(|word| word.span).unwrap_or_default(), cwd);
        self.give_paths(program, named, purpose);
    }

    fn give_paths(&mut self, program: &str, paths: Vec<PathObject>, purpose: GivenFor) {
        if self.unmet > 0 {
            return;
        }
        for path in paths {
            let given = GivenPath { program: program.into(), path, purpose };
            if self.effects.given.len() >= MAX_GIVEN {
                self.over_limit(Span::default());
                return;
            }
            // Repetitions follow each other closely.
            if !self.effects.given.iter().rev().take(64).any(|known| *known == given) {
                self.effects.given.push(given);
            }
        }
    }

    /// Notes that a text is not understood.
    pub(crate) fn gap_in_text(&mut self, why: GapReason, span: Span, text: &str, cwd: Option<&Path>) {
        let mentions = self.gap_in_file(why, span, text, cwd);
        if mentions.cut_off {
            self.over_limit(span);
        }
    }

    /// The same for the text of a file. Programs are large, and a person is not asked about each: what is near among the
    /// first names in it counts.
    pub(crate) fn gap_in_file(&mut self, why: GapReason, span: Span, text: &str, cwd: Option<&Path>) -> Mentions {
        let mut mentions = match self.paths < MAX_PATHS {
            true => crate::mentions::in_text(self, text, span, cwd),
            false => Mentions { cut_off: true, ..Mentions::default() },
        };
        self.paths += mentions.looked_up;
        let mut names = std::mem::take(&mut mentions.names);
        names.extend(self.moved_to(cwd));
        self.gap_with(why, span, names);
        mentions
    }

    /// The folder that the call went to: what runs there is likely to be about what is there.
    fn moved_to(&self, cwd: Option<&Path>) -> Vec<PathObject> {
        let moved = cwd.filter(|cwd| !is_within(&self.around.cwd, cwd));
        moved.map_or_else(Vec::new, |cwd| {
            let arg = Arg::new(cwd.to_string_lossy(), Span::default());
            crate::mentions::of_words(self, &[arg], Some(cwd)).names
        })
    }

    fn gap_with(&mut self, why: GapReason, span: Span, names: Vec<PathObject>) {
        let names = if self.unmet > 0 { Vec::new() } else { names };
        let gap = Gap { why, span: self.outer.unwrap_or(span), program: self.program.clone(), names };
        let known = &self.effects.gaps;
        let is_new_kind = || known.iter().all(|known| known.why != gap.why);
        let most = if gap.names.is_empty() { MAX_GAPS } else { MAX_NAMED_GAPS };
        if (known.len() < most || is_new_kind()) && !known.contains(&gap) {
            self.effects.gaps.push(gap);
        } else if !gap.names.is_empty() && known.len() >= most && !known.contains(&gap) {
            self.over_limit(span);
        }
    }

    /// Adds an effect.
    pub(crate) fn add(&mut self, act: Act, mut on: Object, place: Location, sure: Sure, span: Span) {
        if on.program.is_none() && !self.program.is_empty() {
            on.program = Some(self.program.clone());
        }
        let span = self.outer.unwrap_or(span);
        let unmet = self.unmet > 0;
        let sure = if unmet || self.ways > 0 { Sure::Possible } else { sure };
        let effect = Effect { act, on, place, sure, unmet, span, via: self.via.clone() };
        // Repetitions follow each other closely, and looking at all would be quadratic.
        let is_same = |known: &Effect| known.span == effect.span && known.act == effect.act && *known == effect;
        if self.effects.list.iter().rev().take(12).any(is_same) {
            return;
        }
        if self.effects.list.len() >= MAX_EFFECTS {
            self.over_limit(span);
            return;
        }
        self.effects.list.push(effect);
    }

    /// Makes the reads since `before` looks at names, sizes and kinds: no secret is read.
    pub(crate) fn only_names(&mut self, before: usize) {
        for effect in self.effects.list.iter_mut().skip(before) {
            if effect.act == Act::SecretRead {
                effect.act = Act::FsRead;
            }
            if let Some(path) = effect.on.path.as_deref_mut() {
                path.look = ReadDepth::Name;
            }
        }
    }

    /// Says how closely the reads since `before` look at what is below their paths.
    pub(crate) fn searched(&mut self, before: usize, look: ReadDepth) {
        let home = self.around.home.as_deref();
        let is_above = |path: &Path| home.is_some_and(|home| home.starts_with(path));
        for effect in self.effects.list.iter_mut().skip(before) {
            // Secrets in a home are in hidden folders.
            let above = effect.on.path.as_deref().is_some_and(|path| is_above(path.real()));
            if above && effect.act == Act::SecretRead && look == (ReadDepth::Search { hidden: false }) {
                effect.act = Act::FsRead;
            }
        }
        let paths = self.effects.list.iter_mut().skip(before).filter_map(|effect| effect.on.path.as_deref_mut());
        paths.filter(|path| path.recursive || path.pattern).for_each(|path| path.look = look);
    }

    /// Adds an effect that is about something named by a text.
    pub(crate) fn add_target(&mut self, act: Act, target: Option<&str>, place: Location, span: Span) {
        let object = Object { target: target.map(Into::into), ..Object::default() };
        self.add(act, object, place, Sure::Certain, span);
    }

    /// The place of a path.
    pub(crate) fn place_of(&self, path: &Path) -> Location {
        self.places.of(path, || locate(path, self.around, self.machine))
    }

    /// Adds what an act does to a path, with what else that means: secrets, profiles, guards, repositories, databases.
    pub(crate) fn touch(&mut self, act: Act, arg: &Arg, cwd: Option<&Path>, extent: Extent) {
        let names =
            if matches!(act, Act::FsDelete | Act::FsMove | Act::FsLink) { Names::Entry } else { Names::Content };
        self.touch_as(act, arg, cwd, extent, names);
    }

    /// Adds what writing a whole file does: outside of the project, what was there is lost. In it, git and the agent's own
    /// history have the old text, except that of a database. A guarded file has an act of its own.
    pub(crate) fn overwrite(&mut self, arg: &Arg, cwd: Option<&Path>) {
        self.touch(Act::FsWrite, arg, cwd, Extent::Single);
        if !arg.known() || arg.glob.is_some() || arg.text.is_empty() || is_stream(&arg.text) {
            return;
        }
        let Some(path) = cwd.map(|cwd| crate::paths::joined(cwd, &arg.text)) else { return };
        let real = self.resolve(&path);
        let is_own = matches!(
            self.place_of(&real),
            Location::Project | Location::Build | Location::Temp | Location::Device | Location::Agent
        );
        if self.machine.kind(&real) == Some(FileKind::File) && (!is_own || is_database(&real)) {
            self.touch_as(Act::FsDelete, arg, cwd, Extent::Single, Names::Content);
        }
    }

    /// The same for a name in its folder, or for what links lead to.
    pub(crate) fn touch_as(&mut self, act: Act, arg: &Arg, cwd: Option<&Path>, extent: Extent, names: Names) {
        if arg.text.is_empty() || is_stream(&arg.text) {
            return;
        }
        let length = arg.text.len() + cwd.map_or(0, |cwd| cwd.as_os_str().len());
        if !self.admit_path(length, arg.span) {
            return;
        }
        if arg.hole == Some(0) && act.changes_path() && !self.unknown_outputs.is_empty() {
            self.ask_about_output(arg.span, cwd);
        }
        for found in crate::resolve::paths(self, arg, cwd) {
            self.touch_path(act, found, arg.span, extent, names);
        }
        if self.elsewhere.is_empty() || cwd.is_none() || arg.text.starts_with('/') {
            return;
        }
        for folder in self.elsewhere.clone() {
            for found in crate::resolve::paths(self, arg, Some(&folder)) {
                self.touch_path(act, NamedPath { sure: Sure::Possible, ..found }, arg.span, extent, names);
            }
        }
    }

    /// What a substitution prints is changed: what it is made of names it, perhaps.
    fn ask_about_output(&mut self, span: Span, cwd: Option<&Path>) {
        let is_there = |(at, _): &&(Span, Box<str>)| at.start >= span.start && at.end <= span.end;
        if let Some((_, text)) = self.unknown_outputs.iter().rev().find(is_there).cloned() {
            self.gap_in_text(GapReason::DynamicCode, span, &text, cwd);
        }
    }

    /// Where a path leads, through links that this call has made as well.
    pub(crate) fn resolve(&self, path: &Path) -> PathBuf {
        if self.links.is_empty() {
            return self.machine.resolve(path);
        }
        let mut path = path.to_owned();
        // Links may lead to links; in a circle they lead nowhere.
        for _ in 0..8 {
            let made = self.links.iter().rev().find(|(link, _)| is_within(&path, link));
            let Some((link, to)) = made else { break };
            path = tidy(to.join(path.strip_prefix(link).unwrap_or(Path::new(""))));
        }
        self.machine.resolve(&path)
    }

    /// A link that is deleted, moved or replaced leaves what it leads to alone.
    fn name_entry(&self, path: &mut PathObject) {
        let leads_on =
            path.pattern || path.written.ends_with('/') || path.written.ends_with("/.") || path.through.is_none();
        // A link by which agents start hookrail is as good as the program: they start what takes its place.
        let starts_hookrail =
            path.resolved.file_stem().and_then(|name| name.to_str()).is_some_and(crate::models::is_hookrail);
        if leads_on || starts_hookrail || self.mounts.is_some() {
            return;
        }
        let is_made = self.links.iter().any(|(link, _)| *link == path.resolved);
        if !is_made && self.machine.kind(&path.resolved) != Some(FileKind::Link) {
            return;
        }
        let (Some(folder), Some(name)) = (path.resolved.parent(), path.resolved.file_name()) else { return };
        let entry = self.resolve(folder).join(name);
        path.through = (entry != path.resolved).then_some(entry);
    }

    fn touch_path(&mut self, act: Act, found: NamedPath, span: Span, extent: Extent, names: Names) {
        let NamedPath { mut path, mut sure, place } = found;
        if names == Names::Entry {
            self.name_entry(&mut path);
        }
        if path.resolved.to_str().is_some_and(is_stream) {
            return;
        }
        path.recursive |= extent == Extent::Below;
        let Some(place) = place.or_else(|| self.place_in_container(&mut path, act)) else { return };
        let real = path.real().to_owned();
        let kind = self.machine.kind(&real);
        path.recursive |= kind == Some(FileKind::Folder) && matches!(act, Act::FsDelete | Act::FsMove);
        // A link that is still one after resolving leads to something that does not exist: a write makes that, wherever.
        let dangles = kind == Some(FileKind::Link) && names == Names::Content;
        let place = if dangles && act == Act::FsWrite { Location::Unknown } else { place };
        if place == Location::Unknown {
            sure = Sure::Possible;
        }
        let act = self.specialised(act, &path);
        self.follow_up(act, &path, place, sure, span);
        let place = if act == Act::HostPersist && place == Location::Project { Location::Vcs } else { place };
        // A folder includes files that the command does not name.
        let everything = path.pattern && (path.recursive || matches!(name_of(&path.resolved), "*" | "**"));
        let whole = act == Act::FsDelete && (kind == Some(FileKind::Folder) || everything);
        let target = whole.then(|| "folder".into());
        self.add(act, Object { path: Some(Box::new(path)), target, ..Object::default() }, place, sure, span);
    }

    /// In a container only what is mounted is a path of this machine, and is changed only if it may be.
    fn place_in_container(&self, path: &mut PathObject, act: Act) -> Option<Location> {
        if let Some(mounts) = &self.mounts {
            let mount = mounts.iter().find(|mount| path.resolved.starts_with(&mount.inside))?;
            if act.changes_path() && !mount.writable {
                return None;
            }
            let rest = path.resolved.strip_prefix(&mount.inside).ok()?;
            path.resolved = tidy(mount.host.join(rest));
            path.through = None;
        }
        Some(self.place_of(path.real()))
    }

    fn specialised(&self, act: Act, path: &PathObject) -> Act {
        let home = self.around.home.as_deref();
        let either = |test: fn(&Path, Option<&Path>) -> bool| {
            test(&path.resolved, home) || path.through.as_deref().is_some_and(|through| test(through, home))
        };
        match act {
            Act::FsRead if either(is_secret_path) => Act::SecretRead,
            Act::FsRead if path.recursive && either(is_secret_folder) => Act::SecretRead,
            Act::FsRead if path.pattern && path.look == ReadDepth::Content && either(may_name_secret) => {
                Act::SecretRead
            }
            Act::FsWrite | Act::FsLink if either(runs_later) => Act::HostPersist,
            other => other,
        }
    }

    /// What a change of a path means beyond the path.
    fn follow_up(&mut self, act: Act, path: &PathObject, place: Location, sure: Sure, span: Span) {
        if !act.changes_path() {
            return;
        }
        if self.changes_guard(act, path) {
            let object = Object { path: Some(Box::new(path.clone())), ..Object::default() };
            self.add(Act::GuardChange, object, Location::Agent, sure, span);
        }
        if act == Act::FsDelete {
            if path.recursive && !path.pattern && place != Location::Temp {
                let inside = path.real().join(".git");
                if self.machine.kind(&inside).is_some() {
                    let object = PathObject {
                        written: format!("{}/.git", path.written.trim_end_matches('/')).into(),
                        resolved: inside,
                        through: None,
                        pattern: false,
                        recursive: true,
                        look: ReadDepth::Content,
                    };
                    let object = Object { path: Some(Box::new(object)), ..Object::default() };
                    self.add(Act::FsDelete, object, Location::Vcs, sure, span);
                }
            }
            if is_database(path.real()) && !matches!(place, Location::Temp | Location::Build) {
                let object = Object { path: Some(Box::new(path.clone())), ..Object::default() };
                self.add(Act::DbDestroy, object, place, sure, span);
            }
        }
        if place == Location::Device && is_disk(path.real()) {
            let object = Object { path: Some(Box::new(path.clone())), ..Object::default() };
            self.add(Act::HostDisk, object, Location::Device, sure, span);
        }
    }

    /// Whether a relative name is one that a build makes again, whatever folder it is in.
    pub(crate) fn generated_name(name: &str) -> bool {
        is_generated(Path::new(name))
    }
}

/// Nothing is stored there.
pub(crate) fn is_stream(path: &str) -> bool {
    matches!(
        path,
        "-" | "/dev/null" | "/dev/tty" | "/dev/stdin" | "/dev/stdout" | "/dev/stderr" | "/dev/zero" | "/dev/full"
    ) || ["/dev/fd/", "/proc/self/fd/"]
        .iter()
        .any(|folder| path.strip_prefix(folder).is_some_and(|fd| !fd.contains('/')))
        || matches!(path, "/dev/random" | "/dev/urandom")
}
