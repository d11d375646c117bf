//! `hookrail backtest` of a gigabyte of history, on one core.

use super::table::{Limit, Row};
use super::{Options, row};
use serde_json::{Value, json};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// How much history there is, and in how many sessions.
const BYTES: u64 = 1 << 30;
const SESSIONS: u64 = 400;
/// How many projects they are of.
const PROJECTS: u64 = 20;
/// Claude Code writes a quarter of a megabyte beside three calls: what it sends to the model, and what the model is told. Here a
/// call stands in so much, which is less.
const BYTES_PER_CALL: usize = 14 * 1024;
/// How often the memory of the program is looked at.
const LOOK: Duration = Duration::from_millis(20);

/// Most of it is daily work. Five of eight are never the same twice (`{n}` is another number each time), as most commands of an
/// agent are: what was decided about a command counts for the same one only.
const COMMANDS: [&str; 8] = [
    "cargo test --workspace 2>&1 | tail -40",
    "cd src && grep -rn 'fn handle_{n}' . | head -20",
    "git add -A && git commit -m \"Fix the cart's total of order {n}\"",
    "npm run build && rm -rf dist/old-{n}",
    "sed -n {n},+80p src/main.rs; cat Cargo.toml",
    "git status --short && git diff --stat",
    "rm -rf ~/Pictures",
    "python3 scripts/report.py --order {n} --out build/report.html",
];

pub(super) fn measure(_: &Options) -> io::Result<Vec<Row>> {
    let folder = tempfile::tempdir()?;
    let home = folder.path().canonicalize()?;
    let (bytes, calls) = write_history(&home, BYTES)?;
    let begun = Instant::now();
    let child = spawn(&home)?;
    let (report, most) = watch(child)?;
    let time = begun.elapsed();
    check(&report, calls)?;
    let speed = bytes as f64 / 1e6 / time.as_secs_f64();
    Ok(vec![
        row("hookrail backtest, 1 GB on one core", speed, "MB/s", Some(Limit::AtLeast(100.0))),
        row("hookrail backtest, 1 GB: memory", most as f64 / 1024.0, "MiB", Some(Limit::Absolute(64.0))),
    ])
}

/// The program, on one core where that can be said.
fn spawn(home: &Path) -> io::Result<Child> {
    let program = super::hook_command::released()?;
    let on_one_core = Path::new("/usr/bin/taskset").exists();
    let mut command = if on_one_core { Command::new("/usr/bin/taskset") } else { Command::new(&program) };
    if on_one_core {
        command.args(["-c", "0"]).arg(&program);
    }
    command.args(["backtest", "--json"]).current_dir(home).env_clear().env("HOME", home);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()
}

/// What the program prints, and the most memory it had, in KiB.
fn watch(mut child: Child) -> io::Result<(String, u64)> {
    let status = PathBuf::from(format!("/proc/{}/status", child.id()));
    let output = child.stdout.take();
    let reader = thread::spawn(move || output.map(io::read_to_string).transpose());
    let mut most = 0;
    while child.try_wait()?.is_none() {
        most = most.max(peak(&status));
        thread::sleep(LOOK);
    }
    let report = reader.join().map_err(|_| io::Error::other("reading the report failed"))??;
    Ok((report.unwrap_or_default(), most))
}

/// The most memory that a process has had so far, in KiB; 0 where that cannot be told.
fn peak(status: &Path) -> u64 {
    let text = std::fs::read_to_string(status).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or_default()
}

/// Makes sure that what is measured read everything and found what there is to find.
fn check(report: &str, calls: u64) -> io::Result<()> {
    let report: Value = serde_json::from_str(report)?;
    let found = |pointer: &str| report.pointer(pointer).and_then(Value::as_u64).unwrap_or_default();
    let refused = calls.div_ceil(COMMANDS.len() as u64);
    let is_right = found("/history/calls") == calls
        && found("/history/sessions") == SESSIONS
        && found("/decisions/deny").abs_diff(refused) <= SESSIONS;
    if is_right { Ok(()) } else { Err(io::Error::other(format!("the backtest found something else: {report}"))) }
}

/// Sessions of Claude Code, as they look on the disk; how many bytes and calls.
fn write_history(home: &Path, bytes: u64) -> io::Result<(u64, u64)> {
    let (mut written, mut calls) = (0, 0);
    for session in 0..SESSIONS {
        let project = format!("/home/dev/project-{}", session % PROJECTS);
        let folder = home.join(".claude/projects").join(project.replace('/', "-"));
        std::fs::create_dir_all(&folder)?;
        let mut file = BufWriter::new(File::create(folder.join(format!("session-{session:06}.jsonl")))?);
        let mut here = 0;
        while here < bytes / SESSIONS {
            for line in lines_of_call(session, calls, &project) {
                writeln!(file, "{line}")?;
                here += line.len() as u64 + 1;
            }
            calls += 1;
        }
        file.flush()?;
        written += here;
    }
    Ok((written, calls))
}

/// What one call leaves behind: a prompt now and then, the call, its result, and what was sent to the model.
fn lines_of_call(session: u64, call: u64, project: &str) -> Vec<String> {
    let index = usize::try_from(call).unwrap_or_default();
    let command = COMMANDS.get(index % COMMANDS.len()).copied().unwrap_or_default().replace("{n}", &call.to_string());
    let time = format!("2026-11-{:02}T10:{:02}:{:02}.000Z", session % 28 + 1, call / 60 % 60, call % 60);
    let id = format!("toolu_{call:024}");
    let common = |kind: &str, message: Value| {
        json!({
            "parentUuid": id, "isSidechain": false, "type": kind, "message": message, "uuid": id, "timestamp": time,
            "cwd": project, "sessionId": format!("session-{session:06}"), "version": "2.1.325", "gitBranch": "main",
        })
    };
    let output = "one more line of what a command prints\n".repeat(60);
    let input = json!({ "command": command, "description": "work" });
    let mut result = common(
        "user",
        json!({ "role": "user", "content": [{ "tool_use_id": id, "type": "tool_result", "content": output, "is_error": false }] }),
    );
    if let Some(fields) = result.as_object_mut() {
        fields.insert("toolUseResult".to_owned(), json!({ "stdout": output, "stderr": "", "interrupted": false }));
        fields.insert("permissionDecision".to_owned(), json!({ "decision": "accept", "source": "user_temporary" }));
    }
    let used =
        json!({ "role": "assistant", "content": [{ "type": "tool_use", "id": id, "name": "Bash", "input": input }] });
    let mut lines = vec![common("assistant", used).to_string(), result.to_string()];
    if call.is_multiple_of(8) {
        lines.insert(0, common("user", json!({ "role": "user", "content": "go on" })).to_string());
    }
    let so_far: usize = lines.iter().map(String::len).sum();
    let told = "what the model is told about its work. ".repeat(BYTES_PER_CALL.saturating_sub(so_far) / 39);
    lines.push(
        json!({ "type": "attachment", "attachment": { "type": "prompt_snapshot", "systemPrompt": [told] } })
            .to_string(),
    );
    lines
}
