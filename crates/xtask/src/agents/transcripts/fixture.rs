//! From what an agent wrote to a fixture: the same files below a home of a fixed name, without the agent's long texts.

use serde_json::Value;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

/// Where fixtures are.
const FIXTURES: &str = "crates/hookrail-backtest/tests/fixtures";
/// The folder that takes the place of the throw-away one.
const ROOT: &str = "/home/dev";
/// Longer texts, such as an agent's instructions for its model, are cut.
const LONGEST: usize = 400;

/// What is kept of each agent: the folder of its transcripts, and where that is in a fixture.
const KEPT: [(&str, &str); 7] = [
    ("claude", ".claude/projects"),
    ("codex", ".codex/sessions"),
    ("gemini", ".gemini/tmp"),
    ("opencode", ".local/share/opencode/opencode.db"),
    ("opencode", ".local/share/opencode/storage/session"),
    ("opencode", ".local/share/opencode/storage/message"),
    ("opencode", ".local/share/opencode/storage/part"),
];

/// The id of the session of Claude Code that was written last.
pub(super) fn last_session(home: &Path) -> io::Result<String> {
    let mut newest: Option<(SystemTime, String)> = None;
    for project in std::fs::read_dir(home.join(".claude/projects"))?.flatten() {
        for entry in std::fs::read_dir(project.path())?.flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let Some(id) = name.strip_suffix(".jsonl") else { continue };
            let written = entry.metadata()?.modified()?;
            if newest.as_ref().is_none_or(|(time, _)| written > *time) {
                newest = Some((written, id.to_owned()));
            }
        }
    }
    newest.map(|(_, id)| id).ok_or_else(|| io::Error::other("there is no session yet"))
}

/// Replaces the fixture of an agent.
pub(super) fn keep(agent: &str, root: &Path, out: &mut dyn Write) -> io::Result<()> {
    let fixture = Path::new(crate::ROOT).join(FIXTURES).join(agent);
    if fixture.exists() {
        std::fs::remove_dir_all(&fixture)?;
    }
    for (_, kept) in KEPT.iter().filter(|(name, _)| *name == agent) {
        let (from, to) = (root.join("home").join(kept), fixture.join(kept));
        if from.is_file() {
            keep_database(&from, &to, root)?;
        } else {
            keep_folder(&from, &to, root)?;
        }
    }
    writeln!(out, "{agent}: wrote {}", fixture.display())
}

fn keep_folder(from: &Path, to: &Path, root: &Path) -> io::Result<()> {
    for entry in std::fs::read_dir(from)?.flatten() {
        let (path, name) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
        let target = to.join(renamed(&name, root));
        if path.is_dir() {
            keep_folder(&path, &target, root)?;
        } else if [".jsonl", ".json", ".project_root"].iter().any(|ending| name.ends_with(ending)) {
            std::fs::create_dir_all(to)?;
            let text = std::fs::read_to_string(&path)?;
            let lines: Vec<String> = text.lines().map(|line| kept_line(line, root)).collect();
            std::fs::write(target, lines.join("\n") + "\n")?;
        }
    }
    Ok(())
}

/// A line, with the fixed folder in place of the throw-away one and long texts cut.
fn kept_line(line: &str, root: &Path) -> String {
    let line = renamed(line, root);
    match serde_json::from_str::<Value>(&line) {
        Ok(value @ (Value::Object(_) | Value::Array(_))) => cut(value).to_string(),
        _ => line,
    }
}

fn renamed(text: &str, root: &Path) -> String {
    let root = root.display().to_string();
    // Claude Code makes names of folders by replacing everything that is no letter or digit.
    let dashed = |text: &str| text.replace(|c: char| !c.is_ascii_alphanumeric(), "-");
    let text = text.replace(&format!("{root}/home"), ROOT).replace(&root, ROOT);
    text.replace(&dashed(&root), &dashed(ROOT))
}

fn cut(value: Value) -> Value {
    match value {
        Value::String(text) if text.chars().count() > LONGEST => {
            let kept: String = text.chars().take(40).collect();
            Value::String(format!("{kept}[cut]"))
        }
        Value::Array(items) if items.len() > 64 => items.into_iter().take(4).map(cut).collect(),
        Value::Array(items) => items.into_iter().map(cut).collect(),
        Value::Object(fields) => fields.into_iter().map(|(name, value)| (name, cut(value))).collect(),
        other => other,
    }
}

/// Of a database the tables of sessions stay, with the fixed folder in them. They are left in the log, where opencode leaves them
/// too.
fn keep_database(from: &Path, to: &Path, root: &Path) -> io::Result<()> {
    std::fs::create_dir_all(to.parent().unwrap_or(to))?;
    let copy = to.with_extension("new");
    let dump = Command::new("sqlite3").arg(from).args([".dump session part"]).output()?;
    let text = renamed(&String::from_utf8_lossy(&dump.stdout), root);
    let mut sqlite = Command::new("sqlite3")
        .arg(to)
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::null())
        .spawn()?;
    if let Some(mut input) = sqlite.stdin.take() {
        write!(
            input,
            "PRAGMA journal_mode=WAL;\nPRAGMA wal_autocheckpoint=0;\n{text}\n.shell cp '{0}' '{1}' && cp '{0}-wal' '{1}-wal'\n",
            to.display(),
            copy.display()
        )?;
    }
    sqlite.wait()?;
    // SQLite moves the log into the file when it ends; the copy was made before.
    std::fs::rename(&copy, to)?;
    let log = |path: &Path| PathBuf::from(format!("{}-wal", path.display()));
    std::fs::rename(log(&copy), log(to))
}
