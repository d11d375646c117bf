//! What stands around every hook of a session: development mode, trust, circuit breaker, journal.

use crate::account::RunAccount;
use crate::layers::Privacy;
use crate::runner::{Admission, Middleware};
use hookrail_core::redaction::{Limits, record_event, redact_text};
use hookrail_core::{Decision, Event, Failure, HookEntry, HookError, HookRun, RunStatus, ToolKind};
use hookrail_store::{JournalRecord, SessionId, SessionState, Store, StoreError};
use serde_json::Value;
use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// What the journal tells of an event beside what hooks did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EventKeeping {
    pub privacy: Privacy,
    /// The folder of the project.
    pub project: String,
    /// The packs or the hook that the command line named.
    pub asked: Vec<String>,
}

/// What one hook of its own says, by its id.
type OwnThreshold = Box<dyn Fn(&str) -> Option<u32> + Send + Sync>;

/// After how many failures in a row a hook rests.
struct Threshold {
    usual: u32,
    own: Option<OwnThreshold>,
}

impl Threshold {
    fn of(&self, hook: &str) -> u32 {
        self.own.as_ref().and_then(|own| own(hook)).unwrap_or(self.usual)
    }
}

impl fmt::Debug for Threshold {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Threshold").field("usual", &self.usual).finish_non_exhaustive()
    }
}

/// Middleware of one event in one session.
#[derive(Debug)]
pub struct SessionGuard {
    store: Arc<dyn Store>,
    session: SessionId,
    agent: &'static str,
    threshold: Threshold,
    now_millis: i64,
    /// Why no hook may run at the moment.
    pause: Option<String>,
    /// Hooks that may not run, by id, and why.
    barred: HashMap<String, String>,
    keeping: EventKeeping,
    state: OnceLock<SessionState>,
    records: Mutex<Vec<JournalRecord>>,
    problems: Mutex<Vec<String>>,
}

impl SessionGuard {
    #[must_use]
    pub fn new(store: Arc<dyn Store>, session: SessionId, agent: &'static str, now_millis: i64) -> Self {
        Self {
            store,
            session,
            agent,
            threshold: Threshold { usual: 3, own: None },
            now_millis,
            pause: None,
            barred: HashMap::new(),
            keeping: EventKeeping::default(),
            state: OnceLock::new(),
            records: Mutex::default(),
            problems: Mutex::default(),
        }
    }

    /// After how many failures in a row a hook rests.
    #[must_use]
    pub fn threshold(mut self, failures: u32) -> Self {
        self.threshold.usual = failures;
        self
    }

    /// Hooks for which this names another number, by id. Asked when one has failed.
    #[must_use]
    pub fn own_thresholds(mut self, own: impl Fn(&str) -> Option<u32> + Send + Sync + 'static) -> Self {
        self.threshold.own = Some(Box::new(own));
        self
    }

    /// Nothing runs, for this reason.
    #[must_use]
    pub fn pause(mut self, why: Option<String>) -> Self {
        self.pause = why;
        self
    }

    /// This hook does not run, for this reason, which its user is told once a session.
    #[must_use]
    pub fn bar(mut self, hooks: HashMap<String, String>) -> Self {
        self.barred = hooks;
        self
    }

    /// What the journal tells of the event.
    #[must_use]
    pub fn keep(mut self, keeping: EventKeeping) -> Self {
        self.keeping = keeping;
        self
    }

    /// Writes what happened to the journal. What could not be written, or was in the way before, is returned as text for
    /// stderr; it never changes a decision.
    #[must_use]
    pub fn finish(&self) -> Vec<String> {
        let records = std::mem::take(&mut *locked(&self.records));
        let mut problems = std::mem::take(&mut *locked(&self.problems));
        match self.store.append_all(&records) {
            Ok(appended) => problems.extend(appended.recovered.iter().map(ToString::to_string)),
            Err(error) => problems.push(format!("the journal could not be written: {error}")),
        }
        problems
    }

    /// Adds a record that belongs to no hook run.
    pub fn note(&self, record: JournalRecord) {
        locked(&self.records).push(record);
    }

    /// True the first time a session asks for this key.
    pub fn once(&self, key: &str) -> bool {
        if self.state().once.contains(key) {
            return false;
        }
        let mut first = false;
        let update = self.store.update(&self.session, &mut |state| first = state.once.insert(key.to_owned()));
        self.check(update.map(|_| ()));
        first
    }

    fn state(&self) -> &SessionState {
        self.state.get_or_init(|| match self.store.read(&self.session) {
            Ok(session) => {
                locked(&self.problems).extend(session.recovered.map(|aside| aside.to_string()));
                session.state
            }
            Err(error) => {
                locked(&self.problems).push(format!("the session's state could not be read: {error}"));
                SessionState::default()
            }
        })
    }

    fn check(&self, result: Result<(), StoreError>) {
        if let Err(error) = result {
            locked(&self.problems).push(format!("the session's state could not be written: {error}"));
        }
    }

    /// Counts failures in a row; says so when it was one too many. An intentional denial is not a failure.
    fn count(&self, run: &mut HookRun) {
        let hook = run.hook.id.to_string();
        let failed = run.failure().is_some();
        // Neither a success nor a failure of the hook: what was counted stays as it is.
        if matches!(run.failure(), Some(Failure::Error(why)) if HookError::blames_machine(why)) {
            return;
        }
        let before = self.state().breakers.get(&hook).map_or(0, |breaker| breaker.consecutive_failures);
        if !failed && before == 0 {
            return;
        }
        let threshold = self.threshold.of(&hook);
        let mut opened = false;
        let update = self.store.update(&self.session, &mut |state| {
            let breaker = state.breakers.entry(hook.clone()).or_default();
            breaker.consecutive_failures = if failed { breaker.consecutive_failures + 1 } else { 0 };
            if breaker.consecutive_failures >= threshold && !breaker.open {
                (breaker.open, breaker.announced, opened) = (true, true, true);
            }
        });
        self.check(update.map(|_| ()));
        if opened {
            let text = format!("hook `{hook}` failed {threshold} times in a row and rests for this session");
            add_message(run, &text);
        }
    }

    fn record(&self, event: &Event, run: &HookRun) -> JournalRecord {
        let account = RunAccount::of(&event.name, run);
        let record = JournalRecord {
            ts: self.now_millis,
            session: self.session.as_str().to_owned(),
            agent: self.agent.to_owned(),
            event: event.name.to_string(),
            hook: run.hook.id.to_string(),
            kind: run.hook.kind.to_owned(),
            source: run.hook.origin.to_string(),
            outcome: account.outcome,
            decision: Some(account.decision)
                .filter(|decision| *decision != Decision::None)
                .map(|word| word.to_string()),
            duration_us: u64::try_from(run.duration.as_micros()).unwrap_or(u64::MAX),
            tool: event.tool.as_ref().map(|tool| tool.name.clone()),
            ..JournalRecord::default()
        };
        match self.keeping.privacy {
            Privacy::Minimal => JournalRecord { error: bare_trouble(run, account.trouble), ..record },
            Privacy::Full => JournalRecord {
                reason: account.reason.map(clean),
                subject: subject(event).as_deref().map(clean),
                error: account.trouble.as_deref().map(clean),
                ..record
            },
        }
    }

    /// Tells the event itself, once, in the first of its records.
    fn tell_event(&self, event: &Event, record: &mut JournalRecord) {
        record.asked.clone_from(&self.keeping.asked);
        if self.keeping.privacy == Privacy::Minimal {
            return;
        }
        let recorded = record_event(event, Limits::default());
        record.project = Some(self.keeping.project.clone()).filter(|project| !project.is_empty());
        (record.redacted, record.cut) = (recorded.redacted, recorded.cut);
        record.input = Some(Value::Object(recorded.input));
    }
}

impl Middleware for SessionGuard {
    fn admit(&self, hook: &HookEntry, _: &Event) -> Admission {
        if let Some(why) = &self.pause {
            return Admission::Skip { why: why.clone(), message: None };
        }
        if let Some(why) = self.barred.get(hook.id()) {
            let message = self.once(&format!("barred {}", hook.id())).then(|| why.clone());
            return Admission::Skip { why: why.clone(), message };
        }
        if hook.breaker && self.state().breakers.get(hook.id()).is_some_and(|breaker| breaker.open) {
            return Admission::Skip { why: "it failed too often in this session".to_owned(), message: None };
        }
        Admission::Run
    }

    fn observe(&self, event: &Event, run: &mut HookRun) {
        if run.hook.breaker && !matches!(run.status, RunStatus::Skipped(_)) {
            self.count(run);
        }
        let mut record = self.record(event, run);
        let mut records = locked(&self.records);
        record.part = u32::try_from(records.len()).unwrap_or(u32::MAX);
        if records.is_empty() {
            self.tell_event(event, &mut record);
        }
        records.push(record);
    }
}

/// Why a hook did not do its work, without anything it may have taken from the event. That it was skipped is the
/// configuration's doing.
fn bare_trouble(run: &HookRun, trouble: Option<String>) -> Option<String> {
    let word = match run.failure() {
        None | Some(Failure::Exit(_) | Failure::Signal(_) | Failure::TimedOut(_) | Failure::Cancelled) => {
            return trouble;
        }
        Some(Failure::NotStarted(_)) => "could not be started",
        Some(Failure::Panicked(_)) => "panicked",
        Some(Failure::Error(_)) => "could not decide",
    };
    Some(word.to_owned())
}

/// A text without its secrets.
fn clean(text: &str) -> String {
    redact_text(text).into_owned()
}

/// What an event is about, in a few words: a path, a command, an address.
#[must_use]
pub fn subject(event: &Event) -> Option<String> {
    let tool = event.tool.as_ref()?;
    match &tool.kind {
        ToolKind::Shell { command, .. } => Some(command.clone()),
        ToolKind::Read { path } => Some(path.clone()),
        ToolKind::WebFetch { url } => Some(url.clone()),
        ToolKind::Mcp { server, tool } => Some(format!("{server} {tool}")),
        ToolKind::Subagent { agent, .. } => Some(agent.clone()),
        ToolKind::Skill { name } => Some(name.clone()),
        ToolKind::Write { .. } | ToolKind::Edit { .. } => Some(tool.touched_paths().join(" ")),
        ToolKind::AskUser { .. } | ToolKind::Other => None,
    }
}

fn add_message(run: &mut HookRun, text: &str) {
    let mut output = run.output.take().unwrap_or_default();
    let message = output.system_message().map_or_else(|| text.to_owned(), |before| format!("{before}\n{text}"));
    output.set_text("systemMessage", &message);
    run.output = Some(output);
}

fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
