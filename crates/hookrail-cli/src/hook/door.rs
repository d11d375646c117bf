//! From the bytes of an event to the bytes of the answer.

use super::args::Args;
use super::desk::{Desk, Records, error_answer};
use super::{config_check, selection};
use hookrail_core::planner::create_execution_plan;
use hookrail_core::{Event, EventName, Plan, World};
use hookrail_dialects::{Answer, detect};
use hookrail_engine::layers::{ConfigCache, LayerFiles, Settings, project_root};
use hookrail_engine::runner::HookRunner;
use hookrail_engine::{Memory, RealWorld, RunnerSettings, SessionGuard, SilentLogger, timestamp};
use hookrail_packs::CATALOGUE;
use hookrail_store::{FileStore, JournalRecord, Outcome, Retention, SessionId, StateRoot, Store};
use serde_json::{Map, Value};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub struct Door {
    args: Args,
    world: RealWorld,
    /// Where state is kept; `None` if there is no such place on this machine.
    state: Result<PathBuf, String>,
}

impl Door {
    pub fn open(args: Args) -> Self {
        let world = RealWorld::default();
        let env = |name: &str| world.env(name).map(OsString::from);
        let state = StateRoot::resolve(&env).map_err(|error| error.to_string());
        Self { args, world, state }
    }

    pub fn answer(&self, input: &[u8]) -> Answer {
        match serde_json::from_slice::<Map<String, Value>>(input) {
            Ok(mut payload) => {
                if let Some(pack) = self.args.selection.sole_pack() {
                    pack.contract.complete(&mut payload);
                }
                self.decide(payload)
            }
            Err(_) if input.iter().all(u8::is_ascii_whitespace) => self.refuse_input("there is no event on stdin"),
            Err(error) => self.refuse_input(&format!("stdin is not a JSON object: {error}")),
        }
    }

    /// An event nobody can read is no reason to stop an agent, unless the pack that was asked says so; it is told on stderr
    /// and in the journal.
    pub fn refuse_input(&self, why: &str) -> Answer {
        let agent = self.args.agent.map_or("", |dialect| dialect.name());
        let record = JournalRecord {
            ts: self.world.now_millis(),
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
        if let Some(Err(error)) = self.store().map(|store| store.append(&record)) {
            answer.stderr.push_str(&format!("hookrail: the journal could not be written: {error}\n"));
        }
        answer
    }

    fn decide(&self, payload: Map<String, Value>) -> Answer {
        let env = |name: &str| self.world.env(name);
        let dialect = self.args.agent.unwrap_or_else(|| detect(&payload, &env));
        let mut event = dialect.decode(payload);
        if event.cwd.as_os_str().is_empty() {
            event.cwd = working_folder();
        }
        let unfinished = self.finish_earlier_work(&event);
        let project = project_root(&self.world, &event.cwd);
        let settings = self.settings(&project);
        let hooks = selection::choose(&self.args.selection, &settings, &event);
        let plan = create_execution_plan(&hooks, &event.name, event.match_subject());
        // Only hooks look at the time.
        if plan.is_some() && event.timestamp.is_empty() {
            event.timestamp = timestamp();
        }
        let desk = Desk {
            dialect,
            contract: self.args.contract,
            pack: self.args.selection.sole_pack(),
            event: Arc::new(event),
            records: None,
            talk: unfinished,
        };
        if plan.is_none() && settings.diagnostics().is_empty() && desk.event.name != EventName::SessionStart {
            return desk.serve_nothing();
        }
        self.run(desk, plan.as_ref(), &settings, &project)
    }

    /// What a process of this session that died left half done comes before everything else. What cannot be finished is
    /// told.
    fn finish_earlier_work(&self, event: &Event) -> Vec<String> {
        let recoveries = CATALOGUE.iter().map(|pack| pack.contract.recover(event, &self.world));
        recoveries.filter_map(|recovery| recovery.err().map(|error| error.to_string())).collect()
    }

    fn run(&self, mut desk: Desk, plan: Option<&Plan>, settings: &Settings, project: &Path) -> Answer {
        let sections = Arc::new(settings.sections());
        let Some(store) = self.store() else {
            // Without a place for state hooks still decide; nothing is recorded, and that is said.
            let runner = runner(RealWorld::of_event(sections, None));
            desk.talk.extend(self.state.as_ref().err().cloned());
            return desk.serve(runner, plan);
        };
        let session = SessionId::new(&desk.event.session_id, project);
        if desk.event.name == EventName::SessionStart {
            desk.talk.extend(store.prune(&Retention::default()).err().map(|error| error.to_string()));
        }
        let folder = self.state.clone().unwrap_or_default();
        let guard =
            SessionGuard::new(Arc::clone(&store), session.clone(), desk.dialect.name(), self.world.now_millis())
                .threshold(settings.breaker_threshold())
                .pause(self.dev_mode(settings, project))
                .bar(selection::untrusted(settings, project, &folder, &self.world));
        let guard = Arc::new(guard);
        let memory = Memory { store: Arc::clone(&store), session: session.clone(), folder };
        let runner = runner(RealWorld::of_event(sections, Some(memory))).with_middleware(Arc::clone(&guard) as _);
        desk.records = Some(Records { store, session, guard, complaint: config_check::complaint(settings) });
        desk.serve(runner, plan)
    }

    fn settings(&self, project: &Path) -> Settings {
        let cache = ConfigCache::in_state(self.state.as_ref().ok().map(StateRoot::at));
        let mut settings = cache.load(&LayerFiles::usual(&self.world, project), &self.world);
        hookrail_packs::check_names(&mut |group, known| settings.check_names(group, known));
        settings
    }

    fn dev_mode(&self, settings: &Settings, project: &Path) -> Option<String> {
        let file = project.join(settings.dev_mode_file()?);
        let exists = self.world.kind(&file).ok().flatten().is_some();
        exists.then(|| format!("development mode: `{}` exists", file.display()))
    }

    fn store(&self) -> Option<Arc<dyn Store>> {
        let root = StateRoot::at(self.state.as_ref().ok()?);
        Some(Arc::new(FileStore::new(root, || RealWorld::default().now_millis())))
    }
}

/// For agents that do not say where they are; empty if nobody can say.
#[expect(clippy::disallowed_methods, reason = "the event does not bring a working directory")]
fn working_folder() -> PathBuf {
    std::env::current_dir().unwrap_or_default()
}

fn runner(world: RealWorld) -> HookRunner {
    HookRunner::new(RunnerSettings::default(), Arc::new(world), Arc::new(SilentLogger))
}
