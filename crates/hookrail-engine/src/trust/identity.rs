//! What a yes is said to: an entry with every key it has, and the scripts its command runs.

use super::RULE;
use super::scripts::{self, FoundScripts};
use crate::layers::CommandHook;
use hookrail_core::{OnError, World};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// What a yes was said to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrustedHook {
    /// Of the entry and of the scripts its command runs.
    pub hash: String,
    /// The folder of the project; an approval holds nowhere else.
    pub project: PathBuf,
    /// What people call the hook.
    pub name: String,
    /// The event it runs on.
    pub event: String,
    /// The text for the shell.
    pub command: String,
    /// Every key of the entry with its value, so that a change can be shown. Lists of earlier versions have none.
    #[serde(default)]
    pub entry: Vec<(String, String)>,
    /// The files that are part of the hash.
    pub scripts: Vec<Script>,
    /// Why it is unknown what the command runs; such a hook is not approved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub obstacle: Option<String>,
    /// Milliseconds since 1970.
    pub since: i64,
}

/// A file that a command runs, as it was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "ScriptForm")]
pub struct Script {
    /// Where the command finds it.
    pub path: PathBuf,
    /// Of its content; empty if there is no such file.
    pub hash: String,
}

/// Lists of earlier versions have the path alone.
#[derive(Deserialize)]
#[serde(untagged)]
enum ScriptForm {
    Path(PathBuf),
    Hashed { path: PathBuf, hash: String },
}

impl From<ScriptForm> for Script {
    fn from(form: ScriptForm) -> Self {
        match form {
            ScriptForm::Path(path) => Self { path, hash: String::new() },
            ScriptForm::Hashed { path, hash } => Self { path, hash },
        }
    }
}

impl TrustedHook {
    /// What is different from what was approved, a line for each difference.
    #[must_use]
    pub fn differences(&self, approved: &Self) -> Vec<String> {
        if approved.entry.is_empty() {
            return vec!["it was approved by an earlier version, which did not write down what it was".to_owned()];
        }
        let mut lines = Vec::new();
        for (key, value) in &self.entry {
            let before = approved.entry.iter().find(|(known, _)| known == key).map(|(_, value)| value.as_str());
            if before != Some(value.as_str()) {
                lines.push(format!("- {key} = {}", before.unwrap_or_default()));
                lines.push(format!("+ {key} = {value}"));
            }
        }
        for script in &self.scripts {
            let path = self.shown(&script.path);
            match approved.scripts.iter().find(|known| known.path == script.path) {
                None => lines.push(format!("+ script {path}")),
                Some(known) if known.hash == script.hash => {}
                Some(_) if script.hash.is_empty() => lines.push(format!("- script {path} (it is gone)")),
                Some(known) if known.hash.is_empty() => lines.push(format!("+ script {path} (it was not there)")),
                Some(_) => lines.push(format!("~ script {path} has another content")),
            }
        }
        for known in &approved.scripts {
            if !self.scripts.iter().any(|script| script.path == known.path) {
                lines.push(format!("- script {}", self.shown(&known.path)));
            }
        }
        lines
    }

    /// What the approved entry wanted in case of failure.
    #[must_use]
    pub fn on_error(&self) -> OnError {
        let word = self.entry.iter().find(|(key, _)| key == "on_error");
        word.and_then(|(_, word)| OnError::parse(word)).unwrap_or_default()
    }

    /// The layer of the approved entry; lists of earlier versions do not have it.
    #[must_use]
    pub fn layer(&self) -> Option<&str> {
        self.entry.iter().find(|(key, _)| key == "layer").map(|(_, layer)| layer.as_str())
    }

    /// Whether both are approvals of the same hook, in whatever form it was.
    #[must_use]
    pub fn is_same_hook(&self, other: &Self) -> bool {
        let layers = self.layer().zip(other.layer());
        let same_kind = (self.event == RULE) == (other.event == RULE);
        same_kind
            && self.project == other.project
            && self.name == other.name
            && layers.is_none_or(|(one, other)| one == other)
    }

    fn shown(&self, path: &Path) -> String {
        path.strip_prefix(&self.project).unwrap_or(path).display().to_string()
    }
}

/// What a yes to this hook would mean, as things are now.
#[must_use]
pub fn identify(hook: &CommandHook, project: &Path, world: &dyn World) -> TrustedHook {
    examine(hook, project, project, world).0
}

/// The same for a command that is started in `cwd`, which is where its scripts are looked for then, with what was read.
pub(super) fn examine(
    hook: &CommandHook,
    project: &Path,
    cwd: &Path,
    world: &dyn World,
) -> (TrustedHook, FoundScripts) {
    let entry = keys(hook);
    let found = scripts::find(&hook.command, project, cwd, world);
    let mut hash = blake3::Hasher::new();
    let mut add = |bytes: &[u8]| {
        hash.update(&(bytes.len() as u64).to_le_bytes());
        hash.update(bytes);
    };
    for (key, value) in &entry {
        add(key.as_bytes());
        add(value.as_bytes());
    }
    for script in &found.files {
        add(script.path.as_os_str().as_encoded_bytes());
        add(script.hash.as_bytes());
    }
    let identity = TrustedHook {
        hash: hash.finalize().to_hex().to_string(),
        project: project.to_owned(),
        name: hook.name.clone(),
        event: hook.event.clone(),
        command: hook.command.clone(),
        entry,
        scripts: found.files.clone(),
        obstacle: found.obstacle.clone(),
        since: world.now_millis(),
    };
    (identity, found)
}

/// Every key of an entry. A new one does not compile until it is here, or until it is marked as irrelevant.
fn keys(hook: &CommandHook) -> Vec<(String, String)> {
    let CommandHook { name, event, matcher, command, timeout, sequential, on_error, mode, layer, origin: _ } = hook;
    let timeout = timeout.map_or_else(|| "default".to_owned(), |timeout| timeout.as_millis().to_string());
    let matcher = matcher.as_ref().map_or_else(|| "none".to_owned(), |matcher| format!("`{matcher}`"));
    let pairs = [
        ("name", name.clone()),
        ("event", event.clone()),
        ("matcher", matcher),
        ("command", command.clone()),
        ("timeout", timeout),
        ("sequential", sequential.to_string()),
        ("on_error", on_error.as_str().to_owned()),
        ("mode", mode.as_str().to_owned()),
        ("layer", layer.as_str().to_owned()),
    ];
    pairs.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}

#[cfg(test)]
mod tests {
    use super::super::tests::hook;
    use super::*;
    use crate::layers::LayerKind;
    use hookrail_core::Mode;
    use hookrail_testkit::world::FakeWorld;
    use std::time::Duration;

    #[test]
    fn every_key_is_part_of_the_identity() {
        let known = hook("make lint");
        type Change = fn(&mut CommandHook);
        let changes: [(&str, Change); 9] = [
            ("name", |hook| hook.name.push('x')),
            ("event", |hook| hook.event = "BeforeTool".to_owned()),
            ("matcher", |hook| hook.matcher = Some("none".to_owned())),
            ("command", |hook| hook.command.push('x')),
            ("timeout", |hook| hook.timeout = Some(Duration::from_millis(1))),
            ("sequential", |hook| hook.sequential = true),
            ("on_error", |hook| hook.on_error = OnError::Deny),
            ("mode", |hook| hook.mode = Mode::Warn),
            ("layer", |hook| hook.layer = LayerKind::Local),
        ];
        let identify = |hook: &CommandHook| identify(hook, Path::new("/p"), &FakeWorld::new());
        for (key, change) in changes {
            let mut other = known.clone();
            change(&mut other);
            let (before, after) = (identify(&known), identify(&other));
            assert_ne!(before.hash, after.hash, "{key}");
            let shown = after.differences(&before);
            assert!(shown.iter().any(|line| line.starts_with(&format!("+ {key} ="))), "{key}: {shown:?}");
        }
        assert_eq!(identify(&known).differences(&identify(&known)), Vec::<String>::new());
    }

    #[test]
    fn a_list_of_an_earlier_version_can_still_be_read() {
        let text = r#"{"hash": "h", "project": "/p", "name": "lint", "event": "AfterTool", "command": "sh a.sh",
            "scripts": ["/p/a.sh"], "since": 1}"#;
        let old: TrustedHook = serde_json::from_str(text).unwrap();
        assert_eq!(old.scripts, [Script { path: "/p/a.sh".into(), hash: String::new() }]);
        let now = identify(&hook("sh a.sh"), Path::new("/p"), &FakeWorld::new());
        assert!(now.differences(&old).concat().contains("earlier version"));
    }
}
