//! Which command hooks of projects may run.
//!
//! A project comes from somebody else, and so do the commands in its `hookrail.toml`. They run after the user said so, once
//! for each: the yes holds for this entry and for the scripts it runs, and ends when either changes.

use crate::layers::{CommandHook, Settings};
use hookrail_core::{HookError, Origin, World};
use hookrail_store::StateRoot;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// What a yes was said to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrustedHook {
    /// Of the entry and of the files its command names.
    pub hash: String,
    pub project: PathBuf,
    pub name: String,
    pub event: String,
    pub command: String,
    /// The files that are part of the hash.
    pub scripts: Vec<PathBuf>,
    /// Milliseconds since 1970.
    pub since: i64,
}

/// The list of all yeses, in a file only the user can write to.
#[derive(Clone, Debug)]
pub struct TrustList {
    file: PathBuf,
    hooks: Vec<TrustedHook>,
}

impl TrustList {
    /// Reads the list. A list that cannot be read trusts nobody; that is an error to be told, not to be passed over.
    pub fn open(root: &StateRoot, world: &dyn World) -> Result<Self, HookError> {
        root.check().map_err(|error| HookError(error.to_string()))?;
        let file = root.path().join("trust.json");
        let hooks = match world.read(&file)? {
            None => Vec::new(),
            Some(bytes) => serde_json::from_slice(&bytes).map_err(|error| {
                HookError(format!(
                    "the list of trusted hooks `{}` cannot be read: {error}\nhint: move it away and trust the hooks again",
                    file.display()
                ))
            })?,
        };
        Ok(Self { file, hooks })
    }

    #[must_use]
    pub fn hooks(&self) -> &[TrustedHook] {
        &self.hooks
    }

    #[must_use]
    pub fn trusts(&self, identity: &TrustedHook) -> bool {
        self.hooks.iter().any(|hook| hook.hash == identity.hash && hook.project == identity.project)
    }

    /// Adds hooks and says how many were new.
    pub fn add(&mut self, hooks: Vec<TrustedHook>, world: &dyn World) -> Result<usize, HookError> {
        let new: Vec<TrustedHook> = hooks.into_iter().filter(|hook| !self.trusts(hook)).collect();
        let count = new.len();
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
        let text = serde_json::to_vec_pretty(&self.hooks).map_err(|error| HookError(error.to_string()))?;
        world.write(&self.file, &text)
    }
}

/// Decides whether the commands of a project may run.
#[derive(Debug, Default)]
pub(crate) struct TrustGate {
    /// Where approvals are kept; without such a place nothing is approved.
    state_folder: Option<PathBuf>,
    /// Files whose commands somebody answers for.
    vouched: Vec<String>,
    /// Nothing is started, so that nothing needs an approval.
    idle: bool,
    list: OnceLock<Result<Option<TrustList>, HookError>>,
}

impl TrustGate {
    pub fn new(state_folder: Option<PathBuf>, vouched: Vec<String>, idle: bool) -> Self {
        Self { state_folder, vouched, idle, list: OnceLock::new() }
    }

    /// Why a command hook may not run; `None` if it may.
    pub fn distrust(&self, hook: &CommandHook, project: &Path, world: &dyn World) -> Option<String> {
        let answered_for = self.idle || self.vouched.iter().any(|file| **file == *hook.origin.place);
        if !hook.layer.comes_with_project() || answered_for {
            return None;
        }
        match self.list.get_or_init(|| self.open(world)) {
            Ok(Some(list)) if list.trusts(&identify(hook, project, world)) => None,
            Ok(_) => Some(format!(
                "command hook `{}` ({}) comes with the project and is not trusted, so it does not run\n\
                 hint: look at it, then run `hookrail trust`",
                hook.name, hook.origin
            )),
            Err(error) => Some(error.to_string()),
        }
    }

    /// Opening would make the folder; where there is none, nobody approved anything.
    fn open(&self, world: &dyn World) -> Result<Option<TrustList>, HookError> {
        let Some(folder) = &self.state_folder else { return Ok(None) };
        let exists = world.kind(folder).ok().flatten().is_some();
        exists.then(|| TrustList::open(&StateRoot::at(folder), world)).transpose()
    }
}

/// Why command hooks of a project that nobody approved do not run, by where they are configured.
#[must_use]
pub fn untrusted(
    settings: &Settings,
    project: &Path,
    state_folder: Option<&Path>,
    world: &dyn World,
) -> Vec<(Origin, String)> {
    let gate = TrustGate::new(state_folder.map(Path::to_owned), Vec::new(), false);
    let commands = settings.commands();
    commands.iter().filter_map(|hook| Some((hook.origin.clone(), gate.distrust(hook, project, world)?))).collect()
}

/// What a yes to this hook would mean, as things are now.
#[must_use]
pub fn identify(hook: &CommandHook, project: &Path, world: &dyn World) -> TrustedHook {
    let mut hash = blake3::Hasher::new();
    let mut add = |bytes: &[u8]| {
        hash.update(&(bytes.len() as u64).to_le_bytes());
        hash.update(bytes);
    };
    let timeout = hook.timeout.map(|timeout| timeout.as_millis().to_string()).unwrap_or_default();
    let matcher = hook.matcher.as_deref().unwrap_or("*");
    let entry = [&hook.name, &hook.event, matcher, &hook.command, &timeout, hook.on_error.as_str(), hook.mode.as_str()];
    for part in entry {
        add(part.as_bytes());
    }
    let mut scripts = Vec::new();
    for path in named_files(&hook.command, project) {
        if let Some(bytes) = world.read(&path).ok().flatten() {
            add(path.as_os_str().as_encoded_bytes());
            add(&bytes);
            scripts.push(path);
        }
    }
    TrustedHook {
        hash: hash.finalize().to_hex().to_string(),
        project: project.to_owned(),
        name: hook.name.clone(),
        event: hook.event.clone(),
        command: hook.command.clone(),
        scripts,
        since: world.now_millis(),
    }
}

/// Everything in a command that may be the path of a file: its words, quotes and variables of the project taken off.
fn named_files(command: &str, project: &Path) -> Vec<PathBuf> {
    let mut text = command.replace(['"', '\'', '`'], "");
    for name in ["CLAUDE_PROJECT_DIR", "GEMINI_PROJECT_DIR", "LLXPRT_PROJECT_DIR"] {
        for spelling in [format!("${{{name}}}/"), format!("${name}/")] {
            text = text.replace(&spelling, "");
        }
    }
    let words = text.split(|c: char| c.is_whitespace() || ";&|()<>=".contains(c));
    let mut files: Vec<PathBuf> = words.filter(|word| !word.is_empty()).map(|word| project.join(word)).collect();
    files.dedup();
    files
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layers::LayerKind;
    use hookrail_core::{Mode, OnError};
    use hookrail_testkit::world::FakeWorld;

    fn hook(command: &str) -> CommandHook {
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

    fn hash(command: &str, script: &str) -> String {
        let world = FakeWorld::new().file("/p/hooks/lint.sh", script);
        identify(&hook(command), Path::new("/p"), &world).hash
    }

    #[test]
    fn a_yes_ends_when_the_entry_or_its_script_changes() {
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
        assert!(error.0.contains("/state/trust.json") && error.0.contains("hint:"), "{error}");
    }

    #[test]
    fn a_list_that_others_can_write_to_trusts_nobody() {
        let folder = tempfile::tempdir().unwrap();
        let root = StateRoot::at(folder.path().join("state"));
        std::fs::create_dir(root.path()).unwrap();
        std::fs::set_permissions(root.path(), std::os::unix::fs::PermissionsExt::from_mode(0o777)).unwrap();
        let error = TrustList::open(&root, &FakeWorld::new()).unwrap_err();
        assert!(error.0.contains("others can write"), "{error}");
    }
}
