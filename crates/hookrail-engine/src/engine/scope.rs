//! One event on its way through the engine: what is known about it, and what is written down.

use super::account::RunAccount;
use super::layers::{self, Admission};
use super::observer::HookObserver;
use super::{Parts, Progress, layers::is_native};
use crate::layers::Privacy;
use crate::logger::{DebugLogger, sanitised};
use crate::runner::Around;
use crate::trust::{Cleared, Distrust};
use hookrail_core::redaction::{KnownSecrets, Limits, Recorded, record_event, redact_start};
use hookrail_core::{Decision, Event, Failure, HookEntry, HookOutput, HookRun, Mode, OnError, ToolKind, display};
use hookrail_store::{JournalRecord, Retention, Session, SessionId, SessionState, StoreError};
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// What has happened once in a session.
pub(crate) type OnceMarks = Mutex<HashSet<String>>;

pub(crate) struct EventScope {
    parts: Arc<Parts>,
    event: Arc<Event>,
    session: SessionId,
    now_millis: i64,
    development_mode: OnceLock<Option<String>>,
    state: OnceLock<Arc<SessionState>>,
    records: Mutex<Vec<JournalRecord>>,
    notices: Mutex<Vec<String>>,
    /// Hooks that are not what was approved, by key, and what the approved ones wanted in case of failure.
    changed: Mutex<HashMap<String, OnError>>,
    /// What hooks said that refused, by key.
    refusals: Mutex<HashMap<String, HookOutput>>,
    /// Hooks that come with the project and may run, by key.
    cleared: Mutex<HashMap<String, Arc<Cleared>>>,
    observer: Option<Arc<dyn HookObserver>>,
    /// What the event is about, without secrets.
    subject: OnceLock<Option<String>>,
    /// The event as the first record tells it, if it was made before there was one.
    recorded: Mutex<Option<Recorded>>,
    /// What must not be quoted in a record.
    secrets: OnceLock<KnownSecrets>,
}

impl Around for EventScope {
    fn admit(&self, hook: &HookEntry) -> Admission {
        layers::admit(self, hook)
    }

    fn meanwhile(&self) {
        if self.parts.store.is_some() && self.parts.hooks.settings().privacy() == Privacy::Full {
            self.subject();
            *locked(&self.recorded) = Some(record_event(&self.event, Limits::default()));
        }
    }

    fn settle(&self, run: &mut HookRun) {
        layers::settle(self, run);
        self.note_refusal(run);
    }

    fn cleared(&self, hook: &HookEntry) -> Option<Arc<Cleared>> {
        Self::cleared(self, &hook.reference().key())
    }
}

impl EventScope {
    pub fn new(parts: &Arc<Parts>, event: &Arc<Event>, observer: Option<Arc<dyn HookObserver>>) -> Arc<Self> {
        Arc::new(Self {
            session: SessionId::new(&event.session_id, &parts.project),
            now_millis: parts.world.now_millis(),
            parts: Arc::clone(parts),
            event: Arc::clone(event),
            development_mode: OnceLock::new(),
            state: OnceLock::new(),
            records: Mutex::default(),
            notices: Mutex::default(),
            changed: Mutex::default(),
            refusals: Mutex::default(),
            cleared: Mutex::default(),
            observer,
            subject: OnceLock::new(),
            recorded: Mutex::default(),
            secrets: OnceLock::new(),
        })
    }

    pub fn event(&self) -> &Event {
        &self.event
    }

    /// Whoever watches the hooks of this event.
    pub fn observer(&self) -> Option<&dyn HookObserver> {
        self.observer.as_deref()
    }

    pub fn logger(&self) -> &dyn DebugLogger {
        &*self.parts.logger
    }

    /// Tells whoever follows the event how far it has come.
    pub fn report(&self, progress: impl FnOnce() -> Progress) {
        if let Some(follow) = self.parts.progress {
            follow(progress());
        }
    }

    /// Keeps a refusal, in case that nothing else comes of this event.
    fn note_refusal(&self, run: &HookRun) {
        if let Some(output) = run.output.as_ref().filter(|output| output.decision >= Decision::Block) {
            locked(&self.refusals).insert(run.hook.key().into_owned(), output.clone());
            self.report(|| Progress::Refused);
        }
    }

    /// What a hook said, if it refused.
    pub fn refusal_of(&self, key: &str) -> Option<HookOutput> {
        locked(&self.refusals).get(key).cloned()
    }

    /// Tells the agent's user what a hook that is about to run is busy with, if it says so.
    pub fn show_status(&self, hook: &HookEntry) {
        if let (Some(display), Some(message)) = (&self.parts.status, &hook.status_message) {
            display.show(hook.id(), &sanitised(message));
        }
    }

    /// Something to tell about hookrail's own work.
    pub fn notice(&self, text: String) {
        locked(&self.notices).push(text);
    }

    /// Why no hook runs at the moment, if that is so.
    pub fn development_mode(&self) -> Option<String> {
        let find = || self.parts.hooks.settings().development_mode(&self.parts.project, &*self.parts.world);
        self.development_mode.get_or_init(find).clone()
    }

    /// Whether a hook that comes with the project may run. What was checked of it is kept until the event is over.
    pub fn clear(&self, hook: &HookEntry) -> Result<(), Distrust> {
        if is_native(hook) {
            return Ok(());
        }
        let folders = [&*self.parts.project, &*self.event.cwd];
        if let Some(cleared) = self.parts.hooks.clear(hook.source, &hook.origin, folders, &*self.parts.world)? {
            locked(&self.cleared).insert(hook.reference().key().into_owned(), Arc::new(cleared));
        }
        Ok(())
    }

    /// What was checked of a hook that comes with the project.
    pub fn cleared(&self, key: &str) -> Option<Arc<Cleared>> {
        locked(&self.cleared).get(key).cloned()
    }

    /// Remembers that a hook is not what was approved.
    pub fn note_change(&self, key: String, approved: OnError) {
        locked(&self.changed).insert(key, approved);
    }

    /// What the approved form of a hook that has changed wanted in case of failure.
    pub fn changed(&self, key: &str) -> Option<OnError> {
        locked(&self.changed).get(key).copied()
    }

    /// True the first time a session asks for this key. What cannot be remembered is new every time: a hook that runs once too
    /// often is better than one that never ran.
    pub fn once(&self, key: &str) -> bool {
        let Some(store) = &self.parts.store else { return locked(&self.parts.once).insert(key.to_owned()) };
        if self.state().once.contains(key) {
            return false;
        }
        let mut first = true;
        let update = store.update(&self.session, &mut |state| first = state.once.insert(key.to_owned()));
        self.check(update.map(|_| ()));
        first
    }

    pub fn has_open_breaker(&self, hook: &HookEntry) -> bool {
        let Some(store) = &self.parts.store else { return false };
        // A hook of ours may well ask for what packs remember, which is then read once for both.
        let state = self.state.get_or_init(|| {
            self.loaded(if is_native(hook) { store.read(&self.session) } else { store.read_outline(&self.session) })
        });
        state.breakers.get(&*hook.reference().key()).is_some_and(|breaker| breaker.open)
    }

    /// Counts failures in a row; says so when it was one too many. An intentional denial is not a failure.
    pub fn count_failures(&self, run: &mut HookRun) {
        let Some(store) = &self.parts.store else { return };
        let key = run.hook.key().into_owned();
        let failed = run.failure().is_some();
        // Neither a success nor a failure of the hook: what was counted stays as it is.
        if matches!(run.failure(), Some(Failure::Machine(_))) {
            return;
        }
        let before = self.state().breakers.get(&key).map_or(0, |breaker| breaker.consecutive_failures);
        if !failed && before == 0 {
            return;
        }
        let threshold = self.parts.hooks.breaker_threshold(&run.hook.id, &self.event, &*self.parts.world);
        let mut opened = false;
        let update = store.update(&self.session, &mut |state| {
            let breaker = state.breakers.entry(key.clone()).or_default();
            breaker.consecutive_failures = if failed { breaker.consecutive_failures + 1 } else { 0 };
            if breaker.consecutive_failures >= threshold && !breaker.open {
                (breaker.open, breaker.announced, opened) = (true, true, true);
            }
        });
        self.check(update.map(|_| ()));
        if opened {
            let text = format!(
                "hook {} failed {threshold} times in a row and is disabled for the rest of this session",
                display::quoted(&run.hook.id)
            );
            run.output.get_or_insert_default().add_message(&text);
        }
    }

    /// Keeps whole what a model is shown only in part, and says where.
    pub fn keep_whole(&self, text: &str) -> Option<String> {
        let path = self.parts.overflow.as_ref()?.spill(&self.session, self.event.name.as_str(), text).ok()?;
        Some(path.display().to_string())
    }

    pub fn prune(&self, retention: &Retention) {
        if let Some(Err(error)) = self.parts.store.as_ref().map(|store| store.prune(retention)) {
            self.notice(error.to_string());
        }
    }

    /// Adds a run to what the journal will say of this event.
    pub fn record(&self, run: &HookRun) {
        if self.parts.store.is_none() {
            return;
        }
        let mut record = self.describe(run);
        let mut records = locked(&self.records);
        record.part = u32::try_from(records.len()).unwrap_or(u32::MAX);
        if records.is_empty() {
            self.describe_event(&mut record);
            // Most events run one hook; a list that grows by itself has room for four at first.
            records.reserve_exact(1);
        }
        records.push(record);
    }

    /// Writes what happened to the journal. What could not be written, or was in the way before, is returned as text for
    /// stderr or a log; it never changes a decision.
    pub fn finish(&self) -> Vec<String> {
        let records = std::mem::take(&mut *locked(&self.records));
        let mut notices = std::mem::take(&mut *locked(&self.notices));
        match self.parts.store.as_ref().map(|store| store.append_all(&records)) {
            Some(Ok(appended)) => notices.extend(appended.recovered.iter().map(ToString::to_string)),
            Some(Err(error)) => notices.push(format!("the journal could not be written: {error}")),
            None => {}
        }
        notices
    }

    /// What the engine keeps about the session; what packs do is not always there.
    fn state(&self) -> &SessionState {
        let store = self.parts.store.as_ref();
        self.state.get_or_init(|| store.map(|store| self.loaded(store.read(&self.session))).unwrap_or_default())
    }

    fn loaded(&self, read: Result<Session, StoreError>) -> Arc<SessionState> {
        match read {
            Ok(session) => {
                locked(&self.notices).extend(session.recovered.map(|aside| aside.to_string()));
                session.state
            }
            Err(error) => {
                self.notice(format!("the session's state could not be read: {error}"));
                Arc::default()
            }
        }
    }

    fn check(&self, result: Result<(), StoreError>) {
        if let Err(error) = result {
            self.notice(format!("the session's state could not be written: {error}"));
        }
    }

    fn describe(&self, run: &HookRun) -> JournalRecord {
        let event = &self.event;
        let account = RunAccount::of(run);
        let record = JournalRecord {
            ts: self.now_millis,
            session: self.session.as_str().to_owned(),
            agent: self.parts.agent.to_owned(),
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
        match self.parts.hooks.settings().privacy() {
            Privacy::Minimal => JournalRecord {
                error: bare_trouble(run, account.trouble),
                extra: noting_shadow(Map::new(), run),
                ..record
            },
            Privacy::Full => JournalRecord {
                reason: account.reason.map(|reason| self.clean(reason)),
                subject: self.subject().clone(),
                error: account.trouble.as_deref().map(|trouble| self.clean(trouble)),
                extra: noting_shadow(run.record.clone(), run),
                ..record
            },
        }
    }

    /// A text without secrets, those included that it quotes from the call.
    fn clean(&self, text: &str) -> String {
        self.secrets.get_or_init(|| KnownSecrets::of(&self.event.payload)).redact(text)
    }

    /// What the event is about, without secrets; the same for all of its records.
    fn subject(&self) -> &Option<String> {
        let redacted = || subject(&self.event).map(|subject| redact_start(&subject, JournalRecord::SUBJECT_MAX));
        self.subject.get_or_init(redacted)
    }

    /// Tells the event itself, once, in the first of its records.
    fn describe_event(&self, record: &mut JournalRecord) {
        record.asked = self.parts.hooks.selection().named();
        if self.parts.hooks.settings().privacy() == Privacy::Minimal {
            return;
        }
        let recorded = locked(&self.recorded).take();
        let recorded = recorded.unwrap_or_else(|| record_event(&self.event, Limits::default()));
        record.project = Some(self.parts.project.display().to_string()).filter(|project| !project.is_empty());
        (record.redacted, record.cut) = (recorded.redacted, recorded.cut);
        record.input = Some(Value::Object(recorded.input));
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
        Some(Failure::Error(_) | Failure::Machine(_)) => "could not decide",
        Some(Failure::Unreadable(_)) => "gave an answer that cannot be read",
    };
    Some(word.to_owned())
}

/// What an event is about, in a few words: a path, a command, an address.
#[must_use]
pub fn subject(event: &Event) -> Option<Cow<'_, str>> {
    let tool = event.tool.as_ref()?;
    match &tool.kind {
        ToolKind::Shell { command: text, .. }
        | ToolKind::Read { path: text }
        | ToolKind::WebFetch { url: text }
        | ToolKind::Subagent { agent: text, .. }
        | ToolKind::Skill { name: text } => Some(Cow::Borrowed(text)),
        ToolKind::Mcp { server, tool } => Some(format!("{server} {tool}").into()),
        ToolKind::Write { .. } | ToolKind::Edit { .. } => Some(tool.touched_paths().join(" ").into()),
        ToolKind::AskUser { questions } => {
            Some(questions.join(" ").into()).filter(|text: &Cow<'_, str>| !text.is_empty())
        }
        ToolKind::Other => None,
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Says that a run was a silent dry run, so that what it would have done is told apart from what happened.
fn noting_shadow(mut record: Map<String, Value>, run: &HookRun) -> Map<String, Value> {
    if run.hook.mode == Mode::Shadow {
        record.insert("mode".to_owned(), Value::from(Mode::Shadow.as_str()));
    }
    record
}
