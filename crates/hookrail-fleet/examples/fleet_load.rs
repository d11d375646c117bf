//! Measures a database: ships generated records of many machines the way `hookrail sync` does, then asks what `--fleet` asks.
//!
//! ```sh
//! cargo run --release -p hookrail-fleet --example fleet_load -- postgres://postgres@/postgres?host=/tmp/pg 20000000 1000 4
//! ```
//!
//! Arguments: the address (of a login that owns the schema), how many records, of how many machines, how many connections, and how
//! many records go at once (5,000 if not given; a machine that ships at the end of each session has fewer).
//! With the address alone it only asks. `cargo xtask bench --only fleet` starts a server for it.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    reason = "a measurement, run by a developer"
)]

use hookrail_fleet::database::Database;
use hookrail_fleet::database::page::{CountFilter, EventFilter, EventGrouping};
use hookrail_fleet::database::queries::{Grouping, RecordFilter};
use hookrail_fleet::postgres::{Address, Credentials};
use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

const DAYS: u64 = 14;
/// Records of one event: the first one has the event itself.
const RUNS: u64 = 2;
const TABLES: [&str; 9] = [
    "daily",
    "daily_totals",
    "daily_machines",
    "daily_projects",
    "daily_events",
    "daily_event_totals",
    "daily_event_machines",
    "daily_event_projects",
    "sessions",
];
const HOOKS: [&str; 8] = [
    "core/protected-paths",
    "core/event-log",
    "rule/delete-outside",
    "planning/research-budget-tracker",
    "orchestrator/stop-guard",
    "isdlc/branch-guard",
    "rule/no-todo",
    "format-check",
];

fn connect(url: &str) -> Database {
    let address = Address::parse(url).unwrap();
    let credentials = Credentials::find(&address, None, &|name| std::env::var(name).ok()).unwrap();
    Database::connect(&address, &credentials).unwrap()
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let url = args.first().unwrap_or_else(|| panic!("URL [RECORDS MACHINES CONNECTIONS [BATCH]]"));
    let mut database = connect(url);
    if let [_, records, machines, connections, rest @ ..] = args.as_slice() {
        let load = Load {
            records: records.parse().unwrap(),
            machines: machines.parse().unwrap(),
            connections: connections.parse().unwrap(),
            batch: rest.first().map_or(5000, |batch| batch.parse().unwrap()),
        };
        load.ship(&mut database, url);
        let analyze: String = TABLES.iter().map(|table| format!("ANALYZE hookrail.{table};")).collect();
        database.client().execute(&format!("{analyze} ANALYZE hookrail.records")).unwrap();
    }
    sizes(&mut database);
    let today = today(&mut database);
    questions(&mut database, today);
}

fn today(database: &mut Database) -> i64 {
    database.client().query("SELECT floor(extract(epoch FROM now()) / 86400)::bigint", &[]).unwrap()[0].read(0)
}

/// How much is shipped, and in which portions.
struct Load {
    records: u64,
    machines: u64,
    connections: u64,
    batch: u64,
}

impl Load {
    fn ship(&self, database: &mut Database, url: &str) {
        let Self { records, machines, connections, batch } = *self;
        database.migrate().unwrap();
        let days: Vec<String> = (0..DAYS).map(|age| format!("(now() AT TIME ZONE 'UTC')::date - {age}")).collect();
        database.client().execute(&format!("SELECT hookrail.ensure_days(ARRAY[{}])", days.join(","))).unwrap();
        let today = today(database);
        let dates: Vec<String> = (0..DAYS).map(|age| civil(today - i64::try_from(age).unwrap())).collect();
        let begun = Instant::now();
        let arrived = AtomicU64::new(0);
        std::thread::scope(|scope| {
            for connection in 0..connections {
                let (arrived, dates) = (&arrived, &dates);
                scope.spawn(move || {
                    let mut database = connect(url);
                    for machine in (0..machines).filter(|machine| machine % connections == connection) {
                        ship(&mut database, machine, (records / machines, batch), dates, arrived);
                    }
                });
            }
            scope.spawn(|| tell_progress(&arrived, records / machines * machines, begun));
        });
        let seconds = begun.elapsed().as_secs_f64();
        let arrived = arrived.load(Ordering::Relaxed);
        println!(
            "{arrived} records of {machines} machines in {seconds:.1} s: {:.0} records a second",
            arrived as f64 / seconds
        );
    }
}

fn tell_progress(arrived: &AtomicU64, all: u64, begun: Instant) {
    let mut told = 0;
    while arrived.load(Ordering::Relaxed) < all {
        std::thread::sleep(Duration::from_millis(200));
        let now = arrived.load(Ordering::Relaxed);
        if now / 1_000_000 > told {
            told = now / 1_000_000;
            println!("{now} records after {:.0} s", begun.elapsed().as_secs_f64());
        }
    }
}

fn sizes(database: &mut Database) {
    let size = "SELECT pg_size_pretty(sum(pg_total_relation_size(inhrelid))) FROM pg_inherits WHERE inhparent = 'hookrail.records'::regclass";
    println!("records: {}", database.client().query(size, &[]).unwrap()[0].text(0));
    for table in TABLES {
        let size = format!(
            "SELECT pg_size_pretty(pg_total_relation_size('hookrail.{table}')), (SELECT count(*) FROM hookrail.{table})"
        );
        let row = &database.client().query(&size, &[]).unwrap()[0];
        println!("{table}: {} in {} rows", row.text(0), row.text(1));
    }
}

/// One machine's records, batch by batch, each in a transaction of its own.
fn ship(database: &mut Database, machine: u64, (count, batch): (u64, u64), dates: &[String], arrived: &AtomicU64) {
    let client = database.client();
    let hello = "SELECT machine FROM hookrail.hello($1, $2, $3, 'linux', '0.1.0', 'acme', 7, 'in-force', '[]', true, (extract(epoch FROM now()) * 1000)::bigint)";
    let (key, name, person) =
        (format!("load-{machine}"), format!("machine-{machine}"), format!("person-{}", machine % 300));
    let id = client.query(hello, &[Some(&key), Some(&name), Some(&person)]).unwrap()[0].text(0);
    let mut seq = 0;
    while seq < count {
        let last = (seq + batch).min(count);
        let mut data = String::with_capacity(4 << 20);
        for number in seq + 1..=last {
            line(&mut data, &id, machine, number, count, dates);
        }
        client.execute("BEGIN").unwrap();
        client.query("SELECT * FROM hookrail.resume($1::int)", &[Some(&id)]).unwrap();
        let copy = "COPY hookrail.records (machine, epoch, segment, seq, day, ts, session, agent, event, hook, kind, outcome, decision, reason, \
            duration_us, tool, subject, part, project, rest, prev, hash, sound) FROM STDIN";
        client.copy_in(copy, data.as_bytes()).unwrap();
        client.execute("COMMIT").unwrap();
        arrived.fetch_add(last - seq, Ordering::Relaxed);
        seq = last;
    }
}

fn line(data: &mut String, id: &str, machine: u64, number: u64, count: u64, dates: &[String]) {
    let event = (number - 1) / RUNS;
    let part = (number - 1) % RUNS;
    // Not random, but spread: the same numbers at every run.
    let mixed = (machine * 1_000_003 + number).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
    let about = (machine * 1_000_003 + event).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
    let age = usize::try_from((count - 1 - event * RUNS) * DAYS / count).unwrap();
    let seconds = event * 7 % 86_400;
    let hook = HOOKS[usize::try_from(mixed % 8).unwrap()];
    let (outcome, decision, reason) = match mixed % 100 {
        0..2 => ("blocked", "block", "`~/.ssh/id_ed25519` is protected and must not be changed by a tool"),
        2..4 => ("succeeded", "ask", "terraform apply changes infrastructure"),
        4 => ("failed", "\\N", "\\N"),
        _ => ("succeeded", "\\N", "\\N"),
    };
    let (date, session, micros) = (&dates[age], number / 200, 80 + mixed % 3000);
    let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    let _ = write!(
        data,
        "{id}\t1\t1\t{number}\t{date}\t{date} {hour:02}:{minute:02}:{second:02}+00\tsession-{machine}-{session}\tclaude\tBeforeTool\t\
         {hook}\tnative\t{outcome}\t{decision}\t{reason}\t{micros}\tBash\tcargo test -p crate-{0} --test case_{0}\t{part}\t",
        about % 50
    );
    if part == 0 {
        let _ = write!(
            data,
            "/home/person/project-{}\t{{\"source\":\"pack {hook}\",\"input\":{{\"session_id\":\"session-{machine}-{session}\",\
             \"hook_event_name\":\"PreToolUse\",\"cwd\":\"/home/person/project\",\"tool_name\":\"Bash\",\
             \"tool_input\":{{\"command\":\"cargo test -p crate-{1} --test case_{1}\"}}}}}}",
            machine % 40 * 3 + about % 3,
            about % 50
        );
    } else {
        let _ = write!(data, "\\N\t{{\"source\":\"pack {hook}\"}}");
    }
    let _ = writeln!(data, "\t\\\\x{:064x}\t\\\\x{:064x}\tt", hash(machine, number - 1), hash(machine, number));
}

/// The hash that the first record follows is zero.
fn hash(machine: u64, number: u64) -> u128 {
    if number == 0 { 0 } else { u128::from(machine + 1) << 64 | u128::from(number) }
}

fn civil(day: i64) -> String {
    let (mut year, mut left) = (1970, day);
    let leap = |year: i64| year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    while left >= 365 + i64::from(leap(year)) {
        left -= 365 + i64::from(leap(year));
        year += 1;
    }
    let months = [31, 28 + i64::from(leap(year)), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let mut month = 0;
    while left >= months[month] {
        left -= months[month];
        month += 1;
    }
    format!("{year:04}-{:02}-{:02}", month + 1, left + 1)
}

fn questions(database: &mut Database, today: i64) {
    let day = 24 * 60 * 60 * 1000;
    let all = RecordFilter::default();
    let blocked = RecordFilter { decisions: vec!["block".to_owned()], ..RecordFilter::default() };
    let session = RecordFilter { sessions: vec!["session-7-3".to_owned()], ..RecordFilter::default() };
    let yesterday =
        RecordFilter { since: Some((today - 1) * day), until: Some(today * day - 1), ..RecordFilter::default() };
    let hour = RecordFilter {
        since: Some((today - 1) * day + 3_600_000),
        until: Some((today - 1) * day + 7_200_000),
        ..RecordFilter::default()
    };
    time("log --fleet", || database.newest(&all, 50).unwrap().len());
    time("log --fleet --decision block", || database.newest(&blocked, 50).unwrap().len());
    time("log --fleet --session", || database.newest(&session, 50).unwrap().len());
    time("stats --fleet", || {
        database.runs(&all, Grouping::Hook).unwrap().len() + database.runs_by_day(&all).unwrap().len()
    });
    time("stats --fleet --by machine", || database.runs(&all, Grouping::Machine).unwrap().len());
    time("stats --fleet --by project", || database.runs(&all, Grouping::Project).unwrap().len());
    time("stats --fleet, one day", || database.runs(&yesterday, Grouping::Hook).unwrap().len());
    time("stats --fleet --by machine, one day", || database.runs(&yesterday, Grouping::Machine).unwrap().len());
    time("stats --fleet, one hour (from records)", || database.runs(&hour, Grouping::Hook).unwrap().len());
    let night =
        RecordFilter { since: Some((today - 1) * day - 1), until: Some(today * day), ..RecordFilter::default() };
    time("stats --fleet, a day that is no whole day (from records)", || {
        database.runs(&night, Grouping::Hook).unwrap().len()
    });
    time("fleet status", || database.machines().unwrap().len());
    lists(database);
    for days in [1, DAYS] {
        let of = CountFilter { days: u16::try_from(days).unwrap(), ..CountFilter::default() };
        time(&format!("ui --fleet: counts of {days} days"), || {
            let groups = [EventGrouping::Project, EventGrouping::Machine, EventGrouping::Person];
            database.events_by_day(&of).unwrap().len()
                + groups.map(|by| database.events_by(&of, by).unwrap().len()).iter().sum::<usize>()
        });
    }
}

/// The lists of the page: 2,000 events, and the 60 newest sessions.
fn lists(database: &mut Database) {
    let all = EventFilter::default();
    let denied = EventFilter { verdicts: vec![5], ..EventFilter::default() };
    let project = EventFilter { project: Some("/home/person/project-7".to_owned()), ..EventFilter::default() };
    let machine = EventFilter { machines: vec!["machine-7".to_owned()], ..EventFilter::default() };
    let text = EventFilter { text: Some("nowhere to be found".to_owned()), ..EventFilter::default() };
    for (what, filter) in [
        ("all", &all),
        ("denied", &denied),
        ("of a project", &project),
        ("of a machine", &machine),
        ("with a text", &text),
    ] {
        time(&format!("ui --fleet: newest events, {what}"), || {
            database.newest_events(filter, None, 2000).unwrap().len()
        });
    }
    time("ui --fleet: newest sessions", || database.newest_sessions(&all, 60, 60).unwrap().len());
}

fn time(what: &str, mut ask: impl FnMut() -> usize) {
    ask();
    let begun = Instant::now();
    let rows = ask();
    println!("{what}: {:.0} ms ({rows} rows)", begun.elapsed().as_secs_f64() * 1000.0);
}
