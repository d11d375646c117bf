//! What newer versions write: the tables `session` and `part`.

use super::{Session, TESTED, take_part};
use crate::transcripts::families::hash;
use crate::transcripts::lines::Line;
use crate::transcripts::sqlite::{Database, Field, Table};
use crate::transcripts::{SessionFile, Sink, Source, Step, TranscriptProblem, check_version};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// The tables that calls stand in.
const NEEDED: [&str; 2] = ["session", "part"];

/// The database below a folder of opencode, if there is one.
pub(super) fn file(home: &Path) -> Option<SessionFile> {
    let mut file = SessionFile::at(&home.join("opencode.db"), None)?;
    // What was written last may stand in the log alone.
    if let Some(log) = SessionFile::at(&home.join("opencode.db-wal"), None) {
        file.bytes += log.bytes;
        file.written = file.written.max(log.written);
    }
    Some(file)
}

/// The hashes of the ids of its sessions; none if it cannot be read, which is told when its calls are.
pub(super) fn session_ids(file: &SessionFile) -> HashSet<u64> {
    let mut ids = HashSet::new();
    let mut read = || -> io::Result<()> {
        let mut database = Database::open(&file.path)?;
        let Some(sessions) = database.table("session")? else { return Ok(()) };
        let column = sessions.column("id").unwrap_or_default();
        database.rows(&sessions, &mut |fields| {
            ids.extend(fields.get(column).and_then(Field::text).map(hash));
            ControlFlow::Continue(())
        })
    };
    drop(read());
    ids
}

/// The database as a whole: its rows are in the order in which they were written, those of sub-agents among them.
pub(super) struct Rows<'f>(pub &'f SessionFile);

impl Source for Rows<'_> {
    fn read_on(&mut self, sink: &mut dyn Sink) -> ControlFlow<(), bool> {
        let mut progress = ControlFlow::Continue(());
        if let Err(error) = read_database(self.0, sink, &mut progress) {
            sink.trouble(&self.0.path, TranscriptProblem::Unreadable(error.to_string()));
        }
        progress?;
        ControlFlow::Continue(false)
    }
}

fn read_database(file: &SessionFile, sink: &mut dyn Sink, progress: &mut ControlFlow<()>) -> io::Result<()> {
    let mut database = Database::open(&file.path)?;
    let [sessions, parts] = NEEDED.map(|name| database.table(name));
    let (Some(sessions), Some(parts)) = (sessions?, parts?) else {
        sink.trouble(&file.path, TranscriptProblem::UnknownForm("it has no tables `session` and `part`".to_owned()));
        return Ok(());
    };
    let sessions = read_sessions(&mut database, &sessions, file, sink)?;
    let columns = ["session_id", "time_created", "data"].map(|name| parts.column(name));
    let [Some(session), Some(created), Some(data)] = columns else {
        sink.trouble(&file.path, TranscriptProblem::UnknownForm("table `part` has other columns".to_owned()));
        return Ok(());
    };
    let mut number = 0;
    database.rows(&parts, &mut |fields| {
        number += 1;
        let text = |index: usize| fields.get(index).and_then(Field::text).unwrap_or_default();
        let data = text(data);
        let created = fields.get(created).and_then(Field::integer).unwrap_or_default();
        if let Some(session) = sessions.get(text(session)) {
            take_row(Line { number, bytes: data.as_bytes() }, data, session, created, file, sink);
        }
        *progress = sink.advance(data.len() as u64);
        *progress
    })
}

fn read_sessions(
    database: &mut Database,
    table: &Table,
    file: &SessionFile,
    sink: &mut dyn Sink,
) -> io::Result<HashMap<String, Session>> {
    let columns = ["id", "parent_id", "directory", "agent", "version"].map(|name| table.column(name));
    let mut parents: HashMap<String, (Option<String>, PathBuf, Option<String>)> = HashMap::new();
    let mut versions = BTreeSet::new();
    database.rows(table, &mut |fields| {
        let [id, parent, directory, agent, version] =
            columns.map(|column| column.and_then(|index| fields.get(index)).and_then(Field::text).map(str::to_owned));
        versions.extend(version);
        let directory = PathBuf::from(directory.unwrap_or_default());
        parents.insert(id.unwrap_or_default(), (parent, directory, agent));
        ControlFlow::Continue(())
    })?;
    for version in versions {
        check_version(&file.path, &version, TESTED, sink);
    }
    let root = |id: &str| {
        let mut id = id.to_owned();
        // A chain of sub-agents is short; a circle, which is a mistake, ends too.
        for _ in 0..64 {
            match parents.get(&id) {
                Some((Some(parent), ..)) => id.clone_from(parent),
                _ => break,
            }
        }
        id
    };
    let known = parents.iter().map(|(id, (parent, directory, agent))| {
        let subagent = parent.as_ref().map(|_| agent.clone().unwrap_or_default());
        (id.clone(), Session { root: root(id), directory: directory.clone(), subagent })
    });
    Ok(known.collect())
}

fn take_row(line: Line<'_>, data: &str, session: &Session, created: i64, file: &SessionFile, sink: &mut dyn Sink) {
    if data.contains(r#""type":"tool""#) {
        take_part(line, session, created, &file.path, sink);
    } else if session.subagent.is_none() && data.starts_with(r#"{"type":"text""#) && !data.contains(r#""time":"#) {
        // What a person says is a part of its own; the parts of the model's turns begin with other types.
        sink.step(Step::Prompt { session: session.root.clone(), millis: created });
    }
}
