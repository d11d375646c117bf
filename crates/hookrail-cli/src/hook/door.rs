//! From the bytes of an event to the bytes of the answer.

use super::args::Args;
use super::desk::{Decided, Desk, Records, error_answer};
use super::machine::Machine;
use super::{config_check, selection};
use hookrail_core::planner::create_execution_plan;
use hookrail_core::{Event, EventName, Plan, World};
use hookrail_dialects::{Answer, Dialect, detect};
use hookrail_engine::layers::{Settings, project_root};
use hookrail_engine::runner::HookRunner;
use hookrail_engine::{EventKeeping, Memory, RunnerSettings, SessionGuard, SilentLogger, timestamp};
use hookrail_packs::CATALOGUE;
use hookrail_store::{EventStore, JournalRecord, Outcome, Retention, SessionId, Store};
use serde_json::{Map, Value};
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub struct Door<M> {
    args: Args,
    machine: M,
}

/// One event, and everything that will decide it.
#[derive(Clone)]
pub struct Case {
    pub dialect: &'static dyn Dialect,
    pub event: Arc<Event>,
    pub project: PathBuf,
    pub settings: Settings,
    /// `None` if nothing applies.
    pub plan: Option<Plan>,
    /// What an earlier process left half done and nobody could finish.
    pub unfinished: Vec<String>,
}

impl<M: Machine> Door<M> {
    pub fn open(args: Args, machine: M) -> Self {
        Self { args, machine }
    }

    pub fn args(&self) -> &Args {
        &self.args
    }

    /// Answers an event. `late` is called in place of returning if a hook does not come back, and must end the process.
    pub fn answer(&self, input: &[u8], late: impl FnOnce(Decided) + Send + 'static) -> Answer {
        match serde_json::from_slice(input) {
            Ok(payload) => self.decide(self.take_up(payload), late).answer,
            Err(_) if input.iter().all(u8::is_ascii_whitespace) => self.refuse_input("there is no event on stdin"),
            Err(error) => self.refuse_input(&format!("stdin is not a JSON object: {error}")),
        }
    }

    /// An event nobody can read is no reason to stop an agent, unless the pack that was asked says so; it is told on stderr
    /// and in the journal.
    pub fn refuse_input(&self, why: &str) -> Answer {
        let agent = self.args.agent.map_or("", |dialect| dialect.name());
        let record = JournalRecord {
            ts: self.machine.world().now_millis(),
            agent: agent.to_owned(),
            hook: "hookrail/input".to_owned(),
            outcome: Outcome::Failed,
            error: Some(why.to_owned()),
            ..JournalRecord::default()
        };
        let mut answer = error_answer(why, self.args.contract);
        if !self.args.selection.sole_pack().is_some_and(|pack| pack.contract.refuses_unreadable_input()) {
            answer.exit_code = 0;
        }
        if let Some(Err(error)) = self.machine.store().map(|store| store.append(&record)) {
            answer.stderr.push_str(&format!("hookrail: the journal could not be written: {error}\n"));
        }
        answer
    }

    /// Reads an event, selects its hooks and plans them.
    pub fn take_up(&self, mut payload: Map<String, Value>) -> Case {
        if let Some(pack) = self.args.selection.sole_pack() {
            pack.contract.complete(&mut payload, self.args.selection.hook.as_deref());
        }
        let world = self.machine.world();
        let dialect = self.args.agent.unwrap_or_else(|| detect(&payload, &|name| world.env(name)));
        let mut event = dialect.decode(payload);
        if event.cwd.as_os_str().is_empty() {
            event.cwd = working_folder();
        }
        let unfinished = finish_earlier_work(&event, world);
        let project = project_root(world, &event.cwd);
        let settings = self.machine.settings(&project);
        let hooks = selection::choose(&self.args.selection, &settings, &event);
        let plan = create_execution_plan(&hooks, &event.name, event.match_subject());
        // Only hooks look at the time.
        if plan.is_some() && event.timestamp.is_empty() {
            event.timestamp = timestamp();
        }
        Case { dialect, event: Arc::new(event), project, settings, plan, unfinished }
    }

    /// Runs what was planned and answers. For `late` see [`Door::answer`].
    pub fn decide(&self, case: Case, late: impl FnOnce(Decided) + Send + 'static) -> Decided {
        let desk = Desk {
            dialect: case.dialect,
            contract: self.args.contract,
            pack: self.args.selection.sole_pack(),
            event: case.event,
            records: None,
            talk: case.unfinished,
        };
        let (plan, settings) = (case.plan.as_ref(), &case.settings);
        if plan.is_none() && settings.diagnostics().is_empty() && desk.event.name != EventName::SessionStart {
            return desk.serve_nothing();
        }
        self.run(desk, plan, settings, &case.project, late)
    }

    fn run(
        &self,
        mut desk: Desk,
        plan: Option<&Plan>,
        settings: &Settings,
        project: &Path,
        late: impl FnOnce(Decided) + Send + 'static,
    ) -> Decided {
        let (store, folder) = match (self.machine.store(), self.machine.state()) {
            (Some(store), Ok(folder)) => (Arc::new(EventStore::new(store)) as Arc<dyn Store>, folder),
            (_, state) => {
                // Without a place for state hooks still decide; nothing is recorded, and that is said.
                let runner = runner(self.machine.world_of_event(settings, None));
                desk.talk.extend(state.err().map(str::to_owned));
                return desk.serve(runner, plan, late);
            }
        };
        let session = SessionId::new(&desk.event.session_id, project);
        if desk.event.name == EventName::SessionStart {
            desk.talk.extend(store.prune(&Retention::default()).err().map(|error| error.to_string()));
        }
        let world = self.machine.world();
        let guard = SessionGuard::new(Arc::clone(&store), session.clone(), desk.dialect.name(), world.now_millis())
            .threshold(settings.breaker_threshold())
            .keep(EventKeeping {
                privacy: settings.privacy(),
                project: project.display().to_string(),
                asked: self.args.selection.named(),
            })
            .pause(dev_mode(settings, project, world))
            .bar(selection::untrusted(settings, project, folder, world));
        let memory = Memory { store: Arc::clone(&store), session: session.clone(), folder: folder.to_owned() };
        let world = self.machine.world_of_event(settings, Some(memory));
        let guard = Arc::new(guard.own_thresholds(pack_thresholds(&desk.event, &world)));
        let runner = runner(world).with_middleware(self.machine.around(Arc::clone(&guard)));
        desk.records = Some(Records { store, session, guard, complaint: config_check::complaint(settings) });
        desk.serve(runner, plan, late)
    }
}

/// What a process of this session that died left half done comes before everything else. What cannot be finished is
/// told.
fn finish_earlier_work(event: &Event, world: &dyn World) -> Vec<String> {
    let recoveries = CATALOGUE.iter().map(|pack| pack.contract.recover(event, world));
    recoveries.filter_map(|recovery| recovery.err().map(|error| error.to_string())).collect()
}

/// What the packs' own configuration says about the circuit breakers of their hooks.
fn pack_thresholds(event: &Arc<Event>, world: &Arc<dyn World>) -> impl Fn(&str) -> Option<u32> + use<> {
    let (event, world) = (Arc::clone(event), Arc::clone(world));
    move |hook: &str| hookrail_packs::hook(hook)?.0.contract.breaker_threshold(&event, world.as_ref())
}

/// Why no hook runs at the moment, if that is so.
pub fn dev_mode(settings: &Settings, project: &Path, world: &dyn World) -> Option<String> {
    let file = project.join(settings.dev_mode_file()?);
    let exists = world.kind(&file).ok().flatten().is_some();
    exists.then(|| format!("development mode: `{}` exists", file.display()))
}

/// For agents that do not say where they are; empty if nobody can say.
#[expect(clippy::disallowed_methods, reason = "the event does not bring a working directory")]
fn working_folder() -> PathBuf {
    std::env::current_dir().unwrap_or_default()
}

fn runner(world: Arc<dyn World>) -> HookRunner {
    HookRunner::new(RunnerSettings::default(), world, Arc::new(SilentLogger))
}
