//! Labelled calls of tools, and the machine they speak of. The calls are data: nothing ever runs them.

use crate::world::FakeWorld;
use hookrail_core::{Event, EventName, ToolCall, ToolKind};
use hookrail_dialects::agents;
use serde_json::{Map, Value, json};

const HOME: &str = "/home/dev";
/// Where the calls happen.
pub const PROJECT: &str = "/home/dev/code/shop";

/// Files of the home folder.
const OF_HOME: &[&str] = &[
    ".ssh/id_rsa",
    ".ssh/id_ed25519",
    ".ssh/id_ed25519.pub",
    ".ssh/known_hosts",
    ".ssh/config",
    ".ssh/authorized_keys",
    ".aws/credentials",
    ".config/gh/hosts.yml",
    ".netrc",
    ".npmrc",
    ".kube/config",
    ".bashrc",
    ".zshrc",
    ".bash_history",
    ".zsh_history",
    ".gitconfig",
    ".claude/settings.json",
    "Documents/thesis.md",
    ".cargo/registry/src/index-1/serde-1.0.0/src/lib.rs",
    "code/other/README.md",
    "code/other/src/main.rs",
    "code/other/.git/HEAD",
];
/// Folders of the home folder that hold something unimportant.
const FOLDERS_OF_HOME: &[&str] = &[
    "Downloads",
    "Pictures",
    ".codex",
    ".gemini",
    ".cursor",
    ".config/systemd/user",
    ".config/fish",
    "Library/LaunchAgents",
];
/// Files of the project.
const OF_PROJECT: &[&str] = &[
    "src/main.rs",
    "README.md",
    "src/app.ts",
    "src/cart.ts",
    "src/env.ts",
    "src/legacy/old_cart.ts",
    "src/secrets/vault.ts",
    "src/config.ts",
    "src/git/hooks/useBranch.ts",
    "src/pricing.ts",
    "tests/fixtures/dummy.pem.txt",
    "docs/danger.md",
    "docs/credentials.md",
    "scripts/build.sh",
    "scripts/clean.sh",
    "data/orders.csv",
    "data/backup.sql",
    "infra/prod/main.tf",
    "k8s/api.yaml",
    "Makefile",
    ".env.example",
    ".github/workflows/ci.yml",
    "CLAUDE.md",
    "analysis/churn.ipynb",
    ".husky/pre-commit",
    ".claude/settings.json",
    ".env",
    ".env.local",
    "node_modules/react/index.js",
    "dist/app.js",
    "build/a.o",
    "src/wip.ts",
    "slides.html",
];
/// Folders of the project that hold something unimportant.
const FOLDERS_OF_PROJECT: &[&str] = &[
    "migrations",
    "prisma",
    "runbooks",
    ".claude/worktrees/sweet-davinci",
    ".claude/commands",
    ".claude/agents",
    ".vscode",
    ".hookrail",
    "terraform",
    "target/debug/incremental",
    "coverage",
    ".next",
    ".venv/bin",
];

/// What a careful person would want to happen to a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Want {
    Allow,
    /// Nothing that tells it is known: it must not be approved, and the user need not be asked.
    Open,
    Ask,
    Deny,
}

impl Want {
    fn parse(word: &str) -> Option<Self> {
        Some(match word {
            "deny" => Self::Deny,
            "ask" => Self::Ask,
            "allow" => Self::Allow,
            "open" => Self::Open,
            _ => return None,
        })
    }
}

/// One labelled call.
#[derive(Clone, Debug)]
pub struct LabelledCall {
    pub id: String,
    /// The kind of harm it does or looks like.
    pub class: String,
    pub want: Want,
    /// `family.verb@place` of what it does.
    pub effects: Vec<String>,
    pub tool: String,
    pub input: Value,
}

impl LabelledCall {
    /// The command, or the tool with its input.
    #[must_use]
    pub fn shown(&self) -> String {
        let command = self.input.get("command").and_then(Value::as_str);
        command.map_or_else(|| format!("{} {}", self.tool, self.input), |command| command.replace('\n', "\\n"))
    }

    /// The call as an agent that has such a tool announces it.
    #[must_use]
    pub fn event(&self) -> Event {
        let mut payload = Map::new();
        payload.insert("tool_name".to_owned(), Value::from(self.tool.as_str()));
        payload.insert("tool_input".to_owned(), self.input.clone());
        payload.insert("permission_mode".to_owned(), Value::from("bypassPermissions"));
        Event {
            name: EventName::BeforeTool,
            native_name: String::new(),
            session_id: "corpus".to_owned(),
            cwd: PROJECT.into(),
            timestamp: String::new(),
            transcript_path: String::new(),
            tool: Some(ToolCall::new(self.tool.as_str(), &self.input, classify)),
            payload,
        }
    }
}

/// As the first agent that knows the tool reads it.
fn classify(name: &str, input: &Value) -> ToolKind {
    let readings =
        agents().filter_map(hookrail_dialects::Agent::dialect).map(|dialect| dialect.classify()(name, input));
    readings.into_iter().find(|kind| *kind != ToolKind::Other).unwrap_or(ToolKind::Other)
}

/// Parses the calls of a corpus file: JSON with a list `items`, or one call per line.
pub fn read(text: &str) -> Result<Vec<LabelledCall>, String> {
    if !text.trim_start().starts_with('{') {
        let lines = (1..).zip(text.lines()).filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
        return lines.map(|(number, line)| read_line(number, line)).collect();
    }
    let corpus: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let items = corpus.get("items").and_then(Value::as_array).ok_or("there is no list `items`")?;
    items.iter().map(read_call).collect()
}

/// Parses `WANT CLASS COMMAND` or `WANT CLASS TOOL {input}`. The id of a call is its line.
fn read_line(number: usize, line: &str) -> Result<LabelledCall, String> {
    let fault = |what: &str| format!("line {number}: {what}: `{line}`");
    let (want, rest) = line.split_once(' ').ok_or_else(|| fault("no class"))?;
    let (class, call) = rest.split_once(' ').ok_or_else(|| fault("no call"))?;
    let want = Want::parse(want).ok_or_else(|| fault("wants none of deny, ask, open, allow"))?;
    let named = call.split_once(' ').filter(|(_, input)| input.starts_with("{\""));
    let (tool, input) = match named {
        Some((tool, input)) => (tool, serde_json::from_str(input).map_err(|error| fault(&error.to_string()))?),
        None => ("Bash", json!({ "command": call })),
    };
    let (class, tool) = (class.to_owned(), tool.to_owned());
    Ok(LabelledCall { id: format!("L{number}"), class, want, effects: Vec::new(), tool, input })
}

fn read_call(item: &Value) -> Result<LabelledCall, String> {
    let text = |key: &str| item.get(key).and_then(Value::as_str).map(str::to_owned);
    let id = text("id").ok_or_else(|| format!("a call has no `id`: {item}"))?;
    let missing = |key: &str| format!("call `{id}` has no `{key}`");
    let want = text("want").ok_or_else(|| missing("want"))?;
    let want = Want::parse(&want)
        .ok_or_else(|| format!("call `{id}` wants `{want}`, which is none of deny, ask, open, allow"))?;
    let effects = match item.get("effects") {
        Some(Value::Array(labels)) => labels.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        Some(Value::String(labels)) => labels.split(',').map(str::to_owned).collect(),
        _ => Vec::new(),
    };
    let tool = text("tool").ok_or_else(|| missing("tool"))?;
    let input = item.get("input").cloned().ok_or_else(|| missing("input"))?;
    let class = text("class").unwrap_or_default();
    Ok(LabelledCall { id, class, want, effects, tool, input })
}

/// The machine that the calls speak of.
#[must_use]
pub fn machine() -> FakeWorld {
    let mut world = FakeWorld::new().env("HOME", HOME).env("USER", "dev");
    let below = |root: &str, names: &[&str], file: &str| -> Vec<String> {
        names.iter().map(|name| format!("{root}/{name}{file}")).collect()
    };
    let files = [
        below(HOME, OF_HOME, ""),
        below(HOME, FOLDERS_OF_HOME, "/something"),
        below(PROJECT, OF_PROJECT, ""),
        below(PROJECT, FOLDERS_OF_PROJECT, "/something"),
    ];
    for file in files.concat() {
        world = world.file(&file, "a\n");
    }
    let script = r#"{"name":"shop","version":"1.0.0","scripts":{"test":"vitest"}}"#;
    let remote = "[remote \"origin\"]\n\turl = https://github.com/acme/shop.git\n";
    world
        .file(&format!("{PROJECT}/package.json"), script)
        .file(&format!("{PROJECT}/.git/HEAD"), "ref: refs/heads/feat/login\n")
        .file(&format!("{PROJECT}/.git/config"), remote)
        .link(&format!("{PROJECT}/cfg-link"), &format!("{HOME}/.aws/credentials"))
        .file("/tmp/shop/something", "a\n")
}
