//! Gemini CLI: `~/.gemini/tmp/PROJECT/chats/session-*.jsonl`, those of sub-agents in `chats/SESSION/`.
//!
//! The first line says whose session it is. A message of the model has its calls with their results in it, and is written again
//! when it changes: the last one of an id counts, so that a call is known by its own id. `$set` lines may bring messages too. The
//! project's folder stands in `.project_root`. Older versions wrote one JSON document per session.

use super::folders::{self, OnListed, files, names};
use super::lines::{Line, LineReader, Lines, has_any};
use super::outcome::{of_status, status_behind};
use super::{
    CallEnd, Homes, Outcome, PastCall, PastDecision, Search, SessionFile, Sink, Source, Step, TranscriptProblem, millis,
};
use memchr::memmem::Finder;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufReader, Read};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

pub(super) fn find(homes: &Homes, search: Search, found: OnListed<'_>) -> ControlFlow<()> {
    let Some(projects) = homes.gemini.as_ref().map(|home| home.join("tmp")) else {
        return ControlFlow::Continue(());
    };
    for project in names(&projects, found) {
        find_in(&projects.join(project).join("chats"), search, found)?;
    }
    ControlFlow::Continue(())
}

/// The sessions of one project.
fn find_in(chats: &Path, search: Search, found: OnListed<'_>) -> ControlFlow<()> {
    let names = names(chats, found);
    files(chats, &names, ".json", None).try_for_each(|file| search.give(vec![file], found))?;
    // The name of a file ends with the beginning of its session's id, that of its sub-agents' folder is the id. One session may have
    // several files.
    let mut sessions: BTreeMap<&str, (Vec<&str>, Vec<&str>)> = BTreeMap::new();
    for name in &names {
        if let Some(stem) = name.strip_suffix(".jsonl") {
            let session = stem.rsplit_once('-').map_or(stem, |(_, session)| session);
            sessions.entry(session).or_default().0.push(name);
        } else if !name.ends_with(".json") {
            let session = name.split_once('-').map_or(name.as_str(), |(session, _)| session);
            sessions.entry(session).or_default().1.push(name);
        }
    }
    for (own, folders) in sessions.values() {
        let mut group: Vec<SessionFile> =
            own.iter().filter_map(|name| SessionFile::at(&chats.join(name), None)).collect();
        // The first one is open from the beginning.
        let dated: Vec<SessionFile> = group.drain(1.min(group.len())..).map(SessionFile::dated).collect();
        group.extend(dated);
        for session in folders {
            let folder = chats.join(session);
            let subagents = folders::names(&folder, found);
            group.extend(files(&folder, &subagents, ".jsonl", Some(session)).map(SessionFile::dated));
        }
        search.give(group, found)?;
    }
    ControlFlow::Continue(())
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Entry<'a> {
    #[serde(borrow)]
    session_id: Option<Cow<'a, str>>,
    #[serde(borrow)]
    kind: Option<Cow<'a, str>>,
    directories: Option<Vec<PathBuf>>,
    #[serde(borrow, rename = "type")]
    message: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    timestamp: Cow<'a, str>,
    #[serde(borrow)]
    content: Option<&'a RawValue>,
    #[serde(borrow, default)]
    tool_calls: Vec<ToolCall<'a>>,
    #[serde(borrow, rename = "$set")]
    set: Option<Set<'a>>,
}

#[derive(Deserialize)]
struct Set<'a> {
    #[serde(borrow, default)]
    messages: Vec<Entry<'a>>,
    directories: Option<Vec<PathBuf>>,
}

#[derive(Deserialize)]
struct ToolCall<'a> {
    #[serde(borrow, default)]
    id: Cow<'a, str>,
    #[serde(borrow, default)]
    name: Cow<'a, str>,
    args: Option<Map<String, Value>>,
    #[serde(borrow)]
    result: Option<&'a RawValue>,
    #[serde(borrow, default)]
    status: Cow<'a, str>,
    #[serde(borrow, default)]
    timestamp: Cow<'a, str>,
}

/// What is known of the file that is being read.
struct Progress<'f> {
    file: &'f SessionFile,
    marks: [Finder<'static>; 3],
    session: String,
    cwd: PathBuf,
    subagent: Option<String>,
}

pub(super) fn open(file: &SessionFile) -> Box<dyn Source + '_> {
    let marks: [&'static [u8]; 3] = [br#""toolCalls""#, br#""sessionId""#, br#""type":"user""#];
    let progress = Progress {
        file,
        marks: marks.map(Finder::new),
        session: file.parent.clone().unwrap_or_default(),
        cwd: project_root(&file.path),
        subagent: file.parent.is_some().then(String::new),
    };
    if file.path.extension().is_some_and(|ending| ending == "json") {
        return Box::new(Document(progress));
    }
    Box::new(Lines::new(file, progress))
}

/// The folder of the project whose sessions these are: it stands in a small file of the project's own folder.
fn project_root(file: &Path) -> PathBuf {
    let found = file.ancestors().skip(1).take(3).find_map(|folder| {
        let mut text = String::new();
        File::open(folder.join(".project_root")).ok()?.take(8192).read_to_string(&mut text).ok()?;
        Some(PathBuf::from(text.trim_end()))
    });
    found.unwrap_or_default()
}

impl LineReader for Progress<'_> {
    fn take(&mut self, line: Line<'_>, sink: &mut dyn Sink) {
        let [calls, sessions, people] = &self.marks;
        if has_any(line.bytes, &[calls, sessions, people])
            && let Some(entry) = line.parse(&self.file.path, sink)
        {
            self.take_entry(&entry, sink);
        }
    }
}

impl Progress<'_> {
    fn take_entry(&mut self, entry: &Entry<'_>, sink: &mut dyn Sink) {
        if let Some(session) = &entry.session_id
            && self.session.is_empty()
        {
            self.session = session.clone().into_owned();
        }
        if entry.kind.as_deref() == Some("subagent") {
            self.subagent.get_or_insert_default();
        }
        self.enter(entry.directories.as_deref());
        if let Some(set) = &entry.set {
            self.enter(set.directories.as_deref());
            set.messages.iter().for_each(|message| self.take_message(message, sink));
        }
        self.take_message(entry, sink);
    }

    /// Where the project's own folder does not tell, the session may.
    fn enter(&mut self, directories: Option<&[PathBuf]>) {
        if self.cwd.as_os_str().is_empty()
            && let Some(first) = directories.and_then(<[PathBuf]>::first)
        {
            self.cwd.clone_from(first);
        }
    }

    fn take_message(&self, entry: &Entry<'_>, sink: &mut dyn Sink) {
        let answers = |content: &RawValue| content.get().contains("functionResponse");
        if entry.message.as_deref() == Some("user") && self.subagent.is_none() && !entry.content.is_some_and(answers) {
            sink.step(Step::Prompt { session: self.session.clone(), millis: millis(&entry.timestamp) });
        }
        for call in &entry.tool_calls {
            self.take_call(call, entry, sink);
        }
    }

    fn take_call(&self, call: &ToolCall<'_>, entry: &Entry<'_>, sink: &mut dyn Sink) {
        let folder = call.args.as_ref().and_then(|args| args.get("dir_path")).and_then(Value::as_str);
        let time = if entry.timestamp.is_empty() { &call.timestamp } else { &entry.timestamp };
        sink.step(Step::Call(Box::new(PastCall {
            session: self.session.clone(),
            id: call.id.clone().into_owned(),
            tool: call.name.clone().into_owned(),
            input: call.args.clone().unwrap_or_default(),
            cwd: folder.map_or_else(|| self.cwd.clone(), |folder| self.cwd.join(folder)),
            branch: None,
            mode: None,
            subagent: self.subagent.clone(),
            millis: millis(time),
        })));
        if let Some(end) = end_of(call) {
            // The time beside a call is that of its end.
            let ended = millis(&call.timestamp).max(millis(time));
            let (session, call) = (self.session.clone(), call.id.clone().into_owned());
            sink.step(Step::End { session, call, millis: ended, end });
        }
    }
}

/// A session of an older version: one JSON document. Its messages are read one after the other.
struct Document<'f>(Progress<'f>);

impl Source for Document<'_> {
    fn read_on(&mut self, sink: &mut dyn Sink) -> ControlFlow<(), bool> {
        let progress = &mut self.0;
        let file = progress.file;
        match File::open(&file.path) {
            Err(error) => sink.trouble(&file.path, TranscriptProblem::Unreadable(error.to_string())),
            Ok(source) => {
                if let Err(error) = progress.take_document(BufReader::new(source), sink) {
                    sink.trouble(&file.path, TranscriptProblem::UnknownForm(error.to_string()));
                }
            }
        }
        sink.advance(file.bytes)?;
        ControlFlow::Continue(false)
    }
}

impl Progress<'_> {
    fn take_document(&mut self, source: impl Read, sink: &mut dyn Sink) -> serde_json::Result<()> {
        let mut number = 0;
        let seed = document::Messages {
            message: &mut |message, session| {
                number += 1;
                if self.session.is_empty() {
                    self.session = session.to_owned();
                }
                // A message is small; what it borrows from must be at hand.
                let line = Line { number, bytes: message.get().as_bytes() };
                if let Some(entry) = line.parse(&self.file.path, sink) {
                    self.take_entry(&entry, sink);
                }
            },
        };
        serde::de::DeserializeSeed::deserialize(seed, &mut serde_json::Deserializer::from_reader(source))
    }
}

fn end_of(call: &ToolCall<'_>) -> Option<CallEnd> {
    let text = call.result.map(RawValue::get).unwrap_or_default();
    let refused = text.contains("User did not allow tool call") || text.contains("User denied execution");
    let blocked = text.contains("denied by policy") || text.contains("blocked by hook");
    let (outcome, decision) = match &*call.status {
        "cancelled" => (Outcome::NotRun, PastDecision::Refused),
        _ if refused => (Outcome::NotRun, PastDecision::Refused),
        "error" if blocked => (Outcome::NotRun, PastDecision::Blocked),
        "error" => (Outcome::Failed, PastDecision::Unknown),
        "success" => (command_status(call, text), PastDecision::Unknown),
        // It had not ended when the session did.
        _ => return None,
    };
    Some(CallEnd { outcome, decision })
}

/// A command's status is told only where it is not 0.
fn command_status(call: &ToolCall<'_>, text: &str) -> Outcome {
    if call.name != "run_shell_command" {
        return Outcome::Ok;
    }
    let trouble = text.contains("\\nError: ") || text.contains("\\nSignal: ");
    match status_behind(text, &["Exit Code: "]) {
        Some(status) => of_status(status),
        None if trouble => Outcome::Failed,
        None => Outcome::Ok,
    }
}

/// A document whose messages are given one by one, so that memory does not grow with it.
mod document {
    use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
    use serde_json::value::RawValue;
    use std::fmt;

    type Give<'a> = &'a mut dyn FnMut(&RawValue, &str);

    pub struct Messages<'a> {
        pub message: Give<'a>,
    }

    impl<'de> DeserializeSeed<'de> for Messages<'_> {
        type Value = ();

        fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
            deserializer.deserialize_map(self)
        }
    }

    impl<'de> Visitor<'de> for Messages<'_> {
        type Value = ();

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a session")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
            let mut session = String::new();
            while let Some(key) = map.next_key::<String>()? {
                match key.as_str() {
                    "sessionId" => session = map.next_value()?,
                    "messages" => map.next_value_seed(List { message: &mut *self.message, session: &session })?,
                    _ => drop(map.next_value::<IgnoredAny>()?),
                }
            }
            Ok(())
        }
    }

    struct List<'a> {
        message: Give<'a>,
        session: &'a str,
    }

    impl<'de> DeserializeSeed<'de> for List<'_> {
        type Value = ();

        fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
            deserializer.deserialize_seq(self)
        }
    }

    impl<'de> Visitor<'de> for List<'_> {
        type Value = ();

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a list of messages")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
            while let Some(message) = list.next_element::<Box<RawValue>>()? {
                (self.message)(&message, self.session);
            }
            Ok(())
        }
    }
}
