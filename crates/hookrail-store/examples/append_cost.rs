//! What the store costs, for a person to read:
//!
//! ```text
//! cargo run --profile quick -p hookrail-store --example append_cost [DIRECTORY]
//! ```
//!
//! Every operation opens and closes all that it needs, as a hook process does. The directory, by default the temporary
//! one, decides which file system is measured.
#![expect(clippy::print_stdout, reason = "the numbers are the program's output")]

use hookrail_store::{Cursor, FileStore, JournalRecord, Outcome, SessionId, StateRoot, Store, StoreError};
use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use std::{env, iter};

const ROUNDS: usize = 20_000;

fn main() -> Result<(), Box<dyn Error>> {
    let parent = env::args_os().nth(1).map_or_else(env::temp_dir, PathBuf::from);
    let place = tempfile::tempdir_in(parent)?;
    let store = FileStore::new(StateRoot::at(place.path().join("state")), || 1_700_000_000_000);
    let session = SessionId::new("0b8f0d5e-1c3a-4c57-9a53-9f2f3f0d8f11", Path::new("/work/project"));
    let record = sample(&session);
    let batch: Vec<JournalRecord> = iter::repeat_n(record.clone(), 14).collect();

    report("append one record", || store.append(&record).map(drop))?;
    report("append 14 records at once", || store.append_all(&batch).map(drop))?;
    let mut count = |state: &mut hookrail_store::SessionState| *state.budgets.entry("calls".into()).or_default() += 1;
    report("count in a session's state", || store.update(&session, &mut count).map(drop))?;
    report("read a session's state", || store.read(&session).map(drop))?;

    let start = Instant::now();
    let checked = store.verify()?;
    rate("verify", checked.lines, start.elapsed());
    let start = Instant::now();
    let read = store.records(Cursor::default())?.filter(Result::is_ok).count();
    rate("read", u64::try_from(read)?, start.elapsed());
    println!("{} files, intact: {}", checked.files, checked.is_intact());
    Ok(())
}

fn sample(session: &SessionId) -> JournalRecord {
    JournalRecord {
        ts: 1_700_000_000_000,
        session: session.to_string(),
        agent: "claude".into(),
        event: "BeforeTool".into(),
        hook: "planning/protect-spec-immutability".into(),
        kind: "native".into(),
        source: "/work/project/.hookrail/hookrail.toml".into(),
        outcome: Outcome::Blocked,
        decision: Some("block".into()),
        reason: Some("the specification is frozen; ask for a change request instead".into()),
        duration_us: 212,
        tool: Some("Write".into()),
        subject: Some("specs/042-notify/spec.md".into()),
        ..JournalRecord::default()
    }
}

fn report(what: &str, mut work: impl FnMut() -> Result<(), StoreError>) -> Result<(), StoreError> {
    let mut times = Vec::with_capacity(ROUNDS);
    for _ in 0..ROUNDS {
        let start = Instant::now();
        work()?;
        times.push(start.elapsed());
    }
    times.sort_unstable();
    let at = |percent: usize| times.get(ROUNDS * percent / 100).copied().unwrap_or_default();
    println!("{what:<28} median {:>9.1?}   p90 {:>9.1?}   p99 {:>9.1?}", at(50), at(90), at(99));
    Ok(())
}

fn rate(what: &str, lines: u64, time: Duration) {
    println!("{what:<28} {lines} lines, {:.0} lines/s", lines as f64 / time.as_secs_f64());
}
