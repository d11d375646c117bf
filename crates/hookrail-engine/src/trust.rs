//! Which command hooks of projects may run.
//!
//! A project is written by others, and so are the commands in its `hookrail.toml`. They run once the user approved them, once
//! for each: the yes holds for this entry and for the scripts it runs, and ends when either changes.

mod cleared;
#[cfg(target_os = "linux")]
mod handing;
mod identity;
mod imports;
mod rules;
mod scripts;
mod watch;

pub(crate) use cleared::Cleared;
pub use identity::{Script, TrustedHook, identify};
pub use rules::{RULE, identify_rule, rules_to_trust};

use crate::layers::{CommandHook, Settings};
use hookrail_core::display::{one_line, quoted};
use hookrail_core::{HookError, OnError, Origin, World};
use hookrail_store::StateRoot;
use identity::examine;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The list of all yeses, in a file only the user can write to.
#[derive(Clone, Debug)]
pub struct TrustList {
    file: PathBuf,
    hooks: Vec<TrustedHook>,
}

impl TrustList {
    /// Reads the list. A list that cannot be read approves nothing; that is reported as an error.
    pub fn open(root: &StateRoot, world: &dyn World) -> Result<Self, HookError> {
        root.check().map_err(|error| HookError::new(error.to_string()))?;
        let file = root.path().join("trust.json");
        let hooks = match world.read(&file)? {
            None => Vec::new(),
            Some(bytes) => serde_json::from_slice(&bytes).map_err(|error| {
                HookError::new(format!(
                    "the list of trusted hooks `{}` cannot be read: {error}\nhint: move it away and trust the hooks again",
                    file.display()
                ))
            })?,
        };
        Ok(Self { file, hooks })
    }

    /// Every approval, the oldest first.
    #[must_use]
    pub fn hooks(&self) -> &[TrustedHook] {
        &self.hooks
    }

    /// Whether exactly this was approved: the same entry, the same scripts, the same project.
    #[must_use]
    pub fn trusts(&self, identity: &TrustedHook) -> bool {
        let same = |hook: &TrustedHook| hook.hash == identity.hash && hook.project == identity.project;
        identity.obstacle.is_none() && self.hooks.iter().any(same)
    }

    /// What was approved of a hook, in whatever form it was; the newest first.
    #[must_use]
    pub fn approved(&self, identity: &TrustedHook) -> Option<&TrustedHook> {
        self.hooks.iter().rev().find(|hook| hook.is_same_hook(identity))
    }

    /// Adds hooks and says how many were new. A new yes takes the place of the one to what the hook was before; a hook of
    /// which it is unknown what it runs is not added.
    pub fn add(&mut self, hooks: Vec<TrustedHook>, world: &dyn World) -> Result<usize, HookError> {
        let new: Vec<TrustedHook> =
            hooks.into_iter().filter(|hook| hook.obstacle.is_none() && !self.trusts(hook)).collect();
        let count = new.len();
        let replaced = |old: &TrustedHook| new.iter().any(|hook| hook.is_same_hook(old));
        self.hooks.retain(|old| !replaced(old));
        self.hooks.extend(new);
        self.save(world)?;
        Ok(count)
    }

    /// Takes back the yes to hooks of a project, all of them or the one of this name, and says how many that were.
    pub fn revoke(&mut self, project: &Path, name: Option<&str>, world: &dyn World) -> Result<usize, HookError> {
        let before = self.hooks.len();
        self.hooks.retain(|hook| hook.project != project || name.is_some_and(|name| hook.name != name));
        self.save(world)?;
        Ok(before - self.hooks.len())
    }

    fn save(&self, world: &dyn World) -> Result<(), HookError> {
        let text = serde_json::to_vec_pretty(&self.hooks).map_err(|error| HookError::new(error.to_string()))?;
        world.write(&self.file, &text)
    }
}

/// Why a command hook of a project may not run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Distrust {
    /// It is not approved: it is as if it were not there.
    Unknown(String),
    /// It was approved, and is not what it was: it is a guard that cannot do its work. What was approved wanted this in
    /// case of failure.
    Changed { why: String, on_error: OnError },
}

impl Distrust {
    pub fn why(self) -> String {
        match self {
            Self::Unknown(why) | Self::Changed { why, .. } => why,
        }
    }
}

/// Decides whether the commands of a project may run.
#[derive(Debug, Default)]
pub(crate) struct TrustGate {
    /// Where approvals are kept; without such a place nothing is approved.
    state_folder: Option<PathBuf>,
    /// Files whose commands need no approval.
    vouched: Vec<String>,
    /// Nothing is started, so that nothing needs an approval.
    idle: bool,
    list: OnceLock<Result<Option<TrustList>, HookError>>,
}

impl TrustGate {
    pub fn new(state_folder: Option<PathBuf>, vouched: Vec<String>, idle: bool) -> Self {
        Self { state_folder, vouched, idle, list: OnceLock::new() }
    }

    /// Whether a command hook may run in `cwd`, and as what; `None` for one that needs no approval.
    pub fn clear(
        &self,
        hook: &CommandHook,
        project: &Path,
        cwd: &Path,
        world: &dyn World,
    ) -> Result<Option<Cleared>, Distrust> {
        let answered_for = self.idle || self.vouched.iter().any(|file| **file == *hook.origin.place);
        if !hook.layer.comes_with_project() || answered_for {
            return Ok(None);
        }
        let list = self.list.get_or_init(|| self.open(world)).as_ref();
        let list = list.map_err(|error| Distrust::Unknown(error.to_string()))?.as_ref();
        let unknown = || {
            Distrust::Unknown(format!(
                "command hook {} ({}) comes with the project and is not trusted, so it does not run\n\
                 hint: look at it, then run `hookrail trust`",
                quoted(&hook.name),
                one_line(&hook.origin.to_string())
            ))
        };
        // Files without an approval are not even opened.
        let is_named =
            |list: &&TrustList| list.hooks.iter().any(|known| known.project == project && known.name == hook.name);
        let list = list.filter(is_named).ok_or_else(unknown)?;
        let (now, found) = examine(hook, project, cwd, world);
        let approved = list.approved(&now).ok_or_else(unknown)?;
        let on_error = approved.on_error();
        let changed = |what: &str| Distrust::Changed {
            why: format!(
                "command hook {} ({}) is not what was trusted: {}\nhint: look at it, then run `hookrail trust`",
                quoted(&hook.name),
                one_line(&hook.origin.to_string()),
                one_line(what)
            ),
            on_error,
        };
        if !list.trusts(&now) {
            return Err(changed(&now.obstacle.clone().unwrap_or_else(|| now.differences(approved).join("; "))));
        }
        Cleared::new(&found, project, on_error).map(Some).map_err(|why| changed(&why))
    }

    /// Opening would make the folder; where there is none, nothing is approved.
    fn open(&self, world: &dyn World) -> Result<Option<TrustList>, HookError> {
        let Some(folder) = &self.state_folder else { return Ok(None) };
        let exists = world.kind(folder).ok().flatten().is_some();
        exists.then(|| TrustList::open(&StateRoot::at(folder), world)).transpose()
    }
}

/// Tells the settings which scripts the approved command hooks of a project run, so that no tool changes them. Only a project
/// that brings commands has any.
pub fn name_scripts(settings: &mut Settings, project: &Path, state_folder: Option<&Path>, world: &dyn World) {
    settings.trusted_scripts.clear();
    if !settings.has_commands_of_project() {
        return;
    }
    let gate = TrustGate::new(state_folder.map(Path::to_owned), Vec::new(), false);
    // A list that cannot be read approves nothing, and the gate reports it.
    let Ok(Some(list)) = gate.open(world) else { return };
    let hooks = list.hooks.iter().filter(|hook| hook.project == project);
    let scripts = hooks.flat_map(|hook| &hook.scripts).filter(|script| !scripts::is_package_list(&script.path));
    let scripts = scripts.map(|script| script.path.to_string_lossy().into_owned());
    settings.trusted_scripts.extend(scripts);
}

/// Why unapproved command hooks of a project do not run, by where they are configured.
#[must_use]
pub fn untrusted(
    settings: &Settings,
    project: &Path,
    state_folder: Option<&Path>,
    world: &dyn World,
) -> Vec<(Origin, String)> {
    let gate = TrustGate::new(state_folder.map(Path::to_owned), Vec::new(), false);
    let commands = settings.commands();
    let barred = commands.iter().filter_map(|hook| {
        let distrust = gate.clear(hook, project, project, world).err()?;
        Some((hook.origin.clone(), distrust.why()))
    });
    barred.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layers::LayerKind;
    use hookrail_core::{Mode, OnError};
    use hookrail_testkit::world::FakeWorld;

    pub(super) fn hook(command: &str) -> CommandHook {
        CommandHook {
            name: "lint".to_owned(),
            event: "AfterTool".to_owned(),
            matcher: None,
            command: command.to_owned(),
            timeout: None,
            sequential: false,
            on_error: OnError::Allow,
            mode: Mode::Enforce,
            layer: LayerKind::Project,
            origin: Origin::default(),
        }
    }

    #[test]
    fn a_yes_ends_when_the_entry_or_its_script_changes() {
        let folder = tempfile::tempdir().unwrap();
        let project = folder.path().canonicalize().unwrap();
        std::fs::create_dir(project.join("hooks")).unwrap();
        let hash = |command: &str, script: &str| {
            std::fs::write(project.join("hooks/lint.sh"), script).unwrap();
            identify(&hook(command), &project, &crate::RealWorld::default()).hash
        };
        let known = hash("bash hooks/lint.sh", "echo fine");
        assert_eq!(known, hash("bash hooks/lint.sh", "echo fine"));
        assert_ne!(known, hash("bash hooks/lint.sh", "echo evil"), "the script changed");
        assert_ne!(known, hash("bash hooks/lint.sh -x", "echo fine"), "the command changed");
        for spelling in
            ["\"$CLAUDE_PROJECT_DIR\"/hooks/lint.sh", "$CLAUDE_PROJECT_DIR/hooks/lint.sh", "cd .; ./hooks/lint.sh"]
        {
            assert_ne!(hash(spelling, "echo fine"), hash(spelling, "echo evil"), "{spelling}");
        }
    }

    #[test]
    fn a_new_yes_takes_the_place_of_the_old_one_and_what_cannot_be_verified_is_never_trusted() {
        let world = FakeWorld::new();
        let folder = tempfile::tempdir().unwrap();
        let root = StateRoot::at(folder.path().join("state"));
        let project = Path::new("/p");
        let mut list = TrustList::open(&root, &world).unwrap();
        let (before, after) = (identify(&hook("make a"), project, &world), identify(&hook("make b"), project, &world));
        list.add(vec![before.clone()], &world).unwrap();
        assert_eq!(list.add(vec![after.clone()], &world), Ok(1));
        assert!(list.trusts(&after) && !list.trusts(&before), "going back needs a yes, too");
        let unverifiable = identify(&hook("eval \"$X\""), project, &world);
        assert!(unverifiable.obstacle.is_some());
        assert_eq!(list.add(vec![unverifiable.clone()], &world), Ok(0));
        assert!(!list.trusts(&unverifiable));
    }

    #[test]
    fn the_list_grows_shrinks_and_survives() {
        let world = FakeWorld::new();
        let folder = tempfile::tempdir().unwrap();
        let root = StateRoot::at(folder.path().join("state"));
        let open = || TrustList::open(&root, &world).unwrap();
        let lint = identify(&hook("make lint"), Path::new("/p"), &world);
        assert!(!open().trusts(&lint));
        assert_eq!(open().add(vec![lint.clone()], &world), Ok(1));
        assert_eq!(open().add(vec![lint.clone()], &world), Ok(0), "once is enough");
        assert!(open().trusts(&lint));
        let elsewhere = TrustedHook { project: "/q".into(), ..lint.clone() };
        assert!(!open().trusts(&elsewhere), "another project, another question");
        assert_eq!(open().revoke(Path::new("/p"), Some("other"), &world), Ok(0));
        assert_eq!(open().revoke(Path::new("/p"), Some("lint"), &world), Ok(1));
        assert!(!open().trusts(&lint));
    }

    #[test]
    fn a_list_that_cannot_be_read_is_an_error_with_a_way_out() {
        let folder = tempfile::tempdir().unwrap();
        let root = StateRoot::at(folder.path().join("state"));
        let world = FakeWorld::new().file(&root.path().join("trust.json").display().to_string(), "oops");
        let error = TrustList::open(&root, &world).unwrap_err();
        assert!(error.text().contains("/state/trust.json") && error.text().contains("hint:"), "{error}");
    }

    #[test]
    fn a_list_that_others_can_write_to_trusts_nobody() {
        let folder = tempfile::tempdir().unwrap();
        let root = StateRoot::at(folder.path().join("state"));
        std::fs::create_dir(root.path()).unwrap();
        std::fs::set_permissions(root.path(), std::os::unix::fs::PermissionsExt::from_mode(0o777)).unwrap();
        let error = TrustList::open(&root, &FakeWorld::new()).unwrap_err();
        assert!(error.text().contains("others can write"), "{error}");
    }
}
