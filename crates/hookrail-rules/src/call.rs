//! A call, as conditions ask about it.

use crate::commands::Commands;
use crate::condition::{ActSet, Condition, Key, Selector, Sense, act_holds};
use crate::own_hosts::{OWN, is_own, remote_host};
use crate::pattern::{PathMatch, Roots, matches_host, matches_path, matches_text, names_path};
use hookrail_core::{Event, FileKind, ToolKind, World};
use hookrail_effects::json::kind_name;
use hookrail_effects::{Act, Data, Effect, Effects, Gap, Object, PathObject, Surroundings, Understanding};
use std::cell::{OnceCell, RefCell};
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// So many entries below a folder are compared with patterns of bare names.
const MAX_ENTRIES: usize = 2000;

/// A call and what is around it. What is expensive to know is found out when a condition asks.
#[expect(missing_debug_implementations, reason = "a world has no debug form")]
pub struct Call<'a> {
    pub event: &'a Event,
    pub effects: &'a Effects,
    pub world: &'a dyn World,
    /// The agent's name, as `--agent` has it.
    pub agent: &'a str,
    around: &'a Surroundings,
    roots: OnceCell<Roots>,
    /// Hosts that the user counts as the project's own.
    hosts: &'a [String],
    remote_host: OnceCell<Option<String>>,
    branch: OnceCell<Option<String>>,
    tree: OnceCell<Option<&'static str>>,
    /// Folders whose content was looked at, with what is in them.
    below: RefCell<Vec<(PathBuf, Rc<[PathBuf]>)>>,
    commands: OnceCell<Commands>,
}

/// What of a call a condition matched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hit {
    /// The effect at this place of the list.
    Effect(usize),
    /// The gap at this place of the list.
    Gap(usize),
    /// The call as a whole.
    Call,
}

impl<'a> Call<'a> {
    #[must_use]
    pub fn new(event: &'a Event, understood: &'a Understanding, world: &'a dyn World, agent: &'a str) -> Self {
        Self {
            event,
            effects: &understood.effects,
            world,
            agent,
            around: &understood.around,
            roots: OnceCell::new(),
            hosts: &[],
            remote_host: OnceCell::new(),
            branch: OnceCell::new(),
            tree: OnceCell::new(),
            below: RefCell::default(),
            commands: OnceCell::new(),
        }
    }

    /// Counts hosts as the project's own: `[safety] hosts`.
    #[must_use]
    pub fn with_hosts(self, hosts: &'a [String]) -> Self {
        Self { hosts, ..self }
    }

    /// The words of the command that an effect is of, as the call has them.
    fn command_of(&self, effect: &Effect) -> Option<&str> {
        let tool = self.event.tool.as_ref()?;
        let ToolKind::Shell { command, .. } = &tool.kind else { return None };
        let is_power_shell = ["powershell", "pwsh"].iter().any(|name| tool.name.eq_ignore_ascii_case(name));
        // `find . -exec rm {} +` is more than the search that it begins as.
        let runs_others = |step: &str| matches!(step, "find" | "fd" | "xargs" | "parallel");
        if effect.via.iter().any(|step| runs_others(&step.0)) {
            return None;
        }
        let commands = self.commands.get_or_init(|| Commands::of(command));
        commands.around(effect.span).filter(|_| !is_power_shell)
    }

    /// Everything of the call that a condition matches; nothing if it does not hold.
    #[must_use]
    pub fn hits(&self, condition: &Condition, sense: Sense) -> Vec<Hit> {
        if !self.call_holds(condition, sense) {
            return Vec::new();
        }
        let gaps: Option<Vec<usize>> = condition.selector(Key::Gap).map(|selector| {
            let gaps = self.effects.gaps.iter().enumerate();
            gaps.filter(|(_, gap)| gap_holds(selector, gap, sense)).map(|(index, _)| index).collect()
        });
        let hits: Vec<Hit> = if condition.is_about_effects() {
            if gaps.is_some_and(|gaps| gaps.is_empty()) {
                return Vec::new();
            }
            self.effect_hits(condition, sense)
        } else {
            match gaps {
                Some(gaps) => gaps.into_iter().map(Hit::Gap).collect(),
                None => vec![Hit::Call],
            }
        };
        // Git is only asked about the tree when everything else holds.
        let tree_holds = |selector: &Selector| self.tree().is_some_and(|tree| text_holds(selector, tree, sense));
        let holds = hits.is_empty() || condition.selector(Key::Tree).is_none_or(tree_holds);
        if holds { hits } else { Vec::new() }
    }

    fn effect_hits(&self, condition: &Condition, sense: Sense) -> Vec<Hit> {
        let effects = self.effects.list.iter().enumerate();
        // A script does the same things again and again: what is done decides for most of them, and is compared once.
        let (mut compared, mut fitting) = (ActSet::default(), ActSet::default());
        let mut fits = |act: Act| {
            if !compared.has(act) {
                compared = compared.with(act);
                let mut of_acts = condition.selectors.iter().filter(|selector| selector.key == Key::Effect);
                if of_acts.all(|selector| act_holds(selector, act, sense)) {
                    fitting = fitting.with(act);
                }
            }
            fitting.has(act)
        };
        let holding = effects.filter(|(_, effect)| fits(effect.act) && self.effect_holds(condition, effect, sense));
        let mut hits: Vec<Hit> = holding.map(|(index, _)| Hit::Effect(index)).collect();
        if hits.is_empty()
            && condition.asks_for_branch_alone()
            && condition.selector(Key::Branch).is_some_and(|selector| self.branch_holds(selector, None, sense))
        {
            hits.push(Hit::Call);
        }
        hits
    }

    /// Whether the selectors that are about the call as a whole hold, the tree left aside.
    pub(crate) fn call_holds(&self, condition: &Condition, sense: Sense) -> bool {
        condition.selectors.iter().all(|selector| match selector.key {
            Key::Tool => self.tool_holds(selector, sense),
            Key::Agent => text_holds(selector, self.agent, sense),
            Key::Role => self.role_holds(selector, sense),
            Key::Mode => self.event.text("permission_mode").is_some_and(|mode| text_holds(selector, mode, sense)),
            Key::Effect
            | Key::Place
            | Key::Path
            | Key::Host
            | Key::Data
            | Key::Program
            | Key::Command
            | Key::Branch
            | Key::Tree
            | Key::Target
            | Key::Sure
            | Key::Gap => true,
        })
    }

    /// Whether the selectors that are about effects hold for one, except for what it does, which is compared before. What an effect
    /// does not have never matches, negated or not.
    fn effect_holds(&self, condition: &Condition, effect: &Effect, sense: Sense) -> bool {
        let text = |selector: &Selector, text: Option<&str>| text.is_some_and(|text| text_holds(selector, text, sense));
        condition.selectors.iter().all(|selector| match selector.key {
            Key::Place => text(selector, Some(effect.place.name())),
            Key::Sure => text(selector, Some(effect.sure.name())),
            Key::Program => text(selector, effect.on.program.as_deref()),
            Key::Command => text(selector, self.command_of(effect)),
            Key::Target => text(selector, target(&effect.on)),
            Key::Branch => self.branch_holds(selector, effect.on.branch.as_deref(), sense),
            Key::Host => effect
                .on
                .host
                .as_deref()
                .is_some_and(|host| selector.holds(sense, |pattern, _| self.host_matches(pattern, host))),
            Key::Data => text(selector, effect.on.data.map(Data::name)),
            Key::Path => effect.on.path.as_deref().is_some_and(|path| self.path_holds(selector, effect, path, sense)),
            Key::Effect | Key::Tool | Key::Agent | Key::Role | Key::Mode | Key::Tree | Key::Gap => true,
        })
    }

    fn host_matches(&self, pattern: &str, host: &str) -> bool {
        if pattern != OWN {
            return matches_host(pattern, host);
        }
        let remote = self.remote_host.get_or_init(|| remote_host(&self.around.project, self.world));
        is_own(host, remote.as_deref(), self.hosts)
    }

    fn tool_holds(&self, selector: &Selector, sense: Sense) -> bool {
        let Some(tool) = &self.event.tool else { return false };
        let kind = kind_name(&tool.name, &tool.kind);
        selector.holds(sense, |pattern, _| matches_text(pattern, &tool.name) || matches_text(pattern, kind))
    }

    fn role_holds(&self, selector: &Selector, sense: Sense) -> bool {
        let role = self.role();
        selector.holds(sense, |pattern, _| {
            matches_text(pattern, &role) || pattern == "subagent" && role.starts_with("subagent:")
        })
    }

    /// `main`, or `subagent:NAME`.
    #[must_use]
    pub fn role(&self) -> String {
        let text = |field: &str| self.event.text(field).filter(|text| !text.is_empty());
        // The main conversation may have a type as well, if it was started as such an agent.
        match (text("agent_id"), text("agent_type")) {
            (None, _) => "main".to_owned(),
            (Some(_), None) => "subagent".to_owned(),
            (Some(_), Some(name)) => format!("subagent:{name}"),
        }
    }

    fn branch_holds(&self, selector: &Selector, named: Option<&str>, sense: Sense) -> bool {
        let branch = named.or_else(|| self.branch());
        branch.is_some_and(|branch| text_holds(selector, branch, sense))
    }

    fn path_holds(&self, selector: &Selector, effect: &Effect, path: &PathObject, sense: Sense) -> bool {
        let roots = self.roots();
        selector.holds(sense, |pattern, sense| match matches_path(pattern, effect, path, roots, sense) {
            PathMatch::Yes => true,
            PathMatch::No => false,
            // A search through everything is not aimed at a name; a deletion of everything hits it.
            PathMatch::Below => !effect.act.only_reads() && self.exists_below(pattern, path.real()),
        })
    }

    /// Whether a folder holds something that a pattern names, among its first entries.
    fn exists_below(&self, pattern: &str, folder: &Path) -> bool {
        let start = folder.ancestors().find(|folder| !folder.to_string_lossy().contains(['*', '?', '[']));
        let start = start.unwrap_or(folder);
        let known = self.below.borrow().iter().find(|(known, _)| known == start).map(|(_, entries)| Rc::clone(entries));
        let entries = known.unwrap_or_else(|| {
            let entries: Rc<[PathBuf]> = self.walk(start).into();
            self.below.borrow_mut().push((start.to_owned(), Rc::clone(&entries)));
            entries
        });
        entries.iter().any(|entry| names_path(pattern, entry, self.roots()))
    }

    /// What is in a folder and below, as far as it is looked at.
    fn walk(&self, start: &Path) -> Vec<PathBuf> {
        let mut entries = Vec::new();
        let mut folders = vec![start.to_owned()];
        while let Some(folder) = folders.pop() {
            for name in self.world.list(&folder).ok().flatten().unwrap_or_default() {
                let entry = folder.join(name);
                if matches!(self.world.kind(&entry), Ok(Some(FileKind::Folder))) && !entry.ends_with(".git") {
                    folders.push(entry.clone());
                }
                entries.push(entry);
                if entries.len() >= MAX_ENTRIES {
                    return entries;
                }
            }
        }
        entries
    }

    fn roots(&self) -> &Roots {
        self.roots.get_or_init(|| {
            let both = |path: &Path| {
                let real = self.world.resolve(path);
                let real = (real != path).then(|| real.into_boxed_path());
                std::iter::once(path.into()).chain(real).collect::<Vec<Box<Path>>>()
            };
            let home = self.around.home.as_deref().map(both).unwrap_or_default();
            Roots { home, project: both(&self.around.project) }
        })
    }

    /// The branch that is checked out.
    #[must_use]
    pub fn branch(&self) -> Option<&str> {
        self.branch.get_or_init(|| checked_out(&self.event.cwd, self.world)).as_deref()
    }

    /// `clean` or `dirty`; `None` if git cannot tell.
    #[must_use]
    pub fn tree(&self) -> Option<&'static str> {
        *self.tree.get_or_init(|| {
            let changes = self.world.git(&self.event.cwd, &["status", "--porcelain"]).ok().flatten()?;
            Some(if changes.trim().is_empty() { "clean" } else { "dirty" })
        })
    }
}

/// What an effect is about when it is neither a path nor a host.
pub(crate) fn target(on: &Object) -> Option<&str> {
    on.target.as_deref().or(on.package.as_deref())
}

fn text_holds(selector: &Selector, text: &str, sense: Sense) -> bool {
    selector.holds(sense, |pattern, _| matches_text(pattern, text))
}

fn gap_holds(selector: &Selector, gap: &Gap, sense: Sense) -> bool {
    selector.holds(sense, |pattern, _| pattern == "true" || matches_text(pattern, gap.why.name()))
}

/// The branch of the repository around a folder, by its files alone.
fn checked_out(folder: &Path, world: &dyn World) -> Option<String> {
    let folder = world.resolve(folder);
    let git = folder.ancestors().find_map(|folder| git_folder(folder, world))?;
    let head = world.read(&git.join("HEAD")).ok().flatten()?;
    let head = String::from_utf8_lossy(&head).into_owned();
    let branch = head.trim().strip_prefix("ref:")?.trim().strip_prefix("refs/heads/")?;
    // With reftable the file names a branch that does not exist.
    (branch != ".invalid").then(|| branch.to_owned())
}

fn git_folder(folder: &Path, world: &dyn World) -> Option<PathBuf> {
    let entry = folder.join(".git");
    match world.kind(&entry).ok().flatten()? {
        FileKind::Folder | FileKind::Link => Some(entry),
        FileKind::File => {
            let text = world.read(&entry).ok().flatten()?;
            let target = String::from_utf8_lossy(&text).trim().strip_prefix("gitdir:")?.trim().to_owned();
            Some(folder.join(target))
        }
        FileKind::Other => None,
    }
}
