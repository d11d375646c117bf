//! What it costs to understand a tool call, which every guard and every rule does first.

use super::stopwatch::each;
use super::table::{Limit, Row};
use super::{Options, allocations, row};
use hookrail_core::{Event, EventName, ToolCall, ToolKind};
use hookrail_engine::{Places, RealWorld};
use serde_json::{Map, Value, json};
use std::hint::black_box;
use std::io;
use std::path::Path;

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
/// A typical command is too short to be timed alone.
const REPETITIONS: u32 = 50;

pub(super) fn measure(options: &Options) -> io::Result<Vec<Row>> {
    let folder = tempfile::tempdir()?;
    let project = folder.path().join("home/me/project");
    std::fs::create_dir_all(project.join("src"))?;
    std::fs::create_dir_all(project.join(".git"))?;
    std::fs::write(project.join("src/main.rs"), "fn main() {}\n")?;
    let mut typical = FreshEvents::new(TYPICAL.map(|command| event(command, &project)).to_vec());
    typical.stock(REPETITIONS as usize * (options.rounds + 2));
    let time = each(options.rounds, REPETITIONS, || typical.understand_all());
    let time = time / u32::try_from(TYPICAL.len()).unwrap_or(1);
    let count = allocations::count(|| typical.understand_all()) / TYPICAL.len() as u64;
    let mut rows = vec![
        row("understanding a typical command", micros(time), "µs", Some(Limit::Absolute(25.0))),
        row("understanding a typical command: allocations", count as f64, "", None),
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
        let mut long = FreshEvents::new(vec![event(&command, &project)]);
        long.stock(options.rounds + 2);
        let time = each(options.rounds, 1, || long.understand_all());
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

/// Events as a process has them that has just been started: an event keeps what was understood of it, so each is used once.
/// They are copied before they are needed, and given back afterwards; a process does neither.
struct FreshEvents {
    events: Vec<Event>,
    stock: Vec<Vec<Event>>,
    used: Vec<Vec<Event>>,
}

impl FreshEvents {
    fn new(events: Vec<Event>) -> Self {
        Self { events, stock: Vec::new(), used: Vec::new() }
    }

    fn stock(&mut self, copies: usize) {
        self.stock.extend(std::iter::repeat_n(&self.events, copies).cloned());
        self.used.reserve(copies);
    }

    fn understand_all(&mut self) {
        let events = self.stock.pop().unwrap_or_else(|| self.events.clone());
        for event in &events {
            let world = RealWorld::default().with_places(Places::default());
            let _ = black_box(hookrail_effects::of(event, &world));
        }
        self.used.push(events);
    }
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
