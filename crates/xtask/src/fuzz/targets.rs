//! Everything that reads what an agent, a repository or a hook can write.

use hookrail_core::lenient_json;
use hookrail_core::redaction::{Limits, record_event, redact_text};
use hookrail_core::{ConfigSource, EventName, Matcher, MatcherStyle};
use hookrail_effects::{EmptyWorld, Surroundings, understand_command};
use hookrail_engine::layers::{ConfigCache, LayerFiles, LayerKind};
use hookrail_engine::{Document, FolderTrust, HookFormat, HookRegistry, Layer};
use hookrail_packs::CATALOGUE;
use hookrail_store::{Cursor, FileStore, SessionId, StateRoot, Store};
use hookrail_testkit::world::FakeWorld;
use serde_json::{Map, Value, json};
use std::hint::black_box;
use std::io::{self, Cursor as Bytes};
use std::path::Path;
use std::{fs, panic};

/// Something that takes bytes.
pub struct Target {
    pub name: &'static str,
    /// Files of the repository that inputs are made of, beside those in `spec/fuzz/<name>`.
    pub fixtures: &'static [&'static str],
    pub run: fn(&[u8]),
}

/// Every target. A new one is a function and a line here.
pub const TARGETS: &[Target] = &[
    Target { name: "lenient-json", fixtures: JSON, run: lenient_json },
    Target { name: "dialects", fixtures: JSON, run: dialects },
    Target {
        name: "configuration",
        fixtures: &["docs/src/configuration.md", "crates/hookrail-rules/src/safety/delete.toml"],
        run: configuration,
    },
    Target { name: "rule-set", fixtures: &["crates/hookrail-rules/src/safety/compiled.bin"], run: rule_set },
    Target { name: "settings", fixtures: &["spec/conformance/engine.jsonl"], run: settings },
    Target { name: "front-matter", fixtures: &[], run: front_matter },
    Target { name: "journal", fixtures: &[], run: journal },
    Target { name: "session", fixtures: &[], run: session },
    Target { name: "redaction", fixtures: &["docs/src/log.md", "docs/src/command-hooks.md"], run: redaction },
    Target { name: "json-rpc", fixtures: &[], run: json_rpc },
    Target { name: "matcher", fixtures: &["spec/js_regex.jsonl"], run: matcher },
    Target {
        name: "shell",
        fixtures: &[
            "crates/hookrail-shell/tests/fuzz-seeds/arithmetic.sh",
            "crates/hookrail-shell/tests/fuzz-seeds/assignments.sh",
            "crates/hookrail-shell/tests/fuzz-seeds/braces.sh",
            "crates/hookrail-shell/tests/fuzz-seeds/cmd.txt",
            "crates/hookrail-shell/tests/fuzz-seeds/command-substitution.sh",
            "crates/hookrail-shell/tests/fuzz-seeds/compound-commands.sh",
            "crates/hookrail-shell/tests/fuzz-seeds/conditions.sh",
            "crates/hookrail-shell/tests/fuzz-seeds/found-by-running-generated-scr.sh",
            "crates/hookrail-shell/tests/fuzz-seeds/functions-and-coprocesses.sh",
            "crates/hookrail-shell/tests/fuzz-seeds/globs.sh",
            "crates/hookrail-shell/tests/fuzz-seeds/here-documents.sh",
            "crates/hookrail-shell/tests/fuzz-seeds/lists.sh",
            "crates/hookrail-shell/tests/fuzz-seeds/parameters.sh",
            "crates/hookrail-shell/tests/fuzz-seeds/pipelines.sh",
            "crates/hookrail-shell/tests/fuzz-seeds/powershell.txt",
            "crates/hookrail-shell/tests/fuzz-seeds/process-substitution.sh",
            "crates/hookrail-shell/tests/fuzz-seeds/redirections.sh",
            "crates/hookrail-shell/tests/fuzz-seeds/tilde.sh",
            "crates/hookrail-shell/tests/fuzz-seeds/what-cannot-be-read.sh",
            "crates/hookrail-shell/tests/fuzz-seeds/words-and-quoting.sh",
            ".ci/run",
        ],
        run: shell,
    },
];

const JSON: &[&str] =
    &["spec/conformance/engine.jsonl", "spec/translate/anthropic.jsonl", "spec/translate/genai.jsonl"];

/// Keeps the messages of caught panics to their parent.
pub fn silence_panics() {
    panic::set_hook(Box::new(|_| {}));
}

/// Compiled rules are kept in a file, which may be damaged.
fn rule_set(input: &[u8]) {
    if let Some(set) = hookrail_rules::RuleSet::from_bytes(input.to_vec()) {
        black_box((set.rules().count(), set.exceptions().len()));
    }
}

/// Whatever a strict parser accepts must read the same.
fn lenient_json(input: &[u8]) {
    let read = lenient_json::parse(input);
    let is_private = input.windows(12).any(|part| part == b"$serde_json:");
    if let Ok(strict @ Value::Object(_)) = serde_json::from_slice::<Value>(input)
        && !is_private
    {
        assert_eq!(read.as_ref().map(|read| &read.value), Ok(&strict), "the strict parser reads something else");
    }
    if let Ok(read) = read {
        let printed = read.value.to_string();
        assert!(serde_json::from_str::<Value>(&printed).is_ok(), "what was read cannot be read again");
    }
}

fn object(input: &[u8]) -> Option<Map<String, Value>> {
    match lenient_json::parse(input).ok()?.value {
        Value::Object(fields) => Some(fields),
        _ => None,
    }
}

fn dialects(input: &[u8]) {
    let Some(payload) = object(input) else { return };
    for dialect in hookrail_dialects::all() {
        let event = dialect.decode(payload.clone());
        let _ = record_event(&event, Limits::default());
        let _ = event.to_input();
    }
}

fn configuration(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    let world = FakeWorld::new().file("/p/hookrail.toml", &text);
    let files = LayerFiles::new(vec![(LayerKind::Project, "/p/hookrail.toml".into())]);
    let settings = ConfigCache::in_state(None).load(&files, &world);
    let _ = (settings.commands(), settings.sections(), settings.diagnostics().len());
}

fn settings(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    let Ok(document) = Document::parse("settings.json", &text) else { return };
    for format in [HookFormat::Protocol, HookFormat::Claude] {
        let layer = Layer::new(ConfigSource::Project, format, vec![document.clone()]);
        let registry = HookRegistry::build(&[layer], Vec::new(), &[], FolderTrust::Untrusted);
        let _ = registry.diagnostics().iter().map(ToString::to_string).collect::<Vec<_>>();
    }
}

/// The files that hooks of packs keep their state in, before events that make them read it.
fn front_matter(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    let world = FakeWorld::new()
        .file("/p/specs/x/.planning-state.local.md", &text)
        .file("/p/.claude/plans/plan.md", &text)
        .file("/p/.isdlc/state.json", &text)
        .file("/p/.orchestrator/state.json", &text)
        .file("/t", &text);
    let payloads = [
        (
            EventName::BeforeTool,
            json!({"tool_name": "Write", "tool_input": {"file_path": "/p/specs/x/a.md", "content": &*text}}),
        ),
        (
            EventName::AfterTool,
            json!({"tool_name": "Write", "tool_input": {"file_path": "/p/specs/x/.planning-state.local.md"}}),
        ),
        (EventName::SessionStart, json!({})),
        (EventName::AfterAgent, json!({"prompt_response": &*text})),
    ];
    for (name, payload) in payloads {
        let Value::Object(payload) = payload else { continue };
        let mut fields = payload;
        fields.insert("hook_event_name".to_owned(), json!(name.as_str()));
        fields.insert("cwd".to_owned(), json!("/p"));
        fields.insert("transcript_path".to_owned(), json!("/t"));
        let Some(dialect) = hookrail_dialects::dialect("gemini") else { continue };
        let event = dialect.decode(fields);
        for hook in CATALOGUE.iter().flat_map(|pack| pack.hooks) {
            if hook.events().contains(&event.name) && hook.concerns(&event) {
                let _ = hook.check(&event, &world);
            }
        }
    }
}

/// A store whose file at `path` holds the input.
fn store_with(path: &str, input: &[u8]) -> io::Result<(tempfile::TempDir, FileStore)> {
    let place = tempfile::tempdir()?;
    let root = place.path().join("state");
    let store = FileStore::new(StateRoot::at(&root), || 1_700_000_000_000);
    store.root().check().map_err(io::Error::other)?;
    let file = root.join(path);
    fs::create_dir_all(file.parent().unwrap_or(&root))?;
    fs::write(file, input)?;
    Ok((place, store))
}

fn journal(input: &[u8]) {
    for file in ["journal/000000000001.jsonl", "journal/head", "journal.witness"] {
        let Ok((_place, store)) = store_with(file, input) else { return };
        let _ = store.verify();
        let _ = store.anchor();
        let _ = store.tail(3);
        if let Ok(records) = store.records(Cursor::default()) {
            let _ = records.count();
        }
        let appended = store.append(&hookrail_store::JournalRecord::default());
        assert!(appended.is_ok(), "the journal does not go on: {appended:?}");
        assert!(store.verify().is_ok(), "the journal cannot be checked");
    }
}

fn session(input: &[u8]) {
    let Ok((_place, store)) = store_with("sessions/s.json", input) else { return };
    let id = SessionId::new("s", Path::new("/p"));
    assert!(store.read(&id).is_ok(), "the state cannot be read");
    let updated = store.update(&id, &mut |state| *state.budgets.entry("x".to_owned()).or_default() = 1);
    let _ = updated.map(|session| session.state.budgets.len());
}

fn redaction(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    let _ = redact_text(&text);
}

/// Requests of a caller who has not set up any hooks, so that nothing is run.
fn json_rpc(input: &[u8]) {
    if input.windows(10).any(|part| part == b"initialize") {
        return;
    }
    if let Ok(service) = hookrail_host::rpc::Server::new().start(Bytes::new(input.to_vec()), io::sink()) {
        service.wait();
    }
}

fn matcher(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    for style in [MatcherStyle::Pattern, MatcherStyle::Names] {
        let (matcher, _) = Matcher::compile(Some(&text), style);
        for name in ["Write", "mcp__memory__create", "", "run_shell_command"] {
            let _ = matcher.matches_name(name);
        }
    }
}

fn shell(input: &[u8]) {
    hookrail_shell::fuzz(input);
    let around = Surroundings::unknown("/p".as_ref());
    let _ = understand_command(&String::from_utf8_lossy(input), &around, &EmptyWorld);
}

/// Targets that do what must be found, for the test of this task. They are run by name only.
pub const SELF_CHECKS: &[Target] = &[
    Target { name: "self-fine", fixtures: &[".ci/run"], run: |_| {} },
    Target { name: "self-panic", fixtures: &[".ci/run"], run: fail },
    Target { name: "self-overflow", fixtures: &[".ci/run"], run: overflow },
    Target { name: "self-hang", fixtures: &[".ci/run"], run: |_| while black_box(true) {} },
    Target { name: "self-memory", fixtures: &[".ci/run"], run: |_| drop(black_box(vec![1_u8; 1 << 30])) },
];

#[expect(clippy::panic, reason = "to be found")]
fn fail(input: &[u8]) {
    if !input.is_empty() {
        panic!("on purpose");
    }
}

fn overflow(input: &[u8]) {
    black_box(recurse(input.len()));
}

#[expect(unconditional_recursion, reason = "to be found")]
fn recurse(depth: usize) -> usize {
    let frame = black_box([depth; 64]);
    recurse(depth + 1) + frame.len()
}
