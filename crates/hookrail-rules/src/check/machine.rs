//! The machine on which examples are judged: the same everywhere, so that a rule that loads here loads anywhere.

use crate::example::ExampleCall;
use hookrail_core::{Event, EventName, FileKind, Held, HookError, Relocation, ToolCall, ToolKind, World};
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};

pub(super) const HOME: &str = "/home/me";
pub(super) const PROJECT: &str = "/home/me/code/shop";

/// Files of the home folder.
const OF_HOME: &[&str] = &[
    ".ssh/id_rsa",
    ".ssh/id_ed25519",
    ".ssh/config",
    ".aws/credentials",
    ".config/gh/hosts.yml",
    ".netrc",
    ".npmrc",
    ".kube/config",
    ".bashrc",
    ".zshrc",
    ".profile",
    ".gitconfig",
    ".claude/settings.json",
    "Documents/thesis.md",
    "Downloads/setup.sh",
    "code/other/README.md",
    "code/other/.git/HEAD",
];
/// Files of the project.
const OF_PROJECT: &[&str] = &[
    ".env",
    ".env.example",
    ".github/workflows/ci.yml",
    ".gitignore",
    "Cargo.toml",
    "Makefile",
    "README.md",
    "build/app.o",
    "data/orders.csv",
    "data/shop.sqlite",
    "dist/app.js",
    "docker-compose.yml",
    "docs/guide.md",
    "infra/main.tf",
    "k8s/api.yaml",
    "migrations/001.sql",
    "node_modules/react/index.js",
    "scripts/build.sh",
    "src/app.ts",
    "src/main.rs",
    "target/debug/shop",
    "tests/app.test.ts",
];

/// What stands in most of them.
const FILE_TEXT: &str = "a\n";
const PACKAGE: &str = r#"{"name": "shop", "scripts": {"test": "vitest", "build": "tsc", "lint": "eslint ."}}"#;

/// The machine of one example.
#[derive(Debug)]
pub(super) struct ExampleMachine {
    branch: String,
    dirty: bool,
}

impl ExampleMachine {
    pub fn of(call: &ExampleCall) -> Self {
        let branch = call.branch.clone().unwrap_or_else(|| "feature/example".to_owned());
        Self { branch, dirty: call.tree.as_deref() != Some("clean") }
    }

    fn text(&self, path: &Path) -> Option<String> {
        let below = |root: &str, files: &[&str]| {
            let inside = path.strip_prefix(root).ok()?.to_str()?;
            files.contains(&inside).then(|| inside.to_owned())
        };
        if path == Path::new(PROJECT).join(".git/HEAD") {
            return Some(format!("ref: refs/heads/{}\n", self.branch));
        }
        if path == Path::new(PROJECT).join(".git/config") {
            return Some("[remote \"origin\"]\n\turl = https://github.com/acme/shop.git\n".to_owned());
        }
        if path == Path::new(PROJECT).join("package.json") {
            return Some(PACKAGE.to_owned());
        }
        below(PROJECT, OF_PROJECT).or_else(|| below(HOME, OF_HOME)).map(|_| FILE_TEXT.to_owned())
    }

    fn files() -> impl Iterator<Item = PathBuf> {
        let more = [".git/HEAD", ".git/config", "package.json"];
        let project = OF_PROJECT.iter().copied().chain(more).map(|file| Path::new(PROJECT).join(file));
        let home = OF_HOME.iter().map(|file| Path::new(HOME).join(file));
        let system = ["/etc/hosts", "/etc/passwd", "/usr/bin/env", "/tmp/scratch.txt"].iter().map(PathBuf::from);
        project.chain(home).chain(system)
    }
}

/// The files of the machine of examples: those of the project by their path in it, those of the home folder behind `~/`.
/// Git's own are not among them.
pub fn example_files() -> impl Iterator<Item = (String, &'static str)> {
    let project = OF_PROJECT.iter().map(|file| ((*file).to_owned(), FILE_TEXT));
    let home = OF_HOME.iter().filter(|file| !file.contains(".git/")).map(|file| (format!("~/{file}"), FILE_TEXT));
    project.chain(home).chain(std::iter::once(("package.json".to_owned(), PACKAGE)))
}

/// The event of an example before it runs, or after it ran.
pub(super) fn event(call: &ExampleCall, name: EventName) -> Event {
    let mut payload = Map::new();
    payload.insert("tool_name".to_owned(), json!(call.tool));
    payload.insert("tool_input".to_owned(), call.input.clone());
    payload.insert("permission_mode".to_owned(), json!(call.mode.as_deref().unwrap_or("default")));
    if let Some(role) = call.role.as_deref().filter(|role| *role != "main") {
        payload.insert("agent_id".to_owned(), json!("example"));
        if let Some(name) = role.strip_prefix("subagent:") {
            payload.insert("agent_type".to_owned(), json!(name));
        }
    }
    Event {
        name,
        native_name: String::new(),
        session_id: "example".to_owned(),
        cwd: PROJECT.into(),
        timestamp: String::new(),
        transcript_path: String::new(),
        tool: Some(ToolCall::new(&call.tool, &call.input, classify)),
        payload,
    }
}

/// Claude Code's tools, which examples are written with.
fn classify(name: &str, input: &Value) -> ToolKind {
    let text = |key: &str| input.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    match name {
        "Bash" | "PowerShell" => ToolKind::Shell { command: text("command"), cwd: None },
        "Write" => ToolKind::Write { path: text("file_path"), content: text("content") },
        "Edit" | "MultiEdit" => ToolKind::Edit { paths: vec![text("file_path")] },
        "NotebookEdit" => ToolKind::Edit { paths: vec![text("notebook_path")] },
        "Read" => ToolKind::Read { path: text("file_path") },
        "WebFetch" => ToolKind::WebFetch { url: text("url") },
        "Agent" | "Task" => ToolKind::Subagent { agent: text("subagent_type"), prompt: text("prompt") },
        "Skill" => ToolKind::Skill { name: text("skill") },
        _ => match name.strip_prefix("mcp__").and_then(|rest| rest.split_once("__")) {
            Some((server, tool)) => ToolKind::Mcp { server: server.to_owned(), tool: tool.to_owned() },
            None => ToolKind::Other,
        },
    }
}

fn unchangeable<T>() -> Result<T, HookError> {
    Err(HookError::new("the machine of examples cannot be changed".to_owned()))
}

impl World for ExampleMachine {
    fn read(&self, path: &Path) -> Result<Option<Vec<u8>>, HookError> {
        Ok(self.text(path).map(String::into_bytes))
    }

    fn kind(&self, path: &Path) -> Result<Option<FileKind>, HookError> {
        if self.text(path).is_some() {
            return Ok(Some(FileKind::File));
        }
        Ok(Self::files().any(|file| file.starts_with(path)).then_some(FileKind::Folder))
    }

    fn list(&self, folder: &Path) -> Result<Option<Vec<String>>, HookError> {
        let mut names: Vec<String> = Self::files()
            .filter_map(|file| {
                let name = file.strip_prefix(folder).ok()?.components().next()?;
                Some(name.as_os_str().to_string_lossy().into_owned())
            })
            .collect();
        names.sort();
        names.dedup();
        Ok((!names.is_empty()).then_some(names))
    }

    fn modified_millis(&self, _: &Path) -> Result<Option<i64>, HookError> {
        Ok(None)
    }

    fn write(&self, _: &Path, _: &[u8]) -> Result<(), HookError> {
        unchangeable()
    }

    fn append(&self, _: &Path, _: &str) -> Result<(), HookError> {
        unchangeable()
    }

    fn remove(&self, _: &Path) -> Result<(), HookError> {
        unchangeable()
    }

    fn relocate(&self, _: &Path, _: &Path) -> Result<Relocation, HookError> {
        unchangeable()
    }

    fn make_folder(&self, _: &Path) -> Result<(), HookError> {
        unchangeable()
    }

    fn remove_folder(&self, _: &Path) -> Result<(), HookError> {
        unchangeable()
    }

    fn lock(&self, _: &Path) -> Result<Held, HookError> {
        Ok(Box::new(()))
    }

    fn resolve(&self, path: &Path) -> PathBuf {
        let mut tidy = PathBuf::new();
        for component in path.components() {
            match component {
                std::path::Component::ParentDir => drop(tidy.pop()),
                std::path::Component::CurDir => {}
                other => tidy.push(other),
            }
        }
        tidy
    }

    fn env(&self, name: &str) -> Option<String> {
        match name {
            "HOME" => Some(HOME.to_owned()),
            "USER" => Some("me".to_owned()),
            _ => None,
        }
    }

    fn git(&self, _: &Path, _: &[&str]) -> Result<Option<String>, HookError> {
        Ok(Some(if self.dirty { " M src/main.rs\n".to_owned() } else { String::new() }))
    }

    fn now_millis(&self) -> i64 {
        0
    }

    fn settings(&self, _: &str) -> Option<&Value> {
        None
    }

    fn own_program(&self) -> Option<PathBuf> {
        None
    }

    fn state_folder(&self) -> Option<PathBuf> {
        None
    }

    fn recall(&self, _: &str) -> Result<Option<Value>, HookError> {
        Ok(None)
    }

    fn remember(&self, _: &str, _: &mut dyn FnMut(Option<Value>) -> Option<Value>) -> Result<Option<Value>, HookError> {
        unchangeable()
    }
}
