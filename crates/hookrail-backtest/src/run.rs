//! From transcripts to a report.

use crate::judge::{CallDecision, Candidate, Judge, Judged};
use crate::report::{BacktestReport, Collector, ProblemKind, Then};
use crate::transcripts::{
    CallEnd, Homes, Listed, PastCall, READERS, Search, SessionFile, Sink, Step, TranscriptProblem, TranscriptReader,
};
use hookrail_dialects::Dialect;
use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What is asked for.
#[derive(Clone, Debug)]
pub struct Request {
    /// Where transcripts are.
    pub homes: Homes,
    /// These agents only; all if there are none.
    pub agents: Vec<String>,
    /// Calls since then only, in milliseconds since 1970.
    pub since: Option<i64>,
    /// Calls of the project in this folder only.
    pub project: Option<PathBuf>,
    /// The configuration that is tried.
    pub candidate: Candidate,
    /// Another one, to compare.
    pub other: Option<Candidate>,
    /// The rule whose calls are listed.
    pub rule: Option<String>,
    /// Called if a hook does not come back; must end the process.
    pub stuck: fn(),
}

/// Follows a backtest.
pub trait Watcher {
    /// So many bytes in so many files are to be read.
    fn total(&mut self, bytes: u64, files: u64);
    /// So many more were read; the answer may end the backtest with what was found.
    fn advance(&mut self, bytes: u64) -> ControlFlow<()>;
}

/// Reads transcripts and says what a configuration would have done. Never fails: what cannot be read is in the report.
pub fn run(request: &Request, watcher: &mut dyn Watcher, now_millis: i64) -> BacktestReport {
    let readers: Vec<&'static TranscriptReader> = READERS.iter().filter(|reader| is_wanted(request, reader)).collect();
    let (bytes, files) = count(request, &readers, watcher);
    watcher.total(bytes, files);
    let mut run = Run::new(request, watcher);
    let progress = readers.iter().try_for_each(|reader| run.read_agent(reader));
    run.finish(now_millis, progress.is_continue(), true)
}

/// Something of a session that was recorded elsewhere than in a transcript.
#[derive(Clone, Debug)]
pub enum RecordedStep {
    /// A person said something in this session.
    Prompt {
        /// The session.
        session: String,
    },
    /// An agent made a call.
    Call(Box<RecordedCall>),
    /// Something that does not count; the watcher hears of it.
    Other,
}

/// A call that was recorded elsewhere than in a transcript.
#[derive(Clone, Debug)]
pub struct RecordedCall {
    /// The agent.
    pub agent: &'static str,
    /// The call; its id is no other call's.
    pub call: PastCall,
    /// The project in which it was made, which need not be on this machine.
    pub project: PathBuf,
    /// How it ended.
    pub end: CallEnd,
}

/// The same for steps that are recorded elsewhere, session by session in their order. None is kept, so that there may be many.
pub fn run_recorded(
    request: &Request,
    steps: impl Iterator<Item = RecordedStep>,
    watcher: &mut dyn Watcher,
    now_millis: i64,
) -> BacktestReport {
    let mut run = Run::new(request, watcher);
    run.collector = run.collector.of_journal();
    let mut complete = true;
    for step in steps {
        run.take_recorded(step);
        if run.watcher.advance(1).is_break() {
            complete = false;
            break;
        }
    }
    run.finish(now_millis, complete, false)
}

/// How many bytes in how many files are to be read.
fn count(request: &Request, readers: &[&TranscriptReader], watcher: &mut dyn Watcher) -> (u64, u64) {
    let (mut bytes, mut files) = (0, 0);
    let search = Search { since: request.since, joined: false };
    let _ = readers.iter().try_for_each(|reader| {
        reader.find(&request.homes, search, &mut |listed| {
            if let Listed::Session(found) = listed {
                files += found.len() as u64;
                bytes += found.iter().map(|file| file.bytes).sum::<u64>();
            }
            watcher.advance(0)
        })
    });
    (bytes, files)
}

fn is_wanted(request: &Request, reader: &TranscriptReader) -> bool {
    request.agents.is_empty() || request.agents.iter().any(|agent| agent == reader.agent)
}

/// A call that has not ended yet.
struct Pending {
    call: PastCall,
    /// What is to be counted; `None` for a call that only teaches.
    counted: Option<(PathBuf, Arc<Judged>, Option<Arc<Judged>>)>,
}

struct Run<'a> {
    request: &'a Request,
    watcher: &'a mut dyn Watcher,
    judge: Judge,
    other: Option<Judge>,
    collector: Collector,
    agent: &'static str,
    dialect: Option<&'static dyn Dialect>,
    /// Calls that were counted, and in which session they stood, by a number of eight bytes each.
    seen: HashSet<u64>,
    pending: HashMap<String, Pending>,
    /// Sessions in which a person said something since the last call.
    new_turn: HashSet<String>,
}

impl<'a> Run<'a> {
    fn new(request: &'a Request, watcher: &'a mut dyn Watcher) -> Self {
        let other = request.other.as_ref().map(|other| other.name.as_str());
        Self {
            request,
            watcher,
            judge: Judge::new(request.candidate.clone(), request.stuck),
            other: request.other.clone().map(|other| Judge::new(other, request.stuck)),
            collector: Collector::new(&request.candidate.name, request.rule.as_deref(), other),
            agent: "",
            dialect: None,
            seen: HashSet::new(),
            pending: HashMap::new(),
            new_turn: HashSet::new(),
        }
    }

    fn finish(self, now_millis: i64, complete: bool, from_transcripts: bool) -> BacktestReport {
        let title = |name: &str| {
            let title = hookrail_dialects::agent(name).map_or_else(|| name.to_owned(), |agent| agent.title.to_owned());
            let notes = |reader: &TranscriptReader| reader.agent == name && reader.notes_approvals;
            (title, from_transcripts && READERS.iter().any(notes))
        };
        self.collector.finish(now_millis, complete, &title)
    }

    fn take_recorded(&mut self, step: RecordedStep) {
        match step {
            RecordedStep::Prompt { session } => {
                self.new_turn.insert(session);
            }
            RecordedStep::Other => {}
            RecordedStep::Call(recorded) => {
                let RecordedCall { agent, call, project, end } = *recorded;
                (self.agent, self.dialect) = (agent, hookrail_dialects::dialect(agent));
                self.seen.clear();
                let id = call.id.clone();
                self.begin_call_in(call, Some(project));
                self.end_call(&id, end);
            }
        }
    }

    fn read_agent(&mut self, reader: &TranscriptReader) -> ControlFlow<()> {
        (self.agent, self.dialect) = (reader.agent, hookrail_dialects::dialect(reader.agent));
        self.seen.clear();
        let (request, mut folder) = (self.request, PathBuf::new());
        let search = Search { since: request.since, joined: true };
        reader.find(&request.homes, search, &mut |listed| {
            let files = match listed {
                Listed::Session(files) => files,
                Listed::Unreadable(folder, why) => {
                    self.collector.add_trouble(reader.agent, &folder, &TranscriptProblem::Unreadable(why));
                    return ControlFlow::Continue(());
                }
            };
            // Claude Code and Gemini CLI resume and fork a session within its project's folder.
            let around = files.first().map(|file| self.scope_of(file)).unwrap_or_default();
            if around != folder {
                folder = around;
                self.seen.clear();
            }
            for file in &files {
                self.collector.add_file(reader.agent, file.bytes);
            }
            let progress = reader.read(&files, self);
            self.end_session();
            progress
        })
    }

    /// The folder within which the same call may stand twice.
    fn scope_of(&self, file: &SessionFile) -> PathBuf {
        if !matches!(self.agent, "claude" | "gemini") {
            return PathBuf::new();
        }
        let below = ["projects", "tmp"];
        let is_root = |folder: &Path| folder.file_name().is_some_and(|name| below.iter().any(|root| name == *root));
        let parents = file.path.ancestors().skip(1);
        parents.take_while(|folder| !is_root(folder)).last().map(Path::to_owned).unwrap_or_default()
    }

    fn begin_call(&mut self, call: PastCall) {
        self.begin_call_in(call, None);
    }

    /// Without a project it is that of the call's folder on this machine.
    fn begin_call_in(&mut self, call: PastCall, project: Option<PathBuf>) {
        let Some(dialect) = self.dialect else { return };
        let identity = identity(&call);
        let is_new = self.seen.insert(identity);
        let is_new_here = self.seen.insert(hash((identity, &call.session)));
        // An agent may write a call again when it ends.
        let is_open = self.pending.contains_key(&call.id);
        if !is_new && !is_open {
            self.collector.add_repeated();
        }
        // A session that is resumed may repeat its own beginning: it has happened once.
        if !is_new_here {
            return;
        }
        if self.new_turn.remove(&call.session) {
            self.judge.prompt(dialect, &call);
            if let Some(other) = &mut self.other {
                other.prompt(dialect, &call);
            }
        }
        let project = project.unwrap_or_else(|| self.judge.project_of(&call.cwd));
        let counts = is_new && self.is_asked_for(&call, &project);
        if !counts {
            if !is_open && self.judge.learns(dialect, &call) {
                self.pending.insert(call.id.clone(), Pending { call, counted: None });
            }
            return;
        }
        let judged = match self.judge.judge(dialect, &call) {
            Ok(judged) => judged,
            Err(error) => {
                self.collector.add_problem(self.agent, ProblemKind::UnknownConfiguration, error.to_string());
                return;
            }
        };
        let otherwise = self.other.as_mut().and_then(|other| other.judge(dialect, &call).ok());
        self.collector.add_call_of_session(self.agent, &call);
        let pending = Pending { call, counted: Some((project, judged, otherwise)) };
        if let Some(unfinished) = self.pending.insert(pending.call.id.clone(), pending) {
            self.count(&unfinished, Then::UNKNOWN);
        }
    }

    fn is_asked_for(&self, call: &PastCall, project: &Path) -> bool {
        let recent = self.request.since.is_none_or(|since| call.millis >= since);
        let inside = |wanted: &PathBuf| project.starts_with(wanted) || call.cwd.starts_with(wanted);
        recent && self.request.project.as_ref().is_none_or(inside)
    }

    fn end_call(&mut self, id: &str, end: CallEnd) {
        let Some(pending) = self.pending.remove(id) else { return };
        if let Some(dialect) = self.dialect {
            // What this configuration refuses has not happened, so that nothing is learned from it.
            let ran = |judged: Option<&Judged>| judged.is_none_or(|judged| judged.answer != CallDecision::Deny);
            let counted = pending.counted.as_ref();
            if ran(counted.map(|(_, judged, _)| &**judged)) {
                self.judge.learn(dialect, &pending.call, end.outcome);
            }
            if let Some(other) = &mut self.other
                && ran(counted.and_then(|(.., otherwise)| otherwise.as_deref()))
            {
                other.learn(dialect, &pending.call, end.outcome);
            }
        }
        self.count(&pending, Then { end });
    }

    fn count(&mut self, pending: &Pending, then: Then) {
        if let Some((project, judged, otherwise)) = &pending.counted {
            self.collector.add(self.agent, &pending.call, project, judged, then, otherwise.as_deref());
        }
    }

    /// A call and its end stand in the files of the same session.
    fn end_session(&mut self) {
        let unfinished: Vec<Pending> = self.pending.drain().map(|(_, pending)| pending).collect();
        for pending in unfinished {
            self.count(&pending, Then::UNKNOWN);
        }
        self.new_turn.clear();
    }
}

impl Sink for Run<'_> {
    fn step(&mut self, step: Step) {
        match step {
            Step::Prompt { session, .. } => {
                self.new_turn.insert(session);
            }
            Step::Call(call) => self.begin_call(*call),
            Step::End { call, end, .. } => self.end_call(&call, end),
        }
    }

    fn trouble(&mut self, file: &Path, trouble: TranscriptProblem) {
        self.collector.add_trouble(self.agent, file, &trouble);
    }

    fn advance(&mut self, bytes: u64) -> ControlFlow<()> {
        self.watcher.advance(bytes)
    }
}

/// What tells a call from every other: its id together with what it is, because some agents count their calls from 1 in
/// every session.
fn identity(call: &PastCall) -> u64 {
    let mut hasher = DefaultHasher::new();
    call.id.hash(&mut hasher);
    call.hash_request(&mut hasher);
    hasher.finish()
}

fn hash(what: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    what.hash(&mut hasher);
    hasher.finish()
}

/// A call that was looked for.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundCall {
    /// The agent.
    pub agent: &'static str,
    /// The call.
    pub call: PastCall,
    /// How it ended, if it did.
    pub end: Option<CallEnd>,
}

/// The call of this id, as a report names it. An id that is not complete must mean one call only, and so must one that an agent
/// gave twice; `SESSION/ID` tells them apart.
pub fn find_call(homes: &Homes, id: &str) -> Result<FoundCall, String> {
    let (session, id) = id.rsplit_once('/').map_or((None, id), |(session, id)| (Some(session), id));
    let mut search = CallSearch { id, session, agent: "", found: Vec::new() };
    for reader in READERS {
        search.agent = reader.agent;
        let _ = reader.find(homes, Search::default(), &mut |listed| match listed {
            Listed::Session(files) => reader.read(&files, &mut search),
            Listed::Unreadable(..) => ControlFlow::Continue(()),
        });
    }
    let exact: Vec<usize> = (0..search.found.len()).filter(|index| is_exact(&search.found, *index, id)).collect();
    match (exact.as_slice(), search.found.len()) {
        ([index], _) => Ok(search.found.swap_remove(*index)),
        ([], 1) => Ok(search.found.swap_remove(0)),
        ([], 0) => {
            Err(format!("no transcript has a call `{id}`\nhint: `hookrail backtest` names the calls worth a look"))
        }
        ([], many) => Err(format!("{many} calls begin with `{id}`\nhint: give more of its name")),
        (many, _) => {
            let found = many.iter().filter_map(|index| search.found.get(*index));
            let names: Vec<String> = found.map(|found| format!("`{}/{id}`", found.call.session)).collect();
            Err(format!("{} calls are called `{id}`\nhint: give its session too: {}", many.len(), names.join(" or ")))
        }
    }
}

fn is_exact(found: &[FoundCall], index: usize, id: &str) -> bool {
    found.get(index).is_some_and(|found| found.call.id == id)
}

struct CallSearch<'a> {
    id: &'a str,
    session: Option<&'a str>,
    agent: &'static str,
    found: Vec<FoundCall>,
}

impl CallSearch<'_> {
    fn wants(&self, call: &PastCall) -> bool {
        let in_session = self.session.is_none_or(|session| call.session.starts_with(session));
        in_session && call.id.starts_with(self.id) && self.found.len() < 64
    }
}

impl Sink for CallSearch<'_> {
    fn step(&mut self, step: Step) {
        match step {
            Step::Call(call) if self.wants(&call) => {
                let known = self.found.iter().any(|found| found.call.id == call.id && found.call.input == call.input);
                if !known {
                    self.found.push(FoundCall { agent: self.agent, call: *call, end: None });
                }
            }
            Step::End { call, end, .. } => {
                let open = self.found.iter_mut().find(|found| found.call.id == call && found.end.is_none());
                if let Some(found) = open {
                    found.end = Some(end);
                }
            }
            Step::Call(_) | Step::Prompt { .. } => {}
        }
    }

    fn trouble(&mut self, _: &Path, _: TranscriptProblem) {}

    fn advance(&mut self, _: u64) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}
