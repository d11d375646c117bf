//! Claude Code: `~/.claude/projects/PROJECT/SESSION.jsonl`, those of sub-agents in `SESSION/subagents/`.
//!
//! A line is a message with its time, folder and branch. A `tool_use` is a call, a `tool_result` its end; beside it stands
//! what was decided (`permissionDecision`, `toolDenialKind`). A session that was forked, or resumed by an older version, is a copy
//! of the first one with more behind it.

use super::folders::{self, OnListed, files, names};
use super::lines::{Line, LineReader, Lines, has_any};
use super::{
    CallEnd, Homes, Outcome, PastCall, PastDecision, Search, SessionFile, Sink, Source, Step, check_version, millis,
};
use memchr::memmem::Finder;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// The newest version whose transcripts were tested.
const TESTED: (u64, u64) = (2, 1);

pub(super) fn find(homes: &Homes, search: Search, found: OnListed<'_>) -> ControlFlow<()> {
    let Some(projects) = homes.claude.as_ref().map(|home| home.join("projects")) else {
        return ControlFlow::Continue(());
    };
    for project in names(&projects, found) {
        find_in(&projects.join(project), search, found)?;
    }
    ControlFlow::Continue(())
}

/// The sessions of one project.
fn find_in(folder: &Path, search: Search, found: OnListed<'_>) -> ControlFlow<()> {
    let names = names(folder, found);
    let mut older = if search.joined { subagents_beside(folder, &names) } else { HashMap::new() };
    for name in &names {
        // A folder has the name of the session whose sub-agents are in it.
        let session = match name.strip_suffix(".jsonl") {
            Some(session) => session,
            None if names.binary_search(&format!("{name}.jsonl")).is_ok() => continue,
            None => name,
        };
        let is_given = search.joined && name.starts_with(SUBAGENT) && session != name;
        let own = SessionFile::at(&folder.join(name), None).filter(|_| session != name && !is_given);
        let below = folder.join(session).join("subagents");
        let subagents = folders::names(&below, found);
        let subagents = files(&below, &subagents, ".jsonl", Some(session)).map(SessionFile::dated);
        let older = older.remove(session).unwrap_or_default();
        search.give(own.into_iter().chain(subagents).chain(older).collect(), found)?;
    }
    // Those of sessions that are gone.
    older.into_values().try_for_each(|files| search.give(files, found))
}

/// How the name of a sub-agent's file begins.
const SUBAGENT: &str = "agent-";

/// Older versions wrote the files of sub-agents beside those of sessions; whose they are stands in them.
fn subagents_beside(folder: &Path, names: &[String]) -> HashMap<String, Vec<SessionFile>> {
    let first = names.partition_point(|name| name.as_str() < SUBAGENT);
    let mut subagents: HashMap<String, Vec<SessionFile>> = HashMap::new();
    let own = names.iter().skip(first).take_while(|name| name.starts_with(SUBAGENT));
    for name in own.filter(|name| name.ends_with(".jsonl")) {
        let Some(file) = SessionFile::at(&folder.join(name), None) else { continue };
        let session = session_in(&file.path).unwrap_or_default();
        subagents.entry(session).or_default().push(file.dated());
    }
    subagents
}

/// The session that the first line of a file names.
fn session_in(path: &Path) -> Option<String> {
    let head = folders::head(path, 64 * 1024);
    let line = head.split(|byte| *byte == b'\n').next()?;
    let entry: Entry<'_> = serde_json::from_slice(line).ok()?;
    Some(entry.session_id.into_owned())
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Entry<'a> {
    #[serde(borrow, rename = "type")]
    kind: Cow<'a, str>,
    #[serde(borrow)]
    message: Option<Message<'a>>,
    #[serde(borrow, default)]
    timestamp: Cow<'a, str>,
    #[serde(borrow, default)]
    cwd: Cow<'a, str>,
    #[serde(borrow, default)]
    session_id: Cow<'a, str>,
    #[serde(borrow, default)]
    version: Cow<'a, str>,
    #[serde(borrow)]
    git_branch: Option<Cow<'a, str>>,
    #[serde(borrow)]
    permission_mode: Option<Cow<'a, str>>,
    #[serde(default)]
    is_sidechain: bool,
    #[serde(default)]
    is_meta: bool,
    /// Who wrote a prompt; only what a person typed begins a turn.
    #[serde(borrow)]
    prompt_source: Option<Cow<'a, str>>,
    #[serde(borrow)]
    attribution_agent: Option<Cow<'a, str>>,
    #[serde(borrow)]
    permission_decision: Option<Decision<'a>>,
    #[serde(borrow)]
    tool_denial_kind: Option<Cow<'a, str>>,
}

#[derive(Deserialize)]
struct Message<'a> {
    /// A text, or a list of blocks.
    #[serde(borrow)]
    content: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Decision<'a> {
    #[serde(borrow, default)]
    decision: Cow<'a, str>,
    #[serde(borrow, default)]
    source: Cow<'a, str>,
}

#[derive(Deserialize)]
struct Block<'a> {
    #[serde(borrow, rename = "type", default)]
    kind: Cow<'a, str>,
    #[serde(borrow, default)]
    id: Cow<'a, str>,
    #[serde(borrow, default)]
    name: Cow<'a, str>,
    #[serde(borrow)]
    input: Option<&'a RawValue>,
    #[serde(borrow, default)]
    tool_use_id: Cow<'a, str>,
    #[serde(default)]
    is_error: Option<bool>,
    #[serde(borrow)]
    content: Option<&'a RawValue>,
}

/// What is known of the file that is being read.
struct Progress<'f> {
    file: &'f SessionFile,
    calls: Finder<'static>,
    results: Finder<'static>,
    people: Finder<'static>,
    mode: Option<String>,
    /// The name of the sub-agent whose file it is.
    subagent: Option<String>,
    version: String,
}

pub(super) fn open(file: &SessionFile) -> Box<dyn Source + '_> {
    let progress = Progress {
        file,
        calls: Finder::new(br#""tool_use""#),
        results: Finder::new(br#""tool_result""#),
        people: Finder::new(br#""type":"user""#),
        mode: None,
        subagent: file.parent.is_some().then(|| agent_type(file)),
        version: String::new(),
    };
    Box::new(Lines::new(file, progress))
}

/// What kind of sub-agent a file is of: it stands in a small file beside it.
fn agent_type(file: &SessionFile) -> String {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Meta {
        agent_type: String,
    }
    let meta = file.path.with_extension("meta.json");
    let small = std::fs::metadata(&meta).is_ok_and(|found| found.len() < 64 * 1024);
    let text = if small { std::fs::read(&meta).unwrap_or_default() } else { Vec::new() };
    serde_json::from_slice::<Meta>(&text).map(|meta| meta.agent_type).unwrap_or_default()
}

impl LineReader for Progress<'_> {
    fn take(&mut self, line: Line<'_>, sink: &mut dyn Sink) {
        // Copies of what is sent to the model repeat the whole conversation.
        if line.bytes.starts_with(br#"{"type":"api-request"#) {
            return;
        }
        if !has_any(line.bytes, &[&self.calls, &self.results, &self.people]) {
            return;
        }
        if let Some(entry) = line.parse(&self.file.path, sink) {
            self.take_entry(&entry, sink);
        }
    }
}

impl Progress<'_> {
    fn take_entry(&mut self, entry: &Entry<'_>, sink: &mut dyn Sink) {
        if !matches!(&*entry.kind, "user" | "assistant") {
            return;
        }
        if self.version.is_empty() && !entry.version.is_empty() {
            self.version = entry.version.clone().into_owned();
            check_version(&self.file.path, &self.version, TESTED, sink);
        }
        if let Some(mode) = &entry.permission_mode {
            self.mode = Some(mode.clone().into_owned());
        }
        let Some(content) = entry.message.as_ref().and_then(|message| message.content) else { return };
        let session = self.session(entry);
        if !content.get().starts_with('[') {
            let by_system = entry.prompt_source.as_deref() == Some("system");
            if entry.kind == "user" && !entry.is_meta && !by_system && !entry.is_sidechain && self.file.parent.is_none()
            {
                sink.step(Step::Prompt { session, millis: millis(&entry.timestamp) });
            }
            return;
        }
        // Blocks of other shapes are no calls.
        let Ok(blocks) = serde_json::from_str::<Vec<Block<'_>>>(content.get()) else { return };
        for block in &blocks {
            match &*block.kind {
                "tool_use" => self.call(entry, block, &session, sink),
                "tool_result" => {
                    let (call, end) = (block.tool_use_id.clone().into_owned(), end_of(entry, block));
                    let millis = millis(&entry.timestamp);
                    sink.step(Step::End { session: session.clone(), call, millis, end });
                }
                _ => {}
            }
        }
    }

    /// Files of sub-agents say whose they are by their place, older ones by what is in them.
    fn session(&self, entry: &Entry<'_>) -> String {
        self.file.parent.clone().unwrap_or_else(|| entry.session_id.clone().into_owned())
    }

    fn call(&self, entry: &Entry<'_>, block: &Block<'_>, session: &str, sink: &mut dyn Sink) {
        let input = block.input.and_then(|input| serde_json::from_str::<Value>(input.get()).ok());
        let Some(Value::Object(input)) = input else { return };
        let subagent = entry.attribution_agent.clone().map(Cow::into_owned).or_else(|| self.subagent.clone());
        let call = PastCall {
            session: session.to_owned(),
            id: block.id.clone().into_owned(),
            tool: block.name.clone().into_owned(),
            input,
            cwd: PathBuf::from(&*entry.cwd),
            // Outside of a repository, and on no branch, this says `HEAD`.
            branch: entry.git_branch.clone().map(Cow::into_owned).filter(|name| !name.is_empty() && name != "HEAD"),
            mode: self.mode.clone(),
            subagent: subagent.or_else(|| entry.is_sidechain.then(String::new)),
            millis: millis(&entry.timestamp),
        };
        sink.step(Step::Call(Box::new(call)));
    }
}

/// How a result begins that stands for a refusal, where nothing else tells.
const REFUSED: &str = "The user doesn't want to proceed with this tool use";
const BLOCKED: [&str; 3] = ["Permission to use ", "Claude requested permissions to ", "PreToolUse:"];

fn end_of(entry: &Entry<'_>, block: &Block<'_>) -> CallEnd {
    let text = block.content.map(RawValue::get).unwrap_or_default();
    let text = text.trim_start_matches(['[', '{', '"']);
    let failed = block.is_error == Some(true);
    let decision = match (&entry.tool_denial_kind, &entry.permission_decision) {
        (Some(kind), _) if kind.starts_with("user") => PastDecision::Refused,
        (Some(_), _) => PastDecision::Blocked,
        (None, Some(decision)) => decided(decision),
        (None, None) if failed && text.contains(REFUSED) => PastDecision::Refused,
        (None, None) if failed && BLOCKED.iter().any(|words| text.starts_with(words)) => PastDecision::Blocked,
        (None, None) => PastDecision::Unknown,
    };
    let outcome = match decision {
        PastDecision::Refused | PastDecision::Blocked => Outcome::NotRun,
        _ if failed => Outcome::Failed,
        _ => Outcome::Ok,
    };
    CallEnd { outcome, decision }
}

fn decided(decision: &Decision<'_>) -> PastDecision {
    let by_person = decision.source.starts_with("user");
    match (&*decision.decision, by_person) {
        ("accept" | "allow", true) => PastDecision::Approved,
        ("accept" | "allow", false) => PastDecision::AutoApproved,
        ("reject" | "deny", true) => PastDecision::Refused,
        ("reject" | "deny", false) => PastDecision::Blocked,
        _ => PastDecision::Unknown,
    }
}
