//! What it costs to understand a tool call, which every guard and every rule does first.

use super::stopwatch::each;
use super::table::{Limit, Row};
use super::{Options, allocations, row};
use hookrail_core::{Event, EventName, ToolCall, ToolKind};
use hookrail_effects::Understanding;
use hookrail_engine::{Places, RealWorld};
use serde_json::{Map, Value, json};
use std::hint::black_box;
use std::io;
use std::path::Path;
use std::sync::Arc;

/// What agents run all day.
const TYPICAL: [&str; 6] = [
    "cargo test --workspace 2>&1 | tail -40",
    "cd src && grep -rn 'fn main' . | head -20",
    "git add -A && git commit -m \"Fix the cart's total\"",
    "npm run build && rm -rf dist/old",
    "sed -n 1,80p src/main.rs; cat Cargo.toml",
    "for f in src/*.rs; do wc -l \"$f\"; done > /tmp/lines.txt",
];
/// As long as a command may be that is read to its end.
const LONG: usize = 64 * 1024 - 64;

pub(super) fn measure(options: &Options) -> io::Result<Vec<Row>> {
    let folder = tempfile::tempdir()?;
    let project = folder.path().join("home/me/project");
    std::fs::create_dir_all(project.join("src"))?;
    std::fs::create_dir_all(project.join(".git"))?;
    std::fs::write(project.join("src/main.rs"), "fn main() {}\n")?;
    let typical = TYPICAL.map(|command| event(command, &project));
    let all = || typical.iter().for_each(|event| drop(black_box(understand(event))));
    let time = each(options.rounds, 50, all) / u32::try_from(TYPICAL.len()).unwrap_or(1);
    let count = allocations::count(all) / TYPICAL.len() as u64;
    let mut rows = vec![
        row("understanding a typical command", micros(time), "µs", Some(Limit::Absolute(25.0))),
        row("understanding a typical command: allocations", count as f64, "", Some(Limit::Absolute(200.0))),
    ];
    for (name, command) in [
        ("many commands", "cp src/a.rs build/a.rs; ".repeat(LONG / 24)),
        (
            "a here-document",
            format!("cat > notes.md <<'EOF'\n{}EOF\n", "one more line of text\n".repeat(LONG / 22 - 2)),
        ),
        ("one long argument", format!("python3 -c '{}'", "x = 1\n".repeat(LONG / 6 - 3))),
        ("lines with patterns", long(|number| format!("rm -f a{number}/*.o\n"))),
        ("redirections", format!("echo x {}", long(|number| format!("> f{number} ")))),
        ("changes of the folder", long(|number| format!("cd d{number} && rm x\n"))),
        ("variables", long(|number| format!("v{number}=$HOME/a{number}; rm $v{number}\n"))),
        ("a pipeline", format!("cat x{}", long(|number| format!(" | grep a{number}")))),
        ("quotes in quotes", quoted(9)),
        ("substitutions in each other", format!("echo {}x{}", "$(".repeat(LONG / 8), ")".repeat(LONG / 8))),
        ("braces in one word", format!("rm {}", "{a,b}".repeat(LONG / 5 - 1))),
        ("wrappers", format!("{}rm x", "sudo ".repeat(LONG / 5 - 2))),
    ] {
        let event = event(&command, &project);
        let time = each(options.rounds, 1, || drop(black_box(understand(&event))));
        rows.push(row(&format!("understanding 64 KiB, {name}"), micros(time), "µs", Some(Limit::Absolute(10_000.0))));
    }
    Ok(rows)
}

/// As much of something as makes a long command.
fn long(piece: impl Fn(usize) -> String) -> String {
    let mut text = String::new();
    for number in 0.. {
        let piece = piece(number);
        if text.len() + piece.len() > LONG - 16 {
            break;
        }
        text.push_str(&piece);
    }
    text
}

/// A command in quotes in quotes, each of which doubles the length of what is in it.
fn quoted(levels: usize) -> String {
    (0..levels).fold("rm x".to_owned(), |text, _| format!("sh -c '{}'", text.replace('\'', "'\\''")))
}

/// Understands an event as a process does that has just been started: nothing is remembered of an event before.
fn understand(event: &Event) -> Option<Arc<Understanding>> {
    let world = RealWorld::default().with_places(Places::default());
    hookrail_effects::of(&event.clone(), &world)
}

fn event(command: &str, project: &Path) -> Event {
    let input = json!({ "command": command });
    Event {
        name: EventName::BeforeTool,
        native_name: "PreToolUse".to_owned(),
        session_id: "bench".to_owned(),
        cwd: project.to_owned(),
        timestamp: String::new(),
        transcript_path: String::new(),
        tool: Some(ToolCall::new("Bash", &input, classify)),
        payload: Map::from_iter([("tool_name".to_owned(), json!("Bash")), ("tool_input".to_owned(), input)]),
    }
}

fn classify(_: &str, input: &Value) -> ToolKind {
    let command = input.get("command").and_then(Value::as_str).unwrap_or_default();
    ToolKind::Shell { command: command.to_owned(), cwd: None }
}

fn micros(time: std::time::Duration) -> f64 {
    time.as_secs_f64() * 1e6
}
