//! How the cost of an answer grows with what it depends on, as pictures for the book.

use super::Options;
use super::hook_command::{BenchFolder, released};
use super::plot::{Curve, draw};
use super::stopwatch::race;
use hookrail_store::{FileStore, JournalRecord, SessionId, StateRoot, Store};
use serde_json::json;
use std::io::{self, Write};
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::Instant;

/// Where the book keeps its pictures.
const FOLDER: &str = "docs/src/assets";

/// A thing that grows.
struct Growth {
    file: &'static str,
    title: &'static str,
    unit: &'static str,
    steps: &'static [usize],
    measure: fn(&BenchFolder, usize, usize) -> io::Result<f64>,
}

const GROWTHS: &[Growth] = &[
    Growth {
        file: "cost-payload",
        title: "Time of an answer against the size of the event",
        unit: "KiB",
        steps: &[1, 16, 64, 256, 1024, 5120],
        measure: payload,
    },
    Growth {
        file: "cost-hooks",
        title: "Time of an answer against command hooks of other events",
        unit: "hooks",
        steps: &[0, 100, 500, 1000, 2000],
        measure: hooks,
    },
    Growth {
        file: "cost-sessions",
        title: "Time of a session's start against sessions before it",
        unit: "sessions",
        steps: &[0, 1000, 5000, 20_000],
        measure: sessions,
    },
    Growth {
        file: "cost-journal",
        title: "Time of a denied call against records in the journal",
        unit: "records",
        steps: &[0, 10_000, 100_000, 500_000],
        measure: journal,
    },
    Growth {
        file: "cost-concurrency",
        title: "Time of a denied call against processes at the same time",
        unit: "processes",
        steps: &[1, 4, 16, 64, 256],
        measure: concurrency,
    },
    Growth {
        file: "cost-folders",
        title: "Time of an answer against folders above the agent's",
        unit: "folders",
        steps: &[1, 10, 25, 50, 100],
        measure: folders,
    },
    Growth {
        file: "cost-transcript",
        title: "Time of a stop against the size of the transcript",
        unit: "MB",
        steps: &[1, 10, 50, 100, 300],
        measure: transcript,
    },
];

/// Measures every curve, draws it, and says what it saw.
pub(super) fn plot(options: &Options, out: &mut dyn Write) -> io::Result<()> {
    let binary = released()?;
    for growth in GROWTHS {
        let mut points = Vec::new();
        for step in growth.steps {
            let ground = BenchFolder::prepare(&binary)?;
            let millis = (growth.measure)(&ground, *step, options.rounds)?;
            writeln!(out, "{:17} {step:7} {:9} {millis:9.3} ms", growth.file, growth.unit)?;
            points.push((*step as f64, millis));
        }
        let picture = draw(&Curve { title: growth.title, unit: growth.unit, points: &points });
        std::fs::write(Path::new(crate::ROOT).join(FOLDER).join(format!("{}.svg", growth.file)), picture)?;
    }
    Ok(())
}

fn payload(ground: &BenchFolder, kibibytes: usize, rounds: usize) -> io::Result<f64> {
    let event = ground.event("payload", "Read", &json!({ "file_path": "x", "filler": "x".repeat(kibibytes << 10) }))?;
    Ok(answer(ground, &event, rounds))
}

fn hooks(ground: &BenchFolder, count: usize, rounds: usize) -> io::Result<f64> {
    let hook = |number: usize| {
        format!(
            "[[command]]\nname = \"h{number}\"\nevent = \"AfterTool\"\nmatcher = \"Tool{number}\"\ncommand = \"true\"\n"
        )
    };
    let file = ground.path(".config/hookrail/hookrail.toml");
    std::fs::create_dir_all(file.parent().unwrap_or(&file))?;
    std::fs::write(&file, (0..count).map(hook).collect::<String>())?;
    let event = ground.event("read", "Read", &json!({ "file_path": "src/main.rs" }))?;
    // A file that was just written is not believed to stay as it is.
    for _ in 0..2 {
        ground.run_hook(&event);
        std::thread::sleep(std::time::Duration::from_secs(3));
    }
    Ok(answer(ground, &event, rounds * 4))
}

fn sessions(ground: &BenchFolder, count: usize, rounds: usize) -> io::Result<f64> {
    let store = store(ground);
    for number in 0..count {
        let session = SessionId::new(&format!("session-{number}"), Path::new("/p"));
        store.update(&session, &mut |_| {}).map_err(io::Error::other)?;
    }
    let event = ground.event_of("start", "SessionStart", &json!({ "source": "startup" }))?;
    Ok(answer(ground, &event, rounds * 4))
}

fn journal(ground: &BenchFolder, count: usize, rounds: usize) -> io::Result<f64> {
    let store = store(ground);
    for batch in (0..count).step_by(10_000) {
        let records =
            vec![JournalRecord { session: "s".to_owned(), ..JournalRecord::default() }; 10_000.min(count - batch)];
        store.append_all(&records).map_err(io::Error::other)?;
    }
    let event = ground.event("denied", "Write", &json!({ "file_path": ".hookrail/x", "content": "" }))?;
    Ok(answer(ground, &event, rounds * 4))
}

fn concurrency(ground: &BenchFolder, count: usize, rounds: usize) -> io::Result<f64> {
    let event = ground.event("denied", "Write", &json!({ "file_path": ".hookrail/x", "content": "" }))?;
    let mut best = f64::MAX;
    for _ in 0..rounds.div_ceil(5) {
        let start = Instant::now();
        let children: Vec<Child> =
            (0..count).map(|_| ground.hook(&event)?.stdout(Stdio::null()).spawn()).collect::<io::Result<_>>()?;
        for mut child in children {
            child.wait()?;
        }
        best = best.min(start.elapsed().as_secs_f64() * 1e3);
    }
    Ok(best / count as f64)
}

fn folders(ground: &BenchFolder, depth: usize, rounds: usize) -> io::Result<f64> {
    let folder = (0..depth).fold(ground.path("project"), |folder, level| folder.join(format!("folder{level}")));
    std::fs::create_dir_all(&folder)?;
    let details = json!({ "cwd": folder, "tool_name": "Read", "tool_input": { "file_path": "x" } });
    let event = ground.event_of("deep", "PreToolUse", &details)?;
    Ok(answer(ground, &event, rounds * 4))
}

fn transcript(ground: &BenchFolder, megabytes: usize, rounds: usize) -> io::Result<f64> {
    let path = ground.path("transcript.jsonl");
    super::growth::write_transcript(&path, megabytes)?;
    let details = json!({ "transcript_path": path, "stop_hook_active": false });
    let stop = ground.event_of("stop", "Stop", &details)?;
    let [time] = race(rounds, [&mut || ground.run_with(&stop, &["--pack", "planning"], "plugin")]);
    Ok(time.as_secs_f64() * 1e3)
}

fn store(ground: &BenchFolder) -> FileStore {
    FileStore::new(StateRoot::at(ground.path("state")), || 0)
}

fn answer(ground: &BenchFolder, event: &Path, rounds: usize) -> f64 {
    let [time] = race(rounds, [&mut || ground.run_hook(event)]);
    time.as_secs_f64() * 1e3
}
