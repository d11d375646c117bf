//! What must not grow, or only so much: hooks that do not apply, sessions, records, transcripts, folders; and the calls that do more than
//! look: counting, tasks, commands.

use super::hook_command::{BenchFolder, Pages, released};
use super::stopwatch::race;
use super::table::{Limit, Row};
use super::{Options, row};
use hookrail_store::{FileStore, JournalRecord, Outcome, SessionId, StateRoot, Store};
use serde_json::json;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Starts `sh -c true`, waits for it, and does nothing else: no program in front of a command costs less.
const STARTER: &str = r#"
#include <spawn.h>
#include <sys/wait.h>
extern char **environ;
int main(void) {
    char *words[] = { "/bin/sh", "-c", "true", 0 };
    pid_t child;
    int status;
    if (posix_spawn(&child, words[0], 0, 0, words, environ) != 0) return 1;
    return waitpid(child, &status, 0) == child ? 0 : 1;
}
"#;

/// So many command hooks that do not apply.
const COMMANDS: usize = 2000;
const SESSIONS: usize = 20_000;
const RECORDS: usize = 500_000;
const TASKS: usize = 100;

pub(super) fn measure(options: &Options) -> io::Result<Vec<Row>> {
    let binary = released()?;
    let mut rows = Vec::new();
    rows.extend(deeds(&BenchFolder::prepare(&binary)?, options.rounds * 8)?);
    for pages in Pages::ALL {
        rows.extend(command_hook(&BenchFolder::prepare(&binary)?, pages, options.rounds * 16)?);
    }
    for same_event in [false, true] {
        rows.push(commands(&BenchFolder::prepare(&binary)?, same_event, options.rounds * 4)?);
    }
    rows.push(sessions(&BenchFolder::prepare(&binary)?, options.rounds)?);
    rows.push(transcript(&BenchFolder::prepare(&binary)?, options.rounds)?);
    rows.push(folders(&BenchFolder::prepare(&binary)?, options.rounds * 4)?);
    rows.push(packed_refs(&BenchFolder::prepare(&binary)?, options.rounds)?);
    rows.push(shell_text(&BenchFolder::prepare(&binary)?, options.rounds)?);
    rows.push(stats(&BenchFolder::prepare(&binary)?, options.rounds.div_ceil(5))?);
    Ok(rows)
}

/// What does more than look: a call that is counted, a skill with a hundred tasks.
fn deeds(ground: &BenchFolder, rounds: usize) -> io::Result<Vec<Row>> {
    let nothing = ground.event("nothing", "Read", &json!({ "file_path": "src/main.rs" }))?;
    let counted = counted_calls(ground, rounds)?;
    let skills = skill_calls(ground, rounds)?;
    let (mut counted, mut skills) = (counted.iter(), skills.iter());
    let times = race(
        rounds,
        [
            &mut || ground.run_empty(&nothing),
            &mut || {
                counted.next().into_iter().for_each(|event| ground.run_with(event, &["--pack", "planning"], "wide"));
            },
            &mut || skills.next().into_iter().for_each(|event| ground.run_with(event, &["--pack", "fsm"], "wide")),
        ],
    );
    let [empty, research, tasks] = times.map(micros);
    let against_empty = |times: f64| Some(Limit::Ratio { baseline: empty, times });
    Ok(vec![
        row("hookrail hook, a research call that is counted", research, "µs", against_empty(1.9)),
        row(&format!("hookrail hook, a skill with {TASKS} tasks"), tasks, "µs", against_empty(12.0)),
    ])
}

/// A command hook, against the same command started by hand.
fn command_hook(ground: &BenchFolder, pages: Pages, rounds: usize) -> io::Result<Vec<Row>> {
    // In a session without a memory, and in one that packs have written to: their memory is read with the hook's breaker.
    let details =
        json!({ "session_id": "commands", "tool_name": "Read", "tool_input": { "file_path": "src/main.rs" } });
    let read = ground.event_of("read", "PreToolUse", &details)?;
    let remembered = ground.event("remembered", "Read", &json!({ "file_path": "src/main.rs" }))?;
    ground.configure("[[command]]\nname = \"one\"\nevent = \"BeforeTool\"\ncommand = \"true\"\n")?;
    settle(ground, &read);
    ground.compile("starter", STARTER)?;
    ground.bring_into(pages, || ground.run_hook(&read))?;
    // With the streams that hookrail has.
    let by_hand = |program: &Path, arguments: &[&str]| {
        let streams = File::open(&read).map(|event| (Stdio::from(event), Stdio::null(), Stdio::null()));
        drop(streams.and_then(|(stdin, stdout, stderr)| {
            Command::new(program).args(arguments).env_clear().stdin(stdin).stdout(stdout).stderr(stderr).status()
        }));
    };
    let mut bare = || by_hand(Path::new("/bin/sh"), &["-c", "true"]);
    // Each by itself against the same: what ran before a program makes a difference.
    let [_, started] = race(rounds, [&mut bare, &mut || by_hand(&ground.path("starter"), &[])]);
    let [also_bare, with_memory] = race(rounds, [&mut bare, &mut || ground.run_hook(&remembered)]).map(micros);
    let [bare, command] = race(rounds, [&mut bare, &mut || ground.run_hook(&read)]).map(micros);
    let limit = |baseline: f64| Some(Limit::Ratio { baseline, times: 2.0 });
    let state = pages.about();
    Ok(vec![
        row(&format!("sh -c true, started by hand ({state})"), bare, "µs", None),
        row(&format!("a static program that only starts `sh -c true` ({state})"), micros(started), "µs", None),
        row(
            &format!("hookrail hook, one command hook `true`, against the first ({state})"),
            command,
            "µs",
            limit(bare),
        ),
        row(
            &format!("the same in a session that packs have written to ({state})"),
            with_memory,
            "µs",
            limit(also_bare),
        ),
    ])
}

/// A configuration that was just written is not believed to stay as it is, and is read at every event.
fn settle(ground: &BenchFolder, event: &Path) {
    for _ in 0..2 {
        ground.run_hook(event);
        std::thread::sleep(Duration::from_secs(3));
    }
}

/// Calls of a research server that are all different; twenty in a session.
fn counted_calls(ground: &BenchFolder, count: usize) -> io::Result<Vec<PathBuf>> {
    let budget = "research_mcp: {budget: {total_calls_per_session: 1000000, total_calls_per_phase: 1000000}}\n";
    ground.write("wide/config/planning-config.yaml", budget)?;
    let call = |number: usize| {
        let details = json!({
            "session_id": format!("research-{}", number / 20),
            "tool_name": "mcp__ref__search",
            "tool_input": { "query": format!("question {number}") },
        });
        ground.event_of(&format!("research-{number}"), "PreToolUse", &details)
    };
    (0..count).map(call).collect()
}

/// A skill with tasks, invoked in sessions that have none yet.
fn skill_calls(ground: &BenchFolder, count: usize) -> io::Result<Vec<PathBuf>> {
    let task = |id: usize| {
        let before: Vec<usize> = (id > 1).then_some(id - 1).into_iter().collect();
        json!({ "id": id, "subject": format!("Step {id}"), "blockedBy": before })
    };
    let tasks: Vec<_> = (1..=TASKS).map(task).collect();
    ground.write("project/.claude/skills/steps/fsm.json", &json!(tasks).to_string())?;
    ground.write("project/.claude/skills/steps/SKILL.md", "---\nname: steps\n---\n")?;
    let call = |number: usize| {
        let details = json!({
            "session_id": format!("skill-{number}"),
            "tool_name": "Skill",
            "tool_input": { "skill": "steps" },
            "tool_response": { "success": true, "commandName": "steps" },
        });
        ground.event_of(&format!("skill-{number}"), "PostToolUse", &details)
    };
    (0..count).map(call).collect()
}

/// What each command hook adds to an event that it is not for: one of another event, or one of this event for another tool.
fn commands(ground: &BenchFolder, same_event: bool, rounds: usize) -> io::Result<Row> {
    let event = if same_event { "BeforeTool" } else { "AfterTool" };
    let hook = |number: usize| {
        format!(
            "[[command]]\nname = \"h{number}\"\nevent = \"{event}\"\nmatcher = \"Tool{number}\"\ncommand = \"true\"\n"
        )
    };
    let read = ground.event("read", "Read", &json!({ "file_path": "src/main.rs" }))?;
    let answer = |count: usize| -> io::Result<Duration> {
        ground.configure(&(0..count).map(hook).collect::<String>())?;
        settle(ground, &read);
        let [time] = race(rounds, [&mut || ground.run_hook(&read)]);
        Ok(time)
    };
    let (one, many) = (answer(1)?, answer(COMMANDS)?);
    let added = micros(many.saturating_sub(one)) / (COMMANDS - 1) as f64;
    let whose = if same_event { "this event, another tool" } else { "another event" };
    Ok(row(&format!("each of {COMMANDS} command hooks of {whose}"), added, "µs", Some(Limit::Absolute(0.2))))
}

fn sessions(ground: &BenchFolder, rounds: usize) -> io::Result<Row> {
    let store = store(ground);
    for number in 0..SESSIONS {
        let session = SessionId::new(&format!("session-{number}"), Path::new("/p"));
        let remember = &mut |state: &mut hookrail_store::SessionState| {
            state.once.insert("x".to_owned());
        };
        store.update(&session, remember).map_err(io::Error::other)?;
    }
    let start = ground.event_of("start", "SessionStart", &json!({ "source": "startup" }))?;
    let [time] = race(rounds, [&mut || ground.run_hook(&start)]);
    let name = format!("start of a session after {SESSIONS} others");
    Ok(row(&name, micros(time) / 1000.0, "ms", Some(Limit::Absolute(5.0))))
}

/// A stop after a session with a transcript of 300 MB, whose last prompt is not at its end.
fn transcript(ground: &BenchFolder, rounds: usize) -> io::Result<Row> {
    let path = ground.path("transcript.jsonl");
    write_transcript(&path, 300)?;
    let details = json!({ "transcript_path": path, "stop_hook_active": false });
    let stop = ground.event_of("stop", "Stop", &details)?;
    let [time] = race(rounds, [&mut || ground.run_with(&stop, &["--pack", "planning"], "plugin")]);
    Ok(row("a stop with a transcript of 300 MB", micros(time) / 1000.0, "ms", Some(Limit::Absolute(100.0))))
}

/// A session of results that a tool gave, with a prompt three megabytes before its end.
pub(super) fn write_transcript(path: &Path, megabytes: usize) -> io::Result<()> {
    let mut file = BufWriter::new(File::create(path)?);
    let said =
        |content: serde_json::Value| json!({ "type": "user", "message": { "role": "user", "content": content } });
    let prompt = said(json!("plan it")).to_string();
    let result = said(json!([{ "type": "tool_result", "content": "x".repeat(10_000) }])).to_string();
    let lines = megabytes * 100;
    for left in (0..lines).rev() {
        writeln!(file, "{}", if left == 300.min(lines - 1) { &prompt } else { &result })?;
    }
    file.flush()
}

/// How much more a call takes in a folder that is 100 deep than in one that is 50 deep, against what 50 add: 1 is linear.
fn folders(ground: &BenchFolder, rounds: usize) -> io::Result<Row> {
    let event = |depth: usize| -> io::Result<PathBuf> {
        let folder = (0..depth).fold(ground.path("project"), |folder, level| folder.join(format!("folder{level}")));
        fs::create_dir_all(&folder)?;
        let details = json!({ "cwd": folder, "tool_name": "Read", "tool_input": { "file_path": "x" } });
        ground.event_of(&format!("deep-{depth}"), "PreToolUse", &details)
    };
    let [flat, middle, deep] = [event(0)?, event(50)?, event(100)?];
    let times = race(
        rounds,
        [&mut || ground.run_hook(&flat), &mut || ground.run_hook(&middle), &mut || ground.run_hook(&deep)],
    );
    let [flat, middle, deep] = times.map(micros);
    let growth = (deep - middle).max(0.0) / (middle - flat).max(1.0);
    Ok(row("growth from 50 to 100 folders, against from none to 50", growth, "×", Some(Limit::Absolute(1.6))))
}

/// A call of git in a repository with 200,000 branches that are packed.
fn packed_refs(ground: &BenchFolder, rounds: usize) -> io::Result<Row> {
    let mut file = BufWriter::new(File::create(ground.path("project/.git/packed-refs"))?);
    writeln!(file, "# pack-refs with: peeled fully-peeled sorted ")?;
    for number in 0..200_000 {
        writeln!(file, "{number:040x} refs/heads/branch-{number:06}")?;
    }
    file.flush()?;
    drop(file);
    let switch = ground.event("switch", "Bash", &json!({ "command": "git switch topic && git commit -m x" }))?;
    let [time] = race(rounds, [&mut || ground.run_hook(&switch)]);
    Ok(row(
        "git switch in a repository with 200,000 packed branches",
        micros(time) / 1000.0,
        "ms",
        Some(Limit::Absolute(5.0)),
    ))
}

fn shell_text(ground: &BenchFolder, rounds: usize) -> io::Result<Row> {
    let line = "if [ -f \"$HOME/x\" ]; then echo \"a $(date +%s)\" >> log.txt; else rm -f tmp/*.o; fi\n";
    let script = line.repeat((64 << 10) / line.len());
    let shell = ground.event("long", "Bash", &json!({ "command": script }))?;
    let [time] = race(rounds, [&mut || ground.run_hook(&shell)]);
    Ok(row("a shell text of 64 KiB", micros(time) / 1000.0, "ms", Some(Limit::Absolute(10.0))))
}

/// Records that `hookrail stats` counts in a second.
fn stats(ground: &BenchFolder, rounds: usize) -> io::Result<Row> {
    let store = store(ground);
    let record = |number: usize| JournalRecord {
        ts: 1_700_000_000_000 + i64::try_from(number).unwrap_or_default(),
        session: format!("session-{}", number / 500),
        agent: "claude".to_owned(),
        event: "BeforeTool".to_owned(),
        hook: if number.is_multiple_of(3) { "core/protected-paths" } else { "safety/change-guard" }.to_owned(),
        kind: "native".to_owned(),
        source: "default".to_owned(),
        outcome: if number.is_multiple_of(50) { Outcome::Blocked } else { Outcome::Succeeded },
        reason: number.is_multiple_of(50).then(|| "`src/x` is protected: nobody writes there".repeat(3)),
        duration_us: number as u64 % 900,
        tool: Some("Bash".to_owned()),
        subject: Some("npm test -- src/cart 2>&1 | tail -40".to_owned()),
        input: number
            .is_multiple_of(3)
            .then(|| json!({ "tool_name": "Bash", "tool_input": { "command": "npm test -- src/cart 2>&1" } })),
        ..JournalRecord::default()
    };
    for batch in (0..RECORDS).step_by(10_000) {
        let records: Vec<JournalRecord> = (batch..batch + 10_000).map(record).collect();
        store.append_all(&records).map_err(io::Error::other)?;
    }
    let mut best = Duration::MAX;
    for _ in 0..rounds {
        let start = Instant::now();
        let mut command = Command::new(ground.path("hookrail"));
        command.arg("stats").env_clear().env("HOME", ground.path("")).env("HOOKRAIL_STATE_DIR", ground.path("state"));
        command.stdout(Stdio::null()).stderr(Stdio::null()).status()?;
        best = best.min(start.elapsed());
    }
    let rate = RECORDS as f64 / best.as_secs_f64() / 1e6;
    Ok(row("hookrail stats, records counted", rate, "M/s", Some(Limit::AtLeast(1.0))))
}

fn store(ground: &BenchFolder) -> FileStore {
    FileStore::new(StateRoot::at(ground.path("state")), || 1_700_000_000_000)
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}
