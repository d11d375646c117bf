//! Payloads and snapshots on disk.

use serde_json::{Map, Value};
use std::fs;
use std::path::{Path, PathBuf};

pub type Payload = Map<String, Value>;

/// A payload, and the agent that wrote it.
pub struct Fixture {
    pub agent: String,
    pub name: String,
    pub payload: Payload,
    /// Came from a running agent.
    pub captured: bool,
}

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(name)
}

pub fn read(name: &str) -> Value {
    let text = fs::read_to_string(folder("fixtures").join(name)).expect(name);
    serde_json::from_str(&text).expect(name)
}

fn files(directory: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> =
        fs::read_dir(directory).expect("a folder").map(|entry| entry.expect("an entry").path()).collect();
    files.sort();
    files
}

fn stem(path: &Path) -> String {
    path.file_stem().expect("a name").to_string_lossy().into_owned()
}

/// Every payload there is.
pub fn all() -> Vec<Fixture> {
    let mut found = captured();
    found.extend(written());
    found
}

pub fn captured() -> Vec<Fixture> {
    let mut found = Vec::new();
    for agent in ["claude", "codex", "gemini"] {
        for file in files(&folder("fixtures").join(agent)) {
            if stem(&file) == "environment-names" {
                continue;
            }
            let text = fs::read_to_string(&file).expect("a payload");
            let payload = serde_json::from_str(&text).expect("a JSON object");
            found.push(Fixture { agent: agent.to_owned(), name: stem(&file), payload, captured: true });
        }
    }
    assert_eq!(found.len(), 93, "every captured payload is there");
    found
}

/// Payloads of further agents, by the folder they are in: the agent, with what was special about the run behind a dash.
pub fn golden() -> Vec<Fixture> {
    let mut found = Vec::new();
    let folders = [
        "llxprt",
        "qwen",
        "copilot",
        "copilot-camelcase",
        "droid",
        "kimi",
        "auggie",
        "cline",
        "vibe",
        "openhands",
        "opencode",
        "kilo",
    ];
    for name in folders {
        let agent = name.split('-').next().expect("a name");
        for file in files(&folder("fixtures").join(name)) {
            let payload = serde_json::from_str(&fs::read_to_string(&file).expect("a payload")).expect("a JSON object");
            let name = format!("{name}/{}", stem(&file));
            found.push(Fixture { agent: agent.to_owned(), name, payload, captured: true });
        }
    }
    assert_eq!(found.len(), 162, "every captured payload is there");
    found
}

pub fn written() -> Vec<Fixture> {
    let mut found = Vec::new();
    for file in files(&folder("fixtures/written")) {
        for line in fs::read_to_string(&file).expect("payloads").lines() {
            let line: Value = serde_json::from_str(line).expect(line);
            let payload = line["payload"].as_object().expect("a payload").clone();
            let name = line["name"].as_str().expect("a name").to_owned();
            found.push(Fixture { agent: stem(&file), name, payload, captured: false });
        }
    }
    found
}

/// Compares with a committed text, or writes it when `HOOKRAIL_BLESS` is set.
#[expect(clippy::disallowed_methods, reason = "how a developer asks for new snapshots")]
pub fn check_snapshot(name: &str, actual: &str) {
    let file = folder("snapshots").join(name);
    if std::env::var_os("HOOKRAIL_BLESS").is_some() {
        return fs::write(&file, actual).expect("a writable snapshot");
    }
    let expected = fs::read_to_string(&file).expect("a snapshot");
    for (number, (expected, actual)) in expected.lines().zip(actual.lines()).enumerate() {
        assert_eq!(actual, expected, "{name}:{}; HOOKRAIL_BLESS=1 accepts what is new", number + 1);
    }
    assert_eq!(actual, expected, "{name} has other lines than before; HOOKRAIL_BLESS=1 accepts what is new");
}
