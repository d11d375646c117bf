//! What versions before the database wrote: `storage/session/PROJECT/SESSION.json`, `storage/message/SESSION/MESSAGE.json` and
//! `storage/part/MESSAGE/PART.json`. Names of messages and parts are in the order of time.

use super::{Session, TESTED, take_part};
use crate::transcripts::families::{Families, hash};
use crate::transcripts::folders::{OnListed, head, names};
use crate::transcripts::lines::Line;
use crate::transcripts::{Search, SessionFile, Sink, Source, Step, TranscriptProblem, check_version};
use serde::Deserialize;
use std::collections::HashSet;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// What describes a session or a message is small.
const SMALL: usize = 1024 * 1024;
/// A part is not larger: what is, is a dump.
const LARGEST: u64 = 16 * 1024 * 1024;

pub(super) fn find(home: &Path, moved: &HashSet<u64>, search: Search, found: OnListed<'_>) -> ControlFlow<()> {
    let storage = home.join("storage");
    let mut families = Families::default();
    if search.joined {
        let _ = each_session(&storage, &mut |_| ControlFlow::Continue(()), &mut |path, id, _| {
            families.note(&path, id, Info::read(&path).and_then(|info| info.parent).as_deref());
            ControlFlow::Continue(())
        });
    }
    each_session(&storage, found, &mut |path, id, found| {
        if moved.contains(&hash(id)) || families.is_child(id) {
            return ControlFlow::Continue(());
        }
        let subagents = families.below(id);
        let subagents = subagents.iter().filter_map(|path| {
            let begun = Info::read(path)?.time.and_then(|time| time.created);
            Some(SessionFile { begun, ..session_file(&storage, path, Some(id))? })
        });
        let files = session_file(&storage, &path, None).into_iter().chain(subagents).collect();
        search.give(files, found)
    })
}

type Give<'a> = &'a mut dyn FnMut(PathBuf, &str, OnListed<'_>) -> ControlFlow<()>;

/// Gives the file and the id of every session.
fn each_session(storage: &Path, found: OnListed<'_>, give: Give<'_>) -> ControlFlow<()> {
    let projects = storage.join("session");
    for project in names(&projects, found) {
        let folder = projects.join(project);
        for name in names(&folder, found) {
            if let Some(id) = name.strip_suffix(".json") {
                give(folder.join(&name), id, found)?;
            }
        }
    }
    ControlFlow::Continue(())
}

/// A session, with the bytes of everything in it.
fn session_file(storage: &Path, path: &Path, parent: Option<&str>) -> Option<SessionFile> {
    let mut file = SessionFile::at(path, parent)?;
    let messages = storage.join("message").join(id_of(path));
    for name in quiet_names(&messages) {
        file.bytes += size(&messages.join(&name));
        let parts = storage.join("part").join(name.trim_end_matches(".json"));
        file.bytes += quiet_names(&parts).iter().map(|part| size(&parts.join(part))).sum::<u64>();
    }
    Some(file)
}

fn id_of(path: &Path) -> &str {
    path.file_stem().and_then(|name| name.to_str()).unwrap_or_default()
}

fn size(path: &Path) -> u64 {
    std::fs::symlink_metadata(path).map_or(0, |found| found.len())
}

/// The names in a folder; what cannot be read is told when its session is read.
fn quiet_names(folder: &Path) -> Vec<String> {
    names(folder, &mut |_| ControlFlow::Continue(()))
}

/// What is said about a session.
#[derive(Default, Deserialize)]
struct Info {
    #[serde(rename = "parentID")]
    parent: Option<String>,
    #[serde(default)]
    directory: PathBuf,
    #[serde(default)]
    version: String,
    time: Option<Time>,
}

#[derive(Deserialize)]
struct Time {
    created: Option<i64>,
}

#[derive(Deserialize)]
struct Message {
    #[serde(default)]
    role: String,
    /// The sub-agent that wrote it; older versions call it a mode.
    agent: Option<String>,
    mode: Option<String>,
    time: Option<Time>,
}

impl Info {
    fn read(path: &Path) -> Option<Self> {
        serde_json::from_slice(&head(path, SMALL)).ok()
    }
}

pub(super) fn open(file: &SessionFile) -> Box<dyn Source + '_> {
    Box::new(Messages { file, known: None })
}

/// A session that is being read, one message at a time.
struct Messages<'f> {
    file: &'f SessionFile,
    known: Option<Known>,
}

struct Known {
    session: Session,
    storage: PathBuf,
    messages: PathBuf,
    /// The names of the messages, the next one last.
    left: Vec<String>,
}

impl Source for Messages<'_> {
    fn read_on(&mut self, sink: &mut dyn Sink) -> ControlFlow<(), bool> {
        let known = match &mut self.known {
            Some(known) => known,
            None => match begin(self.file, sink) {
                Some(known) => self.known.insert(known),
                None => {
                    sink.advance(self.file.bytes)?;
                    return ControlFlow::Continue(false);
                }
            },
        };
        let Some(name) = known.left.pop() else {
            sink.advance(size(&self.file.path))?;
            return ControlFlow::Continue(false);
        };
        let bytes = known.take_message(&name, sink);
        sink.advance(bytes)?;
        ControlFlow::Continue(true)
    }
}

fn begin(file: &SessionFile, sink: &mut dyn Sink) -> Option<Known> {
    let text = head(&file.path, SMALL);
    let info: Info = Line { number: 1, bytes: &text }.parse(&file.path, sink)?;
    check_version(&file.path, &info.version, TESTED, sink);
    let id = id_of(&file.path).to_owned();
    let root = file.parent.clone().or_else(|| info.parent.clone()).unwrap_or_else(|| id.clone());
    let subagent = info.parent.is_some().then(String::new);
    let storage = file.path.ancestors().nth(3)?.to_owned();
    let messages = storage.join("message").join(&id);
    let mut left = told_names(&messages, sink);
    left.reverse();
    Some(Known { session: Session { root, directory: info.directory, subagent }, storage, messages, left })
}

/// The names in a folder, in their order; one that cannot be read is told.
fn told_names(folder: &Path, sink: &mut dyn Sink) -> Vec<String> {
    names(folder, &mut |listed| {
        if let crate::transcripts::Listed::Unreadable(folder, why) = listed {
            sink.trouble(&folder, TranscriptProblem::Unreadable(why));
        }
        ControlFlow::Continue(())
    })
}

impl Known {
    /// Gives what happened in a message; how many bytes were read.
    fn take_message(&mut self, name: &str, sink: &mut dyn Sink) -> u64 {
        let path = self.messages.join(name);
        let text = head(&path, SMALL);
        let mut bytes = text.len() as u64;
        let Some(message) = Line { number: 1, bytes: &text }.parse::<Message>(&path, sink) else { return bytes };
        let created = message.time.and_then(|time| time.created).unwrap_or_default();
        if message.role == "user" && self.session.subagent.is_none() {
            sink.step(Step::Prompt { session: self.session.root.clone(), millis: created });
        }
        if let (Some(name), Some(agent)) = (&mut self.session.subagent, message.agent.or(message.mode)) {
            *name = agent;
        }
        let parts = self.storage.join("part").join(name.trim_end_matches(".json"));
        for name in told_names(&parts, sink) {
            bytes += self.take_file(&parts.join(name), created, sink);
        }
        bytes
    }

    fn take_file(&self, path: &Path, created: i64, sink: &mut dyn Sink) -> u64 {
        let bytes = size(path);
        if bytes > LARGEST {
            let why = format!("it is larger than {} MiB", LARGEST >> 20);
            sink.trouble(path, TranscriptProblem::Unreadable(why));
            return bytes;
        }
        match std::fs::read(path) {
            Ok(text) if memchr::memmem::find(&text, br#""tool""#).is_some() => {
                take_part(Line { number: 1, bytes: &text }, &self.session, created, path, sink);
            }
            Ok(_) => {}
            Err(error) => sink.trouble(path, TranscriptProblem::Unreadable(error.to_string())),
        }
        bytes
    }
}
