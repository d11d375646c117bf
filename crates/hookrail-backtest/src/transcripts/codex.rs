//! Codex: `~/.codex/sessions/YEAR/MONTH/DAY/rollout-TIME-THREAD.jsonl`, and `archived_sessions`.
//!
//! The first line says whose session it is, `turn_context` in which folder and under which approval policy it goes on. A
//! `function_call`, `custom_tool_call` or `local_shell_call` is a call, the output of the same `call_id` its end. A fork begins with
//! a copy of what it was forked from. What a person decided is not noted, but follows: a call that wants to leave the sandbox is asked
//! about under every policy but `never`, and runs only if a person approves it.

use super::families::Families;
use super::folders::{self, OnListed, files, names};
use super::lines::{Line, LineReader, Lines, has_any};
use super::outcome::{of_status, status_behind};
use super::{
    CallEnd, Homes, Outcome, PastCall, PastDecision, Search, SessionFile, Sink, Source, Step, check_version, millis,
};
use memchr::memmem::Finder;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// The newest version whose transcripts were tested.
const TESTED: (u64, u64) = (0, 166);

pub(super) fn find(homes: &Homes, search: Search, found: OnListed<'_>) -> ControlFlow<()> {
    let Some(home) = &homes.codex else { return ControlFlow::Continue(()) };
    let families = if search.joined { families_of(home, search) } else { Families::default() };
    each_file(home, found, &mut |file, found| {
        if families.is_child(thread_of(&file.path)) {
            return ControlFlow::Continue(());
        }
        let subagents = families.below(thread_of(&file.path));
        let subagents = subagents.iter().filter_map(|path| SessionFile::at(path, None)).map(SessionFile::dated);
        search.give(std::iter::once(file).chain(subagents).collect(), found)
    })
}

/// Gives every file, the oldest day first.
fn each_file(
    home: &Path,
    found: OnListed<'_>,
    give: &mut dyn FnMut(SessionFile, OnListed<'_>) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let sessions = home.join("sessions");
    for year in names(&sessions, found) {
        for month in names(&sessions.join(&year), found) {
            for day in names(&sessions.join(&year).join(&month), found) {
                each_in(&sessions.join(&year).join(&month).join(day), found, give)?;
            }
        }
    }
    each_in(&home.join("archived_sessions"), found, give)
}

fn each_in(
    folder: &Path,
    found: OnListed<'_>,
    give: &mut dyn FnMut(SessionFile, OnListed<'_>) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let names = names(folder, found);
    files(folder, &names, ".jsonl", None).try_for_each(|file| give(file, found))
}

/// Which files are of sub-agents: they stand among the others, in the folder of the day on which they began, and name the session
/// that started them in their first line.
fn families_of(home: &Path, search: Search) -> Families {
    let mut families = Families::default();
    // What cannot be read is told when the files are given.
    let _ = each_file(home, &mut |_| ControlFlow::Continue(()), &mut |file, _| {
        let parent = if search.wants(&file) { parent_in(&file.path) } else { None };
        families.note(&file.path, thread_of(&file.path), parent.as_deref());
        ControlFlow::Continue(())
    });
    families
}

/// A first line carries the model's instructions, and is not longer.
const FIRST_LINE: usize = 256 * 1024;

/// The thread whose file it is: the end of its name.
fn thread_of(path: &Path) -> &str {
    let name = path.file_stem().and_then(|name| name.to_str()).unwrap_or_default();
    name.len().checked_sub(THREAD).and_then(|start| name.get(start..)).unwrap_or(name)
}

/// The length of a thread's id.
const THREAD: usize = 36;

/// The session that started the one of a file, if one did.
fn parent_in(path: &Path) -> Option<String> {
    // A look at the first bytes is enough for most: the id stands before the instructions.
    let short = folders::head(path, 2048);
    let is_whole = short.contains(&b'\n') || short.len() < 2048;
    let may_be = memchr::memmem::find(&short, b"\"parent_thread_id\"").is_some();
    if !may_be && (is_whole || memchr::memmem::find(&short, b"\"base_instructions\"").is_some()) {
        return None;
    }
    let head = folders::head(path, FIRST_LINE);
    let entry: Entry<'_> = serde_json::from_slice(head.split(|byte| *byte == b'\n').next()?).ok()?;
    let meta: Meta<'_> = serde_json::from_str(entry.payload?.get()).ok()?;
    let parent = meta.parent_thread_id?;
    Some(meta.session_id.unwrap_or(parent).into_owned())
}

#[derive(Deserialize)]
struct Entry<'a> {
    #[serde(borrow, default)]
    timestamp: Cow<'a, str>,
    #[serde(borrow, rename = "type")]
    kind: Cow<'a, str>,
    #[serde(borrow)]
    payload: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Meta<'a> {
    #[serde(borrow, default)]
    id: Cow<'a, str>,
    /// The session that started this one, or this one.
    #[serde(borrow)]
    session_id: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    cwd: Cow<'a, str>,
    #[serde(borrow, default)]
    cli_version: Cow<'a, str>,
    #[serde(borrow)]
    parent_thread_id: Option<Cow<'a, str>>,
    #[serde(borrow)]
    agent_role: Option<Cow<'a, str>>,
    git: Option<Git>,
}

#[derive(Deserialize)]
struct Git {
    branch: Option<String>,
}

#[derive(Deserialize)]
struct Turn<'a> {
    #[serde(borrow)]
    cwd: Option<Cow<'a, str>>,
    /// A word, or an object in which each kind of question has its own.
    #[serde(borrow)]
    approval_policy: Option<&'a RawValue>,
    /// Who is asked: a person, or a model.
    #[serde(borrow)]
    approvals_reviewer: Option<Cow<'a, str>>,
}

#[derive(Deserialize)]
struct Item<'a> {
    #[serde(borrow, rename = "type", default)]
    kind: Cow<'a, str>,
    #[serde(borrow, default)]
    call_id: Cow<'a, str>,
    #[serde(borrow, default)]
    name: Cow<'a, str>,
    #[serde(borrow)]
    namespace: Option<Cow<'a, str>>,
    /// A JSON text.
    #[serde(borrow)]
    arguments: Option<Cow<'a, str>>,
    #[serde(borrow)]
    input: Option<Cow<'a, str>>,
    #[serde(borrow)]
    action: Option<&'a RawValue>,
    #[serde(borrow)]
    output: Option<&'a RawValue>,
}

/// What is known of the file that is being read.
struct Progress<'f> {
    file: &'f SessionFile,
    marks: [Finder<'static>; 4],
    session: String,
    subagent: Option<String>,
    cwd: PathBuf,
    branch: Option<String>,
    mode: Option<String>,
    /// A person is asked about calls that want to leave the sandbox.
    asks_person: bool,
    /// Calls that a person was asked about, and that have not ended.
    asked: HashSet<String>,
}

pub(super) fn open(file: &SessionFile) -> Box<dyn Source + '_> {
    let marks: [&'static [u8]; 4] = [b"_call", b"session_meta", b"turn_context", br#""user_message""#];
    let progress = Progress {
        file,
        marks: marks.map(Finder::new),
        session: String::new(),
        subagent: None,
        cwd: PathBuf::new(),
        branch: None,
        mode: None,
        asks_person: false,
        asked: HashSet::new(),
    };
    Box::new(Lines::new(file, progress))
}

impl LineReader for Progress<'_> {
    fn take(&mut self, line: Line<'_>, sink: &mut dyn Sink) {
        let [calls, meta, context, prompts] = &self.marks;
        if !has_any(line.bytes, &[calls, meta, context, prompts]) {
            return;
        }
        let Some(entry) = line.parse::<Entry<'_>>(&self.file.path, sink) else { return };
        let Some(payload) = entry.payload.map(RawValue::get) else { return };
        let time = &entry.timestamp;
        let read = match &*entry.kind {
            "session_meta" => serde_json::from_str(payload).map(|meta| self.begin(&meta, sink)),
            "turn_context" => serde_json::from_str(payload).map(|turn| self.turn(&turn)),
            "response_item" => serde_json::from_str(payload).map(|item| self.item(&item, time, sink)),
            "event_msg" => serde_json::from_str(payload).map(|item: Item<'_>| self.prompt(&item, time, sink)),
            _ => Ok(()),
        };
        line.told(read, &self.file.path, sink);
    }
}

impl Progress<'_> {
    /// A fork repeats the first line of what it was forked from; the first one counts.
    fn begin(&mut self, meta: &Meta<'_>, sink: &mut dyn Sink) {
        if !self.session.is_empty() {
            return;
        }
        check_version(&self.file.path, &meta.cli_version, TESTED, sink);
        let root = meta.session_id.as_ref().or(meta.parent_thread_id.as_ref()).unwrap_or(&meta.id);
        self.session = root.clone().into_owned();
        if meta.parent_thread_id.is_some() {
            self.subagent = Some(meta.agent_role.clone().map(Cow::into_owned).unwrap_or_default());
        }
        self.cwd = PathBuf::from(&*meta.cwd);
        self.branch = meta.git.as_ref().and_then(|git| git.branch.clone());
    }

    fn turn(&mut self, turn: &Turn<'_>) {
        if let Some(cwd) = &turn.cwd {
            self.cwd = PathBuf::from(&**cwd);
        }
        self.mode = turn.approval_policy.and_then(|policy| serde_json::from_str(policy.get()).ok());
        let by_person = turn.approvals_reviewer.as_deref().is_none_or(|reviewer| reviewer == "user");
        self.asks_person = by_person && self.mode.as_deref().is_some_and(|mode| mode != "never");
    }

    fn prompt(&self, item: &Item<'_>, time: &str, sink: &mut dyn Sink) {
        if item.kind == "user_message" && self.subagent.is_none() {
            sink.step(Step::Prompt { session: self.session.clone(), millis: millis(time) });
        }
    }

    fn item(&mut self, item: &Item<'_>, time: &str, sink: &mut dyn Sink) {
        match &*item.kind {
            "function_call" | "custom_tool_call" | "local_shell_call" => {
                if let Some((tool, input, cwd)) = self.called(item) {
                    if self.asks_person && wants_out(item) {
                        self.asked.insert(item.call_id.clone().into_owned());
                    }
                    sink.step(Step::Call(Box::new(PastCall {
                        session: self.session.clone(),
                        id: item.call_id.clone().into_owned(),
                        tool,
                        input,
                        cwd,
                        branch: self.branch.clone(),
                        mode: self.mode.clone(),
                        subagent: self.subagent.clone(),
                        millis: millis(time),
                    })));
                }
            }
            "function_call_output" | "custom_tool_call_output" => {
                let was_asked = self.asked.remove(&*item.call_id);
                let end = end_of(item.output.map(RawValue::get).unwrap_or_default(), was_asked);
                let call = item.call_id.clone().into_owned();
                sink.step(Step::End { session: self.session.clone(), call, millis: millis(time), end });
            }
            _ => {}
        }
    }

    /// The call as hooks are given it: every way to run a command is `Bash` there, and a patch is a `command`.
    fn called(&self, item: &Item<'_>) -> Option<(String, Map<String, Value>, PathBuf)> {
        let given = match (&item.arguments, &item.input, item.action) {
            (Some(text), ..) => serde_json::from_str(text).ok()?,
            (_, Some(text), _) => json!({ "input": text }),
            (.., Some(action)) => serde_json::from_str(action.get()).ok()?,
            _ => return None,
        };
        let Value::Object(mut given) = given else { return None };
        let folder = ["workdir", "working_directory"].iter().find_map(|key| given.get(*key).and_then(Value::as_str));
        let cwd = folder.map_or_else(|| self.cwd.clone(), |folder| self.cwd.join(folder));
        match &*item.name {
            "exec_command" | "shell" | "shell_command" | "container.exec" => Some(bash(&given, cwd)?),
            "" if item.kind == "local_shell_call" => Some(bash(&given, cwd)?),
            "apply_patch" => {
                let patch = given.remove("input").or_else(|| given.remove("patch"))?;
                Some(("apply_patch".to_owned(), Map::from_iter([("command".to_owned(), patch)]), cwd))
            }
            // Keys for a program that runs: what it was started with was a call of its own.
            "write_stdin" => None,
            name => {
                let server = item.namespace.as_deref().filter(|group| group.starts_with("mcp__"));
                let tool = server.map_or_else(|| name.to_owned(), |server| format!("{server}__{name}"));
                Some((tool, given, cwd))
            }
        }
    }
}

/// A command is a text, or a list of words.
fn bash(given: &Map<String, Value>, cwd: PathBuf) -> Option<(String, Map<String, Value>, PathBuf)> {
    let command = match given.get("cmd").or_else(|| given.get("command"))? {
        Value::String(text) => text.clone(),
        Value::Array(words) => {
            let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
            match words.as_slice() {
                [shell, "-c" | "-lc", text] if shell.ends_with("sh") => (*text).to_owned(),
                words => words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" "),
            }
        }
        _ => return None,
    };
    Some(("Bash".to_owned(), Map::from_iter([("command".to_owned(), Value::String(command))]), cwd))
}

/// A text as one word of a shell.
fn quoted(word: &str) -> Cow<'_, str> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+@%:=,".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return Cow::Borrowed(word);
    }
    Cow::Owned(format!("'{}'", word.replace('\'', r"'\''")))
}

const STATUS: [&str; 4] = ["Process exited with code ", "Exit code: ", "exited with code ", r#""exit_code":"#];

/// Whether a call wants to leave the sandbox.
fn wants_out(item: &Item<'_>) -> bool {
    let given = item.arguments.as_deref().unwrap_or_default();
    given.contains("require_escalated") || given.contains("\"with_escalated_permissions\":true")
}

fn end_of(output: &str, was_asked: bool) -> CallEnd {
    let has = |words: &[&str]| words.iter().any(|words| output.contains(words));
    let not_run = |decision| CallEnd { outcome: Outcome::NotRun, decision };
    if has(&["rejected by user", "rejected by the user", "denied by user"]) {
        return not_run(PastDecision::Refused);
    }
    if has(&["rejected by hook", "blocked by policy", "Command blocked by"]) {
        return not_run(PastDecision::Blocked);
    }
    if has(&["aborted by user"]) {
        return not_run(if was_asked { PastDecision::Refused } else { PastDecision::Unknown });
    }
    // The text is JSON inside of JSON where an older version wrote it.
    let plain = output.replace("\\\"", "\"");
    let outcome = status_behind(&plain, &STATUS).map_or(Outcome::Unknown, of_status);
    CallEnd { outcome, decision: if was_asked { PastDecision::Approved } else { PastDecision::Unknown } }
}
