//! A fleet for a test: a database with its roles, and machines with journals.

use hookrail_fleet::database::{Database, DatabaseError, MachineReport, Shipped};
use hookrail_fleet::postgres::{Address, Credentials};
use hookrail_fleet::{Departure, Detail};
use hookrail_store::{FileStore, JournalRecord, Outcome, StateRoot, Store};
use hookrail_testkit::postgres::Cluster;
use serde_json::json;
use std::fs;
use std::path::PathBuf;

/// The day on which the records of these tests are written, if the test is not about days: today, by the machine's clock.
pub fn now() -> i64 {
    let now = std::time::UNIX_EPOCH.elapsed().unwrap();
    i64::try_from(now.as_millis()).unwrap()
}

pub fn connect(cluster: &Cluster, user: &str) -> Result<Database, DatabaseError> {
    let address = Address::parse(&cluster.address(user)).unwrap();
    let credentials = Credentials::find(&address, None, &|_| None).unwrap();
    Database::connect(&address, &credentials)
}

/// A database with the schema, two writers and a reader.
pub fn fleet() -> Option<Cluster> {
    Cluster::start().map(with_schema)
}

/// The same in a server that the test may end.
pub fn own_fleet() -> Option<Cluster> {
    Cluster::start_own().map(with_schema)
}

pub fn with_schema(cluster: Cluster) -> Cluster {
    connect(&cluster, "postgres").unwrap().migrate().unwrap();
    let roles = "CREATE ROLE alice LOGIN IN ROLE hookrail_writer; CREATE ROLE bob LOGIN IN ROLE hookrail_writer; \
        CREATE ROLE rita LOGIN IN ROLE hookrail_reader";
    assert_eq!(cluster.sql(roles), "");
    cluster
}

/// A machine with a journal.
pub struct Machine {
    pub folder: tempfile::TempDir,
    pub report: MachineReport,
}

impl Machine {
    pub fn new(key: &str) -> Self {
        let report = MachineReport {
            key: key.to_owned(),
            name: format!("{key}.example"),
            person: "ann".to_owned(),
            os: "linux".to_owned(),
            version: "0.1.0".to_owned(),
            policy: Some(("acme".to_owned(), 3)),
            policy_state: "in-force".to_owned(),
            entries: json!([]),
            intact: true,
            now: now(),
        };
        Self { folder: tempfile::tempdir().unwrap(), report }
    }

    pub fn journal(&self) -> FileStore {
        FileStore::new(StateRoot::at(self.folder.path().join("state")), now).with_segment_bytes(64 * 1024)
    }

    pub fn write(&self, count: usize) {
        let records: Vec<JournalRecord> = (0..count).map(|number| record(&format!("call {number}"))).collect();
        self.journal().append_all(&records).unwrap();
    }

    pub fn ship(&self, cluster: &Cluster) -> Result<Shipped, DatabaseError> {
        connect(cluster, "alice")?.ship(&self.report, &self.journal(), Departure { detail: Detail::Full })
    }

    /// The files of the journal, oldest first.
    pub fn files(&self) -> Vec<PathBuf> {
        let files = fs::read_dir(self.journal().journal_path()).unwrap().map(|entry| entry.unwrap().path());
        let mut files: Vec<PathBuf> = files.filter(|file| file.extension().is_some_and(|it| it == "jsonl")).collect();
        files.sort();
        files
    }

    /// Changes the lines of the first file.
    pub fn tamper(&self, change: impl FnOnce(&mut Vec<String>)) {
        let file = self.files().remove(0);
        let text = fs::read_to_string(&file).unwrap();
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        change(&mut lines);
        fs::write(file, lines.join("\n") + "\n").unwrap();
    }
}

pub fn record(subject: &str) -> JournalRecord {
    JournalRecord {
        ts: now(),
        session: "s1".to_owned(),
        agent: "claude".to_owned(),
        event: "BeforeTool".to_owned(),
        hook: "safety/rules".to_owned(),
        kind: "native".to_owned(),
        source: "pack safety".to_owned(),
        outcome: Outcome::Succeeded,
        duration_us: 420,
        tool: Some("Bash".to_owned()),
        subject: Some(subject.to_owned()),
        project: Some("/home/ann/project".to_owned()),
        ..JournalRecord::default()
    }
}

/// How many records there are, how many different ones, and the highest number.
pub fn counted(cluster: &Cluster) -> String {
    cluster.sql("SELECT count(*), count(DISTINCT (machine, hash)), max(seq) FROM hookrail.records")
}

pub fn breaks(cluster: &Cluster) -> String {
    cluster.sql("SELECT epoch, kind, place FROM hookrail.breaks ORDER BY id")
}
