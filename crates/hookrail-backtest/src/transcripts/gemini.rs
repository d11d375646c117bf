//! Gemini CLI: `~/.gemini/tmp/PROJECT/chats/session-*.jsonl`, those of sub-agents in `chats/SESSION/`.
//!
//! The first line says whose session it is. A message of the model has its calls with their results in it, and is written again
//! when it changes: the last one of an id counts, so that a call is known by its own id. `$set` lines may bring messages too. The
//! project's folder stands in `.project_root`. Older versions wrote one JSON document per session.

use super::folders::{files, names};
use super::lines::{self, Line, has_any};
use super::outcome::{of_status, status_behind};
use super::{CallEnd, Homes, Outcome, PastCall, PastDecision, SessionFile, Sink, Step, Trouble, millis};
use memchr::memmem::Finder;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::fs::File;
use std::io::{BufReader, Read};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

pub(super) fn find(homes: &Homes, found: &mut dyn FnMut(SessionFile) -> ControlFlow<()>) -> ControlFlow<()> {
    let Some(projects) = homes.gemini.as_ref().map(|home| home.join("tmp")) else {
        return ControlFlow::Continue(());
    };
    for project in names(&projects) {
        let chats = projects.join(project).join("chats");
        files(&chats, ".json", None, found)?;
        files(&chats, ".jsonl", None, found)?;
        for name in names(&chats) {
            // A folder has the name of the session whose sub-agents are in it.
            files(&chats.join(&name), ".jsonl", Some(&name), found)?;
        }
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

pub(super) fn read(file: &SessionFile, sink: &mut dyn Sink) -> ControlFlow<()> {
    let marks: [&'static [u8]; 3] = [br#""toolCalls""#, br#""sessionId""#, br#""type":"user""#];
    let mut progress = Progress {
        file,
        marks: marks.map(Finder::new),
        session: file.parent.clone().unwrap_or_default(),
        cwd: project_root(&file.path),
        subagent: file.parent.is_some().then(String::new),
    };
    if file.path.extension().is_some_and(|ending| ending == "json") {
        return progress.take_document(sink);
    }
    lines::each(file, sink, &mut |line, sink| progress.take(&line, sink))
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

impl Progress<'_> {
    fn take(&mut self, line: &Line<'_>, sink: &mut dyn Sink) {
        let [calls, sessions, people] = &self.marks;
        if !has_any(line.bytes, &[calls, sessions, people]) {
            return;
        }
        match serde_json::from_slice::<Entry<'_>>(line.bytes) {
            Ok(entry) => self.take_entry(&entry, sink),
            Err(error) => {
                let why = error.to_string();
                sink.trouble(&self.file.path, Trouble::BrokenLine { line: line.number, why });
            }
        }
    }

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
            sink.step(Step::End { session: self.session.clone(), call: call.id.clone().into_owned(), end });
        }
    }

    /// A session of an older version: one JSON document. Its messages are read one after the other.
    fn take_document(&mut self, sink: &mut dyn Sink) -> ControlFlow<()> {
        let file = self.file;
        let told = |why: String| Trouble::UnknownForm(why);
        match File::open(&file.path) {
            Err(error) => sink.trouble(&file.path, Trouble::Unreadable(error.to_string())),
            Ok(source) => {
                let mut document = serde_json::Deserializer::from_reader(BufReader::new(source));
                let seed = document::Messages {
                    message: &mut |message, session| {
                        if self.session.is_empty() {
                            self.session = session.to_owned();
                        }
                        // A message is small; what it borrows from must be at hand.
                        match serde_json::from_str::<Entry<'_>>(message.get()) {
                            Ok(entry) => self.take_entry(&entry, sink),
                            Err(error) => {
                                sink.trouble(&file.path, Trouble::BrokenLine { line: 0, why: error.to_string() });
                            }
                        }
                    },
                };
                let read = serde::de::DeserializeSeed::deserialize(seed, &mut document);
                if let Err(error) = read {
                    sink.trouble(&file.path, told(error.to_string()));
                }
            }
        }
        sink.advance(file.bytes)
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
